//! Wakes background senders after a commit.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Signal that a transaction with news for a sender is durable.
#[derive(Debug, Default)]
pub(super) struct CommitSignal {
    has_news: AtomicBool,
    committed: Notify,
}

impl CommitSignal {
    /// Marks the open transaction as one with news.
    pub(super) fn note(&self) {
        self.has_news.store(true, Ordering::Relaxed);
    }

    /// Wakes the sender after a commit with news. Writes are serialized, so the mark belongs to this transaction or to a failed
    /// one.
    pub(super) fn committed(&self) {
        if self.has_news.swap(false, Ordering::Relaxed) {
            self.committed.notify_one();
        }
    }

    /// Waits for the next commit with news.
    pub(super) async fn wait(&self) {
        self.committed.notified().await;
    }
}

/// Outbox of webhooks.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) signal: CommitSignal,
}

/// Settings of mail while the state is open.
#[derive(Debug, Default)]
pub(super) struct Mailing {
    is_on: AtomicBool,
    confirms: AtomicBool,
    pub(super) signal: CommitSignal,
}

impl Mailing {
    pub(super) fn set(&self, is_on: bool, confirms: bool) {
        self.confirms.store(confirms, Ordering::Relaxed);
        self.is_on.store(is_on, Ordering::Relaxed);
    }

    pub(super) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    pub(super) fn confirms(&self) -> bool {
        self.confirms.load(Ordering::Relaxed)
    }
}
