//! Fetches one large file into a file, with the guards of every fetch: archives of neural models.
//!
//! Unlike [`super::Fetcher`] it keeps nothing in memory, takes the bytes as they are (a hash of the archive is a hash of
//! what the server has), and bounds how long the origin may stay silent rather than how long the whole takes. Every
//! redirect is checked like the first address. Nothing is tried again: whoever asked sees why it failed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, LOCATION};
use reqwest::{Client, Response};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use url::Url;

use super::address::{Guard, GuardedResolver, Lookup};
use super::answer::refuse_coded;
use super::fetch_error::FetchError;

/// How long connecting may take, and looking up the name.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the origin may stay silent.
const SILENCE: Duration = Duration::from_secs(60);
/// How many redirects are followed.
const REDIRECTS: usize = 10;

/// Fetches an address into a new file; `progress` gets the bytes that came and their number, where that is known.
///
/// # Errors
/// A [`FetchError`] that says why; the file may hold a part of it then.
pub async fn download(
    url: &Url,
    file: &Path,
    limit: u64,
    allow_private: bool,
    progress: &(dyn Fn(u64, Option<u64>) + Send + Sync),
) -> Result<(), FetchError> {
    let guard = Arc::new(if allow_private { Guard::Anywhere } else { Guard::Public });
    let resolver = GuardedResolver { guard: Arc::clone(&guard), timeout: CONNECT, lookup: Lookup::System };
    let client = resolver
        .client(concat!("Latimer/", env!("CARGO_PKG_VERSION")))
        .map_err(|error| FetchError::Client(error.to_string()))?;
    let mut response = follow(&client, &guard, url).await?;
    let total = response.content_length();
    let too_large = || FetchError::TooLarge(format!("is larger than {limit} bytes"));
    if total.is_some_and(|total| total > limit) {
        return Err(too_large());
    }
    let broken = |error: std::io::Error| FetchError::Broken(format!("it cannot be written: {error}"));
    let mut out = File::create(file).await.map_err(broken)?;
    let mut came = 0;
    while let Some(chunk) = in_time("more of it", response.chunk()).await? {
        came += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        if came > limit {
            return Err(too_large());
        }
        out.write_all(&chunk).await.map_err(broken)?;
        progress(came, total);
    }
    out.flush().await.map_err(broken)
}

/// The first answer that is no redirect.
async fn follow(client: &Client, guard: &Guard, url: &Url) -> Result<Response, FetchError> {
    let mut url = url.clone();
    for _ in 0..=REDIRECTS {
        guard.check(&url)?;
        let request = client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
        let response = in_time("the first byte", request.send()).await?;
        let status = response.status();
        if status.is_success() {
            refuse_coded(response.headers())?;
            return Ok(response);
        }
        let location = response.headers().get(LOCATION).filter(|_| status.is_redirection());
        let Some(location) = location else {
            return Err(FetchError::Status { status: status.as_u16(), retry_after: None });
        };
        let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
        let next = url.join(&location).map_err(|_| FetchError::BadRedirect(location))?;
        if url.scheme() == "https" && next.scheme() == "http" {
            return Err(FetchError::Blocked(format!("{url} redirects to {next}, which is not encrypted")));
        }
        url = next;
    }
    Err(FetchError::TooManyRedirects(REDIRECTS))
}

async fn in_time<T>(
    stage: &'static str,
    wait: impl Future<Output = Result<T, reqwest::Error>>,
) -> Result<T, FetchError> {
    match tokio::time::timeout(SILENCE, wait).await {
        Ok(outcome) => outcome.map_err(|error| FetchError::of_request(&error)),
        Err(_) => Err(FetchError::Timeout { stage, limit: SILENCE }),
    }
}
