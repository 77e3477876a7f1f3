//! Changes of several texts over the API, and back again.

use serde_json::{Value, json};

use super::{Texts, site};
use crate::support::Site;
use crate::support::api;

const SEGMENTS: &str = "/api/sites/site/locales/es/segments";

/// Texts of the list in Spanish: source, state and translation.
fn shown(texts: &Texts) -> Vec<String> {
    let list = texts.get("locales/es/segments?limit=200");
    let items = list["items"].as_array().unwrap().iter();
    let text = |item: &Value| {
        let words = item["translation"].as_str().unwrap_or("-");
        let source = item["source"].as_str().unwrap();
        format!("{source}: {} {words}", item["state"].as_str().unwrap())
    };
    items.map(text).collect()
}

impl Texts {
    #[track_caller]
    pub(super) fn post(&self, what: &str, body: &Value) -> Value {
        let path = format!("{SEGMENTS}/{what}");
        let answer = self
            .server
            .call("POST", &path, &self.token, &body.to_string());
        assert_eq!(answer.status, 200, "{body}: {}", answer.body);
        answer.json
    }

    pub(super) fn id(&self, source: &str) -> String {
        let list = self.get(&format!("locales/es/segments?q={source}&in=source"));
        list["items"][0]["segmentId"].as_str().unwrap().to_owned()
    }

    pub(super) fn put(&self, id: &str, body: &Value) -> api::Answer {
        let path = format!("{SEGMENTS}/{id}");
        let now = self.server.call("GET", &path, &self.token, "").json;
        let head = format!("If-Match: \"{}\"\r\n", now["revision"].as_str().unwrap());
        self.server
            .call_with("PUT", &path, &self.token, &head, &body.to_string())
    }
}

/// Reasons why texts stay as they are, by their source.
fn reasons(changes: &Value) -> Vec<String> {
    let unchanged = changes["unchanged"].as_array().unwrap().iter();
    let mut reasons: Vec<String> = unchanged
        .map(|text| {
            format!(
                "{}: {}",
                text["source"].as_str().unwrap(),
                text["reason"].as_str().unwrap()
            )
        })
        .collect();
    reasons.sort();
    reasons
}

#[test]
fn several_texts_change_together_and_back_again() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let before = shown(&texts);
    let all = json!({ "state": "untranslated,draft,outdated,refused,approved" });
    let approve = json!({ "action": "approve", "filter": all, "dryRun": true });
    let dry = texts.post("actions", &approve);
    assert_eq!(
        (&dry["changed"], &dry["batchId"]),
        (&json!(2), &Value::Null),
        "{dry:#}"
    );
    assert_eq!(shown(&texts), before, "a dry run changes nothing");
    let done = texts.post("actions", &json!({ "action": "approve", "filter": all }));
    assert_eq!(
        reasons(&done),
        [
            "Bakery: no_words",
            "Call <g id=\"1\">us</g>: to_review",
            "Oven: same",
            "ÜBER alles: no_words"
        ]
    );
    let fresh = "Fresh bread every day and rolls on Sundays";
    let approved = [
        "Bakery: untranslated -",
        "Home: approved Casa",
        "Call <g id=\"1\">us</g>: refused -",
        &format!("{fresh}: approved Pan y bollos los domingos"),
        "ÜBER alles: untranslated -",
        "Oven: approved Horno",
    ];
    assert_eq!(shown(&texts), approved);
    // Somebody edits one of them later; an undo brings back the other one, and can be undone.
    let home = texts.id("home");
    assert_eq!(
        texts.put(&home, &json!({ "translation": "Hogar" })).status,
        200
    );
    let undo = texts.post("undo", &json!({ "batchId": done["batchId"] }));
    assert_eq!(
        (&undo["changed"], reasons(&undo)),
        (&json!(1), vec!["Home: stale_revision".to_owned()])
    );
    let mut expected = before.clone();
    expected[1] = "Home: approved Hogar".to_owned();
    assert_eq!(shown(&texts), expected);
    texts.post("undo", &json!({ "batchId": undo["batchId"] }));
    expected[3] = approved[3].to_owned();
    assert_eq!(shown(&texts), expected);
    let all_of_ana = json!({ "by": "ana", "since": "2026-01-01T00:00:00Z" });
    assert_eq!(texts.post("undo", &all_of_ana)["changed"], 2);
    assert_eq!(shown(&texts), before);
    let nobody = json!({ "by": "ben", "since": "2026-01-01T00:00:00Z" });
    assert_eq!(texts.post("undo", &nobody)["changed"], 0);
}

#[test]
fn locked_words_stay_and_rejected_ones_are_the_source_text() {
    let site = site();
    site.build(&[], 6);
    let mut texts = Texts::of(&site);
    let oven = texts.id("oven");
    let act = |texts: &Texts, action: &str, ids: &[&str]| {
        let done = texts.post("actions", &json!({ "action": action, "segmentIds": ids }));
        (done["changed"].as_u64().unwrap(), reasons(&done))
    };
    assert_eq!(act(&texts, "lock", &[&oven]).0, 1);
    for (action, reason) in [
        ("lock", "same"),
        ("approve", "segment_locked"),
        ("reject", "segment_locked"),
    ] {
        assert_eq!(
            act(&texts, action, &[&oven]),
            (0, vec![format!("Oven: {reason}")])
        );
    }
    let answer = texts.put(&oven, &json!({ "translation": "Fogón" }));
    assert_eq!(
        (answer.status, &answer.json["details"]["code"]),
        (409, &json!("segment_locked"))
    );
    // Later words of the file wait beside them.
    site.edit("po/es.po", "\"Horno\"", "\"Fogón\"");
    let locked = texts.get(&format!("locales/es/segments/{oven}"));
    assert_eq!(
        (
            &locked["state"],
            &locked["translation"],
            &locked["waiting"]["translation"]
        ),
        (&json!("locked"), &json!("Horno"), &json!("Fogón"))
    );
    // Only who may review unlocks them; then the newer words of the file stand.
    let reviewer = texts.token.clone();
    texts.token = api::token_with(
        site.folder(),
        "ben",
        "site",
        "sites:read translations:read translations:write",
    );
    for body in [
        json!({ "state": "approved" }),
        json!({ "translation": "Mío" }),
    ] {
        assert_eq!(texts.put(&oven, &body).status, 409, "{body}");
    }
    texts.token = reviewer;
    let answer = texts.put(&oven, &json!({ "state": "approved" }));
    assert_eq!(answer.json["translation"], "Fogón", "{}", answer.body);
    site.edit("po/es.po", "\"Fogón\"", "\"Horno\"");

    // An engine is not asked for rejected words.
    let bakery = texts.id("bakery");
    assert_eq!(act(&texts, "reject", &[&bakery]).0, 1);
    assert_eq!(texts.sources("state=rejected"), ["Bakery"]);
    drop(texts);
    site.edit("latimer.toml", "engine = \"fx\"", "engine = \"pseudo\"");
    let report = site.build(&[], 6);
    let page = site.read("dist/site/es/index.html");
    assert!(page.contains("<title>Bakery</title>"), "{page}");
    let words = &crate::support::locale(&report, "es")["words"];
    assert!(words["untranslated"].as_u64().unwrap() > 0, "{report:#}");
    // What stood before a draft stands again when the draft is rejected.
    let texts = Texts::of(&site);
    assert_eq!(texts.sources("state=rejected"), ["Bakery"]);
    let über = texts.id("alles");
    texts.put(&über, &json!({ "translation": "Sobre todo" }));
    texts.put(&über, &json!({ "translation": "Encima", "state": "draft" }));
    texts.put(&über, &json!({ "state": "rejected" }));
    let text = texts.get(&format!("locales/es/segments/{über}"));
    assert_eq!(
        (&text["state"], &text["translation"]),
        (&json!("approved"), &json!("Sobre todo"))
    );
}

#[test]
fn words_are_replaced_but_not_those_that_changed_since() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let [oven, bakery] = ["oven", "bakery"].map(|source| texts.id(source));
    let call = texts.id("call");
    for (id, words) in [(&bakery, "Pan y horno"), (&call, "<g id=\"1\">HORNO</g>")] {
        let answer = texts.put(id, &json!({ "translation": words }));
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let revision = texts.get("locales/es/segments")["revision"].clone();
    let replace = |with: &str, as_of: &Value| json!({ "action": "replace", "filter": { "q": "horno" }, "find": "horno", "replaceWith": with, "asOf": as_of });
    assert_eq!(
        texts
            .put(&oven, &json!({ "translation": "El horno" }))
            .status,
        200
    );
    let done = texts.post("actions", &replace("té", &revision));
    assert_eq!(reasons(&done), ["Oven: stale_revision"]);
    let words = |id: &str| {
        let text = texts.get(&format!("locales/es/segments/{id}"));
        text["translation"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        [&bakery, &call, &oven].map(|id| words(id)),
        ["Pan y té", "<g id=\"1\">Té</g>", "El horno"]
    );
    // Nothing may be left of a text.
    texts.put(&oven, &json!({ "translation": "horno" }));
    let empty = json!({ "action": "replace", "filter": { "q": "horno" }, "find": "horno", "replaceWith": "" });
    let done = texts.post("actions", &empty);
    assert_eq!(
        (&done["refused"], reasons(&done)),
        (&json!(1), vec!["Oven: markup_mismatch".to_owned()])
    );
    // A file that changed since is another matter: nothing changes at all.
    site.edit("po/es.po", "Pan y bollos", "Bollos y pan");
    let path = format!("{SEGMENTS}/actions");
    let body = replace("pan", &revision).to_string();
    let answer = texts.server.call("POST", &path, &texts.token, &body);
    assert_eq!(
        (answer.status, &answer.json["details"]["code"]),
        (412, &json!("stale_revision"))
    );
    let now = texts.get("locales/es/segments")["revision"].clone();
    assert_eq!(answer.json["details"]["current"], now);
}

#[test]
fn people_without_the_scope_leave_drafts_where_the_site_wants_a_review() {
    let site = site();
    site.edit(
        "latimer.toml",
        "min_translated = 0\n",
        "min_translated = 0\nreview.approve = \"review\"\n",
    );
    site.build(&[], 6);
    let mut texts = Texts::of(&site);
    texts.token = api::token_with(
        site.folder(),
        "ben",
        "site",
        "sites:read translations:read translations:write",
    );
    let oven = texts.id("oven");
    let answer = texts.put(&oven, &json!({ "translation": "Fogón" }));
    assert_eq!(
        (&answer.json["state"], &answer.json["translation"]),
        (&json!("draft"), &json!("Horno")),
        "{}",
        answer.body
    );
    for state in ["approved", "rejected", "locked", "untranslated"] {
        assert_eq!(
            texts.put(&oven, &json!({ "state": state })).status,
            403,
            "{state}"
        );
    }
    let body = json!({ "action": "approve", "segmentIds": [oven] }).to_string();
    let path = format!("{SEGMENTS}/actions");
    assert_eq!(
        texts.server.call("POST", &path, &texts.token, &body).status,
        403
    );
    texts.token = api::token(site.folder(), "ana", "site");
    assert_eq!(
        texts.put(&oven, &json!({ "state": "approved" })).json["translation"],
        "Fogón"
    );
}

/// Callers who all saw the same version of each text: one of them writes, and each of the others is told that it changed.
#[test]
fn nobody_overwrites_what_they_did_not_see() {
    const CALLERS: usize = 20;
    const TEXTS: usize = 200;
    let pages: Vec<String> = (0..TEXTS)
        .map(|number| format!("<p>Loaf of kind {}</p>", letters(number)))
        .collect();
    let table = "locales = [\"es\"]\nmin_translated = 0\nengine = \"pseudo\"";
    let site = Site::new(table, &[("index.html", &pages.concat())]);
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    let texts = Texts::of(&site);
    let list = texts.get("locales/es/segments?q=loaf&in=source&limit=200");
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), TEXTS);
    let mut seen = Vec::new();
    for item in items {
        let id = item["segmentId"].as_str().unwrap().to_owned();
        let text = texts.get(&format!("locales/es/segments/{id}"));
        seen.push((id, text["revision"].as_str().unwrap().to_owned()));
    }
    let tokens: Vec<String> = (0..CALLERS)
        .map(|caller| api::token(site.folder(), &format!("caller{caller}"), "site"))
        .collect();
    let write = |caller: usize| {
        let mut written = Vec::new();
        for number in 0..TEXTS {
            // Each begins elsewhere, so that they meet in every order.
            let (id, revision) = &seen[(number + caller * 7) % TEXTS];
            let head = format!("If-Match: \"{revision}\"\r\n");
            let body = json!({ "translation": format!("Words of {caller}") }).to_string();
            let path = format!("{SEGMENTS}/{id}");
            let answer = texts
                .server
                .call_with("PUT", &path, &tokens[caller], &head, &body);
            match answer.status {
                200 => written.push(id.clone()),
                412 => assert_eq!(answer.json["details"]["code"], "stale_revision"),
                status => panic!("{status}: {}", answer.body),
            }
        }
        written
    };
    let written: Vec<Vec<String>> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| scope.spawn(move || write(caller)))
            .collect();
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .collect()
    });
    assert_eq!(written.iter().map(Vec::len).sum::<usize>(), TEXTS);
    for (caller, ids) in written.iter().enumerate() {
        for id in ids {
            let text = texts.get(&format!("locales/es/segments/{id}"));
            assert_eq!(text["translation"], format!("Words of {caller}"));
            assert_eq!(text["history"].as_array().unwrap().len(), 1);
        }
    }
}

/// A number in letters, which engines do not take for a value.
fn letters(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 26).unwrap());
    [number / 26, number].map(letter).iter().collect()
}

/// Machine words that a build replaced after somebody looked are approved by nobody.
#[test]
fn words_that_a_build_replaced_since_are_not_approved() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let list = texts.get("locales/fr/segments?state=machine");
    let id = list["items"][0]["segmentId"].as_str().unwrap().to_owned();
    let path = format!("/api/sites/site/locales/fr/segments/{id}");
    let seen = texts.server.call("GET", &path, &texts.token, "").json;
    drop(texts);
    site.edit("latimer.toml", "[site.locale.fr]\nengine = \"pseudo\"", "[site.locale.fr]\nengine = \"other\"\n[engine.other]\nkind = \"command\"\nprogram = \"sed\"\nargs = [\"-u\", 's/\"text\":\"/\"text\":\"¡/']");
    let report = site.build(&["--force"], 6);
    let texts = Texts::of(&site);
    let now = texts.server.call("GET", &path, &texts.token, "").json;
    assert_ne!(now["translation"], seen["translation"], "{report:#}");
    let head = format!("If-Match: \"{}\"\r\n", seen["revision"].as_str().unwrap());
    let body = json!({ "state": "approved" }).to_string();
    let answer = texts
        .server
        .call_with("PUT", &path, &texts.token, &head, &body);
    assert_eq!(answer.status, 412, "{}", answer.body);
    let body = json!({ "action": "approve", "segmentIds": [id], "asOf": list["revision"] });
    let actions = "/api/sites/site/locales/fr/segments/actions";
    let answer = texts
        .server
        .call("POST", actions, &texts.token, &body.to_string());
    assert_eq!(answer.status, 412, "{}", answer.body);
}

/// A decision stands against the file as it was when somebody decided, not as it was when somebody saved a draft.
#[test]
fn drafts_change_nothing_that_readers_get() {
    let site = site();
    site.edit(
        "latimer.toml",
        "min_translated = 0\n",
        "min_translated = 0\nreview.approve = \"review\"\n",
    );
    site.build(&[], 6);
    let mut texts = Texts::of(&site);
    let [oven, home] = ["oven", "home"].map(|source| texts.id(source));
    let words = |texts: &Texts, id: &str| {
        let text = texts.get(&format!("locales/es/segments/{id}"));
        text["translation"].as_str().unwrap_or("-").to_owned()
    };
    texts.put(&oven, &json!({ "translation": "Pan" }));
    let rejected = json!({ "action": "reject", "segmentIds": [home] });
    assert_eq!(texts.post("actions", &rejected)["changed"], 1);
    // The file gets newer words for both.
    site.edit("po/es.po", "\"Horno\"", "\"Fogón\"");
    site.edit("po/es.po", "#, fuzzy\nmsgid \"Home\"", "msgid \"Home\"");
    let before = [words(&texts, &oven), words(&texts, &home)];
    assert_eq!(before, ["Fogón", "Casa"]);
    let reviewer = texts.token.clone();
    texts.token = api::token_with(
        site.folder(),
        "ben",
        "site",
        "sites:read translations:read translations:write",
    );
    for id in [&oven, &home] {
        let answer = texts.put(id, &json!({ "translation": "Borrador" }));
        assert_eq!(answer.json["state"], "draft", "{}", answer.body);
    }
    assert_eq!([words(&texts, &oven), words(&texts, &home)], before);
    texts.token = reviewer;
    let rejected = json!({ "action": "reject", "segmentIds": [oven, home] });
    let done = texts.post("actions", &rejected);
    assert_eq!(done["changed"], 2, "{done:#}");
    assert_eq!([words(&texts, &oven), words(&texts, &home)], before);
}

/// After an undo the list says what the next build publishes.
#[test]
fn undone_words_stand_as_the_file_lets_them() {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let oven = texts.id("oven");
    let words = |texts: &Texts| {
        let text = texts.get(&format!("locales/es/segments/{oven}"));
        text["translation"].as_str().unwrap().to_owned()
    };
    texts.put(&oven, &json!({ "translation": "Pan" }));
    site.edit("po/es.po", "\"Horno\"", "\"Fogón\"");
    let replace =
        json!({ "action": "replace", "segmentIds": [oven], "find": "Fogón", "replaceWith": "Té" });
    let done = texts.post("actions", &replace);
    assert_eq!(words(&texts), "Té");
    let undone = texts.post("undo", &json!({ "batchId": done["batchId"] }));
    assert_eq!(undone["examples"][0]["after"], Value::Null, "{undone:#}");
    assert_eq!(words(&texts), "Fogón");
    drop(texts);
    site.build(&[], 6);
    assert!(site.read("dist/site/es/docs/one.html").contains("Fogón"));
}
