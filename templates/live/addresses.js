// The address of a page in a language: a router goes by the address of the source, which is shown to it until it has
// started. It runs before the live script, which calls it with what both of them use.
latimerAddresses = (page, shared, safe, wrap, read, undo) => {
  const bare = (path) => path.replace(/(\/index)?(\.html?)?\/?$/, "");
  const at = () => bare(location.pathname);
  const { from, path } = page;
  const real = location.pathname;
  // Where the paths of the language begin: as published, or below a prefix on a local server.
  const to = [page.to, page.local].find((root) => root !== from && real.startsWith(root)) ?? page.to;
  const rest = real.slice(to.length - 1);
  const mine = bare(page.own.slice(page.to.length - 1));
  const isRenamed = mine !== bare(path.slice(from.length - 1));
  const meant = bare(rest) === mine && isRenamed ? path : from + rest.slice(1);
  const masked = page.mask && bare(meant) !== at();
  const pages = shared.pages ?? {};
  const localized = (path) =>
    pages[bare(path)] ?? (path.startsWith(from) && !path.startsWith(to) ? to + path.slice(from.length) : path);
  // Where pages have paths of their own, a router must not show those of the source: nothing is there.
  const renamed = Object.values(pages).map(bare);
  const renames = masked || renamed[0] != null;
  const address = (url) => {
    const full = new URL(url, document.baseURI);
    if (renames && full.origin === location.origin) full.pathname = localized(full.pathname);
    return full;
  };
  const isHere = (url) => url.origin !== location.origin || bare(url.pathname) === at();
  let started = !masked;
  let over;
  undo.push(() => (over = 1));
  const moving = (move) =>
    function (state, title, url) {
      const next = started && !over && url != null && address(url);
      if (!next) return move.apply(this, arguments);
      const stays = !masked && !page.documents && !renamed.includes(bare(next.pathname));
      if (stays || isHere(next)) return move.call(this, state, title, next.href);
      // The router draws that page here, too; who comes back to this one gets it anew.
      addEventListener("pageshow", (event) => event.persisted && location.reload());
      location.assign(next);
    };
  // A link to another page loads it; a link within the page is the browser's own business.
  const pressed = (event) => {
    const link = event.composedPath().find((node) => node.localName === "a" && node.href);
    const isPage = link?.origin === location.origin && !link.download && !/\.(?!html?$)[a-z]\w+$/i.test(link.pathname);
    return isPage && read(link, "href") !== "#" && link;
  };
  // What a link leads to that was pressed before.
  const settled = new WeakMap();
  const leads = (link) =>
    link.hreflang || settled.get(link) === link.href || link.closest("[data-latimer-switcher]")
      ? new URL(link.href)
      : address(link.href);
  const isHeld = (link) => link && /^(_self)?$/.test(link.target);
  const follow = safe((event) => {
    const link = pressed(event);
    const special = event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (special || !isHeld(link)) return;
    const written = read(link, "href");
    const next = leads(link);
    if (isHere(next) && !next.hash && !masked) return;
    event.stopImmediatePropagation();
    if (written.startsWith("#")) return;
    event.preventDefault();
    location.assign(next);
  });
  const { replaceState } = History.prototype;
  const show = (path) => replaceState.call(history, history.state, "", path + location.search + location.hash);
  if (masked || page.documents) addEventListener("click", follow, true);
  // What is opened in another tab or copied goes by what the link says.
  const settle = safe((event) => {
    const link = pressed(event);
    const next = isHeld(link) && !read(link, "href").startsWith("#") && leads(link).href;
    if (!next || next === link.href) return;
    link.href = next;
    settled.set(link, next);
  });
  if (masked) addEventListener("pointerdown", settle, true);
  // A search asks for its index where the source's paths begin: in a worker, or here.
  if (page.index) {
    const sending = (send) =>
      function (message) {
        const [base] = (/^(fetchIndexes|search)$/.test(message?.path?.[0]) && message.argumentList) || [];
        if (base?.value === from && !over) base.value = to;
        return send.apply(this, arguments);
      };
    wrap(Worker, "postMessage", sending);
    wrap(MessagePort, "postMessage", sending);
    wrap(
      { prototype: window },
      "fetch",
      (ask) =>
        function (asked) {
          const start = from + "search-index";
          if (("" + asked).startsWith(start) && !over) arguments[0] = to + asked.slice(from.length);
          return ask.apply(this, arguments);
        },
    );
  }
  if (renames || page.documents) {
    wrap(History, "pushState", moving);
    wrap(History, "replaceState", moving);
  }
  if (masked) {
    show(meant);
    let here;
    const passing = safe((event) => {
      if (!started) return;
      event.stopImmediatePropagation();
      at() === here || location.reload();
    });
    addEventListener("popstate", passing, true);
    addEventListener("hashchange", passing, true);
    const giveBack = safe(() => {
      started = true;
      show(at() === bare(meant) ? real : localized(location.pathname));
      here = at();
    });
    undo.push(() => started || show(real));
    // What a framework has begun, it may finish in a later task, and a router looks at the address there once more.
    const idle = window.requestIdleCallback ?? setTimeout;
    // React says on the root when it begins; others have begun by then.
    const begins = (root) => Object.keys(root).some((key) => key.startsWith("__react"));
    const wait = safe((left) => {
      const begun = !page.waits || !left || [document, ...document.querySelectorAll("body > *")].some(begins);
      setTimeout(() => (begun ? idle(giveBack, { timeout: 2000 }) : wait(left - 1)), 50);
    });
    addEventListener("load", () => wait(60));
  }
};
