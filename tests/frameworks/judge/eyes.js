// Runs in every document, in a world of its own: it shares the nodes with the page's scripts and none of their objects,
// so it reads what readers see, whatever a script does to `nodeValue` and the like.
//
// Not looked at: scripts, styles, code, fields' values, what is not displayed, what must not be translated, and the
// language switcher, which names languages in themselves. Nor is what says that it is in another language than the page,
// as the words for "not found" do in a language that has none.
"use strict";

const skipped =
  "script, style, template, code, kbd, samp, var, tt, pre, [translate=no], .notranslate, [contenteditable], " +
  "[data-latimer-switcher], latimer-switcher";
const attributes = ["placeholder", "aria-label", "alt", "title"];

const isElsewhere = (element) => element.lang && element.lang !== document.documentElement.lang;

// Text nodes and elements that readers get, open shadow trees included.
function* visible(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node.nodeType === Node.TEXT_NODE)
      return /\p{L}/u.test(node.data) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
    return node.matches(skipped) || isElsewhere(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  });
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.shadowRoot) yield* visible(node.shadowRoot);
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (!element || element.checkVisibility()) yield node;
  }
}

// Texts in the order of the page; those that are only told to screen readers when something changes stand apart.
function texts(isAnnounced = false) {
  const nodes = document.body ? [...visible(document.body)].filter((node) => node.nodeType === Node.TEXT_NODE) : [];
  const wanted = nodes.filter((node) => Boolean(node.parentElement?.closest("[aria-live]")) === isAnnounced);
  return wanted.map((node) => node.data);
}

// What there is to see and to hear.
function look() {
  const elements = [...visible(document.body)].filter((node) => node.nodeType === Node.ELEMENT_NODE);
  const root = document.documentElement;
  const heading = document.querySelector("main h1, h1");
  return {
    texts: texts(),
    announced: texts(true),
    attributes: elements.flatMap((element) => attributes.map((name) => element.getAttribute(name)).filter(Boolean)),
    title: document.title,
    lang: root.lang,
    dir: root.dir || "ltr",
    heading: heading?.textContent ?? "",
    switcher: [...document.querySelectorAll("[data-latimer-switcher], latimer-switcher")].filter(
      (one) => one.isConnected,
    ).length,
    path: location.pathname,
    hash: location.hash,
    shift,
    moved,
    frames,
    document: performance.timeOrigin,
  };
}

// Where the first link or button is whose address or selector fits, scrolled into view.
function find({ selector, path, hash }) {
  const fits = (element) => {
    if (element.closest("[data-latimer-switcher], latimer-switcher") || !element.checkVisibility()) return false;
    if (path === undefined) return true;
    const at = new URL(element.href, location.href);
    const plain = at.pathname.replace(/(\/|\/index\.html|\.html)$/, "");
    return plain.endsWith(path) && at.hash === (hash ?? "");
  };
  const element = [...document.querySelectorAll(selector)].find(fits);
  if (!element) return null;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const box = element.getClientRects()[0];
  return box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
}

// How much moved on the page, and what. Our switcher, the last in its document, is moved by texts that scripts put in before it,
// as whatever stands there is; on the source nothing stands there. Browsers name the element around it where that moves as
// well, as a body does with the margin of what comes into it; one that was no higher than its padding (which our style gives a body
// below a fixed switcher) and the switcher held nothing else.
let shift = 0;
const moved = [];
const switcher = "[data-latimer-switcher], latimer-switcher";
const isSwitcher = ({ node, previousRect }) => {
  const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  if (!element || previousRect.height === 0) return false;
  const inside = element.querySelector(switcher);
  return element.closest(switcher) !== null || (inside !== null && previousRect.height <= roomFor(inside, element));
};
function roomFor(inside, element) {
  const { paddingTop, paddingBottom } = getComputedStyle(element);
  const { marginTop, marginBottom, position } = getComputedStyle(inside);
  const sum = (...lengths) => lengths.reduce((total, length) => total + parseFloat(length), 0);
  const room = position === "fixed" ? 0 : inside.getBoundingClientRect().height + sum(marginTop, marginBottom);
  return room + sum(paddingTop, paddingBottom);
}
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value, startTime, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    if (!sources.length || !sources.every(isSwitcher)) shift += value;
    const nodes = sources.map(
      ({ node, previousRect: { height } }) =>
        `${node?.nodeName} (${height} px high) ${node?.textContent?.trim().slice(0, 20)}`,
    );
    moved.push(`${value.toFixed(5)} at ${Math.round(startTime)} ms: ${nodes.join(", ")}`);
  }
}).observe({ type: "layout-shift", buffered: true });

// What every frame shows before scripts draw the next one: how many there were, and plain words in them.
const frames = { all: 0, plain: 0, examples: [] };
(function sample() {
  const found = [...texts(), ...texts(true)].filter((text) => /[a-z]{2}/i.test(text));
  frames.all += 1;
  frames.plain += found.length > 0 ? 1 : 0;
  for (const text of found) {
    if (frames.examples.length < 5 && !frames.examples.includes(text)) frames.examples.push(text);
  }
  requestAnimationFrame(sample);
})();

globalThis.eyes = { look, find };
