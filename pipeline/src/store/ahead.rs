//! Objects that are listed while a build still does something else: of a large site that takes as long as most of what a small change
//! costs.

use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinHandle;

use super::inventory::Inventory;
use super::warm::RELIABLE;
use super::{Lock, Objects, StoreError, Warm};
use crate::model::SiteId;

/// A list of a site's objects that is being made.
#[derive(Debug)]
pub struct Ahead {
    list: JoinHandle<Result<Inventory, StoreError>>,
    begun: Instant,
}

impl Ahead {
    /// Begins to list the objects of a site, where nobody takes any away for as long as the lock is held, and where they are not known
    /// already. To be called within tokio.
    pub fn begin(objects: &Objects, site: &SiteId, lock: &Lock, warm: &Warm) -> Option<Self> {
        let objects = objects.clone();
        let site = site.clone();
        let is_wanted = objects.is_folder() && lock.holds() && !warm.is_on();
        let list = async move { Inventory::take(&objects, &site, false).await };
        is_wanted.then(|| Self {
            list: tokio::spawn(list),
            begun: Instant::now(),
        })
    }

    /// Waits until the list is made.
    #[cfg(test)]
    pub(super) async fn wait(&self) {
        while !self.list.is_finished() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }

    /// The list, where it could be made and is no older than what is relied on.
    pub(super) async fn listed(self) -> Option<Arc<Inventory>> {
        let list = self.list.await.ok()?.ok()?;
        (self.begun.elapsed() < RELIABLE).then(|| Arc::new(list))
    }
}
