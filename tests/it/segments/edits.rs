//! Words that people write over the API.

use serde_json::{Value, json};

use super::{Texts, site};
use crate::support::Site;
use crate::support::api;

/// Texts of a page in Spanish as the program explains them.
fn texts_of_page(site: &Site, page: &str) -> Vec<Value> {
    let texts = Texts::of(site);
    let explained = texts.get(&format!("explanation?page={page}&targetLang=es"));
    explained["languages"][0]["texts"]
        .as_array()
        .unwrap()
        .clone()
}

/// A draft waits beside what stands, whether that is of the file or of the state, and whatever the file says meanwhile.
#[test]
fn a_draft_takes_no_words_from_readers() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let oven = texts.get("locales/es/segments?q=horno")["items"][0]["segmentId"].clone();
    let path = format!(
        "/api/sites/site/locales/es/segments/{}",
        oven.as_str().unwrap()
    );
    let now = || texts.server.call("GET", &path, &texts.token, "").json;
    let put = |body: &Value| {
        let head = format!("If-Match: \"{}\"\r\n", now()["revision"].as_str().unwrap());
        let answer = texts
            .server
            .call_with("PUT", &path, &texts.token, &head, &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json
    };
    let draft = |words: &str| json!({ "translation": words, "state": "draft" });
    let shown = |text: &Value| {
        let waiting = text["waiting"]["translation"].as_str().unwrap_or("-");
        format!("{} {} {waiting}", text["state"], text["translation"])
    };
    assert_eq!(shown(&put(&draft("Uno"))), "\"draft\" \"Horno\" Uno");
    // The file changes: its words stand, and the draft waits.
    site.edit("po/es.po", "\"Horno\"", "\"Fogón\"");
    assert_eq!(shown(&now()), "\"draft\" \"Fogón\" Uno");
    assert_eq!(texts.sources("q=uno&state=draft"), ["Oven"]);
    assert_eq!(
        shown(&put(&json!({ "translation": "Dos" }))),
        "\"approved\" \"Dos\" -"
    );
    assert_eq!(shown(&put(&draft("Tres"))), "\"draft\" \"Dos\" Tres");
    assert_eq!(shown(&put(&draft("Cuatro"))), "\"draft\" \"Dos\" Cuatro");
    // A fuzzy flag in the file takes nothing away either.
    site.edit("po/es.po", "msgid \"Oven\"", "#, fuzzy\nmsgid \"Oven\"");
    assert_eq!(now()["translation"], "Dos");
    drop(texts);
    site.build(&[], 6);
    assert!(site.read("dist/site/es/docs/one.html").contains("Dos"));
    let ran = site.run(&["export", "--locale", "es", "-"]);
    assert!(
        String::from_utf8(ran.stdout)
            .unwrap()
            .contains("msgstr \"Dos\"")
    );
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
    // A caller with the first version changes nothing.
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
    let explained = texts_of_page(&site, "/");
    let title = explained
        .iter()
        .find(|text| text["source"] == "Bakery")
        .unwrap();
    assert_eq!(
        (&title["origin"], &title["file"]),
        (&json!("person"), &Value::Null),
        "{title:#}"
    );
    // The file is unchanged.
    assert!(site.read("po/es.po").contains("Horno"));

    // Words that somebody approves in the file afterwards stand.
    site.edit("po/es.po", "\"Horno\"", "\"Fogón\"");
    site.build(&[], 0);
    assert!(site.read("dist/site/es/docs/one.html").contains("Fogón"));
}

/// Edits are published without a crawl and without engines, and the API counts those that are not.
#[test]
fn edits_are_published_by_a_render() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let waiting = || {
        let about = texts
            .server
            .call("GET", "/api/sites/site", &texts.token, "");
        let about = about.json;
        let locales = about["locales"].as_array().unwrap().iter();
        let edits = locales.map(|locale| locale["editsToPublish"].as_u64().unwrap());
        edits.collect::<Vec<_>>()
    };
    assert_eq!(waiting(), [0, 0]);
    let oven = texts.id("oven");
    for words in ["Uno", "Dos"] {
        let answer = texts.put(&oven, &json!({ "translation": words }));
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(waiting(), [2, 0]);
    // What changed in the source waits for a build.
    site.edit("source/docs/one.html", "Oven", "Furnace");
    let path = "/api/sites/site/render";
    let answer = texts.server.call("POST", path, &texts.token, "");
    assert_eq!(answer.status, 202, "{}", answer.body);
    let run = answer.json["runId"].as_str().unwrap();
    let at = format!("/api/sites/site/runs/{run}");
    let run = texts.server.wait_for(&at, &texts.token);
    assert_eq!(run["kind"], "render", "{run:#}");
    let page = site.read("dist/site/es/docs/one.html");
    assert!(page.contains("Dos") && !page.contains("Furnace"), "{page}");
    assert_eq!(waiting(), [0, 0]);
}
