// Tells the server which texts scripts put into the page that the live script has no words for. It stands before that
// script, which calls it, and sends texts alone: no cookie, no value of a field, nothing with a digit or an `@`.
(() => {
  "use strict";
  const to = new URL("unknown", document.currentScript.src);
  const path = location.pathname;
  const may = /^(?=.*\p{L})[^\p{N}@]{1,200}$/u;
  const never = "input,textarea,[contenteditable]:not([contenteditable=false])";
  const flat = (text) => text.trim().replace(/\s+/g, " ");
  const isText = (node) => node?.nodeType === 3;
  let left = to.origin === location.origin ? 3 : 0;
  let waiting = [];
  let timer;
  // What the page was served with, the words of the language, and what was told.
  let seen;
  const read = () => {
    seen = new Set();
    const page = { ...JSON.parse(document.getElementById("latimer-live").textContent), ...window.latimerPage };
    const words = Object.entries(window.latimerWords?.words ?? {});
    [page.texts, page.values, words].flat(2).forEach((text) => seen.add(flat(text)));
    const walk = document.createTreeWalker(document, 4);
    while (walk.nextNode()) seen.add(flat(walk.currentNode.data));
  };
  // The page is read to its end now, and the scripts that wait for that have not begun.
  document.addEventListener("readystatechange", () => seen || read(), { once: true });
  const send = () => {
    clearTimeout(timer);
    timer = 0;
    const texts = waiting.splice(0, 20);
    if (!texts.length || left-- < 1) return;
    if (waiting.length) timer = setTimeout(send, 5000);
    const stop = () => (left = 0);
    const body = JSON.stringify({ path, texts });
    const headers = { "Content-Type": "application/json" };
    // A server that takes no reports is asked once.
    fetch(to, { method: "POST", headers, body, keepalive: true, credentials: "omit" }).then(
      (answer) => answer.ok || stop(),
      stop,
    );
  };
  window.latimerUnknown = (node, text) => {
    if (!seen || left < 1 || !may.test(text) || seen.has(text)) return;
    // A text that a framework puts together of several may be made for one reader.
    if (isText(node) && (isText(node.previousSibling) || isText(node.nextSibling))) return;
    if ((isText(node) ? node.parentElement : node)?.closest(never)) return;
    seen.add(text);
    if (waiting.push(text) > 60) waiting.shift();
    timer ||= setTimeout(send, 5000);
  };
  addEventListener("pagehide", send);
})();
