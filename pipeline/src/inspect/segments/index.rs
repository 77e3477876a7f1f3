//! What memory holds of the segments of a site: the texts, shared by all locales, and the translations of each locale.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::strings::Strings;
use crate::model::{Locale, PagePath, SegmentKey};

/// The texts of a site.
#[derive(Debug, Default)]
pub(super) struct SourceSegments {
    pub(super) keys: Vec<SegmentKey>,
    /// Numbers of the texts, in the order of their keys.
    pub(super) by_key: Vec<u32>,
    /// The texts in their notation.
    pub(super) markup: Strings,
    /// The texts as people read them, in lower case.
    pub(super) read: Strings,
    /// The pages of the site.
    pub(super) pages: Vec<PagePath>,
    /// The pages of each text: where they begin among all of them.
    pub(super) page_starts: Vec<u32>,
    pub(super) pages_of: Vec<u32>,
    /// Numbers of the texts in the order of the alphabet, once somebody asks for it.
    pub(super) sorted: OnceLock<Vec<u32>>,
}

impl SourceSegments {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The number of a text.
    pub(super) fn find(&self, key: SegmentKey) -> Option<usize> {
        let wanted = key.as_bytes();
        let key_of = |index: u32| self.keys.get(index as usize).map(SegmentKey::as_bytes);
        let found = self
            .by_key
            .binary_search_by(|&index| key_of(index).cmp(&Some(wanted)))
            .ok()?;
        self.by_key.get(found).map(|&index| index as usize)
    }

    /// The pages of a text, in the order of paths.
    pub(super) fn pages(&self, index: usize) -> &[u32] {
        let begin = self.page_starts.get(index).copied().unwrap_or_default();
        let end = self.page_starts.get(index + 1).copied().unwrap_or_default();
        self.pages_of
            .get(begin as usize..end as usize)
            .unwrap_or_default()
    }

    /// Numbers of all texts in the order of the alphabet.
    pub(super) fn sorted(&self) -> &[u32] {
        self.sorted.get_or_init(|| {
            let mut sorted: Vec<u32> = (0..).take(self.len()).collect();
            sorted.sort_by_cached_key(|&index| self.read.get(index as usize));
            sorted
        })
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        let numbers =
            self.by_key.capacity() * 2 + self.page_starts.capacity() + self.pages_of.capacity();
        self.markup.memory()
            + self.read.memory()
            + self.keys.capacity() * size_of::<SegmentKey>()
            + numbers * size_of::<u32>()
            + self.pages.len() * 64
    }
}

/// State of a segment in a locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum SegmentState {
    /// Nobody has words for it, or what an engine gave was refused: readers get the source text.
    Untranslated,
    /// An engine made the words that readers get.
    Machine,
    /// Words of a person wait, marked as fuzzy.
    Draft,
    /// Words of a person wait, because the source text changed.
    Outdated,
    /// Words of a person are refused, because their codes are wrong.
    Refused,
    /// Words of a person stand.
    Approved,
    /// It needs no translation.
    Untouched,
}

impl SegmentState {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Untranslated,
        Self::Machine,
        Self::Draft,
        Self::Outdated,
        Self::Refused,
        Self::Approved,
        Self::Untouched,
    ];

    /// True if a person's words wait.
    pub fn is_to_review(self) -> bool {
        matches!(self, Self::Draft | Self::Outdated | Self::Refused)
    }
}

/// Origin of the words that readers get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SegmentOrigin {
    /// The source text stands.
    None,
    /// A person wrote them.
    Person,
    /// A person wrote them for a text of the same wording.
    Carried,
    /// An engine made them.
    Machine,
    /// Rules wrote the values of the text anew.
    Rules,
}

/// Words of a person that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingTranslation {
    /// The words.
    pub words: String,
    /// The text that they were written for, if it is another one.
    pub former: Option<String>,
}

/// What is known of a text in a locale, as short as it can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentRow {
    /// `None` where the locale needs no words.
    pub(super) state: Option<SegmentState>,
    pub(super) origin: SegmentOrigin,
    /// The engine, by its number.
    pub(super) engine: u16,
    /// The line of a person's words in their file; 0 if there is none.
    pub(super) line: u32,
}

/// The segments of a site in a locale.
#[derive(Debug)]
pub struct LocaleSegments {
    pub(super) locale: Locale,
    pub(super) source: Arc<SourceSegments>,
    pub(super) rows: Vec<SegmentRow>,
    /// The words that readers get, in the notation; empty where the source text stands.
    pub(super) markup: Strings,
    /// The same as people read them, in lower case.
    pub(super) read: Strings,
    pub(super) engines: Vec<String>,
    pub(super) waiting: HashMap<u32, WaitingTranslation>,
    pub(super) refused: HashMap<u32, Vec<String>>,
    pub(super) carried_from: HashMap<u32, String>,
}

/// A segment in a locale.
#[derive(Clone, Copy, Debug)]
pub struct SegmentView<'a> {
    /// Its key.
    pub key: SegmentKey,
    /// The source text, in the notation.
    pub source: &'a str,
    /// The words that readers get, in the notation; `None` if they get the source text.
    pub translation: Option<&'a str>,
    /// Its state.
    pub state: SegmentState,
    /// Origin of the words that readers get.
    pub origin: SegmentOrigin,
    /// The engine that made them, with its version and model.
    pub engine: Option<&'a str>,
    /// Line of a person's words in the file of translations.
    pub line: Option<u32>,
    /// The text that a person translated, if the words are carried from one of the same wording.
    pub carried_from: Option<&'a str>,
    /// Words of a person that wait.
    pub waiting: Option<&'a WaitingTranslation>,
    /// Reasons why words were refused.
    pub refused: &'a [String],
    /// Its first page.
    pub page: Option<&'a PagePath>,
    /// Number of its pages.
    pub pages: usize,
}

impl LocaleSegments {
    /// The locale.
    pub fn locale(&self) -> &Locale {
        &self.locale
    }

    /// A segment by its number; `None` where the locale needs no words for it.
    pub(super) fn view(&self, index: usize) -> Option<SegmentView<'_>> {
        let row = self.rows.get(index)?;
        let short = u32::try_from(index).ok()?;
        let source = &self.source;
        let pages = source.pages(index);
        let first = pages
            .first()
            .and_then(|page| source.pages.get(*page as usize));
        let stands = row.origin != SegmentOrigin::None;
        let is_machines = row.origin == SegmentOrigin::Machine;
        let engine = self.engines.get(usize::from(row.engine));
        Some(SegmentView {
            key: *source.keys.get(index)?,
            source: source.markup.get(index),
            translation: stands.then(|| self.markup.get(index)),
            state: row.state?,
            origin: row.origin,
            engine: engine.filter(|_| is_machines).map(String::as_str),
            line: (row.line > 0).then_some(row.line),
            carried_from: self.carried_from.get(&short).map(String::as_str),
            waiting: self.waiting.get(&short),
            refused: self
                .refused
                .get(&short)
                .map(Vec::as_slice)
                .unwrap_or_default(),
            page: first,
            pages: pages.len(),
        })
    }

    /// A segment by its key.
    pub fn get(&self, key: SegmentKey) -> Option<SegmentView<'_>> {
        self.view(self.source.find(key)?)
    }

    /// Bytes of memory, without the texts that locales share.
    pub(super) fn memory(&self) -> usize {
        let few = self.waiting.len() + self.refused.len() + self.carried_from.len();
        self.markup.memory()
            + self.read.memory()
            + self.rows.capacity() * size_of::<SegmentRow>()
            + few * 256
    }
}
