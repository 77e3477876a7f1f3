// Keeps a page in its language when scripts draw it again. It runs before every script of the page and changes nothing but
// the data of texts, the values of the attributes that hold text, and the language and direction of the page.
//
// Two faces: to scripts a translated text reads as the source, so that a framework which compares the page with its own
// state finds what it expects; to readers it reads as the translation.
(() => {
  "use strict";
  const undo = [];
  let over = false;
  // The first error ends it all: what is left is the page as it was served.
  const safe = (work) =>
    function (...given) {
      if (over) return;
      try {
        return work.apply(this, given);
      } catch {
        over = true;
        undo.forEach((back) => back());
      }
    };
  const property = Object.getOwnPropertyDescriptor;
  const wrap = (of, name, make) => {
    const was = property(of, name);
    const key = was.get ? "get" : "value";
    const mine = make(was[key]);
    // What others put on later stays; ours passes through.
    undo.push(() => property(of, name)[key] === mine && was.configurable && Object.defineProperty(of, name, was));
    Object.defineProperty(of, name, { ...was, [key]: mine });
  };

  const start = () => {
    const page = { ...JSON.parse(document.getElementById("latimer-live").textContent), ...window.latimerPage };
    const shared = window.latimerWords ?? { words: {}, pages: {} };
    const tables = "ATTRIBUTES";
    page.also.forEach((name) => (tables[name] = "*"));
    const attributes = Object.keys(tables);
    const texts = CharacterData.prototype;
    const nodes = Node.prototype;
    const elements = Element.prototype;
    const { get: readText, set: writeText } = property(texts, "data");
    const { getAttribute, setAttribute } = elements;
    let parsing = true;
    let late = false;

    // Words: by the text of the source, and again with its numbers left open.
    const number = /\d+([.,]\d+)*/g;
    const open = (text) => "#" + text.replace(number, "0");
    const flat = (text) => text.trim().replace(/\s+/g, " ");
    const words = new Map();
    // Texts that scripts put together: what stands in braces may be anything.
    const slot = /\{([a-z]\w*)\}/i;
    const patterns = [];
    const pattern = (source, target) => {
      const parts = source.split(slot);
      const names = parts.filter((_, at) => at % 2);
      if (!names.length || !/\p{L}{2}/u.test(parts.filter((_, at) => at % 2 < 1).join(" "))) return;
      const whole = parts.map((part, at) => (at % 2 ? "(.+?)" : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")));
      patterns.push([new RegExp(`^${whole.join("")}$`), names, target]);
    };
    const learn = (source, target) => {
      words.has(source) || words.set(source, target);
      if (/\d/.test(source) && !words.has(open(source))) words.set(open(source), [source, target]);
    };
    const filled = (text) => {
      for (const [whole, names, target] of patterns) {
        const found = text.match(whole)?.slice(1);
        const filling = (name) => found[names.indexOf(name)] ?? "";
        if (found) return target.replace(new RegExp(slot, "gi"), (_, name) => words.get(filling(name)) ?? filling(name));
      }
    };
    const translated = (text) => {
      const known = words.get(text);
      const [source, target] = (known === undefined && /\d/.test(text) && words.get(open(text))) || [];
      if (!source) return known ?? filled(text);
      const was = source.match(number);
      const now = text.match(number);
      const others = target.replace(number, (digits) => now[was.indexOf(digits)] ?? "\0");
      return others.includes("\0") ? known : others;
    };
    const queued = (pairs) => {
      const queues = new Map();
      for (const [target, source, whole] of pairs) {
        queues.has(target) || queues.set(target, []);
        queues.get(target).push([source, whole]);
        if (source !== target) learn(flat(source), target);
      }
      return queues;
    };
    const served = [queued(page.texts), queued(page.values)];
    for (const pair of Object.entries(shared.words)) {
      learn(...pair);
      pattern(...pair);
    }

    // Faces: the text of the source behind one that was put there, as long as it is there.
    const faces = new WeakMap();
    const face = (node, name, now) => {
      const known = faces.get(node)?.[name];
      const ends = late && !node.parentElement?.closest("astro-island[ssr]");
      return known?.[1] === now && !ends ? known[0] : now;
    };
    const isText = (node) => node.nodeType === 3;
    const whole = (node) => {
      let text = "";
      const walk = document.createTreeWalker(node, 4);
      while (walk.nextNode()) text += face(walk.currentNode, "", readText.call(walk.currentNode));
      return text;
    };
    const reading = (read) => (get) =>
      function (name) {
        const now = get.apply(this, arguments);
        return now === null || over ? now : (safe(read)(this, now, name) ?? now);
      };
    const own = (node, now) => (isText(node) ? face(node, "", now) : now);
    wrap(texts, "data", reading(own));
    wrap(nodes, "nodeValue", reading(own));
    wrap(nodes, "textContent", reading((node, now) => (/^(1|11)$/.test(node.nodeType) ? whole(node) : own(node, now))));
    wrap(elements, "getAttribute", reading((element, now, name) => face(element, `${name}`.toLowerCase(), now)));

    const change = (node, name, now, write) => {
      const known = faces.get(node) ?? {};
      const key = now.trim();
      if (!key || known[name]?.[1] === now) return;
      faces.set(node, known);
      // Two texts of the source may share a translation; the order of the page tells which is which.
      const queue = parsing && served[name ? 1 : 0].get(key);
      if (queue) {
        const [source, full] = queue[1] ? queue.shift() : queue[0];
        known[name] = [full ?? now.replace(key, () => source), now];
        return;
      }
      const target = translated(flat(now));
      if (target === undefined) return window.latimerUnknown?.(node, flat(now));
      const times = (known[name]?.[2] ?? 0) + 1;
      // Whoever puts the source back again and again has it.
      if (target === key || times > 99) return;
      known[name] = [now, now.replace(key, () => target), times];
      write(known[name][1]);
    };
    const stays = ["KEPT", page.skip].filter(Boolean).join();
    const isKept = (element) => {
      const by = element?.closest(stays + ",[translate=yes],[translate='']");
      return by && !/^(yes)?$/i.test(getAttribute.call(by, "translate") ?? "no");
    };
    // A sentence that stands in one node of the HTML may be in several, side by side, when a framework has drawn it: its
    // translation goes into the first of them.
    const beside = (node) => {
      const all = [node];
      for (let other = node; (other = other.previousSibling) && isText(other) && all.length < 20; ) all.unshift(other);
      for (let other = node; (other = other.nextSibling) && isText(other) && all.length < 20; ) all.push(other);
      return all;
    };
    const together = (all) => {
      const now = all.map((node) => readText.call(node));
      const known = all.map((node) => faces.get(node)?.[""] ?? []);
      const sources = known.map(([source, shown], at) => (shown === now[at] ? source : now[at]));
      const source = sources.join("");
      const key = source.trim();
      const target = translated(flat(key));
      const times = Math.max(...known.map(([, , times]) => times ?? 0)) + 1;
      if (target === undefined || target === key || times > 999) return false;
      all.forEach((node, at) => {
        const shown = at ? "" : source.replace(key, () => target);
        if (shown === now[at]) return;
        faces.set(node, { ...faces.get(node), "": [sources[at], shown, times, true] });
        writeText.call(node, shown);
      });
      return true;
    };
    const text = (node) => {
      if (isKept(node.parentElement)) return;
      const all = beside(node);
      if (all.length > 1 && together(all)) return;
      for (const each of all) {
        const [source, shown, , shared] = faces.get(each)?.[""] ?? [];
        const is = readText.call(each);
        // What it shared a translation with is gone.
        if (shared && shown === is) {
          writeText.call(each, source);
          delete faces.get(each)[""];
        } else if (each !== node) continue;
        change(each, "", readText.call(each), (text) => writeText.call(each, text));
      }
    };
    const value = (element, name) =>
      !element.matches(`[${name}]:is(${tables[name]})`) ||
      element.closest("[translate=no],.notranslate") ||
      change(element, name, getAttribute.call(element, name), (text) => setAttribute.call(element, name, text));
    let turns = 0;
    const language = () => {
      const root = document.documentElement;
      for (const [name, from, to] of page.speech) {
        const now = getAttribute.call(root, name) || from;
        if (now !== to && now.split("-")[0] === from && turns++ < 99) setAttribute.call(root, name, to);
      }
    };
    const selector = attributes.map((name) => `[${name}]`).join();
    // Of a page that is being read, each element comes with all that is in it, and then again what is in it.
    const batch = new Set();
    const visit = (node) => {
      if (batch.has(node)) return;
      batch.add(node);
      if (isText(node)) return text(node);
      if (node.matches?.(selector)) attributes.forEach((name) => value(node, name));
      if (node.shadowRoot) watch(node.shadowRoot);
      node.childNodes.forEach(visit);
    };
    // A framework that draws the body again drops what it does not know; our switcher is put back.
    const switchers = [];
    const putBack = () =>
      switchers.forEach(([node, place]) => node.isConnected || (document.body && document.body[place](node)));
    const changed = safe((records) => {
      for (const record of records) {
        const { type, target, attributeName: name, addedNodes, removedNodes, previousSibling, nextSibling } = record;
        addedNodes.forEach(visit);
        if (removedNodes.length) {
          putBack();
          [previousSibling, nextSibling].forEach((node) => node && isText(node) && text(node));
        }
        if (type === "characterData" && isText(target)) text(target);
        if (tables[name]) value(target, name);
        else if (name && target === document.documentElement) language();
      }
      batch.clear();
    });
    const observer = new MutationObserver(changed);
    undo.push(() => observer.disconnect());
    const all = { subtree: true, childList: true, characterData: true, attributes: true };
    const watch = (of) => {
      observer.observe(of, { ...all, attributeFilter: [...attributes, "lang", "dir"] });
      visit(of);
    };
    watch(document);
    language();
    wrap(elements, "attachShadow", (attach) =>
      function () {
        const made = attach.apply(this, arguments);
        safe(watch)(made);
        return made;
      });
    const parsed = safe(() => {
      changed(observer.takeRecords());
      parsing = false;
      const { body } = document;
      for (const node of body.querySelectorAll(":scope > [data-latimer-switcher]")) {
        switchers.push([node, node === body.firstElementChild ? "prepend" : "append"]);
      }
    });
    document.addEventListener("DOMContentLoaded", parsed, true);

    // Addresses: a router goes by the address of the source, which is shown to it until it has started.
    const bare = (path) => path.replace(/(\/index)?(\.html?)?\/?$/, "");
    const { from, path } = page;
    const real = location.pathname;
    // Where the paths of the language begin: as published, or below a prefix on a local server.
    const to = [page.to, page.local].find((root) => root !== from && real.startsWith(root)) ?? page.to;
    const rest = real.slice(to.length - 1);
    const shown = bare(page.own.slice(page.to.length - 1));
    const isRenamed = shown !== bare(path.slice(from.length - 1));
    const meant = bare(rest) === shown && isRenamed ? path : from + rest.slice(1);
    const masked = page.mask && bare(meant) !== bare(real);
    const localized = (path) =>
      shared.pages[bare(path)] ?? (path.startsWith(from) && !path.startsWith(to) ? to + path.slice(from.length) : path);
    // Where pages have paths of their own, a router must not show those of the source: nothing is there.
    const renamed = new Set(Object.values(shared.pages).map(bare));
    const renames = masked || renamed.size > 0;
    const address = (url) => {
      const full = new URL(url, document.baseURI);
      if (renames && full.origin === location.origin) full.pathname = localized(full.pathname);
      return full;
    };
    const isHere = (url) => url.origin !== location.origin || bare(url.pathname) === bare(location.pathname);
    let started = !masked;
    const moving = (move) =>
      function (state, title, url) {
        const next = started && !over && url != null && address(url);
        if (!next) return move.apply(this, arguments);
        const stays = !masked && !page.documents && !renamed.has(bare(next.pathname));
        if (stays || isHere(next)) return move.call(this, state, title, next.href);
        // The router draws that page here, too; who comes back to this one gets it anew.
        addEventListener("pageshow", (event) => event.persisted && location.reload());
        location.assign(next);
      };
    // A link to another page loads it; a link within the page is the browser's own business.
    const follow = safe((event) => {
      const link = event.composedPath().find((node) => node.localName === "a" && node.href);
      const special = event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
      if (!link || special || link.origin !== location.origin || link.download || !/^(_self)?$/.test(link.target)) return;
      const written = getAttribute.call(link, "href");
      if (written === "#" || /\.(?!html?$)\w{2,5}$/.test(link.pathname)) return;
      const leads = link.hreflang || link.closest("[data-latimer-switcher]");
      const next = leads ? new URL(link.href) : address(link.href);
      if (isHere(next) && !next.hash && !masked) return;
      event.stopImmediatePropagation();
      if (written.startsWith("#")) return;
      event.preventDefault();
      location.assign(next);
    });
    const { replaceState } = History.prototype;
    const show = (path) => replaceState.call(history, history.state, "", path + location.search + location.hash);
    if (masked || page.documents) addEventListener("click", follow, true);
    if (renames || page.documents) {
      wrap(History.prototype, "pushState", moving);
      wrap(History.prototype, "replaceState", moving);
    }
    if (masked) {
      show(meant);
      let here;
      const passing = safe((event) => {
        if (!started) return;
        event.stopImmediatePropagation();
        if (bare(location.pathname) !== here) location.reload();
      });
      addEventListener("popstate", passing, true);
      addEventListener("hashchange", passing, true);
      const giveBack = safe(() => {
        started = true;
        show(bare(location.pathname) === bare(meant) ? real : localized(location.pathname));
        here = bare(location.pathname);
      });
      undo.push(() => started || show(real));
      // React says on the root when it begins; others have begun by then.
      const begins = (root) => Object.keys(root).some((key) => key.startsWith("__react"));
      const wait = safe((left) => {
        const begun = !page.waits || !left || [document, ...document.querySelectorAll("body > *")].some(begins);
        setTimeout(() => (begun ? giveBack() : wait(left - 1)), 50);
      });
      addEventListener("load", () => wait(60));
    }
    // By then everything has started; what is compared later stands in islands that still wait.
    addEventListener("load", () => setTimeout(() => (late = true), 3000));
  };
  safe(start)();
})();
