//! Fragments of pages, framed pages and proofs of ownership: what only a page may have stays away from them (R-S19).

use crate::support::origin::{Origin, Said};
use crate::support::{MARKING, Site};

const URL: &str =
    "url = \"https://www.example.com/{lang}\"\nlocales = [\"es\"]\nengine = \"marking\"\n";
const MENU: &str = "<ul class=\"menu\">\n<li><a href=\"/\">Start of the site</a></li>\n</ul>\n";

fn page(body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Bread</title></head><body><p>Bread and butter</p>{body}</body></html>"
    )
}

fn built(keys: &str, pages: &[(&str, String)]) -> Site {
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (*name, html.as_str()))
        .collect();
    let site = Site::new(&format!("{keys}{MARKING}"), &pages);
    site.build(&[], 0);
    site
}

fn object(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/{name}"))
}

fn switcher(html: &str) -> bool {
    html.contains("data-latimer-switcher")
}

#[test]
fn a_fragment_has_words_and_links_of_a_language_and_no_head_r_s19() {
    let scripts = "<div hx-get=/parts/news.html></div><div data-include=\"parts/note.html\"></div>\
        <div w3-include-html=/nav.html></div><turbo-frame id=t src=/parts/tea.html></turbo-frame><div data-include=yes></div>";
    let pages = [
        ("index.html", page(scripts)),
        ("nav.html", MENU.to_owned()),
        (
            "parts/news.html",
            "<p lang=en>News of today <code>x</code></p>".to_owned(),
        ),
        ("parts/note.html", "<p>A note</p>".to_owned()),
        (
            "parts/tea.html",
            "<turbo-frame id=t><p>Tea at five</p></turbo-frame>".to_owned(),
        ),
        (
            "parts/old.html",
            "<p>An old page <a href=/parts/older>older</a></p>".to_owned(),
        ),
        ("parts/older.html", "<p>An older page</p>".to_owned()),
    ];
    let site = built(URL, &pages);
    for (name, html) in &pages[1..] {
        if *name == "parts/older.html" {
            // A link opens it, so it is a page.
            assert!(
                switcher(&object(&site, "es/parts/older.html"))
                    && switcher(&object(&site, "en/parts/older.html"))
            );
            continue;
        }
        assert_eq!(object(&site, &format!("en/{name}")), *html, "{name}");
        let version = object(&site, &format!("es/{name}"));
        for foreign in ["<html", "<meta", "<link", "<script", "latimer"] {
            assert!(
                !version.contains(foreign),
                "{name} has {foreign}: {version}"
            );
        }
    }
    assert_eq!(
        object(&site, "es/nav.html"),
        MENU.replace("href=\"/\"", "href=\"/es/\"")
            .replace("Start", "¡Start")
    );
    assert_eq!(
        object(&site, "es/parts/news.html"),
        "<p lang=es>¡News of today <code>x</code></p>"
    );
    let home = object(&site, "es/index.html");
    for address in [
        "hx-get=/es/parts/news.html",
        "w3-include-html=/es/nav.html",
        "src=/es/parts/tea.html",
    ] {
        assert!(home.contains(address), "{address}: {home}");
    }
    let sitemap: String = site
        .objects()
        .iter()
        .filter(|(name, _)| name.contains("sitemap"))
        .map(|(_, body)| String::from_utf8_lossy(body).into_owned())
        .collect();
    assert!(
        sitemap.contains("/es/parts/older")
            && !sitemap.contains("nav.html")
            && !sitemap.contains("news"),
        "{sitemap}"
    );
}

#[test]
fn a_fragment_becomes_a_page_when_a_link_opens_it_and_none_when_the_link_goes_r_s19() {
    let site = built(
        URL,
        &[
            ("index.html", page("")),
            ("nav.html", MENU.to_owned()),
            ("more.html", page("more")),
        ],
    );
    assert_eq!(object(&site, "en/nav.html"), MENU);
    site.write("source/more.html", &page("<a href=nav>The menu</a>"));
    site.build(&[], 0);
    assert!(switcher(&object(&site, "en/nav.html")) && switcher(&object(&site, "es/nav.html")));
    site.write("source/more.html", &page("no link"));
    site.build(&[], 0);
    assert_eq!(object(&site, "en/nav.html"), MENU);
    assert!(!switcher(&object(&site, "es/nav.html")));
}

#[test]
fn the_home_page_is_a_page_whatever_its_form_r_s19() {
    let site = built(
        URL,
        &[("index.html", "<p>Welcome to the bakery</p>".to_owned())],
    );
    assert!(switcher(&object(&site, "es/index.html")));
}

#[test]
fn a_page_that_is_only_shown_in_a_frame_has_no_switcher_r_s19() {
    let framed = [
        ("widget.html", false),
        ("map/index.html", false),
        ("both.html", true),
        ("alone.html", true),
    ];
    let frames = "<iframe src=/widget.html></iframe><iframe src=map/></iframe><iframe src=/both></iframe><a href=/both.html>Both</a>";
    let mut pages = vec![("index.html", page(frames))];
    pages.extend(framed.map(|(name, _)| (name, page(name))));
    let site = built(URL, &pages);
    for (name, expected) in framed {
        for locale in ["en", "es"] {
            assert_eq!(
                switcher(&object(&site, &format!("{locale}/{name}"))),
                expected,
                "{locale}/{name}"
            );
        }
    }
}

#[test]
fn proofs_of_ownership_keep_their_bytes_and_have_no_versions_r_s19() {
    let proofs = [
        (
            "google8d1c1c2f3b4a5e6d.html",
            "google-site-verification: google8d1c1c2f3b4a5e6d.html",
        ),
        (
            "yandex_0123456789abcdef.html",
            "<html>\n<head>\n<meta charset=UTF-8>\n</head>\n<body>Verification: 0123456789abcdef</body>\n</html>",
        ),
        ("zohoverify/verifyforzoho.html", "12345678"),
        (
            "0a1b2c3d4e5f.html",
            "<html><body>0a1b2c3d4e5f</body></html>",
        ),
        (".well-known/acme/x.html", "<h1>Words</h1>"),
        ("empty.html", ""),
    ];
    let home = page("<meta name=google-site-verification content=abc123>");
    let hosts = URL.replace("www.example.com/{lang}", "{lang}.example.com");
    for (url, places) in [(URL, [""].as_slice()), (&hosts, &["en/", "es/"])] {
        let mut pages = vec![("index.html", home.clone())];
        pages.extend(proofs.map(|(name, html)| (name, html.to_owned())));
        let site = built(url, &pages);
        let objects = site.objects();
        for (name, html) in proofs {
            let found: Vec<&String> = objects
                .keys()
                .filter(|key| key.ends_with(&format!("/{name}")))
                .collect();
            let expected: Vec<String> = places
                .iter()
                .map(|place| format!("site/{place}{name}"))
                .collect();
            assert_eq!(found, expected.iter().collect::<Vec<_>>());
            found.iter().for_each(|key| {
                assert_eq!(String::from_utf8_lossy(&objects[*key]), html, "{name}")
            });
        }
        assert!(
            switcher(&object(&site, "es/index.html")),
            "a verification in a page makes it no proof"
        );
    }
}

#[test]
fn a_crawl_takes_the_fragments_that_scripts_ask_for_r_s19() {
    let origin = Origin::start(|path| match path {
        "/" => Said::page(page(
            "<div hx-get=/parts/news></div><iframe src=/widget></iframe><a href=/key>Key</a>",
        )),
        "/parts/news" => Said::page("<p>News of the day</p>"),
        "/widget" => Said::page(page("Open at eight")),
        "/robots.txt" => Said::of_type("text/plain", "Sitemap: /map.xml\n"),
        "/map.xml" => Said::xml("<urlset><url><loc>/old</loc></url></urlset>"),
        "/old" => Said::page("<p>A page of old times"),
        "/key" => Said::page("loaderio-0123456789abcdef0123456789abcdef"),
        _ => Said::status(404),
    });
    let site = Site::new("", &[]);
    let keys = format!(
        "[[site]]\nid = \"site\"\nsource = \"{}\"\nsource_locale = \"en\"\n{URL}[site.crawl]\nallow_private = true\n{MARKING}",
        origin.address
    );
    site.write("latimer.toml", &keys);
    site.build(&[], 0);
    let before = site.objects();
    assert_eq!(
        object(&site, "es/parts/news.html"),
        "<p>¡News of the day</p>"
    );
    assert!(object(&site, "es/index.html").contains("hx-get=/es/parts/news"));
    assert!(
        !switcher(&object(&site, "es/widget.html")) && switcher(&object(&site, "es/index.html"))
    );
    let is_key = |name: &&String| name.ends_with("/key.html");
    let keys: Vec<&String> = before.keys().filter(is_key).collect();
    assert_eq!(keys.len(), 1, "{keys:?}");
    assert_eq!(
        before[keys[0]],
        b"loaderio-0123456789abcdef0123456789abcdef"
    );
    assert!(
        switcher(&object(&site, "es/old.html")),
        "a sitemap names it"
    );
    site.build(&["--rebuild"], 0);
    assert_eq!(
        object(&site, "es/parts/news.html"),
        "<p>¡News of the day</p>"
    );
}
