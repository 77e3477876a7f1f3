//! What is known of the site's last crawl, so that servers are asked whether anything changed instead of for everything.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use url::Url;

use crate::model::{AnswerHead, KnownAnswer, PagePath};
use crate::net::{FetchError, Fetched, Fetcher};

/// Gives the bytes of a hash; nothing where they are not there any more.
pub type KnownBytes = Arc<dyn Fn(String) -> BoxFuture<'static, Option<Bytes>> + Send + Sync>;

/// Answers of the last crawl.
#[derive(Clone)]
pub struct KnownAnswers {
    /// What was said of each path.
    pub heads: Arc<BTreeMap<PagePath, KnownAnswer>>,
    /// Where their bytes are.
    pub bytes: KnownBytes,
    /// What is kept of policies.
    pub policies: fn(&[String]) -> Vec<String>,
}

impl KnownAnswers {
    /// The same, or nothing where the server says other things of the start page beside its bytes than it did: it was configured
    /// anew, and what it says of other pages need not come with "nothing changed".
    pub(super) fn among(&self, start: &PagePath, now: Option<&Fetched>) -> Self {
        let before = self.heads.get(start);
        let now = now.filter(|now| now.location.is_none()).map(Fetched::head);
        let now = now.map(|now| AnswerHead {
            policies: (self.policies)(&now.policies),
            ..now
        });
        match before.zip(now) {
            Some((before, now)) if before.head.differs_beside_bytes(&now) => Self::default(),
            Some(_) | None => self.clone(),
        }
    }

    /// Fetches an address; what did not change since it was asked last comes from the store.
    pub(super) async fn fetch(
        &self,
        fetcher: &Fetcher,
        path: &PagePath,
        url: &Url,
    ) -> Result<Fetched, FetchError> {
        let known = self
            .heads
            .get(path)
            .filter(|known| known.head.url == url.as_str() && !known.head.silent);
        let Some(known) = known else {
            return fetcher.fetch(url).await;
        };
        let fetched = match fetcher.fetch_if_changed(url, &known.head).await {
            // Some servers do not take such questions.
            Err(error) if matches!(error.status(), Some(400 | 412)) => {
                return fetcher.fetch(url).await;
            }
            fetched => fetched?,
        };
        if !fetched.is_unchanged {
            return Ok(fetched);
        }
        let body = (self.bytes)(known.hash.clone()).await;
        match body.and_then(|body| fetched.as_known(known, body)) {
            Some(known) => Ok(known),
            None => fetcher.fetch(url).await,
        }
    }
}

impl Default for KnownAnswers {
    fn default() -> Self {
        Self {
            heads: Arc::default(),
            bytes: Arc::new(|_| Box::pin(std::future::ready(None))),
            policies: <[String]>::to_vec,
        }
    }
}

impl fmt::Debug for KnownAnswers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KnownAnswers")
            .field("heads", &self.heads.len())
            .finish_non_exhaustive()
    }
}
