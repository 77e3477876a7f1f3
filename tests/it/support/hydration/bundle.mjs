// Makes the three bakeries: `node bundle.mjs FOLDER`, with NODE_PATH naming a folder that has esbuild and the frameworks.
//
// Each is FOLDER/NAME/source: two pages that the framework's own server renderer wrote, and a script that hydrates them.
// FOLDER/texts has what stands in no HTML, for each pseudo-locale.

import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { decorate } from "../../../frameworks/judge/words.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.NODE_PATH;
const require = createRequire(`${modules}/`);
const esbuild = require("esbuild");
const [into] = process.argv.slice(2);

const texts = ["The oven is warm.", "The secret is a spoon of honey."];

const start = `import { nameOf } from "./router.js"; const first = nameOf(location.pathname);`;
const router = `export { addresses, titleOf } from "./router.js"; import { nameOf } from "./router.js";`;

// How each starts in a browser, and how its server writes the page of a path.
const frameworks = {
  react: {
    root: "root",
    client: `import { hydrateRoot } from "react-dom/client"; import { App } from "./react.jsx";
      hydrateRoot(document.getElementById("root"), <App first={first} />);`,
    server: `import { renderToString } from "react-dom/server"; import { App } from "./react.jsx";
      export const render = async (path) => renderToString(<App first={nameOf(path)} />);`,
  },
  vue: {
    root: "app",
    client: `import { createSSRApp } from "vue"; import App from "./vue.vue"; createSSRApp(App, { first }).mount("#app");`,
    server: `import { createSSRApp } from "vue"; import { renderToString } from "vue/server-renderer";
      import App from "./vue.vue"; export const render = (path) => renderToString(createSSRApp(App, { first: nameOf(path) }));`,
  },
  svelte: {
    root: "app",
    client: `import { hydrate } from "svelte"; import App from "./svelte.svelte";
      hydrate(App, { target: document.getElementById("app"), props: { first } });`,
    server: `import { render as write } from "svelte/server"; import App from "./svelte.svelte";
      export const render = async (path) => write(App, { props: { first: nameOf(path) } }).body;`,
  },
};

// Compiles components for a browser or for a server.
const components = (isServer) => ({
  name: "components",
  setup(build) {
    build.onLoad({ filter: /\.vue$/ }, ({ path }) => {
      const sfc = require("vue/compiler-sfc");
      const { descriptor } = sfc.parse(readFileSync(path, "utf8"), { filename: path });
      const templateOptions = { ssr: isServer, ssrCssVars: [] };
      const script = sfc.compileScript(descriptor, { id: "bakery", inlineTemplate: true, templateOptions, isProd: true });
      return { contents: script.content, resolveDir: here };
    });
    build.onLoad({ filter: /\.svelte$/ }, ({ path }) => {
      const options = { filename: path, generate: isServer ? "server" : "client" };
      const { js } = require("svelte/compiler").compile(readFileSync(path, "utf8"), options);
      return { contents: js.code, resolveDir: here };
    });
  },
});

const bundle = (contents, isServer, outfile) =>
  esbuild.build({
    stdin: { contents, resolveDir: here, loader: "jsx" },
    outfile,
    bundle: true,
    minify: !isServer,
    jsx: "automatic",
    platform: isServer ? "node" : "browser",
    format: isServer ? "cjs" : "esm",
    nodePaths: [modules],
    plugins: [components(isServer)],
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "false",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "true",
    },
    logLevel: "error",
  });

const page = (title, root, body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">
<style>.late { min-height: 12rem }</style>
<script type="module" src="/app.js"></script></head>
<body><div id="${root}">${body}</div></body></html>
`;

async function make(name, { root, client, server }) {
  const folder = join(into, name, "source");
  const written = join(into, name, "server.cjs");
  await Promise.all([bundle(start + client, false, join(folder, "app.js")), bundle(router + server, true, written)]);
  const { addresses, titleOf, render } = require(written);
  for (const path of addresses) {
    const file = path === "/" ? "index.html" : `${path.slice(1)}.html`;
    writeFileSync(join(folder, file), page(titleOf(path), root, await render(path)));
  }
}

await Promise.all(Object.entries(frameworks).map(([name, how]) => make(name, how)));
mkdirSync(join(into, "texts"), { recursive: true });
for (const locale of ["en-XA", "ar-XB"]) {
  const entries = texts.map((text) => `msgid "${text}"\nmsgstr "${decorate(text, locale)}"\n`);
  const head = `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: ${locale}\\n"\n`;
  writeFileSync(join(into, "texts", `${locale}.po`), [head, ...entries].join("\n"));
}
