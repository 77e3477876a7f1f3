import { mergeApplicationConfig } from "@angular/core";
import { bootstrapApplication, type BootstrapContext } from "@angular/platform-browser";
import { provideServerRendering, RenderMode, withRoutes } from "@angular/ssr";
import { App, config } from "./app";

const routes = withRoutes([{ path: "**", renderMode: RenderMode.Prerender }]);
const server = mergeApplicationConfig(config, { providers: [provideServerRendering(routes)] });

export default (context: BootstrapContext) => bootstrapApplication(App, server, context);
