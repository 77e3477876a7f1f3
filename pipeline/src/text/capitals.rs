//! Words that a site writes only with capitals inside sentences (R-N3): probably names of products, places and people
//! that an owner may want to keep. The beginnings of sentences and headings are no evidence.

use std::collections::BTreeMap;
use std::ops::Range;

use super::names::{is_inside, is_running, is_title_case, is_word};
use super::placeholders::volatile;
use super::sentences::sentences;
use crate::page::Segment;

/// Words with capitals, each with the texts that have it.
#[derive(Debug, Default)]
pub(crate) struct Capitals {
    found: BTreeMap<String, Occurrences>,
}

/// Occurrences of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// Texts in which it stands inside of a sentence.
    pub(crate) texts: usize,
    /// The first of these.
    pub(crate) first: usize,
}

/// Days and months, which English writes with capitals and most languages do not.
const CALENDAR: [&str; 19] = [
    "april",
    "august",
    "december",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "march",
    "may",
    "monday",
    "november",
    "october",
    "saturday",
    "september",
    "sunday",
    "thursday",
    "tuesday",
    "wednesday",
];

impl Capitals {
    /// Adds the capitalized words of a text; `index` identifies the text.
    pub(crate) fn read(&mut self, index: usize, segment: &Segment) {
        if !is_running(segment) {
            return;
        }
        let text = segment.text.text();
        let kept = volatile(text);
        let mut own: Vec<&str> = Vec::new();
        for sentence in sentences(text)
            .into_iter()
            .filter(|range| !is_title_case(&text[range.clone()]))
        {
            for run in runs(&text[sentence.clone()]) {
                let range = sentence.start + run.start..sentence.start + run.end;
                let is_kept = kept
                    .iter()
                    .any(|kept| kept.start < range.end && range.start < kept.end);
                if !is_kept
                    && is_inside(&text[sentence.clone()], run)
                    && !own.contains(&&text[range.clone()])
                {
                    own.push(&text[range]);
                }
            }
        }
        for words in own {
            let found = self.found.entry(words.to_owned()).or_insert(Occurrences {
                texts: 0,
                first: index,
            });
            found.texts += 1;
        }
    }

    /// Drops rare words, days and months.
    pub(crate) fn frequent(&mut self, least: usize) {
        self.found.retain(|words, found| {
            let is_calendar = CALENDAR
                .binary_search(&words.to_lowercase().as_str())
                .is_ok();
            found.texts >= least && words != "I" && !is_calendar
        });
    }

    /// Drops words that a text has in lower case.
    pub(crate) fn strike(&mut self, text: &str) {
        self.found.retain(|words, _| {
            let lower = words.to_lowercase();
            let mut places = text.match_indices(lower.as_str());
            !places.any(|(at, _)| is_word(text, at..at + lower.len()))
        });
    }

    /// Remaining words, the most frequent first.
    pub(crate) fn into_sorted(self) -> Vec<(String, Occurrences)> {
        let mut all: Vec<(String, Occurrences)> = self.found.into_iter().collect();
        all.sort_by(|one, other| {
            other
                .1
                .texts
                .cmp(&one.1.texts)
                .then_with(|| one.0.cmp(&other.0))
        });
        all
    }
}

/// Runs of words with capitals, such as `Harbor Lane`.
fn runs(sentence: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for word in sentence.split_inclusive(char::is_whitespace) {
        let start = at + word.len()
            - word
                .trim_start_matches(|sign: char| !sign.is_alphanumeric())
                .len();
        let core = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        // The possessive ending is no part of a name.
        let core = core
            .strip_suffix("'s")
            .or(core.strip_suffix("’s"))
            .unwrap_or(core);
        let end = start + core.len();
        if core.starts_with(char::is_uppercase) && core.chars().nth(1).is_some() {
            match runs.last_mut() {
                Some(last) if &sentence[last.end..start] == " " => last.end = end,
                Some(_) | None => runs.push(start..end),
            }
        }
        at += word.len();
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::example::plain;

    fn check(texts: &[&str], expected: &[(&str, usize)]) {
        let mut capitals = Capitals::default();
        for (index, text) in texts.iter().enumerate() {
            capitals.read(index, &plain(text));
        }
        capitals.frequent(2);
        texts.iter().for_each(|text| capitals.strike(text));
        let found = capitals.into_sorted();
        let found: Vec<(&str, usize)> = found
            .iter()
            .map(|(words, found)| (words.as_str(), found.texts))
            .collect();
        assert_eq!(found, expected, "{texts:?}");
    }

    #[test]
    fn words_that_stand_only_in_capitals_are_suggested_r_n3() {
        check(
            &["We sell the Aeropress here", "You need an Aeropress, too"],
            &[("Aeropress", 2)],
        );
        check(
            &[
                "Come to Port Linnet with us",
                "We like Port Linnet's bread a lot",
            ],
            &[("Port Linnet", 2)],
        );
        check(
            &["Ask the ACME of today", "Our own ACME, it is there"],
            &[("ACME", 2)],
        );
        // Two occurrences in one text count once.
        check(
            &[
                "We sell the Aeropress and Aeropress bags",
                "Nothing else is there",
            ],
            &[],
        );
        // The site has it in lower case.
        check(
            &[
                "Send it to Support at once",
                "Ask Support for it, please",
                "our support is open",
            ],
            &[],
        );
        // Beginnings are no evidence, and neither are headings, quotations and lists.
        check(
            &[
                "Bread is good for you",
                "Bread is what we bake",
                "They say: Bread is here",
            ],
            &[],
        );
        check(&["The Best Bread in Town", "Our Best Bread Is Here"], &[]);
        check(
            &[
                "We open on Monday and in March",
                "Not on Monday, not in March",
            ],
            &[],
        );
        check(&["Then I saw it and I left", "And I went there, too"], &[]);
        // Code names stay untranslated anyway.
        check(
            &["Set MAX_SIZE to that value", "The MAX_SIZE of all things"],
            &[],
        );
    }
}
