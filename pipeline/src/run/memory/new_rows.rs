//! What engines translate, on its way from the state to the object store.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::state::Unwritten;

/// Rows that are written together while engines go on.
pub(in crate::run) const WRITTEN_TOGETHER: usize = 512;

/// Rows that the state has kept and the object store lacks, as they come.
#[derive(Debug)]
pub(in crate::run) struct NewRows {
    waiting: Mutex<PendingRows>,
    /// Pause before rows are written again after the object store failed.
    retry: Duration,
    /// Told when there are enough of them, or no more come.
    due: Notify,
    /// Told when there is room again.
    taken: Notify,
}

#[derive(Debug)]
struct PendingRows {
    /// Nothing while the object store fails, and once no more come: the state has all of them.
    rows: Option<Vec<Unwritten>>,
    is_closed: bool,
}

impl NewRows {
    /// No rows yet.
    pub(in crate::run) fn new(retry: Duration) -> Self {
        let waiting = PendingRows {
            rows: Some(Vec::new()),
            is_closed: false,
        };
        Self {
            waiting: Mutex::new(waiting),
            retry,
            due: Notify::new(),
            taken: Notify::new(),
        }
    }

    /// Adds rows that the state has kept.
    pub(in crate::run) fn put(&self, new: Vec<Unwritten>) {
        if let Some(rows) = &mut self.waiting().rows {
            rows.extend(new);
        }
        if self.are_enough() {
            self.due.notify_one();
        }
    }

    /// Waits until there are enough, and takes them; nothing once no more come.
    pub(in crate::run) async fn take(&self) -> Option<Vec<Unwritten>> {
        loop {
            {
                let mut waiting = self.waiting();
                if waiting.is_closed {
                    return None;
                }
                if let Some(rows) = waiting
                    .rows
                    .as_mut()
                    .filter(|rows| rows.len() >= WRITTEN_TOGETHER)
                {
                    self.taken.notify_one();
                    return Some(mem::take(rows));
                }
            }
            self.due.notified().await;
        }
    }

    /// Waits until there is room for more: engines may be faster than the object store, and what waits for it is in memory.
    pub(in crate::run) async fn has_room(&self) {
        while self.are_enough() {
            self.taken.notified().await;
        }
    }

    /// Keeps no more rows, so that nobody waits for a store that fails.
    pub(in crate::run) fn pause(&self) {
        self.waiting().rows = None;
        self.taken.notify_one();
    }

    /// Keeps rows again.
    pub(in crate::run) fn go_on(&self) {
        self.waiting().rows.get_or_insert_default();
    }

    /// No more come, and what is here is left to the end.
    pub(in crate::run) fn close(&self) {
        *self.waiting() = PendingRows {
            rows: None,
            is_closed: true,
        };
        self.due.notify_one();
        self.taken.notify_one();
    }

    /// Waits before the next try; returns `true` if more rows may come.
    pub(in crate::run) async fn rest(&self) -> bool {
        let closed = async {
            while !self.waiting().is_closed {
                self.due.notified().await;
            }
        };
        tokio::time::timeout(self.retry, closed).await.is_err()
    }

    fn are_enough(&self) -> bool {
        self.waiting()
            .rows
            .as_ref()
            .is_some_and(|rows| rows.len() >= WRITTEN_TOGETHER)
    }

    fn waiting(&self) -> MutexGuard<'_, PendingRows> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
