// Serves built sites as a static host does, one site a host name, and localized ones as docs/deploying.md says.

import { createServer } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".xml": "application/xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".ico": "image/x-icon",
};

const isFile = (path) => existsSync(path) && statSync(path).isFile();

// The file of an address below a folder, or where a folder's page is.
function lookUp(folder, path) {
  const file = join(folder, normalize(decodeURIComponent(path)));
  if (isFile(file) && !path.endsWith("/")) return { file };
  if (isFile(join(file, "index.html")))
    return path.endsWith("/") ? { file: join(file, "index.html") } : { to: `${path}/` };
  if (isFile(`${file}.html`)) return { file: `${file}.html` };
  return null;
}

// Addresses of an application without pages of its own lead to its only page.
const only = (site, folder) =>
  site.isApplication && isFile(join(folder, "index.html")) ? { file: join(folder, "index.html") } : null;

// What a site answers: at a host pattern each language has a folder and nothing else; with the language in the path, the
// source language is at the root, pages that are missing lead to it, and files are shared.
function answer(site, path) {
  const [, first] = path.split("/");
  if (site.locales?.includes(first)) {
    const folder = join(site.folder, first);
    const rest = path.slice(first.length + 1);
    if (rest === "") return { to: `/${first}/` };
    const found = lookUp(folder, rest) ?? (extname(rest) ? null : only(site, folder));
    if (found?.to) return { to: `/${first}${found.to}` };
    return found ?? { to: rest };
  }
  const root = site.locales ? join(site.folder, site.source) : site.folder;
  const found =
    lookUp(root, path) ?? (site.locales && lookUp(site.folder, path)) ?? (extname(path) ? null : only(site, root));
  const missing = join(root, "404.html");
  return found ?? { file: isFile(missing) ? missing : null, status: 404 };
}

// How long a script is held back: 0.3 to 1.5 s, for the same script always the same.
function delay(path) {
  let hash = 7;
  for (const letter of path) hash = (hash * 31 + letter.codePointAt(0)) % 9973;
  return 300 + (hash % 1200);
}

// `hosts` maps a host name to a site: its folder, its languages in the path if any, whether it is one application.
export async function serve(hosts, { late }) {
  const state = { pending: 0, last: Date.now() };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, `http://${request.headers.host}`);
    const site = hosts.get(url.hostname);
    state.pending += 1;
    response.on("close", () => {
      state.pending -= 1;
      state.last = Date.now();
    });
    if (!site) return response.writeHead(404).end();
    if (late && /\.m?js$/.test(url.pathname)) await new Promise((done) => setTimeout(done, delay(url.pathname)));
    const { file, to, status } = answer(site, url.pathname);
    if (to) return response.writeHead(302, { location: to + url.search }).end();
    if (!file) return response.writeHead(404, { "content-type": "text/plain" }).end("nothing is here");
    const type = types[extname(file)] ?? "application/octet-stream";
    response.writeHead(status ?? 200, { "content-type": type, "cache-control": "no-cache" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { port: server.address().port, state, close: () => server.close() };
}
