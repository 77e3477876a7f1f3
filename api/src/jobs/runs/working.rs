//! Runs that work now, as those see them who follow them or stop them.

use std::sync::atomic::{AtomicBool, Ordering};

use pipeline::state::RunRecord;
use tokio::sync::{Notify, watch};

/// A run that works now, or that somebody follows.
#[derive(Debug)]
pub(super) struct Working {
    /// As far as it is, once that is known.
    pub(super) run: watch::Sender<Option<RunRecord>>,
    pub(super) stop: Notify,
    /// Whether it was stopped because nobody wants it any more.
    pub(super) cancelled: AtomicBool,
}

impl Working {
    pub(super) fn new() -> Self {
        Self {
            run: watch::Sender::default(),
            stop: Notify::new(),
            cancelled: AtomicBool::new(false),
        }
    }

    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.stop.notify_one();
    }

    pub(super) fn show(&self, run: &RunRecord) {
        self.run.send_replace(Some(run.clone()));
    }
}
