import { Component } from "@angular/core";
import { RouterLink } from "@angular/router";
import { Shop } from "./shop";

@Component({
  imports: [RouterLink, Shop],
  template: `
    <main>
      <h1>Bread from Tern Street</h1>
      <p>
        We bake <em>slowly</em> and sell <a routerLink="/menu">everything on the menu</a> until the shelves are empty;
        our <a routerLink="/guide/baking">baking guide</a> tells how you make it at home.
      </p>
      <p><a id="jump" routerLink="/" fragment="order">Jump to the order form</a></p>
      <h2 id="hours">Opening hours</h2>
      <ul>
        <li>Monday to Friday from seven until six</li>
        <li>Saturday from eight until noon</li>
        <li>Closed on Sundays and holidays</li>
      </ul>
      <h2 id="order">Order a loaf</h2>
      <app-shop />
    </main>
  `,
})
export class Home {}

@Component({
  imports: [RouterLink],
  template: `
    <main>
      <h1>What we sell today</h1>
      <p>
        All prices include a <strong>paper bag</strong>. Read
        <a id="jump" routerLink="/menu" fragment="cakes">what is sweet</a> or go <a routerLink="/">back to the start</a>.
      </p>
      <h2 id="breads">Breads</h2>
      <ul>
        <li>Rye bread with caraway seeds</li>
        <li>White bread with a thin crust</li>
      </ul>
      <h2 id="cakes">Cakes</h2>
      <p>Plum cake is baked on <em>Fridays</em> only, and it is gone <em>before noon</em>.</p>
    </main>
  `,
})
export class Menu {}

@Component({
  imports: [RouterLink],
  template: `
    <main>
      <h1>How to bake at home</h1>
      <p>
        You need flour, water, salt and time. The <a routerLink="/menu">finished loaf</a> costs less than your evening.
      </p>
      <p><a id="jump" routerLink="/guide/baking" fragment="oven">Straight to the oven</a></p>
      <h2 id="dough">The dough</h2>
      <ol>
        <li>Mix flour and water and wait for an hour.</li>
        <li>Add the salt and fold the dough four times.</li>
      </ol>
      <h2 id="oven">The oven</h2>
      <p>Bake it hot for ten minutes and warm for thirty more.</p>
    </main>
  `,
})
export class Baking {}
