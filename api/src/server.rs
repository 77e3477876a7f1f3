//! The accept loop: bounded connections, a time for every wait, and an end that cuts nobody off.
//!
//! HTTP/1.1 only: hyper's automatic choice of version waits for the first byte without end (hyperium/hyper#3962), and
//! closes no slow client unless it is given a timer.

mod stall;

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::error::Refusal;
use crate::{App, respond};
use stall::Stalling;

/// Most connections at a time: below 1,024, the usual limit of open files. More wait in the system's queue.
const MAX_CONNECTIONS: usize = 900;
/// How long a client may take for a request's head, and stay idle between two requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a client may take nothing of an answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long running answers may take after the end was asked for.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(8);
const MAX_HEAD_BYTES: usize = 32 << 10;
/// How often the store is asked for a newer deployment.
const POLL: Duration = Duration::from_secs(1);
/// Every so many polls the store is listed, which finds what a poll can miss.
const POLLS_A_LOAD: u32 = 60;

/// Serves until `shutdown` is done, then lets running answers end.
pub async fn run(listener: TcpListener, app: Arc<App>, shutdown: impl Future<Output = ()>) -> std::io::Result<()> {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut shutdown = pin!(shutdown);
    let following = tokio::spawn(follow(Arc::clone(&app)));
    loop {
        let accepted = async {
            // Never closed, so a place is always given at last.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        tokio::select! {
            (accepted, place) = accepted => match accepted {
                Ok((stream, client)) => serve(stream, client.ip(), Arc::clone(&app), &graceful, place),
                // Out of files or of memory: what is open now ends before long.
                Err(_) => sleep(Duration::from_millis(50)).await,
            },
            () = &mut shutdown => break,
        }
    }
    drop(listener);
    following.abort();
    // Whoever is cut off here was given the time that a service manager gives us.
    let _ = timeout(DRAIN_TIMEOUT, graceful.shutdown()).await;
    Ok(())
}

/// Serves one connection on a task of its own; the graceful shutdown owns its end.
fn serve(
    stream: TcpStream,
    client: IpAddr,
    app: Arc<App>,
    graceful: &GracefulShutdown,
    place: Option<OwnedSemaphorePermit>,
) {
    // Without it only small answers are slower.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let app = Arc::clone(&app);
        async move {
            let response = AssertUnwindSafe(respond(&app, request, client)).catch_unwind().await;
            Ok::<_, Infallible>(response.unwrap_or_else(|_| Refusal::Internal.response()))
        }
    });
    // More than 100 headers are refused without a word of ours; with one, hyper copies 3 KB for each request.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_header_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Stalling::new(stream, WRITE_TIMEOUT, reset)), service);
    let watched = graceful.watch(connection);
    tokio::spawn(async move {
        // A connection that breaks is the client's business.
        let _ = watched.await;
        drop(place);
    });
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
        let now = result.err().map(|error| error.to_string()).unwrap_or_default();
        // The same trouble is told once, not each second.
        if !now.is_empty() && now != trouble {
            (app.log)(&format!("published pages cannot be refreshed, the old ones stay: {now}"));
        }
        trouble = now;
    }
}
