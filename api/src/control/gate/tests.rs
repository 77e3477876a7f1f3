//! Every operation, with everything that can be wrong with a request for it.
//!
//! One file: a table of all operations.

use std::net::Ipv4Addr;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use pipeline::config::{Config, JwtAlgorithm, JwtConfig, KeySource, Limits, Rate};
use pipeline::model::{Locale, Moment, PreviewId, SiteId};
use pipeline::run::{BuildOptions, Stores};
use pipeline::state::State;
use pipeline::store::Objects;
use pipeline::translate::Meter;
use serde_json::{Value, json};

use super::*;
use crate::auth::{PreviewKeys, Verifier};
use crate::settings::Front;
use crate::{Grant, respond};

mod account;
mod addresses;
mod leave;
mod limits;
mod previews;
mod queue;
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
/// The size of the largest body that most operations take.
const LARGEST_BODY: usize = 1 << 20;
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

fn app_with(limits: Limits, change: impl FnOnce(&mut Config)) -> App {
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

fn app(limits: Limits) -> App {
    app_with(limits, |_| ())
}

fn same(rate: Option<Rate>) -> Limits {
    Limits {
        read: rate,
        write: rate,
        crawl_translate: rate,
        preview: rate,
        preview_host: None,
        preview_mail: rate,
        preview_mail_all: None,
        preview_status: rate,
        stream: rate,
        failed_logins: None,
        connections: None,
        open_streams: 256,
    }
}

fn unlimited() -> Limits {
    same(None)
}

fn token(secret: &str, subject: &str, scope: &str, site: &str, age: u64) -> String {
    let (scope, subject) = (scope.to_owned(), subject.to_owned());
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
async fn every_operation_refuses_what_is_wrong() {
    let app = app(unlimited());
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(LARGEST_BODY));
    for (method, path, body, _) in OPERATIONS {
        let (all, good) = (crate::scopes().join(" "), fitting(path, "ana"));
        let none = ask(&app, method, path, body, &[]).await;
        check(path, &none, 401, "missing_token");
        let unsigned = "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbmEiLCJleHAiOjk5OTk5OTk5OTl9.";
        for (token, status, code) in [
            (
                token("good", "ana", &all, "bakery", 600),
                401,
                "expired_token",
            ),
            (
                token("evil", "ana", &all, "bakery", 0),
                401,
                "invalid_token",
            ),
            (unsigned.to_owned(), 401, "invalid_token"),
            (
                token("good", "ana", "other:write", "bakery", 0),
                403,
                "missing_scope",
            ),
        ] {
            check(
                path,
                &call(&app, method, path, body, &token).await,
                status,
                code,
            );
        }
        check(
            path,
            &call(&app, "PATCH", path, body, &good).await,
            405,
            "method_not_allowed",
        );
        if path != RUN {
            let more = if path.contains('?') {
                "&wiev=x"
            } else {
                "?wiev=x"
            };
            check(
                path,
                &call(&app, method, &format!("{path}{more}"), body, &good).await,
                400,
                "unknown_field",
            );
        }
        if path.contains("bakery") {
            // A site that is there and one that is not look the same to whoever may not see it.
            for site in ["shop", "nowhere", "No_Site"] {
                let elsewhere = path.replace("bakery", site);
                check(
                    &elsewhere,
                    &call(&app, method, &elsewhere, body, &good).await,
                    404,
                    "site_not_found",
                );
            }
        }
        if !body.is_empty() {
            for (body, status, code) in [
                ("{", 400, "malformed_json"),
                ("", 400, "malformed_json"),
                ("[]", 400, "wrong_type"),
                (
                    &body.replacen('{', "{\"extra\":1,", 1),
                    400,
                    "unknown_field",
                ),
                (
                    "{}",
                    400,
                    if path.ends_with("crawl-translate") || path.ends_with("plan") {
                        "target_langs_required"
                    } else {
                        "required"
                    },
                ),
                (&large, 413, "payload_too_large"),
            ] {
                check(
                    path,
                    &call(&app, method, path, body, &good).await,
                    status,
                    code,
                );
            }
            let text = ask(
                &app,
                method,
                path,
                body,
                &[("authorization", &good), ("content-type", "text/plain")],
            )
            .await;
            check(path, &text, 415, "unsupported_media_type");
        }
    }
    let crawl = "/api/sites/bakery/crawl-translate";
    for (method, path, body, status, code) in [
        (
            "PUT",
            SUMMARY.replace("/es/", "/ar/").as_str(),
            "{}",
            404,
            "locale_not_found",
        ),
        (
            "PUT",
            &SUMMARY.replace("/es/", "/e_s/"),
            "{}",
            400,
            "invalid_language",
        ),
        (
            "POST",
            "/api/sites/bakery/locales/ar/serve",
            "{}",
            404,
            "locale_not_found",
        ),
        (
            "POST",
            "/api/sites/bakery/locales/e_s/serve",
            "{}",
            400,
            "invalid_language",
        ),
        (
            "POST",
            "/api/sites/bakery/locales/es/serve",
            r#"{"enabled":"yes"}"#,
            400,
            "wrong_type",
        ),
        (
            "POST",
            crawl,
            r#"{"targetLangs":[]}"#,
            400,
            "target_langs_required",
        ),
        (
            "POST",
            crawl,
            r#"{"targetLangs":["e_s"]}"#,
            400,
            "invalid_language",
        ),
        (
            "POST",
            crawl,
            r#"{"targetLangs":["ar"]}"#,
            404,
            "locale_not_found",
        ),
        (
            "POST",
            crawl,
            r#"{"targetLangs":["es"],"pageIds":["/none"]}"#,
            404,
            "page_not_found",
        ),
        (
            "POST",
            crawl,
            r#"{"targetLangs":["es"],"sourcePaths":["none"]}"#,
            400,
            "invalid_value",
        ),
        (
            "PUT",
            SUMMARY,
            r#"{"frequency":"hourly"}"#,
            400,
            "unknown_value",
        ),
        ("PUT", SUMMARY, r#"{"frequency":null}"#, 400, "wrong_type"),
        (
            "PUT",
            SUMMARY,
            r#"{"summary":{"rangeEnd":"soon"}}"#,
            400,
            "invalid_time",
        ),
        (
            "PUT",
            SUMMARY,
            r#"{"summary":{"pagesUpdated":-1}}"#,
            400,
            "out_of_range",
        ),
        (
            "PUT",
            "/api/digests/subscription",
            r#"{"email":"ana","frequency":"off"}"#,
            400,
            "invalid_email",
        ),
        (
            "GET",
            "/api/sites/bakery/runs?limit=0",
            "",
            400,
            "out_of_range",
        ),
        (
            "GET",
            "/api/sites/bakery/runs?limit=1&limit=2",
            "",
            400,
            "repeated",
        ),
        ("GET", RUN, "", 404, "run_not_found"),
        ("GET", "/api/sites/bakery/runs/1", "", 404, "run_not_found"),
        (
            "GET",
            "/api/sites/bakery/switcher-snippets?currentLang=e_s",
            "",
            400,
            "invalid_language",
        ),
        (
            "GET",
            "/api/sites/bakery/switcher-snippets?currentLang=ar",
            "",
            404,
            "locale_not_found",
        ),
        (
            "GET",
            "/api/sites/bakery/switcher-snippets?path=x",
            "",
            400,
            "invalid_path",
        ),
        (
            "GET",
            "/api/sites/bakery/switcher-snippets?path=//x",
            "",
            400,
            "invalid_path",
        ),
        ("GET", "/api/sites?limit=201", "", 400, "out_of_range"),
        (
            "GET",
            "/api/sites/bakery/pages?offset=x",
            "",
            400,
            "wrong_type",
        ),
        (
            "GET",
            "/api/sites/bakery/deployments?limit=0",
            "",
            400,
            "out_of_range",
        ),
        ("GET", "/api/meta/languages?x=1", "", 400, "unknown_field"),
        (
            "POST",
            "/api/sites/bakery/deployments/1/activate",
            "",
            404,
            "deployment_not_found",
        ),
        (
            "DELETE",
            "/api/digests/subscription",
            "",
            404,
            "subscription_not_found",
        ),
        ("GET", "/api/none", "", 404, "not_found"),
        ("GET", "/api", "", 404, "not_found"),
    ] {
        check(
            &format!("{path} {body}"),
            &call(&app, method, path, body, &good()).await,
            status,
            code,
        );
    }
    let (_, wrong) = call(
        &app,
        "PUT",
        SUMMARY,
        r#"{"x":1,"summary":{"notes":"","period":3}}"#,
        &good(),
    )
    .await;
    let fields: Vec<_> = wrong["details"]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| &field["path"])
        .collect();
    assert_eq!(fields.len(), 3, "{wrong}");
    assert!(fields.contains(&&json!("summary.notes")), "{wrong}");
}

#[tokio::test]
async fn switched_off_features_are_forbidden() {
    let (method, path, body, _) = OPERATIONS[3];
    let app = app_with(unlimited(), |config| {
        config.api.crawl_trigger_enabled = false
    });
    check(
        path,
        &call(&app, method, path, body, &good()).await,
        403,
        "crawl_trigger_disabled",
    );
    let plan = "/api/sites/bakery/plan";
    check(
        plan,
        &call(&app, method, plan, body, &good()).await,
        403,
        "crawl_trigger_disabled",
    );
    let app = app_with(unlimited(), |config| config.sites[0].enabled = false);
    check(
        path,
        &call(&app, method, path, body, &good()).await,
        403,
        "site_disabled",
    );
}

#[tokio::test]
async fn equal_orders_join_and_promised_ones_are_answered_again() {
    let app = app(unlimited());
    let (_, path, body, _) = OPERATIONS[3];
    let token = good();
    let send = async |body: &str, key: Option<&str>| {
        let mut headers = vec![
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
        ];
        headers.extend(key.map(|key| ("idempotency-key", key)));
        ask(&app, "POST", path, body, &headers).await
    };
    let first = send(body, Some("k1")).await;
    let keys: Vec<_> = first.1.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "crawlId",
            "enqueuedCount",
            "force",
            "selectedCount",
            "targetLangs"
        ]
    );
    assert_eq!(
        (&first.1["enqueuedCount"], &first.1["selectedCount"]),
        (&json!(1), &json!(0))
    );
    let location = format!(
        "/api/sites/bakery/runs/{}",
        first.1["crawlId"].as_str().unwrap()
    );
    assert_eq!(first.0.headers()["location"].to_str().unwrap(), location);
    let joined = send(body, None).await.1;
    assert_eq!(
        (&joined["crawlId"], &joined["enqueuedCount"]),
        (&first.1["crawlId"], &json!(0))
    );
    assert_eq!(send(body, Some("k1")).await.1, first.1);
    check(
        "k1",
        &send(r#"{"targetLangs":["pt-BR"]}"#, Some("k1")).await,
        409,
        "idempotency_conflict",
    );
    check(
        "key",
        &send(body, Some("two words")).await,
        400,
        "invalid_value",
    );
    let (_, run) = call(&app, "GET", &location, "", &good()).await;
    let keys: Vec<_> = run.as_object().unwrap().keys().cloned().collect();
    let expected = "charactersSent failures finishedAt kind orderedBy origin queuedAt runId stages startedAt status \
                    targetLangs warnings";
    assert_eq!(keys.join(" "), expected);
    assert_eq!(run["status"], "queued");
    let (_, list) = call(&app, "GET", "/api/sites/bakery/runs", "", &good()).await;
    assert_eq!((&list["total"], &list["items"][0]), (&json!(1), &run));
}

#[tokio::test]
async fn runs_that_wait_can_be_cancelled_once_and_followed_to_their_end() {
    let app = app(unlimited());
    let (_, path, body, _) = OPERATIONS[3];
    let (ordered, _) = call(&app, "POST", path, body, &good()).await;
    let location = ordered.headers()["location"].to_str().unwrap();
    let follow = || {
        let request = Request::get(format!("{location}/stream")).header("host", "localhost");
        request
            .header("authorization", good())
            .body(Full::<Bytes>::default())
            .unwrap()
    };
    let mut events = respond(&app, follow(), CLIENT).await.into_body();
    let frame = events.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(
        frame.windows(8).any(|text| text == b"\"queued\""),
        "{frame:?}"
    );
    let cancel = format!("{location}/cancel");
    let (response, run) = call(&app, "POST", &cancel, "", &good()).await;
    assert_eq!(
        (response.status().as_u16(), &run["status"]),
        (200, &json!("cancelled"))
    );
    let rest = events.collect().await.unwrap().to_bytes();
    let text = String::from_utf8(rest.to_vec()).unwrap();
    assert!(
        text.contains("event: complete\n")
            && text.contains("\"cancelled\"")
            && text.ends_with("\n\n"),
        "{text}"
    );
    check(
        "again",
        &call(&app, "POST", &cancel, "", &good()).await,
        409,
        "run_is_over",
    );
    check(
        "body",
        &call(&app, "POST", &cancel, "{}", &good()).await,
        409,
        "run_is_over",
    );
    let late = respond(&app, follow(), CLIENT)
        .await
        .into_body()
        .collect()
        .await
        .unwrap()
        .to_bytes();
    let late = String::from_utf8(late.to_vec()).unwrap();
    assert!(
        late.contains("event: status\n") && late.contains("event: complete\n"),
        "{late}"
    );
    let (again, run) = call(&app, "POST", path, body, &good()).await;
    assert_ne!(
        again.headers()["location"].to_str().unwrap(),
        location,
        "{run}"
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

#[tokio::test]
async fn api_answers_on_its_hosts_only() {
    let app = App {
        front: Front::at(&["api.test"]),
        ..app(unlimited())
    };
    let (method, path, _, _) = OPERATIONS[0];
    for (host, status) in [
        ("api.test", 200),
        ("API.test:8080", 200),
        ("www.test", 404),
        ("localhost", 404),
    ] {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", host)
            .header("authorization", good());
        let response = respond(
            &app,
            request.body(Full::<Bytes>::default()).unwrap(),
            CLIENT,
        )
        .await;
        let kind = if status == 200 {
            "application/json; charset=utf-8"
        } else {
            "text/plain; charset=utf-8"
        };
        assert_eq!(response.status().as_u16(), status, "{host}");
        assert_eq!(response.headers()["content-type"], kind, "{host}");
    }
}

/// Asks for the writing of a summary with a body of any behaviour.
async fn put(
    body: impl futures::Stream<Item = Result<hyper::body::Frame<Bytes>, std::io::Error>>,
) -> (u16, Value) {
    let app = app(unlimited());
    let request = Request::put(SUMMARY)
        .header("host", "localhost")
        .header("authorization", good());
    let request = request
        .header("content-type", "application/json")
        .header("content-length", "100");
    let body = Box::pin(http_body_util::StreamBody::new(body));
    let response = respond(&app, request.body(body).unwrap(), CLIENT).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

/// D9: a body may not take for ever.
#[tokio::test(start_paused = true)]
async fn body_that_drips_is_refused_in_time() {
    let started = tokio::time::Instant::now();
    let drip = || async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((Ok(hyper::body::Frame::data(Bytes::from_static(b" "))), ()))
    };
    let (status, body) = put(futures::stream::unfold((), |()| drip())).await;
    assert_eq!(
        (status, body["details"]["code"].as_str()),
        (400, Some("bad_request"))
    );
    assert_eq!(started.elapsed(), crate::control::gate::body::BODY_TIMEOUT);
}

/// D14: a panic is an answer in JSON that does not tell about it.
#[tokio::test]
async fn panic_becomes_an_internal_error() {
    let (status, body) = put(futures::stream::poll_fn(|_| panic!("a secret"))).await;
    assert_eq!(
        (status, body["details"]["code"].as_str()),
        (500, Some("internal"))
    );
    assert!(!body.to_string().contains("secret"), "{body}");
}

/// D10: JSON is not followed into any depth.
#[tokio::test]
async fn deep_json_is_refused() {
    for deep in ["[".repeat(10_000), "{\"a\":".repeat(10_000)] {
        check(
            "deep",
            &call(&app(unlimited()), "PUT", SUMMARY, &deep, &good()).await,
            400,
            "malformed_json",
        );
    }
}

#[tokio::test]
async fn pages_of_configured_origins_may_ask() {
    let app = app(unlimited());
    let asks = |origin| [("origin", origin), ("access-control-request-method", "PUT")];
    let (preflight, _) = ask(&app, "OPTIONS", SUMMARY, "", &asks("https://dash.example")).await;
    assert_eq!(preflight.status(), 204);
    assert_eq!(
        preflight.headers()["access-control-allow-origin"],
        "https://dash.example"
    );
    assert_eq!(
        preflight.headers()["access-control-allow-methods"],
        "PUT, OPTIONS"
    );
    let (unknown, _) = ask(
        &app,
        "OPTIONS",
        "/api/nothing",
        "",
        &asks("https://dash.example"),
    )
    .await;
    assert_eq!(unknown.status(), 204);
    assert!(
        unknown.headers()["access-control-allow-methods"]
            .to_str()
            .unwrap()
            .contains("PUT")
    );
    let (absent, _) = ask(
        &app,
        "PUT",
        "/api/nothing",
        "",
        &[("origin", "https://dash.example")],
    )
    .await;
    assert_eq!(absent.status(), 404);
    assert_eq!(
        absent.headers()["access-control-allow-origin"],
        "https://dash.example"
    );
    let (foreign, _) = ask(&app, "OPTIONS", SUMMARY, "", &asks("https://evil.example")).await;
    assert!(
        !foreign
            .headers()
            .contains_key("access-control-allow-origin")
    );
    let (refused, _) = ask(
        &app,
        "PUT",
        SUMMARY,
        "",
        &[("origin", "https://dash.example"), ("x-request-id", "r-1")],
    )
    .await;
    assert!(
        refused.headers()["access-control-expose-headers"]
            .to_str()
            .unwrap()
            .contains("Retry-After")
    );
    assert_eq!(refused.headers()["x-request-id"], "r-1");
}

#[tokio::test]
async fn without_jwt_there_is_no_api() {
    let app = App::new(Objects::memory(), Vec::new(), 1 << 20);
    let (response, body) = call(&app, "GET", OPERATIONS[0].1, "", &good()).await;
    assert_eq!((response.status().as_u16(), body), (404, Value::Null));
}
