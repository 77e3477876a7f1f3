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
const go = (home) => visit(browser, server.state, home, { "menu itself": `${home}menu` }, options);

// A browser that draws letters for the first time looks for a font, and moves what stands there.
const first = await browser.newPage();
await first.goto(`http://www.react.test/${locale}/`);
await new Promise((done) => setTimeout(done, 500));
await first.close();

// On a busy machine a page may move for reasons of its own: what moves it in two visits is ours.
async function judged(source, home, localized) {
  const outcome = judge(source, localized, locale, ["menu itself"]);
  const isOnlyMoved = !outcome.isGood && outcome.words === 1 && outcome.errors.length === 0 && outcome.shift > 0;
  return isOnlyMoved ? judge(source, await go(home), locale, ["menu itself"]) : outcome;
}

// All at once: each visit is mostly waiting.
async function see(name) {
  const homes = [`source.${name}.test/`, `${locale.toLowerCase()}.${name}.test/`, `www.${name}.test/${locale}/`];
  const [source, host, path] = await Promise.all(homes.map((home) => go(`http://${home}`)));
  const seen = {};
  for (const [pattern, localized, home] of [["host", host, homes[1]], ["path", path, homes[2]]]) {
    const outcome = await judged(source, `http://${home}`, localized);
    const { isGood, atLoad, words, errors, frames, shift, steps } = outcome;
    const wrong = Object.entries(steps).map(([step, outcome]) => [step, describe(outcome)]);
    const sourceFaults = Object.values(source.seen).flatMap(({ fault }) => fault ?? []);
    seen[pattern] = {
      isGood: isGood && sourceFaults.length === 0,
      atLoad: [atLoad.translated, atLoad.all],
      words,
      errors,
      frames,
      shift,
      sourceFaults,
      sourceErrors: [...new Set(Object.values(source.seen).flatMap((step) => step.errors))],
      wrong: Object.fromEntries(wrong.filter(([, line]) => line)),
    };
  }
  return [name, seen];
}

// Where the menu has a path of its own: the path and the title at the start, behind a link that the router takes with the
// path of the source, and back again.
async function seeRenamed() {
  const page = await browser.newPage();
  const look = async () => {
    await new Promise((done) => setTimeout(done, 4000));
    return page.evaluate(() => [location.pathname, document.title]);
  };
  await page.goto(`http://${locale.toLowerCase()}.renamed.test/`);
  const home = await look();
  await page.evaluate(() => history.pushState(null, "", "/menu"));
  const link = await look();
  await page.goBack();
  const seen = { home, link, back: await look() };
  await page.close();
  return ["renamed", seen];
}

try {
  console.log(JSON.stringify(Object.fromEntries(await Promise.all([...names.map(see), seeRenamed()]))));
} finally {
  await browser.close();
  server.close();
}
