import { type ApplicationConfig, Component, provideZonelessChangeDetection } from "@angular/core";
import { provideClientHydration } from "@angular/platform-browser";
import { provideRouter, RouterLink, RouterOutlet } from "@angular/router";
import { Baking, Home, Menu } from "./pages";

@Component({
  selector: "app-root",
  imports: [RouterLink, RouterOutlet],
  template: `
    <nav aria-label="Pages of the bakery">
      <a routerLink="/">Home</a> <a routerLink="/menu">Menu</a> <a routerLink="/guide/baking">Baking guide</a>
    </nav>
    <router-outlet />
  `,
})
export class App {}

export const config: ApplicationConfig = {
  providers: [
    provideZonelessChangeDetection(),
    provideClientHydration(),
    provideRouter([
      { path: "", pathMatch: "full", component: Home, title: "Bread from Tern Street" },
      { path: "menu", component: Menu, title: "What we sell today" },
      { path: "guide/baking", component: Baking, title: "How to bake at home" },
    ]),
  ],
};
