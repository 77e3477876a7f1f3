//! Words that the second engine of a pivot does not know. Each becomes the source word that it was made from, or a
//! direct translation of that word, so that none stays in the intermediate language (R-P1).

use std::ops::Range;

use super::super::{Ask, EngineAnswer, WordLink, overlap};
use crate::page::CodedText;
use crate::text::runs;

/// Limit for the source words behind one intermediate word.
const MOST_WORDS: usize = 3;

/// An unknown word of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnknownWord {
    pub(super) word: String,
    /// Its bytes in the answer.
    pub(super) place: Range<usize>,
    /// Its bytes in the intermediate text.
    halfway: Range<usize>,
}

/// Unknown words of an answer, except those that the source has, too: names and placeholders.
///
/// # Errors
/// The word that is missing from the answer or from the intermediate text.
pub(super) fn unknown_words(
    [source, halfway, answer]: [&str; 3],
    words: &[String],
) -> Result<Vec<UnknownWord>, String> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !places(source, word).is_empty() {
            continue;
        }
        let before = words[..at]
            .iter()
            .filter(|other| other.to_lowercase() == word.to_lowercase())
            .count();
        let nth = |text: &str| places(text, word).into_iter().nth(before);
        let (Some(halfway), Some(place)) = (nth(halfway), nth(answer)) else {
            return Err(word.clone());
        };
        found.push(UnknownWord {
            word: word.clone(),
            place,
            halfway,
        });
    }
    Ok(found)
}

/// Places of a word in a text, case-insensitive.
fn places(text: &str, word: &str) -> Vec<Range<usize>> {
    let wanted = word.to_lowercase();
    word_ranges(text)
        .into_iter()
        .filter(|range| text[range.clone()].to_lowercase() == wanted)
        .collect()
}

/// The words of a text.
pub(super) fn word_ranges(text: &str) -> Vec<Range<usize>> {
    runs(text, char::is_alphanumeric)
}

/// Source words behind an intermediate word; `None` if unknown.
pub(super) fn origin<'s>(
    source: &'s str,
    links: &[WordLink],
    word: &UnknownWord,
) -> Option<&'s str> {
    let made_from = links
        .iter()
        .filter(|link| overlap(&link.target, &word.halfway))
        .flat_map(|link| &link.sources);
    let words = word_ranges(source);
    let mut touched: Vec<usize> = made_from
        .flat_map(|bytes| {
            words
                .iter()
                .enumerate()
                .filter(move |(_, word)| overlap(word, bytes))
                .map(|(at, _)| at)
        })
        .collect();
    touched.sort_unstable();
    touched.dedup();
    let first = *touched.first()?;
    let last = *touched.last()?;
    if last - first >= MOST_WORDS {
        return None;
    }
    source.get(words.get(first)?.start..words.get(last)?.end)
}

/// A request for the links of each word.
pub(super) fn with_all_words(ask: &Ask) -> Ask {
    Ask {
        marks: word_ranges(ask.text.text()),
        terms: Vec::new(),
        marks_terms_only: false,
        ..ask.clone()
    }
}

/// Replaces words of an answer, in order.
pub(super) fn replaced(done: EngineAnswer, words: &[(UnknownWord, String)]) -> EngineAnswer {
    let EngineAnswer { text, links } = done;
    let old = text.text();
    let mut new = String::with_capacity(old.len());
    let mut at = 0;
    // End offsets of replaced words, before and after.
    let mut ends = Vec::new();
    for (unknown, word) in words {
        new.push_str(old.get(at..unknown.place.start).unwrap_or_default());
        new.push_str(&cased_like(&unknown.word, word));
        at = unknown.place.end;
        ends.push((at, new.len()));
    }
    new.push_str(old.get(at..).unwrap_or_default());
    let moved = |byte: usize| match ends.iter().rev().find(|(end, _)| *end <= byte) {
        Some((end, now)) => byte - end + now,
        None => byte,
    };
    let move_link = |link: WordLink| WordLink {
        target: moved(link.target.start)..moved(link.target.end),
        ..link
    };
    EngineAnswer {
        text: CodedText::plain(new),
        links: links.map(|links| links.into_iter().map(move_link).collect()),
    }
}

/// Capitalizes a word if the other one is capitalized.
fn cased_like(other: &str, word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if other.starts_with(char::is_uppercase) => {
            first.to_uppercase().chain(letters).collect()
        }
        Some(_) | None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn unknown_words_are_found_in_both_texts_r_p1() {
        let texts = [
            "Buy flatbread in Portland, flatbread!",
            "Compre pãezinhos em Portland, pãezinhos!",
            "",
        ];
        let answer = "Compre pãezinhos en Portland, ¡pãezinhos!";
        let found = unknown_words(
            [texts[0], texts[1], answer],
            &owned(&["pãezinhos", "Portland", "pãezinhos"]),
        )
        .unwrap();
        let at = |unknown: &UnknownWord| {
            (
                texts[1].get(unknown.halfway.clone()),
                answer.get(unknown.place.clone()),
            )
        };
        assert_eq!(
            found.iter().map(at).collect::<Vec<_>>(),
            [(Some("pãezinhos"), Some("pãezinhos")); 2]
        );
        assert_ne!(found[0].place, found[1].place);
        assert_eq!(
            unknown_words([texts[0], texts[1], answer], &owned(&["gostoso"])),
            Err("gostoso".to_owned())
        );
    }

    #[test]
    fn unknown_words_become_words_of_the_source_r_p1() {
        let source = "A sticky bun, please";
        let word = UnknownWord {
            word: "Pãozinho".to_owned(),
            place: 0..9,
            halfway: 3..12,
        };
        let link = |target: Range<usize>, source: Range<usize>| WordLink {
            target,
            sources: vec![source],
        };
        let links = [
            link(0..2, 0..1),
            link(3..6, 9..12),
            link(6..12, 9..10),
            link(13..20, 2..8),
        ];
        assert_eq!(origin(source, &links, &word), Some("bun"));
        assert_eq!(
            origin(source, &[link(3..6, 2..8), link(6..12, 9..12)], &word),
            Some("sticky bun")
        );
        assert_eq!(
            origin(source, &[link(3..6, 0..1), link(6..12, 14..20)], &word),
            None
        );
        assert_eq!(origin(source, &[], &word), None);
        let done = EngineAnswer {
            text: CodedText::plain("Pãozinho pegajoso"),
            links: Some(vec![link(10..18, 2..8)]),
        };
        let done = replaced(done, &[(word, "bun".to_owned())]);
        assert_eq!(
            (done.text.text(), done.links),
            ("Bun pegajoso", Some(vec![link(4..12, 2..8)]))
        );
    }
}
