//! Files that a language has of its own, in place of the source's (R-S25).

use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::origin::{self, Origin, Said};
use crate::support::pages::{attribute, attributes};
use crate::support::{MARKING, Site};

const PATH: &str =
    "url = \"https://www.example.com/{lang}\"\nsource_url = \"https://www.example.com\"\n";
const HOST: &str =
    "url = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"\n";
const NOWHERE: &str = "";
const FOLDER: &str = "[site.locale.es]\nfiles = \"overrides/es\"\n";

fn page(head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Home</title>{head}</head><body><p>Bread and butter</p>{body}"
    )
}

/// A folder of some files with a home page, in Spanish, Portuguese and Arabic.
fn folder(keys: &str, tables: &str, files: &[(&str, &str)]) -> (Site, Value) {
    let keys = format!(
        "locales = [\"es\", \"pt-BR\", \"ar\"]\nengine = \"marking\"\n{keys}{tables}{MARKING}"
    );
    let site = Site::new(&keys, &[]);
    files.iter().for_each(|(name, text)| site.write(name, text));
    let report = site.build(&[], 0);
    (site, report)
}

fn version(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/{name}"))
}

fn is_there(site: &Site, name: &str) -> bool {
    site.path(&format!("dist/site/{name}")).exists()
}

fn notices(report: &Value) -> Vec<&str> {
    report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

#[test]
fn a_file_with_the_language_in_its_name_takes_the_place_of_the_sources_r_s25() {
    let head = "<meta property=og:image content=https://www.example.com/img/hero.png>\
        <script type=application/ld+json>{\"@type\":\"Article\",\"image\":\"https://www.example.com/img/hero.png\"}</script>\
        <style>p{background:url(/img/hero.png)}</style>";
    let body = "<img src=img/hero.png srcset=\"/img/hero.png?v=2 1x, /img/big.png 2x\" data-src=/img/hero.png>\
        <video poster=/img/hero.png src=/film.mp4><track src=/film.vtt></video><a href=/list.pdf#page=2>List</a>\
        <p style=\"background:url(img/hero.png)\">B</p>";
    let files = [
        ("source/index.html", &*page(head, body)),
        ("source/img/hero.png", "en"),
        ("source/img/hero.es.png", "es"),
        ("source/img/hero.pt-BR.png", "pt"),
        ("source/img/big.png", "en"),
        ("source/film.mp4", "en"),
        ("source/film.es.mp4", "es"),
        ("source/film.vtt", "WEBVTT"),
        ("source/film.es.vtt", "WEBVTT"),
        ("source/list.pdf", "%PDF-1.7"),
        ("source/list.es.pdf", "%PDF-1.7 es"),
    ];
    for (url, base) in [
        (PATH, "https://www.example.com"),
        (HOST, "https://es.example.com"),
        (NOWHERE, ""),
    ] {
        let (site, _) = folder(url, "", &files);
        let html = version(&site, "es/index.html");
        let hero = attribute(&html, "img", "src").unwrap();
        assert!(
            hero == "/img/hero.es.png" || hero == "img/hero.es.png",
            "{url}{hero}"
        );
        assert_eq!(
            attribute(&html, "img", "srcset").unwrap(),
            "/img/hero.es.png?v=2 1x, /img/big.png 2x",
            "{url}"
        );
        assert_eq!(
            attribute(&html, "img", "data-src").unwrap(),
            "/img/hero.es.png",
            "{url}"
        );
        assert_eq!(
            attribute(&html, "video", "poster").unwrap(),
            "/img/hero.es.png",
            "{url}"
        );
        assert_eq!(
            attribute(&html, "video", "src").unwrap(),
            "/film.es.mp4",
            "{url}"
        );
        assert_eq!(
            attribute(&html, "track", "src").unwrap(),
            "/film.es.vtt",
            "{url}"
        );
        assert_eq!(
            attribute(&html, "a[href*=pdf]", "href").unwrap(),
            "/list.es.pdf#page=2",
            "{url}"
        );
        assert_eq!(
            html.matches("hero.png").count(),
            if base.is_empty() { 2 } else { 0 },
            "{url}{html}"
        );
        if !base.is_empty() {
            let shared = attribute(&html, "meta[property='og:image']", "content").unwrap();
            assert_eq!(shared, format!("{base}/img/hero.es.png"), "{url}");
        }
        let other = version(&site, "pt-BR/index.html");
        assert_eq!(
            attribute(&other, "video", "poster").unwrap(),
            "/img/hero.pt-BR.png",
            "{url}"
        );
        assert_eq!(
            attribute(&other, "video", "src").unwrap(),
            "/film.mp4",
            "{url}"
        );
        assert!(
            !version(&site, "ar/index.html").contains("hero.es")
                && !version(&site, "en/index.html").contains(".es.")
        );
    }
}

#[test]
fn a_language_is_called_by_its_tag_or_alias_in_names_of_files_r_s25() {
    let alias = "[site.locale.pt-BR]\nalias = \"br\"\n";
    for (name, expected) in [
        ("hero.pt-BR.png", "/hero.pt-BR.png"),
        ("hero.br.png", "/hero.br.png"),
        ("hero.pt-br.png", "/hero.pt-br.png"),
        ("hero.pt.png", "/hero.png"),
        ("hero.PT-BR.png", "/hero.png"),
        ("hero-pt-BR.png", "/hero.png"),
        ("heropt-BR.png", "/hero.png"),
    ] {
        let own = format!("source/{name}");
        let home = page("", "<img src=/hero.png>");
        let (site, _) = folder(
            PATH,
            alias,
            &[
                ("source/index.html", &home),
                ("source/hero.png", ""),
                (&own, ""),
            ],
        );
        assert_eq!(
            attribute(&version(&site, "pt-BR/index.html"), "img", "src").unwrap(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn programs_style_sheets_fonts_and_pages_have_no_file_beside_them_r_s25() {
    let head = "<link rel=stylesheet href=/a.css><script src=/a.js></script><link rel=preload as=font href=/a.woff2>";
    let body = "<a href=/a.html>A</a><a href=/a.json>J</a>";
    let names = ["a.css", "a.js", "a.woff2", "a.json"];
    let mut files = vec![
        ("source/index.html".to_owned(), page(head, body)),
        ("source/a.html".to_owned(), page("", "")),
    ];
    for name in names {
        let (stem, ending) = name.split_once('.').unwrap();
        files.push((format!("source/{name}"), String::new()));
        files.push((format!("source/{stem}.es.{ending}"), String::new()));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let (site, _) = folder(PATH, "", &files);
    let html = version(&site, "es/index.html");
    for name in names {
        assert!(html.contains(&format!("/{name}")), "{name}: {html}");
    }
    assert!(!html.contains("a.es."), "{html}");
}

#[test]
fn a_folder_of_a_language_replaces_files_of_any_kind_r_s25() {
    let head = "<link rel=stylesheet href=/css/style.css><script src=/app.js></script><script type=module>import '/m.js'</script>";
    let body = "<img src=/img/hero.png><img src=/img/new.png><a href=/about.html>About</a>";
    let files = [
        ("source/index.html", &*page(head, body)),
        ("source/about.html", &page("", "")),
        (
            "source/feed.xml",
            "<rss version=\"2.0\"><channel><title>News</title><link>/</link></channel></rss>",
        ),
        ("source/img/hero.png", "en"),
        ("source/img/hero.es.png", "beside"),
        ("source/img/bg.png", "bg"),
        ("source/css/style.css", "en"),
        ("source/app.js", "en"),
        ("source/m.js", "en"),
        ("overrides/es/img/hero.png", "es"),
        ("overrides/es/img/new.png", "es"),
        (
            "overrides/es/css/style.css",
            "p{background:url(../img/bg.png)}",
        ),
        ("overrides/es/app.js", "es"),
        ("overrides/es/m.js", "es"),
        ("overrides/es/deep/er/and/deep/er/still.txt", "es"),
        ("overrides/es/about.html", &page("", "Sobre")),
        (
            "overrides/es/feed.xml",
            "<rss version=\"2.0\"><channel><title>Noticias</title></channel></rss>",
        ),
        ("overrides/es/.env", "canary"),
        ("overrides/es/id_rsa", "canary"),
        ("outside.txt", "canary"),
    ];
    for (url, prefix) in [(PATH, "/es"), (HOST, ""), (NOWHERE, "/es")] {
        let (site, _) = folder(url, "", &files);
        symlink(site.path("outside.txt"), site.path("overrides/es/link.txt")).unwrap();
        site.configure(&format!(
            "locales = [\"es\", \"pt-BR\", \"ar\"]\nengine = \"marking\"\n{url}{FOLDER}{MARKING}"
        ));
        let report = site.build(&[], 0);
        let html = version(&site, "es/index.html");
        assert_eq!(
            attribute(&html, "link[href*=style]", "href").unwrap(),
            format!("{prefix}/css/style.css")
        );
        assert_eq!(
            attribute(&html, "script[src]", "src").unwrap(),
            format!("{prefix}/app.js"),
            "{url}"
        );
        assert_eq!(
            attributes(&html, "img", "src"),
            [
                format!("{prefix}/img/hero.png"),
                format!("{prefix}/img/new.png")
            ]
        );
        assert!(
            html.contains(&format!("import '{prefix}/m.js'")),
            "{url}{html}"
        );
        for name in [
            "img/hero.png",
            "img/new.png",
            "app.js",
            "m.js",
            "deep/er/and/deep/er/still.txt",
        ] {
            assert_eq!(version(&site, &format!("es/{name}")), "es", "{url}{name}");
        }
        if !prefix.is_empty() {
            assert_eq!(
                version(&site, "es/img/bg.png"),
                "bg",
                "the style sheet names it from its new place"
            );
            assert_eq!(version(&site, "img/hero.png"), "en");
        }
        assert!(version(&site, "es/about.html").contains("Bread"), "{url}");
        assert!(version(&site, "es/feed.xml").contains("¡News"), "{url}");
        assert!(
            version(&site, "ar/index.html").contains("/img/hero.png"),
            "{url}"
        );
        assert!(
            !site
                .objects()
                .values()
                .any(|bytes| bytes.starts_with(b"canary")),
            "{url}"
        );
        let notices = notices(&report).join("\n");
        for said in [
            ": /about.html; a version that people wrote",
            "/.env, /id_rsa; move",
            "/link.txt (it is a link out",
            ": /feed.xml",
        ] {
            assert!(notices.contains(said), "{said}: {notices}");
        }
    }
}

#[test]
fn a_folder_of_a_language_is_there_and_is_no_part_of_the_source_r_s25() {
    let home = page("", "<img src=/hero.png>");
    let files = [
        ("source/index.html", &*home),
        ("source/hero.png", "en"),
        ("source/own/es/hero.png", "es"),
    ];
    let (site, report) = folder(PATH, &FOLDER.replace("overrides", "source/own"), &files);
    assert!(!is_there(&site, "own/es/hero.png") && is_there(&site, "es/hero.png"));
    assert!(
        notices(&report)
            .iter()
            .any(|notice| notice.contains("/own/es (files)")),
        "{report}"
    );
    std::fs::remove_dir_all(site.path("source/own")).unwrap();
    site.run(&["build"]).failed(
        2,
        &[
            "latimer.toml:10: `files` of [site.locale.es] cannot be read",
            "source/own/es",
        ],
    );
}

#[test]
fn a_crawled_page_shows_the_file_of_a_language_r_s25() {
    let origin = Origin::start(|path| match path {
        "/" => Said::page(page(
            "",
            "<img src=/hero.png><img src=/hero.es.png><img src=/other.png>",
        )),
        "/hero.png" | "/hero.es.png" | "/other.png" => Said::of_type("image/png", path),
        _ => Said::status(404),
    });
    let site = origin::site(&origin, "");
    let keys = site.read("latimer.toml");
    site.write("latimer.toml", &format!("{keys}\n{FOLDER}"));
    site.write("overrides/es/other.png", "es");
    site.build(&[], 0);
    let shown = attributes(&version(&site, "es/index.html"), "img", "src");
    assert_eq!(shown, ["/hero.es.png", "/hero.es.png", "/es/other.png"]);
}
