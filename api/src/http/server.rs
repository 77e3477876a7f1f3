//! The accept loop: bounded connections, a time for every wait, and an end that cuts nobody off.
//!
//! HTTP/1.1 only: hyper's automatic choice of version waits for the first byte without end (hyperium/hyper#3962), and
//! closes no slow client unless it is given a timer.
//!
//! The end has three steps. First, for a moment, everything is answered as before, but each answer says that it is
//! the connection's last, so that no request is lost on its way to a connection that is just closed. Then nothing is
//! accepted any more, connections without a request are closed, running answers go on. Last, what takes too long is cut off.

mod framing;
mod head_timer;
mod places;
mod write_timeout;

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use framing::Framing;
use head_timer::HeadTimer;
pub(crate) use places::{AddressLimit, AwaitedBody, ConnectionPlaces};
use places::{Answered, Guest};
use write_timeout::WriteTimeout;

/// What is kept of a head that is not complete; `target` has the limits of its parts.
const MAX_HEAD_BYTES: usize = 80 << 10;

/// How long each wait may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers {
    /// For a request's head, and between two requests.
    pub(crate) head: Duration,
    /// While a client takes nothing of an answer.
    pub(crate) write: Duration,
    /// Until a client closes its side of a connection that was closed.
    pub(crate) linger: Duration,
    /// Between the wish to end and the end of connections without a request.
    pub(crate) farewell: Duration,
    /// Between that and the end of running answers: together less than service managers give.
    pub(crate) drain: Duration,
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

/// Accepts connections; `accepted` gives what answers the requests of one.
pub(crate) async fn listen<A, F, B>(
    listener: TcpListener,
    places: Arc<ConnectionPlaces>,
    timers: Timers,
    accepted: impl Fn(IpAddr) -> A,
    shutdown: impl Future<Output = ()>,
) where
    A: Fn(Request<AwaitedBody>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (phase, phases) = watch::channel(Phase::Open);
    let welcome = |(stream, peer): (TcpStream, SocketAddr), permit| {
        let Some(place) = places.take(permit, peer.ip()) else {
            return;
        };
        let served = serve(
            stream,
            timers,
            accepted(peer.ip()),
            place.guest(),
            phases.clone(),
        );
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
    A: Fn(Request<AwaitedBody>) -> F,
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
        let answering = answer(request.map(|body| AwaitedBody::new(body, Arc::clone(&guest))));
        async move {
            let mut response = answering.await;
            if is_last {
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| Answered::new(body, asking)))
        }
    });
    // More than 100 headers are refused without a word of ours; with one, hyper copies 3 KB for each request.
    let stream = WriteTimeout::new(
        stream,
        timers.write,
        timers.linger,
        reset,
        Arc::clone(&framing),
    );
    let mut connection = pin!(
        http1::Builder::new()
            .timer(HeadTimer::new())
            .header_read_timeout(timers.head)
            .max_header_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        biased;
        // A connection that breaks is the client's business.
        _ = connection.as_mut() => return,
        _ = phases.wait_for(|phase| *phase == Phase::Closed) => {}
        () = guest.leaves() => {
            if !began.load(Ordering::Relaxed) || guest.owes_body() {
                return;
            }
        }
    }
    if began.load(Ordering::Relaxed) {
        connection.as_mut().graceful_shutdown();
    } else if timeout(timers.farewell, connection.as_mut()).await.is_ok()
        || !began.load(Ordering::Relaxed)
    {
        // The first request of a new connection may be on its way, and its answer is the last one.
        return;
    }
    let _ = connection.await;
}

/// Lets the system forget at once what a client did not take; a failure only keeps it a while longer.
fn reset(stream: &TcpStream) {
    let _ = stream.set_zero_linger();
}
