//! What was sent to engines by month, for each site and for each subject of a token: what a budget of the month counts with.
//!
//! It outlives the site that it was sent for, so a site that is removed and put again has spent what it had spent.

use std::sync::{Arc, PoisonError, Weak};

use redb::{ReadableDatabase, ReadableTable, WriteTransaction};

use super::fault::Fault;
use super::tables::SPENT;
use super::{State, StoreError};
use crate::model::SiteId;
use crate::translate::Budget;

/// What was sent to engines, for whom.
#[derive(Clone, Debug)]
pub struct Spent<'a> {
    /// The site, where it was for one.
    pub site: Option<&'a SiteId>,
    /// The subject that pays, where one does.
    pub subject: Option<&'a str>,
    /// When.
    pub month: String,
    /// Characters.
    pub characters: u64,
}

/// What was sent in a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthSpent {
    /// The calendar month in UTC, such as `2026-11`.
    pub month: String,
    /// Characters.
    pub characters: u64,
}

/// A month as people write it (`Nov 2026`) as programs sort it (`2026-11`).
pub fn sortable(month: &str) -> Option<String> {
    const NAMES: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (name, year) = month.split_once(' ')?;
    let number = NAMES.iter().position(|known| *known == name)? + 1;
    Some(format!("{year}-{number:02}"))
}

impl State {
    /// What was sent to engines for a site in a month, in characters.
    pub fn spent(&self, site: &SiteId, month: &str) -> Result<u64, StoreError> {
        self.spent_of(site.as_str(), month)
    }

    /// What was sent to engines for all that a subject has in a month, in characters.
    pub fn spent_by(&self, subject: &str, month: &str) -> Result<u64, StoreError> {
        self.spent_of(&row_of(subject), month)
    }

    /// What was sent to engines for a site in each month, the newest first.
    pub fn months_of(&self, site: &SiteId) -> Result<Vec<MonthSpent>, StoreError> {
        self.read("read what was spent from", |database| {
            let table = database.begin_read()?.open_table(SPENT)?;
            let mut months = Vec::new();
            for row in table.range((site.as_str(), "")..)? {
                let (key, characters) = row?;
                let (of, month) = key.value();
                if of != site.as_str() {
                    break;
                }
                months.extend(sortable(month).map(|month| MonthSpent { month, characters: characters.value() }));
            }
            months.sort_by(|one: &MonthSpent, other| other.month.cmp(&one.month));
            Ok(months)
        })
    }

    fn spent_of(&self, row: &str, month: &str) -> Result<u64, StoreError> {
        self.read("read what was spent from", |database| {
            let table = database.begin_read()?.open_table(SPENT)?;
            Ok(table.get((row, month))?.map_or(0, |spent| spent.value()))
        })
    }

    /// What a subject may still send in a month of which this much is allowed. Runs and previews that work at the same time
    /// have one budget, so that together they send no more.
    pub fn purse(&self, subject: &str, month: &str, allowed: u64) -> Result<Arc<Budget>, StoreError> {
        let mut purses = self.purses.0.lock().unwrap_or_else(PoisonError::into_inner);
        purses.retain(|_, purse| purse.strong_count() > 0);
        let key = (subject.to_owned(), month.to_owned());
        if let Some(purse) = purses.get(&key).and_then(Weak::upgrade) {
            return Ok(purse);
        }
        let left = allowed.saturating_sub(self.spent_by(subject, month)?);
        let purse = Arc::new(Budget::new(Some(left)));
        purses.insert(key, Arc::downgrade(&purse));
        Ok(purse)
    }

    /// Adds to what was sent to engines.
    pub fn spend(&self, spent: &Spent<'_>) -> Result<(), StoreError> {
        self.write("keep what was spent in", |transaction| add(transaction, spent))
    }
}

pub(super) fn add(transaction: &WriteTransaction, spent: &Spent<'_>) -> Result<(), Fault> {
    let mut table = transaction.open_table(SPENT)?;
    let subject = spent.subject.map(row_of);
    for row in spent.site.map(SiteId::as_str).into_iter().chain(subject.as_deref()) {
        let before = table.get((row, spent.month.as_str()))?.map_or(0, |spent| spent.value());
        table.insert((row, spent.month.as_str()), before.saturating_add(spent.characters))?;
    }
    Ok(())
}

fn row_of(subject: &str) -> String {
    format!("subject {subject}")
}
