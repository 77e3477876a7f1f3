//! What is known of the site's last crawl, so that servers are asked whether anything changed instead of for everything.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::model::{KnownAnswer, PagePath};

/// Gives the bytes of a hash; nothing where they are not there any more.
pub type KnownBytes = Arc<dyn Fn(String) -> BoxFuture<'static, Option<Bytes>> + Send + Sync>;

/// Answers of the last crawl.
#[derive(Clone)]
pub struct KnownAnswers {
    /// What was said of each path.
    pub heads: Arc<BTreeMap<PagePath, KnownAnswer>>,
    /// Where their bytes are.
    pub bytes: KnownBytes,
}

impl Default for KnownAnswers {
    fn default() -> Self {
        Self { heads: Arc::default(), bytes: Arc::new(|_| Box::pin(std::future::ready(None))) }
    }
}

impl fmt::Debug for KnownAnswers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KnownAnswers").field("heads", &self.heads.len()).finish_non_exhaustive()
    }
}
