//! Numbers as quantities: `3 billion`, `3000 millones` and `30亿` are the same one.
//!
//! Separators belong to the locale and one number may be read in two ways (`1.234`), so a quantity is the set of what it
//! may mean. Two are equal where they have a meaning in common.

use std::collections::BTreeSet;
use std::ops::Range;

use super::lexicon::{Lexicon, WordKind};
use super::numbers::digit;

/// A number as digits and a power of ten, without zeros at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number {
    digits: u128,
    exponent: i32,
}

impl Number {
    pub(super) fn new(digits: u128, exponent: i32) -> Self {
        let mut number = Self {
            digits,
            exponent: if digits == 0 { 0 } else { exponent },
        };
        while number.digits != 0 && number.digits.is_multiple_of(10) {
            number.digits /= 10;
            number.exponent += 1;
        }
        number
    }

    /// A whole number, where it is a small one.
    pub(super) fn small(self) -> Option<u32> {
        let power = 10_u128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        self.digits
            .checked_mul(power)
            .and_then(|whole| u32::try_from(whole).ok())
            .filter(|whole| *whole < 10_000)
    }

    /// The number as near as arithmetic with fractions has it.
    pub(super) fn approximate(self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "only compared with what people round"
        )]
        let digits = self.digits as f64;
        digits * 10_f64.powi(self.exponent)
    }

    fn scaled(self, exponent: i32) -> Self {
        Self::new(self.digits, self.exponent + exponent)
    }

    fn plus(self, other: Self) -> Option<Self> {
        let low = self.exponent.min(other.exponent);
        let sum = self
            .digits_from(low)?
            .checked_add(other.digits_from(low)?)?;
        Some(Self::new(sum, low))
    }

    /// Its digits with zeros down to a power of ten.
    fn digits_from(self, exponent: i32) -> Option<u128> {
        let power = u32::try_from(self.exponent - exponent).ok()?;
        self.digits.checked_mul(10_u128.checked_pow(power)?)
    }
}

/// A number in a text, written with digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quantity {
    /// Its bytes, with the scale words.
    pub(super) range: Range<usize>,
    /// Possible readings.
    pub(super) meanings: BTreeSet<Number>,
    /// True if a word such as "million" scales it.
    pub(super) is_scaled: bool,
}

impl Quantity {
    /// True if both share a reading.
    pub(super) fn equals(&self, other: &Self) -> bool {
        !self.meanings.is_disjoint(&other.meanings)
    }

    /// Adds a meaning.
    pub(super) fn may_also_be(&mut self, number: u32) {
        self.meanings.insert(Number::new(number.into(), 0));
    }

    /// The power of ten between it and the number without its words; `None` if they are the same.
    pub(super) fn scale_of(&self, plain: &Self) -> Option<i32> {
        let (own, other) = self.meanings.first().zip(plain.meanings.first())?;
        if own == other {
            None
        } else {
            Some(own.exponent - other.exponent)
        }
    }

    /// The power of ten that it may mean.
    pub(super) fn power(&self) -> Option<i32> {
        self.meanings
            .iter()
            .find(|number| number.digits == 1 && number.exponent > 2)
            .map(|number| number.exponent)
    }

    /// Raises it by a power of ten.
    pub(super) fn scale(&mut self, exponent: i32) {
        self.meanings = std::mem::take(&mut self.meanings)
            .into_iter()
            .map(|number| number.scaled(exponent))
            .collect();
    }

    /// The small whole numbers that it may mean.
    pub(super) fn small(&self) -> impl Iterator<Item = u32> {
        self.meanings.iter().filter_map(|number| number.small())
    }
}

/// The quantities of a text in a language, in order.
pub(super) fn quantities(text: &str, lexicon: Option<&Lexicon>) -> Vec<Quantity> {
    let mut found: Vec<Quantity> = Vec::new();
    for token in tokens(text) {
        let (exponent, end) = scale(text, token.range.end, lexicon);
        let mut quantity = Quantity {
            range: token.range.start..end,
            meanings: token.meanings,
            is_scaled: exponent > 0,
        };
        quantity.scale(exponent);
        // 1億2000万 is one number.
        match found
            .last_mut()
            .filter(|last| last.is_scaled && last.range.end == quantity.range.start)
        {
            Some(last) => {
                let sums = last
                    .meanings
                    .iter()
                    .flat_map(|first| quantity.meanings.iter().map(|next| first.plus(*next)));
                last.meanings = sums.flatten().collect();
                last.range.end = quantity.range.end;
            }
            None => found.push(quantity),
        }
    }
    found
}

/// The power of ten that the words after a number give it, and where they end.
fn scale(text: &str, at: usize, lexicon: Option<&Lexicon>) -> (i32, usize) {
    let mut exponent = 0;
    let mut end = at;
    let Some(lexicon) = lexicon else {
        return (exponent, end);
    };
    loop {
        let rest = &text[end..];
        let word = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
        let named = lexicon
            .all(WordKind::Scale)
            .filter(|(_, form)| begins_with_word(word, form));
        let Some((key, form)) = named.max_by_key(|(_, form)| form.len()) else {
            return (exponent, end);
        };
        exponent += key.parse().unwrap_or(0);
        end = text.len() - word.len() + prefix_length(word, form).unwrap_or(0);
    }
}

/// Matches a whole word at the start of a text, in any case.
fn begins_with_word(text: &str, form: &str) -> bool {
    prefix_length(text, form).is_some_and(|length| {
        let after = text[length..].chars().next();
        let is_dense = form
            .chars()
            .all(|letter| !super::script::is_word_letter(letter));
        is_dense || !after.is_some_and(char::is_alphabetic)
    })
}

/// The bytes of a text that are a form of words in any case.
pub(super) fn prefix_length(text: &str, form: &str) -> Option<usize> {
    let mut letters = form.chars();
    let mut wanted = letters.next();
    for (at, character) in text.char_indices() {
        if wanted.is_none() {
            return Some(at);
        }
        for lower in character.to_lowercase() {
            if wanted != Some(lower)
                && !(wanted == Some(' ') && matches!(lower, '\u{a0}' | '\u{202f}'))
            {
                return None;
            }
            wanted = letters.next();
        }
    }
    if wanted.is_none() {
        Some(text.len())
    } else {
        None
    }
}

/// A number without what stands after it.
struct NumberToken {
    range: Range<usize>,
    meanings: BTreeSet<Number>,
}

/// A run of digits.
struct DigitGroup {
    range: Range<usize>,
    digits: String,
}

fn tokens(text: &str) -> Vec<NumberToken> {
    let mut groups: Vec<DigitGroup> = Vec::new();
    for (at, character) in text.char_indices() {
        let Some(digit) = digit(character) else {
            continue;
        };
        let end = at + character.len_utf8();
        match groups.last_mut().filter(|group| group.range.end == at) {
            Some(group) => {
                group.range.end = end;
                group.digits.push(digit);
            }
            None => groups.push(DigitGroup {
                range: at..end,
                digits: digit.into(),
            }),
        }
    }
    let mut tokens = Vec::new();
    let mut rest = groups.as_slice();
    while let Some(first) = rest.first() {
        let joined = 1 + rest
            .windows(2)
            .take_while(|pair| is_joined(text, &pair[0], &pair[1]))
            .count();
        let (number, after) = rest.split_at(joined);
        let meanings = meanings(text, number);
        match number.last().filter(|_| !meanings.is_empty()) {
            Some(last) => tokens.push(NumberToken {
                range: first.range.start..last.range.end,
                meanings,
            }),
            None => tokens.extend(number.iter().map(|group| {
                NumberToken {
                    range: group.range.clone(),
                    meanings: value(std::slice::from_ref(group))
                        .map(|digits| Number::new(digits, 0))
                        .into_iter()
                        .collect(),
                }
            })),
        }
        rest = after;
    }
    tokens
}

/// The digits of groups as one whole number.
fn value(groups: &[DigitGroup]) -> Option<u128> {
    let digits: String = groups.iter().map(|group| group.digits.as_str()).collect();
    digits.parse().ok()
}

/// True if a single separator joins two groups.
fn is_joined(text: &str, before: &DigitGroup, after: &DigitGroup) -> bool {
    let mut between = text[before.range.end..after.range.start].chars();
    let sign = between.next();
    if between.next().is_some() {
        return false;
    }
    match sign {
        Some(' ' | '\u{a0}' | '\u{2009}' | '\u{202f}') => {
            before.digits.len() <= 3 && after.digits.len() == 3
        }
        Some('.' | ',' | '\'' | '’' | '٬' | '٫') => true,
        _ => false,
    }
}

/// Readings of joined groups; empty if they are separate numbers.
fn meanings(text: &str, joined: &[DigitGroup]) -> BTreeSet<Number> {
    let (Some(first), Some(last), Some(whole)) = (joined.first(), joined.last(), value(joined))
    else {
        return BTreeSet::new();
    };
    let inner = joined.get(1..joined.len() - 1).unwrap_or_default();
    let tail = last.digits.len();
    let are_threes = inner.iter().all(|group| group.digits.len() == 3);
    let are_pairs = inner.iter().all(|group| group.digits.len() == 2);
    let mut meanings = BTreeSet::new();
    let is_grouped = are_threes && tail == 3 && first.digits.len() <= 3;
    // India writes 1,20,000.
    let is_grouped_in_pairs = are_pairs && !inner.is_empty() && tail == 3;
    if joined.len() == 1 || is_grouped || is_grouped_in_pairs {
        meanings.insert(Number::new(whole, 0));
    }
    if joined.len() == 2
        || (joined.len() > 2 && (are_threes || are_pairs) && signs_differ(text, joined))
    {
        meanings.insert(Number::new(whole, -i32::try_from(tail).unwrap_or(0)));
    }
    meanings
}

/// True if the last separator differs from the first, as in `1,234.5`.
fn signs_differ(text: &str, joined: &[DigitGroup]) -> bool {
    let signs: Vec<Option<char>> = joined
        .iter()
        .map(|group| text[group.range.end..].chars().next())
        .collect();
    signs.first() != signs.iter().rev().nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Locale;

    #[test]
    fn quantities_are_equal_in_every_language() {
        for (one, other, to, equal) in [
            ("3 billion", "3000 millones", "es", true),
            ("3 billion", "3 mil millones", "es", true),
            ("3 billion", "3 billones", "es", false),
            ("3 billion", "3 bilhões", "pt", true),
            ("3 billion", "3 mil milhões", "pt-PT", true),
            ("3 billion", "3 Milliarden", "de", true),
            ("3 billion", "30亿", "zh", true),
            ("1.2 billion", "1200 millones", "es", true),
            ("1.2 billion", "12億", "ja", true),
            ("120 million", "1億2000万", "ja", true),
            ("120 million", "12 करोड़", "hi", true),
            ("1.5 million", "1,5 млн", "ru", true),
            ("2 million", "2 personas", "es", false),
            ("10,000", "10 000", "fr", true),
            ("10,000", "1万", "ja", true),
            ("1,234.56", "1.234,56", "de", true),
            ("1,234.56", "1.234,65", "de", false),
            ("120,000", "1,20,000", "hi", true),
            ("7", "٧", "ar", true),
            ("1.5", "1,50", "de", true),
        ] {
            let locale = |tag: &str| Locale::parse(tag).unwrap();
            let one_read = quantities(one, Lexicon::of(&locale("en")));
            let other_read = quantities(other, Lexicon::of(&locale(to)));
            assert_eq!(
                (one_read.len(), other_read.len()),
                (1, 1),
                "{one} / {other}: {one_read:?} {other_read:?}"
            );
            assert_eq!(one_read[0].equals(&other_read[0]), equal, "{one} / {other}");
        }
    }

    #[test]
    fn numbers_that_only_touch_are_several() {
        for (text, expected) in [
            ("3.11.5", 3),
            ("2021-05-03", 3),
            ("17:30", 2),
            ("5, 6", 2),
            ("1.2.3.4", 4),
        ] {
            assert_eq!(quantities(text, None).len(), expected, "{text}");
        }
    }
}
