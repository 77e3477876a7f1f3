//! Translation of each text of a site in one locale. The translations are in a spill file; memory holds the rows of the first texts.

use std::collections::BTreeMap;

use crate::page::CodedText;
use crate::run::corpus::text_set::TextSet;
use crate::run::options::BuildLimits;
use crate::state::{SpillFile, SpillSpan, SpilledRows, State, StateError};
use crate::translate::{NotTaken, ResolvedText, TranslationOrigin};

/// Translation of each text, by its index.
#[derive(Debug, Default)]
pub(crate) struct TranslationTable {
    rows: SpilledRows<{ TranslationRow::LENGTH }>,
    /// Where words come from; there are as many as engines were ever asked.
    origins: Vec<TranslationOrigin>,
    /// The texts of which something was refused.
    noticed: TextSet,
    /// What that was, of the first of them.
    notices: BTreeMap<usize, Vec<NotTaken>>,
    spill: SpillFile,
}

/// How many texts are kept with what was refused of them: an engine that is broken may refuse all of millions.
const MOST_NOTICED: usize = 10_000;

/// Where the words for a text are, and where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TranslationRow {
    /// Where the words stand.
    at: u64,
    /// [`SOURCE`] where the source text stands in.
    length: u32,
    /// By its place among the origins.
    origin: u32,
}

/// The length of words that nobody has.
const SOURCE: u32 = u32::MAX;

impl TranslationRow {
    const LENGTH: usize = 16;

    fn pack(self) -> [u8; Self::LENGTH] {
        let [a, b, c, d, e, f, g, h] = self.at.to_le_bytes();
        let ([i, j, k, l], [m, n, o, p]) = (self.length.to_le_bytes(), self.origin.to_le_bytes());
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }

    fn unpack([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]: [u8; Self::LENGTH]) -> Self {
        let at = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        Self {
            at,
            length: u32::from_le_bytes([i, j, k, l]),
            origin: u32::from_le_bytes([m, n, o, p]),
        }
    }
}

impl TranslationTable {
    /// Nothing yet; what is too much for memory is set aside beside the state.
    pub(crate) fn beside(state: &State, limits: BuildLimits) -> Self {
        Self {
            rows: SpilledRows::on(state.spill_file(), limits.texts_in_memory),
            spill: state.spill_file(),
            ..Self::default()
        }
    }

    /// Table of this many texts without translations.
    pub(crate) fn untranslated(texts: usize, state: &State, limits: BuildLimits) -> Self {
        let mut table = Self::beside(state, limits);
        (0..texts).for_each(|_| {
            table.push(ResolvedText {
                text: None,
                origin: TranslationOrigin::None,
                notices: Vec::new(),
            })
        });
        table
    }

    /// Adds what stands for the next text.
    pub(crate) fn push(&mut self, settled: ResolvedText) {
        let row = self.new_row(self.rows.len(), settled);
        self.rows.push(row.pack());
    }

    /// Says anew what stands for a text.
    pub(crate) fn set(&mut self, index: usize, settled: ResolvedText) {
        if index < self.rows.len() {
            let row = self.new_row(index, settled);
            self.rows.set(index, row.pack());
        }
    }

    /// Adds a notice to what is said of a text.
    pub(in crate::run) fn note(&mut self, index: usize, notice: NotTaken) {
        let mut notices = self.notices.remove(&index).unwrap_or_default();
        notices.push(notice);
        self.take_notices(index, notices);
    }

    fn take_notices(&mut self, index: usize, notices: Vec<NotTaken>) {
        if notices.is_empty() {
            self.noticed.remove(index);
            self.notices.remove(&index);
            return;
        }
        self.noticed.insert(index);
        self.notices.insert(index, notices);
        if self.notices.len() > MOST_NOTICED {
            self.notices.pop_last();
        }
    }

    fn new_row(&mut self, index: usize, settled: ResolvedText) -> TranslationRow {
        let ResolvedText {
            text,
            origin,
            notices,
        } = settled;
        let origin = self
            .origins
            .iter()
            .position(|known| *known == origin)
            .unwrap_or_else(|| {
                self.origins.push(origin);
                self.origins.len() - 1
            });
        self.take_notices(index, notices);
        let place = text.map(|text| {
            let mut bytes = Vec::new();
            text.pack(&mut bytes);
            self.spill.put(&bytes)
        });
        let SpillSpan { at, length } = place.unwrap_or(SpillSpan {
            at: 0,
            length: SOURCE,
        });
        TranslationRow {
            at,
            length,
            origin: u32::try_from(origin).unwrap_or(u32::MAX),
        }
    }

    fn row(&self, index: usize) -> Option<TranslationRow> {
        self.rows.get(index).map(TranslationRow::unpack)
    }

    /// What stands for a text, and why; nothing where the words cannot be read.
    pub(crate) fn get(&self, index: usize) -> Option<ResolvedText> {
        let row = self.row(index)?;
        let text = match row.length {
            SOURCE => None,
            _ => Some(self.words(row)?),
        };
        let notices = self.notices.get(&index).cloned().unwrap_or_default();
        Some(ResolvedText {
            text,
            origin: self.origins.get(row.origin as usize)?.clone(),
            notices,
        })
    }

    /// The words for a text; nothing where the source text stands in.
    pub(crate) fn text(&self, index: usize) -> Option<CodedText> {
        self.words(self.row(index).filter(|row| row.length != SOURCE)?)
    }

    fn words(&self, TranslationRow { at, length, .. }: TranslationRow) -> Option<CodedText> {
        self.spill.get(SpillSpan { at, length }, |bytes| {
            CodedText::unpack(bytes).map(|(text, _)| text)
        })
    }

    /// Where the words for a text come from.
    pub(crate) fn origin(&self, index: usize) -> Option<&TranslationOrigin> {
        self.origins.get(self.row(index)?.origin as usize)
    }

    /// Where the words for all texts come from, in their order.
    pub(in crate::run) fn origins(&self) -> impl Iterator<Item = &TranslationOrigin> {
        self.rows.iter().filter_map(|row| {
            self.origins
                .get(TranslationRow::unpack(row).origin as usize)
        })
    }

    /// The texts of which something was refused.
    pub(in crate::run) fn noticed(&self) -> &TextSet {
        &self.noticed
    }

    /// The first of them, and what was refused.
    pub(in crate::run) fn notices(&self) -> impl Iterator<Item = (usize, &[NotTaken])> {
        self.notices
            .iter()
            .map(|(index, notices)| (*index, notices.as_slice()))
    }

    /// Whether all that was asked for could be read.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        self.rows.check()?;
        self.spill.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_as_it_was() {
        let row = TranslationRow {
            at: u64::MAX - 7,
            length: SOURCE,
            origin: 0x0102_0304,
        };
        assert_eq!(TranslationRow::unpack(row.pack()), row);
    }

    #[test]
    fn what_is_refused_is_kept_of_the_first_texts_and_counted_of_all() {
        let mut table = TranslationTable::default();
        let settled = |refused: bool| {
            let notices = refused
                .then(|| NotTaken::Before("[length]".to_owned()))
                .into_iter()
                .collect();
            ResolvedText {
                text: None,
                origin: TranslationOrigin::None,
                notices,
            }
        };
        let texts = MOST_NOTICED + 100;
        (0..texts).for_each(|_| table.push(settled(false)));
        // As answers come, in whatever order.
        (0..texts)
            .rev()
            .for_each(|index| table.set(index, settled(index % 50 != 3)));
        table.note(4, NotTaken::Before("[copied]".to_owned()));
        let noticed: Vec<usize> = (0..texts).filter(|index| index % 50 != 3).collect();
        assert_eq!(table.noticed().iter().collect::<Vec<_>>(), noticed);
        let kept: Vec<usize> = table.notices().map(|(index, _)| index).collect();
        assert_eq!(kept, noticed[..MOST_NOTICED.min(noticed.len())]);
        assert_eq!(table.get(4).unwrap().notices.len(), 2);
        // A text of which everything was refused until somebody had words for it.
        table.set(4, settled(false));
        assert_eq!(
            (table.noticed().len(), table.get(4).unwrap().notices),
            (noticed.len() - 1, Vec::new())
        );
    }
}
