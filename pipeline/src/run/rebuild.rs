//! A state made of what the object store has: the memory, the sources of the newest deployment and the switches.
//!
//! Everything else that a state knows is in no other place, so whoever asks is told what is missing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::limit::month;
use super::memory::Memory;
use super::{RunError, Stores, blocking};
use crate::causes::chain;
use crate::config::SiteConfig;
use crate::model::{Locale, SiteId};
use crate::publish::{self, Published, Switch};

/// What came back of a site.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rebuilt {
    /// The site.
    pub site: SiteId,
    /// Translations by locale.
    pub translations: BTreeMap<Locale, usize>,
    /// Pages and files of the source.
    pub sources: usize,
    /// Locales that are switched off.
    pub off: Vec<Locale>,
    /// What could not be brought back, and what to do.
    pub notices: Vec<String>,
}

/// Fills an empty state with what the object store has of a site.
///
/// # Errors
/// A [`RunError`] when the state or the store fails; what is damaged in the store is a notice.
pub async fn rebuild(site: &SiteConfig, stores: &Stores, now: u64) -> Result<Rebuilt, RunError> {
    let (mut translations, mut notices) = (BTreeMap::new(), Vec::new());
    for locale in publish::memory_locales(&stores.objects, &site.id).await? {
        let taken = Memory { stores, site: &site.id, locale: &locale }.take(&mut notices).await?;
        translations.insert(locale, taken.new + taken.newer);
    }
    if let Some(allowed) = site.max_chars_per_month {
        notices.push(format!(
            "what was sent to engines in {} is not known any more; `max_chars_per_month` counts its {allowed} from now on",
            month()
        ));
    }
    let mut rebuilt = Rebuilt { site: site.id.clone(), translations, sources: 0, off: Vec::new(), notices };
    match Published::newest(&stores.objects, &site.id, None).await {
        Ok(Some(published)) => rebuilt.take_deployment(stores, &published, now).await?,
        Ok(None) => {}
        Err(error) => rebuilt.notices.push(format!("the newest deployment cannot be read: {}", chain(&error))),
    }
    if rebuilt.sources == 0 {
        rebuilt.notices.push("the sources are not known; `build --offline` works again after a build".to_owned());
    }
    Ok(rebuilt)
}

impl Rebuilt {
    async fn take_deployment(&mut self, stores: &Stores, published: &Published, now: u64) -> Result<(), RunError> {
        match published.source_index(&stores.objects).await {
            Ok(index) => {
                let records = index.unwrap_or_default().records;
                self.sources = records.len();
                let (state, site) = (stores.state.clone(), self.site.clone());
                blocking(move || state.record_sources(&site, &records)).await??;
            }
            Err(error) => self.notices.push(chain(&error)),
        }
        let locales = &published.settings().locales;
        self.off = locales.iter().filter(|(_, switch)| **switch == Switch::Off).map(|(tag, _)| tag.clone()).collect();
        for locale in self.off.clone() {
            let (state, site) = (stores.state.clone(), self.site.clone());
            blocking(move || state.turn_switch(&site, &locale, false, None, now)).await??;
        }
        Ok(())
    }
}
