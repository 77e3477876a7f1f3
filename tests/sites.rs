//! Sites over the API: what a dashboard shows of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod support;

use serde_json::{Value, json};
use support::Site;
use support::api::{self, Api};

#[track_caller]
fn keys(value: &Value) -> String {
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is no object"));
    object.keys().cloned().collect::<Vec<_>>().join(" ")
}

#[test]
fn dashboard_gets_exactly_these_keys_and_true_figures() {
    let site = Site::new(
        "locales = [\"es\", \"de\"]\nengine = [\"none\"]\ntranslations = \"{lang}.po\"\nmin_translated = 0.9\n\
         [engine.none]\nkind = \"command\"\nprogram = \"false\"",
        &[("index.html", "<p>One two three.</p>"), ("a.html", "<p>One two three.</p><p>Four.</p>")],
    );
    site.write(
        "es.po",
        "msgid \"\"\nmsgstr \"Language: es\\n\"\n\nmsgid \"One two three.\"\nmsgstr \"Uno dos tres.\"\n",
    );
    api::give_api(&site, "");
    site.build(&[], 6);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let get = |path: &str| server.call("GET", path, &token, "").json;

    let list = get("/api/sites");
    assert_eq!(keys(&list), "items total");
    let one = get("/api/sites/site");
    assert_eq!(list["items"], json!([one]));
    assert_eq!(keys(&one), "activeDeploymentId enabled locales siteId source sourceLocale");
    assert_eq!(one["source"], json!({ "kind": "folder" }));
    assert_eq!(keys(&one["locales"][0]), "completeness serveEnabled servingStatus targetLang");
    let figures = |discovered: u64, translated: u64, percentage: f64, status: &str| {
        json!({ "discoveredPages": discovered, "translatedPages": translated, "pendingPages": discovered - translated,
                "percentage": percentage, "status": status })
    };
    assert_eq!(one["locales"][0]["completeness"], figures(2, 1, 85.7, "partial"));
    assert_eq!(one["locales"][1]["completeness"], figures(2, 0, 0.0, "not_started"));

    let pages = get("/api/sites/site/pages");
    assert_eq!((keys(&pages), &pages["total"]), ("items total".into(), &json!(2)));
    let [a, home] = pages["items"].as_array().unwrap().as_slice() else { panic!("{pages}") };
    let (a, home) = if a["path"] == "/" { (home, a) } else { (a, home) };
    assert_eq!((keys(a), &a["sourceStatus"]), ("locales path sourceStatus".into(), &json!("fetched")));
    assert_eq!(keys(&a["locales"]["es"]), "publishedAt translated");
    assert_eq!(a["locales"]["es"], json!({ "translated": 0.75, "publishedAt": null }));
    assert_eq!(home["locales"]["es"]["translated"], 1.0);
    assert!(home["locales"]["es"]["publishedAt"].as_str().unwrap().ends_with('Z'), "{home}");
    assert_eq!(home["locales"]["de"], json!({ "translated": 0.0, "publishedAt": null }));
    assert_eq!(get("/api/sites/site/pages?limit=1&offset=1")["items"].as_array().unwrap().len(), 1);

    let deployments = get("/api/sites/site/deployments");
    assert_eq!((keys(&deployments), &deployments["total"]), ("items total".into(), &json!(1)));
    let first = &deployments["items"][0];
    assert_eq!(keys(first), "active createdAt deploymentId locales objects");
    assert_eq!((&first["active"], &first["locales"]), (&json!(true), &json!(["de", "es"])));
    assert_eq!(first["deploymentId"], one["activeDeploymentId"]);
    assert_eq!(first["deploymentId"], get("/api/sites/site/runs")["items"][0]["deploymentId"]);
    assert!(first["objects"].as_u64().unwrap() >= 3, "{first}");

    let languages = server.call("GET", "/api/meta/languages", "", "").json;
    assert_eq!(keys(&languages), "languages");
    let arabic = languages["languages"].as_array().unwrap().iter().find(|language| language["tag"] == "ar").unwrap();
    let expected = json!({ "tag": "ar", "englishName": "Arabic", "nativeName": "العربية", "direction": "rtl" });
    assert_eq!(arabic, &expected);
}
