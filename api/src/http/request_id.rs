//! The id by which a caller and the log speak of the same request: the client's own if it is sane, else a new one.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::HeaderValue;
use hyper::{HeaderMap, Response};
use tracing::Span;

const LONGEST: usize = 64;

/// Differs from process to process.
static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The id of a request with these headers.
pub(crate) fn of(headers: &HeaderMap) -> HeaderValue {
    let sane = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let sent = headers
        .get("x-request-id")
        .filter(|id| (1..=LONGEST).contains(&id.len()));
    match sent.filter(|id| id.as_bytes().iter().all(sane)) {
        Some(id) => id.clone(),
        None => {
            let id = format!(
                "{:016x}",
                SEED.hash_one(NEXT.fetch_add(1, Ordering::Relaxed))
            );
            HeaderValue::try_from(id).unwrap_or_else(|_| HeaderValue::from_static("none"))
        }
    }
}

/// Span of a request: log lines inside it name the request. Its level is `error`, so that no log level hides it.
pub(crate) fn span(id: &HeaderValue) -> Span {
    tracing::error_span!("request", requestId = %id.to_str().unwrap_or_default())
}

/// The same answer with the request's id.
pub(crate) fn on<B>(mut response: Response<B>, id: HeaderValue) -> Response<B> {
    response.headers_mut().insert("x-request-id", id);
    response
}
