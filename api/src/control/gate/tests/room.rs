//! A disk that is full, and has room again; a store that is away, and back.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use pipeline::model::{Moment, SegmentKey};
use pipeline::state::{DiskTrouble, Frequency};
use pipeline::translate::Remembered;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::*;

/// Rings when a worker says that it cannot go on.
static STUCK: Notify = Notify::const_new();

/// Hears the log of all tests of this program.
struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut |_: &Field, value: &dyn Debug| {
            if format!("{value:?}").contains("cannot go on") {
                STUCK.notify_one();
            }
        });
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The bakery in a folder, with more text than a state of no room can remember.
fn bakery(folder: &Path) -> Config {
    let text = |number| {
        format!(
            "<p>Bread number {number}. {}</p>",
            "It is baked with care every morning. ".repeat(9)
        )
    };
    let page: String = (0..1000).map(text).collect();
    std::fs::create_dir(folder.join("source")).unwrap();
    std::fs::create_dir(folder.join("shop")).unwrap();
    std::fs::write(
        folder.join("source/index.html"),
        format!("<!doctype html><title>Bread</title>{page}"),
    )
    .unwrap();
    let engine = CONFIGURATION.replacen("[[site]]", "[[site]]\nengine = \"identity\"", 1);
    Config::parse(&engine, &folder.join("latimer.toml"), &|_| None).unwrap()
}

async fn ready(app: &App) -> (u16, String) {
    let request = Request::get("/_health/ready")
        .header("host", "localhost")
        .body(Full::<Bytes>::default())
        .unwrap();
    let response = respond(app, request, CLIENT).await;
    let status = response.status().as_u16();
    let text = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(text.to_vec()).unwrap())
}

/// Takes the room that there is until a caller is refused. First with large rows; then with such as the caller's own, which
/// need as little room to be written.
async fn fill(app: &App, state: &State) -> (Response<()>, Value) {
    let site = SiteId::parse("bakery").unwrap();
    let locale = Locale::parse("pt-BR").unwrap();
    for number in 0..5000_u128 {
        let text = "x".repeat(3000);
        let engine = "test 1".to_owned();
        let row = Remembered {
            source: text.clone(),
            text,
            engine,
            refused: None,
            terms: None,
        };
        if state
            .remember(
                &site,
                &locale,
                &[(SegmentKey::from_bytes(number.to_be_bytes()), row)],
            )
            .is_err()
        {
            let other = SiteId::parse(&format!("other-{number}")).unwrap();
            let _ = state.put_summary(
                &other,
                &locale,
                Some(Frequency::Daily),
                None,
                Moment::default(),
            );
        }
        let answer = call(app, "PUT", SUMMARY, r#"{"frequency":"daily"}"#, &good()).await;
        if answer.0.status() != 200 {
            return answer;
        }
    }
    panic!("the disk never filled up");
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_is_said_and_everything_goes_on_when_there_is_room() {
    tracing::subscriber::set_global_default(Listener).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let room = Arc::new(AtomicU64::new(u64::MAX));
    let mut config = bakery(folder.path());
    config.api.limits = unlimited();
    let state = Arc::new(State::in_memory_of(Arc::clone(&room)).unwrap());
    let stores = Stores {
        objects: Objects::memory(),
        state: Arc::clone(&state),
    };
    let objects = stores.objects.clone();
    let api = Api::new(
        Verifier::new(&jwt("good")).unwrap(),
        &config,
        stores,
        options(),
    );
    let app =
        Arc::new(App::new(objects, vec![SiteId::parse("bakery").unwrap()], 1 << 20).with_api(api));
    app.load().await.unwrap();
    assert_eq!(ready(&app).await, (200, "ok\n".to_owned()));
    let order = r#"{"targetLangs":["es"]}"#;
    let (ordered, _) = call(
        &app,
        "POST",
        "/api/sites/bakery/crawl-translate",
        order,
        &good(),
    )
    .await;
    let run = ordered.headers()["location"].to_str().unwrap().to_owned();

    room.store(0, Ordering::Release);
    let (refused, body) = fill(&app, &state).await;
    assert_eq!(refused.status().as_u16(), 507, "{body}");
    assert_eq!(body["details"], json!({ "code": "insufficient_storage" }));
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(state.trouble(), Some(DiskTrouble::NoRoom));
    assert_eq!(
        ready(&app).await,
        (503, "not ready: the disk of the state is full\n".to_owned())
    );
    // What was kept is still read.
    assert_eq!(
        call(&app, "GET", &run, "", &good()).await.1["status"],
        "queued"
    );
    let mut workers = JoinSet::new();
    app.api
        .as_ref()
        .unwrap()
        .jobs()
        .start(&app.served, &app.metrics, &mut workers)
        .unwrap();
    STUCK.notified().await;
    assert_ne!(
        call(&app, "GET", &run, "", &good()).await.1["status"],
        "failed"
    );

    room.store(u64::MAX, Ordering::Release);
    let follow = Request::get(format!("{run}/stream"))
        .header("host", "localhost")
        .header("authorization", good());
    let events = respond(&app, follow.body(Full::<Bytes>::default()).unwrap(), CLIENT)
        .await
        .into_body();
    let text = String::from_utf8(events.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    assert!(
        text.contains("event: complete\n") && text.contains("\"status\":\"completed\""),
        "{text}"
    );
    assert_eq!(ready(&app).await, (200, "ok\n".to_owned()));
    assert_eq!(
        call(&app, "PUT", SUMMARY, r#"{"frequency":"daily"}"#, &good())
            .await
            .0
            .status(),
        200
    );
}
