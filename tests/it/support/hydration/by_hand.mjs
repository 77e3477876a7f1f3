// Visits pages by hand on a served site: `node by_hand.mjs TASK ADDRESS`, with NODE_PATH naming a folder that has
// puppeteer-core. Prints what there was to see on the source and in the language, looked at from a world of its own.

import { launch } from "../../../frameworks/judge/browser.mjs";
import { openTab } from "../../../frameworks/judge/visit.mjs";
import { score } from "../../../frameworks/judge/words.mjs";

const [task, address] = process.argv.slice(2);
const language = "/en-XA";
// Where each language has a host, both are this machine, and trusted with service workers.
const port = new URL(address).port;
const [sourceHost, languageHost] = ["http://example.com", "http://en-xa.example.com"];
const browser = await launch({
  args: [
    `--host-resolver-rules=MAP *example.com 127.0.0.1:${port}`,
    `--unsafely-treat-insecure-origin-as-secure=${sourceHost},${languageHost}`,
  ],
});
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Opens a page, does something there, and says what there is to see then. `before` runs before every script.
async function see(path, work = () => {}, { before, scripts = true, wait = 300, slow } = {}) {
  const errors = [];
  const { page, ask, close } = await openTab(browser, errors);
  await page.setJavaScriptEnabled(scripts);
  if (before) await page.evaluateOnNewDocument(before);
  if (slow) await holdBack(page, slow);
  await page.goto(new URL(path, address).href, { waitUntil: slow ? "domcontentloaded" : "load" });
  await sleep(wait);
  const press = (selector) => page.$eval(selector, (element) => element.click());
  const found = await work({ page, ask, press });
  await sleep(200);
  const { texts, attributes, title, lang, path: at, switcher } = await ask("eyes.look()");
  await close();
  // Errors name their address, which differs.
  return { texts, attributes, title, lang, at, switcher, errors, found };
}

// Answers what a page asks for under this name ten seconds later.
async function holdBack(page, name) {
  await page.setRequestInterception(true);
  page.on("request", async (request) => {
    if (request.url().endsWith(name)) await sleep(10_000);
    await request.continue().catch(() => {});
  });
}

// The plain words of a page in the language, and what else must be there.
const plain = ({ texts, attributes, title }) => score([], [...texts, ...attributes, title]).plain;

// Both faces of a page after the same work.
async function both(name, work, options) {
  const [source, localized] = await Promise.all(
    [`/${name}`, `${language}/${name}`].map((path) => see(path, work, options)),
  );
  return { source, localized, plain: plain(localized) };
}

const redraw = async ({ press }) => {
  for (let time = 0; time < 3; time += 1) await press("#redraw");
};

async function toggle({ press }) {
  for (let time = 0; time < 5; time += 1) await press("#toggle");
}

// By then scripts see what readers see.
async function useTools({ page, ask, press }) {
  const see = (expression) => ask(`(() => { const by = (id) => document.getElementById(id); return ${expression}; })()`);
  const items = "[...by('list').children].filter((item) => item.checkVisibility()).map((item) => item.textContent)";
  const text = (id) => see(`by("${id}").textContent`);
  const found = {};
  const list = await see(items);
  await page.type("#query", list[2].split(" ")[0]);
  found.filter = [await see(items), [list[2]]];
  await page.$eval("#query", (field) => {
    field.value = "";
    field.dispatchEvent(new Event("input"));
  });
  await press("#sort");
  found.sort = [await see(items), [...list].sort()];
  const line = await text("line");
  await press("#split");
  found.split = [await text("line"), line];
  await press("#copy");
  found.copy = [await text("copied"), await text("address")];
  const story = await text("story");
  await press("#more");
  found.less = [await text("story"), `${story.slice(0, 15)}…`];
  await press("#more");
  found.more = [await text("story"), story];
  await press("#hint");
  found.tooltip = [await text("tooltip"), await see("by('hint').title")];
  await press("#turn");
  found.views = [await page.evaluate(() => [record.views, location.search, record.reads > 0]), [["?page=2"], "?page=2", true]];
  return found;
}

async function leave(tools) {
  await tools.press("#leave");
  await sleep(800);
}

// What the router saw first, while a picture is on its way, and where it is in the end.
async function waitForPicture({ page, ask }) {
  const early = await ask("eyes.look()");
  const first = await page.evaluate(() => record.first);
  await page.waitForFunction(() => document.readyState === "complete", { timeout: 20_000 });
  await sleep(1000);
  return { first, heading: early.heading, plain: plain(early) };
}

const first = ({ page }) => page.evaluate(() => record.first);

async function follow({ page }) {
  await Promise.all([page.waitForNavigation({ waitUntil: "domcontentloaded" }), page.click("#link")]);
}

// A second visit, which a service worker answers.
async function comeBack({ page }) {
  await page.waitForFunction(() => navigator.serviceWorker.controller, { timeout: 20_000 });
  await page.reload({ waitUntil: "load" });
  return page.$eval("h1", (heading) => heading.textContent);
}

// A link that a router follows.
async function goOn({ page }) {
  await page.click("#next");
  await sleep(1500);
}

// Both faces where each language has a host.
async function onHosts(name, work) {
  const hosts = [sourceHost, languageHost];
  const [source, localized] = await Promise.all(hosts.map((host) => see(`${host}/${name}`, work)));
  return { source, localized, plain: plain(localized) };
}

// Surroundings in which the script cannot work, or not for long.
const surroundings = {
  "Node.prototype is frozen": () => Object.freeze(Node.prototype),
  "Element.prototype is frozen": () => Object.freeze(Element.prototype),
  "History.prototype is frozen": () => Object.freeze(History.prototype),
  "there is no MutationObserver": () => delete window.MutationObserver,
  "closest throws": () => {
    Element.prototype.closest = () => {
      throw new Error("closest is broken");
    };
  },
  "WeakMap throws after start": () => {
    addEventListener("DOMContentLoaded", () => {
      WeakMap.prototype.get = () => {
        throw new Error("WeakMap is broken");
      };
      document.body.append("");
    });
  },
};

async function throwing() {
  const served = await see(`${language}/policy`, undefined, { scripts: false });
  const seen = { served };
  for (const [name, before] of Object.entries(surroundings)) {
    seen[name] = await see(`${language}/policy`, undefined, { before });
  }
  return seen;
}

// How long scripts ran while a page was loaded, in milliseconds: the middle of five loads.
async function durations(path) {
  const times = [];
  for (let load = 0; load < 5; load += 1) {
    const page = await browser.newPage();
    await page.goto(address + path, { waitUntil: "load" });
    await sleep(200);
    times.push(1000 * (await page.metrics()).ScriptDuration);
    await page.close();
  }
  return times.sort((one, other) => one - other)[2].toFixed(1);
}

const time = async () => ({ source: await durations("/many"), localized: await durations(`${language}/many`) });

const tasks = {
  policy: () => both("policy", redraw),
  forbidden: () => both("forbidden"),
  nodes: () => both("nodes", toggle),
  tools: () => both("tools", useTools, { wait: 4000 }),
  image: () => both("router", waitForPicture, { slow: "?late" }),
  early: () => both("router", follow, { slow: "?late" }),
  prefix: () => both("router", first),
  worker: () => onHosts("worker", comeBack),
  far: () => onHosts("p7", goOn),
  skipped: () => both("skipped", redraw),
  leave: () => both("tools", leave, { wait: 500 }),
  throwing,
  time,
};

try {
  console.log(JSON.stringify(await tasks[task]()));
} finally {
  await browser.close();
}
