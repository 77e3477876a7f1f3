//! What is noted about each answer when it is over: counters, and a line of the access log where there is one.
//!
//! An answer is over when its body was handed to the connection, or when the client went away.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::CONTENT_TYPE;
use hyper::{Request, Response, StatusCode};

use crate::App;
use crate::control::gate;
use crate::http::access_log::{self, AccessLogEntry};
use crate::http::metrics::RequestKind;

/// The longest method that is written down.
const LONGEST_METHOD: usize = 20;
/// What a stream of events says it is.
const STREAM: &str = "text/event-stream";

/// A connection, counted as long as this is there.
pub(crate) struct OpenConnection {
    pub(crate) app: Arc<App>,
}

/// What is known about an answer so far; noted when this is dropped.
pub(crate) struct ResponseNote {
    pub(crate) app: Arc<App>,
    started: Instant,
    kind: RequestKind,
    /// Absent when no answer was made, and nothing is noted.
    status: Option<StatusCode>,
    bytes: u64,
    entry: Option<Box<AccessLogEntry>>,
}

/// A body whose bytes are counted.
pub(crate) struct CountedBody<B> {
    body: B,
    note: ResponseNote,
}

impl OpenConnection {
    pub(crate) fn new(app: Arc<App>) -> Self {
        app.metrics.connected();
        Self { app }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.app.metrics.disconnected();
    }
}

impl ResponseNote {
    /// Begins with a request.
    pub(crate) fn begin<B>(app: Arc<App>, request: &Request<B>, client: IpAddr) -> Self {
        let path = request.uri().path();
        let kind = match path {
            path if gate::is_below(path) => RequestKind::Api,
            path if path.starts_with("/_health/") => RequestKind::Health,
            _ => RequestKind::Page,
        };
        let entry = app.access_log.as_ref().map(|_| {
            Box::new(AccessLogEntry {
                time: SystemTime::now(),
                client,
                method: request
                    .method()
                    .as_str()
                    .chars()
                    .take(LONGEST_METHOD)
                    .collect(),
                path: access_log::path(path),
                status: 0,
                bytes: 0,
                duration: std::time::Duration::ZERO,
                request_id: None,
            })
        });
        Self {
            app,
            started: Instant::now(),
            kind,
            status: None,
            bytes: 0,
            entry,
        }
    }

    /// The answer, watched to its end.
    pub(crate) fn watch<B>(mut self, response: Response<B>) -> Response<CountedBody<B>> {
        self.status = Some(response.status());
        if self.kind == RequestKind::Api
            && response
                .headers()
                .get(CONTENT_TYPE)
                .is_some_and(|kind| kind == STREAM)
        {
            self.kind = RequestKind::Stream;
            self.app.metrics.streaming();
        }
        if let Some(entry) = &mut self.entry {
            let id = response
                .headers()
                .get("x-request-id")
                .and_then(|id| id.to_str().ok());
            entry.request_id = id.map(str::to_owned);
        }
        response.map(|body| CountedBody { body, note: self })
    }
}

impl Drop for ResponseNote {
    fn drop(&mut self) {
        let Some(status) = self.status else { return };
        let duration = self.started.elapsed();
        self.app
            .metrics
            .count(self.kind, status, duration, self.bytes);
        if let (Some(log), Some(entry)) = (&self.app.access_log, self.entry.take()) {
            log.put(AccessLogEntry {
                status: status.as_u16(),
                bytes: self.bytes,
                duration,
                ..*entry
            });
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for CountedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(bytes) = frame
            .as_ref()
            .and_then(|frame| frame.as_ref().ok()?.data_ref())
        {
            self.note.bytes += bytes.len() as u64;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
