//! Web pages of other origins that may call the API: named in the configuration, none by default.

use http_body_util::{Either, Full};
use hyper::header::{HeaderName, HeaderValue, ORIGIN, VARY};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Response, StatusCode};

use super::route::Called;
use crate::Body;

const ALLOW_ORIGIN: HeaderName = HeaderName::from_static("access-control-allow-origin");
const EXPOSED: &str = "ETag, Location, Retry-After, X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset";
/// Headers that a page may send along.
const HEADERS: &str = "authorization, content-type, if-match, idempotency-key, x-request-id, x-preview-token, x-preview-status-token, last-event-id";

/// Methods for paths without an operation.
const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// The answer to a preflight, which carries no token; `None` for every other request.
pub(crate) fn preflight(parts: &Parts, origins: &[String]) -> Option<Response<Body>> {
    let asks = parts.headers.contains_key(ORIGIN)
        && parts.headers.contains_key("access-control-request-method");
    if parts.method != Method::OPTIONS || !asks {
        return None;
    }
    // A page may read the answer 404 only if the preflight of an unknown path succeeds.
    let methods = Called::methods(parts.uri.path()).unwrap_or_else(|| METHODS.to_owned());
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    if allowed(&parts.headers, origins).is_some() {
        let headers = response.headers_mut();
        headers.insert(
            "access-control-allow-methods",
            HeaderValue::try_from(methods).ok()?,
        );
        headers.insert(
            "access-control-allow-headers",
            HeaderValue::from_static(HEADERS),
        );
        headers.insert("access-control-max-age", HeaderValue::from_static("600"));
    }
    Some(response)
}

/// Lets a page of a configured origin read the answer.
pub(crate) fn expose(request: &HeaderMap, origins: &[String], response: &mut HeaderMap) {
    if origins.is_empty() {
        return;
    }
    response.insert(VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = allowed(request, origins) {
        response.insert(ALLOW_ORIGIN, origin);
        response.insert(
            "access-control-expose-headers",
            HeaderValue::from_static(EXPOSED),
        );
    }
}

fn allowed(request: &HeaderMap, origins: &[String]) -> Option<HeaderValue> {
    let origin = request.get(ORIGIN)?;
    origins
        .iter()
        .any(|known| known.as_bytes() == origin.as_bytes())
        .then(|| origin.clone())
}
