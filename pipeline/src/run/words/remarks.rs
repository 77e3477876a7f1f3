//! What was noticed in the words of engines, text by text. There may be millions of texts, so the rows are set aside as theirs are.

use crate::model::Locale;
use crate::run::options::BuildLimits;
use crate::state::{CachedLocale, Remark, SpilledRows, State, StateError};

/// What was noticed in the texts of pages that were read, in one locale.
#[derive(Debug)]
pub(in crate::run) struct Remarks {
    /// By index of the text; nothing was noticed in those behind the last one.
    of_texts: SpilledRows<{ Remark::LENGTH }>,
    /// What comes of them, those excepted that pages have, too, which were not read; and the first warnings of all.
    pub(in crate::run) sum: CachedLocale,
}

impl Remarks {
    /// None yet.
    pub(in crate::run) fn of(locale: Locale, state: &State, limits: BuildLimits) -> Self {
        Self {
            of_texts: SpilledRows::on(state.spill_file(), limits.texts_in_memory),
            sum: CachedLocale::of(locale),
        }
    }

    /// Takes note of what was noticed in a text behind those before.
    pub(in crate::run) fn push(&mut self, index: usize, remark: Remark) {
        while self.of_texts.len() < index {
            self.of_texts.push(Remark::default().pack());
        }
        self.of_texts.push(remark.pack());
    }

    /// What was noticed in a text.
    pub(super) fn in_text(&self, index: u32) -> Remark {
        let row = usize::try_from(index)
            .ok()
            .filter(|index| *index < self.of_texts.len());
        row.and_then(|index| self.of_texts.get(index))
            .map(Remark::unpack)
            .unwrap_or_default()
    }

    /// Whether all that was asked for could be read.
    pub(in crate::run) fn check(&self) -> Result<(), StateError> {
        self.of_texts.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::Checks;

    #[test]
    fn remarks_are_found_by_their_texts() {
        let state = State::in_memory().unwrap();
        let few = BuildLimits {
            texts_in_memory: 5,
            ..BuildLimits::default()
        };
        let mut remarks = Remarks::of(Locale::parse("es").unwrap(), &state, few);
        let remark = |number: u16| Remark {
            checks: Checks::from_bits(9),
            terms: number,
            missed: 300,
        };
        [3, 4, 90]
            .into_iter()
            .for_each(|index| remarks.push(index, remark(index as u16)));
        let found: Vec<u16> = (0..200).map(|index| remarks.in_text(index).terms).collect();
        let expected: Vec<u16> = (0..200)
            .map(|index| {
                if matches!(index, 3 | 4 | 90) {
                    index
                } else {
                    0
                }
            })
            .collect();
        assert_eq!((found, remarks.in_text(90)), (expected, remark(90)));
        remarks.check().unwrap();
    }
}
