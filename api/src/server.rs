//! The accept loop: bounded connections, a time for every wait, and an end that cuts nobody off.
//!
//! HTTP/1.1 only: hyper's automatic choice of version waits for the first byte without end (hyperium/hyper#3962), and
//! closes no slow client unless it is given a timer.
//!
//! The end has three steps. First, for a moment, everything is answered as before, but each answer says that it is
//! the connection's last, so that no request is lost on its way to a connection that is just closed. Then nothing is
//! accepted any more, connections without a request are closed, running answers go on. Last, what takes too long is cut off.

mod framing;
mod places;
#[cfg(test)]
mod tests;
mod write_timeout;

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use pipeline::publish::PublishError;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::error::Refusal;
use crate::observe::{Note, Open, Watched};
use crate::{App, integrity, respond};
use framing::Framing;
pub(crate) use places::{AddressLimit, household};
use places::{Answered, Guest, Places};
use write_timeout::WriteTimeout;

/// Most connections at a time: below 1,024, the usual limit of open files. More wait in the system's queue.
const MAX_CONNECTIONS: u32 = 900;
/// Most connections of those who read metrics.
const MAX_SCRAPERS: u32 = 8;
/// What is kept of a head that is not complete; `target` has the limits of its parts.
const MAX_HEAD_BYTES: usize = 80 << 10;
/// How often the store is asked for a newer deployment.
const POLL: Duration = Duration::from_secs(1);
/// Every so many polls the store is listed, which finds what a poll can miss.
const POLLS_A_LOAD: u32 = 60;

/// How long each wait may take.
#[derive(Clone, Copy, Debug)]
struct Timers {
    /// For a request's head, and between two requests.
    head: Duration,
    /// While a client takes nothing of an answer.
    write: Duration,
    /// Until a client closes its side of a connection that was closed.
    linger: Duration,
    /// Between the wish to end and the end of connections without a request.
    farewell: Duration,
    /// Between that and the end of running answers: together less than service managers give.
    drain: Duration,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(15),
            write: Duration::from_secs(30),
            linger: Duration::from_secs(1),
            farewell: Duration::from_millis(250),
            drain: Duration::from_secs(8),
        }
    }
}

/// How far the end has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// Each answer is its connection's last.
    Farewell,
    /// Only running answers go on.
    Closed,
}

/// Serves until `shutdown` is done, then lets running answers end.
pub async fn run(listener: TcpListener, app: Arc<App>, shutdown: impl Future<Output = ()>) -> std::io::Result<()> {
    let mut workers = JoinSet::new();
    if let Some(api) = &app.api {
        api.jobs().start(&app.served, &app.metrics, &mut workers).map_err(std::io::Error::other)?;
        workers.spawn(integrity::watch(Arc::clone(&app)));
        api.start_previews(&app.metrics, &mut workers)?;
    }
    let closing = Arc::clone(&app);
    let shutdown = async move {
        shutdown.await;
        closing.closing.send_replace(true);
    };
    run_with(listener, Arc::clone(&app), shutdown, Timers::default()).await;
    // A run that is cut off begins again at the next start.
    workers.abort_all();
    if let Some(api) = &app.api {
        api.jobs().stop();
        api.previews().ended().await;
    }
    Ok(())
}

async fn run_with(listener: TcpListener, app: Arc<App>, shutdown: impl Future<Output = ()>, timers: Timers) {
    let following = tokio::spawn(follow(Arc::clone(&app)));
    let served = Arc::clone(&app);
    let accepted = move |peer| {
        let open = Open::new(Arc::clone(&served));
        move |request| answer(Arc::clone(&open.app), request, peer)
    };
    let places = Places::new(MAX_CONNECTIONS, app.front().address_limit.clone());
    listen(listener, places, timers, accepted, shutdown).await;
    following.abort();
}

/// Serves metrics at `/_metrics` until `shutdown` is done.
pub async fn run_metrics(listener: TcpListener, app: Arc<App>, shutdown: impl Future<Output = ()>) {
    let accepted = move |_| {
        let app = Arc::clone(&app);
        move |request: Request<Incoming>| metrics(Arc::clone(&app), request)
    };
    listen(listener, Places::new(MAX_SCRAPERS, AddressLimit::default()), Timers::default(), accepted, shutdown).await;
}

/// Answers one request and notes it; a panic is our failure and nobody else's.
async fn answer(app: Arc<App>, request: Request<Incoming>, peer: IpAddr) -> Response<Watched<crate::Body>> {
    let client = app.front().client(peer, request.headers());
    let note = Note::begin(app, &request, client);
    let response = AssertUnwindSafe(respond(&note.app, request, client)).catch_unwind().await;
    note.watch(response.unwrap_or_else(|_| Refusal::Internal.response()))
}

async fn metrics(app: Arc<App>, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, text) = match request.uri().path() {
        "/_metrics" => (StatusCode::OK, app.metrics_text().await),
        _ => (StatusCode::NOT_FOUND, "metrics are at /_metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Accepts connections; `accepted` gives what answers the requests of one.
async fn listen<A, F, B>(
    listener: TcpListener,
    places: Arc<Places>,
    timers: Timers,
    accepted: impl Fn(IpAddr) -> A,
    shutdown: impl Future<Output = ()>,
) where
    A: Fn(Request<Incoming>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (phase, phases) = watch::channel(Phase::Open);
    let welcome = |(stream, peer): (TcpStream, SocketAddr), permit| {
        let Some(place) = places.take(permit, peer.ip()) else { return };
        let served = serve(stream, timers, accepted(peer.ip()), place.guest(), phases.clone());
        tokio::spawn(async move {
            served.await;
            drop(place);
        });
    };
    {
        let mut accepting = pin!(async {
            while let Some(permit) = places.free().await {
                match listener.accept().await {
                    Ok(client) => welcome(client, permit),
                    // Out of files or of memory: what is open now ends before long.
                    Err(_) => sleep(Duration::from_millis(50)).await,
                }
            }
        });
        tokio::select! {
            () = &mut accepting => {}
            () = shutdown => {}
        }
        phase.send_replace(Phase::Farewell);
        let _ = timeout(timers.farewell, accepting).await;
    }
    // Whoever is in the system's queue thinks that they are connected.
    for client in queued(listener).take(places.most()) {
        if let Some(permit) = places.free_now() {
            welcome(client, permit);
        }
    }
    phase.send_replace(Phase::Closed);
    let _ = timeout(timers.drain, places.all_free()).await;
}

/// The connections that wait to be accepted at this moment; then nobody listens any more.
fn queued(listener: TcpListener) -> impl Iterator<Item = (TcpStream, SocketAddr)> {
    // The runtime would ask the system for news first.
    let listener = listener.into_std().ok();
    std::iter::from_fn(move || {
        let (stream, peer) = listener.as_ref()?.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer))
    })
}

/// Serves one connection to its end.
async fn serve<A, F, B>(
    stream: TcpStream,
    timers: Timers,
    answer: A,
    guest: Arc<Guest>,
    mut phases: watch::Receiver<Phase>,
) where
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // Without it only small answers are slower.
    let _ = stream.set_nodelay(true);
    let began = AtomicBool::new(false);
    let phase = phases.clone();
    let framing = Arc::new(Framing::default());
    let service = service_fn(|mut request: Request<Incoming>| {
        if let Err(refusal) = framing.check(&request) {
            request.extensions_mut().insert(refusal);
        }
        began.store(true, Ordering::Relaxed);
        guest.is_asking();
        let asking = Arc::clone(&guest);
        // The first change is the farewell.
        let is_last = phase.has_changed().unwrap_or(true);
        let answering = answer(request);
        async move {
            let mut response = answering.await;
            if is_last {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| Answered::new(body, asking)))
        }
    });
    // More than 100 headers are refused without a word of ours; with one, hyper copies 3 KB for each request.
    let stream = WriteTimeout::new(stream, timers.write, timers.linger, reset, Arc::clone(&framing));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(timers.head)
            .max_header_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        // A connection that breaks is the client's business.
        _ = connection.as_mut() => return,
        _ = phases.wait_for(|phase| *phase == Phase::Closed) => {}
        () = guest.leaves() => {
            if !began.load(Ordering::Relaxed) {
                return;
            }
        }
    }
    if began.load(Ordering::Relaxed) {
        connection.as_mut().graceful_shutdown();
    } else if timeout(timers.farewell, connection.as_mut()).await.is_ok() || !began.load(Ordering::Relaxed) {
        // The first request of a new connection may be on its way, and its answer is the last one.
        return;
    }
    let _ = connection.await;
}

/// Lets the system forget at once what a client did not take; a failure only keeps it a while longer.
fn reset(stream: &TcpStream) {
    let _ = stream.set_zero_linger();
}

/// Loads what is published, now and whenever it is newer; never ends.
async fn follow(app: Arc<App>) {
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut trouble = String::new();
    for tick in 0_u32.. {
        ticks.tick().await;
        let result =
            if tick % POLLS_A_LOAD == 0 || !app.snapshot().is_loaded() { app.load().await } else { app.poll().await };
        let now = match result {
            Ok(()) => String::new(),
            // How long it has been away would be another text each time.
            Err(PublishError::Away { store, cause, .. }) => format!("the store {store} does not answer: {cause}"),
            Err(error) => error.to_string(),
        };
        // The same trouble is told once, not each second.
        if !now.is_empty() && now != trouble {
            tracing::warn!("published pages cannot be refreshed, the old ones stay: {now}");
        }
        trouble = now;
    }
}
