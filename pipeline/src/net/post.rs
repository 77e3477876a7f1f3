//! Sending a body to an address that somebody else named: one request, with every guard on it, and no redirect followed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use url::Url;

use super::address::{AddressGuard, GuardedResolver, Lookup};
use super::answer::refuse_coded;
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
    guard: Arc<AddressGuard>,
    timeout: Duration,
    most: usize,
}

impl Poster {
    /// Makes one.
    pub(crate) fn new(options: PostOptions) -> Result<Self, FetchError> {
        let guard = Arc::new(if options.allow_private {
            AddressGuard::Anywhere
        } else {
            AddressGuard::Public
        });
        let timeout = options.connect_timeout;
        let lookup = options.lookup;
        let resolver = GuardedResolver {
            guard: Arc::clone(&guard),
            timeout,
            lookup,
        };
        let client = resolver.client(concat!("Latimer/", env!("CARGO_PKG_VERSION")));
        let client = client.map_err(|error| FetchError::Client(error.to_string()))?;
        Ok(Self {
            client,
            guard,
            timeout: options.timeout,
            most: options.most,
        })
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

    async fn send(
        &self,
        url: &Url,
        headers: &[(&'static str, String)],
        body: String,
    ) -> Result<Posted, FetchError> {
        self.check(url)?;
        let mut request = self.client.post(url.clone()).body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let limit = self.timeout;
        let response = tokio::time::timeout(limit, request.send()).await;
        let response = response.map_err(|_| FetchError::Timeout {
            stage: "the answer",
            limit,
        })?;
        let response = response.map_err(|error| FetchError::of_request(&error))?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        // The status says whether it arrived; what is said beside it may be cut off, or never come.
        let mut body = Vec::new();
        let _ = tokio::time::timeout(BODY, beginning(response, self.most, &mut body)).await;
        Ok(Posted {
            status,
            retry_after,
            body,
        })
    }
}

/// Reads the first bytes of an answer, as far as they come.
async fn beginning(mut response: Response, most: usize, found: &mut Vec<u8>) {
    if let Err(error) = refuse_coded(response.headers()) {
        found.extend(
            format!("(the answer {error})")
                .into_bytes()
                .into_iter()
                .take(most),
        );
        return;
    }
    while found.len() < most {
        let Ok(Some(chunk)) = response.chunk().await else {
            return;
        };
        found.extend_from_slice(chunk.get(..most - found.len()).unwrap_or(&chunk));
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn answer_in_a_coding_that_was_not_asked_for_is_not_read() {
        for coding in ["zstd", "gzip", "br", "deflate"] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
            let served = async {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).await.unwrap();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: 4\r\n\r\nbody"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                String::from_utf8_lossy(&request[..length]).to_ascii_lowercase()
            };
            let connect_timeout = Duration::from_secs(10);
            let timeout = Duration::from_secs(10);
            let options = PostOptions {
                allow_private: true,
                lookup: Lookup::System,
                connect_timeout,
                timeout,
                most: 200,
            };
            let poster = Poster::new(options).unwrap();
            let ((posted, _), request) =
                tokio::join!(poster.post(&url, &[], "{}".to_owned()), served);
            let posted = posted.unwrap();
            assert!(!request.contains("accept-encoding"), "{request}");
            let expected = format!(
                "(the answer is sent with the content coding {coding:?}, which was not requested)"
            );
            assert_eq!(
                (posted.status, String::from_utf8(posted.body).unwrap()),
                (200, expected)
            );
        }
    }
}
