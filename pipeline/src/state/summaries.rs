//! What callers of the API said about locales: their summaries, kept apart from what runs made of a locale.

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::fault::StateFault;
use super::rows::{after, json, of_site, parsed};
use super::tables::SUMMARIES;
use super::{State, StateError};
use crate::model::{Locale, Moment, SiteId};

/// How often somebody wants to hear of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// Every day.
    Daily,
    /// Every week.
    Weekly,
    /// Never.
    Off,
}

/// What callers of the API said about a locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryRecord {
    /// How often the locale's summary is wanted.
    pub frequency: Frequency,
    /// When that was first said.
    pub created: Moment,
    /// When that was last said.
    pub updated: Moment,
    /// The summary, if one was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SentSummary>,
}

/// The fields of a summary that were sent; the others are computed whenever it is read. The times that a caller says are
/// numbers of milliseconds since 1970, for they may lie before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SentSummary {
    /// The name of the time it is about.
    pub period: Option<String>,
    /// Where that time begins.
    pub range_start: Option<i64>,
    /// Where it ends.
    pub range_end: Option<i64>,
    /// Pages that are there in the locale.
    pub pages_translated: Option<u64>,
    /// Pages that changed in that time.
    pub pages_updated: Option<u64>,
    /// When pages last appeared.
    pub last_deployment: Option<i64>,
    /// One line for a digest.
    pub headline: Option<String>,
    /// More lines.
    pub notes: Option<String>,
    /// When the locale's first summary was sent.
    pub created: Moment,
    /// When this one was sent.
    pub updated: Moment,
}

impl State {
    /// Replaces what is given of a locale's summary and keeps the rest; gives what is kept then.
    pub fn put_summary(
        &self,
        site: &SiteId,
        locale: &Locale,
        frequency: Option<Frequency>,
        summary: Option<SentSummary>,
        now: Moment,
    ) -> Result<SummaryRecord, StateError> {
        self.write("keep a summary in", |transaction| {
            let mut table = transaction.open_table(SUMMARIES)?;
            let key = (site.as_str(), locale.as_str());
            let row = || format!("summary {site} {locale}");
            let old = table
                .get(key)?
                .map(|value| parsed::<SummaryRecord>(value.value(), row))
                .transpose()?;
            let record = SummaryRecord::after(old, frequency, summary, now);
            table.insert(key, json(&record)?.as_slice())?;
            Ok(record)
        })
    }

    /// The summaries of a site, sorted by locale.
    pub fn summaries(&self, site: &SiteId) -> Result<Vec<(Locale, SummaryRecord)>, StateError> {
        self.read("read summaries from", |transaction| {
            let table = transaction.open_table(SUMMARIES)?;
            let mut found = Vec::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("summary {site} {}", key.value().1);
                let locale =
                    Locale::parse(key.value().1).map_err(|error| StateFault::row(row(), error))?;
                found.push((locale, parsed(value.value(), row)?));
            }
            Ok(found)
        })
    }
}

impl SummaryRecord {
    /// What is kept after a caller sent `frequency`, `summary` or both.
    fn after(
        old: Option<Self>,
        frequency: Option<Frequency>,
        summary: Option<SentSummary>,
        now: Moment,
    ) -> Self {
        let old = old.unwrap_or(Self {
            frequency: Frequency::Off,
            created: now,
            updated: now,
            summary: None,
        });
        let first = old.summary.as_ref().map_or(now, |summary| summary.created);
        Self {
            frequency: frequency.unwrap_or(old.frequency),
            created: old.created,
            updated: if frequency.is_some() {
                now
            } else {
                old.updated
            },
            summary: summary
                .map(|summary| SentSummary {
                    created: first,
                    updated: now,
                    ..summary
                })
                .or(old.summary),
        }
    }
}
