//! Fingerprint of all inputs of the last build of a site, with its report. A build with the same inputs returns that report.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rows::{json, parsed};
use super::tables::LAST_BUILD;
use super::{State, StateError};
use crate::model::SiteId;

/// Fingerprint and report of the last build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastBuild {
    /// A hash of everything that it reads.
    pub key: String,
    /// Its report.
    pub report: Value,
}

impl State {
    /// Keeps what the last build of a site was made of; nothing where another build has to do everything again.
    pub fn keep_last_build(
        &self,
        site: &SiteId,
        whole: Option<&LastBuild>,
    ) -> Result<(), StateError> {
        self.write("keep what a build was made of in", |transaction| {
            let mut table = transaction.open_table(LAST_BUILD)?;
            match whole {
                Some(whole) => drop(table.insert(site.as_str(), json(whole)?.as_slice())?),
                None => drop(table.remove(site.as_str())?),
            }
            Ok(())
        })
    }

    /// What the last build of a site was made of.
    pub fn last_build(&self, site: &SiteId) -> Result<Option<LastBuild>, StateError> {
        self.read("read what a build was made of from", |transaction| {
            let table = transaction.open_table(LAST_BUILD)?;
            let row = table.get(site.as_str())?;
            row.map(|row| parsed(row.value(), || format!("last build of {site}")))
                .transpose()
        })
    }
}
