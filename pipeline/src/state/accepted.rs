//! What a site's next crawl is held against, beside the sources themselves: what the last 24 hours lost, and the settings
//! under which the source was taken.
//!
//! Sources, this row and the run whose source was accepted change in one transaction, so that a run that is cut off has
//! accepted all of it or nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::backend::{ReadableTable, WriteTransaction};
use super::fault::StateFault;
use super::rows::{json, parsed};
use super::sources::{change_sources, put_sources};
use super::tables::{ACCEPTED, RUNS};
use super::{RunRecord, SourceRecords, State, StateError};
use crate::model::{Moment, PagePath, RunId, SiteId};

/// What is remembered of the accepted source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptedSource {
    /// The settings under which it was taken; none where a version took it that did not write them down.
    pub settings: Option<CrawlSettings>,
    /// Pages that crawls were allowed to lose, and when.
    pub lost: BTreeMap<PagePath, Moment>,
    /// Pages that were allowed to get one text, when, and which.
    pub alike: BTreeMap<PagePath, (Moment, String)>,
    /// Texts of pages that were kept out: pages known as errors.
    pub errors: BTreeSet<String>,
}

/// The settings that decide which pages a crawl takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CrawlSettings {
    /// Patterns of paths that belong to the site.
    pub include: Vec<String>,
    /// Patterns of paths that do not.
    pub exclude: Vec<String>,
    /// Parameters that name pages.
    pub query: Vec<String>,
    /// Where our own output lies.
    pub translated: Vec<String>,
    /// Most pages taken.
    pub max_pages: usize,
    /// Whether there were more.
    pub truncated: bool,
}

/// What becomes of the rows of a site's sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceRows {
    /// These are all.
    All(SourceRecords),
    /// These are new or other than before, for who knows what is recorded: of many few change.
    Changed {
        /// The new rows.
        records: SourceRecords,
        /// Whose rows go.
        gone: BTreeSet<PagePath>,
    },
}

impl State {
    /// What is remembered of a site's accepted source.
    pub fn accepted_source(&self, site: &SiteId) -> Result<AcceptedSource, StateError> {
        self.read("read the accepted source from", |transaction| {
            let table = transaction.open_table(ACCEPTED)?;
            let value = table.get(site.as_str())?;
            let row = || format!("accepted source of {site}");
            Ok(value
                .map(|value| parsed(value.value(), row))
                .transpose()?
                .unwrap_or_default())
        })
    }

    /// Makes these the site's sources and remembers what the next crawl is held against. `accepting` is a run whose
    /// source was accepted, and by which run; it cannot be accepted again.
    pub fn accept_sources(
        &self,
        site: &SiteId,
        sources: &SourceRows,
        accepted: &AcceptedSource,
        accepting: Option<(RunId, RunId)>,
    ) -> Result<(), StateError> {
        self.write("record sources in", |transaction| {
            match sources {
                SourceRows::All(records) => put_sources(transaction, site, records)?,
                SourceRows::Changed { records, gone } => {
                    change_sources(transaction, site, records, gone)?
                }
            }
            transaction
                .open_table(ACCEPTED)?
                .insert(site.as_str(), json(accepted)?.as_slice())?;
            if let Some((suspect, by)) = accepting {
                mark_accepted(transaction, site, suspect, by)?;
            }
            Ok(())
        })
    }
}

fn mark_accepted(
    transaction: &WriteTransaction,
    site: &SiteId,
    suspect: RunId,
    by: RunId,
) -> Result<(), StateFault> {
    let mut table = transaction.open_table(RUNS)?;
    let id = suspect.to_string();
    let row = || format!("run {site} {suspect}");
    let run = table
        .get((site.as_str(), id.as_str()))?
        .map(|value| parsed::<RunRecord>(value.value(), row))
        .transpose()?;
    let Some(mut run) = run else { return Ok(()) };
    if let Some(found) = &mut run.suspect {
        found.accepted_by = Some(by);
    }
    table.insert((site.as_str(), id.as_str()), json(&run)?.as_slice())?;
    Ok(())
}
