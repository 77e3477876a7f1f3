//! Downloads of neural models and of the records that list them, with the guards of every fetch.
//!
//! Unlike [`super::Fetcher`], a download goes to a file, takes the bytes as they are (a hash of the file is a hash of what
//! the server has), and bounds how long the origin may stay silent rather than how long the whole takes. Every redirect
//! is checked like the first address.
//!
//! Here alone a proxy of the environment may be used, if the caller says so: who downloads a model asks for it by name.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode};
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt;
use url::Url;

use super::address::{AddressGuard, GuardedResolver, Lookup};
use super::answer::refuse_coded;
use super::fetch_error::FetchError;

/// How long connecting may take, and looking up the name.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the origin may stay silent.
const SILENCE: Duration = Duration::from_secs(60);
/// How many redirects are followed.
const REDIRECTS: usize = 10;
/// Failures in a row, without a new byte between them, that a resumed download survives.
const FAILURES: u32 = 4;
/// Wait before the first resumption; it doubles with each failure in a row.
const PAUSE: Duration = Duration::from_secs(1);

/// Receives the bytes that came and their number, if it is known.
pub type DownloadProgress<'a> = dyn Fn(u64, Option<u64>) + Send + Sync + 'a;

/// The way to the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// Direct connections only.
    None,
    /// The proxy that `HTTPS_PROXY` or `HTTP_PROXY` names, except for the hosts of `NO_PROXY`.
    Environment,
}

/// An HTTP client for large files.
#[derive(Debug)]
pub struct Downloader {
    client: Client,
    guard: AddressGuard,
    pause: Duration,
}

impl Downloader {
    /// A client that connects to the public internet, and to private networks if they are allowed.
    ///
    /// # Errors
    /// A [`FetchError`] if the HTTP library cannot start, such as with a proxy that is no address.
    pub fn new(allow_private: bool, proxy: Proxy) -> Result<Self, FetchError> {
        let guard = if allow_private {
            AddressGuard::Anywhere
        } else {
            AddressGuard::Public
        };
        // Behind a proxy, the only names to look up are the proxy's own and those of NO_PROXY, which the owner of the
        // machine chose and which mostly are private.
        let resolving = if proxy == Proxy::Environment {
            AddressGuard::Anywhere
        } else {
            guard.clone()
        };
        let resolver = GuardedResolver {
            guard: Arc::new(resolving),
            timeout: CONNECT,
            lookup: Lookup::System,
        };
        let client = resolver
            .client_by(
                concat!("Latimer/", env!("CARGO_PKG_VERSION")),
                proxy == Proxy::Environment,
            )
            .map_err(|error| FetchError::Client(error.to_string()))?;
        Ok(Self {
            client,
            guard,
            pause: PAUSE,
        })
    }

    /// Fetches a small document.
    ///
    /// # Errors
    /// A [`FetchError`] that says why; nothing is tried again.
    pub async fn bytes(&self, url: &Url, limit: u64) -> Result<Vec<u8>, FetchError> {
        let mut response = self.open(url, 0).await?;
        let mut bytes = Vec::new();
        while let Some(chunk) = in_time("more of it", response.chunk()).await? {
            bytes.extend_from_slice(&chunk);
            if length_of(&bytes) > limit {
                return Err(too_large(limit));
            }
        }
        Ok(bytes)
    }

    /// Fetches an address into a new file.
    ///
    /// # Errors
    /// A [`FetchError`] that says why; the file may hold a part of it then. Nothing is tried again: the caller sees why it
    /// failed.
    pub async fn file(
        &self,
        url: &Url,
        file: &Path,
        limit: u64,
        progress: &DownloadProgress<'_>,
    ) -> Result<(), FetchError> {
        let mut response = self.open(url, 0).await?;
        let total = response.content_length();
        if total.is_some_and(|total| total > limit) {
            return Err(too_large(limit));
        }
        let mut out = File::create(file).await.map_err(unwritable)?;
        let mut came = 0;
        while let Some(chunk) = in_time("more of it", response.chunk()).await? {
            came += length_of(&chunk);
            if came > limit {
                return Err(too_large(limit));
            }
            out.write_all(&chunk).await.map_err(unwritable)?;
            progress(came, total);
        }
        out.flush().await.map_err(unwritable)
    }

    /// Fetches a file whose size and hash are known. A connection that is cut is opened again for the rest; the caller
    /// checks the hash, so bytes of another version do no harm.
    ///
    /// # Errors
    /// A [`FetchError`] that says why; the file may hold a part of it then.
    pub async fn resumed(
        &self,
        url: &Url,
        file: &Path,
        size: u64,
        progress: &DownloadProgress<'_>,
    ) -> Result<(), FetchError> {
        let mut failures = 0;
        let mut has = 0;
        loop {
            let before = has;
            let Err(error) = self.append(url, file, &mut has, size, progress).await else {
                return Ok(());
            };
            failures = if has > before { 1 } else { failures + 1 };
            if failures > FAILURES || !may_resume(&error) {
                return Err(error);
            }
            tokio::time::sleep(self.pause * 2_u32.pow(failures - 1)).await;
        }
    }

    /// Adds the rest of a file to the `has` bytes that came.
    async fn append(
        &self,
        url: &Url,
        file: &Path,
        has: &mut u64,
        size: u64,
        progress: &DownloadProgress<'_>,
    ) -> Result<(), FetchError> {
        let mut response = match self.open(url, *has).await {
            // The server has no byte more than came.
            Err(FetchError::Status { status: 416, .. }) => {
                return Err(FetchError::WrongSize {
                    found: *has,
                    wanted: size,
                });
            }
            answered => answered?,
        };
        if !continues(&response, *has) {
            *has = 0; // the whole file comes again
        }
        let total = response.content_length().map(|left| *has + left);
        if let Some(found) = total.filter(|total| *total != size) {
            return Err(FetchError::WrongSize {
                found,
                wanted: size,
            });
        }
        let mut options = OpenOptions::new();
        options.create(true);
        if *has > 0 {
            options.append(true);
        } else {
            options.write(true).truncate(true);
        }
        let mut out = options.open(file).await.map_err(unwritable)?;
        while let Some(chunk) = in_time("more of it", response.chunk()).await? {
            let came = *has + length_of(&chunk);
            if came > size {
                return Err(FetchError::WrongSize {
                    found: came,
                    wanted: size,
                });
            }
            out.write_all(&chunk).await.map_err(unwritable)?;
            // Tokio writes in the background: what is not flushed may be missing when the next chunk does not come.
            out.flush().await.map_err(unwritable)?;
            *has = came;
            progress(came, Some(size));
        }
        match *has == size {
            true => Ok(()),
            false => Err(FetchError::Broken(format!(
                "the connection ended after {has} of {size} bytes"
            ))),
        }
    }

    /// The first answer that is no redirect, from a byte on if the server can do that.
    async fn open(&self, url: &Url, from: u64) -> Result<Response, FetchError> {
        let mut url = url.clone();
        for _ in 0..=REDIRECTS {
            self.guard.check(&url)?;
            let mut request = self
                .client
                .get(url.clone())
                .header(ACCEPT_ENCODING, "identity");
            if from > 0 {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            let response = in_time("the first byte", request.send()).await?;
            let status = response.status();
            if status.is_success() {
                refuse_coded(response.headers())?;
                return Ok(response);
            }
            let location = response
                .headers()
                .get(LOCATION)
                .filter(|_| status.is_redirection());
            let Some(location) = location else {
                return Err(FetchError::Status {
                    status: status.as_u16(),
                    retry_after: None,
                });
            };
            let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
            let next = url
                .join(&location)
                .map_err(|_| FetchError::BadRedirect(location))?;
            if url.scheme() == "https" && next.scheme() == "http" {
                return Err(FetchError::Blocked(format!(
                    "{url} redirects to {next}, which is not encrypted"
                )));
            }
            url = next;
        }
        Err(FetchError::TooManyRedirects(REDIRECTS))
    }
}

/// True if an answer begins at a byte in the middle that was asked for.
fn continues(response: &Response, from: u64) -> bool {
    let range = response
        .headers()
        .get(CONTENT_RANGE)
        .and_then(|range| range.to_str().ok());
    let start = range.and_then(|range| {
        range
            .strip_prefix("bytes ")?
            .split('-')
            .next()?
            .parse()
            .ok()
    });
    response.status() == StatusCode::PARTIAL_CONTENT && start == Some(from)
}

/// A silence may pass, too: the next connection may take another way.
fn may_resume(error: &FetchError) -> bool {
    error.may_pass() || matches!(error, FetchError::Timeout { .. })
}

fn length_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn too_large(limit: u64) -> FetchError {
    FetchError::TooLarge(format!("is larger than {limit} bytes"))
}

fn unwritable(error: std::io::Error) -> FetchError {
    FetchError::Unwritable(error.to_string())
}

async fn in_time<T>(
    stage: &'static str,
    wait: impl Future<Output = Result<T, reqwest::Error>>,
) -> Result<T, FetchError> {
    match tokio::time::timeout(SILENCE, wait).await {
        Ok(outcome) => outcome.map_err(|error| FetchError::of_request(&error)),
        Err(_) => Err(FetchError::Timeout {
            stage,
            limit: SILENCE,
        }),
    }
}
