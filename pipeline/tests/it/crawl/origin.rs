//! A website on the loopback interface that answers as it is told and remembers what it was asked.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use url::Url;

use pipeline::config::SourceLocation;

/// What the site answers.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
    manner: Manner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Whole,
    /// After a pause.
    Late(Duration),
    /// Never.
    Hang,
    /// One byte each 50 ms, for ever.
    Drip,
    /// The connection ends in the middle.
    Cut,
}

impl Answer {
    pub(crate) fn file(content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self {
            status: 200,
            headers,
            body: body.into(),
            manner: Manner::Whole,
        }
    }

    pub(crate) fn page(html: impl Into<Bytes>) -> Self {
        Self::file("text/html; charset=utf-8", html)
    }

    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            ..Self::page("")
        }
    }

    pub(crate) fn redirect(status: u16, to: &str) -> Self {
        Self::status(status).with("location", to)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers
            .retain(|(known, _)| known != name || name.starts_with("x-"));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn bare(mut self) -> Self {
        self.headers.clear();
        self
    }

    pub(crate) fn late(self, pause: Duration) -> Self {
        Self {
            manner: Manner::Late(pause),
            ..self
        }
    }

    pub(crate) fn hang(self) -> Self {
        Self {
            manner: Manner::Hang,
            ..self
        }
    }

    pub(crate) fn drip(self) -> Self {
        Self {
            manner: Manner::Drip,
            ..self
        }
    }

    pub(crate) fn cut(self) -> Self {
        Self {
            manner: Manner::Cut,
            ..self
        }
    }

    async fn respond(self) -> Response<BoxBody<Bytes, std::io::Error>> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            response = response.header(name, value);
        }
        let body = match self.manner {
            Manner::Whole => whole(self.body),
            Manner::Late(pause) => {
                tokio::time::sleep(pause).await;
                whole(self.body)
            }
            Manner::Hang => std::future::pending().await,
            Manner::Drip => {
                let drops = futures::stream::repeat(()).then(|()| async {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    Ok(Frame::data(Bytes::from_static(b"x")))
                });
                BodyExt::boxed(StreamBody::new(drops))
            }
            Manner::Cut => {
                let parts = [
                    Ok(Frame::data(self.body)),
                    Err(std::io::Error::other("cut off")),
                ];
                BodyExt::boxed(StreamBody::new(futures::stream::iter(parts)))
            }
        };
        response.body(body).unwrap()
    }
}

fn whole(body: Bytes) -> BoxBody<Bytes, std::io::Error> {
    Full::new(body)
        .map_err(|never: Infallible| match never {})
        .boxed()
}

/// A request that the site received: target and headers.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) target: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) at: tokio::time::Instant,
}

type Handler = dyn Fn(&str, usize) -> Answer + Send + Sync;

struct Shared {
    handler: Box<Handler>,
    asked: Mutex<Vec<Asked>>,
    busy: AtomicUsize,
    peak: AtomicUsize,
    connections: watch::Sender<usize>,
}

/// The running site; it stops when dropped.
pub(crate) struct Origin {
    pub(crate) url: Url,
    shared: Arc<Shared>,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Origin {
    /// A site of the given answers, in turn where a target is listed more than once; everything else is missing.
    pub(crate) async fn of(answers: Vec<(&str, Answer)>) -> Self {
        let mut listed: BTreeMap<String, Vec<Answer>> = BTreeMap::new();
        for (target, answer) in answers {
            listed.entry(target.to_owned()).or_default().push(answer);
        }
        Self::start(move |target, turn| match listed.get(target) {
            Some(answers) => answers[turn.min(answers.len() - 1)].clone(),
            None => Answer::status(404),
        })
        .await
    }

    /// A site that is computed; the handler gets the target and how often it was asked for before.
    pub(crate) async fn start(
        handler: impl Fn(&str, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            asked: Mutex::default(),
            busy: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            connections: watch::Sender::new(0),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self {
            url,
            shared,
            server,
        }
    }

    pub(crate) fn source(&self) -> SourceLocation {
        SourceLocation::Web(self.url.clone())
    }

    pub(crate) fn at(&self, path: &str) -> Url {
        self.url.join(path).unwrap()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }

    /// The targets that were asked for, sorted.
    pub(crate) fn targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = self.asked().into_iter().map(|asked| asked.target).collect();
        targets.sort();
        targets
    }

    /// The most requests that were open at a time.
    pub(crate) fn peak(&self) -> usize {
        self.shared.peak.load(Ordering::SeqCst)
    }

    /// Waits until nobody is connected any more.
    pub(crate) async fn deserted(&self) {
        self.shared
            .connections
            .subscribe()
            .wait_for(|&open| open == 0)
            .await
            .unwrap();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        shared.connections.send_modify(|open| *open += 1);
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            let answer = |request: Request<Incoming>| answer(Arc::clone(&shared), request);
            // A client that leaves in the middle is what some tests are about.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(answer))
                .await;
            shared.connections.send_modify(|open| *open -= 1);
        });
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, std::io::Error>>, Infallible> {
    let target = request.uri().to_string();
    let text =
        |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = request
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), text(value)))
        .collect();
    let turn = {
        let mut asked = shared.asked.lock().unwrap();
        let turn = asked
            .iter()
            .rev()
            .take(2_000)
            .filter(|asked| asked.target == target)
            .count();
        asked.push(Asked {
            target: target.clone(),
            headers,
            at: tokio::time::Instant::now(),
        });
        turn
    };
    let busy = shared.busy.fetch_add(1, Ordering::SeqCst) + 1;
    shared.peak.fetch_max(busy, Ordering::SeqCst);
    let response = (shared.handler)(&target, turn).respond().await;
    shared.busy.fetch_sub(1, Ordering::SeqCst);
    Ok(response)
}
