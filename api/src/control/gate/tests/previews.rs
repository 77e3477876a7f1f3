//! Previews over the API: who may order and watch them, what becomes of them, and what their pages may do.

use std::sync::atomic::{AtomicUsize, Ordering};

use pipeline::net::Lookup;
use pipeline::state::{PreviewRecord, PreviewStatus};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::*;
use crate::jobs::previews::Previews;

pub(super) const ORDER_TOKEN: &str = "order-order-order-order-order-order";
const STATUS_TOKEN: &str = "watch-watch-watch-watch-watch-watch";
const PAGE: &str = "<!doctype html><html lang=en><title>Bread</title><p>Fresh bread <a href=menu.html>Menu</a></html>";

/// An app whose previews are made; ends with this value.
pub(super) struct Running {
    pub(super) app: Arc<App>,
    _workers: JoinSet<()>,
}

impl Running {
    pub(super) fn start(stores: Stores, more: &str, change: impl FnOnce(&mut Previews)) -> Self {
        let text = format!("{CONFIGURATION}\n{more}");
        let environment = |name: &str| match name {
            "LATIMER_PREVIEW_TOKENS" => Some(format!(
                "\n first-first-first-first-first-first \n{ORDER_TOKEN}\n"
            )),
            "LATIMER_PREVIEW_STATUS_TOKEN" => Some(format!("{STATUS_TOKEN}\n")),
            _ => None,
        };
        let mut config =
            Config::parse(&text, Path::new("/nowhere/latimer.toml"), &environment).unwrap();
        config.api.limits = unlimited();
        let objects = stores.objects.clone();
        let mut api = Api::new(
            Verifier::new(&jwt("good")).unwrap(),
            &config,
            stores.clone(),
            options(),
        );
        let mut previews = Previews::new(&config, stores, Meter::default());
        change(&mut previews);
        api.previews = Arc::new(previews);
        let api = api.with_preview_keys(PreviewKeys::read(&config.api).unwrap());
        let app = Arc::new(App::new(objects, Vec::new(), 1 << 20).with_api(api));
        let mut workers = JoinSet::new();
        app.api
            .as_ref()
            .unwrap()
            .start_previews(&app.metrics, &mut workers)
            .unwrap();
        Self {
            app,
            _workers: workers,
        }
    }

    pub(super) async fn order(&self, url: &str, target: &str) -> (Response<()>, Value) {
        self.order_by(("x-preview-token", ORDER_TOKEN), url, target)
            .await
    }

    /// Orders a preview with any credential.
    pub(super) async fn order_by(
        &self,
        by: (&str, &str),
        url: &str,
        target: &str,
    ) -> (Response<()>, Value) {
        let body = json!({"sourceUrl": url, "sourceLang": "en", "targetLang": target}).to_string();
        ask(
            &self.app,
            "POST",
            "/api/previews",
            &body,
            &[by, ("content-type", "application/json")],
        )
        .await
    }

    /// Follows a preview to its end; gives its last state.
    pub(super) async fn end(&self, ordered: &Value) -> Value {
        let path = ordered["streamUrl"].as_str().unwrap();
        let request = Request::get(path).header("host", "localhost");
        let request = request.header(
            "x-preview-status-token",
            ordered["statusToken"].as_str().unwrap(),
        );
        let response = respond(
            &self.app,
            request.body(Full::<Bytes>::default()).unwrap(),
            CLIENT,
        )
        .await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        let (mut last_id, mut last, mut stages) = (0, Value::Null, Vec::new());
        for event in text
            .split_terminator("\n\n")
            .filter(|event| !event.starts_with("event: heartbeat"))
        {
            let field = |name: &str| {
                event
                    .lines()
                    .find_map(|line| line.strip_prefix(name))
                    .unwrap()
            };
            let id: u64 = field("id: ").parse().unwrap();
            assert!(id > last_id, "{text}");
            last_id = id;
            last = serde_json::from_str(field("data: ")).unwrap();
            stages.push(last["stage"].as_str().unwrap().to_owned());
            last["event"] = field("event: ").into();
        }
        let rank = |stage: &String| STAGES.iter().position(|known| known == stage).unwrap();
        assert!(stages.iter().map(rank).is_sorted(), "{text}");
        last
    }

    async fn made(&self, url: &str, target: &str) -> Value {
        let (response, ordered) = self.order(url, target).await;
        assert_eq!(response.status(), 202, "{ordered}");
        self.end(&ordered).await
    }

    pub(super) async fn page(&self, id: &str) -> (Response<()>, String) {
        let request = Request::get(format!("/_preview/{id}")).header("host", "localhost");
        let response = respond(
            &self.app,
            request.body(Full::<Bytes>::default()).unwrap(),
            CLIENT,
        )
        .await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (
            Response::from_parts(parts, ()),
            String::from_utf8(body.to_vec()).unwrap(),
        )
    }
}

const STAGES: [&str; 5] = [
    "fetching_page",
    "analyzing_content",
    "translating",
    "generating_preview",
    "saving",
];

/// A site on the loopback interface, and how many requests it got.
pub(super) async fn site() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, count) = (
        listener.local_addr().unwrap(),
        Arc::new(AtomicUsize::new(0)),
    );
    let counter = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let is_first = counter.fetch_add(1, Ordering::SeqCst) == 0;
            tokio::spawn(async move {
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default();
                let large = "x".repeat(6 << 20);
                let (status, kind, body) = match path {
                    "/text" => ("200 OK", "text/plain", "Bread"),
                    "/large" => ("200 OK", "text/html", large.as_str()),
                    "/away" => ("302 Found\r\nLocation: http://[::", "text/html", ""),
                    "/once" if is_first => return std::future::pending().await,
                    "/slow" => return std::future::pending().await,
                    "/none" => ("404 Not Found", "text/html", ""),
                    _ => ("200 OK", "text/html; charset=utf-8", PAGE),
                };
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            });
        }
    });
    (format!("http://{address}"), count)
}

pub(super) const PRIVATE: &str = "[preview]\nengine = \"pseudo\"\nallow_private = true\n";

#[tokio::test(flavor = "multi_thread")]
async fn page_is_shown_translated_styled_and_harmless() {
    let (site, _) = site().await;
    let running = Running::start(stores(), PRIVATE, |_| ());
    let (response, ordered) = running.order(&format!("{site}/a/"), "es").await;
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let expected =
        "error errorCode errorStage expiresAt previewId previewUrl retryHint stage status";
    assert_eq!(keys(&ordered), format!("{expected} statusToken streamUrl"));
    let id = ordered["previewId"].as_str().unwrap();
    assert_eq!(
        response.headers()["location"].to_str().unwrap(),
        format!("/api/previews/{id}")
    );
    let end = running.end(&ordered).await;
    assert_eq!(
        (&end["event"], &end["status"], &end["stage"]),
        (&json!("complete"), &json!("ready"), &json!("saving"))
    );
    let token = ordered["statusToken"].as_str().unwrap();
    let path = format!("/api/previews/{id}");
    let (_, status) = ask(
        &running.app,
        "GET",
        &path,
        "",
        &[("x-preview-status-token", token)],
    )
    .await;
    assert_eq!(
        (keys(&status), &status["status"]),
        (format!("{expected} streamUrl"), &json!("ready"))
    );
    let (response, html) = running.page(id).await;
    let headers = response.headers();
    for (name, value) in [
        ("x-robots-tag", "noindex"),
        ("cache-control", "private, no-store"),
        ("referrer-policy", "no-referrer"),
        ("content-security-policy", "sandbox allow-scripts"),
        ("x-content-type-options", "nosniff"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(headers[name], value);
    }
    assert!(!headers.contains_key("set-cookie"));
    assert!(
        html.contains(&format!("href={site}/a/menu.html"))
            || html.contains(&format!("href=\"{site}/a/menu.html\"")),
        "{html}"
    );
    assert!(
        !html.contains("Fresh bread") && html.contains("lang=es"),
        "{html}"
    );
    for unknown in [
        "3f2b8c1e-9a47-4d05-8e61-7c0d52f4ab19",
        "x",
        &id.to_uppercase(),
        "",
    ] {
        let (response, _) = running.page(unknown).await;
        assert_eq!(
            (
                response.status().as_u16(),
                &response.headers()["x-robots-tag"]
            ),
            (404, &HeaderValue::from_static("noindex"))
        );
    }
}

/// D2: only the right credential of the right kind opens anything.
#[tokio::test]
async fn keys_open_what_they_are_for() {
    let running = Running::start(stores(), "", |_| ());
    let app = &running.app;
    let (_, ordered) = running.order("https://a.example/", "es").await;
    let (_, other) = running.order("https://a.example/", "es").await;
    let path = format!("/api/previews/{}", ordered["previewId"].as_str().unwrap());
    let (own, others) = (
        ordered["statusToken"].as_str().unwrap(),
        other["statusToken"].as_str().unwrap(),
    );
    let bearer = format!("Bearer {ORDER_TOKEN}");
    let (create, watch) = ("x-preview-token", "x-preview-status-token");
    let scoped = |scope: &str| token("good", "ana", scope, "bakery", 0);
    let (writes, reads) = (scoped("preview:write"), scoped("sites:read"));
    let body = OPERATIONS[14].2;
    for (method, path, header, value, status, code) in [
        ("POST", "/api/previews", create, ORDER_TOKEN, 202, ""),
        (
            "POST",
            "/api/previews",
            create,
            "first-first-first-first-first-first",
            202,
            "",
        ),
        ("POST", "/api/previews", create, "", 401, "invalid_token"),
        (
            "POST",
            "/api/previews",
            create,
            &ORDER_TOKEN[..10],
            401,
            "invalid_token",
        ),
        (
            "POST",
            "/api/previews",
            create,
            "order-order-order-order-order-order-",
            401,
            "invalid_token",
        ),
        (
            "POST",
            "/api/previews",
            create,
            STATUS_TOKEN,
            401,
            "invalid_token",
        ),
        ("POST", "/api/previews", create, own, 401, "invalid_token"),
        (
            "POST",
            "/api/previews",
            watch,
            STATUS_TOKEN,
            401,
            "missing_token",
        ),
        (
            "POST",
            "/api/previews",
            "authorization",
            &bearer,
            401,
            "invalid_token",
        ),
        ("POST", "/api/previews", "authorization", &writes, 202, ""),
        (
            "POST",
            "/api/previews",
            "authorization",
            &reads,
            403,
            "missing_scope",
        ),
        ("GET", &path, watch, own, 200, ""),
        ("GET", &path, watch, STATUS_TOKEN, 200, ""),
        ("GET", &path, watch, others, 401, "invalid_token"),
        ("GET", &path, watch, ORDER_TOKEN, 401, "invalid_token"),
        ("GET", &path, create, ORDER_TOKEN, 401, "missing_token"),
        ("GET", &path, "authorization", &writes, 200, ""),
        ("GET", &path, "authorization", &reads, 200, ""),
        (
            "GET",
            &format!("{path}?x-preview-status-token={own}"),
            watch,
            "",
            401,
            "invalid_token",
        ),
        ("GET", PREVIEW, watch, own, 401, "invalid_token"),
        ("GET", "/api/previews/x", watch, own, 401, "invalid_token"),
        (
            "GET",
            PREVIEW,
            watch,
            STATUS_TOKEN,
            404,
            "preview_not_found",
        ),
        (
            "GET",
            "/api/previews/x",
            "authorization",
            &reads,
            404,
            "preview_not_found",
        ),
    ] {
        let answer = ask(
            app,
            method,
            path,
            if method == "POST" { body } else { "" },
            &[(header, value), ("content-type", "application/json")],
        )
        .await;
        let case = format!("{method} {path} {header}: {value}");
        if status < 300 {
            assert_eq!(answer.0.status().as_u16(), status, "{case}: {}", answer.1);
        } else {
            check(&case, &answer, status, code);
        }
    }
    let large = format!(
        "{{\"sourceUrl\":\"https://a.example/{}\"}}",
        "x".repeat(16 << 10)
    );
    let headers = [(create, ORDER_TOKEN), ("content-type", "application/json")];
    check(
        "large",
        &ask(app, "POST", "/api/previews", &large, &headers).await,
        413,
        "payload_too_large",
    );
    for (field, value, code) in [
        ("sourceUrl", "ftp://a.example/", "invalid_url"),
        ("sourceUrl", "https://ana:secret@a.example/", "invalid_url"),
        ("sourceUrl", "/about", "invalid_url"),
        ("sourceLang", "e_n", "invalid_language"),
        ("targetLang", "", "invalid_language"),
        ("email", "ana", "invalid_email"),
        ("email", "ana@localhost", "invalid_email"),
        ("email", "Ana <ana@example.com>", "invalid_email"),
    ] {
        let mut wrong: Value = serde_json::from_str(body).unwrap();
        wrong[field] = value.into();
        check(
            field,
            &ask(app, "POST", "/api/previews", &wrong.to_string(), &headers).await,
            400,
            code,
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_failure_has_its_code() {
    let (site, _) = site().await;
    let at = |path: &str| format!("{site}{path}");
    let mut found = std::collections::BTreeSet::new();
    let mut expect = |end: Value, code: &str, stage: &str| {
        assert_eq!(
            (&end["event"], &end["status"]),
            (&json!("error"), &json!("failed")),
            "{end}"
        );
        assert_eq!(
            (&end["errorCode"], &end["errorStage"]),
            (&json!(code), &json!(stage)),
            "{end}"
        );
        assert!(
            end["error"].is_string() && !end["error"].as_str().unwrap().contains("127.0.0.1"),
            "{end}"
        );
        found.insert(code.to_owned());
    };
    let running = Running::start(stores(), PRIVATE, |_| ());
    for (url, code) in [
        (at("/text"), "render_failed"),
        (at("/none"), "render_failed"),
        (at("/large"), "page_too_large"),
        (at("/away"), "invalid_url"),
        ("https://a..b:99999/".to_owned(), "invalid_url"),
    ] {
        expect(running.made(&url, "es").await, code, "fetching_page");
    }
    let running = Running::start(stores(), "[preview]\nallow_private = true\n", |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "translate_failed",
        "translating",
    );
    let running = Running::start(stores(), &format!("{PRIVATE}max_chars = 3\n"), |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "page_too_large",
        "translating",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.patience = Duration::from_millis(50)
    });
    expect(
        running.made(&at("/slow"), "es").await,
        "processing_timeout",
        "fetching_page",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.previewer.fetch.lookup = Lookup::By(Arc::new(|_| {
            Box::pin(async { Err(std::io::Error::other("none")) })
        }));
    });
    expect(
        running.made("https://a.example/", "es").await,
        "dns_failed",
        "fetching_page",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.previewer.fetch.lookup =
            Lookup::By(Arc::new(|_| Box::pin(std::future::pending())));
        previews.previewer.fetch.connect_timeout = Duration::from_millis(20);
    });
    expect(
        running.made("http://a.example/", "es").await,
        "dns_timeout",
        "fetching_page",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.previewer.fetch.lookup = Lookup::By(Arc::new(|_| panic!("a defect")));
    });
    expect(
        running.made("http://a.example/", "es").await,
        "unknown",
        "fetching_page",
    );
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("_previews"), "no folder").unwrap();
    let broken = Stores {
        objects: Objects::folder(folder.path()).unwrap(),
        ..stores()
    };
    let running = Running::start(broken, PRIVATE, |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "storage_failed",
        "saving",
    );
    let running = Running::start(stores(), "", |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "blocked_host",
        "fetching_page",
    );
    assert_eq!(found.len(), 10);
}

/// D4: nothing is asked that lies in a private network, however it is written.
#[tokio::test(flavor = "multi_thread")]
async fn private_hosts_are_blocked_and_never_asked() {
    let (site, asked) = site().await;
    let port = site.rsplit(':').next().unwrap().to_owned();
    let running = Running::start(stores(), "[preview]\nengine = \"pseudo\"\n", |_| ());
    for host in [
        "169.254.169.254",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "0",
    ] {
        let end = running.made(&format!("http://{host}:{port}/"), "es").await;
        assert_eq!(
            (&end["errorCode"], &end["status"]),
            (&json!("blocked_host"), &json!("failed")),
            "{host}"
        );
    }
    let rebinding = Running::start(stores(), "[preview]\nengine = \"pseudo\"\n", |previews| {
        previews.previewer.fetch.lookup = Lookup::By(Arc::new(|_| {
            Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
        }));
    });
    assert_eq!(
        rebinding
            .made(&format!("http://a.example:{port}/"), "es")
            .await["errorCode"],
        "blocked_host"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn previews_end_with_their_time() {
    let (site, _) = site().await;
    let stores = stores();
    let running = Running::start(stores.clone(), PRIVATE, |_| ());
    let (_, ordered) = running.order(&site, "es").await;
    running.end(&ordered).await;
    let id = pipeline::model::PreviewId::parse(ordered["previewId"].as_str().unwrap()).unwrap();
    let record = stores.state.preview(&id).unwrap().unwrap();
    assert!(record.token != ordered["statusToken"].as_str().unwrap() && record.token.len() == 64);
    let past = PreviewRecord {
        expires: Moment::of_millis(1_000),
        ..record
    };
    stores.state.put_preview(&past, Moment::default()).unwrap();
    let (path, own) = (
        format!("/api/previews/{id}"),
        ordered["statusToken"].as_str().unwrap(),
    );
    let status = async |token: &str| {
        ask(
            &running.app,
            "GET",
            &path,
            "",
            &[("x-preview-status-token", token)],
        )
        .await
    };
    check("expired", &status(own).await, 410, "preview_expired");
    let (gone, _) = running.page(&id.to_string()).await;
    assert_eq!(
        (gone.status().as_u16(), &gone.headers()["cache-control"]),
        (410, &HeaderValue::from_static("private, no-store"))
    );
    let previews = running.app.api.as_ref().unwrap().previews();
    previews.sweep_once(Moment::of_millis(2_000)).await.unwrap();
    assert_eq!(previews.page(id).await.unwrap(), None);
    check("swept", &status(own).await, 410, "preview_expired");
    previews
        .sweep_once(past.expires + Duration::from_secs(7 * 24 * 60 * 60))
        .await
        .unwrap();
    check("forgotten", &status(own).await, 401, "invalid_token");
    check(
        "forgotten",
        &status(STATUS_TOKEN).await,
        404,
        "preview_not_found",
    );
    assert_eq!(running.page(&id.to_string()).await.0.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_restart_cuts_off_begins_again() {
    let (site, asked) = site().await;
    let stores = stores();
    let first = Running::start(stores.clone(), PRIVATE, |_| ());
    let (_, slow) = first.order(&format!("{site}/once"), "es").await;
    let id = pipeline::model::PreviewId::parse(slow["previewId"].as_str().unwrap()).unwrap();
    let previews = Arc::clone(first.app.api.as_ref().unwrap().previews());
    let mut changes = previews.follow(id).unwrap();
    changes
        .wait_for(|preview| preview.status == PreviewStatus::Processing)
        .await
        .unwrap();
    while asked.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    drop(first);
    let left = stores.state.preview(&id).unwrap().unwrap();
    assert_eq!(left.status, PreviewStatus::Processing);
    let often = PreviewRecord {
        id: pipeline::model::PreviewId::new(),
        attempts: 3,
        ..left
    };
    stores.state.put_preview(&often, Moment::default()).unwrap();
    let second = Running::start(stores, PRIVATE, |_| ());
    assert_eq!(second.end(&slow).await["status"], "ready");
    let path = format!("/api/previews/{}", often.id);
    let (_, often) = ask(
        &second.app,
        "GET",
        &path,
        "",
        &[("x-preview-status-token", STATUS_TOKEN)],
    )
    .await;
    assert_eq!(
        (&often["status"], &often["errorCode"]),
        (&json!("failed"), &json!("unknown"))
    );
    assert!(often["retryHint"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_wait_their_turn_and_the_rest_is_told_so() {
    let (site, asked) = site().await;
    let running = Running::start(stores(), PRIVATE, |_| ());
    let ordered = futures::future::join_all((0..50).map(|_| running.order(&site, "es"))).await;
    let ends =
        futures::future::join_all(ordered.iter().map(|(_, ordered)| running.end(ordered))).await;
    assert!(ends.iter().all(|end| end["status"] == "ready"), "{ends:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 50);
    let slow = format!("{site}/slow");
    let mut refused = None;
    for _ in 0..220 {
        let answer = running.order(&slow, "es").await;
        if answer.0.status() != 202 {
            refused = Some(answer);
            break;
        }
    }
    check(
        "full",
        &refused.expect("the queue is full at last"),
        429,
        "rate_limited",
    );
}

#[tokio::test]
async fn orders_are_counted_for_the_host_too() {
    let one = Some(Rate {
        interval: Duration::from_secs(30),
        burst: 1,
    });
    let app = app(Limits {
        preview_host: one,
        ..unlimited()
    });
    let order = async |url: &str| {
        let body = OPERATIONS[14].2.replace("https://a.example/", url);
        call(&app, "POST", "/api/previews", &body, &good()).await
    };
    assert_eq!(order("https://a.example/1").await.0.status(), 202);
    check(
        "same host",
        &order("https://A.example?2").await,
        429,
        "rate_limited",
    );
    assert_eq!(order("https://b.example/").await.0.status(), 202);
}

/// Preview mail is limited for each caller and for the server.
#[tokio::test]
async fn previews_with_an_address_are_counted() {
    let few = |burst| {
        Some(Rate {
            interval: Duration::from_secs(3600),
            burst,
        })
    };
    let mail = "[mail]\nsmtp = \"smtp://localhost:25\"\nfrom = \"l@example.com\"\nurl = \"https://l.example.com\"\n";
    let configuration = format!("{CONFIGURATION}{mail}");
    let mailing = |limits: Limits| {
        app_with(unlimited(), |config| {
            *config = Config::parse(&configuration, Path::new("/nowhere/latimer.toml"), &|_| {
                None
            })
            .unwrap();
            config.api.limits = limits;
        })
    };
    let app = mailing(Limits {
        preview_mail: few(2),
        preview_mail_all: few(3),
        ..unlimited()
    });
    let order = async |app: &App, subject: &str, number: usize| {
        let mut body: Value = serde_json::from_str(OPERATIONS[14].2).unwrap();
        body["email"] = format!("stranger{number}@example.com").into();
        let by = token("good", subject, "preview:write", "bakery", 0);
        call(app, "POST", "/api/previews", &body.to_string(), &by).await
    };
    for number in 0..2 {
        assert_eq!(order(&app, "ana", number).await.0.status(), 202);
    }
    check("of one", &order(&app, "ana", 2).await, 429, "rate_limited");
    assert_eq!(order(&app, "bob", 3).await.0.status(), 202);
    check("of all", &order(&app, "eve", 4).await, 429, "rate_limited");
    // Orders without an address cost nothing of these limits.
    assert_eq!(
        call(&app, "POST", "/api/previews", OPERATIONS[14].2, &good())
            .await
            .0
            .status(),
        202
    );
    // The usual limits stop 64 mails to 64 strangers.
    let usual = Config::parse(&configuration, Path::new("/nowhere/latimer.toml"), &|_| {
        None
    })
    .unwrap()
    .api
    .limits;
    let app = mailing(Limits {
        preview_mail: usual.preview_mail,
        preview_mail_all: usual.preview_mail_all,
        ..unlimited()
    });
    let mut passed = 0;
    for number in 0..64 {
        passed += usize::from(order(&app, "ana", number).await.0.status() == 202);
    }
    assert_eq!(passed, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn previews_are_listed_for_whoever_ordered_them_and_removed_with_their_pages() {
    let stores = stores();
    let running = Running::start(stores.clone(), PRIVATE, |_| ());
    let (site, _) = site().await;
    let [ana, bob] = ["ana", "bob"].map(|name| token("good", name, "preview:write", "bakery", 0));
    let ordered = running
        .order_by(("authorization", &ana), &format!("{site}/"), "es")
        .await
        .1;
    assert_eq!(running.end(&ordered).await["status"], "ready", "{ordered}");
    let path = format!("/api/previews/{}", ordered["previewId"].as_str().unwrap());
    let list = async |token: &str| {
        call(&running.app, "GET", "/api/previews", "", token)
            .await
            .1
    };
    let mine = list(&ana).await;
    assert_eq!(
        (&mine["total"], &mine["items"][0]["previewId"]),
        (&json!(1), &ordered["previewId"])
    );
    assert_eq!(mine["items"][0]["sourceUrl"], format!("{site}/"));
    assert!(!mine.to_string().contains("statusToken"), "{mine}");
    assert_eq!(list(&bob).await, json!({ "items": [], "total": 0 }));
    check(
        &path,
        &call(&running.app, "DELETE", &path, "", &bob).await,
        404,
        "preview_not_found",
    );
    let all = token("good", "eve", "preview:write", "*", 0);
    assert_eq!(list(&all).await["total"], 1);

    assert_eq!(
        call(&running.app, "DELETE", &path, "", &ana)
            .await
            .0
            .status(),
        204
    );
    check(
        &path,
        &call(&running.app, "DELETE", &path, "", &ana).await,
        404,
        "preview_not_found",
    );
    assert_eq!(list(&all).await["total"], 0);
    let id = PreviewId::parse(ordered["previewId"].as_str().unwrap()).unwrap();
    assert!(
        pipeline::store::preview(&stores.objects, &id)
            .await
            .unwrap()
            .is_none(),
        "its page is there still"
    );

    // One that is worked on ends for whoever follows it.
    let ordered = running
        .order_by(("authorization", &ana), &format!("{site}/slow"), "es")
        .await
        .1;
    let path = format!("/api/previews/{}", ordered["previewId"].as_str().unwrap());
    let (end, removed) = tokio::join!(running.end(&ordered), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        call(&running.app, "DELETE", &path, "", &ana)
            .await
            .0
            .status()
    });
    assert_eq!(
        (removed.as_u16(), &end["event"], &end["errorCode"]),
        (204, &json!("error"), &json!("preview_expired"))
    );
    assert_eq!(list(&all).await["total"], 0);
}
