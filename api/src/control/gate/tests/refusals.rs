//! Everything that can be wrong with a request for an operation.

use super::*;

/// The size of the largest body that most operations take.
const LARGEST_BODY: usize = 1 << 20;

#[tokio::test]
async fn every_operation_refuses_what_is_wrong() {
    let app = app(unlimited());
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(LARGEST_BODY));
    for (method, path, body, _) in OPERATIONS {
        let all = crate::scopes().join(" ");
        let good = fitting(path, "ana");
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
            // Callers without access get the same answer for existing and missing sites.
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
