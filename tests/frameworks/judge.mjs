// Says whether readers of localized sites whose scripts draw them again see the right words.
//
// `node judge.mjs [--late] [--locale en-XA] [--pattern host|path] [--json FILE] NAME…`, with NODE_PATH naming a folder
// that has puppeteer-core: visits target/frameworks/NAME/dist and what tests/frameworks/localize made of it, takes the
// same steps on both, and compares. Prints a table; exits with 1 where a site is below 99.5 %, has a console error, a
// frame with a plain word or a layout shift that the source does not have, or loses its page, language or switcher.

import { createRequire } from "node:module";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serve } from "./judge/server.mjs";
import { visit } from "./judge/visit.mjs";
import { score } from "./judge/words.mjs";

const least = 0.995;
const mostShift = 0.001;

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.NODE_PATH ?? join(here, "../../target/test-browser/node_modules");
const puppeteer = createRequire(`${modules}/`)("puppeteer-core");
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

const plainPath = (path) => path.replace(/^\/(en-XA|ar-XB)(?=\/|$)/, "").replace(/(\/|\/index\.html|\.html)$/, "");

function compareWords(source, localized) {
  const words = score(source.texts, localized.texts);
  // Whether a link is announced depends on how the page came; what is announced must be translated.
  const announced = score([], localized.announced);
  words.all += announced.all;
  words.plain.push(...announced.plain);
  return words;
}

// What differs between the same step on the source and in a language.
function compare(source, localized, locale) {
  const words = compareWords(source, localized);
  const others = score([...source.attributes, source.title], [...localized.attributes, localized.title]);
  const heading = score([source.heading], [localized.heading]);
  const faults = [];
  if (localized.fault && localized.fault !== source.fault) faults.push(localized.fault);
  if (heading.missing.length > 0) faults.push(`another page: "${localized.heading.trim()}"`);
  if (plainPath(localized.path) !== plainPath(source.path) || localized.hash !== source.hash) {
    faults.push(`at ${localized.path}${localized.hash} instead of ${source.path}${source.hash}`);
  }
  if (localized.lang !== locale) faults.push(`lang is "${localized.lang}"`);
  if (localized.dir !== (locale.startsWith("ar") ? "rtl" : "ltr")) faults.push(`dir is "${localized.dir}"`);
  if (localized.switcher === 0) faults.push("no switcher");
  const errors = localized.errors.filter((error) => !source.errors.includes(error));
  return { words, others, faults, errors: [...new Set(errors)], shift: [source.shift, localized.shift] };
}

const shareOf = ({ translated, all }) => (all === 0 ? 1 : translated / all);

// The same page as somebody sees it who comes from elsewhere.
const direct = (source, path) =>
  ["load", ...Object.keys(pages)]
    .map((name) => source.seen[name])
    .find((state) => state && plainPath(state.path) === plainPath(path));

function judge(source, localized, locale) {
  const [steps, documents] = [{}, new Set()];
  for (const name of Object.keys(source.seen).filter((name) => localized.seen[name])) {
    // Not every framework has a page for what is not there.
    if (source.seen[name].texts.length === 0) continue;
    const state = localized.seen[name];
    steps[name] = compare(source.seen[name], state, locale);
    // Where a link led to another document and not on the source, what a script remembered of the way there is gone, such
    // as an unfolded menu.
    const reference = documents.has(state.document) ? null : direct(source, source.seen[name].path);
    if (reference && shareOf(steps[name].words) < 1) {
      const words = compareWords(reference, state);
      if (shareOf(words) > shareOf(steps[name].words)) steps[name].words = words;
    }
    documents.add(state.document);
  }
  const all = Object.values(steps);
  // Without scripts a page is as it was built, so that step must be whole and says nothing about the others.
  const drawn = all.filter((step) => step !== steps["without scripts"]);
  const sum = (kind, key) => drawn.reduce((total, step) => total + step[kind][key], 0);
  const share = (kind) => shareOf({ translated: sum(kind, "translated"), all: sum(kind, "all") });
  const known = new Set(Object.values(source.seen).flatMap((step) => step.errors));
  const errors = [...new Set(all.flatMap((step) => step.errors))].filter((error) => !known.has(error));
  const [loaded] = all;
  // Only of documents that were opened by address: behind a link some sites jump by themselves, now and then.
  const opened = ["load", "three clicks", "a sentence", ...Object.keys(pages)].filter((name) => steps[name]);
  const [before, now] = [0, 1].map((which) => Math.max(...opened.map((name) => steps[name].shift[which])));
  const shift = Math.max(0, now - before);
  const faults = [...new Set(all.flatMap((step) => step.faults))];
  const outcome = {
    words: share("words"),
    others: share("others"),
    atLoad: loaded.words,
    errors,
    faults,
    shift,
    frames: localized.frames,
  };
  const lowest = Math.min(...all.flatMap((step) => [step.words, step.others].map(shareOf)));
  const isGood =
    lowest >= least && errors.length === 0 && faults.length === 0 && shift <= mostShift && localized.frames.plain === 0;
  return { ...outcome, isGood, steps };
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

// What is wrong after a step, if anything is.
function describe({ words, others, faults }) {
  const isWhole = [words, others].every((one) => one.translated === one.all);
  if (isWhole && faults.length === 0) return null;
  const some = (what) => {
    const list = [...new Set([...words[what], ...others[what]])];
    return list.length > 0 ? [`${what}: ${list.slice(0, 12).join(" ")}${list.length > 12 ? " …" : ""}`] : [];
  };
  const figures = `words ${words.translated} of ${words.all}, others ${others.translated} of ${others.all}`;
  return [figures, ...some("plain"), ...some("missing"), ...faults].join("; ");
}

function print(name, pattern, outcome) {
  const { frames } = outcome;
  console.log(
    `${outcome.isGood ? "good" : "BAD "} ${name} ${pattern}${options.late ? " late" : ""}: at load ${outcome.atLoad.translated} of ` +
      `${outcome.atLoad.all}; all steps: words ${percent(outcome.words)}, attributes and titles ${percent(outcome.others)}; ` +
      `new errors ${outcome.errors.length}; frames with plain words ${frames.plain} of ${frames.all}; shift ${outcome.shift.toFixed(4)}`,
  );
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
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
    `--host-resolver-rules=MAP *.test 127.0.0.1:${server.port}`,
  ],
});
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
    outcomes[name][pattern] = judge(source, localized, options.locale);
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
