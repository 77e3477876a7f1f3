//! Characters sent to engines by month, for each site and token subject; monthly budgets use them.
//!
//! Rows outlive their site, so deleting and adding a site does not reset its budget.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, Weak};

use super::backend::{ReadableTable, WriteTransaction};
use super::fault::StateFault;
use super::rows::{after, of_site};
use super::tables::{SPENT, SPENT_ON};
use super::{State, StateError};
use crate::model::{Locale, Month, SiteId};
use crate::translate::CharacterBudget;

/// What was sent to engines, for whom.
#[derive(Clone, Debug)]
pub struct Spent<'a> {
    /// The site, where it was for one.
    pub site: Option<&'a SiteId>,
    /// The locale that it was for.
    pub locale: Option<&'a Locale>,
    /// The subject that pays, where one does.
    pub subject: Option<&'a str>,
    /// The month in which they were sent.
    pub month: Month,
    /// Characters by the name of the engine that got them.
    pub engines: BTreeMap<String, u64>,
}

/// What was sent in a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthSpent {
    /// The month.
    pub month: Month,
    /// Characters.
    pub characters: u64,
    /// Shares by engine and locale; characters of previews without a site have none.
    pub shares: Vec<ShareSpent>,
}

/// What one engine was sent for one locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareSpent {
    /// The locale's tag.
    pub locale: String,
    /// The engine's name in the configuration.
    pub engine: String,
    /// Characters.
    pub characters: u64,
}

impl State {
    /// What was sent to engines for a site in a month, in characters.
    pub fn spent(&self, site: &SiteId, month: Month) -> Result<u64, StateError> {
        self.spent_of(site.as_str(), month)
    }

    /// What was sent to engines for all that a subject has in a month, in characters.
    pub fn spent_by(&self, subject: &str, month: Month) -> Result<u64, StateError> {
        self.spent_of(&row_of(subject), month)
    }

    /// What was sent to engines for a site in each month, the newest first.
    pub fn months_of(&self, site: &SiteId) -> Result<Vec<MonthSpent>, StateError> {
        self.read("read what was spent from", |transaction| {
            let table = transaction.open_table(SPENT)?;
            let parts = transaction.open_table(SPENT_ON)?;
            let mut shares: BTreeMap<String, Vec<ShareSpent>> = BTreeMap::new();
            for row in
                parts.range((site.as_str(), "", "", "")..(after(site).as_str(), "", "", ""))?
            {
                let (key, characters) = row?;
                let (_, month, locale, engine) = key.value();
                let locale = locale.to_owned();
                let engine = engine.to_owned();
                let characters = characters.value();
                shares
                    .entry(month.to_owned())
                    .or_default()
                    .push(ShareSpent {
                        locale,
                        engine,
                        characters,
                    });
            }
            let mut months = Vec::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, characters) = row?;
                let of = key.value().1;
                let characters = characters.value();
                let Ok(month) = of.parse() else { continue };
                let shares = shares.remove(of).unwrap_or_default();
                months.push(MonthSpent {
                    month,
                    characters,
                    shares,
                });
            }
            months.reverse();
            Ok(months)
        })
    }

    fn spent_of(&self, row: &str, month: Month) -> Result<u64, StateError> {
        self.read("read what was spent from", |transaction| {
            let table = transaction.open_table(SPENT)?;
            Ok(table
                .get((row, month.iso().as_str()))?
                .map_or(0, |spent| spent.value()))
        })
    }

    /// Remaining monthly budget of a subject. Runs and previews that work at the same time have one budget, so that together
    /// they send no more.
    pub fn subject_budget(
        &self,
        subject: &str,
        month: Month,
        allowed: u64,
    ) -> Result<Arc<CharacterBudget>, StateError> {
        let mut subject_budgets = self
            .subject_budgets
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        subject_budgets.retain(|_, subject_budget| subject_budget.strong_count() > 0);
        let key = (subject.to_owned(), month);
        if let Some(subject_budget) = subject_budgets.get(&key).and_then(Weak::upgrade) {
            return Ok(subject_budget);
        }
        let left = allowed.saturating_sub(self.spent_by(subject, month)?);
        let subject_budget = Arc::new(CharacterBudget::new(Some(left)));
        subject_budgets.insert(key, Arc::downgrade(&subject_budget));
        Ok(subject_budget)
    }

    /// Adds to what was sent to engines.
    pub fn spend(&self, spent: &Spent<'_>) -> Result<(), StateError> {
        self.write("keep what was spent in", |transaction| {
            add(transaction, spent)
        })
    }
}

pub(super) fn add(transaction: &WriteTransaction, spent: &Spent<'_>) -> Result<(), StateFault> {
    let mut table = transaction.open_table(SPENT)?;
    let characters = spent
        .engines
        .values()
        .fold(0, |sum: u64, more| sum.saturating_add(*more));
    let subject = spent.subject.map(row_of);
    let month = spent.month.iso();
    for row in spent
        .site
        .map(SiteId::as_str)
        .into_iter()
        .chain(subject.as_deref())
    {
        let before = table
            .get((row, month.as_str()))?
            .map_or(0, |spent| spent.value());
        table.insert((row, month.as_str()), before.saturating_add(characters))?;
    }
    let (Some(site), Some(locale)) = (spent.site, spent.locale) else {
        return Ok(());
    };
    let mut table = transaction.open_table(SPENT_ON)?;
    for (engine, more) in &spent.engines {
        let row = (
            site.as_str(),
            month.as_str(),
            locale.as_str(),
            engine.as_str(),
        );
        let before = table.get(row)?.map_or(0, |spent| spent.value());
        table.insert(row, before.saturating_add(*more))?;
    }
    Ok(())
}

fn row_of(subject: &str) -> String {
    format!("subject {subject}")
}
