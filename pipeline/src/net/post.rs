//! Sending a body to an address that somebody else named: one request, with every guard on it, and no redirect followed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use url::Url;

use super::address::{Guard, GuardedResolver, Lookup};
use super::fetch_error::FetchError;
use super::retry::retry_after;

/// How long the body of an answer is waited for.
const BODY: Duration = Duration::from_secs(2);

/// How to send.
#[derive(Clone, Debug)]
pub(crate) struct PostOptions {
    /// Whether addresses in private networks may be connected to.
    pub(crate) allow_private: bool,
    /// How names become addresses.
    pub(crate) lookup: Lookup,
    /// How long looking up a name and connecting may take, each.
    pub(crate) connect_timeout: Duration,
    /// How long the head of the answer may take.
    pub(crate) timeout: Duration,
    /// Bytes of the answer that are read.
    pub(crate) most: usize,
}

/// What was answered, whatever its status.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    /// The status.
    pub(crate) status: u16,
    /// How long the answer asks us to wait.
    pub(crate) retry_after: Option<Duration>,
    /// The beginning of the answer.
    pub(crate) body: Vec<u8>,
}

/// Sends bodies.
#[derive(Clone, Debug)]
pub(crate) struct Poster {
    client: Client,
    guard: Arc<Guard>,
    timeout: Duration,
    most: usize,
}

impl Poster {
    /// Makes one.
    pub(crate) fn new(options: PostOptions) -> Result<Self, FetchError> {
        let guard = Arc::new(if options.allow_private { Guard::Anywhere } else { Guard::Public });
        let (timeout, lookup) = (options.connect_timeout, options.lookup);
        let resolver = GuardedResolver { guard: Arc::clone(&guard), timeout, lookup };
        let client = resolver.client(concat!("Latimer/", env!("CARGO_PKG_VERSION")));
        let client = client.map_err(|error| FetchError::Client(error.to_string()))?;
        Ok(Self { client, guard, timeout: options.timeout, most: options.most })
    }

    /// Whether an address may be connected to, as far as can be told without looking up its name.
    pub(crate) fn check(&self, url: &Url) -> Result<(), FetchError> {
        Ok(self.guard.check(url)?)
    }

    /// Sends a body with some headers, once; says also how long that took.
    pub(crate) async fn post(
        &self,
        url: &Url,
        headers: &[(&'static str, String)],
        body: String,
    ) -> (Result<Posted, FetchError>, Duration) {
        let began = Instant::now();
        let posted = self.send(url, headers, body).await;
        (posted, began.elapsed())
    }

    async fn send(&self, url: &Url, headers: &[(&'static str, String)], body: String) -> Result<Posted, FetchError> {
        self.check(url)?;
        let mut request = self.client.post(url.clone()).body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let limit = self.timeout;
        let response = tokio::time::timeout(limit, request.send()).await;
        let response = response.map_err(|_| FetchError::Timeout { stage: "the answer", limit })?;
        let response = response.map_err(|error| FetchError::of_request(&error))?;
        let (status, retry_after) = (response.status().as_u16(), retry_after(response.headers()));
        // The status says whether it arrived; what is said beside it may be cut off, or never come.
        let mut body = Vec::new();
        let _ = tokio::time::timeout(BODY, beginning(response, self.most, &mut body)).await;
        Ok(Posted { status, retry_after, body })
    }
}

/// Reads the first bytes of an answer, as far as they come.
async fn beginning(mut response: Response, most: usize, found: &mut Vec<u8>) {
    while found.len() < most {
        let Ok(Some(chunk)) = response.chunk().await else { return };
        found.extend_from_slice(chunk.get(..most - found.len()).unwrap_or(&chunk));
    }
}
