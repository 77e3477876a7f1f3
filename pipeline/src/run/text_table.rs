//! The different texts of a site. There may be half a million of them, so memory has what is short of each; the segments are
//! set aside and read again when somebody asks for them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::model::{PagePath, SegmentKey};
use crate::page::{LocaleFilter, Segment};
use crate::store::{Place, Shelf, StoreError};

/// A text of the site.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) key: SegmentKey,
    pub(crate) segment: Segment,
    /// The first page on which it stands.
    pub(crate) path: PagePath,
}

/// Every different text, by its index.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    rows: Vec<Row>,
    /// The pages on which texts stand for the first time, each with the first of those texts.
    paths: Vec<(u32, PagePath)>,
    /// The filters of texts that have one.
    filters: HashMap<u32, Arc<LocaleFilter>>,
    shelf: Shelf,
}

/// The indices of texts by their keys, in maps that stay small: a large one takes its memory three times over whenever it grows, and
/// the system's allocator keeps as much as it once gave back.
#[derive(Debug)]
pub(super) struct KnownTexts([HashMap<SegmentKey, u32>; 256]);

impl Default for KnownTexts {
    fn default() -> Self {
        Self(std::array::from_fn(|_| HashMap::new()))
    }
}

impl KnownTexts {
    pub(super) fn entry(&mut self, key: SegmentKey) -> Entry<'_, SegmentKey, u32> {
        let [first, ..] = key.as_bytes();
        self.0[usize::from(*first)].entry(key)
    }
}

/// What memory has of a text.
#[derive(Debug)]
struct Row {
    key: SegmentKey,
    /// Where the segment stands.
    at: u64,
    length: u32,
    words: u32,
    /// Signs for what its key does not.
    print: u32,
    keeps_nodes: bool,
    /// Whether what the print signs for differs from place to place.
    is_mixed: bool,
}

const _: () = assert!(size_of::<Row>() <= 40, "a site may have half a million texts");

impl TextTable {
    /// No texts yet; their segments go to a shelf.
    pub(super) fn on(shelf: Shelf) -> Self {
        Self { shelf, ..Self::default() }
    }

    /// Adds a text, which is none of those that are there, and gives its index.
    pub(crate) fn push(&mut self, key: SegmentKey, segment: Segment, path: &PagePath) -> u32 {
        let mut bytes = Vec::new();
        segment.pack(&mut bytes);
        let Place { at, length } = self.shelf.put(&bytes);
        let index = short(self.rows.len());
        if self.paths.last().is_none_or(|(_, last)| last != path) {
            self.paths.push((index, path.clone()));
        }
        let (words, print, keeps_nodes) = (short(segment.text.words()), print_of(&segment), segment.keeps_nodes);
        self.filters.extend(segment.filter.map(|filter| (index, filter)));
        self.rows.push(Row { key, at, length, words, print, keeps_nodes, is_mixed: false });
        index
    }

    /// Takes note that a text stands in another place too: what holds for one of them must not harm the other.
    pub(super) fn stands_again(&mut self, index: u32, segment: &Segment) {
        let Some(row) = self.rows.get_mut(index as usize) else { return };
        row.is_mixed |= row.print != print_of(segment);
        if self.filters.get(&index) != segment.filter.as_ref() {
            self.filters.remove(&index);
        }
        row.keeps_nodes |= segment.keeps_nodes;
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A text.
    pub(crate) fn get(&self, index: usize) -> Option<Text> {
        let row = self.rows.get(index)?;
        let Row { key, at, length, keeps_nodes, .. } = *row;
        let segment = self.shelf.get(Place { at, length }, Segment::unpack)?;
        let index = u32::try_from(index).ok()?;
        let segment = Segment { filter: self.filters.get(&index).cloned(), keeps_nodes, ..segment };
        let page = self.paths.partition_point(|(first, _)| *first <= index).checked_sub(1)?;
        Some(Text { key, segment, path: self.paths.get(page)?.1.clone() })
    }

    /// All of them, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Text> {
        self.indexed().map(|(_, text)| text)
    }

    /// All of them with their indices.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (usize, Text)> {
        (0..self.len()).filter_map(|index| Some((index, self.get(index)?)))
    }

    /// The key of a text.
    pub(crate) fn key(&self, index: usize) -> Option<SegmentKey> {
        self.rows.get(index).map(|row| row.key)
    }

    /// The keys of all.
    pub(crate) fn keys(&self) -> impl Iterator<Item = SegmentKey> {
        self.rows.iter().map(|row| row.key)
    }

    /// How many words a text has.
    pub(super) fn words(&self, index: usize) -> Option<usize> {
        self.rows.get(index).map(|row| row.words as usize)
    }

    /// What signs for a text beside its key; nothing where that differs from place to place.
    pub(super) fn print(&self, index: usize) -> Option<u32> {
        self.rows.get(index).filter(|row| !row.is_mixed).map(|row| row.print)
    }

    /// Whether all that was asked for could be read.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.shelf.check()
    }
}

/// A number of things of which there are fewer than 2³².
fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Signs for what counts of a segment beside its key; 0 for most.
fn print_of(segment: &Segment) -> u32 {
    let Segment { codes, filter, keeps_nodes, .. } = segment;
    if codes.is_empty() && filter.is_none() && !keeps_nodes {
        return 0;
    }
    let hash = blake3::hash(format!("{codes:?}{filter:?}{keeps_nodes}").as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Locale;
    use crate::page::Page;
    use crate::store::State;

    /// The segments of a page.
    fn segments(html: &str) -> Vec<Segment> {
        Page::parse(html.as_bytes(), None, &Locale::parse("en").unwrap()).segments().collect()
    }

    #[test]
    fn texts_come_back_from_the_disk_as_they_were_taken() {
        let (folder, en) = (tempfile::tempdir().unwrap(), Locale::parse("en").unwrap());
        let state = State::open(&folder.path().join("state.redb")).unwrap();
        let mut table = TextTable::on(state.shelf());
        let mut taken = Vec::new();
        for number in 0..200 {
            let path = PagePath::parse(&format!("/{number}")).unwrap();
            let long = format!("word {number} ").repeat(900);
            for segment in segments(&format!("<p>{long} <a href=x>a <b>link</b></a><br></p><img alt='{number}'>")) {
                assert_eq!(table.push(segment.key(&en), segment.clone(), &path) as usize, taken.len());
                taken.push((path.clone(), segment));
            }
        }
        assert_eq!(table.len(), taken.len());
        for (text, (path, segment)) in table.iter().zip(&taken) {
            assert_eq!((&text.path, &text.segment, text.key), (path, segment, segment.key(&en)));
        }
        assert!(table.check().is_ok());
    }

    #[test]
    fn what_holds_for_one_place_of_a_text_does_not_harm_the_others() {
        let [plain] = segments("<p>One</p>").try_into().unwrap();
        let [filtered] = segments("<p its-locale-filter-list=de>One</p>").try_into().unwrap();
        let kept = Segment { keeps_nodes: true, ..plain.clone() };
        let path = PagePath::parse("/").unwrap();
        let key = plain.key(&Locale::parse("en").unwrap());
        let of = |first: &Segment, second: &Segment| {
            let mut table = TextTable::default();
            let index = table.push(key, first.clone(), &path);
            table.stands_again(index, second);
            (table.get(0).unwrap().segment, table.print(0).is_some())
        };
        assert_eq!(of(&filtered, &filtered), (filtered.clone(), true));
        assert_eq!(of(&filtered, &plain), (plain.clone(), false));
        assert_eq!(of(&plain, &filtered), (plain.clone(), false));
        assert_eq!(of(&plain, &kept), (kept.clone(), false));
        assert_eq!(of(&plain, &plain), (plain.clone(), true));
    }
}
