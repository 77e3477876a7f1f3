//! The one way to fetch a page from outside, with every guard on it: previews use it as well as the crawl.
//!
//! A fetch is one hop: redirects come back as an answer, so that whoever asked decides, and the next hop is checked
//! like the first. Addresses are guarded ([`super::address`]), sizes are those after decompression, every stage has
//! a time limit, and what may pass (a refused connection, 429, 502, 503, 504) is tried again. There is no proxy, no
//! cookie and no Referer. Header lines are bounded by the HTTP library: at most 100, in 400 KiB (16 KiB in HTTP/2).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use url::Url;

use super::address::{Guard, GuardedResolver};
use super::decode::{DecodeError, Decoder};
use super::fetch_error::FetchError;
use super::retry;

/// How to fetch.
#[derive(Clone, Debug)]
pub struct FetchOptions {
    /// The largest body that is taken, in bytes after decompression.
    pub max_page_bytes: usize,
    /// What we call ourselves; robots.txt is obeyed under the name before its slash.
    pub user_agent: String,
    /// Whether addresses in private networks may be fetched.
    pub allow_private: bool,
    /// Header lines that are sent to the site's own origin and nowhere else: basic auth, staging cookies.
    pub headers: Vec<(String, String)>,
    /// How long looking up a name and connecting may take, each.
    pub connect_timeout: Duration,
    /// How long the first line of an answer may take.
    pub first_byte_timeout: Duration,
    /// How long one try may take as a whole.
    pub total_timeout: Duration,
    /// How many redirects are followed for one address.
    pub max_redirects: usize,
    /// How often a fetch is tried again after a failure that may pass.
    pub retries: u32,
    /// The pause before the first new try; it doubles each time.
    pub retry_pause: Duration,
    /// The longest pause that an origin's Retry-After is granted; a longer one is a failure at once.
    pub max_retry_after: Duration,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            max_page_bytes: 10 << 20,
            user_agent: concat!("Latimer/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_private: false,
            headers: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(15),
            total_timeout: Duration::from_secs(40),
            max_redirects: 10,
            retries: 2,
            retry_pause: Duration::from_millis(500),
            max_retry_after: Duration::from_secs(30),
        }
    }
}

/// What an origin answered to one request: a page, a file, or the address of another one.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The address that was asked for.
    pub url: Url,
    /// The status, below 400.
    pub status: u16,
    /// Where a redirect leads, resolved against [`Self::url`].
    pub location: Option<Url>,
    /// The media type in lower case, without parameters.
    pub content_type: Option<String>,
    /// The charset that the Content-Type header declares.
    pub charset: Option<String>,
    /// The values of the X-Robots-Tag headers.
    pub robots_tags: Vec<String>,
    /// The ETag, as sent.
    pub etag: Option<String>,
    /// The Last-Modified date, as sent.
    pub last_modified: Option<String>,
    /// The body, decompressed.
    pub body: Bytes,
}

/// What happens to a body that is larger than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// The fetch fails.
    Refuse,
    /// The first part is taken for the whole.
    Cut,
}

/// Fetches pages and files over HTTP.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    guard: Arc<Guard>,
    options: Arc<FetchOptions>,
    site: Url,
    headers: HeaderMap,
}

impl Fetcher {
    /// Makes a fetcher for a site; the configured headers go to that site's origin only.
    pub fn new(options: FetchOptions, site: &Url) -> Result<Self, FetchError> {
        let guard = if options.allow_private { Guard::Anywhere } else { Guard::Public };
        Self::with_guard(options, site, guard)
    }

    pub(crate) fn with_guard(options: FetchOptions, site: &Url, guard: Guard) -> Result<Self, FetchError> {
        let guard = Arc::new(guard);
        let resolver = GuardedResolver { guard: Arc::clone(&guard), timeout: options.connect_timeout };
        let client = Client::builder()
            .user_agent(&options.user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .retry(reqwest::retry::never())
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .connect_timeout(options.connect_timeout)
            .dns_resolver(resolver)
            .build()
            .map_err(|error| FetchError::Client(error.to_string()))?;
        let headers = own_headers(&options.headers)?;
        Ok(Self { client, guard, options: Arc::new(options), site: site.clone(), headers })
    }

    /// The same fetcher for a site that has moved to another origin.
    pub(crate) fn at(&self, site: &Url) -> Self {
        Self { site: site.clone(), ..self.clone() }
    }

    /// Fetches one address; a redirect is an answer, a status of 400 and above is an error.
    pub async fn fetch(&self, url: &Url) -> Result<Fetched, FetchError> {
        self.fetch_up_to(url, self.options.max_page_bytes, Excess::Refuse).await
    }

    /// Fetches an address and the addresses that it redirects to, each checked like the first.
    pub async fn fetch_following(&self, url: &Url) -> Result<Fetched, FetchError> {
        self.follow(url, self.options.max_page_bytes, Excess::Refuse).await
    }

    /// Like [`Self::fetch_following`] with a limit of its own.
    pub(crate) async fn follow(&self, url: &Url, limit: usize, excess: Excess) -> Result<Fetched, FetchError> {
        let mut url = url.clone();
        for _ in 0..=self.options.max_redirects {
            let mut fetched = self.fetch_up_to(&url, limit, excess).await?;
            match fetched.location.take() {
                Some(next) => url = next,
                None => return Ok(fetched),
            }
        }
        Err(FetchError::TooManyRedirects(self.options.max_redirects))
    }

    /// How many redirects are followed for one address.
    pub(crate) fn max_redirects(&self) -> usize {
        self.options.max_redirects
    }

    async fn fetch_up_to(&self, url: &Url, limit: usize, excess: Excess) -> Result<Fetched, FetchError> {
        self.guard.check(url)?;
        let mut pause = self.options.retry_pause;
        let mut tries = 0;
        loop {
            let error = match self.try_once(url, limit, excess).await {
                Ok(fetched) => return Ok(fetched),
                Err(error) => error,
            };
            let asked = error.retry_after().unwrap_or_default();
            if tries >= self.options.retries || !error.may_pass() || asked > self.options.max_retry_after {
                return Err(error);
            }
            tokio::time::sleep(pause.max(asked)).await;
            pause *= 2;
            tries += 1;
        }
    }

    async fn try_once(&self, url: &Url, limit: usize, excess: Excess) -> Result<Fetched, FetchError> {
        let total = self.options.total_timeout;
        let hop = async {
            let first = self.options.first_byte_timeout;
            let response = match tokio::time::timeout(first, self.request(url).send()).await {
                Ok(response) => response.map_err(|error| FetchError::of_request(&error))?,
                Err(_) => return Err(FetchError::Timeout { stage: "the first byte", limit: first }),
            };
            read(url, response, limit, excess).await
        };
        match tokio::time::timeout(total, hop).await {
            Ok(result) => result,
            Err(_) => Err(FetchError::Timeout { stage: "the whole answer", limit: total }),
        }
    }

    fn request(&self, url: &Url) -> reqwest::RequestBuilder {
        let request = self
            .client
            .get(url.clone())
            .header(header::ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8")
            .header(header::ACCEPT_ENCODING, "gzip, br");
        if url.origin() == self.site.origin() { request.headers(self.headers.clone()) } else { request }
    }
}

async fn read(url: &Url, response: Response, limit: usize, excess: Excess) -> Result<Fetched, FetchError> {
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        let retry_after = retry::retry_after(response.headers());
        return Err(FetchError::Status { status: status.as_u16(), retry_after });
    }
    let location = if status.is_redirection() { location(url, &response)? } else { None };
    let text = |name| header_text(response.headers(), &name);
    let (content_type, charset) = text(header::CONTENT_TYPE).map(|value| media_type(&value)).unwrap_or_default();
    let mut fetched = Fetched {
        url: url.clone(),
        status: status.as_u16(),
        location,
        content_type,
        charset,
        robots_tags: robots_tags(response.headers()),
        etag: text(header::ETAG),
        last_modified: text(header::LAST_MODIFIED),
        body: Bytes::new(),
    };
    if fetched.location.is_none() {
        fetched.body = body(response, limit, excess).await?;
    }
    Ok(fetched)
}

/// The target of a redirect; a 3xx answer that names none is no answer.
fn location(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    let status = response.status();
    let Some(value) = response.headers().get(header::LOCATION) else {
        return Err(FetchError::Status { status: status.as_u16(), retry_after: None });
    };
    if !matches!(
        status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    ) {
        return Err(FetchError::Status { status: status.as_u16(), retry_after: None });
    }
    let text = String::from_utf8_lossy(value.as_bytes());
    let mut target = url.join(&text).map_err(|_| FetchError::BadRedirect(text.into_owned()))?;
    target.set_fragment(None);
    Ok(Some(target))
}

async fn body(mut response: Response, limit: usize, excess: Excess) -> Result<Bytes, FetchError> {
    let coding = header_text(response.headers(), &header::CONTENT_ENCODING).unwrap_or_default();
    let mut decoder = Decoder::new(&coding, limit)?;
    if excess == Excess::Refuse && coding.is_empty() && response.content_length() > Some(limit as u64) {
        return Err(DecodeError::TooLarge(limit).into());
    }
    while let Some(chunk) = response.chunk().await.map_err(|error| FetchError::of_request(&error))? {
        match decoder.push(&chunk) {
            Err(DecodeError::TooLarge(_)) if excess == Excess::Cut => return Ok(decoder.cut().into()),
            pushed => pushed?,
        }
    }
    Ok(decoder.finish()?.into())
}

/// Splits a Content-Type into the media type and its charset.
fn media_type(value: &str) -> (Option<String>, Option<String>) {
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    });
    (Some(essence).filter(|essence| essence.contains('/')), charset)
}

fn robots_tags(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all("x-robots-tag").iter();
    values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
}

fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn own_headers(pairs: &[(String, String)]) -> Result<HeaderMap, FetchError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let (Ok(known), Ok(mut value)) = (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) else {
            return Err(FetchError::BadHeader(name.clone()));
        };
        value.set_sensitive(true);
        headers.append(known, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_are_split() {
        for (value, essence, charset) in [
            ("text/html", Some("text/html"), None),
            ("Text/HTML; Charset=\"ISO-8859-1\"", Some("text/html"), Some("ISO-8859-1")),
            ("text/html;version=1; charset=utf-8 ", Some("text/html"), Some("utf-8")),
            ("text/html; charset=", Some("text/html"), None),
            ("html", None, None),
            ("", None, None),
        ] {
            let (given, label) = media_type(value);
            assert_eq!((given.as_deref(), label.as_deref()), (essence, charset), "{value}");
        }
    }
}
