//! Words of a language by who translated them.

use pipeline::state::PageWords;
use schemars::JsonSchema;
use serde::Serialize;

/// Words of the pages of a language by who translated them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LocaleWords {
    /// Words that people translated.
    people: u64,
    /// Words that engines translated.
    machine: u64,
    /// Words that stay in the source language.
    untranslated: u64,
}

impl LocaleWords {
    pub(super) fn add(&mut self, other: Self) {
        self.people += other.people;
        self.machine += other.machine;
        self.untranslated += other.untranslated;
    }

    pub(super) fn of(words: PageWords) -> Self {
        Self {
            people: words.people,
            machine: words.machine,
            untranslated: words.wanted.saturating_sub(words.translated()),
        }
    }
}
