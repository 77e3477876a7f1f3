//! What was sent to engines for a site, by month: what a budget of the month counts with.

use redb::{ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

use super::error::doing::Fault;
use super::{State, StoreError};
use crate::model::SiteId;

/// (site, month) → characters sent to engines.
pub(super) const SPENT: TableDefinition<'_, (&str, &str), u64> = TableDefinition::new("spent");

impl State {
    /// What was sent to engines for a site in a month, in characters.
    pub fn spent(&self, site: &SiteId, month: &str) -> Result<u64, StoreError> {
        self.read("read what was spent from", |database| {
            let table = database.begin_read()?.open_table(SPENT)?;
            Ok(table.get((site.as_str(), month))?.map_or(0, |spent| spent.value()))
        })
    }

    /// Adds to what was sent to engines for a site in a month, in characters.
    pub fn spend(&self, site: &SiteId, month: &str, characters: u64) -> Result<(), StoreError> {
        self.write("keep what was spent in", |transaction| add(transaction, site, month, characters))
    }
}

pub(super) fn add(transaction: &WriteTransaction, site: &SiteId, month: &str, characters: u64) -> Result<(), Fault> {
    let mut table = transaction.open_table(SPENT)?;
    let before = table.get((site.as_str(), month))?.map_or(0, |spent| spent.value());
    table.insert((site.as_str(), month), before.saturating_add(characters))?;
    Ok(())
}
