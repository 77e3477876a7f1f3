// Says whether readers of localized sites whose scripts draw them again see the right words.
//
// `node judge.mjs [--late] [--locale en-XA] [--pattern host|path] [--json FILE] NAME…`, with NODE_PATH naming a folder
// that has puppeteer-core: visits target/frameworks/NAME/dist and what tests/frameworks/localize made of it, takes the
// same steps on both, and compares. Prints a table; exits with 1 where a site is below 99.5 %, has a console error, a
// frame with a plain word or a layout shift that the source does not have, or loses its page, language or switcher.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "./judge/browser.mjs";
import { describe, judge } from "./judge/compare.mjs";
import { serve } from "./judge/server.mjs";
import { visit } from "./judge/visit.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    late: { type: "boolean", default: false },
    locale: { type: "string", default: "en-XA" },
    pattern: { type: "string", multiple: true, default: ["host", "path"] },
    json: { type: "string" },
  },
});
const root = process.env.LATIMER_FRAMEWORKS ?? join(here, "../../target/frameworks");

// The hosts of a site: its source, each language's, and the one with the languages in the path.
function hostsOf(name) {
  const isApplication = name === "react";
  const localized = (pattern) => join(root, name, pattern, "dist", name);
  const languages = ["en", "en-XA", "ar-XB"];
  return [
    [`source.${name}.test`, { folder: join(root, name, "dist"), isApplication }],
    ...languages.map((tag) => [
      `${tag.toLowerCase()}.${name}.test`,
      { folder: join(localized("host"), tag), isApplication },
    ]),
    [`www.${name}.test`, { folder: localized("path"), source: "en", locales: languages.slice(1), isApplication }],
  ];
}

const pages = { "menu itself": "menu", "baking itself": "guide/baking", "no page": "no/such/page" };

// VitePress marks its bar when its scripts start. Left to right that moves the bar by 0.015; its style sheet has no rules for
// right to left, where it moves an icon, too, by 0.056 in all: also where no script runs and the mark is set by hand.
const ownShift = (name) => (name === "vitepress" && options.locale === "ar-XB" ? 0.056 - 0.0153 : 0);

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function print(name, pattern, outcome) {
  const { frames } = outcome;
  console.log(
    `${outcome.isGood ? "good" : "BAD "} ${name} ${pattern}${options.late ? " late" : ""}: at load ${outcome.atLoad.translated} of ` +
      `${outcome.atLoad.all}; all steps: words ${percent(outcome.words)}, attributes and titles ${percent(outcome.others)}; ` +
      `new errors ${outcome.errors.length}; frames with plain words ${frames.plain} of ${frames.all}; shift ${outcome.shift.toFixed(4)}`,
  );
  if (outcome.shift > 0) for (const move of outcome.moved) console.log(`    moved: ${move}`);
  for (const error of outcome.errors) console.log(`    new error: ${error}`);
  // Steps with the same outcome share a line.
  const lines = new Map();
  for (const [name, step] of Object.entries(outcome.steps)) {
    const line = describe(step);
    if (line) lines.set(line, [...(lines.get(line) ?? []), name]);
  }
  for (const [line, steps] of lines) console.log(`    ${steps.join(", ")}: ${line}`);
  if (frames.plain > 0) console.log(`    in frames: ${frames.examples.map((text) => JSON.stringify(text)).join(", ")}`);
}

const server = await serve(new Map(names.flatMap(hostsOf)), options);
// Pseudo letters come from parts of a font that the source does not load; text moves when they arrive.
const browser = await launch({ port: server.port, args: ["--disable-remote-fonts"] });
const outcomes = {};
for (const name of names) {
  const addresses = {
    source: `http://source.${name}.test/`,
    host: `http://${options.locale.toLowerCase()}.${name}.test/`,
    path: `http://www.${name}.test/${options.locale}/`,
  };
  const go = (pattern) => {
    // With the language in the path, an address without a page leads to the source.
    const opened = Object.entries(pages).filter(([step]) => pattern !== "path" || step !== "no page");
    const others = opened.map(([step, path]) => [step, addresses[pattern] + path]);
    return visit(browser, server.state, addresses[pattern], Object.fromEntries(others), options);
  };
  const source = await go("source");
  outcomes[name] = { source };
  for (const pattern of options.pattern.filter((pattern) => existsSync(join(root, name, pattern, "dist")))) {
    const localized = await go(pattern);
    outcomes[name][pattern] = judge(source, localized, { locale: options.locale, own: ownShift(name) }, Object.keys(pages));
    outcomes[name][pattern].seen = localized.seen;
    print(name, pattern, outcomes[name][pattern]);
  }
}
await browser.close();
server.close();

// The table: a row for each site.
const rows = Object.entries(outcomes).map(([name, { host, path }]) => [
  name,
  ...[host, path].flatMap((one) =>
    one
      ? [percent(one.atLoad.translated / one.atLoad.all), percent(one.words), String(one.errors.length)]
      : ["", "", ""],
  ),
]);
console.log(
  "\n| site | host: at load | all steps | new errors | path: at load | all steps | new errors |\n|---|---|---|---|---|---|---|",
);
for (const row of rows) console.log(`| ${row.join(" | ")} |`);

if (options.json) writeFileSync(options.json, JSON.stringify(outcomes, null, 1));
const judged = Object.values(outcomes).flatMap(({ host, path }) => [host, path].filter(Boolean));
process.exitCode = judged.length > 0 && judged.every((outcome) => outcome.isGood) ? 0 : 1;
