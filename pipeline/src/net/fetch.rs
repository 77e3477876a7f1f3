//! The one way to fetch a page from outside, with every guard on it: previews use it as well as the crawl.
//!
//! A fetch is one hop: redirects come back as an answer, so that whoever asked decides, and the next hop is checked
//! like the first. Addresses are guarded ([`super::address`]), sizes are those after decompression, every stage has
//! a time limit, and what may pass (a refused connection, 429, 500, 502, 503, 504) is tried again, not before the whole
//! host may be asked again ([`super::gate`]). There is no proxy, no cookie and no Referer. Header lines are bounded by the HTTP library: at most 100, in 400 KiB (16 KiB in HTTP/2).

use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use url::{Origin, Url};

use super::address::{AddressGuard, GuardedResolver, Lookup};
use super::answer::{Condition, Fetched, OversizePolicy};
use super::bounds::is_below;
use super::fetch_error::FetchError;
use super::gate::Gates;
use crate::model::AnswerHead;

/// How to fetch.
#[derive(Clone, Debug)]
pub struct FetchOptions {
    /// The largest body that is taken, in bytes after decompression.
    pub max_page_bytes: usize,
    /// What we call ourselves; robots.txt is obeyed under the name before its slash.
    pub user_agent: String,
    /// Whether addresses in private networks may be fetched.
    pub allow_private: bool,
    /// Header lines that are sent to addresses below the site's own and nowhere else: basic auth, staging cookies.
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
    /// How long a host is left alone because its answers ask for that (Retry-After), in all before it gives another answer.
    pub max_retry_after: Duration,
    /// How names become addresses.
    pub lookup: Lookup,
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
            lookup: Lookup::System,
        }
    }
}

/// Fetches pages and files over HTTP.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    guard: Arc<AddressGuard>,
    gates: Arc<Gates>,
    options: Arc<FetchOptions>,
    site: Url,
    headers: HeaderMap,
    named: Option<PrivateHost>,
}

/// One host and port where addresses in private networks are allowed although the guard refuses them, because the owner
/// named them.
#[derive(Clone, Debug)]
struct PrivateHost {
    origin: Origin,
    client: Client,
}

impl Fetcher {
    /// Makes a fetcher for a site; the configured headers go to addresses below that site's only.
    pub fn new(options: FetchOptions, site: &Url) -> Result<Self, FetchError> {
        let guard = if options.allow_private {
            AddressGuard::Anywhere
        } else {
            AddressGuard::Public
        };
        Self::with_guard(options, site, guard)
    }

    /// Makes a fetcher that may connect to a private network at the host and port of `site` alone, whatever links and
    /// redirects name.
    pub(crate) fn for_named(options: FetchOptions, site: &Url) -> Result<Self, FetchError> {
        let client = client(&options, &Arc::new(AddressGuard::Anywhere))?;
        let named = Some(PrivateHost {
            origin: site.origin(),
            client,
        });
        Ok(Self {
            named,
            ..Self::with_guard(options, site, AddressGuard::Public)?
        })
    }

    pub(crate) fn with_guard(
        options: FetchOptions,
        site: &Url,
        guard: AddressGuard,
    ) -> Result<Self, FetchError> {
        let guard = Arc::new(guard);
        let client = client(&options, &guard)?;
        let headers = own_headers(&options.headers)?;
        let gates = Arc::new(Gates::new(options.max_retry_after));
        Ok(Self {
            client,
            guard,
            gates,
            options: Arc::new(options),
            site: site.clone(),
            headers,
            named: None,
        })
    }

    /// Fetches one address; a redirect is an answer, a status of 400 and above is an error.
    pub async fn fetch(&self, url: &Url) -> Result<Fetched, FetchError> {
        self.fetch_up_to(url, self.options.max_page_bytes, OversizePolicy::Refuse)
            .await
    }

    /// Fetches one address unless it is as it was when it answered so; then the answer says that, and has no body (RFC 9110,
    /// section 13).
    pub async fn fetch_if_changed(
        &self,
        url: &Url,
        known: &AnswerHead,
    ) -> Result<Fetched, FetchError> {
        let validator = match (&known.etag, &known.last_modified) {
            (Some(etag), _) => Some((header::IF_NONE_MATCH, etag)),
            (None, Some(date)) => Some((header::IF_MODIFIED_SINCE, date)),
            (None, None) => None,
        };
        let validator =
            validator.and_then(|(name, value)| Some((name, HeaderValue::from_str(value).ok()?)));
        self.fetch_unless(
            url,
            (self.options.max_page_bytes, OversizePolicy::Refuse),
            validator.as_ref(),
        )
        .await
    }

    /// Fetches an address and the addresses that it redirects to, each checked like the first.
    pub async fn fetch_following(&self, url: &Url) -> Result<Fetched, FetchError> {
        self.follow(url, self.options.max_page_bytes, OversizePolicy::Refuse)
            .await
    }

    /// Like [`Self::fetch_following`] with a limit of its own.
    pub(crate) async fn follow(
        &self,
        url: &Url,
        limit: usize,
        excess: OversizePolicy,
    ) -> Result<Fetched, FetchError> {
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

    async fn fetch_up_to(
        &self,
        url: &Url,
        limit: usize,
        excess: OversizePolicy,
    ) -> Result<Fetched, FetchError> {
        self.fetch_unless(url, (limit, excess), None).await
    }

    async fn fetch_unless(
        &self,
        url: &Url,
        most: (usize, OversizePolicy),
        validator: Option<&CacheValidator>,
    ) -> Result<Fetched, FetchError> {
        let guard = if self.is_named(url) {
            &AddressGuard::Anywhere
        } else {
            &*self.guard
        };
        guard.check(url)?;
        let mut pass = self.gates.pass(url);
        let mut pause = self.options.retry_pause;
        let mut tries = 0;
        let mut cookies = None;
        loop {
            pass.wait().await?;
            let error = match self
                .try_once(url, most, validator, cookies.as_deref())
                .await
            {
                // Some sites let nobody in without a cookie, which they set while they redirect to the same address.
                Ok(Fetched {
                    location: Some(to),
                    cookies: set @ Some(_),
                    ..
                }) if to == *url && cookies.is_none() => {
                    cookies = set;
                    continue;
                }
                Ok(fetched) => {
                    pass.answered();
                    return Ok(fetched);
                }
                Err(error) => error,
            };
            if !error.may_pass() {
                if error.status().is_some() {
                    pass.answered();
                }
                return Err(error);
            }
            if let Some((status, wait)) = error.asks_to_wait()
                && !pass.close(status, wait)
            {
                return Err(error);
            }
            // Too many requests says nothing about this address: the gate bounds how often that is heard.
            if error.status() == Some(429) && error.asks_to_wait().is_some() {
                continue;
            }
            if tries >= self.options.retries {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
            tries += 1;
        }
    }

    async fn try_once(
        &self,
        url: &Url,
        most: (usize, OversizePolicy),
        validator: Option<&CacheValidator>,
        cookies: Option<&str>,
    ) -> Result<Fetched, FetchError> {
        let total = self.options.total_timeout;
        let hop = async {
            let first = self.options.first_byte_timeout;
            let response =
                match tokio::time::timeout(first, self.request(url, validator, cookies).send())
                    .await
                {
                    Ok(response) => response.map_err(|error| FetchError::of_request(&error))?,
                    Err(_) => {
                        return Err(FetchError::Timeout {
                            stage: "the first byte",
                            limit: first,
                        });
                    }
                };
            let condition = if validator.is_some() {
                Condition::IfChanged
            } else {
                Condition::Always
            };
            Fetched::read(url, response, most, condition).await
        };
        match tokio::time::timeout(total, hop).await {
            Ok(result) => result,
            Err(_) => Err(FetchError::Timeout {
                stage: "the whole answer",
                limit: total,
            }),
        }
    }

    fn is_named(&self, url: &Url) -> bool {
        self.named
            .as_ref()
            .is_some_and(|named| named.origin == url.origin())
    }

    fn request(
        &self,
        url: &Url,
        validator: Option<&CacheValidator>,
        cookies: Option<&str>,
    ) -> reqwest::RequestBuilder {
        let named = self.named.as_ref().filter(|_| self.is_named(url));
        let mut request = named
            .map_or(&self.client, |named| &named.client)
            .get(url.clone())
            .header(header::ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8")
            .header(header::ACCEPT_ENCODING, "gzip, br");
        if let Some((name, value)) = validator {
            request = request.header(name, value);
        }
        if let Some(cookies) = cookies {
            request = request.header(header::COOKIE, cookies);
        }
        if is_below(&self.site, url) {
            request.headers(self.headers.clone())
        } else {
            request
        }
    }
}

/// The client for addresses that a guard allows.
fn client(options: &FetchOptions, guard: &Arc<AddressGuard>) -> Result<Client, FetchError> {
    let timeout = options.connect_timeout;
    let lookup = options.lookup.clone();
    let resolver = GuardedResolver {
        guard: Arc::clone(guard),
        timeout,
        lookup,
    };
    resolver
        .client(&options.user_agent)
        .map_err(|error| FetchError::Client(error.to_string()))
}

/// A header line by which an origin tells whether anything changed.
type CacheValidator = (HeaderName, HeaderValue);

fn own_headers(pairs: &[(String, String)]) -> Result<HeaderMap, FetchError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let (Ok(known), Ok(mut value)) = (name.parse::<HeaderName>(), value.parse::<HeaderValue>())
        else {
            return Err(FetchError::BadHeader(name.clone()));
        };
        value.set_sensitive(true);
        headers.append(known, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Answers every connection with the same bytes and counts them.
    async fn listen(answer: String) -> (SocketAddr, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = listener.local_addr().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        (socket, count)
    }

    #[tokio::test]
    async fn redirects_into_a_private_network_are_refused_d4() {
        let (canary, caught) =
            listen(String::from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")).await;
        for host in [
            "127.0.0.1",
            "localhost",
            "2130706433",
            "0x7f000001",
            "127.1",
            "[::ffff:127.0.0.1]",
            "[::1]",
            "0",
        ] {
            let target = format!("http://{host}:{}/", canary.port());
            let head =
                format!("HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n");
            let (public, asked) = listen(head).await;
            let start = Url::parse(&format!("http://{public}/")).unwrap();
            let fetcher =
                Fetcher::with_guard(FetchOptions::default(), &start, AddressGuard::Only(public))
                    .unwrap();
            let error = fetcher.fetch_following(&start).await.unwrap_err();
            assert_eq!(
                (error.code(), asked.load(Ordering::SeqCst)),
                ("blocked_host", 1),
                "{target}"
            );
        }
        assert_eq!(caught.load(Ordering::SeqCst), 0);
    }

    /// The name server answers first with a public address, then with a private one (DNS rebinding).
    #[tokio::test]
    async fn names_that_move_into_a_private_network_are_refused_d4() {
        let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = canary.local_addr().unwrap().port();
        let public = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let lookup = Lookup::By(Arc::new(move |_| {
            let first = counter.fetch_add(1, Ordering::SeqCst) == 0;
            let address = if first {
                [127, 0, 0, 2]
            } else {
                [127, 0, 0, 1]
            };
            Box::pin(std::future::ready(Ok(vec![address.into()])))
        }));
        let served = async {
            let (mut stream, _) = public.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let head = "HTTP/1.1 302 Found\r\nlocation: /next\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(head.as_bytes()).await.unwrap();
        };
        let start = Url::parse(&format!("http://rebinding.test:{port}/")).unwrap();
        let options = FetchOptions {
            lookup,
            ..FetchOptions::default()
        };
        let fetcher =
            Fetcher::with_guard(options, &start, AddressGuard::Beside([127, 0, 0, 2].into()))
                .unwrap();
        let (outcome, ()) = tokio::join!(fetcher.fetch_following(&start), served);
        assert_eq!(
            (outcome.unwrap_err().code(), asked.load(Ordering::SeqCst)),
            ("blocked_host", 2)
        );
        let visited = tokio::time::timeout(Duration::from_millis(50), canary.accept()).await;
        assert!(visited.is_err(), "the private address was connected to");
    }
}
