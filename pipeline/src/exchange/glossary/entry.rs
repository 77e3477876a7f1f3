//! What a glossary says of one concept, whatever the form of its file.

use crate::model::Locale;
use crate::translate::Matching;

/// One concept and its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GlossaryEntry {
    /// The line it stands in, counted from 1.
    pub(super) line: usize,
    /// Language tag and forms; an empty tag stands for the source language.
    pub(super) names: Vec<(String, Vec<String>)>,
    /// Whether it stays as it is in languages that have no name of their own.
    pub(super) is_kept: bool,
    pub(super) keeps_case: bool,
    pub(super) matching: Matching,
    /// Explanation for language models; empty if there is none.
    pub(super) note: String,
}

/// Line and sentence of what is wrong.
pub(super) type GlossaryProblem = (usize, String);

impl GlossaryEntry {
    /// Adds an explanation, with single spaces.
    pub(super) fn add_note(&mut self, text: &str) {
        for word in text.split_whitespace() {
            if !self.note.is_empty() {
                self.note.push(' ');
            }
            self.note.push_str(word);
        }
    }

    /// The names in a language, by the most precise tag that is good for it.
    pub(super) fn forms(&self, locale: &Locale, own: &str) -> Option<&[String]> {
        let fits = |tag: &str| tag == own || (!tag.is_empty() && locale.is_in_range(tag));
        let fitting = self
            .names
            .iter()
            .filter(|(tag, forms)| fits(tag) && !forms.is_empty());
        fitting
            .max_by_key(|(tag, _)| tag.len())
            .map(|(_, forms)| forms.as_slice())
    }
}
