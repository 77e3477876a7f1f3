//! In-memory index of the segments of a site: the texts, shared by all locales, and the translations of each locale.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::strings::Strings;
use crate::model::{Locale, PagePath, SegmentKey};
use crate::page::CodedText;
use crate::state::PersonState;

/// Most edits applied to a loaded locale; beyond this, the locale is loaded again.
const MOST_EDITED: usize = 1000;

/// A text as searches compare it: in lower case, and each white space, such as one without a break, as a space.
pub(super) fn folded(text: &str) -> String {
    let letters = text.chars().flat_map(char::to_lowercase);
    letters
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .collect()
}

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
    /// A person wants the source text to stand until there are other words.
    Rejected,
    /// Words of a person stand.
    Approved,
    /// Words of a person stand, and nothing changes them.
    Locked,
    /// It needs no translation.
    Untouched,
}

impl SegmentState {
    /// All states.
    pub const ALL: [Self; 9] = [
        Self::Untranslated,
        Self::Machine,
        Self::Draft,
        Self::Outdated,
        Self::Refused,
        Self::Rejected,
        Self::Approved,
        Self::Locked,
        Self::Untouched,
    ];

    /// The word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Untranslated => "untranslated",
            Self::Machine => "machine",
            Self::Draft => "draft",
            Self::Outdated => "outdated",
            Self::Refused => "refused",
            Self::Rejected => "rejected",
            Self::Approved => "approved",
            Self::Locked => "locked",
            Self::Untouched => "untouched",
        }
    }

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
    /// Rules reformatted the values in the text.
    Rules,
}

impl SegmentOrigin {
    /// All origins.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Person,
        Self::Carried,
        Self::Machine,
        Self::Rules,
    ];

    /// The word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::None => "source",
            Self::Person => "person",
            Self::Carried => "carried",
            Self::Machine => "machine",
            Self::Rules => "rules",
        }
    }
}

/// Words of a person that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingTranslation {
    /// The words.
    pub words: String,
    /// The text that they were written for, if it is another one.
    pub former: Option<String>,
}

/// Compact facts about a text in a locale.
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

/// Segments of a locale as they were loaded, without later edits.
#[derive(Debug, Default)]
pub(super) struct LoadedLocale {
    pub(super) rows: Vec<SegmentRow>,
    /// The words that readers get, in the notation; empty where the source text stands.
    pub(super) markup: Strings,
    /// The same as people read them, in lower case.
    pub(super) read: Strings,
    pub(super) engines: Vec<String>,
    pub(super) waiting: HashMap<u32, WaitingTranslation>,
    pub(super) refused: HashMap<u32, Vec<String>>,
    pub(super) carried_from: HashMap<u32, String>,
    /// Fingerprints of what the file of translations says, by the number of the text, in their order.
    pub(super) bases: Vec<(u32, u64)>,
}

/// A text that a person edited after the locale was loaded.
#[derive(Clone, Debug)]
struct EditedSegment {
    row: SegmentRow,
    markup: String,
    read: String,
}

/// The segments of a site in a locale.
#[derive(Debug)]
pub struct LocaleSegments {
    locale: Locale,
    pub(super) source: Arc<SourceSegments>,
    loaded: Arc<LoadedLocale>,
    edited: HashMap<u32, EditedSegment>,
    revision: SegmentsRevision,
}

/// Revision of the segments of a locale: it changes with each edit, each change of a file and each change of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentsRevision {
    /// The revision of the last edit of people's words.
    pub people: u64,
    /// Fingerprint of all else that the segments were made from.
    pub inputs: u64,
}

impl SegmentsRevision {
    /// Reads a revision as it is written.
    pub fn parse(written: &str) -> Option<Self> {
        let (people, inputs) = written.split_once('-')?;
        let found = Self {
            people: people.parse().ok()?,
            inputs: u64::from_str_radix(inputs, 16).ok()?,
        };
        (found.to_string() == written).then_some(found)
    }
}

impl fmt::Display for SegmentsRevision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{:016x}", self.people, self.inputs)
    }
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
    pub(super) fn new(locale: &Locale, source: &Arc<SourceSegments>, loaded: LoadedLocale) -> Self {
        Self {
            locale: locale.clone(),
            source: Arc::clone(source),
            loaded: Arc::new(loaded),
            edited: HashMap::new(),
            revision: SegmentsRevision::default(),
        }
    }

    /// The same segments with a revision.
    pub(super) fn at(self, revision: SegmentsRevision) -> Self {
        Self { revision, ..self }
    }

    /// Their revision.
    pub fn revision(&self) -> SegmentsRevision {
        self.revision
    }

    /// The locale.
    pub fn locale(&self) -> &Locale {
        &self.locale
    }

    /// The same with a later edit of a person; `None` if it may change more than its own text, so that the locale has to be loaded
    /// again.
    pub(super) fn with_edit(
        &self,
        key: SegmentKey,
        others: &[SegmentKey],
        state: PersonState,
        words: &CodedText,
    ) -> Option<Self> {
        let index = self.source.find(key)?;
        let short = u32::try_from(index).ok()?;
        let stands_alone = others
            .iter()
            .all(|other| self.source.find(*other).is_none());
        let known = self.row(index)?;
        // Another text may inherit what waited for this one.
        let inherits =
            known.state == Some(SegmentState::Outdated) || known.origin == SegmentOrigin::Carried;
        if !stands_alone || inherits || known.state.is_none() || self.edited.len() >= MOST_EDITED {
            return None;
        }
        let (state, origin) = match state {
            PersonState::Approved => (SegmentState::Approved, SegmentOrigin::Person),
            PersonState::Locked => (SegmentState::Locked, SegmentOrigin::Person),
            PersonState::Rejected => (SegmentState::Rejected, SegmentOrigin::None),
            PersonState::Draft | PersonState::Untranslated | PersonState::Withdrawn => return None,
        };
        let mut edited = self.edited.clone();
        edited.insert(
            short,
            EditedSegment {
                row: SegmentRow {
                    state: Some(state),
                    origin,
                    engine: 0,
                    line: 0,
                },
                markup: words.to_markup(),
                read: folded(words.text()),
            },
        );
        Some(Self {
            locale: self.locale.clone(),
            source: Arc::clone(&self.source),
            loaded: Arc::clone(&self.loaded),
            edited,
            revision: self.revision,
        })
    }

    fn edited(&self, index: usize) -> Option<&EditedSegment> {
        self.edited.get(&u32::try_from(index).ok()?)
    }

    fn row(&self, index: usize) -> Option<SegmentRow> {
        match self.edited(index) {
            Some(edited) => Some(edited.row),
            None => self.loaded.rows.get(index).copied(),
        }
    }

    /// The state of a segment; `None` where the locale needs no words for it.
    pub(super) fn state(&self, index: usize) -> Option<SegmentState> {
        self.row(index)?.state
    }

    /// Calls `each` with the number of every segment whose translation contains a text, which is in lower case.
    pub(super) fn search(&self, text: &str, mut each: impl FnMut(usize)) {
        self.loaded.read.search(text, |index| {
            if self.edited(index).is_none() {
                each(index);
            }
        });
        for (index, waiting) in &self.loaded.waiting {
            if !self.edited.contains_key(index) && folded(&waiting.words).contains(text) {
                each(*index as usize);
            }
        }
        for (index, edited) in &self.edited {
            if edited.read.contains(text) {
                each(*index as usize);
            }
        }
    }

    /// A segment by its number; `None` where the locale needs no words for it.
    pub(super) fn view(&self, index: usize) -> Option<SegmentView<'_>> {
        let row = self.row(index)?;
        let short = u32::try_from(index).ok()?;
        let edited = self.edited(index);
        let source = &self.source;
        let loaded = &self.loaded;
        let pages = source.pages(index);
        let first = pages
            .first()
            .and_then(|page| source.pages.get(*page as usize));
        let words = edited.map_or_else(|| loaded.markup.get(index), |edited| &edited.markup);
        let stands = row.origin != SegmentOrigin::None;
        let is_machines = row.origin == SegmentOrigin::Machine;
        let engine = loaded.engines.get(usize::from(row.engine));
        let is_loaded = edited.is_none();
        let refused = loaded.refused.get(&short).filter(|_| is_loaded);
        Some(SegmentView {
            key: *source.keys.get(index)?,
            source: source.markup.get(index),
            translation: stands.then_some(words),
            state: row.state?,
            origin: row.origin,
            engine: engine.filter(|_| is_machines).map(String::as_str),
            line: (row.line > 0).then_some(row.line),
            carried_from: loaded
                .carried_from
                .get(&short)
                .filter(|_| is_loaded)
                .map(String::as_str),
            waiting: loaded.waiting.get(&short).filter(|_| is_loaded),
            refused: refused.map(Vec::as_slice).unwrap_or_default(),
            page: first,
            pages: pages.len(),
        })
    }

    /// True if the site has a text, in whatever language it needs words.
    pub fn has_text(&self, key: SegmentKey) -> bool {
        self.source.find(key).is_some()
    }

    /// A segment by its key.
    pub fn get(&self, key: SegmentKey) -> Option<SegmentView<'_>> {
        self.view(self.source.find(key)?)
    }

    /// Fingerprint of what the file of translations says of a text, for words that are laid over it.
    pub fn base(&self, key: SegmentKey) -> Option<u64> {
        let index = u32::try_from(self.source.find(key)?).ok()?;
        let bases = &self.loaded.bases;
        let found = bases
            .binary_search_by_key(&index, |(index, _)| *index)
            .ok()?;
        bases.get(found).map(|(_, base)| *base)
    }

    /// Bytes of memory, without the texts that locales share.
    pub(super) fn memory(&self) -> usize {
        let loaded = &self.loaded;
        let few = loaded.waiting.len() + loaded.refused.len() + loaded.carried_from.len();
        let edited = self.edited.values();
        let edited = edited.map(|edited| edited.markup.len() + edited.read.len() + 128);
        loaded.markup.memory()
            + loaded.read.memory()
            + loaded.rows.capacity() * size_of::<SegmentRow>()
            + few * 256
            + loaded.bases.capacity() * size_of::<(u32, u64)>()
            + edited.sum::<usize>()
    }
}
