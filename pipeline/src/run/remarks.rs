//! What was noticed in the words of engines, text by text.

use crate::model::Locale;
use crate::store::{Remark, StandingLocale};

/// What was noticed in the texts of pages that were read, in one locale.
#[derive(Debug)]
pub(super) struct Remarks {
    /// By index of the text; nothing was noticed in those behind the last one.
    of_texts: Vec<Remark>,
    /// What comes of them, those excepted that pages have, too, which were not read; and the first warnings of all.
    pub(super) sum: StandingLocale,
}

impl Remarks {
    /// None yet.
    pub(super) fn of(locale: Locale) -> Self {
        Self { of_texts: Vec::new(), sum: StandingLocale::of(locale) }
    }

    /// Takes note of what was noticed in a text behind those before.
    pub(super) fn push(&mut self, index: usize, remark: Remark) {
        self.of_texts.resize(index, Remark::default());
        self.of_texts.push(remark);
    }

    /// What was noticed in a text.
    pub(super) fn in_text(&self, index: u32) -> Remark {
        usize::try_from(index).ok().and_then(|index| self.of_texts.get(index)).copied().unwrap_or_default()
    }
}
