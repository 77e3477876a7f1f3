//! What refers to what: alternates, sitemaps, robots.txt, headers and pages for what is not found name the same
//! published pages, and nothing else does (HTML.md R-C1 to R-C9). Exceptions of law 4 are `keep` pages, versions and addresses that
//! the author wrote, and language links to a home page.
//!
//! One file: one judge of all references.

use std::collections::BTreeMap;

use crate::support::pages::{attribute, attributes};
use crate::support::web::Server;
use crate::support::{self, Site, assert_same, files};

const PATTERN: &str =
    "locales = [\"es\", \"ar\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n";

const PAGES: [(&str, &str); 4] = [
    (
        "index.html",
        "<!doctype html><html lang=en><title>Heron bakery</title><p>Bread every day <a href=/about/>About</a>",
    ),
    (
        "about/index.html",
        "<!doctype html><html lang=en><title>About us</title><p>We bake <a href=../>Home</a>",
    ),
    (
        "feed.xml",
        "<rss version=\"2.0\"><channel><title>Bread news</title><link>https://www.example.com/</link></channel></rss>",
    ),
    (
        "robots.txt",
        "User-agent: *\nDisallow: /internal/\nSitemap: https://www.example.com/sitemap.xml\n",
    ),
];

fn site(keys: &str) -> Site {
    Site::new(&format!("{PATTERN}{keys}"), &PAGES)
}

fn alternates(html: &str) -> BTreeMap<String, String> {
    let all = |name| attributes(html, "link[rel=alternate][hreflang]", name);
    all("hreflang").into_iter().zip(all("href")).collect()
}

#[test]
fn x_default_is_the_same_on_every_version_and_in_the_sitemaps_r_c4() {
    for (keys, expected) in [
        ("", None),
        (
            "x_default = \"es\"",
            Some("https://www.example.com/es/about/"),
        ),
    ] {
        let site = site(keys);
        site.build(&[], 0);
        for tree in ["en", "es", "ar"] {
            let found = alternates(&site.read(&format!("dist/site/{tree}/about/index.html")));
            assert_eq!(
                found.get("x-default").map(String::as_str),
                expected,
                "{tree}"
            );
            assert_eq!(found.len(), 3 + usize::from(expected.is_some()));
            let sitemap = site.read(&format!("dist/site/{tree}/sitemap.xml"));
            assert_eq!(
                sitemap.matches("x-default").count(),
                2 * usize::from(expected.is_some()),
                "{sitemap}"
            );
        }
    }
    site("x_default = \"fr\"")
        .run(&["build"])
        .failed(2, &["latimer.toml:", "`x_default`", "one of `locales`"]);
}

#[test]
fn robots_txt_names_every_sitemap_and_keeps_what_it_said() {
    let site = site("");
    site.build(&[], 0);
    let expected = format!(
        "{}\n{}",
        PAGES[3].1.replace(
            "Sitemap",
            "Disallow: /ar/internal/\nDisallow: /es/internal/\nSitemap"
        ),
        "Sitemap: https://www.example.com/ar/sitemap.xml\nSitemap: https://www.example.com/es/sitemap.xml\n"
    );
    assert_eq!(site.read("dist/site/robots.txt"), expected);
    assert_eq!(site.run(&["locale", "site", "ar", "off"]).code, 0);
    assert!(!site.read("dist/site/robots.txt").contains("/ar/"));
}

#[test]
fn files_that_are_no_pages_name_their_versions_in_a_header_r_c1() {
    let site = site("");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    let versions = "<https://www.example.com/ar/feed.xml>; rel=\"alternate\"; hreflang=\"ar\", \
                    <https://www.example.com/feed.xml>; rel=\"alternate\"; hreflang=\"en\", \
                    <https://www.example.com/es/feed.xml>; rel=\"alternate\"; hreflang=\"es\"";
    for (path, own) in [("/feed.xml", "feed.xml"), ("/es/feed.xml", "es/feed.xml")] {
        let link = server.get(path).headers.get("link").cloned();
        assert_eq!(
            link,
            Some(format!(
                "<https://www.example.com/{own}>; rel=\"canonical\", {versions}"
            )),
            "{path}"
        );
    }
    assert_eq!(server.get("/es/about/").headers.get("link"), None);
}

#[test]
fn a_language_without_words_of_ours_gets_english_and_the_build_says_so() {
    let site = Site::new(
        "locales = [\"es\", \"ru\", \"en-XA\"]\nengine = \"pseudo\"\n",
        &[("index.html", "<title>Bread</title><p>Rye")],
    );
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(
        notices.contains("the page for what is not found is in English in ru: "),
        "{notices}"
    );
    let html = site.read("dist/site/ru/404.html");
    assert!(
        html.contains("<html lang=\"ru\"") && html.contains("<div lang=\"en\" dir=\"ltr\">"),
        "{html}"
    );
    assert!(html.contains("<h1>Page not found</h1>"), "{html}");
    site.write("source/404.html", "<title>Gone</title><p>Gone");
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(!notices.contains("is in English"), "{notices}");
}

#[test]
fn what_is_not_found_is_said_in_the_readers_language_and_nothing_refers_to_it() {
    let own = "<!doctype html><html lang=en><title>Not here</title><p>Nothing baked here</html>";
    for page in [None, Some(own)] {
        let site = site("");
        page.into_iter()
            .for_each(|html| site.write("source/404.html", html));
        site.build(&[], 0);
        let server = Server::start(site.folder());
        for (locale, direction, heading) in [
            ("es", "ltr", "<h1>Página no encontrada</h1>"),
            ("ar", "rtl", "<h1>الصفحة غير موجودة</h1>"),
        ] {
            let answer = server.get(&format!("/{locale}/nowhere/at/all"));
            assert_eq!(answer.status, 404);
            let html = answer.text();
            assert_eq!(
                attribute(html, "html", "lang").as_deref(),
                Some(locale),
                "{html}"
            );
            assert_eq!(
                attribute(html, "html", "dir").unwrap_or("ltr".into()),
                direction
            );
            assert_eq!(
                attribute(html, "meta[name=robots]", "content").as_deref(),
                Some("noindex")
            );
            assert!(
                alternates(html).is_empty()
                    && attribute(html, "link[rel=canonical]", "href").is_none()
            );
            assert!(
                page.is_some() || attribute(html, "a", "href") == Some(format!("/{locale}/")),
                "{html}"
            );
            assert!(page.is_none() || !html.contains("Not here"), "{html}");
            // With the words of the language come the site's title, the way home and the other languages.
            assert_eq!(html.contains(heading), page.is_none(), "{html}");
            assert!(
                html.contains("data-latimer-switcher") && html.contains("/_latimer/switcher."),
                "{html}"
            );
        }
        let named = site
            .objects()
            .into_iter()
            .filter(|(name, _)| name.ends_with("sitemap.xml"));
        let named: Vec<String> = named
            .filter(|(_, text)| String::from_utf8_lossy(text).contains("404"))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(named, Vec::<String>::new());
        let source = server.get("/nowhere/at/all");
        let heading = "<h1>Page not found</h1>";
        assert_eq!(
            (source.status, source.text().contains(heading)),
            (404, page.is_none()),
            "{}",
            source.text()
        );
    }
}

#[test]
fn a_live_source_gets_what_makes_its_pages_name_their_versions_r_c2() {
    let origin = site("");
    origin.build(&[], 0);
    let web = Server::start(origin.folder());
    let keys = "locales = [\"fr\"]\nengine = \"pseudo\"\nurl = \"https://{lang}.example.com\"\n\
                source_url = \"https://example.com\"\nexclude = [\"/es/**\", \"/ar/**\"]\n\
                [site.crawl]\nallow_private = true\n";
    let site = Site::new("", &[]);
    site.write(
        "latimer.toml",
        &format!(
            "[[site]]\nid = \"site\"\nsource = \"http://{}/\"\nsource_locale = \"en\"\n{keys}",
            web.address
        ),
    );
    let report = site.build(&[], 0);
    let sitemap = site.read("dist/site/fr/_latimer/source-sitemap.xml");
    assert_eq!(
        sitemap.matches("<loc>https://example.com/").count(),
        2,
        "{sitemap}"
    );
    assert_eq!(
        sitemap
            .matches("hreflang=\"fr\" href=\"https://fr.example.com/")
            .count(),
        2,
        "{sitemap}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&site.read("dist/site/fr/_latimer/alternates.json")).unwrap();
    assert_eq!(json["/about/"][1]["href"], "https://fr.example.com/about/");
    assert_eq!(
        site.read("dist/site/fr/robots.txt"),
        "User-agent: *\nDisallow: /internal/\nDisallow: /ar/internal/\nDisallow: /es/internal/\n\n\
         Sitemap: https://fr.example.com/sitemap.xml\n"
    );
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("`Sitemap: https://fr.example.com/_latimer/source-sitemap.xml`"),
        "{notices}"
    );
}

/// A site whose pages all name each other, with files of every kind.
fn bakery() -> Site {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    site
}

#[test]
fn a_locale_that_is_off_leaves_no_trace_and_comes_back_as_it_was() {
    let site = bakery();
    let live = |site: &Site| {
        let mut live = files(&site.path("dist/bakery"));
        live.retain(|name, _| !name.starts_with("_deployments/") && !name.starts_with("_sources/"));
        live
    };
    let before = live(&site);
    assert_eq!(site.run(&["locale", "bakery", "ja", "off"]).code, 0);
    let off = live(&site);
    let own = "日本語";
    for (name, body) in &off {
        let text = String::from_utf8_lossy(body);
        assert!(!name.starts_with("ja/"), "{name}");
        for trace in ["/ja/", "hreflang=\"ja\"", "lang=\"ja\"", "ja_JP", own] {
            assert!(!text.contains(trace), "{name} holds {trace}");
        }
    }
    let server = Server::start(site.folder());
    for name in off
        .keys()
        .filter(|name| !name.ends_with(".br") && !name.ends_with(".gz"))
    {
        let path = name.strip_prefix("en").unwrap_or(name);
        let path = format!(
            "/{}",
            path.trim_start_matches('/').trim_end_matches("index.html")
        );
        let answer = server.get(&path);
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("/ja/"),
            "{path}"
        );
        assert!(
            answer.headers.values().all(|value| !value.contains("/ja/")),
            "{path}"
        );
    }
    let gone = server.get("/ja/menu/");
    assert_eq!(
        (
            gone.status,
            gone.headers.get("location").map(String::as_str)
        ),
        (307, Some("/menu/"))
    );
    drop(server);
    assert_eq!(site.run(&["locale", "bakery", "ja", "on"]).code, 0);
    assert_same(&live(&site), &before);
}

#[test]
fn links_and_files_are_right_under_every_kind_of_address() {
    let page = "<!doctype html><html lang=en><head><link rel=stylesheet href=/css/a.css></head>\
                <p>Read <a href=/about/>about us</a> or <a href=about/>this</a> <img src=img/x.png alt=Bread></p></html>";
    let pages = [
        ("index.html", page),
        ("about/index.html", "<p>We bake <a href=\"../\">home</a>"),
        ("css/a.css", "p{}"),
        ("img/x.png", "x"),
    ];
    for (url, host, prefix, absolute) in [
        (
            "url = \"https://www.example.com/{lang}\"",
            "www.example.com",
            "/es",
            Some("https://www.example.com/es/about/"),
        ),
        (
            "url = \"https://{lang}.example.com\"",
            "es.example.com",
            "",
            Some("https://es.example.com/about/"),
        ),
        ("", "anything.example", "/es", None),
    ] {
        let site = Site::new(
            &format!("locales = [\"es\"]\nengine = \"pseudo\"\n{url}"),
            &pages,
        );
        site.build(&[], 0);
        let server = Server::start(site.folder());
        let ask = |path: &str| get_from(&server.address, host, path);
        let html = ask(&format!("{prefix}/"));
        let hrefs = attributes(&html, "p > a", "href");
        assert_eq!(
            hrefs,
            [format!("{prefix}/about/"), "about/".to_owned()],
            "{url}"
        );
        for path in hrefs.iter().map(|href| {
            if href.starts_with('/') {
                href.clone()
            } else {
                format!("{prefix}/{href}")
            }
        }) {
            assert!(ask(&path).contains("lang=\"es\""), "{url} {path}");
        }
        for (selector, name) in [("head link[rel=stylesheet]", "href"), ("img", "src")] {
            let address = attribute(&html, selector, name).unwrap();
            let path = if address.starts_with('/') {
                address
            } else {
                format!("{prefix}/{address}")
            };
            assert!(!ask(&path).starts_with("there is no page"), "{url} {path}");
        }
        let canonical = attribute(
            &ask(&format!("{prefix}/about/")),
            "link[rel=canonical]",
            "href",
        );
        assert_eq!(canonical.as_deref(), absolute, "{url}");
    }
}

/// The body of an answer of a host.
fn get_from(address: &str, host: &str, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let answer = support::web::exchange(address, request.as_bytes());
    answer
        .split_once("\r\n\r\n")
        .map_or(String::new(), |(_, body)| body.to_owned())
}

#[test]
fn a_notice_in_the_place_of_a_page_is_named_by_nobody_r_c6() {
    let keys = "locales = [\"es\"]\nengine = \"fx\"\nmissing = \"notice\"\ntranslations = \"{lang}.po\"\n\
                url = \"https://www.example.com/{lang}\"";
    let site = Site::new(keys, &PAGES);
    site.write("es.po", "msgid \"Heron bakery\"\nmsgstr \"Panadería\"\n\nmsgid \"Bread every day <g id=\\\"1\\\">About</g>\"\nmsgstr \"Pan cada día <g id=\\\"1\\\">Sobre</g>\"\n");
    site.build(&[], 0);
    let notice = site.read("dist/site/es/about/index.html");
    assert_eq!(
        attribute(&notice, "meta[name=robots]", "content").as_deref(),
        Some("noindex"),
        "{notice}"
    );
    assert_eq!(
        attribute(&notice, "link[rel=canonical]", "href").as_deref(),
        Some("https://www.example.com/about/")
    );
    assert_eq!(
        attribute(&notice, "html", "lang").as_deref(),
        Some("en"),
        "the words are the source's"
    );
    assert!(
        attribute(&notice, ".latimer-notice", "role").is_some() && alternates(&notice).is_empty(),
        "{notice}"
    );
    assert_eq!(
        alternates(&site.read("dist/site/en/about/index.html"))
            .into_keys()
            .collect::<Vec<_>>(),
        ["en"]
    );
    assert!(!site.read("dist/site/es/sitemap.xml").contains("/about/"));
    let home = site.read("dist/site/es/index.html");
    assert_eq!(
        attribute(&home, "p > a", "href").as_deref(),
        Some("/es/about/"),
        "readers stay in their language"
    );
    assert_eq!(alternates(&home).len(), 2);
    assert_eq!(
        attribute(
            &notice,
            "[data-latimer-switcher] a[hreflang=es]",
            "aria-current"
        )
        .as_deref(),
        Some("page")
    );
}

#[test]
fn a_page_without_a_public_address_is_not_called_a_copy_of_its_source_r_c5() {
    let page = "<!doctype html><html lang=en><title>Bread</title><link rel=canonical href=https://www.example.com/a.html>\
                <meta property=og:url content=https://www.example.com/a.html><p>Fresh";
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"pseudo\"\n",
        &[("a.html", page), ("b.html", "<title>Plain</title>")],
    );
    site.build(&[], 0);
    for (tree, address) in [
        ("en", "https://www.example.com/a.html"),
        ("es", "/es/a.html"),
    ] {
        let html = site.read(&format!("dist/site/{tree}/a.html"));
        assert_eq!(attributes(&html, "link[rel=canonical]", "href"), [address]);
        assert!(
            attributes(
                &site.read(&format!("dist/site/{tree}/b.html")),
                "link[rel=canonical]",
                "href"
            )
            .is_empty()
        );
    }
}

#[test]
fn a_page_that_sends_its_readers_elsewhere_is_in_no_list() {
    let site = site("");
    let page = "<!doctype html><html lang=en><meta http-equiv=refresh content=\"0; url=about/\"><title>Moved away</title><p>Gone";
    site.write("source/old.html", page);
    site.write("source/live.html", &page.replace("about/", "live.html"));
    // A page that waits is read before it is left.
    site.write("source/slow.html", &page.replace("\"0; url", "\"5; url"));
    site.write(
        "source/late.html",
        &page.replace("\"0; url=about/\"", "'10;URL=about/'"),
    );
    site.build(&[], 0);
    for tree in ["en", "es"] {
        assert!(alternates(&site.read(&format!("dist/site/{tree}/old.html"))).is_empty());
        assert_eq!(
            alternates(&site.read(&format!("dist/site/{tree}/live.html"))).len(),
            3
        );
        let sitemap = site.read(&format!("dist/site/{tree}/sitemap.xml"));
        assert!(
            !sitemap.contains("old.html") && sitemap.contains("live.html"),
            "{sitemap}"
        );
        assert!(
            sitemap.contains("slow.html") && sitemap.contains("late.html"),
            "{sitemap}"
        );
    }
}

#[test]
fn links_that_share_a_page_share_the_version() {
    let share = "https%3A%2F%2Fwww.example.com%2Fabout%2F";
    let links = [
        (
            format!("https://social.example/sharer.php?u={share}&t=Bread"),
            "https%3A%2F%2Fwww.example.com%2Fes%2Fabout%2F&t=Bread",
        ),
        (
            format!("mailto:?subject=Bread&body=Look:%20{share}%20soon"),
            "Look:%20https%3A%2F%2Fwww.example.com%2Fes%2Fabout%2F%20soon",
        ),
        (
            "https://wa.example/?text=https://www.example.com/about/#top".to_owned(),
            "text=https://www.example.com/es/about/#top",
        ),
        (
            "https://s.example/?u=https%3a%2f%2fwww.example.com%2fabout%2f%3Fpage%3D2".to_owned(),
            "about%2F%3Fpage%3D2",
        ),
        // Other sites, files and pages that nobody has stay as they are.
        (
            "https://s.example/?u=https%3A%2F%2Fother.example%2Fabout%2F".to_owned(),
            "other.example%2Fabout%2F",
        ),
        (
            "https://s.example/?u=https%3A%2F%2Fwww.example.com%2Fx.png".to_owned(),
            "www.example.com%2Fx.png",
        ),
        (
            "https://s.example/about/".to_owned(),
            "https://s.example/about/",
        ),
    ];
    let anchors: String = links
        .iter()
        .map(|(link, _)| format!("<a href=\"{}\">x</a>", link.replace('&', "&amp;")))
        .collect();
    let site = site("");
    site.write(
        "source/share.html",
        &format!("<!doctype html><html lang=en><title>Share</title><p>Share bread {anchors}"),
    );
    site.build(&[], 0);
    let found = attributes(&site.read("dist/site/es/share.html"), "p a", "href");
    for (found, (_, wanted)) in found.iter().zip(&links) {
        assert!(
            found.ends_with(wanted) || found.contains(wanted),
            "{found} is not {wanted}"
        );
    }
}
