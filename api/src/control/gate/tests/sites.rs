//! Sites over the API: who sees which, and what callers may say of one.

use super::*;

#[tokio::test]
async fn callers_see_their_sites_and_no_folder() {
    let app = app(unlimited());
    let all = crate::scopes().join(" ");
    for (site, expected) in [
        ("bakery", vec!["bakery"]),
        ("*", vec!["bakery", "shop"]),
        ("nowhere", vec![]),
    ] {
        let (_, list) = call(
            &app,
            "GET",
            "/api/sites",
            "",
            &token("good", "ana", &all, site, 0),
        )
        .await;
        let ids: Vec<_> = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["siteId"].clone())
            .collect();
        assert_eq!(
            (json!(ids), &list["total"]),
            (json!(expected), &json!(expected.len())),
            "{list}"
        );
        assert!(!list.to_string().contains("nowhere/"), "{list}");
    }
    let (_, site) = call(&app, "GET", "/api/sites/bakery", "", &good()).await;
    assert_eq!(
        site["source"],
        json!({ "kind": "folder", "url": "https://bakery.example" })
    );
    let nothing = json!({ "discoveredPages": 0, "translatedPages": 0, "pendingPages": 0, "percentage": 0.0,
                          "status": "not_started" });
    let words = json!({ "people": 0, "machine": 0, "untranslated": 0 });
    let es = json!({ "targetLang": "es", "serveEnabled": true, "servingStatus": "ready", "completeness": nothing,
                     "words": words, "toReview": 0, "editsToPublish": 0 });
    assert_eq!(site["locales"][0], es);
}

#[tokio::test]
async fn added_site_names_things_and_defines_none() {
    let app = app(unlimited());
    let any = token("good", "ana", &crate::scopes().join(" "), "*", 0);
    let put = async |site: &str, body: &str| {
        call(&app, "PUT", &format!("/api/sites/{site}"), body, &any).await
    };
    let with = |more: &str| NEW.replacen('}', &format!(",{more}}}"), 1);
    for key in [
        "allowPrivate",
        "crawl",
        "program",
        "key",
        "templates",
        "translations",
        "memory",
        "html",
        "id",
        "enabled",
    ] {
        check(
            key,
            &put("new", &with(&format!("\"{key}\":\"x\""))).await,
            400,
            "unknown_field",
        );
    }
    let from = |url: &str| NEW.replace("https://new.example/", url);
    for (body, status, code) in [
        (from("/srv/site"), 400, "invalid_url"),
        (from("file:///etc"), 400, "invalid_url"),
        (from("https://u:p@new.example/"), 400, "invalid_url"),
        (from("https://new.example/?a=b"), 400, "invalid_url"),
        (from("https://[/"), 400, "invalid_url"),
        (NEW.replace("\"en\"", "\"e_n\""), 400, "invalid_language"),
        (
            NEW.replace("[\"es\"]", "[\"es\",\"e_s\"]"),
            400,
            "invalid_language",
        ),
        (NEW.replace("[\"es\"]", "[\"en\"]"), 400, "invalid_language"),
        (NEW.replace("[\"es\"]", "[]"), 400, "target_langs_required"),
        (with(r#""engines":["command"]"#), 404, "engine_not_found"),
        (with(r#""engines":[{"kind":"command"}]"#), 400, "wrong_type"),
        (with(r#""url":"https://new.example/""#), 400, "invalid_url"),
        (
            with(r#""url":"https://bakery.example/{lang}""#),
            409,
            "url_taken",
        ),
        (with(r#""exclude":["/a["]"#), 400, "invalid_value"),
        (with(r#""missing":"teapot""#), 400, "unknown_value"),
        (with(r#""minTranslated":2"#), 400, "out_of_range"),
    ] {
        check(&body, &put("new", &body).await, status, code);
    }
    check(
        "x",
        &call(&app, "DELETE", "/api/sites/new", "", &any).await,
        404,
        "site_not_found",
    );
    check(
        "x",
        &call(&app, "PUT", "/api/sites/new", NEW, &good()).await,
        404,
        "site_not_found",
    );
}

#[tokio::test]
async fn added_site_is_there_at_once_until_it_is_removed_and_takes_no_address_away() {
    let app = app(unlimited());
    let any = token("good", "ana", &crate::scopes().join(" "), "*", 0);
    let get = async |path: &str| call(&app, "GET", path, "", &any).await;
    let bakery = SiteId::parse("bakery").unwrap();
    assert!(app.snapshot().needs_no_name(&bakery));
    let body = NEW.replacen(
        '}',
        r#","engines":["pseudo"],"missing":"notice","minTranslated":0.25}"#,
        1,
    );
    let (created, site) = call(&app, "PUT", "/api/sites/new", &body, &any).await;
    assert_eq!(
        (
            created.status().as_u16(),
            created.headers()["location"].to_str().unwrap()
        ),
        (201, "/api/sites/new")
    );
    assert_eq!(
        (&site["managedBy"], &site["source"]["url"]),
        (&json!("api"), &json!("https://new.example/"))
    );
    assert_eq!(
        site["settings"],
        serde_json::from_str::<Value>(&body).unwrap()
    );
    assert_eq!(site["locales"][0]["servingStatus"], "needs_domain");
    assert!(app.snapshot().needs_no_name(&bakery));
    let (replaced, _) = call(&app, "PUT", "/api/sites/new", NEW, &any).await;
    assert_eq!(
        (
            replaced.status().as_u16(),
            replaced.headers().contains_key("location")
        ),
        (200, false)
    );
    assert_eq!(get("/api/sites").await.1["total"], 3);
    let order = r#"{"targetLangs":["es"]}"#;
    let (ordered, _) = call(&app, "POST", "/api/sites/new/crawl-translate", order, &any).await;
    let run = ordered.headers()["location"].to_str().unwrap().to_owned();
    let (removed, nothing) = call(&app, "DELETE", "/api/sites/new", "", &any).await;
    assert_eq!((removed.status().as_u16(), nothing), (204, Value::Null));
    for path in ["/api/sites/new", &run] {
        check(path, &get(path).await, 404, "site_not_found");
    }
    assert!(app.snapshot().is_of(&[(bakery, false)]));
    // What it did is remembered for the day when it comes back.
    call(&app, "PUT", "/api/sites/new", NEW, &any).await;
    assert_eq!(get(&run).await.1["status"], "cancelled");
}
