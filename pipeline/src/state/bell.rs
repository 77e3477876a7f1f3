//! Tells whoever waits for it that something was written down.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// What rings when a transaction is durable in which something was written down that somebody waits for.
#[derive(Debug, Default)]
pub(super) struct Bell {
    has_news: AtomicBool,
    rung: Notify,
}

impl Bell {
    /// It rings once the transaction is durable.
    pub(super) fn note(&self) {
        self.has_news.store(true, Ordering::Relaxed);
    }

    /// A transaction is durable; writers wait for each other, so what was noted is of this one or of one that failed.
    pub(super) fn committed(&self) {
        if self.has_news.swap(false, Ordering::Relaxed) {
            self.rung.notify_one();
        }
    }

    pub(super) async fn news(&self) {
        self.rung.notified().await;
    }
}

/// What endpoints are told rings here.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) bell: Bell,
}

/// How mail is kept account of while the state is open.
#[derive(Debug, Default)]
pub(super) struct Mailing {
    is_on: AtomicBool,
    confirms: AtomicBool,
    pub(super) bell: Bell,
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
