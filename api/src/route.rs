//! Path and method → what is asked for, of the pages and of the API.

use http_body_util::{Either, Full};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response, StatusCode};

use crate::error::{ApiError, Refusal};
use crate::operations::{Line, OPERATIONS};
use crate::target::Target;
use crate::{Body, preview_page};

/// What a request asks for, outside the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Whether the process runs.
    Live,
    /// Whether pages can be served.
    Ready,
    /// The page of a preview.
    Preview,
    /// A published file; which one, host and path decide.
    Public,
}

/// Addresses that are the server's own on every host.
const TABLE: [(&str, Route); 2] = [("/_health/live", Route::Live), ("/_health/ready", Route::Ready)];

/// The operation that a request names, with the segments that stand in braces.
#[derive(Debug)]
pub(crate) struct Called<'a> {
    pub(crate) line: &'static Line,
    pub(crate) site: Option<&'a str>,
    pub(crate) locale: Option<&'a str>,
    pub(crate) run: Option<&'a str>,
    pub(crate) preview: Option<&'a str>,
    pub(crate) deployment: Option<&'a str>,
}

impl Route {
    /// Finds what is asked for; everything here is read only.
    pub(crate) fn of(target: &Target, method: &Method) -> Result<Self, Refusal> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Err(Refusal::MethodNotAllowed);
        }
        if target.path.starts_with(preview_page::PREFIX) {
            return Ok(Self::Preview);
        }
        Ok(TABLE.iter().find(|(path, _)| *path == target.path).map_or(Self::Public, |(_, route)| *route))
    }
}

impl<'a> Called<'a> {
    /// Finds the operation; reading may also be asked for its head alone.
    pub(crate) fn of(path: &'a str, method: &Method) -> Result<Self, ApiError> {
        let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
        let at_path: Vec<Self> = OPERATIONS.iter().filter_map(|line| Self::matching(line, path)).collect();
        if at_path.is_empty() {
            return Err(ApiError::NoSuchRoute);
        }
        let allowed = methods(&at_path);
        at_path.into_iter().find(|called| called.line.method == method).ok_or(ApiError::MethodNotAllowed(allowed))
    }

    /// The methods of a path, for `Allow`.
    pub(crate) fn methods(path: &'a str) -> Option<String> {
        let at_path: Vec<Self> = OPERATIONS.iter().filter_map(|line| Self::matching(line, path)).collect();
        (!at_path.is_empty()).then(|| methods(&at_path))
    }

    fn matching(line: &'static Line, path: &'a str) -> Option<Self> {
        let mut called = Self { line, site: None, locale: None, run: None, preview: None, deployment: None };
        let (mut wanted, mut given) = (line.path.split('/'), path.split('/'));
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return Some(called),
                (Some("{siteId}"), Some(site)) => called.site = Some(site),
                (Some("{targetLang}"), Some(locale)) => called.locale = Some(locale),
                (Some("{runId}"), Some(run)) => called.run = Some(run),
                (Some("{previewId}"), Some(preview)) => called.preview = Some(preview),
                (Some("{deploymentId}"), Some(deployment)) => called.deployment = Some(deployment),
                (Some(wanted), Some(given)) if wanted == given => {}
                _ => return None,
            }
        }
    }
}

fn methods(called: &[Called<'_>]) -> String {
    let names = called.iter().map(|called| if called.line.method == "GET" { "GET, HEAD" } else { called.line.method });
    names.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}

/// The answer to a health check.
pub(crate) fn health(trouble: Option<String>) -> Response<Body> {
    let (status, text) = match trouble {
        None => (StatusCode::OK, "ok\n".to_owned()),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
    };
    let mut response = Response::new(Either::Left(Full::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
