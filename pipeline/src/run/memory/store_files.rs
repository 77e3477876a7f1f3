//! The memory and the object store: what other builders, or this one before it lost its state, were paid for is taken
//! from there, and what this one is paid for is written there.
//!
//! Files come before the note that they are there: a run that is killed in between writes those rows again, and takes the
//! file for one of another builder. What cannot be written stays marked, so the next run writes it; it never fails a run that has pages
//! to publish.

use std::collections::BTreeSet;
use std::time::Duration;

use super::new_rows::NewRows;
use crate::causes::chain;
use crate::counted::counted;
use crate::exchange::{MemoryRows, MemoryRowsError};
use crate::model::{Locale, SegmentKey, SiteId};
use crate::run::context::{Build, blocking};
use crate::run::error::BuildError;
use crate::run::options::Stores;
use crate::state::{KnownFile, MemoryImport, MemoryLedger, Unwritten};
use crate::store::{self, RowFile, RowKind, StoreError};

/// The most rows of a file that is written at once: they are in memory, several times over, while it is made.
const MOST_ROWS: usize = 20_000;
/// When a store that failed is tried again while engines go on.
pub(in crate::run) const TRIED_AGAIN: Duration = Duration::from_secs(60);
/// The most bytes of files that are brought together, for the same reason; larger ones stay what they are.
const MOST_BYTES: u64 = 4 << 20;
/// How many files a locale has before they are brought together; those that are large already are not among them.
const MOST_FILES: usize = 16;
/// From how many bytes on a file is large.
const LARGE: u64 = MOST_BYTES / 8;
/// How long a file that was brought together with others stays for those who listed it before.
const STAYS: Duration = Duration::from_secs(24 * 60 * 60);

/// The memory of one locale, here and in the object store.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct Memory<'a> {
    pub(in crate::run) stores: &'a Stores,
    pub(in crate::run) site: &'a SiteId,
    pub(in crate::run) locale: &'a Locale,
}

/// Why a file of the memory is skipped.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    /// Its bytes are not those that were written.
    #[error(transparent)]
    Damaged(StoreError),
    /// They say nothing that can be read.
    #[error("{name} cannot be read: {source}")]
    Unreadable {
        name: String,
        source: MemoryRowsError,
    },
}

pub(in crate::run) fn memory<'a>(build: &Build<'a>, locale: &'a Locale) -> Memory<'a> {
    Memory {
        stores: build.stores,
        site: &build.site.id,
        locale,
    }
}

/// Takes what the object store knows and the state does not, and says so.
pub(crate) async fn take_memory(
    build: &Build<'_>,
    locale: &Locale,
) -> Result<Vec<String>, BuildError> {
    let (taken, mut notices) = memory(build, locale).take().await?;
    if taken != MemoryImport::default() {
        let count = taken.new + taken.newer;
        notices.push(format!(
            "{locale}: took {} from the store, which this state did not know",
            counted(count, "translation")
        ));
        if build.site.max_chars_per_month.is_some() {
            notices.push(format!(
                "{locale}: what they cost is not in this state, so `max_chars_per_month` does not count it"
            ));
        }
    }
    Ok(notices)
}

/// Writes what the object store lacks; where that fails, the next run does it, and a notice says so.
pub(in crate::run) async fn write_memory(build: &Build<'_>, locale: &Locale) -> Option<String> {
    let error = memory(build, locale).write().await.err()?;
    Some(format!(
        "{locale}: the memory could not be written to the store, the next build does it: {}",
        chain(&error)
    ))
}

impl Memory<'_> {
    /// Takes what the object store knows and the state does not. Beside it stands which files are damaged.
    pub(in crate::run) async fn take(self) -> Result<(MemoryImport, Vec<String>), BuildError> {
        let mut notices = Vec::new();
        if !self.ledger().await?.is_marked {
            self.mark_all(Vec::new(), Vec::new()).await?;
        }
        // Before the list: a file that is written meanwhile is not one that is gone.
        let ledger = self.ledger().await?;
        let listed = store::row_files(
            &self.stores.objects,
            self.site,
            RowKind::Memory,
            self.locale,
        )
        .await?;
        let is_whole = |file: &&RowFile| {
            ledger
                .files
                .get(&file.name)
                .is_some_and(|known| known.size == file.size)
        };
        let (whole, mut others): (Vec<&RowFile>, Vec<&RowFile>) = listed.iter().partition(is_whole);
        let mut covered: BTreeSet<String> = whole
            .iter()
            .filter_map(|file| ledger.files.get(&file.name))
            .flat_map(|known| known.replaces.clone())
            .collect();
        let mut there: BTreeSet<&str> = whole.iter().map(|file| file.name.as_str()).collect();
        // What was brought together last spares reading what it was made of.
        others.sort_by(|one, other| {
            other
                .written
                .cmp(&one.written)
                .then_with(|| one.name.cmp(&other.name))
        });
        let mut sum = MemoryImport::default();
        let mut damaged = Vec::new();
        for file in others {
            if covered.contains(&file.name) {
                there.insert(&file.name);
                continue;
            }
            match self.read(file).await? {
                Ok(Some(rows)) => {
                    covered.extend(rows.replaces.iter().cloned());
                    there.insert(&file.name);
                    let taken = self.keep(file, rows).await?;
                    (sum.new, sum.newer) = (sum.new + taken.new, sum.newer + taken.newer);
                }
                Ok(None) => {}
                Err(problem) => {
                    let is_known = ledger.files.contains_key(&file.name);
                    notices.push(format!(
                        "memory of {}: {problem}; it is skipped; {}",
                        self.locale,
                        remedy(is_known)
                    ));
                    damaged.extend(is_known.then(|| file.name.clone()));
                }
            }
        }
        self.note_gone(&ledger, &there, &covered, damaged).await?;
        Ok((sum, notices))
    }

    /// Marks the rows for being written where files that had them are not there any more.
    async fn note_gone(
        self,
        ledger: &MemoryLedger,
        there: &BTreeSet<&str>,
        covered: &BTreeSet<String>,
        damaged: Vec<String>,
    ) -> Result<(), BuildError> {
        let gone: Vec<String> = ledger
            .files
            .keys()
            .filter(|name| !there.contains(name.as_str()))
            .cloned()
            .collect();
        if gone.iter().any(|name| !covered.contains(name)) {
            return self.mark_all(gone, damaged).await;
        }
        if gone.is_empty() {
            return Ok(());
        }
        self.change(move |ledger| ledger.files.retain(|name, _| !gone.contains(name)))
            .await
    }

    /// Marks all rows for being written, and forgets files that do not hold theirs any more.
    async fn mark_all(self, gone: Vec<String>, damaged: Vec<String>) -> Result<(), BuildError> {
        let site = self.site.clone();
        let locale = self.locale.clone();
        self.stores
            .with_state(move |state| state.mark_all_unwritten(&site, &locale))
            .await?;
        self.change(move |ledger| {
            ledger.files.retain(|name, _| !gone.contains(name));
            ledger.damaged.extend(damaged);
        })
        .await
    }

    async fn change(
        self,
        change: impl FnOnce(&mut MemoryLedger) + Send + 'static,
    ) -> Result<(), BuildError> {
        let site = self.site.clone();
        let locale = self.locale.clone();
        self.stores
            .with_state(move |state| state.change_memory_ledger(&site, &locale, change))
            .await
    }

    /// Writes the rows that the object store lacks, and keeps its files few.
    pub(in crate::run) async fn write(self) -> Result<(), BuildError> {
        let mut is_new = false;
        loop {
            let site = self.site.clone();
            let locale = self.locale.clone();
            let rows = self
                .stores
                .with_state(move |state| state.unwritten(&site, &locale, MOST_ROWS))
                .await?;
            if rows.is_empty() {
                break;
            }
            self.put_rows(rows).await?;
            is_new = true;
        }
        self.replace_damaged().await?;
        if is_new { self.tidy().await } else { Ok(()) }
    }

    /// Removes damaged files whose rows were written anew; one that got its own name again is whole.
    async fn replace_damaged(self) -> Result<(), BuildError> {
        let MemoryLedger { damaged, files, .. } = self.ledger().await?;
        if damaged.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = damaged
            .into_iter()
            .filter(|name| !files.contains_key(name))
            .collect();
        store::remove_row_files(
            &self.stores.objects,
            self.site,
            RowKind::Memory,
            self.locale,
            &names,
        )
        .await?;
        self.change(|ledger| ledger.damaged.clear()).await
    }

    /// Writes whenever enough is there, and little by little what earlier runs left, until no more come. What is left or fails is
    /// written at the end.
    pub(in crate::run) async fn write_along(self, new: &NewRows) {
        let mut has_older = true;
        while let Some(rows) = new.take().await {
            let before = rows.iter().map(|row| row.change).min().unwrap_or_default();
            let mut written = self.put_rows(rows).await;
            if written.is_ok() && has_older {
                written = self.write_older(before).await.map(|more| has_older = more);
            }
            if written.is_ok() {
                let _ = self.tidy().await;
                continue;
            }
            new.pause();
            has_older = true;
            while new.rest().await {
                if self.write_older(u64::MAX).await.is_ok() {
                    new.go_on();
                    break;
                }
            }
        }
    }

    /// Writes some of the rows of changes before that one; says whether there may be more.
    async fn write_older(self, before: u64) -> Result<bool, BuildError> {
        let site = self.site.clone();
        let locale = self.locale.clone();
        let mut rows = self
            .stores
            .with_state(move |state| state.unwritten(&site, &locale, MOST_ROWS))
            .await?;
        rows.retain(|row| row.change < before);
        let has_more = rows.len() == MOST_ROWS;
        if !rows.is_empty() {
            self.put_rows(rows).await?;
        }
        Ok(has_more)
    }

    /// Brings small files together, and removes those that were brought together a day ago.
    async fn tidy(self) -> Result<(), BuildError> {
        let objects = &self.stores.objects;
        let listed = store::row_files(objects, self.site, RowKind::Memory, self.locale).await?;
        let ledger = self.ledger().await?;
        let known = |file: &&RowFile| {
            ledger
                .files
                .get(&file.name)
                .is_some_and(|known| known.size == file.size)
        };
        let known: Vec<&RowFile> = listed.iter().filter(known).collect();
        let replaces = |file: &RowFile| {
            ledger
                .files
                .get(&file.name)
                .map(|known| known.replaces.as_slice())
        };
        let now = listed.iter().map(|file| file.written).max();
        let is_old = |file: &&&RowFile| {
            now.and_then(|now| now.duration_since(file.written).ok())
                .is_some_and(|age| age >= STAYS)
        };
        let covered = |file: &&RowFile| replaces(file).unwrap_or_default().to_vec();
        let old: BTreeSet<String> = known.iter().filter(is_old).flat_map(covered).collect();
        let gone: Vec<String> = known
            .iter()
            .map(|file| file.name.clone())
            .filter(|name| old.contains(name))
            .collect();
        store::remove_row_files(objects, self.site, RowKind::Memory, self.locale, &gone).await?;
        let all: BTreeSet<String> = known.iter().flat_map(covered).collect();
        let live = known
            .into_iter()
            .filter(|file| !all.contains(&file.name) && file.size < LARGE);
        let live: Vec<&RowFile> = live.collect();
        if live.len() <= MOST_FILES {
            return Ok(());
        }
        let mut files = Vec::new();
        let small = small(live);
        if small.len() < 2 {
            return Ok(());
        }
        for file in small {
            if let Ok(Some(rows)) = self.read(file).await? {
                files.push((file.name.clone(), rows));
            }
        }
        let mut merged = MemoryRows::merged(files);
        // What was removed already need not be named for ever.
        merged
            .replaces
            .retain(|name| listed.iter().any(|file| file.name == *name) && !gone.contains(name));
        self.put(merged, Vec::new()).await
    }

    async fn put_rows(self, rows: Vec<Unwritten>) -> Result<(), BuildError> {
        let marks = rows
            .iter()
            .map(|unwritten| (unwritten.key, unwritten.change))
            .collect();
        let rows = rows
            .into_iter()
            .map(|unwritten| (unwritten.key, unwritten.row))
            .collect();
        self.put(
            MemoryRows {
                rows,
                ..MemoryRows::default()
            },
            marks,
        )
        .await
    }

    /// Writes a file and notes that it has these rows.
    async fn put(self, file: MemoryRows, marks: Vec<(SegmentKey, u64)>) -> Result<(), BuildError> {
        let replaces = file.replaces.iter().cloned().collect();
        let bytes = blocking(move || file.to_bytes())
            .await?
            .map_err(|error| BuildError::Broken(error.to_string()))?;
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let name = store::put_row_file(
            &self.stores.objects,
            self.site,
            RowKind::Memory,
            self.locale,
            bytes.into(),
        )
        .await?;
        let site = self.site.clone();
        let locale = self.locale.clone();
        let known = KnownFile { size, replaces };
        self.stores
            .with_state(move |state| state.written(&site, &locale, (&name, known), &marks))
            .await
    }

    /// Reads a file; nothing where it is gone.
    async fn read(
        self,
        file: &RowFile,
    ) -> Result<Result<Option<MemoryRows>, Unusable>, BuildError> {
        let bytes = match store::row_file(
            &self.stores.objects,
            self.site,
            RowKind::Memory,
            self.locale,
            &file.name,
        )
        .await
        {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Ok(None)),
            Err(error @ StoreError::Damaged { .. }) => {
                return Ok(Err(Unusable::Damaged(error)));
            }
            Err(error) => return Err(error.into()),
        };
        let name = file.name.clone();
        let unreadable = |source| Unusable::Unreadable { name, source };
        blocking(move || MemoryRows::parse(&bytes).map(Some).map_err(unreadable)).await
    }

    async fn keep(self, file: &RowFile, rows: MemoryRows) -> Result<MemoryImport, BuildError> {
        let site = self.site.clone();
        let locale = self.locale.clone();
        let name = file.name.clone();
        let size = file.size;
        self.stores
            .with_state(move |state| state.take_memory(&site, &locale, (&name, size), &rows))
            .await
    }

    async fn ledger(self) -> Result<MemoryLedger, BuildError> {
        let site = self.site.clone();
        let locale = self.locale.clone();
        self.stores
            .with_state(move |state| state.memory_ledger(&site, &locale))
            .await
    }
}

/// What becomes of a damaged file.
fn remedy(is_known: bool) -> &'static str {
    if is_known {
        "this state knows what it said, and writes it anew"
    } else {
        "what it said has to be translated again where nothing else has it; delete it"
    }
}

/// The files that are worth bringing together: from the smallest on, while none is much larger than all before it, so
/// that a large one is not written again for a few small ones, nor all become too large to be held.
fn small(mut files: Vec<&RowFile>) -> Vec<&RowFile> {
    files.sort_by(|one, other| (one.size, &one.name).cmp(&(other.size, &other.name)));
    let mut sum = 0;
    let mut count = 0;
    for file in &files {
        // Two are always taken: otherwise files of very different sizes would never become fewer.
        if (count >= 2 && file.size > 2 * sum) || sum + file.size > MOST_BYTES {
            break;
        }
        sum += file.size;
        count += 1;
    }
    files.truncate(count);
    files
}

#[cfg(test)]
mod tests;
