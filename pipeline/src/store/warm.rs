//! What a process that builds a site again and again knows of the store between its builds, so that each need not ask for all of it
//! once more.
//!
//! Which deployment is the site is asked each time; of the newest one only what changed is read. Which objects there are is taken
//! from the last listing and what was written since, for a while: what somebody else takes away in that time is missed later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::inventory::Inventory;
use super::{Objects, Published, StoreError};
use crate::model::SiteId;

/// For so long a listing is relied on.
pub(super) const RELIABLE: Duration = Duration::from_secs(60);

/// What is known of a store; by default nothing is kept. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Warm(Option<Arc<Mutex<HashMap<SiteId, WarmCache>>>>);

#[derive(Debug, Default)]
struct WarmCache {
    published: Option<Published>,
    inventory: Option<(Arc<Inventory>, Instant)>,
    /// What was written since it was taken, by name, with the lengths.
    written: Vec<(String, u64)>,
}

impl Warm {
    /// Keeps what is found out from now on.
    pub fn on() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The deployment that was the site the last time.
    pub fn published(&self, site: &SiteId) -> Option<Published> {
        self.kept()?.get(site)?.published.clone()
    }

    /// Keeps the deployment that is the site.
    pub fn keep_published(&self, published: &Published) {
        if let Some(mut kept) = self.kept() {
            kept.entry(published.site().clone()).or_default().published = Some(published.clone());
        }
    }

    /// Lists the objects of a site, for the builds that follow.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed.
    pub async fn list(&self, objects: &Objects, site: &SiteId) -> Result<(), StoreError> {
        if self.is_on() {
            let inventory = Inventory::take(objects, site, true).await?;
            self.keep_inventory(site, &Arc::new(inventory));
        }
        Ok(())
    }

    /// Lists them again the next time.
    pub fn forget_objects(&self, site: &SiteId) {
        if let Some(mut kept) = self.kept() {
            kept.entry(site.clone()).or_default().inventory = None;
        }
    }

    /// The objects of a site, where they were listed lately.
    pub(super) fn inventory(&self, site: &SiteId) -> Option<Arc<Inventory>> {
        let mut kept = self.kept()?;
        let WarmCache {
            inventory, written, ..
        } = kept.get_mut(site)?;
        let (inventory, listed) = inventory.as_mut()?;
        // Whoever had it has ended by now, so it is not copied.
        let written = std::mem::take(written);
        Arc::make_mut(inventory).add(written.iter().map(|(name, size)| (&**name, *size)));
        (listed.elapsed() < RELIABLE).then(|| Arc::clone(inventory))
    }

    pub(super) fn keep_inventory(&self, site: &SiteId, inventory: &Arc<Inventory>) {
        if let Some(mut kept) = self.kept() {
            let kept = kept.entry(site.clone()).or_default();
            (kept.inventory, kept.written) =
                (Some((Arc::clone(inventory), Instant::now())), Vec::new());
        }
    }

    /// Adds objects that were written, by their names, with their lengths.
    pub(super) fn wrote(&self, site: &SiteId, written: impl IntoIterator<Item = (String, u64)>) {
        if let Some(mut kept) = self.kept() {
            kept.entry(site.clone())
                .or_default()
                .written
                .extend(written);
        }
    }

    /// Never held across an await.
    fn kept(&self) -> Option<MutexGuard<'_, HashMap<SiteId, WarmCache>>> {
        self.0
            .as_ref()
            .map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
