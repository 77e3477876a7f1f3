// Looks at every screen of the admin screen as people do: signed in by a one-time address, wide and at 320 pixels, light and
// dark, in a language that is written from right to left, by keyboard.
//
// `node admin.mjs LOGIN_ADDRESS SITE [FOLDER_FOR_PICTURES]`, with NODE_PATH naming a folder that has puppeteer-core and axe-core.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launch, required } from "../../frameworks/judge/browser.mjs";

const [login, site, pictures] = process.argv.slice(2);
const origin = new URL(login).origin;
const axe = readFileSync(required.resolve("axe-core/axe.min.js"), "utf8");
const browser = await launch();
const seen = { screens: {}, errors: [], found: [] };

const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 900 });
page.on("console", (message) => message.type() === "error" && seen.errors.push(`${page.url()}: ${message.text()}`));
page.on("pageerror", (error) => seen.errors.push(`${page.url()}: ${error}`));

const leave = (act) => Promise.all([page.waitForNavigation(), act()]);

async function judged() {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target}`));
  });
}

// What axe finds where it is asked, and whether something is wider than the window.
async function look(name, isJudged = true) {
  const found = isJudged ? await judged() : [];
  const { width, lang, dir, title } = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth - innerWidth,
    lang: document.documentElement.lang,
    dir: document.dir || "ltr",
    title: document.querySelector("h1")?.innerText,
  }));
  if (width > 0) found.push(`${width} pixels too wide`);
  seen.found.push(...found.map((text) => `${name}: ${text}`));
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  return { lang, dir, title };
}

// To axe, the narrow screens are the dark ones in other colours, and the Arabic ones the wide ones in other words: it is
// asked about them where LATIMER_LOOKS is "all".
const all = process.env.LATIMER_LOOKS === "all";
async function each(name, paths, isJudged) {
  for (const [screen, path] of Object.entries(paths)) {
    const answer = await page.goto(origin + path);
    if (answer.status() !== 200) seen.errors.push(`${path}: ${answer.status()}`);
    seen.screens[`${screen}-${name}`] = await look(`${screen}-${name}`, isJudged);
  }
}

await page.goto(login);
await look("code");
await leave(() => page.click("main button"));
seen.home = new URL(page.url()).pathname;

// An endpoint is added by keyboard alone: from the start of the page to the form, and through its fields.
await page.goto(`${origin}/sites/${site}/webhooks`);
for (let steps = 0; steps < 60; steps += 1) {
  await page.keyboard.press("Tab");
  if (await page.evaluate(() => document.activeElement.id === "url")) break;
}
await page.keyboard.type("http://127.0.0.1:9/hook");
await page.keyboard.press("Tab");
await page.keyboard.type("Nobody is there");
await leave(() => page.keyboard.press("Enter"));
seen.secret = await page.evaluate(() => document.querySelector("section.good pre")?.innerText);
await look("secret");
await leave(() => page.click(".cards h2 a"));
await leave(() => page.click("main .row button"));
const webhook = new URL(page.url()).pathname;
seen.tried = await page.evaluate(() => document.querySelector(".cards li ol li")?.innerText);

const run = await (async () => {
  await page.goto(`${origin}/sites/${site}/runs`);
  return page.evaluate(() => document.querySelector("tbody a")?.getAttribute("href"));
})();
const text = await (async () => {
  await page.goto(`${origin}/sites/${site}/texts?lang=es`);
  return page.evaluate(() => document.querySelector("tbody th a").getAttribute("href"));
})();
// Words are written by keyboard, refused with the reason and what was typed, and restored from the history.
const write = async (words) => {
  await page.focus("#words");
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.type(words);
  await page.keyboard.press("Tab");
  await leave(() => page.keyboard.press("Enter"));
};
const said = () => page.evaluate(() => document.activeElement.innerText);
await page.goto(origin + text);
await write("Words of Ana");
seen.saved = await said();
await write(" ");
seen.refused = await said();
await look("refused");
await write("Other words");
await leave(() => page.click('button[value="restore"]'));
seen.restored = await page.evaluate(() => document.querySelector(".pair section + section .words").innerText);
const paths = {
  sites: "/",
  site: `/sites/${site}`,
  runs: `/sites/${site}/runs`,
  ...(run ? { run } : {}),
  pages: `/sites/${site}/pages`,
  cost: `/sites/${site}/cost`,
  publish: `/sites/${site}/publish`,
  reports: `/sites/${site}/reports`,
  target: `/sites/${site}/publish/live`,
  audit: `/sites/${site}/audit`,
  explain: `/sites/${site}/pages/explain?page=/menu/`,
  texts: `/sites/${site}/pages/explain?page=/menu/&texts=all`,
  list: `/sites/${site}/texts?lang=ar&state=people`,
  found: `/sites/${site}/texts?lang=all&q=bread&page=/**`,
  change: `/sites/${site}/texts/change?lang=es&state=people&do=lock`,
  text,
  webhooks: `/sites/${site}/webhooks`,
  webhook,
  previews: "/previews",
  digest: "/digest",
  access: "/access",
};
// An audit, so that there is something to see.
await page.goto(`${origin}/sites/${site}/audit`);
await leave(() => page.click("main button.main"));
await page.waitForFunction(() => document.querySelector("main p span.good"), { timeout: 30_000 });
await page.goto(`${origin}/access`);
await leave(() => page.click('form[action="/access/doctor"] button'));
await look("doctor");
await each("wide", paths, true);
await page.setJavaScriptEnabled(false);
for (const path of Object.values(paths)) await page.goto(origin + path);
await page.setJavaScriptEnabled(true);
await page.setViewport({ width: 320, height: 800 });
await each("narrow", paths, all);
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
await each("dark", paths, true);
await page.setExtraHTTPHeaders({ "accept-language": "ar" });
await page.setViewport({ width: 1280, height: 900 });
await each("ar", paths, all);
await page.setExtraHTTPHeaders({});

// What a switch does is seen on the next page.
await page.goto(`${origin}/sites/${site}`);
const languages = () => page.evaluate(() => document.querySelector("tbody tr td .good, tbody tr td .off")?.innerText);
seen.before = await languages();
await leave(() => page.click("tbody form button"));
seen.after = await languages();

// A run's page finds out by itself that the run is over.
await page.goto(`${origin}/sites/${site}`);
await leave(() => page.click("main > form button"));
await page.waitForFunction(() => document.querySelector("main p span.good"), { timeout: 30_000 });
seen.ended = await page.evaluate(() => document.querySelector("main p span.good").innerText);
await leave(() => page.click(".who button"));
seen.out = new URL(page.url()).pathname;
await page.goto(`${origin}/sites/${site}`);
seen.stranger = new URL(page.url()).pathname;

await browser.close();
console.log(JSON.stringify(seen));
