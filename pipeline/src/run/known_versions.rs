//! What is known of the versions of pages that were made before, while a build makes new ones.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use super::key::Key;
use super::people::People;
use crate::addresses::{Addresses, Answers};
use crate::model::{Locale, PagePath};
use crate::store::{RenderedRow, RenderedRows};

/// What is known of the versions that were made before, and what this build makes.
#[derive(Debug, Default)]
pub(super) struct KnownVersions {
    pub(super) known: RenderedRows,
    /// Signs for what all pages have in common and others may change at any time: program, settings, templates.
    pub(super) ground: [u8; 32],
    /// Where pages are and which exist.
    pub(super) answers: Answers,
    pub(super) made: Mutex<RenderedRows>,
    /// People's words, for pages that stand and have to be rendered all the same.
    pub(super) people: OnceCell<BTreeMap<Locale, People>>,
}

impl KnownVersions {
    /// The same, for pages that lead to each other so.
    pub(super) fn among(self, addresses: &Addresses) -> Self {
        Self { answers: addresses.answers(), ..self }
    }

    /// The key of a version that asked for some paths, of one that signs for all else that it reads.
    pub(super) fn key_among(&self, key: [u8; 32], asked: &[u32]) -> [u8; 32] {
        let mut among = Key::default();
        among.add(&key);
        among.add(&self.answers.sign(asked));
        among.bytes()
    }

    pub(super) fn row(&self, locale: &Locale, path: &PagePath) -> Option<&RenderedRow> {
        self.known.get(locale)?.get(path)
    }

    /// Takes note of what a version was made of.
    pub(super) fn note(&self, locale: &Locale, path: &PagePath, row: RenderedRow) {
        self.made().entry(locale.clone()).or_default().insert(path.clone(), row);
    }

    /// Never held across an await.
    pub(super) fn made(&self) -> MutexGuard<'_, RenderedRows> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
