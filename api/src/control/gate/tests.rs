//! The way into the API: a table of all operations, and what the tests of requests for them share.

use std::net::Ipv4Addr;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use pipeline::config::{ApiLimits, Config, JwtAlgorithm, JwtConfig, KeySource, RateLimit};
use pipeline::model::{Locale, Moment, PreviewId, SiteId};
use pipeline::run::{BuildOptions, Stores};
use pipeline::state::State;
use pipeline::store::Objects;
use pipeline::translate::Meter;
use serde_json::{Value, json};

use super::*;
use crate::auth::{PreviewKeys, Verifier};
use crate::{Grant, respond};

mod account;
mod addresses;
mod bodies;
mod leave;
mod limits;
mod orders;
mod origins;
mod previews;
mod queue;
mod refusals;
mod room;
mod sites;
mod tenants;
mod texts;

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const SUMMARY: &str = "/api/sites/bakery/locales/es/translation-summary";

/// Method, path, a good body and the status of each operation that needs a token.
const OPERATIONS: [(&str, &str, &str, u16); 32] = [
    ("GET", "/api/sites/bakery/translation-summaries", "", 200),
    ("PUT", SUMMARY, r#"{"frequency":"daily"}"#, 200),
    (
        "PUT",
        "/api/digests/subscription",
        r#"{"email":"ana@example.com","frequency":"weekly"}"#,
        200,
    ),
    (
        "POST",
        "/api/sites/bakery/crawl-translate",
        r#"{"targetLangs":["es"],"sourcePaths":["/a/*"],"force":true}"#,
        202,
    ),
    (
        "POST",
        "/api/sites/bakery/locales/es/serve",
        r#"{"enabled":false}"#,
        200,
    ),
    ("GET", "/api/sites/bakery/runs", "", 200),
    ("GET", RUN, "", 404),
    ("GET", "/api/sites/bakery/switcher-snippets", "", 404),
    ("GET", "/api/sites", "", 200),
    ("GET", "/api/sites/bakery", "", 200),
    ("GET", "/api/sites/bakery/pages", "", 200),
    ("GET", "/api/sites/bakery/deployments", "", 200),
    ("PUT", "/api/sites/bakery", NEW, 409),
    ("DELETE", "/api/sites/bakery", "", 409),
    (
        "POST",
        "/api/previews",
        r#"{"sourceUrl":"https://a.example/","sourceLang":"en","targetLang":"es"}"#,
        202,
    ),
    ("GET", PREVIEW, "", 404),
    (
        "GET",
        "/api/previews/3f2b8c1e-9a47-4d05-8e61-7c0d52f4ab19/stream",
        "",
        404,
    ),
    (
        "GET",
        "/api/sites/bakery/runs/01939f1c-0000-7000-8000-000000000000/stream",
        "",
        404,
    ),
    (
        "POST",
        "/api/sites/bakery/runs/01939f1c-0000-7000-8000-000000000000/cancel",
        "",
        404,
    ),
    (
        "POST",
        "/api/sites/bakery/runs/01939f1c-0000-7000-8000-000000000000/accept",
        "",
        404,
    ),
    ("POST", "/api/reload", "", 200),
    ("GET", "/api/digests/next", "", 200),
    (
        "POST",
        "/api/sites/bakery/plan",
        r#"{"targetLangs":["es"]}"#,
        202,
    ),
    (
        "POST",
        "/api/sites/bakery/deployments/01939f1c-0000-7000-8000-000000000000/activate",
        "",
        404,
    ),
    ("GET", "/api/sites/bakery/usage", "", 200),
    ("GET", "/api/sites/bakery/explanation?page=/", "", 404),
    ("GET", "/api/sites/bakery/locales/es/translations", "", 404),
    ("GET", "/api/engines", "", 200),
    ("GET", "/api/digests/subscription", "", 404),
    ("DELETE", "/api/digests/subscription", "", 404),
    ("GET", "/api/previews", "", 200),
    ("DELETE", PREVIEW, "", 404),
];
const PREVIEW: &str = "/api/previews/3f2b8c1e-9a47-4d05-8e61-7c0d52f4ab19";
const NEW: &str =
    r#"{"sourceUrl":"https://new.example/","sourceLocale":"en","targetLangs":["es"]}"#;
const RUN: &str = "/api/sites/bakery/runs/01939f1c-0000-7000-8000-000000000000";

const CONFIGURATION: &str = r#"
[[site]]
id = "bakery"
source = "source"
source_locale = "en"
locales = ["es", "pt-BR"]
url = "https://bakery.example/{lang}"
[[site]]
id = "shop"
source = "shop"
source_locale = "en"
locales = ["es"]
[api]
cors_origins = ["https://dash.example"]
"#;

fn jwt(secret: &str) -> JwtConfig {
    let key = KeySource::Secret(secret.repeat(8));
    JwtConfig {
        algorithm: JwtAlgorithm::Hs256,
        key,
        issuer: None,
        audience: None,
    }
}

fn options() -> BuildOptions {
    BuildOptions {
        jobs: NonZeroUsize::MIN,
        keep_deployments: 1,
        ..BuildOptions::default()
    }
}

fn stores() -> Stores {
    Stores {
        objects: Objects::memory(),
        state: Arc::new(State::in_memory().unwrap()),
    }
}

fn app_with(limits: ApiLimits, change: impl FnOnce(&mut Config)) -> App {
    let mut config =
        Config::parse(CONFIGURATION, Path::new("/nowhere/latimer.toml"), &|_| None).unwrap();
    config.api.limits = limits;
    change(&mut config);
    let stores = stores();
    let objects = stores.objects.clone();
    config.api.jwt = Some(jwt("good"));
    let api = Api::new(
        Verifier::new(&jwt("good")).unwrap(),
        &config,
        stores,
        options(),
    );
    let app = App::new(objects, vec![SiteId::parse("bakery").unwrap()], 1 << 20).with_api(api);
    let again = config.clone();
    app.with_source(&config, move || Ok(again.clone()))
}

fn app(limits: ApiLimits) -> App {
    app_with(limits, |_| ())
}

fn same(rate: Option<RateLimit>) -> ApiLimits {
    ApiLimits {
        read: rate,
        write: rate,
        crawl_translate: rate,
        preview: rate,
        preview_host: None,
        preview_mail: rate,
        preview_mail_all: None,
        preview_status: rate,
        edit: rate,
        stream: rate,
        failed_logins: None,
        connections: None,
        open_streams: 256,
    }
}

fn unlimited() -> ApiLimits {
    same(None)
}

fn token(secret: &str, subject: &str, scope: &str, site: &str, age: u64) -> String {
    let scope = scope.to_owned();
    let subject = subject.to_owned();
    let grant = Grant {
        subject,
        scope,
        sites: vec![site.to_owned()],
        ttl: Duration::from_secs(60),
    };
    let minted = Verifier::mint(
        &jwt(secret),
        &grant,
        SystemTime::now() - Duration::from_secs(age),
    );
    format!("Bearer {}", minted.unwrap())
}

fn good() -> String {
    token("good", "ana", &crate::scopes().join(" "), "bakery", 0)
}

/// A token that does for a path: for the bakery, or for all sites where nothing less does.
fn fitting(path: &str, subject: &str) -> String {
    let site = if ["/api/reload", "/api/doctor"].contains(&path) {
        "*"
    } else {
        "bakery"
    };
    token("good", subject, &crate::scopes().join(" "), site, 0)
}

async fn ask(
    app: &App,
    method: &str,
    path: &str,
    body: &str,
    headers: &[(&str, &str)],
) -> (Response<()>, Value) {
    ask_from(CLIENT, app, method, path, body, headers).await
}

async fn ask_from(
    client: IpAddr,
    app: &App,
    method: &str,
    path: &str,
    body: &str,
    headers: &[(&str, &str)],
) -> (Response<()>, Value) {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = respond(
        app,
        request.body(Full::from(body.to_owned())).unwrap(),
        client,
    )
    .await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (
        Response::from_parts(parts, ()),
        serde_json::from_slice(&body).unwrap_or(Value::Null),
    )
}

async fn call(
    app: &App,
    method: &str,
    path: &str,
    body: &str,
    token: &str,
) -> (Response<()>, Value) {
    ask(
        app,
        method,
        path,
        body,
        &[
            ("authorization", token),
            ("content-type", "application/json"),
        ],
    )
    .await
}

#[track_caller]
fn check(case: &str, (response, body): &(Response<()>, Value), status: u16, code: &str) {
    let keys = |value: &Value| {
        value
            .as_object()
            .map(|map| map.keys().cloned().collect::<Vec<_>>())
            .unwrap_or_default()
    };
    assert_eq!(
        (response.status().as_u16(), body["details"]["code"].as_str()),
        (status, Some(code)),
        "{case}: {body}"
    );
    assert_eq!(keys(body), ["details", "error"], "{case}");
    let headers = response.headers();
    assert!(
        headers.contains_key("x-request-id") && headers["cache-control"] == "no-store",
        "{case}"
    );
    assert_eq!(
        headers["content-type"], "application/json; charset=utf-8",
        "{case}"
    );
    assert_eq!(
        status == 401,
        headers
            .get("www-authenticate")
            .is_some_and(|to| status == 401 && !to.is_empty()),
        "{case}"
    );
    assert_eq!(status == 429, headers.contains_key("retry-after"), "{case}");
    assert_eq!(
        status == 400,
        body["details"]["fields"].is_array(),
        "{case}"
    );
}

#[tokio::test]
async fn summaries_and_subscriptions_have_exactly_these_keys() {
    let app = app(unlimited());
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (_, only) = call(&app, "PUT", SUMMARY, r#"{"frequency":"daily"}"#, &good()).await;
    assert_eq!(keys(&only), "preference");
    assert_eq!(
        keys(&only["preference"]),
        "createdAt frequency siteId targetLang updatedAt"
    );
    let path = OPERATIONS[0].1;
    assert_eq!(
        call(&app, "GET", path, "", &good()).await.1,
        json!({ "summaries": [] })
    );
    let body = r#"{"summary":{"pagesUpdated":3,"headline":"New bread"}}"#;
    let upper = SUMMARY.replace("/es/", "/PT-br/");
    for path in [upper.as_str(), SUMMARY] {
        let (_, both) = call(&app, "PUT", path, body, &good()).await;
        assert_eq!(keys(&both), "preference summary");
    }
    let (_, listed) = call(&app, "GET", path, "", &good()).await;
    let summaries = listed["summaries"].as_array().unwrap();
    let tags: Vec<_> = summaries
        .iter()
        .map(|summary| summary["targetLang"].as_str().unwrap())
        .collect();
    assert_eq!(tags, ["es", "pt-BR"]);
    let expected = "createdAt id pagesTranslated pagesUpdated period rangeEnd rangeStart siteId targetLang updatedAt";
    assert_eq!(keys(&summaries[0]), expected);
    assert_eq!(
        (&summaries[0]["pagesUpdated"], &summaries[0]["period"]),
        (&json!(3), &json!("daily"))
    );
    let (_, digest) = call(&app, "PUT", OPERATIONS[2].1, OPERATIONS[2].2, &good()).await;
    assert_eq!(
        keys(&digest["subscription"]),
        "accountId createdAt email frequency id updatedAt"
    );
    assert_eq!(digest["subscription"]["accountId"], "ana");
}
