//! HTTP for the engines that are services: one client with its guards, and what statuses mean.
//!
//! Addresses are guarded as for the crawler unless the service may lie in a private network; redirects are refused,
//! because a key must not follow them; there is no proxy and no cookie. Every request has a deadline and every answer
//! a bound. Nothing that a service says gets into an error before the key is taken out of it, and what it says to a
//! refused key is not quoted at all, since services like to repeat a part of it. Whoever asks the engine decides
//! whether to try again.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;
use url::form_urlencoded::Serializer;

use super::{EngineError, HttpService, Secret};
use crate::net::{AddressGuard, FetchError, GuardedResolver, Lookup, retry_after};

/// How long connecting may take, and looking up the name.
const CONNECT: Duration = Duration::from_secs(10);
/// The largest answer that is taken, in bytes.
const LARGEST: usize = 8 << 20;
/// Most characters of a service's own words in an error.
const QUOTED: usize = 200;

/// A service that can be asked.
pub(super) struct Http {
    client: Client,
    guard: Arc<AddressGuard>,
    base: String,
    host: String,
    key: Option<Secret>,
    query: Option<String>,
    /// Headers of each request beside those of the engine.
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// What is sent.
pub(super) enum RequestBody {
    /// A question without a body.
    Nothing,
    /// JSON.
    Json(Value),
    /// Fields of a form.
    Form(Vec<(&'static str, String)>),
}

/// An answer, whatever its status.
pub(super) struct HttpReply {
    pub(super) status: u16,
    after: Option<Duration>,
    body: Vec<u8>,
}

impl Http {
    /// Prepares to ask a service, at its own address where none is configured.
    pub(super) fn new(
        service: &HttpService,
        own: &str,
        key: Option<Secret>,
    ) -> Result<Self, EngineError> {
        let url = match &service.url {
            Some(url) => url.clone(),
            None => {
                Url::parse(own).map_err(|_| EngineError::Absent("its table has no `url`".into()))?
            }
        };
        let guard = Arc::new(if service.allow_private {
            AddressGuard::Anywhere
        } else {
            AddressGuard::Public
        });
        let resolver = GuardedResolver {
            guard: Arc::clone(&guard),
            timeout: CONNECT,
            lookup: Lookup::System,
        };
        let client = resolver
            .client(concat!("Latimer/", env!("CARGO_PKG_VERSION")))
            .map_err(|error| {
                EngineError::Absent(format!("the HTTP client cannot be set up: {error}"))
            })?;
        let host = url.host_str().unwrap_or_default();
        let host = url
            .port()
            .map_or(host.to_owned(), |port| format!("{host}:{port}"));
        let base = url.as_str().trim_end_matches('/').to_owned();
        let mut headers = Vec::new();
        for (name, value) in service.headers()? {
            let unusable = || {
                EngineError::Absent(format!(
                    "the header {name} of its `headers_file` cannot be sent"
                ))
            };
            let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable())?;
            let mut value = HeaderValue::from_str(value.reveal()).map_err(|_| unusable())?;
            value.set_sensitive(true);
            headers.push((known, value));
        }
        Ok(Self {
            client,
            guard,
            base,
            host,
            key,
            query: service.settings.query.clone(),
            headers,
        })
    }

    /// The host and, where it is not the usual one, the port; fingerprints name it.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The key, for the place where the service wants it.
    pub(super) fn key(&self) -> &str {
        self.key.as_ref().map(Secret::reveal).unwrap_or_default()
    }

    /// Sends a request and reads the answer.
    pub(super) async fn send(
        &self,
        path: &str,
        headers: &[(&'static str, String)],
        body: RequestBody,
        deadline: Duration,
    ) -> Result<HttpReply, EngineError> {
        let absent = |reason: String| EngineError::Absent(self.quote(&reason));
        let mut url = Url::parse(&format!("{}/{path}", self.base))
            .map_err(|error| absent(error.to_string()))?;
        if self.query.is_some() {
            url.set_query(self.query.as_deref());
        }
        self.guard
            .check(&url)
            .map_err(|refused| absent(refused.to_string()))?;
        let mut request = match body {
            RequestBody::Nothing => self.client.request(Method::GET, url),
            RequestBody::Json(value) => self
                .client
                .post(url)
                .header("content-type", "application/json")
                .body(value.to_string()),
            RequestBody::Form(fields) => {
                let form = Serializer::new(String::new()).extend_pairs(fields).finish();
                self.client
                    .post(url)
                    .header("content-type", "application/x-www-form-urlencoded")
                    .body(form)
            }
        };
        for (name, value) in &self.headers {
            request = request.header(name.clone(), value.clone());
        }
        for (name, value) in headers {
            let mut value = HeaderValue::from_str(value)
                .map_err(|_| absent(format!("{name} cannot be sent")))?;
            value.set_sensitive(true);
            request = request.header(*name, value);
        }
        match tokio::time::timeout(deadline, self.receive(request)).await {
            Ok(reply) => reply,
            Err(_) => Err(EngineError::Deadline(deadline)),
        }
    }

    async fn receive(&self, request: reqwest::RequestBuilder) -> Result<HttpReply, EngineError> {
        let mut response = request.send().await.map_err(|error| self.failed(error))?;
        if response
            .headers()
            .get(CONTENT_ENCODING)
            .is_some_and(|coding| coding != "identity")
        {
            return Err(EngineError::Bad(format!(
                "{} compresses what it says without being asked",
                self.host
            )));
        }
        let status = response.status().as_u16();
        let after = retry_after(response.headers());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failed(error))? {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST {
                return Err(EngineError::Bad(format!(
                    "{} is longer than {LARGEST} bytes",
                    self.host
                )));
            }
        }
        Ok(HttpReply {
            status,
            after,
            body,
        })
    }

    fn failed(&self, error: reqwest::Error) -> EngineError {
        match FetchError::of_request(&error.without_url()) {
            FetchError::Blocked(reason) => EngineError::Absent(self.quote(&reason)),
            other => EngineError::Transport(self.quote(&format!("{}: {other}", self.host))),
        }
    }

    /// Reads the answer of a request that went well.
    pub(super) fn read<T: DeserializeOwned>(&self, reply: &HttpReply) -> Result<T, EngineError> {
        serde_json::from_slice(&reply.body).map_err(|error| {
            let line = error.line();
            let column = error.column();
            EngineError::Bad(format!(
                "{} leaves its documented form at line {line}, column {column}",
                self.host
            ))
        })
    }

    /// What an answer means that is no success, where the service has no meaning of its own for it.
    pub(super) fn failure(&self, reply: &HttpReply) -> EngineError {
        let told = || self.told(reply);
        match reply.status {
            401 | 403 => EngineError::Auth(format!(
                "{} answers with status {}",
                self.host, reply.status
            )),
            402 | 456 => EngineError::Quota(told()),
            404 | 405 => {
                EngineError::Absent(format!("there is no such service or model: {}", told()))
            }
            429 | 503 | 529 => EngineError::Limited { after: reply.after },
            300..400 => EngineError::Absent(format!(
                "{} redirects (status {}), and a key does not follow; write the final address in `url`",
                self.host, reply.status
            )),
            408 | 425 | 500..600 => EngineError::Transport(told()),
            400..500 => EngineError::Rejected(told()),
            _ => EngineError::Bad(told()),
        }
    }

    /// Host, status and what the service says, without the key.
    pub(super) fn told(&self, reply: &HttpReply) -> String {
        let said = reply.message();
        let colon = if said.is_empty() { "" } else { ": " };
        self.quote(&format!(
            "{} answers with status {}{colon}{said}",
            self.host, reply.status
        ))
    }

    /// Words from outside, without the key and without what is no text; the key goes before anything is cut off.
    fn quote(&self, words: &str) -> String {
        let words = self
            .key
            .as_ref()
            .map_or_else(|| words.to_owned(), |key| key.redact(words));
        words
            .chars()
            .map(|one| if one.is_control() { ' ' } else { one })
            .take(QUOTED)
            .collect()
    }
}

impl HttpReply {
    /// Copies the answer with another status.
    pub(super) fn with_status(&self, status: u16) -> Self {
        Self {
            status,
            after: self.after,
            body: self.body.clone(),
        }
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// How long the service asks to wait.
    pub(super) fn after(&self) -> Option<Duration> {
        self.after
    }

    /// The answer as JSON of any form; nothing where it is none.
    pub(super) fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// What the service says about a failure: in one of the places where services say it, or all it says.
    pub(super) fn message(&self) -> String {
        message(&self.value()).map_or_else(
            || String::from_utf8_lossy(&self.body).into_owned(),
            str::to_owned,
        )
    }

    /// True if one of the usual places has a message.
    pub(super) fn has_message(&self) -> bool {
        message(&self.value()).is_some()
    }
}

/// The message of a failure.
fn message(value: &Value) -> Option<&str> {
    // Some services put the message into a list.
    let value = value.get(0).unwrap_or(value);
    let places = [
        "/error/message",
        "/choices/0/error/message",
        "/error",
        "/explanation",
        "/message",
        "/detail",
    ];
    places
        .iter()
        .find_map(|place| value.pointer(place).and_then(Value::as_str))
}

#[cfg(test)]
mod tests;
