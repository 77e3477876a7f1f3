// One visit to a site as a reader makes it, and what there was to see after each step.

import { readFileSync } from "node:fs";

const eyes = readFileSync(new URL("eyes.js", import.meta.url), "utf8");
const world = "eyes";
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Errors of the same kind are the same on another host, at another path, in another build.
function plainError(text) {
  return text
    .replace(/https?:\/\/[^\s)"']*/g, (url) => url.replace(/^https?:\/\/[^/]*/, "").replace(/^\/[a-z]{2}-X[AB]\b/, ""))
    .replace(/\s+at [\s\S]*/, "")
    .slice(0, 200);
}

// A tab that runs the eyes in a world of its own in every document.
export async function openTab(browser, errors) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    const parts = message
      .args()
      .map((part) => part.remoteObject())
      .map(({ value, description }) => value ?? description?.split("\n")[0]);
    const text = parts.length > 0 ? parts.join(" ") : message.text();
    errors.push(plainError(`${text} ${message.location().url ?? ""}`));
  });
  page.on("pageerror", (error) => errors.push(plainError(String(error?.message ?? error))));
  page.on("dialog", (dialog) => dialog.dismiss());
  const devtools = await page.createCDPSession();
  await devtools.send("Page.enable");
  await devtools.send("Page.addScriptToEvaluateOnNewDocument", { source: eyes, worldName: world });
  // Asks the eyes; while a document is being replaced there are none, so it asks again.
  const ask = async (expression) => {
    for (let trial = 0; ; trial += 1) {
      try {
        const { frameTree } = await devtools.send("Page.getFrameTree");
        const { executionContextId } = await devtools.send("Page.createIsolatedWorld", {
          frameId: frameTree.frame.id,
          worldName: world,
        });
        const { result, exceptionDetails } = await devtools.send("Runtime.evaluate", {
          // Where scripts are switched off, nothing has run here yet.
          expression: `if (!globalThis.eyes) (() => { ${eyes} })(); ${expression}`,
          contextId: executionContextId,
          returnByValue: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
      } catch (error) {
        if (trial === 20) throw error;
        await sleep(250);
      }
    }
  };
  return { page, ask, close: () => context.close() };
}

// Waits until no answer is on its way and the page has not changed for a while.
async function settle(tab, server, quiet) {
  const most = Date.now() + 15000;
  let [seen, since] = [null, Date.now()];
  while (Date.now() < most) {
    await sleep(200);
    const now = JSON.stringify(
      await tab.ask("document.body ? [location.href, document.body.innerText, document.readyState] : null"),
    );
    if (now !== seen || server.pending > 0) [seen, since] = [now, Date.now()];
    else if (Date.now() - since >= quiet) return;
  }
}

async function click(tab, wanted) {
  const place = await tab.ask(`eyes.find(${JSON.stringify(wanted)})`);
  if (!place) throw new Error(`nothing to click: ${JSON.stringify(wanted)}`);
  await tab.page.mouse.click(place.x, place.y);
}

// What a reader does, in order. A step that cannot be done is said and the next one tried.
const steps = {
  "three clicks": async (tab) => {
    for (let time = 0; time < 3; time += 1) await click(tab, { selector: "#add" });
  },
  "a sentence": (tab) => click(tab, { selector: "#reveal" }),
  link: (tab) => click(tab, { selector: "a[href]", path: "/menu" }),
  hash: (tab) => click(tab, { selector: "main p a[href]", path: "/menu", hash: "#cakes" }),
  back: (tab) => tab.page.evaluate(() => void setTimeout(() => history.back())),
  "back again": (tab) => tab.page.evaluate(() => void setTimeout(() => history.back())),
  forward: (tab) => tab.page.evaluate(() => void setTimeout(() => history.forward())),
  reload: (tab) => tab.page.reload({ waitUntil: "load" }),
  "to a folder": (tab) => click(tab, { selector: "a[href]", path: "/guide/baking" }),
  home: (tab) => click(tab, { selector: "a[href]", path: "" }),
};

// Visits the home page at this address, takes the steps, and opens the other pages directly. Waits so long after a page
// is loaded, and until nothing has happened for so long after a step.
export async function visit(browser, server, home, others, { late, wait = 3000, quiet = late ? 2000 : 800, only }) {
  const [errors, seen] = [[], {}];
  const tab = await openTab(browser, errors);
  const frames = { all: 0, plain: 0, examples: [] };
  const note = async (name, fault) => {
    const before = Object.values(seen).at(-1);
    const state = await tab.ask("eyes.look()");
    seen[name] = { ...state, fault, errors: errors.splice(0) };
    // The frames of a document are counted on; another document begins anew.
    if (before && state.document !== before.document) add(frames, before.frames);
  };
  const add = (sum, part) => {
    sum.all += part.all;
    sum.plain += part.plain;
    sum.examples = [...new Set([...sum.examples, ...part.examples])].slice(0, 8);
  };
  const open = async (name, url) => {
    await tab.page.goto(url, { waitUntil: "load" });
    await sleep(wait);
    if (late) await settle(tab, server, quiet);
    await note(name);
  };
  await open("load", home);
  for (const name of only ?? Object.keys(steps)) {
    let fault;
    await steps[name](tab).catch((error) => (fault = String(error.message ?? error).split("\n")[0]));
    await settle(tab, server, quiet);
    await note(name, fault);
  }
  for (const [name, url] of Object.entries(others)) await open(name, url);
  await tab.page.setJavaScriptEnabled(false);
  await open("without scripts", home);
  add(frames, Object.values(seen).at(-1).frames);
  await tab.close();
  return { seen, frames };
}
