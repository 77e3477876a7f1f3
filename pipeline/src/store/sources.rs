//! What was fetched of a site's source, and when it changes.

use std::collections::BTreeMap;

use redb::{ReadableDatabase, WriteTransaction};

use super::fault::Fault;
use super::rows::{after, json, of_site, parsed, replace};
use super::tables::SOURCES;
use super::{SourceRecord, State, StoreError};
use crate::model::{PagePath, SiteId};

impl State {
    /// Makes these the site's sources; what was recorded before and is not among them is forgotten.
    pub fn record_sources(&self, site: &SiteId, sources: &BTreeMap<PagePath, SourceRecord>) -> Result<(), StoreError> {
        self.write("record sources in", |transaction| put_sources(transaction, site, sources))
    }

    /// The site's sources as they were last recorded.
    pub fn sources(&self, site: &SiteId) -> Result<BTreeMap<PagePath, SourceRecord>, StoreError> {
        self.read("read sources from", |database| {
            let table = database.begin_read()?.open_table(SOURCES)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("source {site} {}", key.value().1);
                let path = PagePath::parse(key.value().1).map_err(|error| Fault::row(row(), error))?;
                found.insert(path, parsed(value.value(), row)?);
            }
            Ok(found)
        })
    }
}

/// Makes these the site's sources; what was recorded before and is not among them is forgotten.
pub(super) fn put_sources(
    transaction: &WriteTransaction,
    site: &SiteId,
    sources: &BTreeMap<PagePath, SourceRecord>,
) -> Result<(), Fault> {
    let rows = sources.iter().map(|(path, record)| Ok((path.as_str(), json(record)?)));
    replace(&mut transaction.open_table(SOURCES)?, site, rows.collect::<Result<_, Fault>>()?)
}
