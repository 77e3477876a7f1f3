//! Detects untranslated words (R-L6): one of several sentences, or three words in a row.

use std::collections::HashSet;
use std::ops::Range;

use super::terms::Terms;
use crate::engines::overlap;
use crate::model::{LanguagePair, Locale};
use crate::text::{sentences, volatile};

/// Signs before and behind words of others.
const OPENING: &str = "([（「『\"“„«‘";
const CLOSING: &str = ")]）」』\"”“»’";
/// Limit for words in quotation marks or brackets that count as a term.
const MOST_QUOTED: usize = 6;

/// Groups of languages with many common words: three in a row may be right in both.
const RELATED: [&[&str]; 6] = [
    &[
        "ast", "ca", "es", "fr", "gl", "it", "oc", "pt", "ro", "an", "la", "eo", "ia", "ht",
    ],
    &["da", "nb", "nn", "no", "sv", "fo", "is"],
    &["af", "de", "nl", "fy", "lb", "li", "nds", "gsw"],
    &[
        "be", "bg", "bs", "cs", "hr", "mk", "pl", "ru", "sk", "sl", "sr", "uk", "hsb",
    ],
    &["id", "ms", "jv", "su"],
    &["az", "crh", "kk", "ky", "tk", "tr", "tt", "uz"],
];

/// Source words that remain in a translation.
pub(super) fn untranslated<'s>(
    source: &'s str,
    target: &str,
    terms: &Terms,
    pair: LanguagePair<&Locale>,
) -> Option<&'s str> {
    let ranges = sentences(source);
    let mut texts = ranges.iter().map(|range| &source[range.clone()]);
    if ranges.len() > 1
        && let Some(sentence) = texts.find(|text| is_plainly_words(text) && target.contains(text))
    {
        return Some(sentence);
    }
    let from = pair.from.language();
    let to = pair.to.language();
    let is_related = from == to
        || RELATED
            .iter()
            .any(|group| group.contains(&from) && group.contains(&to));
    if is_related {
        None
    } else {
        row(source, target, terms)
    }
}

/// True for a text in its language: more than a name or a few words that languages share.
pub(super) fn is_plainly_words(text: &str) -> bool {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphabetic))
        .collect();
    let plain = words
        .iter()
        .filter(|word| !word.starts_with(char::is_uppercase))
        .count();
    words.len() > 3 && plain > 1
}

/// First three plain source words in a row that the target has in a row, too.
fn row<'s>(source: &'s str, target: &str, terms: &Terms) -> Option<&'s str> {
    let theirs: HashSet<[&str; 3]> = rows(target)
        .into_iter()
        .filter(|[first, _, last]| !is_quoted(target, first.start..last.end))
        .map(|row| row.map(|word| &target[word]))
        .collect();
    let is_common =
        |row: &[Range<usize>; 3]| theirs.contains(&row.clone().map(|word| &source[word]));
    let common: Vec<_> = rows(source).into_iter().filter(is_common).collect();
    if common.is_empty() {
        return None;
    }
    let mut kept = volatile(source);
    kept.extend(terms.hits(source).into_iter().map(|hit| hit.range));
    let mut ranges = common
        .into_iter()
        .map(|[first, _, last]| first.start..last.end);
    source.get(ranges.find(|range| !kept.iter().any(|kept| overlap(kept, range)))?)
}

/// Groups of three consecutive lower-case words, separated only by spaces.
fn rows(text: &str) -> Vec<[Range<usize>; 3]> {
    let mut rows = Vec::new();
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), '.')]) {
        if is_of_word(character) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            words.push(start..at);
            if !text[start..at]
                .chars()
                .all(|letter| letter.is_lowercase() || is_apostrophe(letter))
            {
                words.clear();
            }
            if let [.., first, second, third] = &words[..] {
                rows.push([first.clone(), second.clone(), third.clone()]);
            }
        }
        if !character.is_whitespace() {
            words.clear();
        }
    }
    rows
}

/// True for words next to or within brackets or quotation marks, where the original of a term often stands.
fn is_quoted(text: &str, words: Range<usize>) -> bool {
    let before = &text[..words.start];
    let after = &text[words.end..];
    if before.ends_with(|sign| OPENING.contains(sign))
        || after.starts_with(|sign| CLOSING.contains(sign))
    {
        return true;
    }
    let (Some((start, opening)), Some((end, closing))) = (
        near_sign(before.char_indices().rev()),
        near_sign(after.char_indices()),
    ) else {
        return false;
    };
    let inner = &text[start..words.end + end];
    OPENING.contains(opening)
        && CLOSING.contains(closing)
        && inner.split_whitespace().count() <= MOST_QUOTED
}

/// First bracket or quotation mark within a few words, and its byte.
fn near_sign(characters: impl Iterator<Item = (usize, char)>) -> Option<(usize, char)> {
    let mut spaces = 0;
    for (at, character) in characters {
        if OPENING.contains(character) || CLOSING.contains(character) {
            return Some((at, character));
        }
        spaces += usize::from(character.is_whitespace());
        if spaces > MOST_QUOTED {
            return None;
        }
    }
    None
}

/// Recognizes what belongs to a word; a word with a digit or a hyphen is often a name.
fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || is_apostrophe(character) || matches!(character, '-' | '_')
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::{Matching, Term};

    fn left(source: &str, target: &str, to: &str) -> Option<String> {
        let kept = Term {
            source: vec!["out of the box".to_owned()],
            target: Vec::new(),
            keeps_case: false,
            matching: Matching::Word,
            is_name: false,
        };
        let languages = LanguagePair::of_tags("en", to);
        let pair = languages.as_ref();
        untranslated(source, target, &Terms::new(vec![kept]), pair).map(str::to_owned)
    }

    #[test]
    fn three_words_of_the_source_are_seen_r_l6() {
        for (source, target, to, expected) in [
            (
                "We bake bread every day",
                "Horneamos bread every day",
                "es",
                "bread every day",
            ),
            (
                "Come in, we bake bread here.",
                "Entre, we bake bread aquí.",
                "es",
                "we bake bread",
            ),
            (
                "Come in (we bake bread for you all day)",
                "Entrez (we bake bread for you all day)",
                "fr",
                "bake bread for",
            ),
            (
                "It works. It costs you nothing.",
                "Funciona. It costs you nothing.",
                "es",
                "It costs you nothing.",
            ),
            (
                "We don't bake here",
                "私たちは don't bake here",
                "ja",
                "don't bake here",
            ),
            (
                "We bake bread — come in",
                "Horneamos — bake bread — come in",
                "es",
                "",
            ),
            (
                "It is fresh: and it is good",
                "Es fresco: and it is good",
                "es",
                "and it is",
            ),
        ] {
            assert_eq!(
                left(source, target, to).unwrap_or_default(),
                expected,
                "{target}"
            );
        }
    }

    #[test]
    fn names_code_terms_and_single_words_may_stay_r_l6() {
        for (source, target, to) in [
            ("We bake bread every day", "Horneamos bread cada day", "es"),
            (
                "It works out of the box today",
                "Funciona out of the box hoy",
                "es",
            ),
            ("See Bake The Bread now", "Vea Bake The Bread ahora", "es"),
            (
                "It is a network attached storage",
                "Es un NAS (network attached storage)",
                "es",
            ),
            (
                "The “too many levels” error",
                "El error «too many levels of x»",
                "es",
            ),
            (
                "The “bake too many breads in here” error",
                "Error «bake too many breads in here»",
                "es",
            ),
            (
                "The apt-cacher and apt-ng work",
                "El apt-cacher and apt-ng va",
                "es",
            ),
            ("Read foo, bar, baz", "Lea foo, bar, baz", "es"),
            (
                "Mail to us at info@example.com now",
                "Escriba a info@example.com ya",
                "es",
            ),
            (
                "Run apt-get dist-upgrade now",
                "Ejecute apt-get dist-upgrade ahora",
                "es",
            ),
            ("a b", "a b", "es"),
        ] {
            assert_eq!(left(source, target, to), None, "{target}");
        }
        let languages = LanguagePair::of_tags("es", "gl");
        let pair = languages.as_ref();
        let found = untranslated(
            "el pan de la casa",
            "o pan de la casa",
            &Terms::default(),
            pair,
        );
        assert_eq!(found, None);
    }
}
