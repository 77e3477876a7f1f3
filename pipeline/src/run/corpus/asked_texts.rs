//! Texts that search indexes look up in the site's translations: entry titles, breadcrumbs, object types. A text counts if it is a
//! segment of any page, including pages that this build did not read.

use std::collections::{BTreeMap, BTreeSet};

use super::text_table::TextTable;
use crate::model::{Locale, SegmentKey};
use crate::page::{CodedText, TextClass};
use crate::search::RecognizedIndex;

/// Texts that the site's search indexes look up, and the pages that have them.
#[derive(Debug, Default)]
pub(in crate::run) struct AskedTexts {
    pub(in crate::run) texts: BTreeMap<SegmentKey, String>,
    /// Indices of the texts that this build read.
    pub(in crate::run) read: BTreeMap<SegmentKey, u32>,
    /// Keys of the texts that only unread pages have.
    pub(in crate::run) cached: BTreeSet<SegmentKey>,
}

impl AskedTexts {
    /// Collects the texts of `indexes` and finds those that this build read.
    pub(in crate::run) fn of(
        indexes: &[RecognizedIndex],
        texts: &TextTable,
        source: &Locale,
    ) -> Self {
        let key = |text: &str| {
            SegmentKey::new(
                source,
                TextClass::Prose.as_str(),
                &CodedText::plain(text).to_markup(),
            )
        };
        let asked: BTreeMap<SegmentKey, String> = indexes
            .iter()
            .flat_map(RecognizedIndex::texts)
            .map(|text| (key(text), text.to_owned()))
            .collect();
        let mut read = BTreeMap::new();
        if !asked.is_empty() {
            read.extend(
                (0..)
                    .zip(texts.keys())
                    .filter(|(_, key)| asked.contains_key(key))
                    .map(|(index, key)| (key, index)),
            );
        }
        Self {
            texts: asked,
            read,
            cached: BTreeSet::new(),
        }
    }

    /// Keys of all texts.
    pub(in crate::run) fn keys(&self) -> impl Iterator<Item = SegmentKey> {
        self.texts.keys().copied()
    }

    /// Records which texts unread pages have.
    pub(in crate::run) fn keep_cached(&mut self, is_cached: impl Fn(SegmentKey) -> bool) {
        self.cached = self.keys().filter(|key| is_cached(*key)).collect();
    }
}
