//! What the source's own sitemaps say holds for ours (R-S4).

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::support::Site;
use crate::support::origin::{Origin, Said};

const SITE: &str = "https://www.example.com";
const KEYS: &str = "locales = [\"es\"]\nengine = \"pseudo\"\nmin_translated = 0\n";
const PATH: &str = "url = \"https://www.example.com/{lang}\"\n";
const HOST: &str =
    "url = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"\n";

fn page(head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Home</title>{head}</head><body><p>Bread and butter</p>{body}"
    )
}

fn urls(entries: &[(&str, &str)]) -> String {
    let entry = |(address, more): &(&str, &str)| format!("<url><loc>{address}</loc>{more}</url>");
    format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:i=\"x\" xmlns:news=\"y\">{}</urlset>",
        entries.iter().map(entry).collect::<String>()
    )
}

fn folder(keys: &str, pages: &[&str]) -> Site {
    let site = Site::new(&format!("{KEYS}{keys}"), &[]);
    pages
        .iter()
        .for_each(|name| site.write(&format!("source/{name}"), &page("", "")));
    site
}

/// The entry of an address in a sitemap of the site; `None` if it lists no such page.
#[track_caller]
fn entry(site: &Site, name: &str, address: &str) -> Option<String> {
    let xml = site.read(&format!("dist/site/{name}"));
    let (_, rest) = xml.split_once(&format!("<loc>{address}</loc>"))?;
    let said = rest.split_once("</url>").unwrap().0;
    let said: String = said
        .lines()
        .filter(|line| !line.starts_with("<xhtml:link"))
        .collect();
    Some(said)
}

/// The paths that a sitemap lists.
fn listed(site: &Site, name: &str) -> Vec<String> {
    let xml = site.read(&format!("dist/site/{name}"));
    let addresses = xml
        .split("<url><loc>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</loc>"));
    addresses
        .map(|(address, _)| address.splitn(4, '/').nth(3).unwrap_or_default().to_owned())
        .collect()
}

const IMAGE: &str = "<i:image><i:loc>https://www.example.com/x.png</i:loc><i:caption>A &amp; B</i:caption></i:image>";
const NEWS: &str = "<news:news><news:title>Bread</news:title></news:news>";

#[test]
fn what_a_sitemap_says_is_kept_for_the_source_and_repeated_for_versions_r_s4() {
    for (keys, es) in [
        (PATH, "https://www.example.com/es"),
        (HOST, "https://es.example.com"),
    ] {
        let site = folder(keys, &["index.html", "a/index.html", "about.html"]);
        let said =
            "<lastmod>2024-04-01</lastmod><changefreq>daily</changefreq><priority>1.0</priority>";
        let home = urls(&[("https://www.example.com/", said)]);
        site.write("source/first.xml", &home);
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let rest = [
            (
                "https://www.example.com/a/index.html",
                format!("<lastmod>2024-05</lastmod>{IMAGE}"),
            ),
            (
                "https://www.example.com/about",
                "<video:video><video:title>V</video:title></video:video>".to_owned(),
            ),
        ];
        let rest: Vec<(&str, &str)> = rest
            .iter()
            .map(|(address, more)| (*address, &**more))
            .collect();
        packed.write_all(urls(&rest).as_bytes()).unwrap();
        std::fs::write(site.path("source/rest.xml.gz"), packed.finish().unwrap()).unwrap();
        let index = "<sitemapindex><sitemap><loc>https://www.example.com/first.xml</loc></sitemap>\
             <sitemap><loc>/rest.xml.gz</loc></sitemap></sitemapindex>";
        site.write("source/map/index.xml", index);
        site.write(
            "source/news.xml",
            &urls(&[("https://www.example.com/a/", NEWS)]),
        );
        let robots = "User-agent: *\nDisallow:\nSitemap: https://www.example.com/map/index.xml\nSitemap: https://www.example.com/news.xml\n";
        site.write("source/robots.txt", robots);
        site.build(&[], 0);
        let source = ["/", "/a/", "/about"]
            .map(|path| entry(&site, "en/sitemap.xml", &format!("{SITE}{path}")).unwrap());
        assert_eq!(source[0], said);
        let image = "<image:image><image:loc>https://www.example.com/x.png</image:loc>";
        assert_eq!(
            source[1],
            format!(
                "<lastmod>2024-05</lastmod>{NEWS}{image}<image:caption>A &amp; B</image:caption></image:image>"
            )
        );
        assert_eq!(
            source[2],
            "<video:video><video:title>V</video:title></video:video>"
        );
        let version = |path: &str| entry(&site, "es/sitemap.xml", &format!("{es}{path}")).unwrap();
        assert_eq!(version("/"), "<lastmod>2024-04-01</lastmod>");
        assert_eq!(
            version("/a/"),
            format!("<lastmod>2024-05</lastmod>{image}</image:image>")
        );
        assert_eq!(version("/about"), "");
    }
}

#[test]
fn pages_that_the_sitemaps_leave_out_are_left_out_r_s4() {
    let names = [
        "index.html",
        "a/index.html",
        "b/index.html",
        "c/index.html",
        "d/index.html",
        "print/index.html",
    ];
    let site = folder(PATH, &names);
    site.write(
        "source/hidden/index.html",
        &page("<meta name=robots content=noindex>", ""),
    );
    site.write(
        "source/robots.txt",
        "User-agent: *\nDisallow: /print/\nSitemap: https://www.example.com/news.xml\n",
    );
    site.write(
        "source/news.xml",
        &urls(&[("https://www.example.com/c/", NEWS)]),
    );
    let notice = |report: &Value| report["notices"].to_string().contains("own sitemaps name");
    for (pages, expected, has_notice) in [
        // Two of five pages that may be found; one more is in the news.
        (
            vec!["https://www.example.com/", "https://www.example.com/a/"],
            vec!["es/", "es/a/", "es/c/"],
            false,
        ),
        (
            vec!["https://www.example.com/print/", "/hidden/"],
            vec!["es/", "es/a/", "es/b/", "es/c/", "es/d/"],
            true,
        ),
        (
            vec!["https://elsewhere.example/x/"],
            vec!["es/", "es/a/", "es/b/", "es/c/", "es/d/"],
            true,
        ),
        (
            vec![],
            vec!["es/", "es/a/", "es/b/", "es/c/", "es/d/"],
            false,
        ),
        // A sitemap names pages of the host that it lies on.
        (
            vec!["http://localhost:1313/b/", "http://localhost:1313/a"],
            vec!["es/a/", "es/b/", "es/c/"],
            false,
        ),
    ] {
        let pages: Vec<(&str, &str)> = pages.iter().map(|address| (*address, "")).collect();
        site.write("source/sitemap.xml", &urls(&pages));
        let report = site.build(&[], 0);
        assert_eq!(listed(&site, "es/sitemap.xml"), expected, "{pages:?}");
        assert_eq!(notice(&report), has_notice, "{pages:?}: {report}");
        // What a page itself says does not depend on sitemaps.
        assert!(
            site.read("dist/site/es/b/index.html")
                .contains("hreflang=\"en\"")
        );
        let clean = site.objects();
        site.build(&["--rebuild"], 0);
        assert_eq!(site.objects(), clean, "{pages:?}");
    }
    site.write(
        "source/sitemap.xml",
        "<urlset><url><loc>https://www.example.com/</loc></url><url",
    );
    site.build(&[], 0);
    assert_eq!(
        listed(&site, "es/sitemap.xml").len(),
        5,
        "a damaged sitemap took pages out"
    );
}

/// A site that is crawled at an address of its own; the sitemap names its public one, or that where it is crawled.
fn crawled() -> (Site, Origin) {
    let origin = Origin::start(|_| Said::status(404));
    let site = Site::new("", &[]);
    site.write(
        "latimer.toml",
        &format!(
            "[[site]]\nid = \"site\"\nsource = {:?}\nsource_url = \"https://www.example.com\"\nsource_locale = \"en\"\n{KEYS}{PATH}\
             [site.crawl]\nallow_private = true\n",
            origin.address
        ),
    );
    (site, origin)
}

/// Answers like a site with four linked pages, an old address, and these sitemaps.
fn answers(first: Said, second: Said) -> impl Fn(&str) -> Said + Send + 'static {
    move |path| match path {
        "/" => Said::page(page(
            "",
            "<a href=/a/>A</a><a href=/b/>B</a><a href=/old>O</a><a href=/c/>C</a>",
        )),
        "/a/" | "/b/" | "/c/" => Said::page(page("", "")),
        "/old" => Said::redirect("/b/"),
        "/robots.txt" => {
            Said::page("Sitemap: https://www.example.com/first.xml\nSitemap: /second.xml\n")
        }
        "/first.xml" => first.clone(),
        "/second.xml" => second.clone(),
        _ => Said::status(404),
    }
}

#[test]
fn a_crawl_keeps_what_sitemaps_say_r_s4() {
    let (site, origin) = crawled();
    let at = origin.address.trim_end_matches('/').to_owned();
    let image = format!("<image:image><image:loc>{at}/x.png</image:loc></image:image>");
    let first = Said::xml(urls(&[
        (
            "https://www.example.com/",
            "<lastmod>2024-05-01</lastmod><priority>0.3</priority>",
        ),
        (&format!("{at}/a/"), &image),
    ]));
    let second = Said::xml(urls(&[
        ("/old", "<lastmod>2024-06-01</lastmod>"),
        ("/gone/", ""),
    ]));
    origin.answer(answers(first.clone(), second));
    // One of the addresses is gone, which the report says.
    site.build(&[], 6);
    let check = |why: &str| {
        assert_eq!(
            listed(&site, "es/sitemap.xml"),
            ["es/", "es/a/", "es/b/"],
            "{why}"
        );
        let version =
            |path: &str| entry(&site, "es/sitemap.xml", &format!("{SITE}/es{path}")).unwrap();
        let image =
            "<image:image><image:loc>https://www.example.com/x.png</image:loc></image:image>";
        assert_eq!(
            [version("/"), version("/a/")],
            ["<lastmod>2024-05-01</lastmod>", image],
            "{why}"
        );
        // The old address leads there.
        assert_eq!(version("/b/"), "<lastmod>2024-06-01</lastmod>", "{why}");
        let of_source = entry(&site, "_latimer/source-sitemap.xml", &format!("{SITE}/")).unwrap();
        assert_eq!(
            of_source, "<lastmod>2024-05-01</lastmod><priority>0.3</priority>",
            "{why}"
        );
        assert_eq!(
            listed(&site, "_latimer/source-sitemap.xml"),
            ["", "a/", "b/"],
            "{why}"
        );
    };
    check("the first build");
    site.run(&["build", "--offline"]);
    check("an offline build");
    origin.answer(answers(first.clone(), Said::status(503)));
    site.run(&["build"]);
    check("a build without one of the sitemaps");
    origin.answer(answers(first, Said::status(404)));
    site.run(&["build"]);
    assert_eq!(
        listed(&site, "es/sitemap.xml"),
        ["es/", "es/a/"],
        "a sitemap that is gone says nothing"
    );
}
