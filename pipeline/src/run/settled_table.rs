//! What stands for each text of a site in one locale. As with the texts themselves, memory has where the words come from,
//! and the words are set aside.

use std::collections::BTreeMap;

use crate::page::CodedText;
use crate::store::{Place, Shelf, StoreError};
use crate::translate::{NotTaken, Origin, Settled};

/// What stands for each text, by its index.
#[derive(Debug, Default)]
pub(crate) struct SettledTable {
    rows: Vec<Row>,
    /// Where words come from; there are as many as engines were ever asked.
    origins: Vec<Origin>,
    /// What was refused, for the few texts of which something was.
    notices: BTreeMap<usize, Vec<NotTaken>>,
    shelf: Shelf,
}

/// What memory has of the words for a text.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Where the words stand.
    at: u64,
    /// [`SOURCE`] where the source text stands in.
    length: u32,
    /// By its place among the origins.
    origin: u32,
}

/// The length of words that nobody has.
const SOURCE: u32 = u32::MAX;

const _: () = assert!(size_of::<Row>() == 16, "a site may have half a million texts in each locale");

impl SettledTable {
    /// Nothing yet; words go to a shelf.
    pub(crate) fn on(shelf: Shelf) -> Self {
        Self { shelf, ..Self::default() }
    }

    /// As many texts, for which nobody has words.
    pub(crate) fn of_nobody(texts: usize) -> Self {
        let mut table = Self::default();
        (0..texts).for_each(|_| table.push(Settled { text: None, origin: Origin::None, notices: Vec::new() }));
        table
    }

    /// Adds what stands for the next text.
    pub(crate) fn push(&mut self, settled: Settled) {
        let row = self.row(self.rows.len(), settled);
        self.rows.push(row);
    }

    /// Says anew what stands for a text.
    pub(crate) fn set(&mut self, index: usize, settled: Settled) {
        if index < self.rows.len() {
            self.rows[index] = self.row(index, settled);
        }
    }

    /// Adds a notice to what is said of a text.
    pub(super) fn note(&mut self, index: usize, notice: NotTaken) {
        self.notices.entry(index).or_default().push(notice);
    }

    fn row(&mut self, index: usize, settled: Settled) -> Row {
        let Settled { text, origin, notices } = settled;
        let origin = self.origins.iter().position(|known| *known == origin).unwrap_or_else(|| {
            self.origins.push(origin);
            self.origins.len() - 1
        });
        match notices.is_empty() {
            true => drop(self.notices.remove(&index)),
            false => drop(self.notices.insert(index, notices)),
        }
        let place = text.map(|text| {
            let mut bytes = Vec::new();
            text.pack(&mut bytes);
            self.shelf.put(&bytes)
        });
        let Place { at, length } = place.unwrap_or(Place { at: 0, length: SOURCE });
        Row { at, length, origin: u32::try_from(origin).unwrap_or(u32::MAX) }
    }

    /// What stands for a text, and why; nothing where the words cannot be read.
    pub(crate) fn get(&self, index: usize) -> Option<Settled> {
        let text = match self.rows.get(index)?.length {
            SOURCE => None,
            _ => Some(self.text(index)?),
        };
        let notices = self.notices.get(&index).cloned().unwrap_or_default();
        Some(Settled { text, origin: self.origin(index)?.clone(), notices })
    }

    /// The words for a text; nothing where the source text stands in.
    pub(crate) fn text(&self, index: usize) -> Option<CodedText> {
        let Row { at, length, .. } = *self.rows.get(index).filter(|row| row.length != SOURCE)?;
        self.shelf.get(Place { at, length }, |bytes| CodedText::unpack(bytes).map(|(text, _)| text))
    }

    /// Where the words for a text come from.
    pub(crate) fn origin(&self, index: usize) -> Option<&Origin> {
        self.origins.get(self.rows.get(index)?.origin as usize)
    }

    /// Where the words for all texts come from, in their order.
    pub(super) fn origins(&self) -> impl Iterator<Item = &Origin> {
        self.rows.iter().filter_map(|row| self.origins.get(row.origin as usize))
    }

    /// The texts of which something was refused, and what.
    pub(super) fn notices(&self) -> impl Iterator<Item = (usize, &[NotTaken])> {
        self.notices.iter().map(|(index, notices)| (*index, notices.as_slice()))
    }

    /// Whether all that was asked for could be read.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.shelf.check()
    }
}
