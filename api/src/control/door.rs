//! The API's second door: whoever is signed in at the admin screen does what the operations do, with the same scopes, rates and
//! checks, and without a token.

use std::net::IpAddr;
use std::time::SystemTime;

use bytes::Bytes;
use hyper::header::{HeaderValue, IF_MATCH};
use hyper::{HeaderMap, Method};
use serde_json::Value;

use super::operations::{Call, Content};
use super::route::Called;
use crate::app::{Api, App};
use crate::auth::Caller;
use crate::http::error::ApiError;

/// Something to be done.
#[derive(Clone, Debug)]
pub(crate) struct Deed<'a> {
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    pub(crate) query: Option<&'a str>,
    pub(crate) body: Option<Value>,
    /// The version that the visitor saw, where what is done depends on it.
    pub(crate) seen: Option<&'a str>,
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationResult {
    pub(crate) value: Value,
    /// Where what was begun can be watched.
    pub(crate) location: Option<String>,
}

impl Api {
    /// Does something for somebody.
    ///
    /// # Errors
    /// What the API would answer.
    pub(crate) async fn perform(
        &self,
        app: &App,
        caller: &Caller,
        client: IpAddr,
        deed: Deed<'_>,
    ) -> Result<OperationResult, ApiError> {
        let called = Called::of(deed.path, &deed.method)?;
        let named = self.admit(&called, Some(caller), client).named?;
        let body = deed
            .body
            .as_ref()
            .map(|body| Bytes::from(body.to_string()))
            .unwrap_or_default();
        let query = deed.query.map(str::to_owned);
        let caller = Some(caller.clone());
        let mut headers = HeaderMap::new();
        let seen = deed
            .seen
            .map(|seen| HeaderValue::try_from(format!("\"{seen}\"")));
        if let Some(Ok(seen)) = seen {
            headers.insert(IF_MATCH, seen);
        }
        let call = Call {
            app,
            api: self,
            caller,
            client,
            named,
            query,
            headers,
            body,
            now: SystemTime::now(),
            is_screen: true,
        };
        let done = (called.line.run)(&call).await;
        if called.line.method != "GET" {
            let subject = call
                .caller
                .as_ref()
                .map(|caller| caller.subject.as_str())
                .unwrap_or_default();
            let how = if done.is_ok() { "done" } else { "refused" };
            tracing::info!("{} by {subject:?} at {}: {how}", called.line.id, deed.path);
        }
        let reply = done?;
        let value = match reply.content {
            Content::Json(value) => value,
            Content::Nothing | Content::Events(_) => Value::Null,
        };
        Ok(OperationResult {
            value,
            location: reply.location,
        })
    }
}
