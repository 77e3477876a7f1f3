// Visits the bakeries that bundle.mjs made and `latimer build` localized:
// `node visit.mjs FOLDER LOCALE early|late`, with NODE_PATH naming a folder that has puppeteer-core.
//
// FOLDER/NAME has `source` and, for each address pattern, PATTERN/dist. Prints for every site and pattern what is wrong.

import { join } from "node:path";
import { launch } from "../../../frameworks/judge/browser.mjs";
import { describe, judge } from "../../../frameworks/judge/compare.mjs";
import { serve } from "../../../frameworks/judge/server.mjs";
import { visit } from "../../../frameworks/judge/visit.mjs";

const [root, locale, pace] = process.argv.slice(2);
const names = ["react", "vue", "svelte"];
const late = pace === "late";

const hosts = names.flatMap((name) => [
  [`source.${name}.test`, { folder: join(root, name, "source") }],
  [`${locale.toLowerCase()}.${name}.test`, { folder: join(root, name, "host/dist/site", locale) }],
  [`www.${name}.test`, { folder: join(root, name, "path/dist/site"), source: "en", locales: ["en-XA", "ar-XB"] }],
]);
hosts.push([`${locale.toLowerCase()}.renamed.test`, { folder: join(root, "react/renamed/dist/site", locale) }]);
const server = await serve(new Map(hosts), { late });
const browser = await launch({ port: server.port });

const only = ["three clicks", "a sentence", "link", "hash", "back", "back again", "forward", "reload", "home"];
const options = { late, wait: 500, quiet: late ? 2000 : 400, only };
const atLeisure = { ...options, wait: 2000, quiet: 2000 };
const go = (home, how = options) => visit(browser, server.state, home, { "menu itself": `${home}menu` }, how);

// A browser that draws letters for the first time looks for a font, and moves what stands there.
const first = await browser.newPage();
await first.goto(`http://www.react.test/${locale}/`);
await new Promise((done) => setTimeout(done, 500));
await first.close();

const sourceFaults = (source) => Object.values(source.seen).flatMap(({ fault }) => fault ?? []);

// On a busy machine a page may move for reasons of its own, and words come late, the source's and ours: what is so each time
// that a reader takes more time is ours. Errors, and words in the source language, are at once.
async function judged(homes, [source, localized]) {
  for (let visits = 1; ; visits += 1) {
    const outcome = { source, ...judge(source, localized, { locale }, ["menu itself"]) };
    const { words, others, errors, faults, frames } = outcome;
    const isPlain = Object.values(outcome.steps).some((step) => step.words.plain.length + step.others.plain.length > 0);
    const isUntranslated = frames.plain > 0 || ((words < 1 || others < 1) && isPlain);
    const isOurs = isUntranslated || errors.length > 0 || faults.length > 0;
    if (visits === 3 || (sourceFaults(source).length === 0 && (outcome.isGood || isOurs))) return outcome;
    const wrong = Object.entries(outcome.steps).map(([step, one]) => `${step}: ${describe(one)}`);
    console.error(`${homes[1]}, visit ${visits}: ${outcome.shift}`, outcome.moved, wrong, sourceFaults(source));
    [source, localized] = await Promise.all(homes.map((home) => go(home, atLeisure)));
  }
}

// All at once: each visit is mostly waiting.
async function see(name) {
  const hosts = [`source.${name}.test/`, `${locale.toLowerCase()}.${name}.test/`, `www.${name}.test/${locale}/`];
  const homes = hosts.map((home) => `http://${home}`);
  const [source, host, path] = await Promise.all(homes.map((home) => go(home)));
  const seen = {};
  for (const [pattern, localized, home] of [["host", host, homes[1]], ["path", path, homes[2]]]) {
    const outcome = await judged([homes[0], home], [source, localized]);
    const { isGood, atLoad, words, errors, frames, shift, steps } = outcome;
    const wrong = Object.entries(steps).map(([step, outcome]) => [step, describe(outcome)]);
    const faults = sourceFaults(outcome.source);
    seen[pattern] = {
      isGood: isGood && faults.length === 0,
      atLoad: [atLoad.translated, atLoad.all],
      words,
      errors,
      frames,
      shift,
      sourceFaults: faults,
      sourceErrors: [...new Set(Object.values(outcome.source.seen).flatMap((step) => step.errors))],
      wrong: Object.fromEntries(wrong.filter(([, line]) => line)),
    };
  }
  return [name, seen];
}

// Where the menu has a path of its own: the path and the title at the start, behind a link that the router takes with the
// path of the source, and back again.
async function seeRenamed() {
  const page = await browser.newPage();
  const look = async (path) => {
    const isThere = (path) => location.pathname === path && document.readyState === "complete";
    await page.waitForFunction(isThere, { timeout: 20_000 }, path).catch(() => {});
    await new Promise((done) => setTimeout(done, 1500));
    return page.evaluate(() => [location.pathname, document.title]);
  };
  await page.goto(`http://${locale.toLowerCase()}.renamed.test/`);
  const home = await look("/");
  await page.evaluate(() => void setTimeout(() => history.pushState(null, "", "/menu")));
  const link = await look("/karta.html");
  await page.evaluate(() => void setTimeout(() => history.back()));
  const seen = { home, link, back: await look("/") };
  await page.close();
  return ["renamed", seen];
}

try {
  console.log(JSON.stringify(Object.fromEntries(await Promise.all([...names.map(see), seeRenamed()]))));
} finally {
  await browser.close();
  server.close();
}
