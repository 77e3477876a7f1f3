//! The number of previews: at once, and for each host and each address.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_wait_their_turn_and_the_rest_is_told_so() {
    let (site, asked) = site().await;
    let running = Running::start(stores(), PRIVATE, |_| ());
    let ordered = futures::future::join_all((0..50).map(|_| running.order(&site, "es"))).await;
    let ends =
        futures::future::join_all(ordered.iter().map(|(_, ordered)| running.end(ordered))).await;
    assert!(ends.iter().all(|end| end["status"] == "ready"), "{ends:?}");
    assert_eq!(asked.lock().unwrap().len(), 50);
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
    let one = Some(RateLimit {
        interval: Duration::from_secs(30),
        burst: 1,
    });
    let app = app(ApiLimits {
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
        Some(RateLimit {
            interval: Duration::from_secs(3600),
            burst,
        })
    };
    let mail = "[mail]\nsmtp = \"smtp://localhost:25\"\nfrom = \"l@example.com\"\nurl = \"https://l.example.com\"\n";
    let configuration = format!("{CONFIGURATION}{mail}");
    let mailing = |limits: ApiLimits| {
        app_with(unlimited(), |config| {
            *config = Config::parse(&configuration, Path::new("/nowhere/latimer.toml"), &|_| {
                None
            })
            .unwrap();
            config.api.limits = limits;
        })
    };
    let app = mailing(ApiLimits {
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
    let app = mailing(ApiLimits {
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
