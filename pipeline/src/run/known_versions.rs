//! What is known of the versions of pages that were made before, while a build makes new ones.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use super::key::Key;
use super::people::People;
use crate::model::{Locale, PagePath};
use crate::store::{RenderedRow, RenderedRows};

/// What is known of the versions that were made before, and what this build makes.
#[derive(Debug, Default)]
pub(super) struct KnownVersions {
    pub(super) known: RenderedRows,
    /// Signs for what all pages have in common and others may change at any time: program, settings, templates.
    pub(super) ground: [u8; 32],
    /// The same, of where pages are and which exist.
    pub(super) graph: [u8; 32],
    pub(super) made: Mutex<RenderedRows>,
    /// People's words, for pages that stand and have to be rendered all the same.
    pub(super) people: OnceCell<BTreeMap<Locale, People>>,
}

impl KnownVersions {
    /// The same, for pages that lead to each other so.
    pub(super) fn among(self, addresses: &impl std::fmt::Debug) -> Self {
        let mut key = Key::default();
        key.add_debug(addresses);
        Self { graph: key.bytes(), ..self }
    }

    pub(super) fn row(&self, locale: &Locale, path: &PagePath) -> Option<&RenderedRow> {
        self.known.get(locale)?.get(path)
    }

    /// Takes note of what a version was made of.
    pub(super) fn note(&self, locale: &Locale, path: &PagePath, key: [u8; 32], print: [u8; 32]) {
        self.made().entry(locale.clone()).or_default().insert(path.clone(), RenderedRow { key, print });
    }

    /// Never held across an await.
    pub(super) fn made(&self) -> MutexGuard<'_, RenderedRows> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
