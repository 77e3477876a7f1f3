// How readers use the search of each generator's sites: each types a word and gives the titles and links that are found.

// Waits until what is found stays the same for a moment.
async function settled(page, selector, title = null) {
  const read = () =>
    page.$$eval(
      selector,
      (links, title) =>
        links.map((link) => ({
          title: (title ? (link.querySelector(title) ?? link) : link).textContent.trim(),
          href: link.href,
        })),
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

export const searches = {
  sphinx,
  material,
  mkdocs,
  mdbook,
  // Where the site's own program cannot cut the words of a language apart.
  lacks: { mkdocs: ["ja"] },
};
