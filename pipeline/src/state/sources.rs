//! What was fetched of a site's source, and when it changes.

use std::collections::{BTreeMap, BTreeSet};

use super::backend::WriteTransaction;
use super::fault::StateFault;
use super::rows::{after, json, of_site, parsed, replace};
use super::tables::SOURCES;
use super::{SourceRecords, State, StateError};
use crate::model::{PagePath, SiteId};

impl State {
    /// Makes these the site's sources; what was recorded before and is not among them is forgotten.
    pub fn record_sources(&self, site: &SiteId, sources: &SourceRecords) -> Result<(), StateError> {
        self.write("record sources in", |transaction| {
            put_sources(transaction, site, sources)
        })
    }

    /// The site's sources as they were last recorded.
    pub fn sources(&self, site: &SiteId) -> Result<SourceRecords, StateError> {
        self.sources_with(site, "")
    }

    /// Gives each of their rows to `see`, as it is written: of many, little may be wanted.
    pub fn source_rows(&self, site: &SiteId, mut see: impl FnMut(&[u8])) -> Result<(), StateError> {
        self.read("read sources from", |transaction| {
            let table = transaction.open_table(SOURCES)?;
            for row in table.range(of_site(site, &after(site)))? {
                see(row?.1.value());
            }
            Ok(())
        })
    }

    /// Those of them in whose rows a text stands.
    pub(super) fn sources_with(
        &self,
        site: &SiteId,
        text: &str,
    ) -> Result<SourceRecords, StateError> {
        self.read("read sources from", |transaction| {
            let table = transaction.open_table(SOURCES)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                // What is no UTF-8 is said where it is read.
                if !text.is_empty()
                    && std::str::from_utf8(value.value()).is_ok_and(|row| !row.contains(text))
                {
                    continue;
                }
                let row = || format!("source {site} {}", key.value().1);
                let path = PagePath::parse(key.value().1)
                    .map_err(|error| StateFault::row(row(), error))?;
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
    sources: &SourceRecords,
) -> Result<(), StateFault> {
    let rows = sources
        .iter()
        .map(|(path, record)| Ok((path.as_str(), json(record)?)));
    replace(
        &mut transaction.open_table(SOURCES)?,
        site,
        rows.collect::<Result<_, StateFault>>()?,
    )
}

/// Puts some of a site's sources, and forgets others.
pub(super) fn change_sources(
    transaction: &WriteTransaction,
    site: &SiteId,
    records: &SourceRecords,
    gone: &BTreeSet<PagePath>,
) -> Result<(), StateFault> {
    let mut table = transaction.open_table(SOURCES)?;
    for path in gone {
        table.remove((site.as_str(), path.as_str()))?;
    }
    for (path, record) in records {
        table.insert((site.as_str(), path.as_str()), json(record)?.as_slice())?;
    }
    Ok(())
}
