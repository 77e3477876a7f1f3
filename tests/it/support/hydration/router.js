// A router as applications have one: it goes by the path, and has a page of its own for a path that it does not know.

const pages = {
  "/": { name: "home", title: "Bread from Tern Street" },
  "/menu": { name: "menu", title: "What we sell today" },
};
const missing = { name: "missing", title: "Page not found" };

const pageAt = (path) => pages[path.replace(/(\/|\/index\.html|\.html)$/, "") || "/"] ?? missing;
export const addresses = Object.keys(pages);
export const titleOf = (path) => pageAt(path).title;
export const nameOf = (path) => pageAt(path).name;

// Shows the page of the address whenever that changes.
export function start(show) {
  const go = () => {
    document.title = titleOf(location.pathname);
    show(nameOf(location.pathname));
  };
  addEventListener("popstate", go);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || link.origin !== location.origin || event.button || event.ctrlKey) return;
    // The browser goes to a place on the same page by itself.
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    go();
  });
}
