// Walks through a served site in a browser as readers do, by mouse and by keyboard, and tells what there was to see.
//
// `node browser.mjs TASK ADDRESS ARGUMENTS…`, with NODE_PATH naming a folder that has puppeteer-core and axe-core.

import { readFileSync } from "node:fs";
import { launch, required } from "../../frameworks/judge/browser.mjs";

const [task, address, ...rest] = process.argv.slice(2);

const browser = await launch();

// What a page says to developers: errors, and requests of this site that failed.
async function open(errors) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  const note = (text) => errors.push(`${page.url()}: ${text}`);
  page.on("console", (message) => message.type() === "error" && note(message.text()));
  page.on("pageerror", (error) => note(String(error)));
  page.on("response", (answer) => {
    if (answer.url().startsWith(address) && answer.status() >= 400) note(`${answer.status()} ${answer.url()}`);
  });
  return page;
}

// A page is there when its elements are; what comes late is noted as it comes.
const early = { waitUntil: "domcontentloaded" };
const go = (page, url) => page.goto(url, early);

// The links of a page that lead to pages of this site: by index among all links, with address and language.
const links = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("a[href]")].map((link, index) => ({
      index,
      to: link.href,
      lang: link.closest("[data-latimer-switcher]") ? link.hreflang : null,
      download: link.hasAttribute("download") || /\.(pdf|xml|webmanifest|svg|txt|ics)$/.test(link.pathname),
    })),
  );

const state = (page) =>
  page.evaluate(() => ({ at: location.pathname, place: location.search + location.hash, lang: document.documentElement.lang, dir: document.dir }));

// Clicks every entry of every page's switcher, and every other link once in each language: the browser has made the
// address of all of them, so another link to the same page leads to the same place. Ends after `most` pages.
async function walk() {
  const [most, ...homes] = rest;
  const seen = { pages: {}, clicks: 0, wrong: [], errors: [] };
  const queue = homes.map((home) => address + home);
  const known = new Set(queue);
  const byLanguage = {};
  const page = await open(seen.errors);
  while (queue.length > 0 && Object.keys(seen.pages).length < Number(most)) {
    const url = queue.shift();
    await go(page, url);
    const here = await state(page);
    seen.pages[here.at] = here.lang;
    const done = (byLanguage[here.lang] ??= new Set());
    done.add(page.url());
    for (const link of await links(page)) {
      const target = link.to.split("#")[0];
      if (!target.startsWith(`${address}/`) || link.download) continue;
      if (link.lang ? target === url : done.has(target)) continue;
      if (!link.lang) done.add(target);
      if (page.url() !== url) await go(page, url);
      const handle = (await page.$$("a[href]"))[link.index];
      // An entry of a list that unfolds is reached by unfolding it.
      await handle.evaluate((element) => {
        const list = element.closest("details");
        if (list && !list.open) list.querySelector("summary").click();
        element.scrollIntoView({ block: "center" });
      });
      const [answer] = await Promise.all([page.waitForNavigation(early), handle.evaluate((element) => element.click())]);
      seen.clicks += 1;
      const there = await state(page);
      if (answer && answer.status() >= 400) seen.wrong.push(`${url} leads to ${target}: ${answer.status()}`);
      if (link.lang && there.lang !== link.lang) seen.wrong.push(`${url}: ${link.lang} leads to ${there.lang}`);
      if (!link.lang && there.lang !== here.lang) seen.wrong.push(`${url}: ${target} leaves ${here.lang}`);
      if (!known.has(target)) {
        known.add(target);
        queue.push(target);
      }
    }
  }
  return seen;
}

// Presses Tab until the element that a selector finds has the focus.
async function tabTo(page, selector) {
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector)) return;
  }
  throw new Error(`Tab never reaches ${selector}`);
}

// Switches the language of a page by keyboard alone.
async function switchByKeyboard(page, path, lang) {
  // An address with a fragment that is open already would not be loaded anew.
  await page.goto("about:blank");
  await page.goto(address + path);
  const entry = `[data-latimer-switcher] a[hreflang="${lang}"]`;
  let opened = null;
  if (await page.$("[data-latimer-switcher] details")) {
    await tabTo(page, "[data-latimer-switcher] summary");
    await page.keyboard.press("Enter");
    opened = await page.$eval("[data-latimer-switcher] details", (list) => list.open);
  }
  await tabTo(page, entry);
  const outline = await page.$eval(entry, (link) => getComputedStyle(link).outlineStyle);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  return { opened, outline, ...(await state(page)) };
}

// What axe finds wrong with the switcher of a page, folded and unfolded.
async function judge(page, source) {
  const found = [];
  await page.evaluate(source);
  for (const unfolded of [false, true]) {
    await page.evaluate((unfolded) => {
      document.querySelectorAll("[data-latimer-switcher] details").forEach((list) => (list.open = unfolded));
    }, unfolded);
    const result = await page.evaluate(() => axe.run({ include: ["[data-latimer-switcher]"] }));
    for (const rule of result.violations) {
      found.push(`${page.url()} ${rule.id}: ${rule.help}: ${rule.nodes.map((node) => node.html).join(" ")}`);
    }
    if (result.passes.length < 5) found.push(`${page.url()}: axe judged ${result.passes.length} rules only`);
  }
  return found;
}

// Goes from a page through languages, one after the other, and has each page judged.
async function switchers() {
  const [path, ...langs] = rest;
  const source = readFileSync(required.resolve("axe-core/axe.min.js"), "utf8");
  const seen = { errors: [], found: [], steps: [] };
  const page = await open(seen.errors);
  let at = path;
  for (const lang of langs) {
    const step = await switchByKeyboard(page, at, lang);
    seen.steps.push(step);
    seen.found.push(...(await judge(page, source)));
    at = step.at + step.place;
  }
  return seen;
}

// Where the switcher of each page stands at the page's end, and how it looks in light, in the dark and in print.
async function measure() {
  const seen = { errors: [], pages: {} };
  const page = await open(seen.errors);
  const look = () =>
    page.evaluate(() => {
      window.scrollTo(0, 1e6);
      const switcher = document.querySelector("[data-latimer-switcher]");
      const [summary, link] = ["summary", "li:last-child a"].map((name) => switcher.querySelector(name));
      switcher.querySelector("details").open = true;
      const heights = [summary, link].map((element) => element.getBoundingClientRect().height);
      switcher.querySelector("details").open = false;
      const last = document.getElementById("last")?.getBoundingClientRect();
      const { fontSize, color } = getComputedStyle(summary);
      return {
        heights,
        size: fontSize,
        color,
        shown: switcher.checkVisibility(),
        free: last ? last.bottom <= summary.getBoundingClientRect().top : null,
        room: getComputedStyle(document.body).paddingBottom,
        names: [...switcher.querySelectorAll("a")].map((link) => link.textContent),
      };
    });
  for (const path of rest) {
    const looks = (seen.pages[path] = {});
    for (const scheme of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      // Not before the style sheet is there.
      await page.goto(address + path);
      looks[scheme] = await look();
    }
    await page.emulateMediaType("print");
    looks.print = await look();
    await page.emulateMediaType("screen");
  }
  return seen;
}

try {
  console.log(JSON.stringify(await { walk, switchers, measure }[task]()));
} finally {
  await browser.close();
}
