//! Credentials of previews: who may order and who may watch.

use super::*;

/// D2: only the right credential of the right kind opens anything.
#[tokio::test]
async fn keys_open_what_they_are_for() {
    let running = Running::start(stores(), "", |_| ());
    let app = &running.app;
    let (_, ordered) = running.order("https://a.example/", "es").await;
    let (_, other) = running.order("https://a.example/", "es").await;
    let path = format!("/api/previews/{}", ordered["previewId"].as_str().unwrap());
    let own = ordered["statusToken"].as_str().unwrap();
    let others = other["statusToken"].as_str().unwrap();
    let bearer = format!("Bearer {ORDER_TOKEN}");
    let create = "x-preview-token";
    let watch = "x-preview-status-token";
    let scoped = |scope: &str| token("good", "ana", scope, "bakery", 0);
    let writes = scoped("preview:write");
    let reads = scoped("sites:read");
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
