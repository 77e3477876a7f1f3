//! Texts that readers' browsers told of because no dictionary knows them, until the site's owner takes or drops them.
//!
//! A row is written only when three readers saw a text, and nothing in it says who they were. What the owner dropped is
//! remembered as long as there is room, so that it does not come back.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::backend::{ReadableTable, WriteTable};
use super::fault::StateFault;
use super::rows::{after, json, of_site, parsed};
use super::tables::REPORTS;
use super::{State, StateError};
use crate::model::{Locale, Moment, PagePath, ReportedText, SiteId};

/// Most texts of a site that nobody took.
const MOST: usize = 2_000;

/// A text that readers' browsers told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRecord {
    /// The page on which it was first seen, by its path in the source.
    pub page: PagePath,
    /// The languages in which it was seen untranslated.
    pub locales: BTreeSet<Locale>,
    /// How many readers were counted.
    pub readers: u64,
    /// When it was first kept.
    pub first: Moment,
    /// When readers were last counted.
    pub last: Moment,
    /// What the owner said.
    pub standing: ReportStanding,
}

/// What a site's owner said of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportStanding {
    /// Nothing yet: no engine gets it.
    New,
    /// It is translated from the next build on.
    Taken,
    /// It is none of the site's.
    Dropped,
}

/// A text that enough readers saw.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The text.
    pub text: ReportedText,
    /// The page on which it was first seen.
    pub page: PagePath,
    /// The languages in which it was seen.
    pub locales: BTreeSet<Locale>,
    /// How many readers saw it.
    pub readers: u64,
}

type ReportRows<'t> = WriteTable<'t, (&'static str, &'static str), &'static [u8]>;

impl State {
    /// Keeps texts that enough readers saw, or counts these readers; gives how many there was no room for.
    pub fn keep_reports(
        &self,
        site: &SiteId,
        texts: &[Reported],
        now: Moment,
    ) -> Result<usize, StateError> {
        self.write("keep reports of readers in", |transaction| {
            let mut table = transaction.open_table(REPORTS)?;
            let mut left_out = 0;
            let mut room = ReportRoom::of(&table, site)?;
            for told in texts {
                let text = told.text.as_str();
                let known = row(&table, site, text)?;
                if known.is_none() && !room.take(&mut table, site)? {
                    left_out += 1;
                    continue;
                }
                let mut record = known.unwrap_or_else(|| ReportRecord::new(&told.page, now));
                if record.standing == ReportStanding::New {
                    record.locales.extend(told.locales.iter().cloned());
                    record.readers += told.readers;
                    record.last = now;
                    table.insert((site.as_str(), text), json(&record)?.as_slice())?;
                }
            }
            Ok(left_out)
        })
    }

    /// The texts that readers' browsers told of, and those that were taken before this state was made.
    pub fn reports(&self, site: &SiteId) -> Result<BTreeMap<String, ReportRecord>, StateError> {
        let taken = self.taken(site)?;
        self.read("read reports of readers from", |transaction| {
            let mut found = taken;
            for entry in transaction
                .open_table(REPORTS)?
                .range(of_site(site, &after(site)))?
            {
                let (key, value) = entry?;
                let text = key.value().1;
                found.insert(text.to_owned(), parsed(value.value(), || name(site, text))?);
            }
            Ok(found)
        })
    }

    /// The taken texts that the sources name, of which there may be no row.
    fn taken(&self, site: &SiteId) -> Result<BTreeMap<String, ReportRecord>, StateError> {
        let mut found = BTreeMap::new();
        for (page, source) in self.sources_with(site, "\"taken\":")? {
            let taken = ReportRecord {
                standing: ReportStanding::Taken,
                ..ReportRecord::new(&page, Moment::default())
            };
            found.extend(
                source
                    .taken
                    .iter()
                    .map(|text| (text.clone(), taken.clone())),
            );
        }
        Ok(found)
    }

    /// Writes down what the owner said of some texts; gives those that nobody told of.
    pub fn settle_reports(
        &self,
        site: &SiteId,
        texts: &[String],
        standing: ReportStanding,
        now: Moment,
    ) -> Result<Vec<String>, StateError> {
        let taken = self.taken(site)?;
        self.write("settle reports of readers in", |transaction| {
            let mut table = transaction.open_table(REPORTS)?;
            let mut unknown = Vec::new();
            for text in texts {
                let known = row(&table, site, text)?.or_else(|| taken.get(text).cloned());
                match known {
                    Some(record) => {
                        let record = ReportRecord {
                            standing,
                            last: now,
                            ..record
                        };
                        table.insert((site.as_str(), text.as_str()), json(&record)?.as_slice())?;
                    }
                    None => unknown.push(text.clone()),
                }
            }
            Ok(unknown)
        })
    }
}

impl ReportRecord {
    /// Its place in a list: new ones first, and of these the ones that most readers saw.
    pub fn place(&self) -> (ReportStanding, Reverse<u64>) {
        (self.standing, Reverse(self.readers))
    }

    fn new(page: &PagePath, now: Moment) -> Self {
        let locales = BTreeSet::new();
        let standing = ReportStanding::New;
        Self {
            page: page.clone(),
            locales,
            readers: 0,
            first: now,
            last: now,
            standing,
        }
    }
}

fn name(site: &SiteId, text: &str) -> String {
    format!("report {site} {text:?}")
}

fn row(
    table: &ReportRows<'_>,
    site: &SiteId,
    text: &str,
) -> Result<Option<ReportRecord>, StateFault> {
    let value = table.get((site.as_str(), text))?;
    value
        .map(|value| parsed(value.value(), || name(site, text)))
        .transpose()
}

/// What there is room for: the text that was dropped the longest time ago gives way to a new one.
struct ReportRoom {
    /// Texts that nobody took.
    open: usize,
    /// Those among them that the owner dropped, by when that was.
    dropped: BTreeSet<(Moment, String)>,
}

impl ReportRoom {
    fn of(table: &ReportRows<'_>, site: &SiteId) -> Result<Self, StateFault> {
        let mut room = Self {
            open: 0,
            dropped: BTreeSet::new(),
        };
        for entry in table.range(of_site(site, &after(site)))? {
            let (key, value) = entry?;
            let text = key.value().1;
            let record: ReportRecord = parsed(value.value(), || name(site, text))?;
            room.open += usize::from(record.standing != ReportStanding::Taken);
            if record.standing == ReportStanding::Dropped {
                room.dropped.insert((record.last, text.to_owned()));
            }
        }
        Ok(room)
    }

    /// Makes room for one more text; whether there is some.
    fn take(&mut self, table: &mut ReportRows<'_>, site: &SiteId) -> Result<bool, StateFault> {
        if self.open < MOST {
            self.open += 1;
            return Ok(true);
        }
        let Some((_, text)) = self.dropped.pop_first() else {
            return Ok(false);
        };
        table.remove((site.as_str(), text.as_str()))?;
        Ok(true)
    }
}
