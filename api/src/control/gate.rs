//! The way into the API: who asks, how often, whether they may; then the operation.
//!
//! The order of checks is part of the interface: a token that failed too often (429), the token (401; 429 where
//! too many from its address failed), the
//! caller's rate (429), the site (404, also where a token may not see it), the scope (403), then the request itself.

mod admission;
pub(super) mod body;
mod named;

pub(in crate::control) use admission::Admission;
pub(crate) use named::NamedResources;

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::time::SystemTime;

use bytes::Bytes;
use futures::FutureExt;
use hyper::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::http::request::Parts;
use hyper::{Request, Response};
use tracing::Instrument;

use super::cors;
use super::form;
use super::operations::{Call, Reply};
use super::route::Called;
use crate::app::{Api, App};
use crate::http::body::Body;
use crate::http::error::{ApiError, HttpRefusal};
use crate::http::limit::RateStatus;
use crate::http::target::HttpTarget;
use crate::http::{access_log, request_id};

/// The result of a request, with how its caller's rate stands.
type GateOutcome = (Option<RateStatus>, Result<Reply, ApiError>);

impl Api {
    /// Answers a request below `/api`.
    pub(crate) async fn answer<B>(
        &self,
        app: &App,
        target: Result<HttpTarget, HttpRefusal>,
        request: Request<B>,
        client: IpAddr,
    ) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        let id = request_id::of(&parts.headers);
        let answered = self
            .answer_whole(app, target, (parts, body), client)
            .instrument(request_id::span(&id))
            .await;
        request_id::on(answered, id)
    }

    async fn answer_whole<B>(
        &self,
        app: &App,
        target: Result<HttpTarget, HttpRefusal>,
        (parts, body): (Parts, B),
        client: IpAddr,
    ) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let settings = self.settings();
        let mut response = match cors::preflight(&parts, &settings.config.api.cors_origins) {
            Some(response) => response,
            None => {
                let done = AssertUnwindSafe(self.process(app, target, &parts, body, client))
                    .catch_unwind()
                    .await;
                let panicked = |_| {
                    (
                        None,
                        Err(ApiError::Internal("an operation panicked".to_owned())),
                    )
                };
                finish(done.unwrap_or_else(panicked))
            }
        };
        let headers = response.headers_mut();
        cors::expose(&parts.headers, &settings.config.api.cors_origins, headers);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let path = || access_log::path(parts.uri.path());
        tracing::debug!(
            "{} {}: {}",
            parts.method,
            path(),
            response.status().as_u16()
        );
        response
    }

    async fn process<B>(
        &self,
        app: &App,
        target: Result<HttpTarget, HttpRefusal>,
        parts: &Parts,
        body: B,
        client: IpAddr,
    ) -> GateOutcome
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let target = match target {
            Ok(target) => target,
            // That there is no such operation is said before that its body is too much.
            Err(HttpRefusal::ContentTooLarge) => {
                let called = Called::of(parts.uri.path(), &parts.method);
                return (None, Err(called.err().unwrap_or(ApiError::TooLarge)));
            }
            Err(refusal) => return (None, Err(refusal.into())),
        };
        let called = match Called::of(&target.path, &parts.method) {
            Ok(called) => called,
            Err(error) => return (None, Err(error)),
        };
        // Look up the token before reading the body: a caller without one gets no time to send a body.
        let caller = match self.identify(&called, &parts.headers, client).await {
            Ok(caller) => caller,
            Err(error) => return (None, Err(error)),
        };
        let Admission { standing, named } = self.admit(&called, caller.as_ref(), client);
        let result = async {
            let named = named?;
            if called.line.method != "GET" && !called.line.takes_query {
                form::no_query(target.query.as_deref())?;
            }
            let has_body = !matches!(called.line.method, "GET" | "DELETE");
            let largest = called.line.largest_body;
            let body = if has_body {
                body::read(&parts.headers, body, largest).await?
            } else {
                Bytes::new()
            };
            let query = target.query.clone();
            let headers = parts.headers.clone();
            let now = SystemTime::now();
            let call = Call {
                app,
                api: self,
                caller,
                client,
                named,
                query,
                headers,
                body,
                now,
                is_screen: false,
            };
            (called.line.run)(&call).await
        };
        (standing, result.await)
    }
}

fn finish((standing, result): GateOutcome) -> Response<Body> {
    if let Err(ApiError::Internal(cause) | ApiError::NoRoom(cause) | ApiError::Unavailable(cause)) =
        &result
    {
        tracing::error!("{cause}");
    }
    let mut response = match result {
        Ok(reply) => reply.response(),
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
