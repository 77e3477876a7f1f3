//! Words of people and of engines, and texts that wait for a person, as reports and the API count them.

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::{self, Site};

/// A reviewed text whose code is broken, one whose source changed and one that is fuzzy are to review, however many pages are
/// read; words of an engine are no words of people.
#[test]
fn words_that_wait_for_a_person_are_counted_and_told_from_a_machines() {
    let table =
        "locales = [\"es\", \"en-XA\"]\nengine = \"pseudo\"\ntranslations = \"po/{lang}.po\"";
    let source = "Fresh bread every day and rolls on Sundays";
    let nav = "<p>Home</p><p>Call <a href=/call.html>us</a></p>";
    let site = Site::new(
        table,
        &[
            ("index.html", &format!("{nav}<p>{source}</p>")),
            ("call.html", &format!("{nav}<p>Ring</p>")),
            ("plain.html", "<p>Oven</p>"),
        ],
    );
    let entry = |flag: &str, text: &str, words: &str| {
        format!("{flag}msgid \"{text}\"\nmsgstr \"{words}\"\n\n")
    };
    let call = "Call <g id=\\\"1\\\">us</g>";
    let es = [
        entry("", "Oven", "Horno"),
        entry("#, fuzzy\n", "Home", "Casa"),
        entry("", call, "Llame <g id=\\\"1\\\">"),
        entry(
            "",
            &source.replace("and rolls", "and some rolls"),
            "Pan y bollos los domingos",
        ),
    ];
    site.write("po/es.po", &es.concat());
    api::give_api(&site, "");
    let known = |what: &str, code: i32| {
        let report = site.build(&[], code);
        assert_eq!(support::locale(&report, "es")["toReview"], 3, "{what}");
        let server = Api::start(site.folder());
        let token = api::token(site.folder(), "ana", "site");
        let get = |path: &str| server.call("GET", path, &token, "").json;
        let one = get("/api/sites/site");
        let of_page = get("/api/sites/site/pages?view=full");
        let explained = get("/api/sites/site/explanation?page=/&targetLang=es");
        (one, of_page, explained)
    };
    let (one, pages, explained) = known("first build", 6);
    let figures = |of: &Value| (of["words"].clone(), of["toReview"].clone());
    assert_eq!(
        figures(&one["locales"][0]),
        (
            json!({ "people": 1, "machine": 15, "untranslated": 0 }),
            json!(3)
        ),
        "{one:#}"
    );
    assert_eq!(
        figures(&one["locales"][1]),
        (
            json!({ "people": 0, "machine": 16, "untranslated": 0 }),
            json!(0)
        ),
        "{one:#}"
    );
    for (path, waiting) in [("/", 3), ("/call.html", 2), ("/plain.html", 0)] {
        let items = pages["items"].as_array().unwrap();
        let page = items.iter().find(|page| page["path"] == path).unwrap();
        assert_eq!(page["locales"]["es"]["toReview"], waiting, "{page:#}");
    }
    let language = &explained["languages"][0];
    assert_eq!(language["toReview"], 3, "{language:#}");
    let waits = language["texts"].as_array().unwrap().iter();
    let waits: Vec<&Value> = waits.filter(|text| text["toReview"] == true).collect();
    assert_eq!(waits.len(), 3);
    assert_eq!(
        waits[0]["outdated"],
        json!({ "source": "Home", "target": "Casa" })
    );
    // Pages that are carried over are counted as those that are read.
    site.edit("source/plain.html", "Oven", "Stove");
    known("an edit elsewhere", 6);
}

/// A page that a build need not read keeps its count, and a text that stands on such pages alone counts once.
#[test]
fn texts_to_review_on_cached_pages_are_counted() {
    let table = "locales = [\"es\"]\nengine = \"pseudo\"\ntranslations = \"po/{lang}.po\"";
    let nav = "<p>Opening hours</p>";
    let site = Site::new(
        table,
        &[
            ("index.html", "<p>Welcome</p>"),
            ("a.html", nav),
            ("b.html", nav),
            ("c.html", "<p>Oven</p>"),
        ],
    );
    site.write(
        "po/es.po",
        "#, fuzzy\nmsgid \"Opening hours\"\nmsgstr \"Horario\"\n",
    );
    api::give_api(&site, "");
    for text in ["Oven", "Stove", "Range"] {
        site.write("source/c.html", &format!("<p>{text}</p>"));
        let report = site.build(&[], 0);
        assert_eq!(support::locale(&report, "es")["toReview"], 1, "{text}");
        if text != "Oven" {
            // The home page is always read.
            assert_eq!(report["work"]["read"], 2, "{report:#}");
        }
        let server = Api::start(site.folder());
        let token = api::token(site.folder(), "ana", "site");
        let one = server.call("GET", "/api/sites/site", &token, "").json;
        assert_eq!(one["locales"][0]["toReview"], 1, "{text}");
        let pages = server
            .call("GET", "/api/sites/site/pages?view=full", &token, "")
            .json;
        for page in pages["items"].as_array().unwrap() {
            let path = page["path"].as_str().unwrap();
            let waiting = u64::from(["/a.html", "/b.html"].contains(&path));
            assert_eq!(page["locales"]["es"]["toReview"], waiting, "{path} {text}");
        }
    }
}
