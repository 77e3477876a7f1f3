//! The whole server: what answers requests and what works beside it, from the start to the end.
//!
//! While it runs, newer deployments are loaded, and what is served is checked. Each answer is noted by `observe`.

mod observe;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::future::Future;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::{Either, lazy};
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
use pipeline::open_files;
use pipeline::store::StoreError;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::admin;
use crate::app::App;
use crate::http::body::Body;
use crate::http::error::HttpRefusal;
use crate::http::server::{AddressLimit, AwaitedBody, ConnectionPlaces, Timers, listen};
use crate::jobs::{edits, schedule};
use crate::public::integrity;
use crate::respond::Routed;
use observe::{CountedBody, OpenConnection, ResponseNote};

/// Most connections at a time, however many files may be open: each takes some memory. More wait in the system's queue.
const MAX_CONNECTIONS: u64 = 4_000;
/// Files that are left to everything else: the state, the store, engines, builds.
const OTHER_FILES: u64 = 124;
/// Most connections of those who read metrics.
const MAX_SCRAPERS: u32 = 8;
/// Most connections of those who look at the admin screen.
const MAX_ADMINS: u32 = 64;
/// How often the store is asked for a newer deployment.
const POLL: Duration = Duration::from_secs(1);
/// Every so many polls the store is listed, which finds what a poll can miss.
const POLLS_A_LOAD: u32 = 60;

/// Serves until `shutdown` is done, then lets running answers end.
pub async fn run(
    listener: TcpListener,
    app: Arc<App>,
    shutdown: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let mut workers = JoinSet::new();
    if let Some(api) = &app.api {
        api.jobs()
            .start(&app.served, &app.metrics, &mut workers)
            .map_err(std::io::Error::other)?;
        workers.spawn(schedule::keep(
            Arc::clone(api.jobs()),
            Arc::clone(api.sites()),
        ));
        workers.spawn(edits::keep(Arc::clone(api.jobs()), Arc::clone(api.sites())));
        workers.spawn(integrity::watch(
            Arc::clone(&app.served),
            Arc::clone(&app.integrity),
        ));
        api.start_previews(&app.metrics, &mut workers)?;
        api.webhooks().start(&app.served, &mut workers);
        api.mail.start(&mut workers);
    }
    let closing = Arc::clone(&app);
    let shutdown = async move {
        shutdown.await;
        closing.closing.send_replace(true);
    };
    let places = ConnectionPlaces::new(
        connections(open_files::limit()),
        app.front().address_limit.clone(),
    );
    run_with(
        listener,
        Arc::clone(&app),
        places,
        shutdown,
        Timers::default(),
    )
    .await;
    // A run that is cut off begins again at the next start.
    workers.shutdown().await;
    if let Some(api) = &app.api {
        edits::write_all(api.jobs(), api.sites(), &mut BTreeMap::new()).await;
        api.jobs().stop().await;
        api.previews().ended().await;
    }
    Ok(())
}

/// Connections that a limit of open files allows.
fn connections(files: Option<u64>) -> u32 {
    let files = files.unwrap_or(u64::MAX);
    let left = files - OTHER_FILES.min(files / 2);
    u32::try_from(left.clamp(1, MAX_CONNECTIONS)).unwrap_or(u32::MAX)
}

async fn run_with(
    listener: TcpListener,
    app: Arc<App>,
    places: Arc<ConnectionPlaces>,
    shutdown: impl Future<Output = ()>,
    timers: Timers,
) {
    let following = tokio::spawn(follow(Arc::clone(&app)));
    let served = Arc::clone(&app);
    let accepted = move |peer| {
        let open = OpenConnection::new(Arc::clone(&served));
        move |request| answer(Arc::clone(&open.app), request, peer)
    };
    listen(listener, places, timers, accepted, shutdown).await;
    following.abort();
}

/// Serves metrics at `/_metrics` until `shutdown` is done.
pub async fn run_metrics(listener: TcpListener, app: Arc<App>, shutdown: impl Future<Output = ()>) {
    let accepted = move |_| {
        let app = Arc::clone(&app);
        move |request: Request<AwaitedBody>| metrics(Arc::clone(&app), request)
    };
    listen(
        listener,
        ConnectionPlaces::new(MAX_SCRAPERS, AddressLimit::default()),
        Timers::default(),
        accepted,
        shutdown,
    )
    .await;
}

/// Shows the admin screen until `shutdown` is done.
pub async fn run_admin(listener: TcpListener, app: Arc<App>, shutdown: impl Future<Output = ()>) {
    let accepted = move |peer| {
        let app = Arc::clone(&app);
        move |request: Request<AwaitedBody>| {
            let app = Arc::clone(&app);
            async move {
                let client = app.front().client(peer, request.headers());
                let response = AssertUnwindSafe(admin::answer(&app, request, client))
                    .catch_unwind()
                    .await;
                response.unwrap_or_else(|_| HttpRefusal::Internal.response())
            }
        }
    };
    let places = ConnectionPlaces::new(MAX_ADMINS, AddressLimit::default());
    listen(listener, places, Timers::default(), accepted, shutdown).await;
}

/// Answers one request and notes it; a panic is our failure and nobody else's.
///
/// A connection has room for the largest answer to come, and fills it anew with each request. So only an answer that is there
/// already is put into it, and one that takes time gets a place of its own.
fn answer(
    app: Arc<App>,
    request: Request<AwaitedBody>,
    peer: IpAddr,
) -> impl Future<Output = Response<CountedBody<Body>>> + Send + 'static {
    let client = app.front().client(peer, request.headers());
    let note = ResponseNote::begin(app, &request, client);
    let failed = |_| HttpRefusal::Internal.response();
    let first = || {
        let routed = Routed::of(&note.app, &request);
        routed.at_once(&note.app, &request).ok_or(routed)
    };
    match catch_unwind(AssertUnwindSafe(first)).unwrap_or_else(|panic| Ok(failed(panic))) {
        // Noted once it is asked for: a connection that ended meanwhile gets nothing.
        Ok(response) => Either::Left(lazy(move |_| note.watch(response))),
        Err(routed) => Either::Right(Box::pin(async move {
            let response = AssertUnwindSafe(routed.in_time(&note.app, request, client))
                .catch_unwind()
                .await;
            note.watch(response.unwrap_or_else(failed))
        })),
    }
}

async fn metrics(app: Arc<App>, request: Request<AwaitedBody>) -> Response<Full<Bytes>> {
    let (status, text) = match request.uri().path() {
        "/_metrics" => (StatusCode::OK, app.metrics_text().await),
        _ => (
            StatusCode::NOT_FOUND,
            "metrics are at /_metrics\n".to_owned(),
        ),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Loads what is published, now and whenever it is newer; never ends.
async fn follow(app: Arc<App>) {
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut trouble = String::new();
    for tick in 0_u32.. {
        ticks.tick().await;
        let result = if tick % POLLS_A_LOAD == 0 || !app.snapshot().is_loaded() {
            app.load().await
        } else {
            app.poll().await
        };
        let now = match result {
            Ok(()) => String::new(),
            // How long it has been away would be another text each time.
            Err(StoreError::Away { store, cause, .. }) => {
                format!("the store {store} does not answer: {cause}")
            }
            Err(error) => error.to_string(),
        };
        // The same trouble is told once, not each second.
        if !now.is_empty() && now != trouble {
            tracing::warn!("published pages cannot be refreshed, the old ones stay: {now}");
        }
        trouble = now;
    }
}
