//! What the last build of a site was made of, as one key, and what a build that is made of the same says.

use redb::ReadableDatabase;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rows::{json, parsed};
use super::tables::WHOLE;
use super::{State, StateError};
use crate::model::SiteId;

/// What a build was made of, and what one says that is made of the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeRecord {
    /// A hash of everything that it reads.
    pub key: String,
    /// Its report.
    pub report: Value,
}

impl State {
    /// Keeps what the last build of a site was made of; nothing where another build has to do everything again.
    pub fn keep_whole(&self, site: &SiteId, whole: Option<&WholeRecord>) -> Result<(), StateError> {
        self.write("keep what a build was made of in", |transaction| {
            let mut table = transaction.open_table(WHOLE)?;
            match whole {
                Some(whole) => drop(table.insert(site.as_str(), json(whole)?.as_slice())?),
                None => drop(table.remove(site.as_str())?),
            }
            Ok(())
        })
    }

    /// What the last build of a site was made of.
    pub fn whole(&self, site: &SiteId) -> Result<Option<WholeRecord>, StateError> {
        self.read("read what a build was made of from", |database| {
            let table = database.begin_read()?.open_table(WHOLE)?;
            let row = table.get(site.as_str())?;
            row.map(|row| parsed(row.value(), || format!("last build of {site}")))
                .transpose()
        })
    }
}
