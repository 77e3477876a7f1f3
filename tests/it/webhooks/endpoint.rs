//! An endpoint on this machine: what it does with requests, and what came to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::*;

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
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let came = Arc::new(Mutex::new(Vec::new()));
        let act = Arc::new(act);
        let sink = Self { address, came };
        let taken = sink.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let sink = taken.clone();
                let act = Arc::clone(&act);
                std::thread::spawn(move || while sink.take(&stream, &*act).is_some() {});
            }
        });
        sink
    }

    /// Takes one request; nothing where there is no other.
    fn take(&self, stream: &TcpStream, act: &dyn Fn(usize) -> Act) -> Option<()> {
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut headers = HeaderMap::new();
        loop {
            line.clear();
            lines.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            headers.insert(
                name.parse::<HeaderName>().unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        let length = headers
            .get("content-length")
            .and_then(|length| length.to_str().ok()?.parse().ok())
            .unwrap_or(0);
        let mut body = vec![0; length];
        lines.read_exact(&mut body).ok()?;
        let mut came = self.came.lock().unwrap();
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
            path,
            headers,
            body: String::from_utf8(body).unwrap(),
            at: Instant::now(),
            arrived,
        });
        drop(came);
        let answer = match act {
            Act::Answer(status) => format!("HTTP/1.1 {status} So\r\nContent-Length: 2\r\n\r\nok"),
            Act::Redirect => {
                format!(
                    "HTTP/1.1 307 So\r\nLocation: http://{}/elsewhere\r\nContent-Length: 0\r\n\r\n",
                    self.address
                )
            }
            Act::Reset => return None,
            Act::Slow(time) => {
                pause(time);
                "HTTP/1.1 204 So\r\n\r\n".to_owned()
            }
        };
        (&*stream).write_all(answer.as_bytes()).ok()
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
        format!("http://{}/hook", self.address)
    }
}
