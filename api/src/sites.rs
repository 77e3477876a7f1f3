//! The sites that are known: those of the configuration file, which never change while the process runs, and those that
//! callers added.
//!
//! Readers take the whole list as it is at a moment and never wait for a change. Changes wait for each other, and the state
//! has each before the list does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pipeline::config::{Config, SiteConfig, SiteSettings};
use pipeline::model::SiteId;
use pipeline::store::{State, StoreError};

/// All sites at a moment.
pub(crate) type List = BTreeMap<SiteId, Known>;

/// A site.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) config: Arc<SiteConfig>,
    /// What a caller said; nothing for a site of the file.
    pub(crate) settings: Option<Arc<SiteSettings>>,
}

/// The sites that are known.
#[derive(Debug)]
pub(crate) struct Sites {
    list: RwLock<Arc<List>>,
    changing: Mutex<()>,
}

/// Why a site cannot be put.
#[derive(Debug)]
pub(crate) enum PutError {
    /// Another site is found at the same addresses.
    Taken,
    /// The state failed.
    Store(StoreError),
}

impl Sites {
    /// The sites of the file.
    pub(crate) fn new(config: &Config) -> Self {
        let known = |site: &SiteConfig| Known { config: Arc::new(site.clone()), settings: None };
        let list = config.sites.iter().map(|site| (site.id.clone(), known(site))).collect();
        Self { list: RwLock::new(Arc::new(list)), changing: Mutex::default() }
    }

    /// The sites as they are now.
    pub(crate) fn list(&self) -> Arc<List> {
        Arc::clone(&self.list.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A site as it is now.
    pub(crate) fn get(&self, site: &SiteId) -> Option<Known> {
        self.list().get(site).cloned()
    }

    /// The sites that callers added.
    pub(crate) fn added(&self) -> Vec<SiteId> {
        let list = self.list();
        list.iter().filter(|(_, known)| known.settings.is_some()).map(|(site, _)| site.clone()).collect()
    }

    /// Adds what the state has; gives a sentence for each site that cannot be used any more.
    pub(crate) fn restore(&self, state: &State, config: &Config) -> Result<Vec<String>, StoreError> {
        let mut trouble = Vec::new();
        for (id, record) in state.sites()? {
            match config.added_site(&id, &record.settings) {
                _ if config.site(&id).is_some() => {
                    trouble
                        .push(format!("{id} is in the configuration, which goes before what the API was told of it"));
                }
                Ok(site) => {
                    self.insert(site, record.settings);
                }
                Err(error) => trouble.push(format!("{id} was added over the API and cannot be used: {error}")),
            }
        }
        Ok(trouble)
    }

    /// Adds a site or replaces one that was added; says whether it is new. Blocks until the state has it.
    pub(crate) fn put(
        &self,
        state: &State,
        site: SiteConfig,
        settings: SiteSettings,
        now: u64,
    ) -> Result<bool, PutError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let shares = |other: &&Known| other.config.id != site.id && site.url.is_some() && other.config.url == site.url;
        if self.list().values().any(|other| shares(&other)) {
            return Err(PutError::Taken);
        }
        state.put_site(&site.id, &settings, now).map_err(PutError::Store)?;
        Ok(self.insert(site, settings))
    }

    /// Forgets a site that was added. Blocks until the state has forgotten it.
    pub(crate) fn remove(&self, state: &State, site: &SiteId, now: u64) -> Result<(), StoreError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        state.remove_site(site, now)?;
        self.change(|list| list.remove(site));
        Ok(())
    }

    fn insert(&self, site: SiteConfig, settings: SiteSettings) -> bool {
        let known = Known { config: Arc::new(site), settings: Some(Arc::new(settings)) };
        self.change(|list| list.insert(known.config.id.clone(), known)).is_none()
    }

    fn change<T>(&self, change: impl FnOnce(&mut List) -> T) -> T {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut list))
    }
}
