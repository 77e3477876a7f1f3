//! Who waits for whom: previews of hosts that hang, what is left of them after a restart, and streams that stay open.

use pipeline::model::PreviewId;
use pipeline::net::Lookup;
use pipeline::run::now;
use pipeline::state::{PreviewCode, PreviewRecord, PreviewStage, PreviewStatus};

use super::previews::{PRIVATE, Running, site};
use super::*;
use crate::jobs::previews::Previews;

/// An app for which every host of a name is the one of this machine.
fn running(stores: Stores, change: impl FnOnce(&mut Previews)) -> Running {
    Running::start(stores, PRIVATE, |previews| {
        let here = || vec!["127.0.0.1".parse().unwrap()];
        previews.previewer.fetch.lookup =
            Lookup::By(Arc::new(move |_| Box::pin(async move { Ok(here()) })));
        change(previews);
    })
}

fn by(subject: &str) -> String {
    token("good", subject, "preview:write", "*", 0)
}

/// A page of a host of this name.
fn at(site: &str, host: &str, path: &str) -> String {
    format!("http://{host}:{}{path}", site.rsplit(':').next().unwrap())
}

fn ids(ordered: &Value) -> PreviewId {
    PreviewId::parse(ordered["previewId"].as_str().unwrap()).unwrap()
}

/// A preview that ana ordered.
fn waiting(url: &str) -> PreviewRecord {
    let now = now();
    PreviewRecord {
        id: PreviewId::new(),
        source_url: url.to_owned(),
        source: Locale::parse("en").unwrap(),
        target: Locale::parse("es").unwrap(),
        sites: None,
        subject: Some("ana".to_owned()),
        stranger: None,
        site: None,
        email: None,
        locale: None,
        token: "0".repeat(64),
        status: PreviewStatus::Pending,
        stage: PreviewStage::FetchingPage,
        failure: None,
        attempts: 0,
        created: now,
        expires: now + Duration::from_secs(60 * 60),
        swept: false,
        bytes: 0,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_hosts_keep_neither_another_caller_nor_another_host_waiting() {
    let (site, _) = site().await;
    let running = running(stores(), |_| ());
    let ana = by("ana");
    let bob = by("bob");
    let order = async |token: &str, url: String| {
        running.order_by(("authorization", token), &url, "es").await
    };
    let previews = Arc::clone(running.app.api.as_ref().unwrap().previews());
    let begun = async |ordered: &Value| {
        let mut changes = previews.follow(ids(ordered)).unwrap();
        changes
            .wait_for(|preview| preview.status == PreviewStatus::Processing)
            .await
            .unwrap();
    };
    // As many as ana may have, each of a host of its own.
    let mut hanging = Vec::new();
    for number in 0..50 {
        let (response, ordered) =
            order(&ana, at(&site, &format!("h{number}.example"), "/slow")).await;
        assert_eq!(response.status(), 202, "{ordered}");
        hanging.push(ordered);
    }
    check(
        "one more",
        &order(&ana, at(&site, "fast.example", "/")).await,
        429,
        "rate_limited",
    );
    for ordered in &hanging[..4] {
        begun(ordered).await;
    }
    // Others, whoever they are, at one host that hangs too.
    for name in ["eve", "joe", "kim", "lee"] {
        let (_, ordered) = order(&by(name), at(&site, "slow.example", "/slow")).await;
        if matches!(name, "eve" | "joe") {
            begun(&ordered).await;
        }
    }
    for (token, host) in [
        (&bob, "fast.example"),
        (&by("kim"), "fast.example"),
        (&bob, "h1.example"),
    ] {
        let (_, ordered) = order(token, at(&site, host, "/")).await;
        assert_eq!(running.end(&ordered).await["status"], "ready", "{host}");
    }
    let all = hanging
        .iter()
        .map(|ordered| previews.follow(ids(ordered)).unwrap().borrow().status);
    assert_eq!(
        all.filter(|status| *status == PreviewStatus::Processing)
            .count(),
        4
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_and_counts_no_more() {
    let (site, _) = site().await;
    let running = running(stores(), |previews| {
        previews.longest_wait = Duration::from_millis(200)
    });
    let ana = by("ana");
    let order = async || {
        running
            .order_by(
                ("authorization", &ana),
                &at(&site, "slow.example", "/slow"),
                "es",
            )
            .await
    };
    let mut ordered = Vec::new();
    for _ in 0..50 {
        ordered.push(order().await.1);
    }
    for ordered in &ordered[2..] {
        let end = running.end(ordered).await;
        assert_eq!(
            (&end["errorCode"], &end["status"]),
            (&json!("processing_timeout"), &json!("failed"))
        );
    }
    assert_eq!(order().await.0.status(), 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hangs_over_a_restart_shuts_nobody_out_and_ends_with_its_time() {
    let (site, _) = site().await;
    let stores = stores();
    let put = |change: &dyn Fn(&mut PreviewRecord)| {
        let mut preview = waiting(&at(&site, "slow.example", "/slow"));
        change(&mut preview);
        stores
            .state
            .put_preview(&preview, Moment::default())
            .unwrap();
        preview.id
    };
    let eleven_minutes = Duration::from_secs(11 * 60);
    let waited = put(&|preview| preview.created = preview.created - eleven_minutes);
    let working = put(&|preview| {
        preview.created = preview.created - eleven_minutes;
        preview.status = PreviewStatus::Processing;
    });
    let expired = put(&|preview| preview.expires = preview.created);
    let nameless = put(&|preview| {
        preview.subject = None;
        preview.source_url = at(&site, "nameless.example", "/slow");
    });
    for _ in 0..204 {
        put(&|_| ());
    }
    let running = running(stores.clone(), |_| ());
    for (id, status, failure) in [
        (
            waited,
            PreviewStatus::Failed,
            Some(PreviewCode::ProcessingTimeout),
        ),
        (
            working,
            PreviewStatus::Failed,
            Some(PreviewCode::ProcessingTimeout),
        ),
        (
            expired,
            PreviewStatus::Failed,
            Some(PreviewCode::PreviewExpired),
        ),
    ] {
        let preview = stores.state.preview(&id).unwrap().unwrap();
        assert_eq!((preview.status, preview.failure), (status, failure));
    }
    // Nobody's own ones count for those who have no name now.
    let mut changes = running
        .app
        .api
        .as_ref()
        .unwrap()
        .previews()
        .follow(nameless)
        .unwrap();
    changes
        .wait_for(|preview| preview.status == PreviewStatus::Processing)
        .await
        .unwrap();
    let (response, ordered) = running.order(&at(&site, "fast.example", "/"), "es").await;
    assert_eq!(
        (
            response.status().as_u16(),
            running.end(&ordered).await["status"].clone()
        ),
        (202, json!("ready"))
    );
    let ana = running
        .order_by(
            ("authorization", &by("ana")),
            &at(&site, "fast.example", "/"),
            "es",
        )
        .await;
    check("ana", &ana, 429, "rate_limited");
}

#[tokio::test]
async fn streams_of_one_caller_are_bounded() {
    let app = app(ApiLimits {
        open_streams: 2,
        ..unlimited()
    });
    let ana = by("ana");
    let bob = by("bob");
    let (_, ordered) = call(&app, "POST", "/api/previews", OPERATIONS[14].2, &ana).await;
    let path = ordered["streamUrl"].as_str().unwrap();
    let follow = async |token: &str| {
        let request = Request::get(path)
            .header("host", "localhost")
            .header("authorization", token);
        respond(
            &app,
            request.body(Full::<Bytes>::default()).unwrap(),
            CLIENT,
        )
        .await
    };
    let first = follow(&ana).await;
    let second = follow(&ana).await;
    let other = follow(&bob).await;
    assert_eq!(
        [&first, &second, &other].map(|stream| stream.status().as_u16()),
        [200; 3]
    );
    let refused = call(&app, "GET", path, "", &ana).await;
    check("one more", &refused, 429, "rate_limited");
    assert_eq!(
        refused.1["error"],
        "too many of your streams are open; close one, or try again later"
    );
    drop(first);
    assert_eq!(follow(&ana).await.status(), 200);
}
