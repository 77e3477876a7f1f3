//! Which rows of the memory the object store lacks.
//!
//! The marks lie in the order of the changes that brought the rows. By their keys, which are hashes, each would lie in another page
//! of the file, and each page would be written when a mark comes and again when it goes.

use std::collections::BTreeMap;

use super::backend::{ReadTransaction, ReadableTable, WriteTable, WriteTransaction};
use super::fault::StateFault;
use super::tables::UNWRITTEN;
use crate::model::{Locale, SegmentKey, SiteId};

const LOWEST_KEY: [u8; 16] = [0; 16];
const HIGHEST_KEY: [u8; 16] = [0xff; 16];

type UnwrittenKey<'a> = (&'a str, &'a str, u64, &'a [u8; 16]);

/// The marks, while rows are written.
pub(super) struct UnwrittenMarks<'t>(
    WriteTable<'t, (&'static str, &'static str, u64, &'static [u8; 16]), ()>,
);

impl<'t> UnwrittenMarks<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, StateFault> {
        Ok(Self(transaction.open_table(UNWRITTEN)?))
    }

    /// Marks a row that a change brought.
    pub(super) fn mark(
        &mut self,
        site: &SiteId,
        locale: &Locale,
        change: u64,
        key: &[u8; 16],
    ) -> Result<(), StateFault> {
        self.0
            .insert((site.as_str(), locale.as_str(), change, key), ())?;
        Ok(())
    }

    /// Takes the mark away that a change made.
    pub(super) fn remove(
        &mut self,
        site: &SiteId,
        locale: &Locale,
        change: u64,
        key: &[u8; 16],
    ) -> Result<(), StateFault> {
        self.0
            .remove((site.as_str(), locale.as_str(), change, key))?;
        Ok(())
    }

    /// Takes all marks of a locale away.
    pub(super) fn remove_all(&mut self, site: &SiteId, locale: &Locale) -> Result<(), StateFault> {
        let (lowest, highest) = ends(site, locale);
        Ok(self.0.retain_in(lowest..=highest, |_, ()| false)?)
    }

    /// The changes that marked those rows of a locale that are asked for.
    pub(super) fn of(
        &self,
        site: &SiteId,
        locale: &Locale,
        is_asked: impl Fn(&SegmentKey) -> bool,
    ) -> Result<BTreeMap<SegmentKey, Vec<u64>>, StateFault> {
        let mut found: BTreeMap<SegmentKey, Vec<u64>> = BTreeMap::new();
        let (lowest, highest) = ends(site, locale);
        for mark in self.0.range(lowest..=highest)? {
            let (at, _) = mark?;
            let (_, _, change, key) = at.value();
            let key = SegmentKey::from_bytes(*key);
            if is_asked(&key) {
                found.entry(key).or_default().push(change);
            }
        }
        Ok(found)
    }
}

/// The first rows that the object store lacks, each with the change that marked it; one may be there for several changes.
pub(super) fn first(
    transaction: &ReadTransaction,
    site: &SiteId,
    locale: &Locale,
    most: usize,
) -> Result<Vec<(SegmentKey, u64)>, StateFault> {
    let (lowest, highest) = ends(site, locale);
    let mut found = Vec::new();
    for mark in transaction
        .open_table(UNWRITTEN)?
        .range(lowest..=highest)?
        .take(most)
    {
        let (at, _) = mark?;
        let (_, _, change, key) = at.value();
        found.push((SegmentKey::from_bytes(*key), change));
    }
    Ok(found)
}

/// The locales of a site with rows that the object store lacks.
pub(super) fn locales(
    transaction: &ReadTransaction,
    site: &SiteId,
) -> Result<Vec<Locale>, StateFault> {
    let table = transaction.open_table(UNWRITTEN)?;
    let mut found = Vec::new();
    let mut from = String::new();
    // One step a locale, however many rows it has.
    while let Some(row) = table
        .range((site.as_str(), from.as_str(), 0, &LOWEST_KEY)..)?
        .next()
    {
        let (at, _) = row?;
        let (of, locale, ..) = at.value();
        if of != site.as_str() {
            break;
        }
        let row = || format!("unwritten {site} {locale}");
        found.push(Locale::parse(locale).map_err(|error| StateFault::row(row(), error))?);
        from = format!("{locale}\0");
    }
    Ok(found)
}

/// The first and the last place that marks of a locale can have.
fn ends<'a>(site: &'a SiteId, locale: &'a Locale) -> (UnwrittenKey<'a>, UnwrittenKey<'a>) {
    (
        (site.as_str(), locale.as_str(), 0, &LOWEST_KEY),
        (site.as_str(), locale.as_str(), u64::MAX, &HIGHEST_KEY),
    )
}
