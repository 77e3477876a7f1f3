//! What engines translated, and how far that is known elsewhere: in the object store, and in a file beside the
//! configuration.
//!
//! A row that the object store lacks is marked in the same transaction that keeps it, and the mark goes when the file
//! with the row was written. So a run that is killed loses nothing: the next one writes what is still marked. A row is
//! only replaced by another one with other content; what stays equal counts as no change and is written nowhere again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::alike::Alike;
use super::backend::{ReadableTable, WriteTransaction};
use super::fault::StateFault;
use super::rows::{json, parsed};
use super::tables::{ALIKE, LEDGERS, MEMORY};
use super::unwritten::{self, UnwrittenMarks};
use super::{Spent, State, StateError, spent};
use crate::exchange::{MemoryRow, MemoryRows};
use crate::model::{Locale, SegmentKey, SiteId};
use crate::translate::Remembered;

/// The most texts that are looked at to find one that differs from another in numbers alone: a list of articles may have a hundred
/// thousand of one kind.
const MOST_ALIKE: usize = 1000;
const LOWEST_KEY: [u8; 16] = [0; 16];
const HIGHEST_KEY: [u8; 16] = [0xff; 16];

/// What a state knows of a locale's memory beside its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryLedger {
    /// How often rows changed.
    pub changes: u64,
    /// Whether rows that the object store lacks are marked. In a state of an older version none is.
    pub is_marked: bool,
    /// The files of the object store that were read or written, by name.
    pub files: BTreeMap<String, KnownFile>,
    /// Files of the object store that are damaged, and whose rows are here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
    /// The file beside the configuration, as it was when it and the rows were last the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<LinesMark>,
}

/// A file of the object store whose rows are here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    /// Its length.
    pub size: u64,
    /// The files whose place it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<String>,
}

/// A file beside the configuration, as it was once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesMark {
    /// Its path.
    pub path: String,
    /// What the disk says of it: length and times.
    pub stamp: String,
    /// blake3 of its bytes, in hexadecimal.
    pub hash: String,
    /// [`MemoryLedger::changes`] when it held all rows; nothing where it may hold fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<u64>,
}

/// A row that the object store lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The text.
    pub key: SegmentKey,
    /// The change that brought the row.
    pub change: u64,
    /// The row.
    pub row: MemoryRow,
}

/// What a file brought that was not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryImport {
    /// Texts that had no translation.
    pub new: usize,
    /// Texts that had an older one.
    pub newer: usize,
}

impl State {
    /// Keeps translations; an earlier one of the same key is replaced.
    pub fn remember(
        &self,
        site: &SiteId,
        locale: &Locale,
        translations: &[(SegmentKey, Remembered)],
    ) -> Result<(), StateError> {
        self.write("remember translations in", |transaction| {
            remember(transaction, site, locale, translations.to_vec()).map(drop)
        })
    }

    /// Keeps translations together with what was sent to engines to get them. Gives the rows that the object store lacks since, so
    /// that nobody needs to read them back.
    pub fn remember_paid(
        &self,
        site: &SiteId,
        locale: &Locale,
        translations: Vec<(SegmentKey, Remembered)>,
        spent: &Spent<'_>,
    ) -> Result<Vec<Unwritten>, StateError> {
        self.write("remember translations in", |transaction| {
            spent::add(transaction, spent)?;
            remember(transaction, site, locale, translations)
        })
    }

    /// Looks up translations; what is not there is left out.
    pub fn recall(
        &self,
        site: &SiteId,
        locale: &Locale,
        keys: &[SegmentKey],
    ) -> Result<HashMap<SegmentKey, Remembered>, StateError> {
        self.read("look up translations in", |transaction| {
            let table = transaction.open_table(MEMORY)?;
            let mut found = HashMap::with_capacity(keys.len());
            // In their order, those that lie together are looked up together.
            for key in keys.iter().collect::<BTreeSet<_>>() {
                if let Some(value) = table.get((site.as_str(), locale.as_str(), key.as_bytes()))? {
                    found.insert(*key, parsed(value.value(), || row_of(site, locale, *key))?);
                }
            }
            Ok(found)
        })
    }

    /// Those keys of which the memory of a locale has nothing.
    pub fn lacking(
        &self,
        site: &SiteId,
        locale: &Locale,
        keys: &[SegmentKey],
    ) -> Result<BTreeSet<SegmentKey>, StateError> {
        self.read("look up translations in", |transaction| {
            let table = transaction.open_table(MEMORY)?;
            let mut lacking = BTreeSet::new();
            for key in keys.iter().collect::<BTreeSet<_>>() {
                if table
                    .get((site.as_str(), locale.as_str(), key.as_bytes()))?
                    .is_none()
                {
                    lacking.insert(*key);
                }
            }
            Ok(lacking)
        })
    }

    /// All translations of a locale, sorted by key.
    pub fn recall_all(
        &self,
        site: &SiteId,
        locale: &Locale,
    ) -> Result<Vec<(SegmentKey, Remembered)>, StateError> {
        self.read("read translations from", |transaction| {
            let table = transaction.open_table(MEMORY)?;
            let (lowest, highest) = ends(site, locale);
            let mut found = Vec::new();
            for row in table.range(lowest..=highest)? {
                let (key, value) = row?;
                let key = SegmentKey::from_bytes(*key.value().2);
                found.push((key, parsed(value.value(), || row_of(site, locale, key))?));
            }
            Ok(found)
        })
    }

    /// Translations of texts that have this in common with others.
    pub fn recall_alike(
        &self,
        site: &SiteId,
        locale: &Locale,
        likenesses: &BTreeSet<u64>,
    ) -> Result<Vec<Remembered>, StateError> {
        self.read("read translations from", |transaction| {
            let alike = transaction.open_table(ALIKE)?;
            let table = transaction.open_table(MEMORY)?;
            let site_id = site.as_str();
            let tag = locale.as_str();
            let mut found = Vec::new();
            for likeness in likenesses {
                let ends = (site_id, tag, *likeness, &LOWEST_KEY)
                    ..=(site_id, tag, *likeness, &HIGHEST_KEY);
                for row in alike.range(ends)?.take(MOST_ALIKE) {
                    let (at, _) = row?;
                    let (_, _, _, key) = at.value();
                    if let Some(value) = table.get((site_id, tag, key))? {
                        let row = || row_of(site, locale, SegmentKey::from_bytes(*key));
                        found.push(parsed(value.value(), row)?);
                    }
                }
            }
            Ok(found)
        })
    }

    /// Takes rows of a file of the object store, where they count more than those that are here.
    pub fn take_memory(
        &self,
        site: &SiteId,
        locale: &Locale,
        (name, size): (&str, u64),
        file: &MemoryRows,
    ) -> Result<MemoryImport, StateError> {
        self.write("take translations into", |transaction| {
            let mut taken = MemoryImport::default();
            {
                let mut table = transaction.open_table(MEMORY)?;
                let mut marks = UnwrittenMarks::open(transaction)?;
                let mut alike = Alike::open(transaction)?;
                let marked = marks.of(site, locale, |key| file.rows.contains_key(key))?;
                let mut remove_marks = |key: &SegmentKey| {
                    let mut changes = marked.get(key).into_iter().flatten();
                    changes
                        .try_for_each(|change| marks.remove(site, locale, *change, key.as_bytes()))
                };
                for (key, row) in &file.rows {
                    let at = (site.as_str(), locale.as_str(), key.as_bytes());
                    let known: Option<MemoryRow> = table
                        .get(at)?
                        .map(|value| parsed(value.value(), || row_of(site, locale, *key)))
                        .transpose()?;
                    match &known {
                        Some(known) if !row.supersedes(known) => {
                            if row == known {
                                remove_marks(key)?;
                            }
                            continue;
                        }
                        Some(_) => taken.newer += 1,
                        None => taken.new += 1,
                    }
                    table.insert(at, json(row)?.as_slice())?;
                    alike.note(site, locale, key.as_bytes(), &row.remembered.source)?;
                    remove_marks(key)?;
                }
            }
            change_ledger(transaction, site, locale, |ledger| {
                ledger.changes += u64::from(taken != MemoryImport::default());
                let replaces = file.replaces.iter().cloned().collect();
                ledger
                    .files
                    .insert(name.to_owned(), KnownFile { size, replaces });
            })?;
            Ok(taken)
        })
    }

    /// The rows that the object store lacks, of the first changes that marked some, sorted by key; one that changed several times may be
    /// there as often.
    pub fn unwritten(
        &self,
        site: &SiteId,
        locale: &Locale,
        most: usize,
    ) -> Result<Vec<Unwritten>, StateError> {
        self.read("read translations from", |transaction| {
            let table = transaction.open_table(MEMORY)?;
            let mut marked = unwritten::first(transaction, site, locale, most)?;
            // Those that lie together are read together.
            marked.sort_unstable();
            let mut found = Vec::with_capacity(marked.len());
            for (key, change) in marked {
                let Some(value) = table.get((site.as_str(), locale.as_str(), key.as_bytes()))?
                else {
                    continue;
                };
                found.push(Unwritten {
                    key,
                    change,
                    row: parsed(value.value(), || row_of(site, locale, key))?,
                });
            }
            Ok(found)
        })
    }

    /// Notes that a file of the object store has these rows, by the changes that brought them; one that changed since stays
    /// marked.
    pub fn written(
        &self,
        site: &SiteId,
        locale: &Locale,
        (name, file): (&str, KnownFile),
        marks: &[(SegmentKey, u64)],
    ) -> Result<(), StateError> {
        self.write("note what the store has in", |transaction| {
            {
                let mut unwritten = UnwrittenMarks::open(transaction)?;
                for (key, change) in marks {
                    unwritten.remove(site, locale, *change, key.as_bytes())?;
                }
            }
            change_ledger(transaction, site, locale, |ledger| {
                drop(ledger.files.insert(name.to_owned(), file))
            })
        })
    }

    /// Marks every row of a locale as one that the object store lacks, as of the last change: whoever is writing what was there before
    /// another change takes no mark of that away.
    pub fn mark_all_unwritten(&self, site: &SiteId, locale: &Locale) -> Result<(), StateError> {
        self.write("mark translations in", |transaction| {
            {
                let table = transaction.open_table(MEMORY)?;
                let mut marks = UnwrittenMarks::open(transaction)?;
                let change = ledger(transaction, site, locale)?.changes;
                marks.remove_all(site, locale)?;
                let (lowest, highest) = ends(site, locale);
                for row in table.range(lowest..=highest)? {
                    let (at, _) = row?;
                    marks.mark(site, locale, change, at.value().2)?;
                }
            }
            change_ledger(transaction, site, locale, |ledger| ledger.is_marked = true)
        })
    }

    /// The locales of a site with rows that the object store lacks.
    pub fn locales_with_unwritten(&self, site: &SiteId) -> Result<Vec<Locale>, StateError> {
        self.read("read translations from", |transaction| {
            unwritten::locales(transaction, site)
        })
    }

    /// What is known of a locale's memory beside its rows.
    pub fn memory_ledger(
        &self,
        site: &SiteId,
        locale: &Locale,
    ) -> Result<MemoryLedger, StateError> {
        self.read("read translations from", |transaction| {
            let table = transaction.open_table(LEDGERS)?;
            let value = table.get((site.as_str(), locale.as_str()))?;
            let row = || format!("memory ledger {site} {locale}");
            value
                .map(|value| parsed(value.value(), row))
                .transpose()
                .map(Option::unwrap_or_default)
        })
    }

    /// Changes what is known of a locale's memory beside its rows.
    pub fn change_memory_ledger(
        &self,
        site: &SiteId,
        locale: &Locale,
        change: impl FnOnce(&mut MemoryLedger),
    ) -> Result<(), StateError> {
        self.write("note what the memory is in", |transaction| {
            change_ledger(transaction, site, locale, change)
        })
    }
}

/// Keeps what differs from what is there, and marks it.
fn remember(
    transaction: &WriteTransaction,
    site: &SiteId,
    locale: &Locale,
    translations: Vec<(SegmentKey, Remembered)>,
) -> Result<Vec<Unwritten>, StateFault> {
    let change = ledger(transaction, site, locale)?.changes + 1;
    let mut kept = Vec::with_capacity(translations.len());
    {
        let mut table = transaction.open_table(MEMORY)?;
        let mut marks = UnwrittenMarks::open(transaction)?;
        let mut alike = Alike::open(transaction)?;
        for (key, remembered) in translations {
            let at = (site.as_str(), locale.as_str(), key.as_bytes());
            let known: Option<MemoryRow> = table
                .get(at)?
                .map(|value| parsed(value.value(), || row_of(site, locale, key)))
                .transpose()?;
            let generation = match known {
                Some(known) if known.remembered == remembered => continue,
                Some(known) => known.generation + 1,
                None => 0,
            };
            let row = MemoryRow {
                remembered,
                generation,
            };
            table.insert(at, json(&row)?.as_slice())?;
            marks.mark(site, locale, change, key.as_bytes())?;
            alike.note(site, locale, key.as_bytes(), &row.remembered.source)?;
            kept.push(Unwritten { key, change, row });
        }
    }
    if !kept.is_empty() {
        change_ledger(transaction, site, locale, |ledger| ledger.changes = change)?;
    }
    Ok(kept)
}

fn ledger(
    transaction: &WriteTransaction,
    site: &SiteId,
    locale: &Locale,
) -> Result<MemoryLedger, StateFault> {
    let table = transaction.open_table(LEDGERS)?;
    let value = table.get((site.as_str(), locale.as_str()))?;
    let row = || format!("memory ledger {site} {locale}");
    value
        .map(|value| parsed(value.value(), row))
        .transpose()
        .map(Option::unwrap_or_default)
}

fn change_ledger(
    transaction: &WriteTransaction,
    site: &SiteId,
    locale: &Locale,
    change: impl FnOnce(&mut MemoryLedger),
) -> Result<(), StateFault> {
    let mut changed = ledger(transaction, site, locale)?;
    change(&mut changed);
    transaction
        .open_table(LEDGERS)?
        .insert((site.as_str(), locale.as_str()), json(&changed)?.as_slice())?;
    Ok(())
}

type MemoryRowKey<'a> = (&'a str, &'a str, &'a [u8; 16]);

/// The first and the last place that a locale's rows can have.
fn ends<'a>(site: &'a SiteId, locale: &'a Locale) -> (MemoryRowKey<'a>, MemoryRowKey<'a>) {
    (
        (site.as_str(), locale.as_str(), &LOWEST_KEY),
        (site.as_str(), locale.as_str(), &HIGHEST_KEY),
    )
}

fn row_of(site: &SiteId, locale: &Locale, key: SegmentKey) -> String {
    format!("memory {site} {locale} {key}")
}
