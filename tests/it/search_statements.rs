//! Authors' statements to search engines: kept in the source language, and equivalent in every other language (R-S1, R-S2).

use serde_json::Value;

use crate::support::Site;
use crate::support::pages::{attribute, attributes};

const KEYS: &str = "locales = [\"es\"]\nengine = \"pseudo\"\nmin_translated = 0\n\
                    url = \"https://www.example.com/{lang}\"\n";
const SITE: &str = "https://www.example.com";

fn page(head: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Home</title>{head}</head><body><p>Bread and butter</body></html>"
    )
}

fn site(keys: &str, heads: &[(&str, &str)]) -> (Site, Value) {
    let site = Site::new(&format!("{KEYS}{keys}"), &[]);
    for (name, head) in heads {
        site.write(&format!("source/{name}"), &page(head));
    }
    let report = site.build(&[], 0);
    (site, report)
}

/// The canonical address of a version; there is never more than one.
#[track_caller]
fn canonical(site: &Site, name: &str) -> String {
    let found = attributes(
        &site.read(&format!("dist/site/{name}")),
        "link[rel=canonical]",
        "href",
    );
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].clone()
}

fn alternates(site: &Site, name: &str) -> Vec<String> {
    attributes(
        &site.read(&format!("dist/site/{name}")),
        "link[rel=alternate][hreflang]",
        "hreflang",
    )
}

fn sitemaps(site: &Site) -> String {
    let files = site
        .objects()
        .into_iter()
        .filter(|(name, _)| name.ends_with(".xml") && !name.contains('_'));
    files
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect()
}

#[test]
fn a_canonical_address_of_another_page_is_that_of_its_version_r_s1() {
    let link = |address: &str| format!("<link rel=canonical href=\"{address}\">");
    let new = link("https://www.example.com/v2/");
    let pages = [
        ("index.html", String::new()),
        ("v2/index.html", new.clone()),
        (
            "v1/index.html",
            format!("{new}<meta property=\"og:url\" content=\"https://www.example.com/v2/\">"),
        ),
        ("relative/index.html", link("../v2/")),
        ("rooted.html", link("/v2/index.html")),
        (
            "other-spelling/index.html",
            link("https://www.example.com/other-spelling"),
        ),
        (
            "host.html",
            link("https://Elsewhere.example/article?id=1&amp;x=2"),
        ),
        ("two.html", format!("{}{new}", link("/v1/"))),
        ("twice.html", format!("{new}{new}")),
        ("unknown.html", link("https://www.example.com/not-crawled/")),
    ];
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, head)| (*name, head.as_str()))
        .collect();
    let (site, report) = site("", &pages);
    site.write(
        "source/body.html",
        "<!doctype html><p>Text<link rel=canonical href=/v2/>",
    );
    site.build(&[], 0);
    for (name, english, spanish) in [
        ("index.html", "/", "/es/"),
        ("v2/index.html", "/v2/", "/es/v2/"),
        ("v1/index.html", "/v2/", "/es/v2/"),
        ("relative/index.html", "/v2/", "/es/v2/"),
        ("rooted.html", "/v2/", "/es/v2/"),
        ("twice.html", "/v2/", "/es/v2/"),
        // Its own address, whatever the spelling; two different ones and one in the body are none.
        (
            "other-spelling/index.html",
            "/other-spelling/",
            "/es/other-spelling/",
        ),
        ("two.html", "/two.html", "/es/two.html"),
        ("body.html", "/body.html", "/es/body.html"),
        // An address without a version stays as it is.
        ("unknown.html", "/not-crawled/", "/not-crawled/"),
    ] {
        assert_eq!(
            canonical(&site, &format!("en/{name}")),
            format!("{SITE}{english}"),
            "en/{name}"
        );
        assert_eq!(
            canonical(&site, &format!("es/{name}")),
            format!("{SITE}{spanish}"),
            "es/{name}"
        );
    }
    let host = "https://Elsewhere.example/article?id=1&x=2";
    assert_eq!(
        [
            canonical(&site, "en/host.html"),
            canonical(&site, "es/host.html")
        ],
        [host, host]
    );
    let shared = attribute(
        &site.read("dist/site/es/v1/index.html"),
        "meta[property='og:url']",
        "content",
    );
    assert_eq!(shared.as_deref(), Some("https://www.example.com/es/v2/"));
    // Sitemaps and alternates leave such pages out.
    let listed = sitemaps(&site);
    for (name, is_own) in [
        ("v2/", true),
        ("two.html", true),
        ("v1/", false),
        ("host.html", false),
        ("relative/", false),
    ] {
        assert_eq!(
            listed.contains(&format!("{SITE}/es/{name}<")),
            is_own,
            "{name}: {listed}"
        );
        let file = if name.ends_with('/') {
            format!("es/{name}index.html")
        } else {
            format!("es/{name}")
        };
        assert_eq!(
            alternates(&site, &file),
            if is_own { vec!["en", "es"] } else { vec![] },
            "{name}"
        );
    }
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("6 pages name another address as their canonical one"),
        "{notices}"
    );
}

#[test]
fn an_address_that_no_search_engine_can_read_is_no_canonical_one_r_s1() {
    // Debian's manual of Python names the files of the package.
    let link = "<link rel=canonical href=file:///usr/share/doc/python3/html/index.html>";
    let (site, report) = site(
        "",
        &[
            ("index.html", link),
            ("about.html", "<link rel=canonical href=javascript:0>"),
        ],
    );
    for locale in ["en", "es"] {
        let base = if locale == "en" {
            SITE.to_owned()
        } else {
            format!("{SITE}/{locale}")
        };
        assert_eq!(
            canonical(&site, &format!("{locale}/index.html")),
            format!("{base}/")
        );
        assert_eq!(
            canonical(&site, &format!("{locale}/about.html")),
            format!("{base}/about.html")
        );
        assert_eq!(
            alternates(&site, &format!("{locale}/index.html")),
            ["en", "es"]
        );
    }
    assert!(
        !report["notices"].to_string().contains("canonical"),
        "{report}"
    );
}

#[test]
fn a_target_without_a_version_is_named_in_the_source_language_r_s1() {
    let keys = KEYS
        .replace("\"pseudo\"", "\"some\"")
        .replace("min_translated = 0\n", "");
    let engine = "[engine.some]\nkind = \"command\"\nprogram = \"sed\"\nargs = [\"-u\", '/Bread/s/\"text\":\"/\"text\":\"x/']\n";
    let site = Site::new(&format!("{keys}{engine}"), &[]);
    site.write("source/a.html", &page("<link rel=canonical href=/b.html>"));
    site.write(
        "source/b.html",
        "<!doctype html><html lang=en><title translate=no>B</title><p>Only in English so far</p>",
    );
    // The engine leaves one text alone, which the report says.
    site.build(&[], 6);
    assert!(
        !site.path("dist/site/es/b.html").exists(),
        "it is translated after all"
    );
    assert_eq!(
        canonical(&site, "es/a.html"),
        "https://www.example.com/b.html"
    );
}

#[test]
fn a_host_that_most_pages_name_is_a_spelling_of_the_site_r_s1() {
    let link = |path: &str| {
        let address = format!("http://localhost:1313{path}");
        format!(
            "<link rel=canonical href={address}><link rel=alternate hreflang=x-default href={address}>"
        )
    };
    let heads = [
        link("/"),
        link("/a/"),
        "<link rel=canonical href=https://other.example/b/>".to_owned(),
    ];
    let pages = [
        ("index.html", &*heads[0]),
        ("a/index.html", &*heads[1]),
        ("b/index.html", &*heads[2]),
    ];
    let (site, report) = site("", &pages);
    assert_eq!(
        canonical(&site, "es/a/index.html"),
        "https://www.example.com/es/a/"
    );
    assert_eq!(
        canonical(&site, "es/b/index.html"),
        "https://other.example/b/"
    );
    // As Docusaurus writes it: the version for everybody else is on that host, too.
    let default = attribute(
        &site.read("dist/site/es/a/index.html"),
        "link[hreflang=x-default]",
        "href",
    );
    assert_eq!(default.as_deref(), Some("https://www.example.com/a/"));
    assert!(!sitemaps(&site).contains("localhost"));
    assert!(
        report["notices"].to_string().contains("localhost"),
        "{report}"
    );
}

#[test]
fn versions_that_others_make_are_named_in_heads_and_sitemaps_r_s2() {
    let head = "<link rel=alternate hreflang=en href=/><link rel=alternate hreflang=en-GB href=https://example.co.uk/>\
                <link rel=alternate hreflang=x-default href=/><link rel=alternate hreflang=ES href=https://example.es/>\
                <link rel=alternate hreflang=en_AU href=https://example.com.au/>";
    let (site, report) = site("", &[("index.html", head)]);
    for name in ["en/index.html", "es/index.html"] {
        assert_eq!(
            alternates(&site, name),
            ["en", "es", "en-GB", "x-default"],
            "{name}"
        );
        let html = site.read(&format!("dist/site/{name}"));
        let default = attribute(&html, "link[hreflang=x-default]", "href");
        assert_eq!(
            default.as_deref(),
            Some("https://www.example.com/"),
            "{name}"
        );
    }
    assert_eq!(
        sitemaps(&site)
            .matches("hreflang=\"en-GB\" href=\"https://example.co.uk/\"")
            .count(),
        2
    );
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("es: https://example.es/ and https://www.example.com/es/"),
        "{notices}"
    );
    assert!(notices.contains("en_AU"), "{notices}");
    // A setting goes before what pages say.
    site.configure(&format!("{KEYS}x_default = \"es\"\n"));
    site.build(&[], 0);
    let default = attribute(
        &site.read("dist/site/en/index.html"),
        "link[hreflang=x-default]",
        "href",
    );
    assert_eq!(default.as_deref(), Some("https://www.example.com/es/"));
}
