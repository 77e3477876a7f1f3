//! A state made of what the object store has: the memory, the sources of the newest deployment and the switches.
//!
//! Everything else that a state knows is in no other place, so whoever asks is told what is missing.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use serde::Serialize;

use crate::causes::chain;
use crate::config::SiteConfig;
use crate::model::{Locale, Moment, SiteId};
use crate::run::clock::month;
use crate::run::error::BuildError;
use crate::run::memory::store_files::Memory;
use crate::run::options::Stores;
use crate::run::words::shared_edits::take_edits;
use crate::store::{self, Published, RowKind, ServingSwitch, Switches};

/// What came back of a site.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rebuilt {
    /// The site.
    pub site: SiteId,
    /// Translations by locale.
    pub translations: BTreeMap<Locale, usize>,
    /// Texts with edits of people, by locale.
    pub edited: BTreeMap<Locale, usize>,
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
/// A [`BuildError`] when the state or the store fails; what is damaged in the store is a notice.
pub fn rebuild<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    now: Moment,
) -> BoxFuture<'a, Result<Rebuilt, BuildError>> {
    Box::pin(async move {
        let mut translations = BTreeMap::new();
        let mut notices = Vec::new();
        for locale in store::row_locales(&stores.objects, &site.id, RowKind::Memory).await? {
            let (taken, noticed) = Memory {
                stores,
                site: &site.id,
                locale: &locale,
            }
            .take()
            .await?;
            notices.extend(noticed);
            translations.insert(locale, taken.new + taken.newer);
        }
        let (edited, noticed) = take_edits(stores, &site.id, &[]).await?;
        notices.extend(noticed);
        if let Some(allowed) = site.max_chars_per_month {
            notices.push(format!(
            "what was sent to engines in {} is not known any more; `max_chars_per_month` counts its {allowed} from now on",
            month()
        ));
        }
        let mut rebuilt = Rebuilt {
            site: site.id.clone(),
            translations,
            edited,
            sources: 0,
            off: Vec::new(),
            notices,
        };
        let turned = Switches::newest(&stores.objects, &site.id).await?;
        rebuilt.take_switches(stores, &turned, now).await?;
        match Published::newest(&stores.objects, &site.id, None).await {
            Ok(Some(published)) => {
                rebuilt
                    .take_deployment(stores, &published, &turned, now)
                    .await?
            }
            Ok(None) => {}
            Err(error) => rebuilt.notices.push(format!(
                "the newest deployment cannot be read: {}",
                chain(&error)
            )),
        }
        if rebuilt.sources == 0 {
            rebuilt.notices.push(
                "the sources are not known; `build --offline` works again after a build".to_owned(),
            );
        }
        Ok(rebuilt)
    })
}

impl Rebuilt {
    async fn take_deployment(
        &mut self,
        stores: &Stores,
        published: &Published,
        turned: &Switches,
        now: Moment,
    ) -> Result<(), BuildError> {
        match published.source_index(&stores.objects).await {
            Ok(index) => {
                let records = index.unwrap_or_default().records;
                self.sources = records.len();
                let site = self.site.clone();
                stores
                    .with_state(move |state| state.record_sources(&site, &records))
                    .await?;
            }
            Err(error) => self.notices.push(chain(&error)),
        }
        // Stores from before have no record of switches; where one is damaged, the deployment may know more.
        let is_new = |locale: &&Locale| {
            turned
                .get(locale)
                .is_none_or(|switch| switch == ServingSwitch::On && turned.lost().is_some())
        };
        let off = published
            .commit()
            .settings
            .locales
            .iter()
            .filter(|(_, switch)| **switch == ServingSwitch::Off);
        for locale in off
            .map(|(tag, _)| tag)
            .filter(is_new)
            .cloned()
            .collect::<Vec<_>>()
        {
            self.turn(stores, locale, ServingSwitch::Off, now).await?;
        }
        self.off.sort();
        Ok(())
    }

    /// Takes the switches that were turned, whatever becomes of the deployments.
    async fn take_switches(
        &mut self,
        stores: &Stores,
        turned: &Switches,
        now: Moment,
    ) -> Result<(), BuildError> {
        for (locale, switch) in turned.iter() {
            self.turn(stores, locale.clone(), switch, now).await?;
        }
        self.notices.extend(turned.lost().map(|lost| {
            format!(
                "{lost} is damaged, so languages that it switched off may not be known; turn them with `latimer locale`"
            )
        }));
        Ok(())
    }

    async fn turn(
        &mut self,
        stores: &Stores,
        locale: Locale,
        switch: ServingSwitch,
        now: Moment,
    ) -> Result<(), BuildError> {
        self.off
            .extend((switch == ServingSwitch::Off).then(|| locale.clone()));
        let site = self.site.clone();
        stores
            .with_state(move |state| {
                state.turn_switch(&site, &locale, switch == ServingSwitch::On, None, None, now)
            })
            .await?;
        Ok(())
    }
}
