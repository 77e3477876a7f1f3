//! Turning a switch in the store, and writing a record of switches anew that is damaged: what it said is known from the
//! newest deployment or from a state, or nobody guesses.

use futures::future::BoxFuture;
use std::collections::BTreeMap;

use super::lock::Lock;
use super::switches::create;
use super::{Objects, Published, ServingSwitch, StoreError, Switches};
use crate::model::{Locale, SiteId};

/// Writes a newest record of switches that is damaged anew, and says which it was; does nothing where it is sound.
/// `known` are the switches that the caller's state remembers.
///
/// # Errors
/// [`StoreError::SwitchesLost`] if the record is damaged and no other source has its content.
pub fn mend_switches<'a>(
    objects: &'a Objects,
    site: &'a SiteId,
    known: &'a BTreeMap<Locale, ServingSwitch>,
) -> BoxFuture<'a, Result<Option<String>, StoreError>> {
    Box::pin(async move {
        let _lock = Lock::share(objects, site).await?;
        loop {
            let newest = Switches::newest(objects, site).await?;
            let Some(lost) = &newest.lost else {
                return Ok(None);
            };
            let locales = what_was_lost(objects, site, &newest, lost, known).await?;
            if create(objects, site, newest.number + 1, locales)
                .await?
                .is_some()
            {
                return Ok(Some(lost.clone()));
            }
        }
    })
}

async fn what_was_lost(
    objects: &Objects,
    site: &SiteId,
    newest: &Switches,
    lost: &str,
    known: &BTreeMap<Locale, ServingSwitch>,
) -> Result<BTreeMap<Locale, ServingSwitch>, StoreError> {
    let published = Published::standing(objects, site, None).await?.published;
    let deployed = published
        .as_ref()
        .map(|published| &published.commit().settings);
    let made_good = newest.made_good(deployed, known);
    made_good.ok_or_else(|| StoreError::SwitchesLost {
        site: site.clone(),
        key: lost.to_owned(),
    })
}

/// Turns a switch in the store; `known` are switches that the caller's state remembers, for a store that does not.
///
/// # Errors
/// A [`StoreError`] when the store failed; then nothing was turned.
pub fn turn_switch<'a>(
    objects: &'a Objects,
    site: &'a SiteId,
    locale: &'a Locale,
    switch: ServingSwitch,
    known: &'a BTreeMap<Locale, ServingSwitch>,
) -> BoxFuture<'a, Result<Switches, StoreError>> {
    Box::pin(async move {
        let _lock = Lock::share(objects, site).await?;
        loop {
            let newest = Switches::newest(objects, site).await?;
            let mut locales = match &newest.lost {
                Some(lost) => what_was_lost(objects, site, &newest, lost, known).await?,
                None if newest.get(locale) == Some(switch) => return Ok(newest),
                None => known.clone().into_iter().chain(newest.locales).collect(),
            };
            locales.insert(locale.clone(), switch);
            // Where somebody else turned one at the same moment, ours follows it.
            if let Some(switches) = create(objects, site, newest.number + 1, locales).await? {
                return Ok(switches);
            }
        }
    })
}
