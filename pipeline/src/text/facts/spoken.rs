//! Numbers in words.

use std::collections::BTreeSet;

use super::super::lexicon::{Lexicon, WordKind};
use super::super::quantities::Number;

/// English words that other languages say with a number.
const ENGLISH: [(&str, u128); 30] = [
    ("a", 1),
    ("an", 1),
    ("once", 1),
    ("single", 1),
    ("each", 1),
    ("every", 1),
    ("per", 1),
    ("daily", 1),
    ("weekly", 1),
    ("monthly", 1),
    ("yearly", 1),
    ("twice", 2),
    ("both", 2),
    ("pair", 2),
    ("couple", 2),
    ("double", 2),
    ("half", 2),
    ("half", 30),
    ("quarter", 4),
    ("quarter", 15),
    ("triple", 3),
    ("binary", 2),
    ("octal", 8),
    ("decimal", 10),
    ("hexadecimal", 16),
    ("dozen", 12),
    ("noon", 12),
    ("midday", 12),
    ("midnight", 0),
    ("midnight", 24),
];

/// Numbers named in a text: single words and combinations.
pub(super) fn numbers(text: &str, lexicon: Option<&Lexicon>, is_english: bool) -> BTreeSet<Number> {
    let mut found = BTreeSet::new();
    let Some(lexicon) = lexicon else { return found };
    // Value of the words so far: two hundred thousand.
    let mut whole: Option<u128> = None;
    for word in text
        .split(|sign: char| !sign.is_alphabetic())
        .filter(|word| !word.is_empty())
    {
        let word = word.to_lowercase();
        let number = named(&word, WordKind::Number, lexicon)
            .or_else(|| named(&word, WordKind::Ordinal, lexicon));
        let scale = match named(&word, WordKind::Scale, lexicon) {
            None if is_english && word == "hundred" => Some(2),
            scale => scale,
        };
        whole = match (number, scale) {
            (_, Some(exponent)) => scaled(whole.unwrap_or(1), exponent),
            (Some(number), None) => whole
                .filter(|whole| *whole > number)
                .unwrap_or(0)
                .checked_add(number),
            (None, None) => None,
        };
        let month = named(&word, WordKind::Month, lexicon)
            .or_else(|| named(&word, WordKind::ShortMonth, lexicon));
        let meant = [number, whole, month].into_iter().flatten();
        found.extend(meant.map(|number| Number::new(number, 0)));
        for (name, number) in ENGLISH {
            if is_english && name == word {
                found.insert(Number::new(number, 0));
            }
        }
    }
    found
}

/// Value of a number word.
fn named(word: &str, kind: WordKind, lexicon: &Lexicon) -> Option<u128> {
    lexicon
        .all(kind)
        .find(|(_, form)| *form == word)
        .and_then(|(key, _)| key.parse().ok())
}

fn scaled(number: u128, exponent: u128) -> Option<u128> {
    number.checked_mul(10_u128.checked_pow(u32::try_from(exponent).ok()?)?)
}
