//! The sites that are known: those of the configuration file and those that callers added.
//!
//! Readers take the whole list as it is at a moment and never wait for a change. Changes wait for each other, and the state
//! has each before the list does. An address has one owner: sites of the file go first, then those that were added, in
//! their order. A site that was there before that rule, or before its address came into the file, stays and is displaced:
//! it can be looked at, changed and removed, and is not served.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pipeline::addresses::{AddressClaim, Owners};
use pipeline::config::{Config, SiteConfig, SiteSettings, UrlPattern};
use pipeline::model::{Locale, Moment, SiteId};
use pipeline::state::{State, StateError};
use pipeline::store::Published;

/// All sites at a moment.
pub(crate) type SiteList = BTreeMap<SiteId, KnownSite>;

/// A site.
#[derive(Clone, Debug)]
pub(crate) struct KnownSite {
    pub(crate) config: Arc<SiteConfig>,
    /// What a caller said; nothing for a site of the file.
    pub(crate) settings: Option<Arc<SiteSettings>>,
    /// When a caller added it.
    created: Moment,
    /// Why no site that is added today may have its address.
    refusal: Option<String>,
    /// Why it is not served, if its address is not its own.
    pub(crate) displaced: Option<String>,
}

/// The sites that are known.
#[derive(Debug)]
pub(crate) struct Sites {
    list: RwLock<Arc<SiteList>>,
    /// Who has which addresses, displaced sites left out.
    owners: RwLock<Arc<Owners>>,
    of_file: RwLock<Owners>,
    changing: Mutex<()>,
}

/// A sentence for each site that callers added and that cannot be used any more, or is not served.
///
/// # Errors
/// A [`StateError`] when the state cannot be read.
pub(crate) fn unserved(config: &Config, state: &State) -> Result<Vec<String>, StateError> {
    Sites::new(config).restore(state, config)
}

/// Why a site cannot be put.
#[derive(Debug)]
pub(crate) enum PutError {
    /// Another site is found at the same addresses.
    Taken,
    /// The state failed.
    State(StateError),
}

impl KnownSite {
    fn added(site: SiteConfig, settings: SiteSettings, created: Moment) -> Self {
        let settings = Some(Arc::new(settings));
        Self {
            config: Arc::new(site),
            settings,
            created,
            refusal: None,
            displaced: None,
        }
    }
}

impl Sites {
    /// The sites of the file.
    pub(crate) fn new(config: &Config) -> Self {
        let of_file = Owners::of_file(config);
        let owners = RwLock::new(Arc::new(of_file.clone()));
        let list = RwLock::new(Arc::new(sites_of(config)));
        Self {
            list,
            owners,
            of_file: RwLock::new(of_file),
            changing: Mutex::default(),
        }
    }

    /// The sites as they are now.
    pub(crate) fn list(&self) -> Arc<SiteList> {
        Arc::clone(&self.list.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A site as it is now.
    pub(crate) fn get(&self, site: &SiteId) -> Option<KnownSite> {
        self.list().get(site).cloned()
    }

    /// The sites that callers added.
    pub(crate) fn added(&self) -> Vec<SiteId> {
        let list = self.list();
        list.iter()
            .filter(|(_, known)| known.settings.is_some())
            .map(|(site, _)| site.clone())
            .collect()
    }

    /// Whether a site that was added is not served: its address, today's or that of its deployment, is not its own.
    pub(crate) fn is_withheld(&self, site: &SiteId, published: &Published) -> bool {
        let settings = published.settings();
        let pattern = settings
            .url
            .as_deref()
            .and_then(|text| UrlPattern::parse(text).ok());
        let labels = settings
            .aliases
            .values()
            .map(String::as_str)
            .chain(settings.locales.keys().map(Locale::as_str));
        let claim = pattern.map(|pattern| AddressClaim::of_pattern(&pattern, labels));
        let is_displaced = self
            .list()
            .get(site)
            .is_some_and(|known| known.displaced.is_some());
        is_displaced || claim.is_some_and(|claim| self.owners().other(site, &claim).is_some())
    }

    /// Takes the sites of the file and adds what the state has; gives a sentence for each site that cannot be used any
    /// more, or is not served.
    pub(crate) fn restore(
        &self,
        state: &State,
        config: &Config,
    ) -> Result<Vec<String>, StateError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut trouble = Vec::new();
        let mut known = Vec::new();
        for (id, record) in state.sites()? {
            match config.added_site(&id, &record.settings) {
                _ if config.site(&id).is_some() => {
                    trouble
                        .push(format!("{id} is in the configuration, which goes before what the API was told of it"));
                }
                Ok(site) => {
                    let refusal = config
                        .check_public_host(&site)
                        .err()
                        .map(|error| error.to_string());
                    known.push((
                        id,
                        KnownSite {
                            refusal,
                            ..KnownSite::added(site, record.settings, record.created)
                        },
                    ));
                }
                Err(error) => trouble.push(format!(
                    "{id} was added over the API and cannot be used: {error}"
                )),
            }
        }
        *self.of_file.write().unwrap_or_else(PoisonError::into_inner) = Owners::of_file(config);
        self.change(|list| *list = sites_of(config).into_iter().chain(known).collect());
        let list = self.list();
        let displaced = list
            .iter()
            .filter_map(|(id, known)| Some((id, known.displaced.as_ref()?)));
        trouble.extend(displaced.map(|(id, reason)| {
            format!("{id} was added over the API and is not served: {reason}; put it again with another one")
        }));
        Ok(trouble)
    }

    /// Adds a site or replaces one that was added; says whether it is new. Blocks until the state has it.
    pub(crate) fn put(
        &self,
        state: &State,
        site: SiteConfig,
        settings: SiteSettings,
        now: Moment,
    ) -> Result<bool, PutError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if AddressClaim::of_site(&site)
            .is_some_and(|claim| self.owners().other(&site.id, &claim).is_some())
        {
            return Err(PutError::Taken);
        }
        state
            .put_site(&site.id, &settings, now)
            .map_err(PutError::State)?;
        let created = self.get(&site.id).map_or(now, |known| known.created);
        let known = KnownSite::added(site, settings, created);
        Ok(self
            .change(|list| list.insert(known.config.id.clone(), known))
            .is_none())
    }

    /// Forgets a site that was added. Blocks until the state has forgotten it.
    pub(crate) fn remove(
        &self,
        state: &State,
        site: &SiteId,
        now: Moment,
    ) -> Result<(), StateError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        state.remove_site(site, now)?;
        self.change(|list| list.remove(site));
        state.forget_runs_of_others(&self.list().keys().map(SiteId::to_string).collect())
    }

    fn owners(&self) -> Arc<Owners> {
        Arc::clone(&self.owners.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<T>(&self, change: impl FnOnce(&mut SiteList) -> T) -> T {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        let sites = Arc::make_mut(&mut list);
        let changed = change(sites);
        let owners = self.give_addresses(sites);
        *self.owners.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(owners);
        changed
    }

    /// Gives each site that was added its addresses, the oldest first; who comes too late is displaced.
    fn give_addresses(&self, list: &mut SiteList) -> Owners {
        let mut owners = self
            .of_file
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut added: Vec<_> = list
            .iter_mut()
            .filter(|(_, known)| known.settings.is_some())
            .collect();
        added.sort_by_key(|(_, known)| known.created);
        for (id, known) in added {
            let claim = AddressClaim::of_site(&known.config);
            let owner = claim.as_ref().and_then(|claim| owners.other(id, claim));
            let taken = owner.map(|owner| format!("its `url` belongs to {owner}"));
            known.displaced = known.refusal.clone().or(taken);
            if let Some(claim) = claim.filter(|_| known.displaced.is_none()) {
                owners.add(id, claim);
            }
        }
        owners
    }
}

fn sites_of(config: &Config) -> SiteList {
    let known = |site: &SiteConfig| KnownSite {
        config: Arc::new(site.clone()),
        settings: None,
        created: Moment::default(),
        refusal: None,
        displaced: None,
    };
    config
        .sites
        .iter()
        .map(|site| (site.id.clone(), known(site)))
        .collect()
}
