// Says whether readers of localized manuals find words of their language with the search that the manual's generator made.
//
// `node judge.mjs [--json FILE] NAME…`, with NODE_PATH naming a folder that has puppeteer-core: opens what
// tests/generators/localize made, types words into the search of each site, in each language and at both address patterns,
// and looks at what is found: the link must stay in the language and lead to a page that has the word, and the title must
// be one of that page. Prints a table; exits with 1 where a word is not found or leads elsewhere.

import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "../frameworks/judge/browser.mjs";
import { serve } from "../frameworks/judge/server.mjs";
import { searches } from "./searches.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, verbose: { type: "boolean", default: false } },
});
const root = process.env.LATIMER_GENERATORS ?? join(here, "../../target/generators");

// What the engine of words.py makes of "languages", "server", "budget", "glossary" and "deployment".
const words = {
  es: ["idiomas", "servidor", "presupuesto", "glosario", "despliegue"],
  de: ["Sprachen", "Dienstrechner", "Haushaltsgröße", "Wörterverzeichnis", "Bereitstellung"],
  ar: ["لغات", "خادم", "ميزانية", "معجم", "إصدار"],
  ja: ["言語", "サーバー", "予算", "用語集", "配備"],
};
const languages = Object.keys(words);

const hosts = names.flatMap((name) => [
  ...languages.map((tag) => [`${tag}.${name}.test`, { folder: join(root, name, "host/dist", name, tag) }]),
  [`www.${name}.test`, { folder: join(root, name, "path/dist", name), source: "en", locales: languages }],
]);
const server = await serve(new Map(hosts), { late: false });
const browser = await launch({ port: server.port });

// Some indexes cut words by marks that no reader sees.
const plain = (text) => text.replaceAll("\u200b", "").replace(/\s+/g, " ").trim().toLowerCase();

// What is wrong with what a search found for a word.
async function wrong(page, home, word, results) {
  if (results.length === 0) return "found nothing";
  const [{ title, href }] = results;
  const stray = results.find((result) => !result.href.startsWith(home));
  if (stray) return `leads to ${stray.href}`;
  const read = (address) =>
    page.evaluate(
      (address) =>
        fetch(address).then(async (found) => {
          const { title, body } = new DOMParser().parseFromString(await found.text(), "text/html");
          return { status: found.status, title, text: body.textContent };
        }),
      address,
    );
  const answer = await read(href);
  if (answer.status !== 200) return `${href} answers ${answer.status}`;
  const text = plain(answer.text).replaceAll("¶", "");
  if (!text.includes(plain(word))) return `${href} has no ${word}`;
  const parts = title.split(/»|>/).map(plain).filter(Boolean);
  // mdBook names the chapters around a page, too, which only its table of contents has.
  const around = parts.length > 1 && home.includes("mdbook") ? await read(`${home}toc.html`) : { text: "" };
  const said = [text, answer.title, around.text].map(plain).join("\n");
  const missing = parts.find((part) => !said.includes(part));
  return missing ? `title ${JSON.stringify(missing)} is not on ${href}` : null;
}

async function judge(name, home, tag) {
  const found = [];
  const errors = [];
  for (const word of words[tag]) {
    const page = await browser.newPage();
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("response", (answer) => {
      if (answer.status() >= 400 && !answer.url().endsWith("/favicon.ico")) errors.push(`${answer.url()} answers ${answer.status()}`);
    });
    try {
      await page.goto(home, { waitUntil: "load", timeout: 20000 });
      const results = await searches[name.replace(/-.*/, "")](page, word);
      const problem = await wrong(page, home, word, results);
      found.push({ word, results: results.slice(0, 5), problem });
    } catch (error) {
      found.push({ word, results: [], problem: String(error) });
    }
    await page.close();
  }
  return { found, errors: [...new Set(errors)] };
}

const outcomes = {};
let isGood = true;
for (const name of names) {
  for (const pattern of ["host", "path"].filter((pattern) => existsSync(join(root, name, pattern, "dist")))) {
    for (const tag of languages) {
      const home = pattern === "host" ? `http://${tag}.${name}.test/` : `http://www.${name}.test/${tag}/`;
      const { found, errors } = await judge(name, home, tag);
      const right = found.filter(({ problem }) => !problem).length;
      const expected = searches.lacks(name.replace(/-.*/, ""), tag) ? 0 : words[tag].length;
      isGood &&= right >= expected && errors.length === 0;
      (outcomes[name] ??= {})[`${tag} ${pattern}`] = { right, of: found.length, found, errors };
      console.log(`${right >= expected && errors.length === 0 ? "good" : "BAD "} ${name} ${pattern} ${tag}: ${right} of ${found.length}`);
      for (const { word, problem, results } of found) {
        if (problem) console.log(`    ${word}: ${problem}`);
        if (options.verbose) console.log(`    ${word}: ${JSON.stringify(results[0])}`);
      }
      for (const error of errors) console.log(`    error: ${error}`);
    }
  }
}
await browser.close();
server.close();

console.log(`\n| | ${languages.join(" | ")} |\n|---|${languages.map(() => "---|").join("")}`);
for (const [name, all] of Object.entries(outcomes)) {
  const cell = (tag) => ["host", "path"].map((pattern) => all[`${tag} ${pattern}`]).map((one) => one && `${one.right}/${one.of}`);
  console.log(`| ${name} | ${languages.map((tag) => cell(tag).filter(Boolean).join(", ")).join(" | ")} |`);
}
if (options.json) writeFileSync(options.json, JSON.stringify(outcomes, null, 1));
process.exit(isGood ? 0 : 1);
