//! Texts of a site over the API: lists, searches, and one text with its surroundings.

mod batches;
mod edits;
mod shared;

use serde_json::{Value, json};

use crate::support::Site;
use crate::support::api::{self, Api};

/// A site whose texts are in every state. Spanish has no engine, since the folder has no models.
fn site() -> Site {
    let table = "locales = [\"es\", \"fr\"]\ntranslations = \"po/{lang}.po\"\nmin_translated = 0\n\
                 [site.locale.es]\nengine = \"fx\"\n[site.locale.fr]\nengine = \"pseudo\"";
    let call = "Call <a href=/call.html>us</a>";
    let site = Site::new(
        table,
        &[
            (
                "index.html",
                &format!(
                    "<title>Bakery</title><p>Home</p><p>{call}</p><p>Fresh bread every day and rolls on Sundays</p>"
                ),
            ),
            (
                "call.html",
                &format!("<title>Bakery</title><p>Home</p><p>{call}</p><p>ÜBER alles</p>"),
            ),
            (
                "docs/one.html",
                "<title>Bakery</title><p>Oven</p><p its-locale-filter-list=fr>Only here</p>",
            ),
        ],
    );
    let entry = |flag: &str, text: &str, words: &str| {
        format!("{flag}msgid \"{text}\"\nmsgstr \"{words}\"\n\n")
    };
    let es = [
        entry("", "Oven", "Horno"),
        entry("#, fuzzy\n", "Home", "Casa"),
        entry("", "Call <g id=\\\"1\\\">us</g>", "Llame <g id=\\\"1\\\">"),
        entry(
            "",
            "Fresh bread every day and some rolls on Sundays",
            "Pan y bollos los domingos",
        ),
    ];
    site.write("po/es.po", &es.concat());
    api::give_api(&site, api::NO_LIMITS);
    site
}

struct Texts {
    server: Api,
    token: String,
}

impl Texts {
    fn of(site: &Site) -> Self {
        let server = Api::start(site.folder());
        let token = api::token(site.folder(), "ana", "site");
        Self { server, token }
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        let answer = self
            .server
            .call("GET", &format!("/api/sites/site/{path}"), &self.token, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json
    }

    /// Sources of the list in Spanish.
    #[track_caller]
    fn sources(&self, query: &str) -> Vec<String> {
        let list = self.get(&format!("locales/es/segments?{query}"));
        let items = list["items"].as_array().unwrap().iter();
        let sources: Vec<String> = items
            .map(|item| item["source"].as_str().unwrap().to_owned())
            .collect();
        assert!(
            list["total"].as_u64().unwrap() >= sources.len() as u64,
            "{list:#}"
        );
        sources
    }
}

#[test]
fn lists_have_the_texts_of_a_language_with_their_states() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let list = texts.get("locales/es/segments?limit=200");
    let states: Vec<(&str, &str, &Value)> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (
                item["source"].as_str().unwrap(),
                item["state"].as_str().unwrap(),
                &item["translation"],
            )
        })
        .collect();
    let none = &Value::Null;
    let oven = json!("Horno");
    assert_eq!(
        states,
        [
            ("Bakery", "untranslated", none),
            ("Home", "draft", none),
            ("Call <g id=\"1\">us</g>", "refused", none),
            (
                "Fresh bread every day and rolls on Sundays",
                "outdated",
                none
            ),
            ("ÜBER alles", "untranslated", none),
            ("Oven", "approved", &oven),
        ],
        "{list:#}"
    );
    assert_eq!(
        list["counts"],
        json!({ "untranslated": 2, "machine": 0, "draft": 1, "outdated": 1, "refused": 1, "rejected": 0, "approved": 1, "locked": 0, "untouched": 0 })
    );
    let of = |source: &str| {
        let mut items = list["items"].as_array().unwrap().iter();
        items.find(|item| item["source"] == source).unwrap()
    };
    assert_eq!(
        of("Fresh bread every day and rolls on Sundays")["waiting"],
        json!({
            "translation": "Pan y bollos los domingos",
            "former": "Fresh bread every day and some rolls on Sundays",
        })
    );
    assert_eq!(of("Bakery")["pages"], 3);
    let oven = of("Oven");
    assert_eq!((&oven["file"], &oven["line"]), (&json!("es.po"), &json!(1)));
    let refused = of("Call <g id=\"1\">us</g>")["refused"][0]
        .as_str()
        .unwrap();
    assert!(
        refused.starts_with("the reviewed translation in es.po:"),
        "{refused}"
    );

    // French has an engine, and a text that Spanish lacks.
    let french = texts.get("locales/fr/segments?state=machine&q=only");
    assert_eq!(
        (&french["total"], &french["items"][0]["origin"]),
        (&json!(1), &json!("machine"))
    );
    assert!(
        french["items"][0]["engine"]
            .as_str()
            .unwrap()
            .starts_with("pseudo"),
        "{french:#}"
    );
}

#[test]
fn searches_and_parts_of_lists_find_what_they_should() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    assert_eq!(texts.sources("q=über"), ["ÜBER alles"]);
    assert_eq!(texts.sources("q=HORNO"), ["Oven"]);
    assert_eq!(texts.sources("q=horno&in=source"), [""; 0]);
    assert_eq!(texts.sources("q=oven&in=translation"), [""; 0]);
    assert_eq!(texts.sources("page=/docs/**"), ["Bakery", "Oven"]);
    assert_eq!(
        texts.sources("page=/docs/one.html&state=approved"),
        ["Oven"]
    );
    assert_eq!(texts.sources("page=/none"), [""; 0]);
    let sorted = texts.sources("sort=source");
    let mut expected = sorted.clone();
    expected.sort_by_key(|text| text.to_lowercase());
    assert_eq!(sorted, expected);

    // Parts that go on behind a text, or behind a number of them, are the whole list.
    let whole = texts.sources("limit=200");
    let mut after = Vec::new();
    let mut by_number = Vec::new();
    let mut last = String::new();
    for offset in 0..whole.len() {
        let part = texts.get(&format!("locales/es/segments?limit=1{last}"));
        after.push(part["items"][0]["source"].as_str().unwrap().to_owned());
        last = format!("&after={}", part["items"][0]["segmentId"].as_str().unwrap());
        by_number.extend(texts.sources(&format!("limit=1&offset={offset}")));
    }
    assert_eq!((&after, &by_number), (&whole, &whole));
    assert_eq!(texts.sources(&format!("limit=1{last}")), [""; 0]);

    let all = texts.get("segments?q=oven");
    assert_eq!(
        (
            &all["total"],
            &all["items"][0]["languages"][0]["translation"]
        ),
        (&json!(1), &json!("Horno"))
    );
    assert_eq!(all["items"][0]["languages"][1]["state"], "machine");
    // A text that one language lacks is there with the others.
    let only = texts.get("segments?q=only");
    assert_eq!(
        only["items"][0]["languages"].as_array().unwrap().len(),
        1,
        "{only:#}"
    );
}

#[test]
fn text_has_its_codes_and_neighbours_and_strangers_have_nothing() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let list = texts.get("locales/es/segments?q=call");
    let id = list["items"][0]["segmentId"].as_str().unwrap();
    let text = texts.get(&format!("locales/es/segments/{id}"));
    assert_eq!(
        text["codes"],
        json!([{ "id": 1, "kind": "paired", "element": "a" }])
    );
    assert_eq!(
        text["onPages"],
        json!([
            { "path": "/", "previous": "Home", "next": "Fresh bread every day and rolls on Sundays" },
            { "path": "/call.html", "previous": "Home", "next": "ÜBER alles" },
        ])
    );
    let only = texts.get("locales/fr/segments?q=only");
    let only = only["items"][0]["segmentId"].as_str().unwrap();
    let nobody = &"0".repeat(32);
    let none = [only, nobody, "x"];
    for id in none {
        let path = format!("/api/sites/site/locales/es/segments/{id}");
        let answer = texts.server.call("GET", &path, &texts.token, "");
        assert_eq!(
            (answer.status, &answer.json["details"]["code"]),
            (404, &json!("segment_not_found")),
            "{}",
            answer.body
        );
    }
    let behind = format!("/api/sites/site/locales/es/segments?after={nobody}");
    let behind = texts.server.call("GET", &behind, &texts.token, "");
    assert_eq!(behind.status, 404, "{}", behind.body);
    for (query, path) in [
        ("state=done", "state"),
        ("page=[", "page"),
        ("limit=0", "limit"),
        ("after=x", "after"),
    ] {
        let path_of = format!("/api/sites/site/locales/es/segments?{query}");
        let answer = texts.server.call("GET", &path_of, &texts.token, "");
        assert_eq!(answer.status, 400, "{query}: {}", answer.body);
        assert!(answer.body.contains(path), "{query}: {}", answer.body);
    }
    let reader = api::token_with(site.folder(), "bo", "site", "sites:read");
    let answer = texts
        .server
        .call("GET", "/api/sites/site/segments", &reader, "");
    assert_eq!(
        (answer.status, &answer.json["details"]["code"]),
        (403, &json!("missing_scope")),
        "{}",
        answer.body
    );
}

/// An edit of the file, a build of one page and a lost state are seen by the next list.
#[test]
fn lists_follow_files_builds_and_lost_states() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    assert_eq!(texts.sources("state=approved"), ["Oven"]);
    site.edit("po/es.po", "#, fuzzy\n", "");
    assert_eq!(texts.sources("state=approved"), ["Home", "Oven"]);
    site.edit("source/call.html", "ÜBER alles", "New words");
    drop(texts);
    site.build(&[], 6);
    let texts = Texts::of(&site);
    assert_eq!(texts.sources("q=alles"), [""; 0]);
    assert_eq!(texts.sources("q=new"), ["New words"]);
    let before = texts.sources("limit=200");
    drop(texts);
    // Texts of another builder's deployment are read from the store.
    std::fs::remove_file(site.folder().join(".latimer/state.redb")).unwrap();
    let texts = Texts::of(&site);
    assert_eq!(texts.sources("limit=200"), before);
}
