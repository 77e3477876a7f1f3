//! Previews over the API: who may order and watch them, what becomes of them, and what their pages may do.

mod failures;
mod keys;
mod lifetimes;
mod rates;

use std::sync::Mutex;

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
        let mut last_id = 0;
        let mut last = Value::Null;
        let mut stages = Vec::new();
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

/// A site on the loopback interface, and the heads of the requests it got, in lower case.
pub(super) async fn site() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let kept = Arc::clone(&kept);
            tokio::spawn(async move {
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]).to_lowercase();
                let is_first = note(&kept, &head);
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
    (format!("http://{address}"), heads)
}

/// Notes a request; true for the first one.
fn note(heads: &Mutex<Vec<String>>, head: &str) -> bool {
    let mut heads = heads.lock().unwrap();
    heads.push(head.to_owned());
    heads.len() == 1
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
