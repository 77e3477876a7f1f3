//! Pages that are published once, as they are: those that `keep` names, and those in another language than the source (R-S14).

use crate::support::pages::attributes;
use crate::support::{MARKING, Site};

const GERMAN: &str = "Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es am Morgen in den Ofen kommt.";
const PATH: &str = "https://www.example.com/{lang}";

fn page(lang: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang={lang}><head><title>{lang}</title>{head}</head><body><p>{body}</p></body></html>"
    )
}

fn alternate(lang: &str, path: &str) -> String {
    format!("<link rel=alternate hreflang={lang} href=https://www.example.com{path}>")
}

/// A bakery with German pages: one that names its English page, one that is named by it, and one that stands alone.
fn site(keys: &str, url: &str) -> Site {
    let both = alternate("en", "/") + &alternate("de", "/de/");
    let links = "We bake at night. <a href=/de/>Deutsch</a> <a href=/de/impressum.html>Imprint</a>";
    let pages = [
        ("index.html", page("en", &both, links)),
        ("about.html", page("en", "", "About the bakery")),
        (
            "news.html",
            page(
                "en",
                &alternate("de", "/de/neues.html"),
                "News of the bakery",
            ),
        ),
        ("more.html", page("en", "", "More of the bakery")),
        (
            "de/index.html",
            page("de", &both, &format!("{GERMAN} <a href=/>English</a>")),
        ),
        (
            "de/ueber.html",
            page("de", &alternate("en", "/about"), GERMAN),
        ),
        ("de/neues.html", page("de", "", GERMAN)),
        (
            "de/impressum.html",
            page("de", "<link rel=canonical href=/de/impressum.html>", GERMAN),
        ),
    ];
    let others = (0..16).map(|number| {
        (
            format!("other{number}.html"),
            page("en", "", &format!("Bread number {number}")),
        )
    });
    let source = "source_url = \"https://www.example.com\"\n";
    let keys = format!(
        "url = \"{url}\"\n{source}locales = [\"es\"]\nengine = \"marking\"\n{keys}{MARKING}"
    );
    let site = Site::new(&keys, &[]);
    let pages = pages
        .into_iter()
        .map(|(name, html)| (name.to_owned(), html));
    pages
        .chain(others)
        .for_each(|(name, html)| site.write(&format!("source/{name}"), &html));
    site
}

fn object(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/{name}"))
}

fn versions(html: &str) -> Vec<(String, String)> {
    let selector = "link[rel=alternate][hreflang]";
    attributes(html, selector, "hreflang")
        .into_iter()
        .zip(attributes(html, selector, "href"))
        .collect()
}

fn expected(es: &str, english: &str, german: &str) -> Vec<(String, String)> {
    let version = |tag: &str, address: String| (tag.to_owned(), address);
    vec![
        version("en", format!("https://www.example.com{english}")),
        version("es", format!("{es}{english}")),
        version("de", format!("https://www.example.com{german}")),
    ]
}

#[test]
fn kept_pages_are_published_once_and_all_versions_name_them_r_s14() {
    for (url, es, link) in [
        (PATH, "https://www.example.com/es", "/de/"),
        (
            "https://{lang}.example.com",
            "https://es.example.com",
            "https://www.example.com/de/",
        ),
    ] {
        for keys in ["keep = [\"/de/**\"]\n", ""] {
            let site = site(keys, url);
            let report = site.build(&[], 0);
            let objects = site.objects();
            assert!(
                !objects.keys().any(|name| name.starts_with("site/es/de/")),
                "{keys}{url}"
            );
            for (german, english) in [
                ("/de/", "/"),
                ("/de/ueber.html", "/about.html"),
                ("/de/neues.html", "/news.html"),
            ] {
                let name = |path: &str| {
                    if path.ends_with('/') {
                        format!("{path}index.html")
                    } else {
                        path.to_owned()
                    }
                };
                for version in [name(german), name(english)]
                    .map(|name| format!("en{name}"))
                    .into_iter()
                    .chain([format!("es{}", name(english))])
                {
                    let mut found = versions(&object(&site, &version));
                    let mut wanted = expected(es, english, german);
                    found.sort();
                    wanted.sort();
                    assert_eq!(found, wanted, "{keys}{url} {version}");
                }
            }
            let alone = object(&site, "en/de/impressum.html");
            assert_eq!(alone, site.read("source/de/impressum.html"), "{keys}{url}");
            let german = object(&site, "en/de/index.html");
            assert_eq!(
                german.split("</head>").nth(1),
                site.read("source/de/index.html").split("</head>").nth(1)
            );
            assert!(!german.contains("latimer"), "{german}");
            assert!(
                attributes(&object(&site, "es/index.html"), "a", "href").contains(&link.to_owned())
            );
            let notices = report["notices"].to_string();
            assert_eq!(notices.contains("4 in de"), keys.is_empty(), "{notices}");
            let sitemaps = objects.iter().filter(|(name, _)| name.contains("sitemap"));
            let listed: usize = sitemaps
                .map(|(_, body)| {
                    String::from_utf8_lossy(body)
                        .matches("/de/impressum.html</loc>")
                        .count()
                })
                .sum();
            assert_eq!(listed, 1, "{keys}{url}");
        }
    }
}

#[test]
fn words_of_kept_pages_cost_nothing_and_lower_no_figure_r_s14() {
    let site = site("keep = [\"/de/**\"]\n", PATH);
    let report = site.build(&[], 0);
    let spanish = &report["locales"][0];
    assert_eq!(
        (&spanish["pages"], &spanish["missing"]),
        (&20.into(), &0.into()),
        "{spanish}"
    );
    assert!(
        !site
            .objects()
            .iter()
            .any(|(name, body)| name.contains("memory")
                && String::from_utf8_lossy(body).contains("Brot"))
    );
}

#[test]
fn a_page_of_any_language_may_be_kept_r_s14() {
    let site = site(
        "keep = [\"/more.html\", \"/de/**\", \"!/de/neues.html\"]\n",
        PATH,
    );
    site.build(&[], 0);
    assert_eq!(object(&site, "en/more.html"), site.read("source/more.html"));
    assert!(!site.objects().contains_key("site/es/more.html"));
    site.configure(
        "url = \"https://www.example.com/{lang}\"\nlocales = [\"es\"]\nkeeps = [\"/de/**\"]\n",
    );
    site.run(&["build"])
        .failed(2, &["latimer.toml", "keeps", "`keep`"]);
}

#[test]
fn links_to_what_exclude_leaves_out_are_named_r_s14() {
    let site = site("exclude = [\"/de/**\"]\n", PATH);
    let notices = |report: serde_json::Value| report["notices"].to_string();
    let said = notices(site.build(&[], 0));
    assert!(
        said.contains("/ (/de/)") && said.contains("`keep`"),
        "{said}"
    );
    // A page that was not read again says it, too.
    site.write("source/about.html", &page("en", "", "About our bakery"));
    assert_eq!(notices(site.build(&[], 0)), said);
    site.edit("latimer.toml", "exclude", "keep");
    let said = notices(site.build(&[], 0));
    assert!(!said.contains("/de/"), "{said}");
    assert!(site.objects().contains_key("site/en/de/index.html"));
}
