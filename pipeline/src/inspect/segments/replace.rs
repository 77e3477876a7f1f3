//! Replacement of words in translations; inline codes stay where they are.

use std::ops::Range;

use crate::page::CodedText;

/// Words that take the place of others.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The letters to find; in lower case where case is ignored.
    wanted: Vec<char>,
    with: String,
    matches_case: bool,
}

impl Replacement {
    /// Words to find, and those that take their place; `None` if there is nothing to find.
    pub fn new(find: &str, with: &str, matches_case: bool) -> Option<Self> {
        let wanted: Vec<char> = if matches_case {
            find.chars().collect()
        } else {
            find.chars().flat_map(char::to_lowercase).collect()
        };
        (!wanted.is_empty()).then(|| Self {
            wanted,
            with: with.to_owned(),
            matches_case,
        })
    }

    /// The text with the replaced words; where case is ignored, a capital letter stays one at the start of the words. Words with a
    /// code among them are not found.
    pub fn apply(&self, text: &CodedText) -> CodedText {
        text.map(|piece| self.in_piece(piece))
    }

    fn in_piece(&self, piece: &str) -> String {
        let mut replaced = String::with_capacity(piece.len());
        let mut rest = piece;
        while let Some(found) = self.find(rest) {
            replaced.push_str(rest.get(..found.start).unwrap_or_default());
            let is_capital = rest
                .get(found.clone())
                .and_then(|found| found.chars().next())
                .is_some_and(char::is_uppercase);
            let mut letters = self.with.chars();
            match letters.next() {
                Some(first) if is_capital && !self.matches_case => {
                    replaced.extend(first.to_uppercase());
                    replaced.push_str(letters.as_str());
                }
                _ => replaced.push_str(&self.with),
            }
            rest = rest.get(found.end..).unwrap_or_default();
        }
        replaced.push_str(rest);
        replaced
    }

    /// The bytes of the first match.
    fn find(&self, text: &str) -> Option<Range<usize>> {
        text.char_indices().find_map(|(start, _)| {
            let length = self.length_at(text.get(start..)?)?;
            Some(start..start + length)
        })
    }

    /// Bytes of a match at the start of a text; `None` if there is no match.
    fn length_at(&self, text: &str) -> Option<usize> {
        let mut wanted = self.wanted.as_slice();
        for (at, letter) in text.char_indices() {
            if wanted.is_empty() {
                return Some(at);
            }
            let folded: Vec<char> = if self.matches_case {
                vec![letter]
            } else {
                letter.to_lowercase().collect()
            };
            // A letter that becomes several in lower case matches as a whole.
            wanted = wanted.strip_prefix(folded.as_slice())?;
        }
        wanted.is_empty().then_some(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_and_codes_stay() {
        let code = r#"<g id="1">Pan</g>"#;
        let across = r#"Pan <g id="1">de</g>"#;
        let single = r#"Pan y <x id="1"/>"#;
        for (find, with, matches_case, text, expected) in [
            ("horno", "té", false, "El Horno, el horno", "El Té, el té"),
            ("horno", "té", true, "El Horno, el horno", "El Horno, el té"),
            ("ÜBER", "x", false, "über Über", "x X"),
            ("i\u{307}", "x", false, "\u{130}stanbul", "Xstanbul"),
            ("a", "aa", false, "aba", "aabaa"),
            ("<g", "x", false, code, code),
            ("pan de", "x", false, across, across),
            ("pan", "<b>", false, code, r#"<g id="1">&lt;b&gt;</g>"#),
            ("pan", "", true, "Pan", "Pan"),
            ("pan", "", false, single, r#" y <x id="1"/>"#),
        ] {
            let replacement = Replacement::new(find, with, matches_case).unwrap();
            let text = CodedText::from_markup(text).unwrap();
            assert_eq!(replacement.apply(&text).to_markup(), expected, "{find}");
        }
        assert!(Replacement::new("", "x", true).is_none());
    }
}
