// What only a script can show: a counter, a sentence put in after start, one put in after a click.
import { afterNextRender, Component, signal } from "@angular/core";
import { loaf } from "../shared/loaf.js";

@Component({
  selector: "app-shop",
  template: `
    <section id="shop" aria-label="Order form">
      <p id="count">You ordered {{ loaves() }} loaves</p>
      <button id="add" type="button" title="One more loaf for your order" (click)="loaves.set(loaves() + 1)">
        Add a loaf
      </button>
      <input id="name" placeholder="Your name" aria-label="Name for the order" />
      <p><img [src]="loaf" alt="A round loaf on a wooden table" width="32" height="32" /></p>
      <button id="reveal" type="button" (click)="isTold.set(true)">Show the secret</button>
      <div style="min-height: 12rem">
        @if (isWarm()) {
          <p id="late">The oven is warm and the next batch is nearly done.</p>
        }
        @if (isTold()) {
          <p id="secret">The secret is a spoon of honey in the dough.</p>
        }
      </div>
    </section>
  `,
})
export class Shop {
  loaf = loaf;
  loaves = signal(0);
  isWarm = signal(false);
  isTold = signal(false);

  constructor() {
    afterNextRender(() => setTimeout(() => this.isWarm.set(true), 500));
  }
}
