//! Runs as callers of the API see them: their newest state, their changes, and how they are cancelled.

use std::sync::Arc;
use std::time::Duration;

use pipeline::model::{RunId, SiteId};
use pipeline::run::{BuildError, now};
use pipeline::state::{Cancelled, RunRecord, RunStatus};
use tokio::sync::watch;

use super::Jobs;

/// Longest wait of a caller for the end of the run that it cancels.
const STOPPING: Duration = Duration::from_secs(5);

impl Jobs {
    /// The run as far as it is now; a recorded end is the last word.
    pub(crate) fn newest(&self, site: &SiteId, recorded: RunRecord) -> RunRecord {
        if recorded.is_over() {
            return recorded;
        }
        let working = self
            .working()
            .get(&(site.clone(), recorded.id))
            .map(Arc::clone);
        working
            .and_then(|working| working.run.borrow().clone())
            .unwrap_or(recorded)
    }

    /// The changes of a run; those of one that is over are none.
    pub(crate) async fn follow(
        &self,
        site: &SiteId,
        id: RunId,
    ) -> Result<Option<watch::Receiver<Option<RunRecord>>>, BuildError> {
        // Here before the state is read, so that no change is missed.
        let working = self.place_of(site, id);
        let of = site.clone();
        match self.state(move |state| state.run(&of, id)).await? {
            Some(run) if !run.is_over() => {
                working.run.send_if_modified(|known| {
                    let is_news = known.is_none();
                    known.get_or_insert(run);
                    is_news
                });
                Ok(Some(working.run.subscribe()))
            }
            known => {
                self.forget(site, id);
                Ok(known.map(|run| watch::channel(Some(run)).1))
            }
        }
    }

    /// Stops a run and gives it as it ended; `Err` inside says that it was over, or is none.
    pub(crate) async fn cancel(
        &self,
        site: &SiteId,
        id: RunId,
    ) -> Result<Result<RunRecord, Cancelled>, BuildError> {
        let working = self.place_of(site, id);
        let of = site.clone();
        match self
            .state(move |state| state.cancel_run(&of, id, now()))
            .await?
        {
            Cancelled::Now(run) => {
                working.show(&run);
                self.forget(site, id);
                Ok(Ok(*run))
            }
            Cancelled::Working => {
                working.cancel();
                let mut changes = working.run.subscribe();
                let over = changes.wait_for(|run| run.as_ref().is_some_and(RunRecord::is_over));
                let _ = tokio::time::timeout(STOPPING, over).await;
                let run = working.run.borrow().clone().ok_or(Cancelled::Unknown);
                // It may have ended by itself at the same moment.
                Ok(run.and_then(|run| match run.status {
                    RunStatus::Completed | RunStatus::Failed => Err(Cancelled::Over),
                    RunStatus::Queued | RunStatus::InProgress | RunStatus::Cancelled => Ok(run),
                }))
            }
            other => {
                self.forget(site, id);
                Ok(Err(other))
            }
        }
    }
}
