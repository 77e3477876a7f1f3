//! The way into the API: who asks, how often, whether they may; then the operation.
//!
//! The order of checks is part of the interface: too many failed logins from an address (429), the token (401), the
//! caller's rate (429), the site (404, also where a token may not see it), the scope (403), then the request itself.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use futures::FutureExt;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Request, Response, StatusCode};
use pipeline::config::Limits;
use pipeline::model::{Locale, SiteId};
use pipeline::store::State;
use serde_json::Value;

use crate::auth::{Caller, Verifier};
use crate::error::{ApiError, Refusal, json_response};
use crate::form::{self, one};
use crate::limit::{Limiter, Standing};
use crate::operations::Call;
use crate::route::Called;
use crate::target::Target;
use crate::{App, Body, cors, request_id};

/// The largest body that an operation takes.
const LARGEST_BODY: usize = 1 << 20;
/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// What the API needs besides the pages.
#[derive(Debug)]
pub struct Api {
    verifier: Verifier,
    pub(crate) state: Arc<State>,
    sites: BTreeMap<SiteId, Vec<Locale>>,
    origins: Vec<String>,
    reads: Limiter,
    writes: Limiter,
    failed_logins: Limiter,
}

/// The result of a request, with how its caller's rate stands.
type Outcome = (Option<Standing>, Result<Value, ApiError>);

impl Api {
    /// An API over these sites and their locales, for callers from these origins.
    pub fn new(
        verifier: Verifier,
        state: Arc<State>,
        sites: BTreeMap<SiteId, Vec<Locale>>,
        origins: Vec<String>,
        limits: &Limits,
    ) -> Self {
        let [reads, writes, failed_logins] = [limits.read, limits.write, limits.failed_logins].map(Limiter::new);
        Self { verifier, state, sites, origins, reads, writes, failed_logins }
    }

    /// The locales of a site, if there is such a site.
    pub(crate) fn locales(&self, site: &SiteId) -> Option<&[Locale]> {
        self.sites.get(site).map(Vec::as_slice)
    }

    /// Answers a request below `/api`.
    pub(crate) async fn answer<B>(
        &self,
        app: &App,
        target: Result<Target, Refusal>,
        request: Request<B>,
        client: IpAddr,
    ) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        let id = request_id::of(&parts.headers);
        let mut response = match cors::preflight(&parts, &self.origins) {
            Some(response) => response,
            None => {
                let done = AssertUnwindSafe(self.process(app, target, &parts, body, client)).catch_unwind().await;
                let panicked = |_| (None, Err(ApiError::Internal("an operation panicked".to_owned())));
                finish(app, done.unwrap_or_else(panicked), &id)
            }
        };
        let headers = response.headers_mut();
        cors::expose(&parts.headers, &self.origins, headers);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert("x-request-id", id);
        response
    }

    async fn process<B>(
        &self,
        app: &App,
        target: Result<Target, Refusal>,
        parts: &Parts,
        body: B,
        client: IpAddr,
    ) -> Outcome
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let target = match target {
            Ok(target) => target,
            Err(refusal) => return (None, Err(refusal.into())),
        };
        let called = match Called::of(&target.path, &parts.method) {
            Ok(called) => called,
            Err(error) => return (None, Err(error)),
        };
        let (caller, standing) = match self.admit(&called, &parts.headers, client) {
            Ok(admitted) => admitted,
            Err(error) => return (None, Err(error)),
        };
        let result = async {
            let (site, locale) = self.permit(&called, &caller)?;
            form::no_query(target.query.as_deref())?;
            let body = if called.line.method == "GET" { Bytes::new() } else { read(&parts.headers, body).await? };
            let now = SystemTime::now();
            Call { app, api: self, caller, site, locale, body, now }.run(called.line.operation).await
        };
        (standing, result.await)
    }

    /// Who asks, unless they or their address asked too often.
    fn admit(
        &self,
        called: &Called<'_>,
        headers: &HeaderMap,
        client: IpAddr,
    ) -> Result<(Caller, Option<Standing>), ApiError> {
        let now = Instant::now();
        // Taken first and given back, so that parallel guesses never pass the quota together.
        self.failed_logins.take(&client, now).map_err(ApiError::Limited)?;
        let caller = self.verifier.caller(headers)?;
        self.failed_logins.give_back(&client);
        let limiter = if called.line.method == "GET" { &self.reads } else { &self.writes };
        let standing = limiter.take(&caller.subject, now).map_err(ApiError::Limited)?;
        Ok((caller, standing))
    }

    /// The site and locale asked for, if the caller may.
    fn permit(&self, called: &Called<'_>, caller: &Caller) -> Result<(Option<SiteId>, Option<Locale>), ApiError> {
        let site = match called.site {
            Some(text) => {
                let site = SiteId::parse(text).ok().filter(|site| self.sites.contains_key(site) && caller.sees(site));
                Some(site.ok_or(ApiError::SiteNotFound)?)
            }
            None => None,
        };
        if !caller.has(called.line.scope) {
            return Err(ApiError::MissingScope(called.line.scope));
        }
        let Some(text) = called.locale else { return Ok((site, None)) };
        let locale = Locale::parse(text)
            .map_err(|_| one("targetLang", "invalid_language", "the path names no language tag such as pt-BR"))?;
        let locales = site.as_ref().and_then(|site| self.locales(site)).unwrap_or_default();
        if !locales.contains(&locale) {
            return Err(ApiError::LocaleNotFound);
        }
        Ok((site, Some(locale)))
    }
}

/// Reads a body in JSON.
async fn read<B>(headers: &HeaderMap, body: B) -> Result<Bytes, ApiError>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > LARGEST_BODY as u64) {
        return Err(ApiError::TooLarge);
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(ApiError::UnsupportedMediaType);
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, LARGEST_BODY).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(ApiError::TooLarge),
        Ok(Err(_)) => Err(ApiError::BadRequest("the body broke off")),
        Err(_) => Err(ApiError::BadRequest("the body did not arrive in time")),
    }
}

fn finish(app: &App, (standing, result): Outcome, id: &HeaderValue) -> Response<Body> {
    if let Err(ApiError::Internal(cause)) = &result {
        (app.log)(&format!("request {}: {cause}", id.to_str().unwrap_or_default()));
    }
    let mut response = match result {
        Ok(value) => json_response(StatusCode::OK, &value),
        Err(error) => error.response(),
    };
    if let Some(standing) = standing {
        standing.add_headers(response.headers_mut());
    }
    response
}

/// Whether a path is the API's.
pub(crate) fn is_below(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

#[cfg(test)]
mod tests;
