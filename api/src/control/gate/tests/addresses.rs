//! Who is found at which address, when several want it.

use std::collections::BTreeMap;

use pipeline::config::SiteSettings;
use pipeline::store::ServingSwitch;

use super::*;

const FILE: &str = r#"
[[site]]
id = "bakery"
source = "source"
source_locale = "en"
locales = ["es"]
url = "https://{lang}.bakery.test"
[api]
hosts = ["api.bakery.test"]
"#;

fn id(text: &str) -> SiteId {
    SiteId::parse(text).unwrap()
}

fn settings(url: Option<&str>) -> SiteSettings {
    SiteSettings {
        source_url: "https://www.example.com/".to_owned(),
        source_locale: "en".to_owned(),
        target_langs: vec!["es".to_owned()],
        url: url.map(str::to_owned),
        ..SiteSettings::default()
    }
}

/// An app with sites that callers added before, in this order, each published at its address; and what it said of them.
async fn restarted(file: &str, added: &[(&str, Option<&str>)]) -> (App, Vec<String>) {
    let mut config = Config::parse(file, Path::new("/nowhere/latimer.toml"), &|_| None).unwrap();
    config.api.limits = unlimited();
    let stores = stores();
    for ((site, url), now) in added.iter().zip(1..) {
        stores
            .state
            .put_site(&id(site), &settings(*url), Moment::of_millis(now))
            .unwrap();
        publish(&stores, site, *url).await;
    }
    let objects = stores.objects.clone();
    let api = Api::new(
        Verifier::new(&jwt("good")).unwrap(),
        &config,
        stores,
        options(),
    );
    let said = api.restore_sites().unwrap();
    let sites = config.sites.iter().map(|site| site.id.clone()).collect();
    let app = App::new(objects, sites, 1 << 20).with_api(api);
    app.load().await.unwrap();
    (app, said)
}

async fn publish(stores: &Stores, site: &str, url: Option<&str>) {
    let es = Locale::parse("es").unwrap();
    let settings = pipeline::store::ServingSettings {
        url: url.map(str::to_owned),
        source_url: Some("https://www.example.com".to_owned()),
        locales: BTreeMap::from([(es, ServingSwitch::On)]),
        aliases: BTreeMap::new(),
        ..crate::tests::settings()
    };
    crate::tests::publish(&stores.objects, site, settings, false).await;
}

async fn status(app: &App, host: &str, path: &str) -> u16 {
    let request = Request::get(path)
        .header("host", host)
        .body(Full::<Bytes>::default())
        .unwrap();
    respond(app, request, CLIENT).await.status().as_u16()
}

fn any() -> String {
    token("good", "ana", &crate::scopes().join(" "), "*", 0)
}

async fn put(app: &App, site: &str, url: Option<&str>) -> (Response<()>, Value) {
    let body = serde_json::to_value(settings(url)).unwrap();
    let mut body =
        json!({ "sourceUrl": body["source_url"], "sourceLocale": "en", "targetLangs": ["es"] });
    if let Some(url) = url {
        body["url"] = url.into();
    }
    call(
        app,
        "PUT",
        &format!("/api/sites/{site}"),
        &body.to_string(),
        &any(),
    )
    .await
}

#[tokio::test]
async fn site_from_before_whose_address_is_anothers_stays_and_is_not_served() {
    let added = [
        ("zoe", Some("https://zoe.test/{lang}")),
        ("atk", Some("https://de.bakery.test/{lang}")),
        ("bob", Some("https://zoe.test/docs/{lang}")),
        ("com", Some("https://{lang}.com")),
    ];
    let (app, said) = restarted(FILE, &added).await;
    assert_eq!(said.len(), 3, "{said:?}");
    for (line, parts) in said.iter().zip([
        ["atk", "belongs to bakery"],
        ["bob", "belongs to zoe"],
        ["com", ".com"],
    ]) {
        assert!(
            line.starts_with(parts[0]) && line.contains("not served") && line.contains(parts[1]),
            "{line}"
        );
    }
    for (host, path, expected) in [
        ("zoe.test", "/es/", 200),
        ("zoe.test", "/docs/es/", 404),
        ("de.bakery.test", "/es/", 404),
        ("es.com", "/", 404),
        // By their names they are found, as on any machine where somebody looks after them.
        ("atk.localhost", "/es/", 200),
    ] {
        assert_eq!(status(&app, host, path).await, expected, "{host}{path}");
    }
    let (_, site) = call(&app, "GET", "/api/sites/atk", "", &any()).await;
    assert_eq!(
        site["locales"][0]["servingStatus"], "needs_domain",
        "{site}"
    );
    assert_eq!(site["settings"]["url"], "https://de.bakery.test/{lang}");
    // With an address of its own it is served there, once it is published there.
    assert_eq!(
        put(&app, "atk", Some("https://atk.test/{lang}"))
            .await
            .0
            .status(),
        200
    );
    assert_eq!(
        (
            status(&app, "atk.test", "/es/").await,
            status(&app, "de.bakery.test", "/es/").await
        ),
        (404, 404)
    );
    publish(
        app.api.as_ref().unwrap().jobs().stores(),
        "atk",
        Some("https://atk.test/{lang}"),
    )
    .await;
    app.load().await.unwrap();
    assert_eq!(status(&app, "atk.test", "/es/").await, 200);
    // What was in the way of another is out of it when it goes.
    assert_eq!(
        call(&app, "DELETE", "/api/sites/zoe", "", &any())
            .await
            .0
            .status(),
        204
    );
    assert_eq!(
        (
            status(&app, "zoe.test", "/docs/es/").await,
            status(&app, "zoe.test", "/es/").await
        ),
        (200, 404)
    );
}

#[tokio::test]
async fn deployment_at_an_address_that_became_anothers_is_not_served_there() {
    let (app, said) = restarted(FILE, &[("atk", Some("https://{lang}.free.test"))]).await;
    assert_eq!(
        (said, status(&app, "es.free.test", "/").await),
        (vec![], 200)
    );
    assert_eq!(
        put(&app, "bob", Some("https://es.free.test/{lang}"))
            .await
            .0
            .status(),
        409
    );
    // Its published pages stay where they were until somebody else has the address.
    assert_eq!(put(&app, "atk", None).await.0.status(), 200);
    assert_eq!(status(&app, "es.free.test", "/").await, 200);
    assert_eq!(
        put(&app, "bob", Some("https://es.free.test/{lang}"))
            .await
            .0
            .status(),
        201
    );
    assert_eq!(status(&app, "es.free.test", "/").await, 404);
}

#[tokio::test]
async fn callers_take_no_address_that_is_anothers_or_everybodys() {
    let (app, _) = restarted(FILE, &[("bob", Some("https://{lang}.bob.test"))]).await;
    for (url, status, code) in [
        ("http://{lang}.bob.test", 409, "url_taken"),
        ("https://{lang}.Bob.test.", 409, "url_taken"),
        ("https://de.bob.test/{lang}", 409, "url_taken"),
        ("http://de.bakery.test:8080/{lang}", 409, "url_taken"),
        ("https://bakery.test/shop/{lang}", 409, "url_taken"),
        ("https://api.bakery.test/{lang}", 409, "url_taken"),
        ("https://{lang}.com", 400, "public_suffix"),
        ("https://{lang}.co.uk", 400, "public_suffix"),
        ("https://{lang}.github.io", 400, "public_suffix"),
    ] {
        let answer = put(&app, "atk", Some(url)).await;
        check(url, &answer, status, code);
        assert!(
            !answer.1.to_string().contains("\"bob") && !answer.1.to_string().contains("bakery"),
            "{}",
            answer.1
        );
    }
    for url in [
        "https://www.bob.test/{lang}",
        "https://{lang}.atk.test",
        "https://{lang}.localhost:8080",
    ] {
        assert!(
            put(&app, "atk", Some(url)).await.0.status().is_success(),
            "{url}"
        );
    }
    let (app, _) = restarted(
        &format!("{FILE}hosts_allowed = [\"*.customers.test\"]\n"),
        &[],
    )
    .await;
    check(
        "bound",
        &put(&app, "atk", Some("https://{lang}.atk.test")).await,
        400,
        "host_not_allowed",
    );
    assert_eq!(
        put(&app, "atk", Some("https://{lang}.customers.test"))
            .await
            .0
            .status(),
        201
    );
}
