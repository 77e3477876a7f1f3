//! Hosts of the API, and the origins whose pages may call it.

use super::*;
use crate::settings::Front;

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
