// Compares a visit to a localized site with the same visit to its source.

import { score } from "./words.mjs";

const least = 0.995;
const mostShift = 0.001;

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
const direct = (source, path, pages) =>
  ["load", ...pages]
    .map((name) => source.seen[name])
    .find((state) => state && plainPath(state.path) === plainPath(path));

// What readers in a language get, compared with what readers of the source get from the same steps; `pages` are the steps
// that open another page by its address.
// `own` is how much more the site's own style sheet moves a page of that direction than it moves the source.
export function judge(source, localized, { locale, own = 0 }, pages) {
  const [steps, documents] = [{}, new Set()];
  for (const name of Object.keys(source.seen).filter((name) => localized.seen[name])) {
    // Not every framework has a page for what is not there.
    if (source.seen[name].texts.length === 0) continue;
    const state = localized.seen[name];
    steps[name] = compare(source.seen[name], state, locale);
    // Where a link led to another document and not on the source, what a script remembered of the way there is gone, such
    // as an unfolded menu.
    const reference = documents.has(state.document) ? null : direct(source, source.seen[name].path, pages);
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
  const opened = ["load", "three clicks", "a sentence", ...pages].filter((name) => steps[name]);
  const [before, now] = [0, 1].map((which) => Math.max(...opened.map((name) => steps[name].shift[which])));
  const shift = Math.max(0, now - before - own);
  const faults = [...new Set(all.flatMap((step) => step.faults))];
  const moved = [...new Set(opened.flatMap((name) => localized.seen[name].moved))];
  const outcome = {
    words: share("words"),
    others: share("others"),
    atLoad: loaded.words,
    errors,
    faults,
    shift,
    moved,
    frames: localized.frames,
  };
  const lowest = Math.min(...all.flatMap((step) => [step.words, step.others].map(shareOf)));
  const isGood =
    lowest >= least && errors.length === 0 && faults.length === 0 && shift <= mostShift && localized.frames.plain === 0;
  return { ...outcome, isGood, steps };
}

// What is wrong after a step, if anything is.
export function describe({ words, others, faults }) {
  const isWhole = [words, others].every((one) => one.translated === one.all);
  if (isWhole && faults.length === 0) return null;
  const some = (what) => {
    const list = [...new Set([...words[what], ...others[what]])];
    return list.length > 0 ? [`${what}: ${list.slice(0, 12).join(" ")}${list.length > 12 ? " …" : ""}`] : [];
  };
  const figures = `words ${words.translated} of ${words.all}, others ${others.translated} of ${others.all}`;
  return [figures, ...some("plain"), ...some("missing"), ...faults].join("; ");
}
