//! Words of pages by where their translation comes from.

use serde::{Deserialize, Serialize};

use crate::state::PageWords;
use crate::translate::TranslationOrigin;

/// Words by where their translation comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WordsBySource {
    /// People.
    pub person: usize,
    /// The memory: engines, in an earlier build.
    pub memory: usize,
    /// Engines, in this build.
    pub engine: usize,
    /// Nobody: they stay in the source language.
    pub untranslated: usize,
    /// They need no translation.
    pub untouched: usize,
}

impl WordsBySource {
    /// The words of a page to which scripts bring the source language back.
    pub(in crate::run) fn lost(self) -> Self {
        let Self {
            person,
            memory,
            engine,
            untranslated,
            untouched,
        } = self;
        Self {
            untranslated: untranslated + person + memory + engine,
            untouched,
            ..Self::default()
        }
    }

    /// Words in the locale's language.
    pub fn translated(&self) -> usize {
        self.person + self.memory + self.engine
    }

    /// All words.
    pub fn total(&self) -> usize {
        self.wanted() + self.untouched
    }

    /// Words that need a translation.
    pub fn wanted(&self) -> usize {
        self.translated() + self.untranslated
    }

    /// Words by origin; each text comes with how many it has.
    pub(in crate::run) fn of<'s>(
        texts: impl Iterator<Item = (usize, &'s TranslationOrigin)>,
    ) -> Self {
        let mut words = Self::default();
        for (number, origin) in texts {
            let sum = match origin {
                TranslationOrigin::Person => &mut words.person,
                TranslationOrigin::Memory(_) => &mut words.memory,
                TranslationOrigin::Engine(_) => &mut words.engine,
                TranslationOrigin::Untouched => &mut words.untouched,
                TranslationOrigin::Refused | TranslationOrigin::None => &mut words.untranslated,
            };
            *sum += number;
        }
        words
    }

    /// True if some words need a translation and none has one.
    pub(in crate::run) fn are_untranslated(all: impl Iterator<Item = Self> + Clone) -> bool {
        all.clone().any(|words| words.wanted() > 0)
            && all.map(|words| words.translated()).sum::<usize>() == 0
    }

    pub(in crate::run) fn add(&mut self, other: Self) {
        self.person += other.person;
        self.memory += other.memory;
        self.engine += other.engine;
        self.untranslated += other.untranslated;
        self.untouched += other.untouched;
    }

    /// Share of the words with a translation, 0 to 1; 1 if none needs one.
    #[expect(
        clippy::cast_precision_loss,
        reason = "pages have fewer than 2^52 words"
    )]
    pub fn share(&self) -> f64 {
        if self.wanted() == 0 {
            1.0
        } else {
            self.translated() as f64 / self.wanted() as f64
        }
    }
}

impl From<WordsBySource> for PageWords {
    fn from(words: WordsBySource) -> Self {
        Self {
            people: number(words.person),
            machine: number(words.memory + words.engine),
            wanted: number(words.wanted()),
            to_review: 0,
            print: None,
        }
    }
}

/// A count as the state keeps it.
pub(in crate::run) fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
