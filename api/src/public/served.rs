//! What is served now: the newest deployments of the sites, and how they are replaced by newer ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use pipeline::model::{Locale, SiteId};
use pipeline::store::{Objects, StoreError, Switches};

use super::reload::Reload;
use super::sites::Sites;
use super::snapshot::Snapshot;

/// What is served now.
#[derive(Debug)]
pub(crate) struct Served {
    /// The store, read for those who do not wait long.
    pub(crate) objects: Objects,
    /// The sites of the file.
    sites: RwLock<Vec<SiteId>>,
    /// Where the sites are that callers of the API added, if there is an API.
    added: OnceLock<Arc<Sites>>,
    snapshot: RwLock<Arc<Snapshot>>,
    refreshing: tokio::sync::Mutex<()>,
    /// Locales that were switched off; a deployment that still has them is served without them.
    off: RwLock<BTreeMap<SiteId, BTreeSet<Locale>>>,
    /// Tells pages of newer deployments, where somebody works on them.
    reload: OnceLock<Reload>,
}

impl Served {
    /// These sites of a store, of which nothing is loaded yet.
    pub(crate) fn new(objects: &Objects, sites: Vec<SiteId>) -> Self {
        Self {
            objects: objects.for_readers(),
            snapshot: RwLock::new(Arc::new(Snapshot::empty(&sites))),
            sites: RwLock::new(sites),
            added: OnceLock::new(),
            refreshing: tokio::sync::Mutex::default(),
            off: RwLock::default(),
            reload: OnceLock::new(),
        }
    }

    /// Serves the sites that callers of the API added, too.
    pub(crate) fn add(&self, sites: &Arc<Sites>) {
        self.added.get_or_init(|| Arc::clone(sites));
    }

    /// Tells pages of newer deployments from now on.
    pub(crate) fn tell_pages(&self) {
        self.reload.get_or_init(Reload::default);
    }

    /// What tells pages of newer deployments, where somebody works on them.
    pub(crate) fn reload(&self) -> Option<&Reload> {
        self.reload.get()
    }

    /// Serves these sites of the file from now on; their deployments are loaded.
    ///
    /// # Errors
    /// A [`StoreError`] when a deployment cannot be read.
    pub(crate) async fn serve_sites(&self, sites: Vec<SiteId>) -> Result<(), StoreError> {
        *self.sites.write().unwrap_or_else(PoisonError::into_inner) = sites;
        self.load().await
    }

    /// Loads the newest deployment of every site.
    ///
    /// # Errors
    /// A [`StoreError`] when a deployment cannot be read; a store that is away is said at once.
    pub(crate) async fn load(&self) -> Result<(), StoreError> {
        self.load_from(&self.objects).await
    }

    /// The same, with the patience that this store was opened with.
    ///
    /// # Errors
    /// A [`StoreError`] when a deployment cannot be read.
    pub(crate) async fn load_from(&self, objects: &Objects) -> Result<(), StoreError> {
        let _one_at_a_time = self.refreshing.lock().await;
        let snapshot = self.snapshot().reload(objects, &self.sites()).await?;
        self.replace(snapshot);
        Ok(())
    }

    /// Serves the sites that are known now and no others, with the deployments that are loaded.
    pub(crate) async fn follow_sites(&self) {
        let _one_at_a_time = self.refreshing.lock().await;
        self.replace(self.snapshot().with_sites(&self.sites()));
    }

    /// The sites that are served, those of the file first, and whether each was added by a caller of the API.
    fn sites(&self) -> Vec<(SiteId, bool)> {
        let added = self
            .added
            .get()
            .map(|sites| sites.added())
            .unwrap_or_default();
        let own = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        let own = own.iter().map(|site| (site.clone(), false));
        own.chain(added.into_iter().map(|site| (site, true)))
            .collect()
    }

    /// Loads what became newer since, with two small requests a site where nothing did.
    pub(crate) async fn poll(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.refreshing.lock().await;
        let sites = self.sites();
        if !self.snapshot().is_of(&sites) {
            self.replace(self.snapshot().with_sites(&sites));
        }
        if let Some(snapshot) = self.snapshot().newer(&self.objects).await? {
            self.replace(snapshot);
        }
        Ok(())
    }

    /// Serves a locale of a site no more, whatever the deployment says; or as the deployment says.
    ///
    /// # Errors
    /// A [`StoreError`] when the deployment cannot be read again.
    pub(crate) async fn switch(
        &self,
        site: &SiteId,
        locale: &Locale,
        on: bool,
    ) -> Result<(), StoreError> {
        let changed = {
            let mut off = self.off.write().unwrap_or_else(PoisonError::into_inner);
            let locales = off.entry(site.clone()).or_default();
            if on {
                locales.remove(locale)
            } else {
                locales.insert(locale.clone())
            }
        };
        match (changed, on) {
            (true, true) => self.load().await?,
            (true, false) => self.replace(Snapshot::clone(&self.snapshot())),
            (false, _) => {}
        }
        Ok(())
    }

    /// Serves a site under these switches, which the store has already.
    pub(crate) async fn show_switches(&self, site: &SiteId, switches: &Switches) {
        // Whoever is loading now may have read older ones.
        let _one_at_a_time = self.refreshing.lock().await;
        self.replace(self.snapshot().under(site, switches));
    }

    /// What is served at this moment.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, mut snapshot: Snapshot) {
        if let Some(sites) = self.added.get() {
            snapshot.withhold(|site, published| sites.is_withheld(site, published));
        }
        snapshot.switch_off(&self.off.read().unwrap_or_else(PoisonError::into_inner));
        let snapshot = Arc::new(snapshot);
        *self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::clone(&snapshot);
        if let Some(reload) = self.reload() {
            reload.tell(&snapshot);
        }
    }
}
