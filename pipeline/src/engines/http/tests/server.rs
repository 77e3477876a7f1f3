//! A service of ours on a loopback socket: it notes what it is asked and says what a test wants.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use url::Url;

/// What was asked.
#[derive(Clone, Debug)]
pub(super) struct SeenRequest {
    /// Method, path and query.
    pub(super) line: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: String,
}

impl SeenRequest {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

/// What is said.
#[derive(Clone, Debug)]
pub(super) enum ServerReply {
    /// An answer with its status, `Retry-After` or `Location` lines, and body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Nothing, for ever.
    Silence,
    /// The connection ends without an answer.
    End,
}

impl ServerReply {
    pub(super) fn ok(body: String) -> Self {
        Self::Answer(200, vec![], body)
    }

    pub(super) fn status(status: u16, body: &str) -> Self {
        Self::Answer(status, vec![], body.to_owned())
    }

    async fn say(self) -> io::Result<Response<Full<Bytes>>> {
        match self {
            Self::Answer(status, headers, body) => {
                let mut response = Response::builder().status(status);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                response
                    .body(Full::new(body.into()))
                    .map_err(io::Error::other)
            }
            Self::Silence => std::future::pending().await,
            Self::End => Err(io::Error::other("the connection ends here")),
        }
    }
}

/// A running server; it ends with the test's runtime.
pub(super) struct EngineServer {
    pub(super) url: Url,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
}

impl EngineServer {
    /// Starts one; `answer` gets the number of the request, from 0, and the request.
    pub(super) async fn start(
        answer: impl Fn(usize, &SeenRequest) -> ServerReply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let seen: Arc<Mutex<Vec<SeenRequest>>> = Arc::default();
        let answer = Arc::new(answer);
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = Arc::clone(&answer);
                let log = Arc::clone(&log);
                let service = service_fn(move |request: Request<Incoming>| {
                    let answer = Arc::clone(&answer);
                    let log = Arc::clone(&log);
                    async move {
                        let seen = note(request).await;
                        let number = {
                            let mut log = log.lock().unwrap();
                            log.push(seen.clone());
                            log.len() - 1
                        };
                        answer(number, &seen).say().await
                    }
                });
                let connection = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
            Ok::<(), Infallible>(())
        });
        Self { url, seen }
    }

    /// Everything that was asked so far.
    pub(super) fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().unwrap().clone()
    }
}

async fn note(request: Request<Incoming>) -> SeenRequest {
    let line = format!("{} {}", request.method(), request.uri());
    let headers = request.headers().iter().map(|(name, value)| {
        (
            name.as_str().to_owned(),
            String::from_utf8_lossy(value.as_bytes()).into_owned(),
        )
    });
    let headers = headers.collect();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    SeenRequest {
        line,
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    }
}
