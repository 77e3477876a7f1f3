//! An endpoint on this machine: what it does with requests, and what came to it.

use std::sync::{Arc, Mutex};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::*;
use crate::support::web::{Loopback, Reply, Request};

/// What an endpoint does with a request.
#[derive(Clone, Copy)]
pub(super) enum Act {
    Answer(u16),
    /// Answers with a redirect to itself, at a path of its own.
    Redirect,
    /// Ends the connection without an answer.
    Reset,
    /// Takes this long.
    Slow(Duration),
}

/// What came, and how it was answered.
#[derive(Clone, Debug)]
pub(super) struct Came {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
    pub(super) at: Instant,
    pub(super) arrived: bool,
}

impl Came {
    pub(super) fn id(&self) -> String {
        self.headers["webhook-id"].to_str().unwrap().to_owned()
    }

    pub(super) fn body(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// An endpoint on this machine.
#[derive(Clone)]
pub(super) struct Sink {
    address: String,
    came: Arc<Mutex<Vec<Came>>>,
}

impl Sink {
    /// One that does with its n-th request what `act` says, where it brings something new.
    pub(super) fn new(act: impl Fn(usize) -> Act + Send + Sync + 'static) -> Self {
        let came = Arc::<Mutex<Vec<Came>>>::default();
        let taken = Arc::clone(&came);
        let server = Loopback::start(move |request| take(&taken, request, &act));
        let address = server.address;
        Self { address, came }
    }

    pub(super) fn came(&self) -> Vec<Came> {
        self.came.lock().unwrap().clone()
    }

    /// Waits until so many messages arrived, each counted once.
    pub(super) fn wait_for(&self, count: usize) -> Vec<Came> {
        self.wait_for_those(count, |_| true)
    }

    /// Waits until so many of some messages arrived, each counted once.
    pub(super) fn wait_for_those(&self, count: usize, is_one: impl Fn(&Came) -> bool) -> Vec<Came> {
        let until = Instant::now() + Duration::from_secs(90);
        loop {
            let came = self.came();
            let ids: BTreeSet<_> = came
                .iter()
                .filter(|came| came.arrived && is_one(came))
                .map(Came::id)
                .collect();
            if ids.len() >= count {
                return came;
            }
            // A number that is missing is a message that waits; one that nobody has was never written down.
            let number = |came: &Came| came.body()["data"]["sequence"].clone();
            let said = || {
                came.iter()
                    .map(|came| (number(came), came.arrived))
                    .collect::<Vec<_>>()
            };
            assert!(
                Instant::now() < until,
                "{} of {count} messages arrived: {:?}",
                ids.len(),
                said()
            );
            pause(Duration::from_millis(20));
        }
    }

    pub(super) fn url(&self) -> String {
        format!("{}/hook", self.address)
    }
}

/// Notes a request and acts on it; `None` if the connection ends without an answer.
fn take(taken: &Mutex<Vec<Came>>, request: &Request, act: &dyn Fn(usize) -> Act) -> Option<Reply> {
    let mut headers = HeaderMap::new();
    for line in request.head.lines() {
        if let Some((name, value)) = line.split_once(": ") {
            headers.insert(
                name.parse::<HeaderName>().unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
    }
    let mut came = taken.lock().unwrap();
    // What is tried again arrives.
    let id = headers.get("webhook-id").cloned();
    let is_new = !came
        .iter()
        .any(|before: &Came| before.headers.get("webhook-id") == id.as_ref());
    let act = if is_new {
        act(came.len())
    } else {
        Act::Answer(200)
    };
    let arrived = matches!(act, Act::Answer(200..=299) | Act::Slow(_));
    came.push(Came {
        path: request.path.clone(),
        headers,
        body: String::from_utf8(request.body.clone()).unwrap(),
        at: Instant::now(),
        arrived,
    });
    drop(came);
    match act {
        Act::Answer(status) => Some(Reply::new(status, "ok")),
        Act::Redirect => {
            let host = request.header("host")?;
            Some(Reply::status(307).with(&format!("Location: http://{host}/elsewhere")))
        }
        Act::Reset => None,
        Act::Slow(time) => {
            pause(time);
            Some(Reply::status(204))
        }
    }
}
