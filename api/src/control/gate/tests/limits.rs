//! Limits of requests: their order, their counters and the addresses that share one.

use pipeline::config::SecretSource;

use super::*;

const CRAWL: &str = "/api/sites/bakery/crawl-translate";
const ORDER: &str = r#"{"targetLangs":["es"]}"#;

/// A rate of this many at once, and of no more for a long time.
fn few(burst: u32) -> Option<RateLimit> {
    Some(RateLimit {
        interval: Duration::from_secs(3600),
        burst,
    })
}

#[tokio::test]
async fn callers_over_their_limit_wait_and_others_do_not() {
    let one = Some(RateLimit {
        interval: Duration::from_secs(30),
        burst: 1,
    });
    for (method, path, body, status) in OPERATIONS {
        let app = app(same(one));
        let (first, _) = call(&app, method, path, body, &fitting(path, "ana")).await;
        assert_eq!(
            (
                first.status().as_u16(),
                &first.headers()["ratelimit-remaining"]
            ),
            (status, &HeaderValue::from(0))
        );
        let second = call(&app, method, path, body, &fitting(path, "ana")).await;
        check(path, &second, 429, "rate_limited");
        assert_eq!(second.0.headers()["retry-after"], "30");
        let other = call(&app, method, path, body, &fitting(path, "bob"))
            .await
            .0
            .status();
        // All callers of a site share its limit of crawls.
        assert_eq!(
            other,
            if path.ends_with("crawl-translate") {
                429
            } else {
                status
            }
        );
    }
    let app = app(ApiLimits {
        failed_logins: one,
        ..unlimited()
    });
    let (method, path, _, _) = OPERATIONS[0];
    check(
        path,
        &call(&app, method, path, "", "Bearer x").await,
        401,
        "invalid_token",
    );
    for wrong in ["Bearer x", "Bearer y", ""] {
        check(
            path,
            &call(&app, method, path, "", wrong).await,
            429,
            "rate_limited",
        );
        assert_eq!(
            call(&app, method, path, "", &good()).await.0.status(),
            200,
            "a valid token is never shut out"
        );
    }
}

/// A refused crawl costs a reading and none of the site's crawls.
#[tokio::test]
async fn what_is_refused_costs_a_reading_and_no_crawl() {
    let app = app(ApiLimits {
        crawl_translate: few(1),
        read: few(3),
        ..unlimited()
    });
    let reader = token("good", "bob", "sites:read", "bakery", 0);
    for path in [CRAWL, "/api/sites/bakery/plan"] {
        check(
            path,
            &call(&app, "POST", path, ORDER, &reader).await,
            403,
            "missing_scope",
        );
    }
    check(
        "shop",
        &call(&app, "POST", "/api/sites/shop/plan", ORDER, &reader).await,
        404,
        "site_not_found",
    );
    check(
        "read",
        &call(&app, "POST", CRAWL, ORDER, &reader).await,
        429,
        "rate_limited",
    );
    check(
        "read",
        &call(&app, "GET", "/api/sites", "", &reader).await,
        429,
        "rate_limited",
    );
    let (crawled, _) = call(&app, "POST", CRAWL, ORDER, &good()).await;
    assert_eq!(
        (
            crawled.status().as_u16(),
            &crawled.headers()["ratelimit-remaining"]
        ),
        (202, &HeaderValue::from(0))
    );
}

#[tokio::test]
async fn other_runs_take_no_crawl() {
    let app = app(ApiLimits {
        crawl_translate: few(1),
        ..unlimited()
    });
    let run = "01939f1c-0000-7000-8000-000000000000";
    for path in [
        "plan",
        "audit",
        "publish/host",
        &format!("runs/{run}/accept"),
    ] {
        let path = format!("/api/sites/bakery/{path}");
        let body = if path.ends_with("plan") { ORDER } else { "" };
        for _ in 0..3 {
            let (response, body) = call(&app, "POST", &path, body, &good()).await;
            assert_ne!(response.status(), 429, "{path}: {body}");
        }
    }
    assert_eq!(
        call(&app, "POST", CRAWL, ORDER, &good()).await.0.status(),
        202
    );
    check(
        CRAWL,
        &call(&app, "POST", CRAWL, ORDER, &good()).await,
        429,
        "rate_limited",
    );
}

/// Addresses of one household, another of the same kind, and what each is asked with.
#[tokio::test]
async fn a_household_is_one_address_for_every_limit() {
    const HOUSEHOLDS: [([&str; 2], &str); 2] = [
        (
            ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2"],
            "2001:db8:0:2::1",
        ),
        (["203.0.113.9", "::ffff:203.0.113.9"], "203.0.113.10"),
    ];
    const KEY: &str = "0123456789abcdef0123456789abcdef";
    let limits = || ApiLimits {
        read: few(1),
        preview: few(1),
        failed_logins: few(1),
        ..unlimited()
    };
    let wrong = ("authorization", "Bearer x");
    let order = r#"{"sourceUrl":"https://a.example/","sourceLang":"en","targetLang":"es"}"#;
    let key = [
        ("x-preview-token", KEY),
        ("content-type", "application/json"),
    ];
    for ([first, second], other) in HOUSEHOLDS {
        for (method, path, body, headers, status) in [
            ("GET", "/api/meta/languages", "", &[][..], 200),
            ("GET", "/api/sites", "", &[], 401),
            ("POST", "/api/previews", order, &key, 202),
        ] {
            let app = app(limits());
            let api = app.api.as_ref().unwrap();
            let mut config = api.settings().config.api.clone();
            config.preview_tokens = Some(SecretSource::Text(KEY.to_owned()));
            let keys = PreviewKeys::read(&config).unwrap();
            api.settings
                .change(|settings| settings.preview_keys = Arc::new(keys));
            let from = async |client: &str| {
                let answered =
                    ask_from(client.parse().unwrap(), &app, method, path, body, headers).await;
                answered.0.status().as_u16()
            };
            let given = [from(first).await, from(second).await, from(other).await];
            assert_eq!(given, [status, 429, status], "{path}");
        }
        // Tokens that are wrong in different ways count for the address that sends them.
        let app = app(limits());
        let api = app.api.as_ref().unwrap();
        let (first, second, other): (IpAddr, IpAddr, IpAddr) = (
            first.parse().unwrap(),
            second.parse().unwrap(),
            other.parse().unwrap(),
        );
        assert_eq!(
            ask_from(first, &app, "GET", "/api/sites", "", &[wrong])
                .await
                .0
                .status(),
            401
        );
        assert!(api.may_sign_in(second).is_err() && api.may_sign_in(other).is_ok());
        api.failed_to_sign_in(other);
        assert_eq!(
            ask_from(other, &app, "GET", "/api/sites", "", &[])
                .await
                .0
                .status(),
            429
        );
    }
}
