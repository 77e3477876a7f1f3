//! Changes of what pages are to each other: another language, a canonical address, a part of a page, a page that is published once.
//!
//! One file: one case for each relation between pages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pipeline::model::RenderCause;
use tempfile::TempDir;

use super::build_both;
use super::cases::{SETTINGS, same};
use super::causes::write;
use crate::crawl::origin::{Answer, Origin};

/// All of them, on one site each.
pub(super) async fn run_all() {
    run_pages_in_another_language().await;
    run_pages_of_another_address().await;
    run_parts_of_pages().await;
    run_kept_pages().await;
    run_written_versions().await;
    run_addresses_of_versions().await;
    run_spellings_of_addresses().await;
    run_files_by_query().await;
    run_sealed_elements().await;
    run_files_of_programs().await;
    run_files_of_languages().await;
    run_sheets_for_right_to_left().await;
    run_names_of_sites().await;
}

/// Names of a site come and go with one page, and change the words of others (R-N2).
async fn run_names_of_sites() {
    let settings = SETTINGS.replace("\"pseudo\"", "\"own\"");
    let engine = "[engine.own]\nkind = \"command\"\nprogram = \"sed\"\nargs = [\"-u\", 's/Harbor/Puerto/g; s/bread/pan/g; s/\"text\":\"/&¡/']\n";
    let folder = site(&(settings + engine));
    let root = folder.path();
    let put = |name: &str, title: &str, text: &str| {
        let html = format!("<!doctype html><html lang=en><title>{title}</title>{text}");
        write(root, &format!("source/{name}.html"), &html);
    };
    put("index", "Home", "<p>Our bread is new each day");
    put(
        "bread",
        "Rolls | Harbor Lane",
        "<p>You find bread at Harbor Lane each day",
    );
    put("butter", "Butter", "<p>Some bread and butter for all");
    put("more", "More", "<p>Nothing but butter for you");
    same(root, "the first").await;
    put("butter", "Butter", "<p>Some bread and more butter for all");
    same(root, "another text").await;
    put(
        "butter",
        "Butter",
        "<meta property=og:site_name content='Harbor Lane'><p>Some bread and more butter for all",
    );
    let [some, _] = build_both(root, "a name of a head comes").await;
    // The other page that has the name, in two languages, and the changed one.
    assert_eq!(
        some.versions
            .iter()
            .filter(|version| version.cause == RenderCause::Words)
            .count(),
        2,
        "{some:?}"
    );
    put("butter", "Butter", "<p>Some bread and more butter for all");
    same(root, "it goes").await;
    put(
        "index",
        "Home | Harbor Lane",
        "<p>Our bread is new each day",
    );
    same(root, "a name of titles comes").await;
    put(
        "more",
        "More",
        "<meta property=og:site_name content=Harbor><p>We sail from Harbor to you",
    );
    same(root, "a name of one word").await;
    put(
        "more",
        "More",
        "<meta property=og:site_name content=Harbor><p>We sail from the harbor to you",
    );
    same(root, "its page writes it small").await;
    std::fs::remove_file(root.join("source/butter.html")).unwrap();
    same(root, "a page with a name goes").await;
}

/// A folder for a site with these settings.
fn site(settings: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "latimer.toml", settings);
    folder
}

/// An origin that gives the answers of a map, which may change.
pub(super) async fn origin_of(said: &Arc<Mutex<BTreeMap<String, Answer>>>) -> Origin {
    let said = Arc::clone(said);
    Origin::start(move |target, _| {
        said.lock()
            .unwrap()
            .get(target)
            .cloned()
            .unwrap_or_else(|| Answer::status(404))
    })
    .await
}

/// Files whose addresses differ by their queries alone have the same bytes, and others.
async fn run_files_by_query() {
    let answers = |second: &'static str| {
        let page =
            "<!doctype html><html lang=en><p>We bake <img src=/a.png?id=1><img src=/a.png?id=2>";
        let picture = |bytes: &'static str| Answer::page(bytes).with("content-type", "image/png");
        let pages = [
            ("/", Answer::page(page)),
            ("/a.png?id=1", picture("one")),
            ("/a.png?id=2", picture(second)),
        ];
        pages
            .into_iter()
            .map(|(path, answer)| (path.to_owned(), answer))
            .collect::<BTreeMap<_, _>>()
    };
    let said = Arc::new(Mutex::new(answers("two")));
    let origin = origin_of(&said).await;
    let settings = SETTINGS.replace("\"source\"", &format!("\"{}\"", origin.url));
    let folder = site(&(settings + "crawl.allow_private = true\n"));
    let root = folder.path();
    same(root, "two files").await;
    *said.lock().unwrap() = answers("one");
    same(root, "one file").await;
    *said.lock().unwrap() = answers("three");
    same(root, "two files again").await;
}

/// One page or a sitemap decides how all pages are spelled.
async fn run_spellings_of_addresses() {
    let folder = site(SETTINGS);
    let root = folder.path();
    let put = |name: &str, head: &str, links: &str| {
        let html =
            format!("<!doctype html><html lang=en><title>{name}</title>{head}<p>We bake {links}");
        write(root, &format!("source/{name}.html"), &html);
    };
    put("index", "", "<a href=/about>About</a>");
    put("about", "", "<a href=/team>Team</a>");
    put("team", "", "");
    same(root, "links leave endings out").await;
    put("team", "", "<a href=about.html>About</a>");
    same(root, "one does not").await;
    put(
        "more",
        "<link rel=canonical href=https://www.example.com/more>",
        "",
    );
    same(root, "a canonical address").await;
    let map = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://www.example.com/team.html</loc></url></urlset>";
    write(root, "source/sitemap.xml", map);
    same(root, "a sitemap disagrees").await;
    write(root, "source/sitemap.xml", &map.replace(".html", ""));
    same(root, "a sitemap agrees").await;
    write(
        root,
        "source/team/index.html",
        "<!doctype html><html lang=en><p>The team",
    );
    write(root, "source/about", "about");
    same(root, "a file has the address of a page").await;
}

/// Versions that the author wrote come, change and go, and take others with them whose words say too little.
async fn run_written_versions() {
    let folder = site(SETTINGS);
    let root = folder.path();
    let spanish = "Nuestra panadería hornea cada noche el pan de la mañana, y la masa reposa durante muchas horas.";
    let put = |name: &str, lang: &str, head: &str, text: &str| {
        let html = format!(
            "<!doctype html><html lang={lang}><title>Pan</title>{head}<p>{text}</p><a href=/about.html>a</a>"
        );
        write(root, &format!("source/{name}.html"), &html);
    };
    let names = "<link rel=alternate hreflang=es href=/es/sobre.html>";
    put(
        "index",
        "en",
        "",
        "We bake at night <a href=/es/sobre.html>Sobre</a>",
    );
    put("about", "en", names, "About the bakery");
    put("more", "en", "", "More of the bakery");
    put("short", "en", "", "About the bakery");
    same(root, "the first").await;
    put("es/sobre", "es", "", spanish);
    same(root, "a version that another page names").await;
    put("es/short", "en", "", "Pan");
    put("es/more", "es", "", spanish);
    same(root, "one by its path, and one by its folder").await;
    put("es/more", "es", "", &spanish.replace("noche", "tarde"));
    same(root, "its words").await;
    put("about", "en", "", "About the bakery");
    same(root, "nobody names it").await;
    std::fs::remove_file(root.join("source/es/more.html")).unwrap();
    put("about", "en", names, "About the bakery");
    same(root, "one that goes").await;
}

/// A page that is kept takes the place of a version, and a feed that of another.
async fn run_addresses_of_versions() {
    let folder = site(&SETTINGS.replace("id = ", "keep = [\"/es/kept.html\"]\nid = "));
    let root = folder.path();
    let feed = |title: &str| {
        format!(
            "<rss version=\"2.0\"><channel><title>{title}</title><link>/</link></channel></rss>"
        )
    };
    write(
        root,
        "source/index.html",
        "<!doctype html><html lang=en><p>We bake <a href=kept.html>Kept</a>",
    );
    write(
        root,
        "source/kept.html",
        "<!doctype html><html lang=en><p>Kept bread",
    );
    write(root, "source/feed.xml", &feed("News of bread"));
    same(root, "the first").await;
    write(
        root,
        "source/es/kept.html",
        "<!doctype html><html lang=en><p>As it is",
    );
    write(root, "source/es/feed.xml", &feed("Noticias"));
    same(
        root,
        "a kept page and a feed have the addresses of versions",
    )
    .await;
    std::fs::remove_file(root.join("source/es/kept.html")).unwrap();
    same(root, "the page goes").await;
}

/// Pages in another language are left as they are, until there are too many of them.
async fn run_pages_in_another_language() {
    let folder = site(SETTINGS);
    let root = folder.path();
    let german = "Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es am Morgen in den Ofen kommt.";
    let put = |name: &str, lang: &str, text: &str| {
        write(
            root,
            &format!("source/{name}.html"),
            &format!("<!doctype html><html lang={lang}><p>{text}</p>"),
        );
    };
    ["index", "a", "b", "c"]
        .into_iter()
        .for_each(|name| put(name, "en", "We bake at night"));
    put("brot", "de", german);
    same(root, "the first").await;
    put("a", "de", german);
    same(root, "too many").await;
    put("a", "en", "We bake at night");
    same(root, "not too many").await;
}

/// A host that pages name together with their own path is the site's own as soon as most pages name it.
async fn run_pages_of_another_address() {
    let folder = site(SETTINGS);
    let root = folder.path();
    let put = |name: &str, head: &str| {
        write(
            root,
            &format!("source/{name}.html"),
            &format!("<!doctype html><title>{name}</title>{head}<p>We bake"),
        );
    };
    put("index", "");
    for name in ["a", "b", "c"] {
        put(
            name,
            &format!("<link rel=canonical href=https://old.example/{name}.html>"),
        );
    }
    same(root, "most pages").await;
    for name in ["d", "e", "f"] {
        put(name, "");
    }
    same(root, "few pages").await;
    put(
        "a",
        "<link rel=alternate hreflang=pt href=https://example.pt/a>",
    );
    same(root, "a version that somebody else makes").await;
}

/// Fragments and framed pages are pages as soon as a link opens them.
async fn run_parts_of_pages() {
    let folder = site(SETTINGS);
    let root = folder.path();
    let put = |name: &str, body: &str| {
        write(
            root,
            &format!("source/{name}.html"),
            &format!("<!doctype html><html lang=en><p>{name}</p>{body}</html>"),
        );
    };
    ["index", "about", "more", "hours", "menu"]
        .into_iter()
        .for_each(|name| put(name, ""));
    put("other", "<a href=menu.html>Menu</a>");
    same(root, "the first").await;
    write(root, "source/menu.html", "<ul><li>Rye bread</ul>");
    same(root, "a page that a link opens becomes a fragment").await;
    put("other", "");
    same(root, "no link opens it").await;
    put("more", "<iframe src=hours.html></iframe>");
    same(root, "a framed page").await;
    put(
        "about",
        "<a href=hours>Hours</a><a href=/menu.html>Menu</a>",
    );
    same(root, "links open both").await;
    write(
        root,
        "source/robots.txt",
        "User-agent: *\nDisallow: /about\n",
    );
    same(root, "a page that robots.txt forbids").await;
}

/// Pages without versions belong to the pages that they name, or that name them.
async fn run_kept_pages() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let settings = SETTINGS.replace(
        "[\"de\", \"es\"]",
        "[\"es\"]\nkeep = [\"/fr/**\"]\nexclude = [\"/out/**\"]",
    );
    write(root, "latimer.toml", &settings);
    let put = |name: &str, lang: &str, head: &str, body: &str| {
        let html = format!(
            "<!doctype html><html lang={lang}><title>{name}</title>{head}<p>We bake {body}"
        );
        write(root, &format!("source/{name}.html"), &html);
    };
    ["index", "about", "more"]
        .into_iter()
        .for_each(|name| put(name, "en", "", ""));
    put("fr/a", "fr", "", "");
    same(root, "the first").await;
    put(
        "fr/a",
        "fr",
        "<link rel=alternate hreflang=en href=/about.html>",
        "",
    );
    same(root, "it names a page").await;
    put(
        "fr/a",
        "pt",
        "<link rel=alternate hreflang=en href=/about.html>",
        "",
    );
    same(root, "in another language").await;
    put("fr/a", "pt", "", "");
    put(
        "more",
        "en",
        "<link rel=alternate hreflang=pt href=/fr/a.html>",
        "",
    );
    same(root, "another page names it").await;
    put("index", "en", "", "<a href=/out/a.html>out</a>");
    same(root, "a link to what is left out").await;
    put("about", "en", "", "again");
    same(root, "another page").await;
}

/// Elements that a policy allows by a hash stay as they are, and what they name is published with each language (R-S23).
async fn run_sealed_elements() {
    let folder = site(SETTINGS);
    let root = folder.path();
    // SHA-256 of "a{background:url(i/a.png)}".
    let hash = "'sha256-aZzko/BYAmVU3LLuMF6Sg8dP0UCM3hapfxYoNp3WpT4='";
    let put = |name: &str, head: &str| {
        write(
            root,
            &format!("source/{name}.html"),
            &format!("<!doctype html><title>{name}</title>{head}<p>We bake"),
        );
    };
    ["index", "sub/about", "more"]
        .into_iter()
        .for_each(|name| put(name, ""));
    put("sub/sealed", "<style>a{background:url(i/a.png)}</style>");
    put("sub/other", "<style>@import 's.css';</style>");
    same(root, "no policy").await;
    write(
        root,
        "source/_headers",
        &format!("/*\n  Content-Security-Policy: style-src 'self' {hash}\n"),
    );
    same(root, "a policy without the file").await;
    write(root, "source/sub/i/a.png", "a");
    same(root, "the file").await;
    write(root, "source/sub/s.css", "@import 't.css';");
    write(root, "source/sub/t.css", "a{background:url(i/b.png)}");
    write(root, "source/sub/i/b.png", "b");
    // SHA-256 of "@import 's.css';".
    let both = format!(
        "/*\n  Content-Security-Policy: style-src 'self' {hash} 'sha256-XhnsDb8q7XVrNBdZzNwjGd2nzRfOsqGMVQsQZsHn7PA='\n"
    );
    write(root, "source/_headers", &both);
    same(root, "a style sheet that names others").await;
    write(root, "source/sub/t.css", "a{}");
    same(root, "it names no more").await;
    put("sub/about", "<link rel=icon href=i/a.png>");
    same(root, "another page").await;
    std::fs::remove_file(root.join("source/_headers")).unwrap();
    same(root, "no policy again").await;
}

/// Addresses in programs and import maps count only if the site has what they name (R-S22).
async fn run_files_of_programs() {
    let folder = site(SETTINGS);
    let root = folder.path();
    let put = |name: &str, body: &str| {
        write(
            root,
            &format!("source/{name}.html"),
            &format!("<!doctype html><title>{name}</title><p>We bake{body}"),
        );
    };
    ["index", "more"].into_iter().for_each(|name| put(name, ""));
    put(
        "sub/a",
        "<script type=module>import './m.js'; fetch('part.html')</script><p data-href=b.pdf>x</p>",
    );
    put(
        "sub/b",
        "<script type=importmap>{\"imports\":{\"m\":\"./m.js\"}}</script>",
    );
    put(
        "c",
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"sub/d.html\"]}]}</script>",
    );
    same(root, "nothing is there").await;
    write(root, "source/sub/m.js", "//");
    same(root, "the module").await;
    write(root, "source/sub/part.html", "<p>A part");
    write(root, "source/sub/b.pdf", "x");
    same(root, "a fragment and a file").await;
    put("sub/d", "");
    same(root, "a page that may be loaded early").await;
    std::fs::remove_file(root.join("source/sub/m.js")).unwrap();
    same(root, "no module any more").await;
}

/// Files that a language has of its own come, change and go (R-S25).
async fn run_files_of_languages() {
    let folder = site(SETTINGS);
    let root = folder.path();
    let put = |name: &str, body: &str| {
        write(
            root,
            &format!("source/{name}.html"),
            &format!("<!doctype html><title>{name}</title><p>We bake{body}"),
        );
    };
    ["index", "more"].into_iter().for_each(|name| put(name, ""));
    put(
        "sub/a",
        "<img src=/hero.png><link rel=stylesheet href=/style.css>",
    );
    write(root, "source/hero.png", "en");
    write(root, "source/style.css", "p{}");
    same(root, "the first").await;
    write(root, "source/hero.es.png", "es");
    same(root, "a picture for one language").await;
    write(root, "own/hero.png", "own");
    write(
        root,
        "latimer.toml",
        &format!("{SETTINGS}[site.locale.de]\nfiles = \"own\"\n"),
    );
    same(root, "a folder for another").await;
    write(root, "own/a/b/c/d/e/f/style.css", "p{}");
    same(root, "a file deep in it").await;
    write(root, "own/a/b/c/d/e/f/style.css", "h1{}");
    same(root, "it changes").await;
    write(root, "own/style.css", "p{background:url(hero.png)}");
    same(root, "a style sheet").await;
    write(root, "own/page.html", "<!doctype html><p>A page");
    same(root, "a page is left out").await;
    std::fs::remove_file(root.join("own/hero.png")).unwrap();
    std::fs::remove_file(root.join("source/hero.es.png")).unwrap();
    same(root, "pictures go").await;
}

/// Style sheets for right-to-left languages come, change and go (R-S26).
async fn run_sheets_for_right_to_left() {
    let folder = site(&SETTINGS.replace("\"es\"", "\"ar\""));
    let root = folder.path();
    let put = |name: &str, head: &str| {
        write(
            root,
            &format!("source/{name}.html"),
            &format!("<!doctype html><title>{name}</title>{head}<p>We bake"),
        );
    };
    ["index", "more"].into_iter().for_each(|name| put(name, ""));
    put(
        "sub/a",
        "<link rel=stylesheet href=/style.css integrity=sha256-x>",
    );
    put("sub/b", "<link rel=stylesheet href=/theme/style.css>");
    write(root, "source/style.css", "p{}");
    write(
        root,
        "source/theme/style.css",
        "a{float:left;margin-left:0}b{float:left;margin-left:0}c{float:left}",
    );
    same(root, "the first").await;
    write(root, "source/theme/rtl.css", "p{}");
    same(root, "a sheet of a theme").await;
    write(root, "source/style-rtl.css", "p{}");
    same(root, "a sheet in place of another").await;
    write(root, "source/style-rtl.css", "p{direction:rtl}");
    same(root, "its bytes").await;
    std::fs::remove_file(root.join("source/style-rtl.css")).unwrap();
    std::fs::remove_file(root.join("source/theme/rtl.css")).unwrap();
    same(root, "both go").await;
}
