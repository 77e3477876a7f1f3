//! Style sheets for languages that are written from right to left (R-S26).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256, Sha384};

use crate::support::origin::{self, Origin, Said};
use crate::support::pages::{attribute, attributes};
use crate::support::{MARKING, Site};

const PATH: &str =
    "url = \"https://www.example.com/{lang}\"\nsource_url = \"https://www.example.com\"\n";
const HOST: &str =
    "url = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"\n";
const NOWHERE: &str = "";
const SHEET: &str = "link[rel=stylesheet]:not([href*=latimer])";
const PHYSICAL: &str = "a{float:left;margin-left:1em} b{text-align: left; padding-left:0} /* margin-left: */ c{float: right}";

fn page(head: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Home</title>{head}</head><body><p>Bread and butter</p>"
    )
}

/// A folder in Arabic and Spanish.
fn folder(keys: &str, files: &[(&str, &str)]) -> (Site, Value) {
    let keys = format!("locales = [\"ar\", \"es\"]\nengine = \"marking\"\n{keys}{MARKING}");
    let site = Site::new(&keys, &[]);
    files
        .iter()
        .for_each(|(name, text)| site.write(&format!("source/{name}"), text));
    let report = site.build(&[], 0);
    (site, report)
}

fn version(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/{name}"))
}

fn sheets(site: &Site, name: &str) -> Vec<String> {
    attributes(&version(site, name), SHEET, "href")
}

fn notices(report: &Value) -> String {
    let notices = report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str);
    notices.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_style_sheet_for_right_to_left_takes_the_place_of_another_r_s26() {
    for (sheet, others, expected) in [
        ("style.css", &["style-rtl.css"][..], "style-rtl.css"),
        ("style.css", &["style.rtl.css"], "style.rtl.css"),
        (
            "style.css",
            &["style.rtl.css", "style-rtl.css"],
            "style-rtl.css",
        ),
        ("app.min.css", &["app-rtl.min.css"], "app-rtl.min.css"),
        ("app.min.css", &["app.rtl.min.css"], "app.rtl.min.css"),
        ("app.min.css", &["app.min-rtl.css"], "app.min-rtl.css"),
        ("app.min.css", &["app-rtl.css"], "app.min.css"),
        ("style.css", &["stylertl.css"], "style.css"),
        ("style-rtl.css", &["style-rtl-rtl.css"], "style-rtl.css"),
    ] {
        let head = format!(
            "<link rel=preload as=style href=/css/{sheet}><link rel=stylesheet href=\"/css/{sheet}?v=2\"><a href=/css/{sheet}>s</a>"
        );
        let home = page(&head);
        let mut files = vec![
            ("index.html".to_owned(), home.as_str()),
            (format!("css/{sheet}"), "p{}"),
        ];
        files.extend(others.iter().map(|name| (format!("css/{name}"), "p{}")));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (name.as_str(), *text))
            .collect();
        for url in [PATH, HOST, NOWHERE] {
            let (site, _) = folder(url, &files);
            let html = version(&site, "ar/index.html");
            assert_eq!(
                sheets(&site, "ar/index.html"),
                [format!("/css/{expected}?v=2")],
                "{url}{others:?}"
            );
            assert_eq!(
                attribute(&html, "link[rel=preload]", "href").unwrap(),
                format!("/css/{expected}"),
                "{url}"
            );
            assert_eq!(
                attribute(&html, "a[href*=css]", "href").unwrap(),
                format!("/css/{sheet}"),
                "{url}"
            );
            assert_eq!(
                sheets(&site, "es/index.html"),
                [format!("/css/{sheet}?v=2")],
                "{url}"
            );
            assert_eq!(
                sheets(&site, "en/index.html"),
                [format!("/css/{sheet}?v=2")],
                "{url}"
            );
        }
    }
}

#[test]
fn integrity_is_that_of_the_file_that_is_loaded_r_s26() {
    let sha256 = |text: &str| format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)));
    let sha384 = |text: &str| format!("sha384-{}", BASE64_STANDARD.encode(Sha384::digest(text)));
    let head = format!(
        "<link integrity='{}' rel=stylesheet href=/style.css><link rel=stylesheet href=/other.css integrity={}>\
         <script src=/app.js integrity=\"{} {}\"></script>",
        sha256("p{}"),
        sha384("q{}"),
        sha384("en"),
        sha256("en")
    );
    let home = page(&head);
    let files = [
        ("index.html", &*home),
        ("style.css", "p{}"),
        ("style-rtl.css", "p{direction:rtl}"),
        ("other.css", "q{}"),
        ("app.js", "en"),
    ];
    let own = format!("{PATH}[site.locale.es]\nfiles = \"own\"\n");
    let (site, _) = folder(PATH, &files);
    site.write("own/app.js", "es");
    site.configure(&format!(
        "locales = [\"ar\", \"es\"]\nengine = \"marking\"\n{own}{MARKING}"
    ));
    site.build(&[], 0);
    let arabic = version(&site, "ar/index.html");
    let spanish = version(&site, "es/index.html");
    assert!(arabic.contains(&format!(
        "<link integrity='{}' rel=stylesheet href=/style-rtl.css>",
        sha256("p{direction:rtl}")
    )));
    assert!(
        arabic.contains(&format!(
            "<link rel=stylesheet href=/other.css integrity={}>",
            sha384("q{}")
        )),
        "{arabic}"
    );
    assert_eq!(
        attribute(&spanish, "script", "integrity").unwrap(),
        format!("{} {}", sha384("es"), sha256("es"))
    );
    assert_eq!(attribute(&spanish, "script", "src").unwrap(), "/es/app.js");
    assert!(spanish.contains(&format!(
        "<link integrity='{}' rel=stylesheet href=/style.css>",
        sha256("p{}")
    )));
}

#[test]
fn a_sheet_of_a_theme_is_added_behind_its_own_r_s26() {
    let theme = "/wp-content/themes/loaf";
    let own = format!(
        "<link rel='stylesheet' id='s' href='{theme}/style.css?ver=6.1' media='all' /><style>p{{}}</style>"
    );
    let names = format!("{own}<link rel=stylesheet href={theme}/rtl.css>");
    let print = format!("<link rel='alternate stylesheet' href={theme}/style.css>");
    for (head, replaced, expected) in [
        (
            &own,
            false,
            vec![
                format!("{theme}/style.css?ver=6.1"),
                format!("{theme}/rtl.css?ver=6.1"),
            ],
        ),
        (&own, true, vec![format!("{theme}/style-rtl.css?ver=6.1")]),
        (
            &names,
            false,
            vec![
                format!("{theme}/style.css?ver=6.1"),
                format!("{theme}/rtl.css"),
            ],
        ),
        (&print, false, vec![]),
    ] {
        let home = page(head);
        let sheet = format!("{}/style.css", &theme[1..]);
        let rtl = format!("{}/rtl.css", &theme[1..]);
        let other = format!("{}/style-rtl.css", &theme[1..]);
        let mut files = vec![
            ("index.html", &*home),
            (&*sheet, PHYSICAL),
            (&*rtl, "p{direction:rtl}"),
        ];
        if replaced {
            files.push((&other, "p{}"));
        }
        let (site, report) = folder(PATH, &files);
        assert_eq!(sheets(&site, "ar/index.html"), expected, "{head}");
        assert!(
            !version(&site, "es/index.html").contains("rtl.css?"),
            "{head}"
        );
        assert!(
            !notices(&report).contains("left-to-right alone"),
            "{report}"
        );
    }
    let html = page(&own);
    let sheet = format!("{}/style.css", &theme[1..]);
    let (site, _) = folder(
        PATH,
        &[("index.html", &html), (&sheet, "p{}"), ("rtl.css", "p{}")],
    );
    assert_eq!(
        sheets(&site, "ar/index.html"),
        [format!("{theme}/style.css?ver=6.1")],
        "another folder"
    );
}

#[test]
fn style_sheets_that_know_left_alone_are_named_r_s26() {
    for (css, is_named) in [
        (PHYSICAL, true),
        ("a{float:left}", false),
        ("a{margin-inline-start:1em}", false),
        (&*format!("{PHYSICAL}d{{margin-inline-start:1em}}"), false),
        (&*format!("{PHYSICAL}[dir=\"rtl\"] a{{float:right}}"), false),
    ] {
        let home = page("<link rel=stylesheet href=/style.css>");
        let (site, report) = folder(PATH, &[("index.html", &home), ("style.css", css)]);
        let named = "made for left-to-right alone (5 declarations such as float: left or margin-left; the first in /style.css), so pages \
                     in ar may";
        assert_eq!(
            notices(&report).contains(named),
            is_named,
            "{css}: {report}"
        );
        site.configure(&format!(
            "locales = [\"es\"]\nengine = \"marking\"\n{PATH}{MARKING}"
        ));
        assert!(
            !notices(&site.build(&[], 0)).contains("left-to-right"),
            "{css}"
        );
    }
}

#[test]
fn a_crawl_asks_for_the_style_sheets_once_r_s26() {
    let manner = |path: &str| match path {
        "/" | "/about" => Said::page(
            page("<link rel=stylesheet href=/style.css><link rel=stylesheet href=/a.min.css>")
                + "<a href=/about>A</a>",
        ),
        "/style.css" | "/style-rtl.css" | "/a.min.css" => Said::css("p{}"),
        _ => Said::status(404),
    };
    let origin = Origin::start(manner);
    let site = origin::site(&origin, "");
    site.edit("latimer.toml", "[\"es\"]", "[\"es\", \"ar\"]");
    let report = site.build(&[], 0);
    assert_eq!(
        sheets(&site, "ar/index.html"),
        ["/style-rtl.css", "/a.min.css"]
    );
    assert_eq!(sheets(&site, "es/index.html"), ["/style.css", "/a.min.css"]);
    assert_eq!(report["failures"].as_array().unwrap().len(), 0, "{report}");
    assert!(!notices(&report).contains("rtl"), "{report}");
    let asked: Vec<String> = origin.asked().into_iter().map(|(path, _)| path).collect();
    for name in [
        "/style-rtl.css",
        "/style.rtl.css",
        "/rtl.css",
        "/a-rtl.min.css",
        "/a.rtl.min.css",
        "/a.min-rtl.css",
    ] {
        assert_eq!(
            asked.iter().filter(|path| *path == name).count(),
            1,
            "{name}: {asked:?}"
        );
    }
    let origin = Origin::start(manner);
    let site = origin::site(&origin, "");
    site.build(&[], 0);
    assert!(!origin.asked().iter().any(|(path, _)| path.contains("rtl")));
}
