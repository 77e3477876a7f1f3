//! Distinct texts of a site, spilled to a temporary file; memory keeps a fixed-size row of the first ones and an 8-byte index.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::model::{PagePath, SegmentKey};
use crate::page::{CodeKind, LocaleFilter, Segment};
use crate::run::options::BuildLimits;
use crate::state::{CachedText, SpillFile, SpillSpan, SpilledRows, State, StateError};
use crate::translate::OutlineRank;

/// A text of the site.
#[derive(Debug)]
pub(crate) struct SiteText {
    pub(crate) key: SegmentKey,
    pub(crate) segment: Segment,
    /// The first page on which it stands.
    pub(crate) path: PagePath,
}

/// Every different text, by its index.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    rows: SpilledRows<{ TextRow::LENGTH }>,
    /// The pages on which texts stand for the first time, each with the first of those texts.
    paths: Vec<(u32, PagePath)>,
    /// The filters of texts that have one.
    filters: HashMap<u32, Arc<LocaleFilter>>,
    spill: SpillFile,
}

/// The indices of texts by their keys, as short as they can be: of a key, each map has what follows the first byte, and the
/// table says whether the text that is found there is the one. The maps stay small: a large one takes its memory three times over
/// whenever it grows.
#[derive(Debug)]
pub(in crate::run) struct KnownTexts {
    by_first: [HashMap<u32, u32>; 256],
    /// Those whose keys begin like another's.
    alike: HashMap<SegmentKey, u32>,
}

impl Default for KnownTexts {
    fn default() -> Self {
        Self {
            by_first: std::array::from_fn(|_| HashMap::new()),
            alike: HashMap::new(),
        }
    }
}

impl KnownTexts {
    /// The index of a text, where the table has it.
    pub(in crate::run) fn find(&self, key: SegmentKey, texts: &TextTable) -> Option<u32> {
        let (first, short) = cut(key);
        let index = *self.by_first[first].get(&short)?;
        let is_same = texts.key(index as usize) == Some(key);
        if is_same {
            Some(index)
        } else {
            self.alike.get(&key).copied()
        }
    }

    /// Takes note of a text that was not known.
    pub(in crate::run) fn note(&mut self, key: SegmentKey, index: u32) {
        let (first, short) = cut(key);
        match self.by_first[first].entry(short) {
            Entry::Vacant(place) => drop(place.insert(index)),
            Entry::Occupied(_) => drop(self.alike.insert(key, index)),
        }
    }
}

/// The first byte of a key, and those that follow.
fn cut(key: SegmentKey) -> (usize, u32) {
    let [first, a, b, c, d, ..] = *key.as_bytes();
    (usize::from(first), u32::from_le_bytes([a, b, c, d]))
}

/// The short of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextRow {
    key: SegmentKey,
    /// Where the segment stands.
    at: u64,
    length: u32,
    words: u32,
    /// Fingerprint of what its key does not.
    print: u32,
    keeps_nodes: bool,
    /// True if the fingerprint differs from place to place.
    is_mixed: bool,
    /// True if a tag is unpaired in one of its places: there the order of codes matters.
    has_halves: bool,
    /// True if something besides its codes differs from place to place.
    varies: bool,
    /// Rank in the outline of its first page.
    rank: OutlineRank,
}

impl TextRow {
    const LENGTH: usize = 37;

    fn pack(self) -> [u8; Self::LENGTH] {
        let Self {
            key,
            at,
            length,
            words,
            print,
            keeps_nodes,
            is_mixed,
            has_halves,
            varies,
            rank,
        } = self;
        let mut row = [0; Self::LENGTH];
        row[..16].copy_from_slice(key.as_bytes());
        row[16..24].copy_from_slice(&at.to_le_bytes());
        for (place, number) in row[24..36]
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip([length, words, print])
        {
            *place = number.to_le_bytes();
        }
        let flags = u8::from(keeps_nodes)
            | u8::from(is_mixed) << 1
            | u8::from(has_halves) << 2
            | u8::from(varies) << 3;
        row[36] = flags | rank.bits() << 4;
        row
    }

    fn unpack(row: &[u8; Self::LENGTH]) -> Option<Self> {
        let (key, rest) = row.split_first_chunk()?;
        let (at, rest) = rest.split_first_chunk()?;
        let ([length, words, print], [flags]) = rest.as_chunks() else {
            return None;
        };
        let key = SegmentKey::from_bytes(*key);
        let at = u64::from_le_bytes(*at);
        let [length, words, print] =
            [length, words, print].map(|number| u32::from_le_bytes(*number));
        let keeps_nodes = flags & 1 != 0;
        let is_mixed = flags & 2 != 0;
        let has_halves = flags & 4 != 0;
        let varies = flags & 8 != 0;
        let rank = OutlineRank::of_bits(flags >> 4);
        Some(Self {
            key,
            at,
            length,
            words,
            print,
            keeps_nodes,
            is_mixed,
            has_halves,
            varies,
            rank,
        })
    }
}

impl TextTable {
    /// No texts yet; what is too much for memory is set aside beside the state.
    pub(in crate::run) fn beside(state: &State, limits: BuildLimits) -> Self {
        Self {
            rows: SpilledRows::on(state.spill_file(), limits.texts_in_memory),
            spill: state.spill_file(),
            ..Self::default()
        }
    }

    fn row(&self, index: usize) -> Option<TextRow> {
        TextRow::unpack(&self.rows.get(index)?)
    }

    /// Adds a text, which is none of those that are there, and gives its index.
    pub(crate) fn push(&mut self, key: SegmentKey, segment: Segment, path: &PagePath) -> u32 {
        let mut bytes = Vec::new();
        segment.pack(&mut bytes);
        let SpillSpan { at, length } = self.spill.put(&bytes);
        let index = short(self.rows.len());
        if self.paths.last().is_none_or(|(_, last)| last != path) {
            self.paths.push((index, path.clone()));
        }
        let words = short(segment.text.words());
        let print = print_of(&segment);
        let keeps_nodes = segment.keeps_nodes;
        let rank = OutlineRank::of(&segment);
        let has_halves = has_halves(&segment);
        self.filters
            .extend(segment.filter.map(|filter| (index, filter)));
        let row = TextRow {
            key,
            at,
            length,
            words,
            print,
            keeps_nodes,
            is_mixed: false,
            has_halves,
            varies: false,
            rank,
        };
        self.rows.push(row.pack());
        index
    }

    /// Takes note that a text stands in another place too: what holds for one of them must not harm the other.
    pub(super) fn stands_again(&mut self, index: u32, segment: &Segment) {
        let Some(row) = self.row(index as usize) else {
            return;
        };
        let is_elsewhere = self.filters.get(&index) != segment.filter.as_ref();
        if is_elsewhere {
            self.filters.remove(&index);
        }
        let varies = row.varies || is_elsewhere || row.keeps_nodes != segment.keeps_nodes;
        let is_mixed = row.is_mixed || row.print != print_of(segment);
        let has_halves = row.has_halves || has_halves(segment);
        let again = TextRow {
            is_mixed,
            has_halves,
            varies,
            keeps_nodes: row.keeps_nodes || segment.keeps_nodes,
            ..row
        };
        if again != row {
            self.rows.set(index as usize, again.pack());
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A text.
    pub(crate) fn get(&self, index: usize) -> Option<SiteText> {
        let TextRow {
            key,
            at,
            length,
            keeps_nodes,
            ..
        } = self.row(index)?;
        let segment = self.spill.get(SpillSpan { at, length }, Segment::unpack)?;
        let filter = self.filters.get(&u32::try_from(index).ok()?).cloned();
        Some(SiteText {
            key,
            segment: Segment {
                filter,
                keeps_nodes,
                ..segment
            },
            path: self.path(index)?.clone(),
        })
    }

    /// The first page on which a text stands.
    pub(crate) fn path(&self, index: usize) -> Option<&PagePath> {
        let index = u32::try_from(index).ok()?;
        let page = self
            .paths
            .partition_point(|(first, _)| *first <= index)
            .checked_sub(1)?;
        self.paths.get(page).map(|(_, path)| path)
    }

    /// All of them, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = SiteText> {
        self.indexed().map(|(_, text)| text)
    }

    /// All of them with their indices.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (usize, SiteText)> {
        (0..self.len()).filter_map(|index| Some((index, self.get(index)?)))
    }

    /// The key of a text.
    pub(crate) fn key(&self, index: usize) -> Option<SegmentKey> {
        self.row(index).map(|row| row.key)
    }

    /// The keys of all.
    pub(crate) fn keys(&self) -> impl Iterator<Item = SegmentKey> {
        self.rows
            .iter()
            .filter_map(|row| Some(TextRow::unpack(&row)?.key))
    }

    /// How many words a text has.
    pub(in crate::run) fn words(&self, index: usize) -> Option<usize> {
        self.row(index).map(|row| row.words as usize)
    }

    /// The rank of a text in the outline of its first page.
    pub(in crate::run) fn rank(&self, index: usize) -> OutlineRank {
        self.row(index).map(|row| row.rank).unwrap_or_default()
    }

    /// Fingerprint of a text beside its key; `None` if it differs from place to place.
    pub(in crate::run) fn print(&self, index: usize) -> Option<u32> {
        self.row(index)
            .filter(|row| !row.is_mixed)
            .map(|row| row.print)
    }

    /// True if places of a text differ so that a translation may fit only some of them.
    pub(in crate::run) fn is_split(&self, index: usize) -> bool {
        self.row(index)
            .is_some_and(|row| row.is_mixed && row.has_halves)
    }

    /// The text in its first place, if its places differ in nothing but what its codes stand for, and no tag is unpaired.
    pub(in crate::run) fn first_place(&self, index: usize) -> Option<Vec<u8>> {
        let row = self
            .row(index)
            .filter(|row| !row.varies && !row.has_halves)?;
        let has_filter = self.filters.contains_key(&short(index));
        let TextRow { at, length, .. } = row;
        self.spill
            .get(SpillSpan { at, length }, |bytes| Some(bytes.to_vec()))
            .filter(|_| !has_filter)
    }

    /// The locales that a text is there for, if not for all.
    pub(in crate::run) fn filter(&self, index: usize) -> Option<&LocaleFilter> {
        self.filters.get(&short(index)).map(|filter| &**filter)
    }

    /// True if the codes of a text differ between its places.
    pub(in crate::run) fn is_mixed(&self, index: usize) -> bool {
        self.row(index).is_some_and(|row| row.is_mixed)
    }

    /// Gives a text the codes of its first place, on a page that was not read.
    pub(in crate::run) fn set_first_place(&mut self, index: usize, segment: &[u8]) {
        let Some(row) = self.row(index) else { return };
        let SpillSpan { at, length } = self.spill.put(segment);
        self.rows.set(
            index,
            TextRow {
                at,
                length,
                is_mixed: true,
                ..row
            }
            .pack(),
        );
    }

    /// Whether all that was asked for could be read.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        self.rows.check()?;
        self.spill.check()
    }
}

/// A number of things of which there are fewer than 2³².
fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn has_halves(segment: &Segment) -> bool {
    segment
        .codes
        .iter()
        .any(|code| matches!(code.kind, CodeKind::LoneStart | CodeKind::LoneEnd))
}

/// Fingerprint of what counts of a segment beside its key.
fn print_of(segment: &Segment) -> u32 {
    let Segment {
        codes,
        filter,
        keeps_nodes,
        ..
    } = segment;
    if codes.is_empty() && filter.is_none() {
        // A translation without codes keeps the nodes of every page.
        return CachedText::PLAIN;
    }
    let hash = blake3::hash(format!("{codes:?}{filter:?}{keeps_nodes}").as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| {
        u32::from_le_bytes(*bytes).clamp(CachedText::PLAIN + 1, CachedText::MIXED - 1)
    })
}

#[cfg(test)]
mod tests;
