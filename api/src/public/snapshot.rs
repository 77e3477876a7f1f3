//! What is served at one moment: each site's newest deployment. It never changes; a newer one replaces it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pipeline::model::{Locale, SiteId};
use pipeline::store::{Objects, Published, ServingSwitch, StoreError, Switches, latest};

/// The deployments served at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    sites: Vec<ServedSite>,
    loaded: bool,
}

/// A configured site, with its deployment if it has one.
#[derive(Clone, Debug)]
pub(crate) struct ServedSite {
    pub(crate) id: SiteId,
    /// Whether a caller of the API added it; such a site never takes addresses from those of the file.
    pub(crate) is_added: bool,
    /// Whether its addresses are another's, so that only its name on a loopback host leads to it.
    pub(crate) is_withheld: bool,
    pub(crate) published: Option<Arc<Published>>,
}

impl Snapshot {
    pub(crate) fn empty(sites: &[SiteId]) -> Self {
        let site = |id: &SiteId| ServedSite {
            id: id.clone(),
            is_added: false,
            is_withheld: false,
            published: None,
        };
        Self {
            sites: sites.iter().map(site).collect(),
            loaded: false,
        }
    }

    /// The same deployments for other sites; a site that was not here before has none yet.
    pub(crate) fn with_sites(&self, sites: &[(SiteId, bool)]) -> Self {
        let site = |(id, is_added): &(SiteId, bool)| ServedSite {
            id: id.clone(),
            is_added: *is_added,
            is_withheld: false,
            published: self.published(id).cloned(),
        };
        Self {
            sites: sites.iter().map(site).collect(),
            loaded: self.loaded,
        }
    }

    /// Whether these are its sites.
    pub(crate) fn is_of(&self, sites: &[(SiteId, bool)]) -> bool {
        self.sites
            .iter()
            .map(|site| &site.id)
            .eq(sites.iter().map(|(id, _)| id))
    }

    /// Whether a site is found without its name in the address.
    pub(crate) fn needs_no_name(&self, site: &SiteId) -> bool {
        only(&self.sites).is_some_and(|only| only.id == *site)
    }

    /// The deployment of a site that is served, if there is one.
    pub fn published(&self, site: &SiteId) -> Option<&Arc<Published>> {
        self.sites
            .iter()
            .find(|known| known.id == *site)?
            .published
            .as_ref()
    }

    /// Every deployment that is served.
    pub(crate) fn published_sites(&self) -> impl Iterator<Item = &Arc<Published>> {
        self.sites.iter().filter_map(|site| site.published.as_ref())
    }

    /// Whether the store was read since the server started.
    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    pub(crate) fn sites(&self) -> &[ServedSite] {
        &self.sites
    }

    /// Serves added sites at their public addresses no more, where those are another's.
    pub(crate) fn withhold(&mut self, is_withheld: impl Fn(&SiteId, &Published) -> bool) {
        for site in self.sites.iter_mut().filter(|site| site.is_added) {
            let published = site.published.as_deref();
            site.is_withheld = published.is_some_and(|published| is_withheld(&site.id, published));
        }
    }

    /// Leaves out locales that were switched off after their deployment was made.
    pub(crate) fn switch_off(&mut self, off: &BTreeMap<SiteId, BTreeSet<Locale>>) {
        for site in &mut self.sites {
            let (Some(locales), Some(published)) = (off.get(&site.id), &site.published) else {
                continue;
            };
            // What the store says of a switch wins over what this server remembers.
            let is_off = |locale: &&Locale| {
                published.settings().is_on(locale)
                    && published.switches().get(locale) != Some(ServingSwitch::On)
            };
            let locales: BTreeSet<Locale> = locales.iter().filter(is_off).cloned().collect();
            if !locales.is_empty() {
                site.published = Some(Arc::new(published.without(&locales)));
            }
        }
    }

    /// The same deployments, one site's under other switches.
    pub(crate) fn under(&self, site: &SiteId, switches: &Switches) -> Self {
        let mut snapshot = self.clone();
        for known in snapshot.sites.iter_mut().filter(|known| known.id == *site) {
            known.published = known
                .published
                .as_ref()
                .map(|published| Arc::new(published.under(switches.clone())));
        }
        snapshot
    }

    /// The newest deployments; what did not change is taken from this snapshot.
    pub(crate) async fn reload(
        &self,
        objects: &Objects,
        sites: &[(SiteId, bool)],
    ) -> Result<Self, StoreError> {
        let mut loaded = Vec::with_capacity(sites.len());
        for (id, is_added) in sites {
            let known = self.published(id);
            let published = Published::newest(objects, id, known.map(Arc::as_ref)).await?;
            let published = published.map(to_serve);
            loaded.push(ServedSite {
                id: id.clone(),
                is_added: *is_added,
                is_withheld: false,
                published,
            });
        }
        Ok(Self {
            sites: loaded,
            loaded: true,
        })
    }

    /// A snapshot with the deployments that are newer than this one's, if there are any.
    pub(crate) async fn newer(&self, objects: &Objects) -> Result<Option<Self>, StoreError> {
        let mut newer = None;
        for (at, site) in self.sites.iter().enumerate() {
            let known = site.published.as_deref();
            let number = known.map(Published::deployment);
            if latest(objects, &site.id, number).await? == number {
                if let Some(known) = known
                    && let Some(switches) = known.switches().newer(objects, &site.id).await?
                {
                    let published = Some(Arc::new(known.under(switches)));
                    newer.get_or_insert_with(|| self.clone()).sites[at].published = published;
                }
                continue;
            }
            let published = Published::newest(objects, &site.id, known).await?;
            if published.as_ref().map(Published::deployment) != number {
                newer.get_or_insert_with(|| self.clone()).sites[at].published =
                    published.map(to_serve);
            }
        }
        Ok(newer.map(|snapshot| Self {
            loaded: true,
            ..snapshot
        }))
    }
}

/// A deployment from which readers get files by their path.
fn to_serve(published: Published) -> Arc<Published> {
    published.prepare();
    Arc::new(published)
}

/// The site that is found without its name: the only one, or the only one of the file.
pub(crate) fn only(sites: &[ServedSite]) -> Option<&ServedSite> {
    let mut own = sites.iter().filter(|site| !site.is_added);
    match (own.next(), own.next(), sites) {
        (Some(only), None, _) | (None, _, [only]) => Some(only),
        _ => None,
    }
}
