//! Numbers that a text says in words.

use std::collections::BTreeSet;

use super::super::lexicon::{Kind as Word, Lexicon};
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

/// The numbers that the words of a text name: each alone, and several that make up one.
pub(super) fn numbers(text: &str, lexicon: Option<&Lexicon>, is_english: bool) -> BTreeSet<Number> {
    let mut found = BTreeSet::new();
    let Some(lexicon) = lexicon else { return found };
    // What the words so far make up: two hundred thousand.
    let mut whole: Option<u128> = None;
    for word in text.split(|sign: char| !sign.is_alphabetic()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let named = |kind: Word| {
            lexicon.all(kind).filter(|(_, form)| *form == word).filter_map(|(key, _)| key.parse::<u128>().ok())
        };
        let number = named(Word::Number).chain(named(Word::Ordinal)).next();
        let scale = named(Word::Scale).next().or_else(|| (is_english && word == "hundred").then_some(2));
        whole = match (number, scale) {
            (_, Some(exponent)) => {
                let power = u32::try_from(exponent).ok().and_then(|exponent| 10_u128.checked_pow(exponent));
                power.and_then(|power| whole.unwrap_or(1).checked_mul(power))
            }
            (Some(number), None) => Some(whole.filter(|whole| *whole > number).unwrap_or(0) + number),
            (None, None) => None,
        };
        let alone = number.into_iter().chain(whole);
        let months = named(Word::Month).chain(named(Word::ShortMonth));
        let special = ENGLISH.iter().filter(|(name, _)| is_english && *name == word).map(|(_, number)| *number);
        found.extend(alone.chain(months).chain(special).map(|number| Number::new(number, 0)));
    }
    found
}
