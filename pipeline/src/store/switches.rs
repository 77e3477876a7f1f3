//! Switches of languages as facts in the store, written before anything that follows from them.
//!
//! The newest record wins over what a commit says and over what a builder's state remembers, so a builder with another
//! state cannot bring a language back that was switched off, and a rollback cannot either. A record holds every switch
//! that was ever turned; it is created under the next number, so of two at once the second sees the first. Stores from
//! before have none, and there commit and state decide.
//!
//! A newest record that cannot be read may have switched a language off that must not be shown any more, so nobody guesses.
//! A commit names the record that it follows ([`ServingSettings::switches`]). One that follows the damaged record is served as it
//! is. Under any other, readers get the source language alone until somebody who knows what the record said has written it
//! anew: a builder that turned the switch, or one that finds a commit which follows it. Falling back to an older record
//! would be kinder to readers, but could show them what had to go.

use std::collections::BTreeMap;

use object_store::path::Path as Key;
use serde::{Deserialize, Serialize};

use super::keys::SiteKeys;
use super::objects::Created;
use super::record::{decode, encode};
use super::{Objects, ServingSettings, ServingSwitch, StoreError};
use crate::model::{Locale, SiteId};

/// The format of a record.
const FORMAT: u32 = 1;

/// Every switch of a site that was turned, as the newest record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    pub(super) number: u64,
    pub(super) locales: BTreeMap<Locale, ServingSwitch>,
    /// The newest record, where that cannot be read; the locales are those of an older one.
    pub(super) lost: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SwitchesFile {
    format: u32,
    locales: BTreeMap<Locale, ServingSwitch>,
}

impl Switches {
    /// Reads the newest record; where that is damaged, the newest that is not.
    pub async fn newest(objects: &Objects, site: &SiteId) -> Result<Self, StoreError> {
        let mut numbers = numbers(objects, site).await?;
        let mut switches = Self {
            number: numbers.last().copied().unwrap_or(0),
            ..Self::default()
        };
        while let Some(number) = numbers.pop() {
            let key = SiteKeys(site).switch(number)?;
            let Some(bytes) = objects.get(&key).await? else {
                continue;
            };
            match decode::<SwitchesFile>(&bytes, key.as_ref()) {
                Ok(SwitchesFile {
                    format: FORMAT,
                    locales,
                }) => {
                    return Ok(Self {
                        locales,
                        ..switches
                    });
                }
                Ok(SwitchesFile { format, .. }) => {
                    return Err(StoreError::Newer {
                        key: key.to_string(),
                        form: format,
                    });
                }
                Err(_) => drop(switches.lost.get_or_insert(key.to_string())),
            }
        }
        Ok(switches)
    }

    /// The newest record, if there is a newer one than this: one small request where there is none.
    pub async fn newer(
        &self,
        objects: &Objects,
        site: &SiteId,
    ) -> Result<Option<Self>, StoreError> {
        if !objects
            .exists(&SiteKeys(site).switch(self.number + 1)?)
            .await?
        {
            return Ok(None);
        }
        Self::newest(objects, site).await.map(Some)
    }

    /// How a locale's switch stands; `None` where nobody turned it.
    pub fn get(&self, locale: &Locale) -> Option<ServingSwitch> {
        self.locales.get(locale).copied()
    }

    /// All switches that were turned.
    pub fn iter(&self) -> impl Iterator<Item = (&Locale, ServingSwitch)> {
        self.locales
            .iter()
            .map(|(locale, switch)| (locale, *switch))
    }

    /// Which record this is, counted from 1; 0 where there is none.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The newest record, where that cannot be read.
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// Settings under which readers get no locale that is switched off, or may be. One that was switched on waits for
    /// the deployment that has its pages.
    pub(super) fn applied_to(&self, settings: &ServingSettings) -> ServingSettings {
        let mut settings = settings.clone();
        let is_lost = self.lost.is_some();
        let is_followed = self.is_followed_by(&settings);
        for (locale, switch) in &mut settings.locales {
            let is_off = match (is_lost, is_followed) {
                (false, _) => self.get(locale) == Some(ServingSwitch::Off),
                (true, true) => false,
                (true, false) => true,
            };
            if is_off {
                *switch = ServingSwitch::Off;
            }
        }
        settings
    }

    /// Whether a deployment was made under the newest record.
    fn is_followed_by(&self, settings: &ServingSettings) -> bool {
        settings.switches >= self.number
    }

    /// What the newest record said, as far as the newest deployment or a state, which remembers these switches, can tell;
    /// `None` where neither can.
    pub(super) fn made_good(
        &self,
        deployed: Option<&ServingSettings>,
        known: &BTreeMap<Locale, ServingSwitch>,
    ) -> Option<BTreeMap<Locale, ServingSwitch>> {
        let mut locales = self.locales.clone();
        if let Some(deployed) = deployed.filter(|settings| self.is_followed_by(settings)) {
            let turned = deployed.locales.iter().filter(|(tag, switch)| {
                **switch == ServingSwitch::Off || locales.contains_key(tag)
            });
            let turned: Vec<_> = turned.map(|(tag, switch)| (tag.clone(), *switch)).collect();
            locales.extend(turned);
            return Some(locales);
        }
        // A record turns one switch, so whoever has one more off knows which. One more that is on may be an old memory.
        let off = known.iter().filter(|(tag, switch)| {
            **switch == ServingSwitch::Off && self.get(tag) != Some(ServingSwitch::Off)
        });
        let off: Vec<_> = off.map(|(tag, switch)| (tag.clone(), *switch)).collect();
        (!off.is_empty()).then(|| {
            locales.extend(off);
            locales
        })
    }
}

/// Creates a record; `None` where somebody else was faster.
pub(super) async fn create(
    objects: &Objects,
    site: &SiteId,
    number: u64,
    locales: BTreeMap<Locale, ServingSwitch>,
) -> Result<Option<Switches>, StoreError> {
    let key = SiteKeys(site).switch(number)?;
    let record = SwitchesFile {
        format: FORMAT,
        locales,
    };
    Ok(
        match objects.create(&key, encode(&record, key.as_ref())?).await? {
            Created::New | Created::Same => Some(Switches {
                number,
                locales: record.locales,
                lost: None,
            }),
            Created::Other(_) => None,
        },
    )
}

/// The numbers of all records, sorted.
async fn numbers(objects: &Objects, site: &SiteId) -> Result<Vec<u64>, StoreError> {
    let (found, _) = objects.list_flat(&SiteKeys(site).switches()?).await?;
    let number = |key: &Key| key.filename()?.strip_suffix(".json")?.parse::<u64>().ok();
    let mut numbers: Vec<u64> = found
        .iter()
        .filter_map(|meta| number(&meta.location))
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}
