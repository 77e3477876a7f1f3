//! Texts of which nothing changed but numbers: prices, dates, versions. What the memory has for the old numbers serves for
//! the new ones, so that nobody pays again (ENGINES 5.4).
//!
//! Only where it is certain which number of the translation is which of the source, and only in languages whose words
//! do not change with a number in more ways than those of the source do: "2 files" and "5 files" are two different
//! texts in Polish.

use std::collections::HashMap;
use std::ops::Range;

use super::Remembered;
use super::numbers::same_numbers;
use crate::model::Locale;
use crate::page::{CodedText, Piece};

/// Stands for a number; no text holds it.
const NUMBER: char = '\u{0}';

/// Languages with more forms than one and many (CLDR 48, cardinal numbers).
const MANY_FORMS: [&str; 28] = [
    "ar", "be", "br", "bs", "cs", "cy", "dsb", "ga", "gd", "gv", "he", "hr", "hsb", "kw", "lt", "lv", "mt", "pl", "ro",
    "ru", "se", "sh", "sk", "sl", "sr", "uk", "ksh", "sat",
];

/// Languages whose words do not change with a number.
const ONE_FORM: [&str; 14] = ["zh", "ja", "ko", "vi", "th", "id", "ms", "my", "km", "lo", "yue", "wo", "bo", "jv"];

/// What the memory has, by texts without their numbers.
#[derive(Debug, Default)]
pub struct Renumbered {
    known: HashMap<String, Remembered>,
}

impl Renumbered {
    /// Whether numbers may be put into translations of this pair.
    pub fn suits(source: &Locale, target: &Locale) -> bool {
        let is = |languages: &[&str], locale: &Locale| languages.contains(&locale.language());
        is(&ONE_FORM, target) || !(is(&MANY_FORMS, target) || is(&ONE_FORM, source))
    }

    /// Whether a text holds a number at all.
    pub fn concerns(text: &CodedText) -> bool {
        text.text().contains(|character: char| character.is_ascii_digit())
    }

    /// Takes what the memory has; of two texts with the same words the first in order of their sources counts.
    pub fn new(memory: impl IntoIterator<Item = Remembered>) -> Self {
        let mut known: HashMap<String, Remembered> = HashMap::new();
        for remembered in memory.into_iter().filter(|remembered| remembered.refused.is_none()) {
            let Ok(source) = CodedText::from_markup(&remembered.source) else { continue };
            if !Self::concerns(&source) {
                continue;
            }
            let entry = known.entry(masked(&source)).or_insert_with(|| remembered.clone());
            if remembered.source < entry.source {
                *entry = remembered;
            }
        }
        Self { known }
    }

    /// The translation of a text that differs from a known one in numbers alone.
    pub fn find(&self, text: &CodedText) -> Option<Remembered> {
        let known = self.known.get(&masked(text))?;
        let before = CodedText::from_markup(&known.source).ok()?;
        let translation = CodedText::from_markup(&known.text).ok()?;
        let changed = replace(&numbers_of(&before), &numbers_of(text), &translation)?;
        let is_right = same_numbers(&text.text(), &changed.text());
        is_right.then(|| Remembered {
            text: changed.to_markup(),
            engine: known.engine.clone(),
            source: text.to_markup(),
            refused: None,
            terms: known.terms.clone(),
        })
    }
}

/// The text in our notation, each number replaced by the same sign.
fn masked(text: &CodedText) -> String {
    let pieces = text.0.iter().map(|piece| match piece {
        Piece::Text(text) => {
            let mut masked = String::with_capacity(text.len());
            let mut at = 0;
            for range in numbers(text) {
                masked.push_str(&text[at..range.start]);
                masked.push(NUMBER);
                at = range.end;
            }
            Piece::Text(masked + &text[at..])
        }
        code => code.clone(),
    });
    CodedText(pieces.collect()).to_markup()
}

/// Byte ranges of numbers, with the signs inside of them, as in 1,234.56 or 1.2.3.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        while is_digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && is_digit(at + 1)) {
            at += 1;
        }
        found.push(start..at);
    }
    found
}

fn numbers_of(text: &CodedText) -> Vec<String> {
    let texts = text.0.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text),
        Piece::Open(_) | Piece::Close(_) | Piece::Single(_) => None,
    });
    texts.flat_map(|text| numbers(text).into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>()).collect()
}

/// Puts new numbers in the place of old ones; nothing where it is not certain which is which.
fn replace(before: &[String], after: &[String], translation: &CodedText) -> Option<CodedText> {
    let found = numbers_of(translation);
    let (mut sorted, mut wanted) = (found.clone(), before.to_vec());
    sorted.sort();
    wanted.sort();
    if sorted != wanted || before.len() != after.len() {
        return None;
    }
    let new = |at: usize, number: &String| {
        if found == before {
            return after.get(at);
        }
        let mut candidates = before.iter().zip(after).filter(|(old, _)| *old == number).map(|(_, new)| new);
        let first = candidates.next();
        first.filter(|first| candidates.all(|other| other == *first))
    };
    let mut replaced = found.iter().enumerate().map(|(at, number)| new(at, number).cloned());
    let mut pieces = Vec::new();
    for piece in &translation.0 {
        let Piece::Text(text) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        let mut changed = String::with_capacity(text.len());
        let mut at = 0;
        for range in numbers(text) {
            changed.push_str(&text[at..range.start]);
            changed.push_str(&replaced.next()??);
            at = range.end;
        }
        pieces.push(Piece::Text(changed + &text[at..]));
    }
    Some(CodedText(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(source: &str, text: &str) -> Remembered {
        Remembered { text: text.into(), engine: "e".into(), source: source.into(), refused: None, terms: None }
    }

    #[test]
    fn new_numbers_take_the_place_of_old_ones_where_it_is_certain() {
        for (source, translation, text, expected) in [
            ("Only 3 left", "Solo quedan 3", "Only 12 left", Some("Solo quedan 12")),
            ("Version 1.2.3 of 2025", "Versión 1.2.3 de 2025", "Version 1.3.0 of 2026", Some("Versión 1.3.0 de 2026")),
            ("5 of 7", "De 7, 5", "6 of 9", Some("De 9, 6")),
            ("3 and 3", "3 y 3", "4 and 5", Some("4 y 5")),
            (
                "<g id=\"1\">2</g> loaves for $4",
                "$4 por <g id=\"1\">2</g> panes",
                "<g id=\"1\">6</g> loaves for $9",
                Some("$9 por <g id=\"1\">6</g> panes"),
            ),
            // Which is which is not certain, or a number is written in another way.
            ("3 and 3 of 5", "De 5, 3 y 3", "4 and 6 of 5", None),
            ("1,234 files", "1.234 archivos", "1,235 files", None),
            ("3 files", "tres archivos", "4 files", None),
            // Other words are another text.
            ("1 file", "1 archivo", "2 files", None),
        ] {
            let memory = Renumbered::new([known(source, translation)]);
            let found = memory.find(&CodedText::from_markup(text).unwrap());
            assert_eq!(found.as_ref().map(|found| found.text.as_str()), expected, "{source} -> {text}");
            assert!(found.is_none_or(|found| found.source == text && found.engine == "e"));
        }
    }

    #[test]
    fn languages_with_more_forms_of_a_word_are_left_alone() {
        let suits = |source: &str, target: &str| {
            Renumbered::suits(&Locale::parse(source).unwrap(), &Locale::parse(target).unwrap())
        };
        assert!(suits("en", "es") && suits("en", "ja") && suits("ru", "zh-TW") && suits("en", "en-XA"));
        assert!(!suits("en", "pl") && !suits("en", "ar") && !suits("ja", "en"));
    }
}
