//! Tells whoever sends that something is to be sent.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// What rings when a transaction is durable in which something was written down that is to be sent.
#[derive(Debug, Default)]
pub(in crate::store) struct Outbox {
    has_news: AtomicBool,
    bell: Notify,
}

impl Outbox {
    /// Something is to be sent once the transaction is durable.
    pub(super) fn note(&self) {
        self.has_news.store(true, Ordering::Relaxed);
    }

    /// A transaction is durable; writers wait for each other, so what was noted is of this one or of one that failed.
    pub(in crate::store) fn committed(&self) {
        if self.has_news.swap(false, Ordering::Relaxed) {
            self.bell.notify_one();
        }
    }

    pub(super) async fn news(&self) {
        self.bell.notified().await;
    }
}
