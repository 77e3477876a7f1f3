//! What a caller is told of itself: its token, its limits, what engines it may name, what it spent, its subscription.

use pipeline::run::month;
use pipeline::state::Spent;

use super::*;

#[tokio::test]
async fn token_says_what_it_may_and_what_is_left() {
    let rate = RateLimit {
        interval: Duration::from_secs(30),
        burst: 5,
    };
    let app = app_with(
        ApiLimits {
            read: Some(rate),
            ..unlimited()
        },
        |config| {
            config.api.sites.max_chars_per_month = Some(100);
        },
    );
    check(
        "/api/me",
        &ask(&app, "GET", "/api/me", "", &[]).await,
        401,
        "missing_token",
    );
    let state = app.api.as_ref().unwrap().state();
    state
        .spend(&Spent {
            site: None,
            subject: Some("ana"),
            locale: None,
            month: month(),
            engines: [("fx".to_owned(), 30)].into(),
        })
        .unwrap();
    // Any token does, also one without a scope.
    let token = token("good", "ana", "", "bakery", 0);
    let (response, me) = call(&app, "GET", "/api/me", "", &token).await;
    assert_eq!(response.status(), 200, "{me}");
    let month = month().iso();
    let usage = json!({ "month": month, "charactersSent": 30, "maxCharsPerMonth": 100, "charactersLeft": 70 });
    let limits = json!([
        { "name": "read", "countedBy": "subject", "limit": 5, "remaining": 4, "resetSeconds": 30 },
        { "name": "open_streams", "countedBy": "subject", "limit": 256, "remaining": 256, "resetSeconds": 0 },
    ]);
    assert_eq!(
        me,
        json!({ "subject": "ana", "scopes": [], "sites": ["bakery"], "limits": limits, "usage": usage })
    );
    let (_, again) = call(&app, "GET", "/api/me", "", &token).await;
    assert_eq!(
        again["limits"][0]["remaining"], 3,
        "asking counts, and looking at the limits does not"
    );
}

/// Every limit that a caller can use up is listed, with what is left of it.
#[tokio::test]
async fn every_limit_is_listed() {
    let rate = RateLimit {
        interval: Duration::from_secs(30),
        burst: 5,
    };
    let app = app(ApiLimits {
        failed_logins: Some(rate),
        ..same(Some(rate))
    });
    let (_, path, order, _) = OPERATIONS[3];
    assert_eq!(
        call(&app, "POST", path, order, &good()).await.0.status(),
        202
    );
    assert_eq!(
        call(&app, "GET", "/api/sites", "", "Bearer x")
            .await
            .0
            .status(),
        401
    );
    let everywhere = token("good", "ana", "", "*", 0);
    let (_, me) = call(&app, "GET", "/api/me", "", &everywhere).await;
    let limits = me["limits"].as_array().unwrap().iter().map(|limit| {
        let text = |key: &str| limit[key].as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {} {}",
            text("name"),
            text("countedBy"),
            text("siteId"),
            limit["remaining"]
        )
    });
    let expected = [
        "read subject - 4",
        "write subject - 5",
        "edit subject - 5",
        "preview subject - 5",
        "preview_mail subject - 5",
        "preview_status subject - 5",
        "stream subject - 5",
        "open_streams subject - 256",
        "crawl_translate site bakery 4",
        "crawl_translate site shop 5",
        "failed_logins address - 4",
    ];
    assert_eq!(limits.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn callers_see_the_engines_they_may_name_and_prices_are_for_admins() {
    let configuration = format!(
        "{CONFIGURATION}[api.sites]\nengines = [\"paid\"]\n[engine.paid]\nkind = \"deepl\"\nkey_file = \"/nowhere/k\"\n\
         price_per_million = 20\n"
    );
    let app = app_with(unlimited(), |config| {
        let limits = config.api.limits;
        *config = Config::parse(&configuration, Path::new("/nowhere/latimer.toml"), &|_| {
            None
        })
        .unwrap();
        (config.api.limits, config.api.jwt) = (limits, Some(jwt("good")));
    });
    let caller = token("good", "ana", "sites:read", "bakery", 0);
    let (_, seen) = call(&app, "GET", "/api/engines", "", &caller).await;
    let paid = json!({ "name": "paid", "kind": "deepl", "state": "unavailable" });
    assert_eq!(seen, json!({ "items": [paid], "total": 1 }));
    let (_, all) = call(
        &app,
        "GET",
        "/api/engines",
        "",
        &token("good", "eve", "admin:read", "*", 0),
    )
    .await;
    let items = all["items"].as_array().unwrap();
    let names: Vec<_> = items
        .iter()
        .map(|engine| engine["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["apertium", "fx", "identity", "paid", "pseudo"]);
    assert_eq!(
        (&items[3]["pricePerMillion"], &items[2]["state"]),
        (&json!(20.0), &json!("ready"))
    );
    // There is no model.
    assert_eq!(items[1]["state"], "unavailable");
    assert!(!all.to_string().contains("/nowhere"), "{all}");
}

#[tokio::test]
async fn usage_is_counted_by_month() {
    let app = app_with(unlimited(), |config| {
        config.sites[0].max_chars_per_month = Some(50)
    });
    let state = app.api.as_ref().unwrap().state();
    let bakery = SiteId::parse("bakery").unwrap();
    let shop = SiteId::parse("shop").unwrap();
    let this = month().iso();
    for (site, month, sent) in [
        (&bakery, "2025-01", 7),
        (&bakery, "2024-12", 5),
        (&shop, "2025-01", 9),
        (&bakery, this.as_str(), 60),
    ] {
        let engines = [("paid".to_owned(), sent)].into();
        let locale = Some(&Locale::parse("es").unwrap());
        let month = month.parse().unwrap();
        state
            .spend(&Spent {
                site: Some(site),
                locale,
                subject: None,
                month,
                engines,
            })
            .unwrap();
    }
    let reader = token("good", "ana", "sites:read", "bakery", 0);
    let (_, usage) = call(&app, "GET", "/api/sites/bakery/usage", "", &reader).await;
    let now = month().iso();
    let months = [(now.as_str(), 60), ("2025-01", 7), ("2024-12", 5)];
    let plain = months.map(|(month, sent)| json!({ "month": month, "charactersSent": sent }));
    assert_eq!(
        usage["months"],
        json!(plain),
        "which engine got it is for admins"
    );
    let admin = token("good", "eve", "sites:read admin:read", "bakery", 0);
    let (_, seen) = call(&app, "GET", "/api/sites/bakery/usage", "", &admin).await;
    let parted = months.map(|(month, sent)| {
        let share = json!({ "engine": "paid", "targetLang": "es", "charactersSent": sent });
        json!({ "month": month, "charactersSent": sent, "shares": [share] })
    });
    assert_eq!(seen["months"], json!(parted));
    let current =
        json!({ "month": now, "charactersSent": 60, "maxCharsPerMonth": 50, "charactersLeft": 0 });
    assert_eq!(usage["current"], current);
}

#[tokio::test]
async fn subscription_is_its_accounts_alone_and_can_be_removed() {
    let app = app(unlimited());
    let path = "/api/digests/subscription";
    let bob = token("good", "bob", "digest:write", "bakery", 0);
    let (_, put) = call(
        &app,
        "PUT",
        path,
        r#"{"email":"ana@example.com","frequency":"weekly"}"#,
        &good(),
    )
    .await;
    assert_eq!(call(&app, "GET", path, "", &good()).await.1, put);
    for method in ["GET", "DELETE"] {
        check(
            path,
            &call(&app, method, path, "", &bob).await,
            404,
            "subscription_not_found",
        );
    }
    assert_eq!(
        call(&app, "DELETE", path, "", &good()).await.0.status(),
        204
    );
    check(
        path,
        &call(&app, "GET", path, "", &good()).await,
        404,
        "subscription_not_found",
    );
}
