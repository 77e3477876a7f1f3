//! Switches of languages as facts in the store, written before anything that follows from them.
//!
//! The newest record wins over what a commit says and over what a builder's state remembers, so a builder with another
//! state cannot bring a language back that was switched off, and a rollback cannot either. A record holds every switch
//! that was ever turned; it is created under the next number, so of two at once the second sees the first. Stores from
//! before have none, and there commit and state decide.

use std::collections::BTreeMap;

use object_store::path::Path as Key;
use serde::{Deserialize, Serialize};

use super::commit::{decode, encode};
use super::keys::Keys;
use super::lock::Lock;
use super::objects::Created;
use super::{Objects, PublishError, Settings, Switch};
use crate::model::{Locale, SiteId};

/// The form of a record.
const FORMAT: u32 = 1;

/// Every switch of a site that was turned, as the newest record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    number: u64,
    locales: BTreeMap<Locale, Switch>,
}

#[derive(Serialize, Deserialize)]
struct Record {
    format: u32,
    locales: BTreeMap<Locale, Switch>,
}

impl Switches {
    /// Reads the newest record; one that is damaged is passed over.
    pub async fn newest(objects: &Objects, site: &SiteId) -> Result<Self, PublishError> {
        let mut numbers = numbers(objects, site).await?;
        let highest = numbers.last().copied().unwrap_or(0);
        while let Some(number) = numbers.pop() {
            let key = Keys(site).switch(number)?;
            let Some(bytes) = objects.get(&key).await? else { continue };
            match decode::<Record>(&bytes, key.as_ref()) {
                Ok(Record { format: FORMAT, locales }) => return Ok(Self { number: highest, locales }),
                Ok(Record { format, .. }) => {
                    return Err(PublishError::Newer { key: key.to_string(), form: format });
                }
                Err(_) => {}
            }
        }
        Ok(Self { number: highest, locales: BTreeMap::new() })
    }

    /// The newest record, if there is a newer one than this: one small request where there is none.
    pub async fn newer(&self, objects: &Objects, site: &SiteId) -> Result<Option<Self>, PublishError> {
        if !objects.exists(&Keys(site).switch(self.number + 1)?).await? {
            return Ok(None);
        }
        Self::newest(objects, site).await.map(Some)
    }

    /// How a locale's switch stands; `None` where nobody turned it.
    pub fn get(&self, locale: &Locale) -> Option<Switch> {
        self.locales.get(locale).copied()
    }

    /// All switches that were turned.
    pub fn iter(&self) -> impl Iterator<Item = (&Locale, Switch)> {
        self.locales.iter().map(|(locale, switch)| (locale, *switch))
    }

    /// Which record this is, counted from 1; 0 where there is none.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Settings under which readers get no locale that is switched off. One that was switched on waits for the
    /// deployment that has its pages.
    pub(super) fn applied_to(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        for (locale, switch) in &mut settings.locales {
            if self.get(locale) == Some(Switch::Off) {
                *switch = Switch::Off;
            }
        }
        settings
    }
}

/// Turns a switch in the store; `known` are switches that the caller's state remembers, for a store that does not.
///
/// # Errors
/// A [`PublishError`] when the store failed; then nothing was turned.
pub async fn turn_switch(
    objects: &Objects,
    site: &SiteId,
    locale: &Locale,
    switch: Switch,
    known: &BTreeMap<Locale, Switch>,
) -> Result<Switches, PublishError> {
    let _lock = Lock::share(objects, site).await?;
    loop {
        let newest = Switches::newest(objects, site).await?;
        if newest.get(locale) == Some(switch) {
            return Ok(newest);
        }
        let mut locales = known.clone();
        locales.extend(newest.locales);
        locales.insert(locale.clone(), switch);
        let number = newest.number + 1;
        let key = Keys(site).switch(number)?;
        let record = Record { format: FORMAT, locales };
        match objects.create(&key, encode(&record, key.as_ref())?).await? {
            Created::New | Created::Same => return Ok(Switches { number, locales: record.locales }),
            // Somebody else turned one at the same moment; ours follows it.
            Created::Other(_) => {}
        }
    }
}

/// The numbers of all records, sorted.
async fn numbers(objects: &Objects, site: &SiteId) -> Result<Vec<u64>, PublishError> {
    let (found, _) = objects.list_flat(&Keys(site).switches()?).await?;
    let number = |key: &Key| key.filename()?.strip_suffix(".json")?.parse::<u64>().ok();
    let mut numbers: Vec<u64> = found.iter().filter_map(|meta| number(&meta.location)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
