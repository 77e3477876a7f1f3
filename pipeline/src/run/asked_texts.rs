//! Texts for which search indexes want the site's own words: titles of entries, steps to them, kinds of objects. They count where
//! they stand by themselves on any page, also on one that stands and was not read.

use std::collections::{BTreeMap, BTreeSet};

use super::text_table::TextTable;
use crate::model::{Locale, SegmentKey};
use crate::page::{CodedText, TextClass};
use crate::search::Index;

/// The texts of a site's indexes, and where they stand.
#[derive(Debug, Default)]
pub(super) struct AskedTexts {
    pub(super) texts: BTreeMap<SegmentKey, String>,
    /// Those that were read, with their indices.
    pub(super) read: BTreeMap<SegmentKey, u32>,
    /// Those of pages that stand.
    pub(super) standing: BTreeSet<SegmentKey>,
}

impl AskedTexts {
    /// The texts of some indexes, and which of them were read.
    pub(super) fn of(indexes: &[Index], texts: &TextTable, source: &Locale) -> Self {
        let key = |text: &str| SegmentKey::new(source, TextClass::Prose.as_str(), &CodedText::plain(text).to_markup());
        let asked: BTreeMap<SegmentKey, String> =
            indexes.iter().flat_map(Index::texts).map(|text| (key(text), text.to_owned())).collect();
        let mut read = BTreeMap::new();
        if !asked.is_empty() {
            read.extend(
                (0..).zip(texts.keys()).filter(|(_, key)| asked.contains_key(key)).map(|(index, key)| (key, index)),
            );
        }
        Self { texts: asked, read, standing: BTreeSet::new() }
    }

    /// The keys of all.
    pub(super) fn keys(&self) -> impl Iterator<Item = SegmentKey> {
        self.texts.keys().copied()
    }

    /// Takes note of those that pages have that stand.
    pub(super) fn stand(&mut self, stands: impl Fn(SegmentKey) -> bool) {
        self.standing = self.keys().filter(|key| stands(*key)).collect();
    }
}
