//! The terms of a glossary on their way through an engine.

use std::ops::Range;

use super::super::manner::told_values;
use super::super::terms::{Terms, is_inside_word};
use crate::engines::{first_words, overlap};
use crate::model::{LanguagePair, Locale, Manner};
use crate::page::CodedText;
use crate::text::{ValueReplacement, numbering, volatile, without};

/// Limit for the notes of a text, in bytes.
const MOST_OF_NOTES: usize = 2_000;

/// The terms of a pair of languages, and how they travel.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Glossed<'a> {
    pub(in super::super) terms: &'a Terms,
    /// Whether all of them travel as something that must come back, not only those that are not translated: surer, but
    /// the sentence loses a word.
    pub(in super::super) forced: bool,
    /// Whether the engine is there to translate.
    pub(in super::super) translates: bool,
    /// Settings for values, and the languages.
    pub(in super::super) values: Option<(Manner, LanguagePair<&'a Locale>)>,
}

impl Glossed<'_> {
    /// The words of a text that travel as something else, and what stands for them in the translation.
    pub(in super::super) fn fixed(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let hits = self
            .terms
            .hits(text)
            .into_iter()
            .filter(|hit| self.forced || self.terms.is_kept(hit));
        // A part of a word cannot be taken out of it.
        let hits = hits.filter(|hit| !is_inside_word(text, &hit.range));
        hits.map(|hit| {
            (
                hit.range.clone(),
                self.terms.wanted(&hit, text, &text[hit.range.clone()]),
            )
        })
        .collect()
    }

    /// A text with its times of the day, and its sign for "and", as engines understand them.
    pub(in super::super) fn plainly(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        let mut at = 0;
        for (range, told) in self.told_values(text, false) {
            if let ValueReplacement::As(words) = told {
                plain.push_str(&text[at..range.start]);
                plain.push_str(&words);
                at = range.end;
            }
        }
        plain.push_str(&text[at..]);
        let is_english = self
            .values
            .is_some_and(|(_, pair)| pair.from.language() == "en");
        if self.translates && is_english {
            self.with_and(&plain)
        } else {
            plain
        }
    }

    /// Replaces "&" by its word in a text, except within terms: "Heron & Rye".
    fn with_and(&self, text: &str) -> String {
        const SIGN: &str = " & ";
        if !text.contains(SIGN) {
            return text.to_owned();
        }
        let terms = self.fixed(text);
        let mut plain = String::with_capacity(text.len());
        let mut at = 0;
        for (place, sign) in text.match_indices(SIGN) {
            if !terms.iter().any(|(range, _)| range.contains(&(place + 1))) {
                plain.push_str(&text[at..place]);
                plain.push_str(" and ");
                at = place + sign.len();
            }
        }
        plain.push_str(&text[at..]);
        plain
    }

    /// Values of a part of a text that travel as something else, with their replacements; `begins` if no words stand before it. A value is skipped if a term
    /// extends beyond its end: `© 2026 Harbor Lane Coffee` is no address.
    pub(in super::super) fn fixed_values(
        &self,
        text: &str,
        begins: bool,
    ) -> Vec<(Range<usize>, String)> {
        let mut values: Vec<(Range<usize>, String)> = Vec::new();
        for (range, told) in self.told_values(text, begins) {
            if let ValueReplacement::Placeholder(words) = told {
                values.push((range, words));
            }
        }
        if !values.is_empty() {
            let terms = self.fixed(text);
            let reaches_out = |value: &Range<usize>, term: &Range<usize>| {
                overlap(value, term) && term.end > value.end
            };
            values.retain(|(value, _)| !terms.iter().any(|(term, _)| reaches_out(value, term)));
        }
        values
    }

    /// Length in bytes of the number of a section at the beginning of a text.
    pub(in super::super) fn numbering(&self, text: &str) -> usize {
        self.values
            .and_then(|(_, pair)| numbering(text, pair.from))
            .unwrap_or_default()
    }

    fn told_values(&self, text: &str, begins: bool) -> Vec<(Range<usize>, ValueReplacement)> {
        let values = self.values.filter(|_| self.translates);
        values.map_or_else(Vec::new, |(manner, pair)| {
            told_values((text, begins), pair, manner)
        })
    }

    /// Whether nothing of a text is left to translate: no letter stands outside of addresses, names of files and the like.
    pub(in super::super) fn is_fixed(&self, text: &str) -> bool {
        self.translates && !without(text, volatile(text)).contains(char::is_alphabetic)
    }

    /// Explanations of the terms of a text that are translated, each once.
    pub(in super::super) fn notes(&self, text: &str) -> Vec<(String, String)> {
        let mut notes: Vec<(String, String)> = Vec::new();
        let mut length = 0;
        for hit in self
            .terms
            .hits(text)
            .into_iter()
            .filter(|hit| !self.terms.is_kept(hit))
        {
            let Some(note) = self.terms.note(&hit) else {
                continue;
            };
            let term = &text[hit.range.clone()];
            if notes.iter().any(|(known, _)| known == term) {
                continue;
            }
            let note = first_words(&CodedText::plain(note));
            length += note.len();
            if length > MOST_OF_NOTES {
                break;
            }
            notes.push((term.to_owned(), note));
        }
        notes
    }

    /// The other terms of a text and what they become, each once.
    pub(in super::super) fn told(&self, text: &str) -> Vec<(String, String)> {
        let mut told: Vec<(String, String)> = Vec::new();
        for hit in self
            .terms
            .hits(text)
            .into_iter()
            .filter(|hit| !self.terms.is_kept(hit))
        {
            let term = text[hit.range.clone()].to_owned();
            if !told.iter().any(|(known, _)| *known == term) {
                told.push((
                    term,
                    self.terms.wanted(&hit, text, &text[hit.range.clone()]),
                ));
            }
        }
        told
    }
}
