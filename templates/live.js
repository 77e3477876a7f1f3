// Keeps a page in its language when scripts draw it again. It runs before every script of the page and changes nothing but
// the data of texts, the values of the attributes that hold text, and the language and direction of the page.
//
// Two faces: to scripts a translated text reads as the source, so that a framework which compares the page with its own
// state finds what it expects; to readers it reads as the translation.
(() => {
  const undo = [];
  let over;
  // The first error ends it all: what is left is the page as it was served.
  const safe =
    (work) =>
    (...given) => {
      if (!over)
        try {
          return work(...given);
        } catch {
          over = 1;
          undo.forEach((back) => back());
        }
    };
  const property = Object.getOwnPropertyDescriptor;
  const wrap = ({ prototype: on }, name, make) => {
    const was = property(on, name);
    const key = was.get ? "get" : "value";
    const mine = make(was[key]);
    // What others put on later stays; ours passes through.
    undo.push(() => property(on, name)[key] === mine && Reflect.defineProperty(on, name, was));
    Object.defineProperty(on, name, { ...was, [key]: mine });
  };

  safe(() => {
    const page = { ...JSON.parse(document.querySelector("#latimer-live").textContent), ...window.latimerPage };
    // Below the prefix of the language on a local server, the page has an address that it does not have elsewhere.
    // The larger script is loaded in its place, once: where it does not come, the page stays as it was served.
    if (page.whole && !window.latimerAddresses && location.pathname.startsWith(page.local))
      // Nothing else makes the page's scripts wait for the larger file.
      return document.write((window.latimerAddresses = page.whole));
    // Where the words of the site are missing, those of the page are there.
    const shared = { attributes: {}, ...window.latimerWords };
    const tables = shared.attributes;
    const { get: readText, set: writeText } = property(CharacterData.prototype, "data");
    const { getAttribute, setAttribute, matches } = Element.prototype;
    // A field of a form may be called `matches`.
    const fits = (node, selector) => node?.nodeType === 1 && matches.call(node, selector);
    const isText = (node) => node?.nodeType === 3;
    // A text has no name, an attribute has.
    const read = (node, name) => (name ? getAttribute.call(node, name) : readText.call(node));
    const write = (node, name, text) => (name ? setAttribute.call(node, name, text) : writeText.call(node, text));
    let late;

    // Words: by the text of the source, and again with its numbers left open.
    const number = /\d+([.,]\d+)*/g;
    const open = (text) => text.replace(number, "\0");
    const flat = (text) => text.trim().replace(/\s+/g, " ");
    const words = { __proto__: null };
    const learn = (source, target) => {
      if (words[source]) return;
      words[source] = [source, target];
      words[open(source)] ??= words[source];
    };
    const translated = (text) => {
      const [source, target] = words[text] ?? words[open(text)] ?? [];
      if (source === text) return target;
      if (source) {
        const was = source.match(number);
        const now = text.match(number);
        const others = target.replace(number, (digits) => now[was.indexOf(digits)] ?? "\0");
        return !others.includes("\0") && others;
      }
      // Texts that scripts put together.
      return shared.filled?.(text, words);
    };
    // What the page was served with: two texts of the source may share a translation, and their order tells which is which.
    let served = {};
    [page.texts, page.values].forEach((pairs, kind) =>
      pairs.forEach(([target, source, full]) => {
        (served[!kind + target] ??= []).push([source, full]);
        source === target || learn(flat(source), target);
      }),
    );
    for (const source in shared.words) learn(source, shared.words[source]);

    // Faces: the text of the source, what was put there, all that this is the translation of, and how often it was put.
    const faces = new WeakMap();
    const known = (node, name) => faces.get(node)?.[name] ?? "";
    const put = (node, name, source, shown, whole, times = 0) => {
      faces.set(node, { ...faces.get(node), [name]: [source, shown, whole, times] });
      read(node, name) === shown || write(node, name, shown);
    };
    const behind = (node, now, name) => {
      const [source, shown] = known(node, name);
      return shown === now ? source : now;
    };
    const face = (node, now, name) =>
      late && !node.parentElement?.closest(shared.islands) ? now : behind(node, now, name);
    const own = (node, now) => (isText(node) ? face(node, now) : now);
    const all = (node) => (isText(node) ? own(node, read(node)) : [...node.childNodes].map(all).join(""));
    const reading = (look) => (get) => {
      const seen = safe(look);
      return function (name) {
        const now = get.apply(this, arguments);
        return seen(this, now, name) ?? now;
      };
    };
    wrap(CharacterData, "data", reading(own));
    wrap(Node, "nodeValue", reading(own));
    wrap(Node, "textContent", reading((node, now) => (node.nodeType % 10 === 1 ? all(node) : own(node, now))));
    wrap(Element, "getAttribute", reading((node, now, name) => face(node, now, ("" + name).toLowerCase())));
    wrap(Element, "attachShadow", reading((_, made) => watch(made)));

    // Puts the translation of texts side by side, or of a value, in their place: into the first of them. Says whether it is
    // there.
    const change = (run, name) => {
      const [node, others] = run;
      const now = run.map((each) => read(each, name));
      const sources = run.map((each, at) => behind(each, now[at], name));
      const source = sources.join("");
      const key = source.trim();
      const [, , whole, times] = known(node, name);
      const isCurrent = run.every((each, at) => known(each, name)[1] === now[at]);
      if (isCurrent && whole === source) return 1;
      if (!others) {
        // What it shared a translation with is gone.
        if (isCurrent) {
          faces.delete(node);
          write(node, name, source);
        }
        const queue = served[!name + key];
        if (queue) {
          const [said, full] = queue[1] ? queue.shift() : queue[0];
          const was = full ?? source.replace(key, () => said);
          return put(node, name, was, source, was);
        }
      }
      const target = translated(flat(key));
      if (!target) return !others && window.latimerUnknown?.(node, flat(key));
      // Whoever puts the same text back again and again has it.
      const again = whole === source ? times + 1 : 0;
      if (target === key || again > 999) return;
      run.forEach((each, at) => put(each, name, sources[at], at ? "" : source.replace(key, () => target), source, again));
      return 1;
    };
    const freed = "[translate=yes i],[translate='']";
    const stays = "KEPT," + freed + page.skip;
    // Of a page that is being read, each element comes with all that is in it, and then again what is in it: what was seen in
    // a batch of changes, and whether it stays as it is.
    const seen = new Map();
    const isKept = (node) =>
      seen.get(node) ?? (fits(node, stays) ? !fits(node, freed) : !!node && isKept(node.parentElement));
    const text = (node) => {
      if (!isText(node) || isKept(node)) return;
      // A sentence that stands in one node of the HTML may be in several, side by side, when a framework has drawn it.
      const run = [node];
      let other = node;
      while (isText((other = other.previousSibling)) && !run[19]) run.unshift(other);
      other = node;
      while (isText((other = other.nextSibling)) && !run[19]) run.push(other);
      (run[1] && change(run)) || run.forEach((node) => change([node]));
    };
    const value = (node, name) =>
      tables[name] && fits(node, tables[name]) && !node.closest("[translate=no],.notranslate") && change([node], name);
    let turns = 0;
    const language = () => {
      const node = document.documentElement;
      for (const [name, source, target] of page.speech) {
        const now = read(node, name) || source;
        if (now !== target && now.split("-")[0] === source && turns++ < 999) write(node, name, target);
      }
    };
    const visit = (node) => {
      if (seen.has(node)) return;
      seen.set(node, isKept(node));
      if (isText(node)) return text(node);
      if (node.hasAttributes?.()) for (const name of node.getAttributeNames()) value(node, name);
      node.shadowRoot && watch(node.shadowRoot);
      for (let child = node.firstChild; child; child = child.nextSibling) visit(child);
    };
    // A framework that draws the body again drops what it does not know; our switcher is put back.
    let switchers = [];
    const changed = safe((records) => {
      for (const record of records) {
        record.addedNodes.forEach(visit);
        if (record.removedNodes[0]) {
          switchers.forEach(([node, place]) => node.isConnected || document.body?.[place](node));
          [record.previousSibling, record.nextSibling].forEach(text);
        }
        text(record.target);
        value(record.target, record.attributeName);
      }
      language();
      seen.clear();
    });
    const observer = new MutationObserver(changed);
    const watch = (root) => {
      observer.observe(root, {
        subtree: true,
        childList: true,
        characterData: true,
        attributeFilter: [...Object.keys(tables), "lang", "dir"],
      });
      visit(root);
    };
    watch(document);
    language();
    const parsed = safe(() => {
      changed(observer.takeRecords());
      served = {};
      switchers = [...document.querySelectorAll("body>[data-latimer-switcher]")].map((node) => [
        node,
        node.previousElementSibling ? "append" : "prepend",
      ]);
    });
    addEventListener("DOMContentLoaded", parsed, true);
    window.latimerAddresses?.(page, shared, safe, wrap, read, undo);
    // By then everything has started; what is compared later stands in islands that still wait.
    addEventListener("load", () => setTimeout(() => (late = 1), 3000));
  })();
})();
