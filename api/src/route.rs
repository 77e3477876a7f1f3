//! The table of the whole interface: path → what is asked for. The operations below `/api` are a later issue.

use http_body_util::{Either, Full};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response, StatusCode};

use crate::Body;
use crate::error::Refusal;
use crate::target::Target;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Whether the process runs.
    Live,
    /// Whether pages can be served.
    Ready,
    /// A published file; which one, host and path decide.
    Public,
}

/// Addresses that are the server's own on every host.
const TABLE: [(&str, Route); 2] = [("/_health/live", Route::Live), ("/_health/ready", Route::Ready)];

impl Route {
    /// Finds what is asked for; everything here is read only.
    pub(crate) fn of(target: &Target, method: &Method) -> Result<Self, Refusal> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Err(Refusal::MethodNotAllowed);
        }
        Ok(TABLE.iter().find(|(path, _)| *path == target.path).map_or(Self::Public, |(_, route)| *route))
    }
}

/// The answer to a health check.
pub(crate) fn health(well: bool) -> Response<Body> {
    let (status, text) = if well { (StatusCode::OK, "ok\n") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ready\n") };
    let mut response = Response::new(Either::Left(Full::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
