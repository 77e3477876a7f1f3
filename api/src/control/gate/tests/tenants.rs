//! Two tenants on one server: what one sends, with whatever ids, changes nothing of the other's.
//!
//! One file: one pair of tenants, and everything that each may try.

use futures::FutureExt;

use super::*;
use crate::control::operations::{Line, OPERATIONS};

/// The token of a tenant for these sites, with all scopes but some.
fn token_of(tenant: &str, sites: &[&str], without: &[&str]) -> String {
    let scopes: Vec<&str> = crate::scopes()
        .into_iter()
        .filter(|scope| !without.contains(scope))
        .collect();
    let sites = sites.iter().map(|&site| site.to_owned()).collect();
    let grant = Grant {
        subject: tenant.to_owned(),
        scope: scopes.join(" "),
        sites,
        ttl: Duration::from_secs(60),
    };
    format!(
        "Bearer {}",
        Verifier::mint(&jwt("good"), &grant, SystemTime::now()).unwrap()
    )
}

/// The token of a tenant with one site.
fn of(site: &str) -> String {
    token_of(site, &[site], &[])
}

/// Follows a run until it is over; gives the events.
async fn followed(body: Body) -> String {
    String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn run_is_found_under_its_own_site_alone() {
    let app = app(unlimited());
    let order = r#"{"targetLangs":["es"]}"#;
    let (ordered, _) = call(
        &app,
        "POST",
        "/api/sites/bakery/crawl-translate",
        order,
        &of("bakery"),
    )
    .await;
    let location = ordered.headers()["location"].to_str().unwrap();
    let request = Request::get(format!("{location}/stream")).header("host", "localhost");
    let request = request
        .header("authorization", of("bakery"))
        .body(Full::<Bytes>::default())
        .unwrap();
    let mut events = respond(&app, request, CLIENT).await.into_body();
    let first = events.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b"id: "), "{first:?}");
    for (method, verb) in [
        ("GET", ""),
        ("GET", "/stream"),
        ("POST", "/cancel"),
        ("POST", "/accept"),
    ] {
        let path = format!("{}{verb}", location.replace("bakery", "shop"));
        check(
            &path,
            &call(&app, method, &path, "", &of("shop")).await,
            404,
            "run_not_found",
        );
    }
    let (_, run) = call(
        &app,
        "POST",
        &format!("{location}/cancel"),
        "",
        &of("bakery"),
    )
    .await;
    assert_eq!(run["status"], "cancelled");
    let rest = followed(events).await;
    assert!(
        rest.contains("event: complete") && rest.contains("\"cancelled\""),
        "{rest}"
    );
}

/// What the file says is about everybody's sites.
#[tokio::test]
async fn configuration_is_read_again_for_tokens_of_all_sites_alone() {
    let app = app(unlimited());
    let reload = async |sites: &[&str], without: &[&str]| {
        call(
            &app,
            "POST",
            "/api/reload",
            "",
            &token_of("ana", sites, without),
        )
        .await
    };
    // Also where these are all the sites that there are today.
    for sites in [&[][..], &["bakery"], &["bakery", "shop"]] {
        let refused = reload(sites, &[]).await;
        check(&format!("{sites:?}"), &refused, 403, "missing_sites");
        assert_eq!(
            refused.0.headers()["www-authenticate"],
            "Bearer error=\"insufficient_scope\""
        );
    }
    check(
        "scope",
        &reload(&["*"], &["admin:write"]).await,
        403,
        "missing_scope",
    );
    let (done, answer) = reload(&["*"], &[]).await;
    assert_eq!(
        (done.status().as_u16(), answer),
        (200, json!({ "needRestart": [] }))
    );
}

/// Bob's sites: one of the file and one that he added; and Mallory's.
const BOBS: [&str; 2] = ["bakery", "bobs"];
const MALLORYS: [&str; 2] = ["shop", "mallorys"];
/// The hosts of Bob's sites.
const HOSTS: [&str; 3] = ["bakery.example", "es.bob.example", "de.bob.example"];
const BOBS_SITE: &str = r#"{"sourceUrl":"https://www.bob.example/","sourceLocale":"en","targetLangs":["es"],"url":"https://{lang}.bob.example"}"#;
const ORDER: &str = r#"{"targetLangs":["es"]}"#;
const PREVIEW_ORDER: &str =
    r#"{"sourceUrl":"https://bakery.example/","sourceLang":"en","targetLang":"es"}"#;
const SUMMARY_BODY: &str = r#"{"frequency":"weekly","summary":{"headline":"Mallory"}}"#;
/// With the times, which would be now if they were not sent.
const BOBS_SUMMARY: &str = r#"{"frequency":"daily","summary":{"headline":"Bob","rangeStart":"2026-01-01T00:00:00Z","rangeEnd":"2026-01-02T00:00:00Z"}}"#;
/// Nobody looks up what is sent where.
const HOOK: &str = r#"{"url":"https://mallory.invalid/hook"}"#;
const DIGEST: &str = r#"{"email":"mallory@example.com","frequency":"daily"}"#;

/// Bodies for an operation: the first is in order, the others name what is Bob's, and their answers.
///
/// Every operation that takes a body has a row.
fn row(line: &Line) -> (&'static str, Vec<(String, u16, &'static str)>) {
    let taken = |url: &str| {
        (
            BOBS_SITE.replace("https://{lang}.bob.example", url),
            409,
            "url_taken",
        )
    };
    match line.id {
        "sites.crawl_translate.trigger" | "sites.plan.trigger" => (
            ORDER,
            vec![(ORDER.replace("es", "pt-BR"), 404, "locale_not_found")],
        ),
        "sites.locales.serve" => (r#"{"enabled":true}"#, vec![]),
        "sites.put" => {
            let urls = [
                "https://{lang}.bob.example",
                "http://{lang}.BOB.example.:443",
                "https://de.bob.example/{lang}",
                "https://bakery.example/{lang}",
                "http://bakery.example/docs/{lang}",
            ];
            (NEW, urls.map(taken).into())
        }
        "sites.locales.translationSummary.put" => (SUMMARY_BODY, vec![]),
        "sites.reports.take" | "sites.reports.drop" => {
            (r#"{"texts":["Your cart is empty"]}"#, vec![])
        }
        "segments.act" => (
            r#"{"action":"approve","segmentIds":["8c2f0d1b6a7e4f35902b1c8d7e6f5a40"]}"#,
            vec![],
        ),
        "segments.undo" => (r#"{"batchId":1}"#, vec![]),
        "segments.put" => (r#"{"translation":"Mallory"}"#, vec![]),
        "sites.webhooks.create" | "sites.webhooks.put" => (HOOK, vec![]),
        "sites.webhooks.redeliver" => ("{}", vec![]),
        "digests.subscription.upsert" => (DIGEST, vec![]),
        "digests.settings.update" => (r#"{"timezone":"Europe/Madrid","locale":"es"}"#, vec![]),
        "previews.create" => (PREVIEW_ORDER, vec![]),
        id => {
            assert!(
                (line.schemas)().body.is_none(),
                "{id} takes a body: give it a row"
            );
            ("", vec![])
        }
    }
}

/// The ids that stand in paths.
struct Ids {
    run: String,
    preview: String,
    webhook: String,
}

/// A path of the table, with ids in the places that are in braces.
fn path_of(line: &Line, site: &str, ids: &Ids) -> String {
    let path = line
        .path
        .replace("{siteId}", site)
        .replace("{targetLang}", "es");
    // No site has a deployment here, so every id of one is another site's.
    path.replace("{runId}", &ids.run)
        .replace("{previewId}", &ids.preview)
        .replace("{deploymentId}", &ids.run)
        .replace("{target}", "live")
        .replace("{webhookId}", &ids.webhook)
        .replace("{deliveryId}", &format!("msg_{}", ids.run))
}

/// Sends a request; streams are left as soon as they have begun.
async fn send(
    app: &App,
    line: &Line,
    path: &str,
    body: &str,
    host: &str,
    token: &str,
) -> (u16, Value, String) {
    let request = Request::builder()
        .method(line.method)
        .uri(path)
        .header("host", host)
        .header("authorization", token);
    let request = request
        .header("content-type", "application/json")
        .header("idempotency-key", "the-same");
    let response = respond(
        app,
        request.body(Full::from(body.to_owned())).unwrap(),
        CLIENT,
    )
    .await;
    let status = response.status().as_u16();
    if response
        .headers()
        .get("content-type")
        .is_some_and(|kind| kind == "text/event-stream")
    {
        return (status, Value::Null, String::new());
    }
    let text = followed(response.into_body()).await;
    (
        status,
        serde_json::from_str(&text).unwrap_or_default(),
        text,
    )
}

/// What two tenants have on a server before anything happens.
struct TwoTenants {
    app: App,
    bob: String,
    bobs: Ids,
    mallorys: Ids,
}

impl TwoTenants {
    async fn new() -> Self {
        let app = app(unlimited());
        let bob = token_of("bob", &BOBS, &[]);
        let mallory = token_of("mallory", &MALLORYS, &[]);
        let done = async |method: &str, path: &str, body: &str, token: &str| {
            let headers = [
                ("authorization", token),
                ("content-type", "application/json"),
                ("idempotency-key", "the-same"),
            ];
            let (response, value) = ask(&app, method, path, body, &headers).await;
            assert!(response.status().is_success(), "{method} {path}: {value}");
            value
        };
        let id = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
        done("PUT", "/api/sites/bobs", BOBS_SITE, &bob).await;
        done("PUT", "/api/sites/mallorys", NEW, &mallory).await;
        done("POST", "/api/sites/bobs/crawl-translate", ORDER, &bob).await;
        done("PUT", SUMMARY, BOBS_SUMMARY, &bob).await;
        done(
            "PUT",
            "/api/digests/subscription",
            r#"{"email":"bob@example.com","frequency":"weekly"}"#,
            &bob,
        )
        .await;
        done(
            "POST",
            "/api/sites/bakery/locales/es/serve",
            r#"{"enabled":false}"#,
            &bob,
        )
        .await;
        let run = id(
            &done("POST", "/api/sites/bakery/crawl-translate", ORDER, &bob).await,
            "crawlId",
        );
        let preview = id(
            &done("POST", "/api/previews", PREVIEW_ORDER, &bob).await,
            "previewId",
        );
        let webhook = id(
            &done("POST", "/api/sites/bakery/webhooks", HOOK, &bob).await,
            "webhookId",
        );
        let bobs = Ids {
            run,
            preview,
            webhook,
        };
        let run = id(
            &done("POST", "/api/sites/shop/crawl-translate", ORDER, &mallory).await,
            "crawlId",
        );
        let preview = id(
            &done("POST", "/api/previews", PREVIEW_ORDER, &mallory).await,
            "previewId",
        );
        let webhook = id(
            &done("POST", "/api/sites/shop/webhooks", HOOK, &mallory).await,
            "webhookId",
        );
        Self {
            app,
            bob,
            bobs,
            mallorys: Ids {
                run,
                preview,
                webhook,
            },
        }
    }

    /// Everything that Bob has: what he is answered, the promise of his key, and what the state holds.
    async fn all_of_bobs(&self) -> String {
        let mut all = String::new();
        for line in OPERATIONS
            .iter()
            .filter(|line| line.method == "GET" && !line.streams && line.scope.is_some())
        {
            for site in BOBS {
                let path = path_of(line, site, &self.bobs);
                let (status, _, text) =
                    send(&self.app, line, &path, "", "localhost", &self.bob).await;
                // Before the first digest, what it is about moves on with the time.
                let text = match text.split_once(",\"since\":") {
                    Some((before, _)) if line.id == "digests.next.get" => before,
                    _ => text.as_str(),
                };
                all += &format!("{path} {status} {text}\n");
            }
        }
        let crawl = OPERATIONS
            .iter()
            .find(|line| line.id == "sites.crawl_translate.trigger")
            .unwrap();
        let again = send(
            &self.app,
            crawl,
            &path_of(crawl, BOBS[0], &self.bobs),
            ORDER,
            "localhost",
            &self.bob,
        )
        .await;
        all += &format!("{again:?}\n");
        let state = self.app.api.as_ref().unwrap().state();
        for site in BOBS.map(|site| SiteId::parse(site).unwrap()) {
            let runs = state.runs(&site).unwrap();
            let switches = state.switches(&site).unwrap();
            let left = state.locale_runs(&site).unwrap();
            let added = state.sites().unwrap().get(&site).cloned();
            all += &format!(
                "{runs:?} {switches:?} {left:?} {added:?} {:?}\n",
                state.summaries(&site).unwrap()
            );
        }
        let preview = state
            .preview(&PreviewId::parse(&self.bobs.preview).unwrap())
            .unwrap();
        all + &format!(
            "{preview:?} {:?}\n",
            state.subscriptions().unwrap().get("bob")
        )
    }
}

/// Every operation of the table, with the ids of another tenant, at another tenant's hosts, and without its scope.
#[tokio::test]
async fn nobody_reaches_what_is_anothers() {
    let world = TwoTenants::new().await;
    let TwoTenants {
        app,
        bob,
        bobs,
        mallorys,
    } = &world;
    let mallory = token_of("mallory", &MALLORYS, &[]);
    let stream = OPERATIONS
        .iter()
        .find(|line| line.id == "sites.runs.stream")
        .unwrap();
    let request = Request::get(path_of(stream, BOBS[0], bobs))
        .header("host", "localhost")
        .header("authorization", bob);
    let mut events = respond(app, request.body(Full::<Bytes>::default()).unwrap(), CLIENT)
        .await
        .into_body();
    events.frame().await.unwrap().unwrap();
    let before = world.all_of_bobs().await;
    assert!(
        before.contains("Bob")
            && before.contains("bob@example.com")
            && before.contains("\"queued\""),
        "{before}"
    );
    for line in &OPERATIONS {
        let (body, naming) = row(line);
        let refused = async |path: String, body: &str, token: &str, expected: (u16, &str)| {
            let mut texts = Vec::new();
            for host in HOSTS.into_iter().chain(["localhost"]) {
                let (status, value, text) = send(app, line, &path, body, host, token).await;
                let given = (
                    status,
                    value["details"]["code"].as_str().unwrap_or_default(),
                );
                assert_eq!(given, expected, "{} {path} at {host}", line.method);
                texts.push(text);
            }
            texts
        };
        let run = mallorys.preview.clone();
        let preview = mallorys.run.clone();
        let unknown = Ids {
            run,
            preview,
            webhook: mallorys.run.clone(),
        };
        if line.path.contains("{siteId}") {
            for site in BOBS {
                let theirs = refused(
                    path_of(line, site, bobs),
                    body,
                    &mallory,
                    (404, "site_not_found"),
                )
                .await;
                let nobodys = refused(
                    path_of(line, "nowhere", bobs),
                    body,
                    &of("shop"),
                    (404, "site_not_found"),
                )
                .await;
                assert_eq!(theirs, nobodys, "{}", line.id);
                refused(
                    path_of(line, site, bobs),
                    body,
                    &token_of("bob", &[], &[]),
                    (404, "site_not_found"),
                )
                .await;
            }
        }
        let missing = [
            ("run", "run_not_found"),
            ("preview", "preview_not_found"),
            ("webhook", "webhook_not_found"),
        ];
        let missing = missing
            .iter()
            .find(|(name, _)| line.path.contains(&format!("{{{name}Id}}")));
        let missing = missing.map(|(_, code)| {
            if line.path.contains("{deliveryId}") {
                "delivery_not_found"
            } else {
                code
            }
        });
        if let Some(missing) = missing {
            let theirs = refused(path_of(line, "shop", bobs), body, &mallory, (404, missing)).await;
            let nobodys = refused(
                path_of(line, "shop", &unknown),
                body,
                &mallory,
                (404, missing),
            )
            .await;
            assert_eq!(theirs, nobodys, "{}", line.id);
        }
        if let Some(scope) = line.scope {
            let without = [Some(scope), line.or_scope].map(Option::unwrap_or_default);
            let poor = token_of("bob", &BOBS, &without);
            refused(
                path_of(line, BOBS[0], bobs),
                body,
                &poor,
                (403, "missing_scope"),
            )
            .await;
        }
        for (body, status, code) in naming {
            let site = if line.id == "sites.put" {
                MALLORYS[1]
            } else {
                MALLORYS[0]
            };
            refused(
                path_of(line, site, mallorys),
                &body,
                &mallory,
                (status, code),
            )
            .await;
        }
        // What is in order at home leads nowhere else.
        for site in MALLORYS {
            let (status, _, text) = send(
                app,
                line,
                &path_of(line, site, mallorys),
                body,
                HOSTS[0],
                &mallory,
            )
            .await;
            assert!(status < 500, "{} {status}", line.id);
            // What she ordered herself she may read.
            let text = text.replace("\"https://bakery.example/\"", "");
            let secrets = [
                BOBS[0],
                BOBS[1],
                "bob.example",
                bobs.run.as_str(),
                bobs.preview.as_str(),
                bobs.webhook.as_str(),
            ];
            let told = secrets
                .iter()
                .find(|secret| line.scope.is_some() && text.contains(**secret));
            assert_eq!(told, None, "{}: {text}", line.id);
        }
        if line.id == "sites.delete" {
            call(app, "PUT", "/api/sites/mallorys", NEW, &mallory).await;
        }
        let after = world.all_of_bobs().await;
        let change = before
            .lines()
            .zip(after.lines())
            .find(|(before, after)| before != after);
        assert!(
            after == before,
            "{} changed what is Bob's: {change:?}",
            line.id
        );
        assert!(
            events.frame().now_or_never().is_none(),
            "Bob's events after {}",
            line.id
        );
    }
    call(
        app,
        "POST",
        &format!("/api/sites/bakery/runs/{}/cancel", bobs.run),
        "",
        bob,
    )
    .await;
    assert!(followed(events).await.contains("event: complete"));
}
