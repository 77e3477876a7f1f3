// How readers use the search of each generator's sites: each types a word and gives the titles and links that are found.

// Waits until what is found stays the same for a moment.
async function settled(page, selector, title = null) {
  const read = () =>
    page.$$eval(
      selector,
      (links, title) =>
        links.map((link) => {
          // What a reader presses, copies or opens in another tab.
          link.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, composed: true }));
          return { title: (title ? (link.querySelector(title) ?? link) : link).textContent.trim(), href: link.href };
        }),
      title,
    );
  let before = "";
  for (let tries = 0; tries < 24; tries++) {
    await new Promise((done) => setTimeout(done, 250));
    const found = await read();
    if (found.length > 0 && JSON.stringify(found) === before) return found;
    before = JSON.stringify(found);
  }
  return [];
}

// Types into a field that may be hidden until its search is opened.
async function type(page, selector, word) {
  await page.waitForSelector(selector);
  await page.focus(selector);
  await page.keyboard.type(word);
  // Letters that no key of this keyboard has come without the event that some searches wait for.
  await page.keyboard.press("End");
}

async function sphinx(page, word) {
  await type(page, "form[action*='search'] input[name=q]", word);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  return settled(page, "#search-results ul.search li > a");
}

async function material(page, word) {
  await page.waitForSelector("[data-md-component=search-query]");
  await page.evaluate(() => document.querySelector("#__search").click());
  await new Promise((done) => setTimeout(done, 300));
  await type(page, "[data-md-component=search-query]", word);
  return settled(page, ".md-search-result__list a.md-search-result__link", "h1, h2");
}

async function mkdocs(page, word) {
  await page.goto(`${page.url()}?q=${encodeURIComponent(word)}`, { waitUntil: "load" });
  return settled(page, "#mkdocs-search-results article h3 a");
}

async function mdbook(page, word) {
  await page.click("#mdbook-search-toggle, #search-toggle");
  await new Promise((done) => setTimeout(done, 300));
  await type(page, "#mdbook-searchbar, #searchbar", word);
  return settled(page, "#mdbook-searchresults a, #searchresults a");
}

async function vitepress(page, word) {
  await page.waitForSelector("#local-search button");
  // Until the application has started, nobody hears the click.
  await new Promise((done) => setTimeout(done, 500));
  await page.click("#local-search button");
  await type(page, "#localsearch-input", word);
  return settled(page, "#localsearch-list a.result", ".title.main");
}

async function docusaurus(page, word) {
  // The list under its field has no links, its page of results has. Until the application has started, the page has
  // another address.
  await new Promise((done) => setTimeout(done, 500));
  await page.goto(new URL(`search?q=${encodeURIComponent(word)}`, page.url()).href, { waitUntil: "load" });
  return settled(page, "[class*=searchResultItem] h2 a");
}

async function zensical(page, word) {
  await page.waitForSelector(".md-search__button");
  await new Promise((done) => setTimeout(done, 500));
  await page.evaluate(() => document.querySelector(".md-search__button").click());
  await new Promise((done) => setTimeout(done, 500));
  await page.keyboard.type(word);
  await page.keyboard.press("End");
  return settled(page, "pierce/a[role=option]", "h2");
}

async function starlight(page, word) {
  await page.waitForSelector("site-search button[data-open-modal]:not([disabled])");
  await new Promise((done) => setTimeout(done, 500));
  await page.click("site-search button[data-open-modal]");
  await type(page, ".pagefind-ui__search-input", word);
  return settled(page, ".pagefind-ui__result-title a.pagefind-ui__result-link");
}

export const searches = {
  starlight,
  docusaurus,
  vitepress,
  sphinx,
  material,
  mkdocs,
  mdbook,
  zensical,
  // Where the site's own program cannot cut the words of a language apart.
  lacks: (name, tag) => tag === "ja" && ["mkdocs", "vitepress", "zensical"].includes(name),
};
