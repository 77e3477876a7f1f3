//! Size of the words that all pages of a language share for the live script.
//!
//! Scripts may put these words in on any page, so they are in one file as long as they are few. If they are many, that file
//! does not depend on the pages, and a page that scripts draw need not be read again unless it changed. Counting
//! them needs every page; updating a lower bound needs only the pages that changed.

use std::collections::HashSet;

use crate::model::Locale;
use crate::run::corpus::contents::{CachedTexts, Corpus};
use crate::run::pages::text_nodes::{flat, nodes, pairs};
use crate::run::words::texts::LocaleTexts;

/// Counting stops at this multiple of the limit, which leaves room for many changed pages before the next count.
const ENOUGH: u64 = 64;
/// Bytes of an entry beside its texts: quotes, colon and comma.
pub(in crate::run) const ENTRY: usize = 6;

/// Distinct source texts that the pages of a language add to its shared words.
pub(super) struct SharedTexts<'t> {
    texts: &'t LocaleTexts,
    enough: u64,
    bytes: u64,
    counted: HashSet<u32>,
    known: HashSet<[u8; 32]>,
}

impl<'t> SharedTexts<'t> {
    /// `limit` is the size above which no words are shared, in bytes.
    pub(in crate::run) fn new(texts: &'t LocaleTexts, limit: u64) -> Self {
        let enough = ENOUGH.saturating_mul(limit);
        Self {
            texts,
            enough,
            bytes: 0,
            counted: HashSet::new(),
            known: HashSet::new(),
        }
    }

    /// Adds the texts of a page.
    pub(in crate::run) fn add(&mut self, corpus: &Corpus, indices: &[u32]) {
        for &index in indices {
            if self.bytes > self.enough {
                return;
            }
            if !self.counted.insert(index) {
                continue;
            }
            let index = usize::try_from(index).ok();
            let text = index.and_then(|index| {
                Some((corpus.texts.get(index)?, self.texts.settled.text(index)?))
            });
            let Some((text, words)) = text else { continue };
            for (source, target) in pairs(&text.segment.text, &words) {
                if source != target && self.known.insert(blake3::hash(source.as_bytes()).into()) {
                    self.bytes += (source.len() + ENTRY) as u64;
                }
            }
        }
    }

    /// A lower bound of the shared words, in bytes.
    pub(in crate::run) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Corpus {
    /// True if pages that scripts draw were not read, which implies that no words are shared.
    pub(in crate::run) fn has_cached_drawn_pages(&self) -> bool {
        self.cached.keys().any(|path| self.is_drawn(path))
    }

    /// False if the words of pages that were not read may be few enough to be shared.
    pub(super) fn shares_nothing_unread(&self, limit: u64) -> bool {
        let mut locales = self
            .cached_texts
            .warnings
            .cached
            .iter()
            .map(|known| &known.locale);
        !self.has_cached_drawn_pages()
            || locales.all(|locale| self.known_shared_bytes(locale) > limit)
    }

    /// A lower bound of the shared words from pages that were cached before and did not change, in bytes.
    pub(super) fn known_shared_bytes(&self, locale: &Locale) -> u64 {
        let CachedTexts { warnings, gone, .. } = &self.cached_texts;
        let known = warnings.cached.iter().find(|known| known.locale == *locale);
        known.map_or(0, |known| {
            known.shared_bytes.saturating_sub(gone.shared_bytes)
        })
    }

    /// An upper bound of what a page adds to the shared words of any language, in bytes.
    pub(super) fn shared_bytes_of(&self, indices: &[u32]) -> u64 {
        let mut bytes = 0;
        for text in indices
            .iter()
            .filter_map(|&index| self.texts.get(usize::try_from(index).ok()?))
        {
            for node in nodes(&text.segment.text) {
                bytes += (flat(node).len() + ENTRY) as u64;
            }
        }
        bytes
    }
}
