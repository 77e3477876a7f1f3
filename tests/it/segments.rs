//! Texts of a site over the API: lists, searches, and one text with its surroundings.

use serde_json::{Value, json};

use crate::support::Site;
use crate::support::api::{self, Api};

/// A site whose texts are in every state.
fn site() -> Site {
    let table = "locales = [\"es\", \"fr\"]\ntranslations = \"po/{lang}.po\"\nmin_translated = 0\n[site.locale.fr]\nengine = \"pseudo\"";
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
        json!({ "untranslated": 2, "machine": 0, "draft": 1, "outdated": 1, "refused": 1, "approved": 1, "untouched": 0 })
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
    // What another builder published is read from the store.
    std::fs::remove_file(site.folder().join(".latimer/state.redb")).unwrap();
    let texts = Texts::of(&site);
    assert_eq!(texts.sources("limit=200"), before);
}

/// Words written over the API are those of the next build, and whoever saw an older version changes nothing.
#[test]
fn words_of_a_person_are_kept_and_published() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let find = |source: &str| {
        let list = texts.get(&format!("locales/es/segments?q={source}&in=source"));
        list["items"][0]["segmentId"].as_str().unwrap().to_owned()
    };
    let put = |id: &str, seen: &str, body: &Value| {
        let path = format!("/api/sites/site/locales/es/segments/{id}");
        let head = format!("If-Match: \"{seen}\"\r\n");
        let head = if seen.is_empty() { "" } else { &head };
        texts
            .server
            .call_with("PUT", &path, &texts.token, head, &body.to_string())
    };
    let revision = |id: &str| {
        let text = texts.get(&format!("locales/es/segments/{id}"));
        text["revision"].as_str().unwrap().to_owned()
    };
    let code = |answer: &api::Answer| answer.json["details"]["code"].clone();

    let bakery = find("bakery");
    let first = revision(&bakery);
    let answer = put(&bakery, "", &json!({ "translation": "Panadería" }));
    assert_eq!(
        (answer.status, code(&answer)),
        (428, json!("precondition_required"))
    );
    let answer = put(&bakery, &first, &json!({ "translation": "Panadería" }));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(
        (
            &answer.json["state"],
            &answer.json["origin"],
            &answer.json["translation"]
        ),
        (&json!("approved"), &json!("person"), &json!("Panadería"))
    );
    assert_eq!(answer.json["history"][0]["by"], "ana");
    let second = answer.json["revision"].as_str().unwrap().to_owned();
    assert!(
        answer
            .head
            .to_lowercase()
            .contains(&format!("etag: \"{second}\"")),
        "{}",
        answer.head
    );
    // Whoever saw the first version changes nothing.
    let answer = put(&bakery, &first, &json!({ "translation": "Tahona" }));
    assert_eq!(
        (answer.status, code(&answer)),
        (412, json!("stale_revision"))
    );
    assert_eq!(answer.json["details"]["current"], second.as_str());
    assert_eq!(revision(&bakery), second);

    // Codes are checked, also those of the file that are wrong.
    let call = find("call");
    for wrong in [
        "Llame",
        "<g id=\"1\">Llame",
        "<b>Llame</b> <g id=\"1\">x</g>",
        " ",
    ] {
        let answer = put(&call, &revision(&call), &json!({ "translation": wrong }));
        assert_eq!(
            (answer.status, code(&answer)),
            (400, json!("markup_mismatch")),
            "{wrong}: {}",
            answer.body
        );
    }
    let answer = put(
        &call,
        &revision(&call),
        &json!({ "state": "untranslated", "translation": "x" }),
    );
    assert_eq!(answer.status, 400, "{}", answer.body);
    let answer = put(
        &call,
        &revision(&call),
        &json!({ "translation": "Llame<g id=\"1\">nos</g>" }),
    );
    assert_eq!(answer.json["state"], "approved", "{}", answer.body);
    // A draft waits, and words that are cleared are gone.
    let alles = find("alles");
    let answer = put(
        &alles,
        &revision(&alles),
        &json!({ "translation": "Sobre todo", "state": "draft" }),
    );
    assert_eq!(
        (
            &answer.json["state"],
            &answer.json["waiting"]["translation"]
        ),
        (&json!("draft"), &json!("Sobre todo"))
    );
    let oven = find("oven");
    let answer = put(&oven, &revision(&oven), &json!({ "state": "untranslated" }));
    assert_eq!(
        (&answer.json["state"], &answer.json["translation"]),
        (&json!("untranslated"), &Value::Null)
    );
    assert_eq!(
        texts.sources("state=approved"),
        ["Bakery", "Call <g id=\"1\">us</g>"]
    );
    drop(texts);

    let report = site.build(&[], 0);
    assert_eq!(
        crate::support::locale(&report, "es")["toReview"],
        3,
        "{report:#}"
    );
    let page = site.read("dist/site/es/index.html");
    assert!(
        page.contains("<title>Panadería</title>") && page.contains(">nos</a>"),
        "{page}"
    );
    let page = site.read("dist/site/es/docs/one.html");
    assert!(page.contains("Oven") && !page.contains("Horno"), "{page}");
    // Nothing writes to the file.
    assert!(site.read("po/es.po").contains("Horno"));

    // Words that somebody approves in the file afterwards stand.
    site.edit("po/es.po", "\"Horno\"", "\"Fogón\"");
    site.build(&[], 0);
    assert!(site.read("dist/site/es/docs/one.html").contains("Fogón"));
}
