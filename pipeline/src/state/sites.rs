//! Sites that callers of the API added; those of the configuration file are not here.
//!
//! Only the settings are kept, as they were sent. What runs made of a site stays when it is removed, so that a site that
//! comes back pays for nothing twice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::fault::StateFault;
use super::rows::{json, parsed};
use super::runs::cancel_all;
use super::tables::SITES;
use super::{State, StateError, webhooks};
use crate::config::SiteSettings;
use crate::model::{Moment, SiteId};

/// A site that a caller added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteRecord {
    /// What the caller said.
    pub settings: SiteSettings,
    /// When it was first said.
    pub created: Moment,
    /// When it was last said.
    pub updated: Moment,
}

impl State {
    /// Adds a site or replaces its settings.
    pub fn put_site(
        &self,
        site: &SiteId,
        settings: &SiteSettings,
        now: Moment,
    ) -> Result<(), StateError> {
        self.write("keep a site in", |transaction| {
            let mut table = transaction.open_table(SITES)?;
            let row = || format!("site {site}");
            let old = table
                .get(site.as_str())?
                .map(|value| parsed::<SiteRecord>(value.value(), row))
                .transpose()?;
            let created = old.map_or(now, |old| old.created);
            let record = SiteRecord {
                settings: settings.clone(),
                created,
                updated: now,
            };
            table.insert(site.as_str(), json(&record)?.as_slice())?;
            Ok(())
        })
    }

    /// Forgets a site's settings and endpoints and cancels its runs that wait; what runs made stays.
    pub fn remove_site(&self, site: &SiteId, now: Moment) -> Result<(), StateError> {
        self.write("remove a site from", |transaction| {
            transaction.open_table(SITES)?.remove(site.as_str())?;
            webhooks::forget_all(transaction, site)?;
            cancel_all(transaction, site, now)
        })
    }

    /// The sites that callers added.
    pub fn sites(&self) -> Result<BTreeMap<SiteId, SiteRecord>, StateError> {
        self.read("read sites from", |transaction| {
            let table = transaction.open_table(SITES)?;
            let mut found = BTreeMap::new();
            for row in table.iter()? {
                let (key, value) = row?;
                let row = || format!("site {}", key.value());
                let site =
                    SiteId::parse(key.value()).map_err(|error| StateFault::row(row(), error))?;
                found.insert(site, parsed(value.value(), row)?);
            }
            Ok(found)
        })
    }
}
