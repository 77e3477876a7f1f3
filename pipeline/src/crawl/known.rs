//! What is known of the site's last crawl, so that servers are asked whether anything changed instead of for everything.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::model::{AnswerHead, KnownAnswer, PagePath};
use crate::net::Fetched;

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
        let (before, now) = (self.heads.get(start), now.filter(|now| now.location.is_none()).map(Fetched::head));
        let now = now.map(|now| AnswerHead { policies: (self.policies)(&now.policies), ..now });
        match before.zip(now) {
            Some((before, now)) if before.head.differs_beside_bytes(&now) => Self::default(),
            Some(_) | None => self.clone(),
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
        formatter.debug_struct("KnownAnswers").field("heads", &self.heads.len()).finish_non_exhaustive()
    }
}
