//! Facts about the versions of pages that earlier builds made, and about those of this build.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use super::key::KeyInputs;
use crate::addresses::{Addresses, PathAnswers};
use crate::model::{DeploymentId, Locale, PagePath};
use crate::run::words::people::People;
use crate::state::{RenderedRow, RenderedRows, SpillFile, SpillSpan, VersionsRecord};

/// The print of a version that is rendered each time, because something is said of it or it is no version of today.
pub(in crate::run) const NO_PRINT: [u8; 32] = [0; 32];

/// What all pages have in common and others may change at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct RenderEnvironment {
    pub(in crate::run) program: [u8; 32],
    /// With the templates.
    pub(in crate::run) settings: [u8; 32],
}

/// Fingerprint of what a version reads beside what it asks of other paths, and beside what all have in common.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct VersionReads {
    pub(in crate::run) source: [u8; 32],
    pub(in crate::run) words: [u8; 32],
    /// What refers to other pages.
    pub(super) graph: [u8; 32],
}

/// Input of the fast path that skips key comparisons (`unchanged_versions.rs`).
#[derive(Debug, Default)]
pub(in crate::run) struct UnchangedVersions {
    /// Fingerprint of all questions about other pages; `None` if this build and the next compare every version.
    pub(in crate::run) outline: Option<[u8; 32]>,
    /// What the last build left; nothing where all have to be compared.
    pub(in crate::run) last: Option<VersionsRecord>,
}

/// What this build's versions are made of.
#[derive(Debug, Default)]
pub(in crate::run) struct MadeVersions {
    /// Those of which it was known before.
    again: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Pages with versions that are rendered each time, or that bring a file along.
    pub(in crate::run) compared: BTreeSet<PagePath>,
    /// Those of which something else was known, or nothing, with the places of their rows: a large site has a hundred thousand.
    new: BTreeMap<Locale, Vec<(PagePath, SpillSpan)>>,
    /// The rows as they will be kept.
    rows: SpillFile,
}

impl MadeVersions {
    pub(in crate::run) fn on(rows: SpillFile) -> Self {
        Self {
            rows,
            ..Self::default()
        }
    }

    /// Whether a version was made of which it was known before what it was made of.
    pub(super) fn has_again(&self, locale: &Locale, path: &PagePath) -> bool {
        self.again
            .get(locale)
            .is_some_and(|pages| pages.contains(path))
    }

    /// The rows that have to be kept; one that the disk does not give back is not.
    pub(in crate::run) fn rows(&self) -> impl Iterator<Item = (&Locale, &PagePath, Vec<u8>)> {
        let new = self
            .new
            .iter()
            .flat_map(|(locale, pages)| pages.iter().map(move |(path, row)| (locale, path, *row)));
        new.filter_map(|(locale, path, row)| {
            Some((
                locale,
                path,
                self.rows.get(row, |bytes| Some(bytes.to_vec()))?,
            ))
        })
    }

    /// Whether the disk gave all of them back.
    pub(super) fn are_all_there(&self) -> bool {
        self.rows.check().is_ok()
    }
}

/// What is known of the versions that were made before, and what this build makes.
#[derive(Debug, Default)]
pub(in crate::run) struct KnownVersions {
    /// Inputs of keys.
    pub(in crate::run) inputs: KeyInputs,
    pub(in crate::run) known: RenderedRows,
    pub(in crate::run) unchanged: UnchangedVersions,
    /// What all pages have in common and others may change at any time.
    pub(in crate::run) environment: RenderEnvironment,
    /// Where pages are and which exist.
    pub(in crate::run) answers: PathAnswers,
    pub(in crate::run) made: Mutex<MadeVersions>,
    /// Lists of all pages that this build puts, such as sitemaps, in the trees of locales or in that which all share.
    pub(in crate::run) lists: Mutex<Vec<(Option<Locale>, String)>>,
    /// Reviewed translations, for cached pages that must be rendered anyway.
    pub(in crate::run) people: OnceCell<BTreeMap<Locale, People>>,
}

impl KnownVersions {
    /// The same, for pages that lead to each other so.
    pub(in crate::run) fn among(self, addresses: &Addresses) -> Self {
        Self {
            answers: addresses.answers(),
            ..self
        }
    }

    /// The key of a version that asked for some paths, with its parts; `reads` has the fingerprints of all else.
    pub(in crate::run) fn key_among(
        &self,
        reads: &VersionReads,
        asked: &[u32],
    ) -> ([u8; 32], [u32; 5]) {
        let mut graph = self.inputs.key();
        graph.add(&reads.graph);
        graph.add(&self.answers.sign(asked));
        let parts = [
            self.environment.program,
            self.environment.settings,
            reads.source,
            reads.words,
            graph.bytes(),
        ];
        let mut key = self.inputs.key();
        parts.iter().for_each(|part| key.add(part));
        let short = |part: [u8; 32]| {
            part.first_chunk()
                .map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        (key.bytes(), parts.map(short))
    }

    pub(in crate::run) fn row(&self, locale: &Locale, path: &PagePath) -> Option<&RenderedRow> {
        self.known.get(locale)?.get(path)
    }

    /// Takes note of what a version was made of, once: the draft takes each version once.
    pub(in crate::run) fn note(&self, locale: &Locale, path: &PagePath, row: &RenderedRow) {
        let known = self.row(locale, path);
        let mut made = self.made();
        if known.is_some() {
            made.again
                .entry(locale.clone())
                .or_default()
                .insert(path.clone());
        }
        if row.print == NO_PRINT || row.file.is_some() {
            made.compared.insert(path.clone());
        }
        if known != Some(row) {
            let place = made.rows.put(&row.to_bytes());
            made.new
                .entry(locale.clone())
                .or_default()
                .push((path.clone(), place));
        }
    }

    /// Never held across an await.
    pub(in crate::run) fn noted_lists(&self) -> MutexGuard<'_, Vec<(Option<Locale>, String)>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never held across an await.
    pub(in crate::run) fn made(&self) -> MutexGuard<'_, MadeVersions> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the next build need not compare, after this one put all versions.
pub(in crate::run) fn versions_record(
    carry: &KnownVersions,
    deployment: DeploymentId,
) -> Option<VersionsRecord> {
    let compared = carry.made().compared.clone();
    let lists = carry.noted_lists().clone();
    Some(VersionsRecord {
        outline: carry.unchanged.outline?,
        deployment,
        compared,
        lists,
    })
}
