//! `latimer explain`: on the bakery and on a small site with one planted case for each reason.

use serde_json::{Value, json};

use crate::support::{self, Site};

/// Explains and gives the report.
#[track_caller]
fn explain(site: &Site, arguments: &[&str]) -> Value {
    let ran = site.run(&[&["explain", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    ran.json()
}

/// The one text that is left in the one locale.
#[track_caller]
fn only(report: &Value) -> &Value {
    let locales = report["locales"].as_array().unwrap();
    assert_eq!(
        (locales.len(), locales[0]["texts"].as_array().unwrap().len()),
        (1, 1),
        "{report:#}"
    );
    &locales[0]["texts"][0]
}

#[test]
fn texts_of_the_bakery_come_from_people_at_every_address_of_a_page() {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    for address in [
        "https://www.heronandrye.example/es/about/",
        "http://127.0.0.1:8080/es/about/",
        "http://bakery.localhost:8080/es/about",
        "/es/about/",
        "es/about/index.html#top",
    ] {
        let report = explain(&site, &[address, "dos panaderos"]);
        assert_eq!(
            (&report["page"], &report["locales"][0]["locale"]),
            (&json!("/about/"), &json!("es")),
            "{address}"
        );
    }
    let whole = explain(&site, &["https://www.heronandrye.example/about/"]);
    let locales: Vec<_> = whole["locales"]
        .as_array()
        .unwrap()
        .iter()
        .map(|locale| &locale["locale"])
        .collect();
    assert_eq!(locales, ["es", "ar", "ja", "en-XA"]);
    let spanish = &whole["locales"][0];
    assert_eq!(
        (&spanish["standing"], &spanish["published"]),
        (&json!("translated"), &json!(true))
    );
    assert!(
        spanish["texts"]
            .as_array()
            .unwrap()
            .iter()
            .all(|text| text["origin"] == "person"),
        "{spanish:#}"
    );

    let report = explain(
        &site,
        &["/about/", "two bakers, ONE oven", "--locale", "es"],
    );
    let text = only(&report);
    assert_eq!(
        (&text["origin"], &text["place"]),
        (&json!("person"), &json!("h1"))
    );
    let file = text["file"].as_str().unwrap();
    let line = text["line"].as_u64().unwrap();
    let po = site.read("translations/es.po");
    assert!(file.ends_with("translations/es.po"), "{file}");
    assert!(
        po.lines()
            .skip(usize::try_from(line).unwrap() - 1)
            .take(2)
            .any(|line| line == "msgid \"Two bakers, one oven\""),
        "{line}"
    );
    let pseudo = explain(&site, &["/en-XA/about/", "oven"]);
    assert_eq!(pseudo["locales"][0]["texts"][0]["origin"], "memory");
    assert!(
        pseudo["locales"][0]["texts"][0]["engine"]
            .as_str()
            .unwrap()
            .starts_with("pseudo")
    );

    let ran = site.run(&["explain", "/es/about/", "un horno"]);
    let said = String::from_utf8(ran.stdout).unwrap();
    for expected in [
        "bakery /about/ in es: published, 100 %",
        "person, h1: Two bakers, one oven",
        "→ Dos panaderos, un horno",
        "es.po:",
    ] {
        assert!(said.contains(expected), "{expected:?} is not in {said}");
    }
    site.run(&["explain", "/es/about/", "no such words"])
        .failed(1, &["no text with \"no such words\""]);
    site.run(&["explain", "/es/none/"])
        .failed(2, &["has no page /none/"]);
    site.run(&["explain", "https://www.example.com/es/"])
        .failed(2, &["not an address of a site"]);
    site.run(&["explain", "/about/", "--locale", "de"])
        .failed(2, &["has no locale de"]);
}

const KEYS: &str = "locales = [\"es\", \"de\"]\nengine = [\"pseudo\"]\ntranslations = \"po/{lang}.po\"\n\
                    exclude = [\"/internal/**\"]\nmin_translated = 0.4\n\
                    [site.html]\nskip = [\".brand\"]\nalso_translate = [\"data-title\"]\n";
const PAGE: &str = "<!doctype html><html lang=en><title>Fresh bread</title>\
    <h1>Warm rolls</h1><p>Read <a href=/>our story</a> now</p><p>{{ price }}</p>\
    <p translate=no>Acme Mills</p><p class=notranslate>Old Wheel</p><p class=brand>Heron Rye</p>\
    <p>Type <code>bake now</code></p><p lang=fr>Bonjour tous</p><p>2024</p>\
    <p its-locale-filter-list=de>Only Germans</p>\
    <p data-title='Buy two' data-label='Buy three'>Rolls</p><script>say('Buy four')</script></html>";
const PO: &str = "msgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n\n\
                  msgid \"Read <g id=\\\"1\\\">our story</g> now\"\nmsgstr \"Lea nuestra historia\"\n";

#[test]
fn each_reason_is_named() {
    let site = Site::new(
        KEYS,
        &[
            ("index.html", PAGE),
            ("internal/index.html", PAGE),
            (
                "whole/index.html",
                "<meta name=google content=notranslate><p>All of it</p>",
            ),
        ],
    );
    site.write("po/es.po", PO);
    site.write("source/menu.txt", "menu");
    site.run(&["explain", "/es/"]).failed(1, &["not built yet"]);
    assert!(
        !site.path(".latimer").exists(),
        "asking leaves nothing behind"
    );
    site.build(&[], 6);
    for (text, origin, target) in [
        ("fresh", "person", json!("Pan fresco")),
        ("warm rolls", "memory", Value::Null),
        ("our story", "memory", Value::Null),
        ("Only Germans", "leftOut", Value::Null),
        ("buy two", "memory", Value::Null),
    ] {
        let report = explain(&site, &["/es/", text]);
        let found = only(&report);
        assert_eq!(found["origin"], origin, "{text}: {found:#}");
        if origin != "memory" {
            assert_eq!(found["target"], target, "{text}");
        }
        if text == "our story" {
            assert!(
                found["refused"][0]
                    .as_str()
                    .unwrap()
                    .contains("inline code 1 is missing"),
                "{found:#}"
            );
        }
    }
    for (text, rule) in [
        ("acme", "translate=\"no\""),
        ("old wheel", "class=\"notranslate\""),
        ("heron", "skip = \".brand\" in [site.html]"),
        ("bake now", "<code> holds code or data"),
        ("bonjour", "its lang attribute names another language"),
        ("2024", "it has no letter"),
        ("price", "it is an expression that a template fills in"),
        (
            "buy three",
            "it is in no attribute that holds text; `also_translate` can name one",
        ),
        ("buy four", "it is a script, a style sheet or data for them"),
    ] {
        let report = explain(&site, &["/es/", text]);
        let rules: Vec<_> = report["kept"]
            .as_array()
            .unwrap()
            .iter()
            .map(|kept| &kept["rule"])
            .collect();
        assert_eq!(rules, [rule], "{text}: {report:#}");
    }
    let whole = explain(&site, &["/es/whole/", "all of it"]);
    assert!(
        whole["kept"][0]["rule"]
            .as_str()
            .unwrap()
            .contains("notranslate"),
        "{whole:#}"
    );
    let excluded = explain(&site, &["/es/internal/"]);
    assert_eq!(excluded["why"]["code"], "excluded");
    assert!(
        excluded["why"]["text"]
            .as_str()
            .unwrap()
            .contains("\"/internal/**\""),
        "{excluded}"
    );
    assert_eq!(explain(&site, &["/menu.txt"])["why"]["code"], "file");
    site.run(&["explain", "/internal/none"])
        .failed(2, &["has no page"]);

    // A language that is switched off, and a page of which too little is translated.
    assert_eq!(site.run(&["locale", "site", "de", "off"]).code, 0);
    let report = explain(&site, &["/", "--locale", "de"]);
    assert_eq!(
        (
            &report["locales"][0]["standing"],
            &report["locales"][0]["published"]
        ),
        (&json!("off"), &json!(false))
    );
    site.configure(
        &KEYS
            .replace("engine = [\"pseudo\"]\n", "engine = \"fx\"\n")
            .replace("[\"es\", \"de\"]", "[\"es\", \"de\", \"fr\"]"),
    );
    site.write("po/fr.po", PO);
    site.build(&[], 6);
    let story = explain(&site, &["/fr/", "our story"]);
    assert_eq!(
        (&only(&story)["origin"], &only(&story)["target"]),
        (&json!("refused"), &Value::Null)
    );
    let report = explain(&site, &["/fr/"]);
    let french = &report["locales"][0];
    assert_eq!(
        (&french["standing"], &french["published"]),
        (&json!("tooLittle"), &json!(false))
    );
    let warm = french["texts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|text| text["source"] == "Warm rolls")
        .unwrap();
    assert_eq!(warm["origin"], "none");
    assert!(
        french["hints"][0]
            .as_str()
            .unwrap()
            .starts_with("fx: no model for en to fr"),
        "{french:#}"
    );
    let said = String::from_utf8(site.run(&["explain", "/fr/"]).stdout).unwrap();
    assert!(
        said.contains("less than the 40 % of min_translated: readers are led to the source page"),
        "{said}"
    );
}

#[test]
fn holder_of_the_state_is_named() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]\n",
        &[("index.html", PAGE)],
    );
    site.build(&[], 0);
    support::api::give_api(&site, "");
    let _server = support::api::Api::start(site.folder());
    site.run(&["explain", "/es/"])
        .failed(1, &["in use by process", "latimer serve"]);
}

#[test]
fn it_says_why_a_page_was_rendered_the_last_time() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"pseudo\"\n",
        &[
            ("index.html", "<p>Fresh bread</p>"),
            ("about.html", "<p>About us</p>"),
        ],
    );
    site.build(&[], 0);
    site.edit("source/about.html", "About", "All about");
    site.build(&[], 0);
    for (page, cause) in [("/about.html", "source"), ("/", "new")] {
        assert_eq!(
            explain(&site, &[page])["locales"][0]["renderedBecause"],
            cause,
            "{page}"
        );
    }
    let said = String::from_utf8(site.run(&["explain", "/about.html"]).stdout).unwrap();
    assert!(
        said.contains("\n  rendered the last time because its source changed\n"),
        "{said}"
    );
}

#[test]
fn characters_that_turn_or_hide_others_are_shown_to_people_and_kept_for_programs() {
    let text = "Pay\u{200b}pal \u{202e}lap \u{1b}[2J";
    let site = Site::new("locales = [\"es\"]\nengine = \"identity\"", &[]);
    site.write(
        "source/index.html",
        &format!("<!doctype html><title>Bread</title><p>{text}</p>"),
    );
    let shown = |arguments: &[&str]| {
        let ran = site.run(arguments);
        let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
        let hidden = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{200b}'..='\u{202e}');
        assert!(!said.contains(hidden), "{arguments:?}: {said:?}");
        said
    };
    shown(&["build"]);
    assert!(shown(&["explain", "/"]).contains("Pay\\u{200b}pal \\u{202e}lap"));
    let json = site.run(&["explain", "/", "--json"]).json().to_string();
    assert!(json.contains("Pay\u{200b}pal \u{202e}lap"), "{json}");
    assert!(shown(&["explain", "/", "no\u{202e}ne"]).contains("no\\u{202e}ne"));
    // Characters of file names are shown as well.
    assert!(shown(&["build", "-c", "no\u{202e}ne.toml"]).contains("no\\u{202e}ne.toml"));
    site.edit("latimer.toml", "\"source\"", "\"so\u{202e}urce\"");
    assert!(shown(&["doctor"]).contains("so\\u{202e}urce"));
    assert!(shown(&["audit", "a\u{200b}b"]).contains("a\\u{200b}b"));
}
