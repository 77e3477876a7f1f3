//! How many runs wait and work: what is read of them for that is their status and nothing else.

use serde::Deserialize;

use super::backend::ReadableTable;
use super::rows::parsed;
use super::tables::RUNS;
use super::{RunStatus, State, StateError};

/// How much is not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// What waits.
    pub waiting: u64,
    /// What is worked on.
    pub working: u64,
}

/// The one part of a [`super::RunRecord`] that counts here.
#[derive(Deserialize)]
struct QueuedStatus {
    status: RunStatus,
}

impl State {
    /// How many runs of all sites wait and work.
    pub fn queue(&self) -> Result<Queue, StateError> {
        self.read("read runs from", |transaction| {
            let mut queue = Queue::default();
            for row in transaction.open_table(RUNS)?.iter()? {
                let (key, value) = row?;
                let row = || format!("run {} {}", key.value().0, key.value().1);
                match parsed::<QueuedStatus>(value.value(), row)?.status {
                    RunStatus::Queued => queue.waiting += 1,
                    RunStatus::InProgress => queue.working += 1,
                    RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {}
                }
            }
            Ok(queue)
        })
    }
}
