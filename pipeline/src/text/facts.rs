//! Compares the facts of a source and its translation: values and quantities.
//!
//! Each language writes facts in its own way: `5:30 pm` and `17時30分`, `3 billion` and `3000 millones`, `1990s` and
//! `90er` are the same. A value that stands in the translation as it does in the source is always right. Where a language
//! has no row in the table of words, names are not judged and digits are.

mod clock;
mod converted;
mod named;
mod side;
mod spoken;

use self::converted::{is_converted, take_converted};
use self::side::TextSide;
use super::numbers::same_numbers;
use super::placeholders::identifiers;
use super::quantities::{Quantity, quantities};
use super::script::{is_dense, is_latin};
use super::values::{ValueKind, ValueSpan, values};
use crate::model::{LanguagePair, Locale};

/// A fact that a translation does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LostFact {
    /// A value, by its kind and as the source writes it.
    Value(ValueKind, String),
    /// A sign such as `~` or `≤` before a number.
    Sign(char),
    /// A group in brackets at the end that the source lacks.
    Aside,
    /// A number that is no value.
    Number,
}

/// The first fact that a translation changes.
pub(crate) fn changed(source: &str, target: &str, pair: LanguagePair<&Locale>) -> Option<LostFact> {
    if source == target {
        return None;
    }
    if adds_aside(source, target) {
        return Some(LostFact::Aside);
    }
    let mut reading = ComparedTexts {
        source: TextSide::new(source, pair.from),
        target: TextSide::new(target, pair.to),
        is_latin: is_latin(pair.to),
    };
    for value in values(source, pair.from) {
        if !reading.takes(&value) {
            return Some(LostFact::Value(value.kind, source[value.range].to_owned()));
        }
        reading.source.mask(value.range);
    }
    let mut names = identifiers(source, reading.is_latin)
        .into_iter()
        .map(|range| &source[range]);
    if let Some(name) = names.find(|name| !has_identifier(target, name)) {
        return Some(LostFact::Value(ValueKind::Code, name.to_owned()));
    }
    if let Some(sign) = lost_sign(source, target) {
        return Some(LostFact::Sign(sign));
    }
    if reading.has_same_numbers() {
        None
    } else {
        Some(LostFact::Number)
    }
}

/// Finds a code name. A name that may be a brand can take endings: `YouTuben`.
fn has_identifier(target: &str, name: &str) -> bool {
    let takes_endings =
        name.starts_with(char::is_uppercase) && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    target.match_indices(name).any(|(at, _)| {
        let is_whole = takes_endings || !target[at + name.len()..].starts_with(joins_names);
        is_whole && !target[..at].ends_with(joins_names)
    })
}

fn joins_names(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// Recognizes a label whose translation ends with brackets that the source lacks. In sentences, translators explain terms this way.
fn adds_aside(source: &str, target: &str) -> bool {
    let has_signs =
        source.contains(|sign: char| sign.is_ascii_punctuation() || matches!(sign, '（' | '）'));
    let is_label = source.split_whitespace().count() <= LABEL && !is_dense(source) && !has_signs;
    // `Bienvenido(a)` is one word.
    let aside = target
        .strip_suffix(')')
        .and_then(|start| start.rsplit_once(" ("));
    is_label && aside.is_some_and(|(_, aside)| !is_term_of(source, aside))
}

/// Recognizes a term of the source in brackets, which translators often add.
fn is_term_of(source: &str, aside: &str) -> bool {
    source
        .to_lowercase()
        .contains(&aside.trim_matches(is_quote).to_lowercase())
}

fn is_quote(sign: char) -> bool {
    matches!(
        sign,
        '"' | '“' | '”' | '„' | '«' | '»' | '‘' | '’' | '「' | '」'
    )
}

/// The most words of a label.
const LABEL: usize = 3;

/// Signs of precision before numbers, each with its equivalents.
const SIGNS: [(char, &str); 5] = [
    ('~', "~∼≈〜～约約약"),
    ('±', "±"),
    ('≈', "~∼≈〜～约約약"),
    ('≤', "≤⩽≦"),
    ('≥', "≥⩾≧"),
];
/// Words for "about".
const ABOUT: [&str; 34] = [
    "aprox",
    "unos",
    "unas",
    "alrededor",
    "cerca",
    "environ",
    "approx",
    "ca",
    "circa",
    "etwa",
    "rund",
    "ungefähr",
    "около",
    "примерно",
    "приблизно",
    "حوالي",
    "تقريب",
    "लगभग",
    "yaklaşık",
    "około",
    "asi",
    "přibližně",
    "noin",
    "khoảng",
    "sekitar",
    "cirka",
    "omtrent",
    "ongeveer",
    "ほど",
    "くらい",
    "ぐらい",
    "左右",
    "大约",
    "정도",
];
/// Words for "at least".
const AT_LEAST: [&str; 9] = [
    "al menos",
    "como mínimo",
    "mindestens",
    "au moins",
    "pelo menos",
    "no mínimo",
    "almeno",
    "以上",
    "не менее",
];
/// Words for "at most".
const AT_MOST: [&str; 9] = [
    "como máximo",
    "hasta",
    "höchstens",
    "maximal",
    "au plus",
    "no máximo",
    "al massimo",
    "以下",
    "не более",
];

/// The first sign before a number that the translation lost.
fn lost_sign(source: &str, target: &str) -> Option<char> {
    let lower = target.to_lowercase();
    for (sign, same) in SIGNS {
        let words: &[&str] = match sign {
            '~' | '≈' => &ABOUT,
            '≥' => &AT_LEAST,
            '≤' => &AT_MOST,
            _ => &[],
        };
        let is_kept = words.iter().any(|word| says(&lower, word))
            || target.contains(|other: char| same.contains(other));
        if stands_before_number(sign, source) && !is_kept {
            return Some(sign);
        }
    }
    None
}

/// Searches for a word: in Latin letters a whole one, or the beginning of one that is often shortened.
fn says(lower: &str, word: &str) -> bool {
    if !word.is_ascii() || word.contains(' ') {
        return lower.contains(word);
    }
    let is_prefix = matches!(word, "aprox" | "approx");
    lower
        .split(|sign: char| !sign.is_alphabetic())
        .any(|other| other == word || (is_prefix && other.starts_with(word)))
}

fn stands_before_number(sign: char, text: &str) -> bool {
    text.match_indices(sign).any(|(at, sign)| {
        let after = text[at + sign.len()..].trim_start_matches([' ', '$', '€', '£']);
        after.starts_with(|digit: char| digit.is_ascii_digit())
    })
}

/// A source and its translation; facts found in both are masked.
struct ComparedTexts<'t> {
    source: TextSide<'t>,
    target: TextSide<'t>,
    /// The translation's language uses Latin script.
    is_latin: bool,
}

impl ComparedTexts<'_> {
    /// Finds a value of the source in the translation, and masks it there.
    fn takes(&mut self, value: &ValueSpan) -> bool {
        let words = &self.source.text[value.range.clone()];
        if let Some(range) = self.target.find(words) {
            self.target.mask(range);
            return true;
        }
        match value.kind {
            // Other scripts write the name of the street in their letters.
            ValueKind::Street if self.is_latin => self.takes_street(words),
            ValueKind::Street => self.takes_numbers(words),
            ValueKind::Postal => self.takes_postal(words),
            ValueKind::Phone => self.target.take_digits(words, |gap| !gap.is_alphanumeric()),
            ValueKind::Version => self
                .target
                .take_digits(words, |gap| matches!(gap, '.' | '٫')),
            ValueKind::Article | ValueKind::Code => false,
            ValueKind::Ratio => self.takes_numbers(words),
            ValueKind::Date => self.takes_date(words),
            ValueKind::Time => self.takes_time(words),
            ValueKind::Weekday => self.names_weekday(words),
            ValueKind::Price => self.takes_amount(words) && self.names_currency(words),
            ValueKind::Percentage => self.takes_amount(words) && self.target.has_percent_sign(),
            ValueKind::Measure => {
                (self.takes_amount(words) && self.names_unit(words)) || self.takes_converted(words)
            }
            ValueKind::Scaled => self.takes_amount(words),
        }
    }

    /// Finds the name of a street as it is, and the number of the house.
    fn takes_street(&mut self, words: &str) -> bool {
        let Some((house, name)) = words.split_once(' ') else {
            return false;
        };
        let Some(range) = self.target.find(name) else {
            return false;
        };
        self.target.mask(range);
        self.target.take_digits(house, |_| false)
    }

    /// Finds each number of a value.
    fn takes_numbers(&mut self, words: &str) -> bool {
        let numbers = quantities(words, self.source.lexicon);
        numbers
            .iter()
            .all(|number| self.target.take_quantity(number))
    }

    /// Finds the state as it is, and the digits of the code. Other scripts write the name of the state in their letters.
    fn takes_postal(&mut self, words: &str) -> bool {
        words.split(' ').all(|part| {
            match part.starts_with(|letter: char| letter.is_ascii_digit()) {
                true => self.target.take_digits(part, |gap| gap == '-'),
                false => !self.is_latin || self.target.find(part).is_some(),
            }
        })
    }

    /// Finds a measure in another unit.
    fn takes_converted(&mut self, words: &str) -> bool {
        let number = quantities(words, None).into_iter().next();
        match number.zip(self.unit_of(words)) {
            Some((number, unit)) => take_converted(&mut self.target, &number, unit),
            None => false,
        }
    }

    /// Finds the amount of a price, measure or percentage, in digits or in words.
    fn takes_amount(&mut self, words: &str) -> bool {
        let lexicon = self.source.lexicon;
        let Some(mut number) = quantities(words, lexicon).into_iter().next() else {
            return false;
        };
        // $5k, $1.2M, $3bn
        let suffix = words[number.range.end..].trim_start();
        let exponent = match suffix {
            "k" | "K" => 3,
            "M" => 6,
            "B" | "bn" => 9,
            _ => 0,
        };
        number.scale(exponent);
        if self.target.take_quantity(&number) {
            return true;
        }
        let Some(plain) = quantities(words, None).into_iter().next() else {
            return false;
        };
        if self.target.lexicon.is_none() {
            return self.target.take_quantity(&plain);
        }
        if exponent > 0 {
            // `$5k` may become `5k $`.
            return match self.target.find(&words[plain.range.start..]) {
                Some(range) => {
                    self.target.mask(range);
                    true
                }
                None => false,
            };
        }
        match number.scale_of(&plain) {
            Some(scale) => self.target.has_number_word(&plain) && self.target.has_scale_word(scale),
            None => self.target.has_number_word(&number),
        }
    }

    /// Compares the numbers outside of values, in digits or in words.
    fn has_same_numbers(&self) -> bool {
        if same_numbers(self.source.masked(), self.target.masked()) {
            return true;
        }
        let said = numbers_of(&self.source);
        let heard = numbers_of(&self.target);
        let spoken = spoken::numbers(
            self.source.text,
            self.source.lexicon,
            self.source.is_english,
        );
        let amounts: Vec<f64> = spoken.iter().map(|number| number.approximate()).collect();
        // A language may repeat a number where another has a pronoun.
        for number in &said {
            if !is_among(number, &heard) && !self.target.has_number_word(number) {
                return false;
            }
        }
        for number in &heard {
            let is_spoken = !spoken.is_disjoint(&number.meanings)
                || is_converted(number, &amounts, self.source.text, self.source.lexicon);
            if !is_among(number, &said) && !is_spoken {
                return false;
            }
        }
        true
    }
}

/// The numbers of a text outside of values.
fn numbers_of(side: &TextSide<'_>) -> Vec<Quantity> {
    let mut numbers = quantities(side.masked(), side.lexicon);
    with_decades(side.masked(), &mut numbers);
    numbers
}

fn is_among(number: &Quantity, others: &[Quantity]) -> bool {
    others.iter().any(|other| other.equals(number))
}

/// Lets a decade mean both of its names: `1990s` and `90s`.
fn with_decades(text: &str, numbers: &mut [Quantity]) {
    for number in numbers {
        let after = text[number.range.end..].trim_start_matches(['\'', '’']);
        let is_decade = after.starts_with('s') && !after[1..].starts_with(char::is_alphanumeric);
        let years: Vec<u32> = number
            .small()
            .filter(|year| year.is_multiple_of(10))
            .collect();
        for year in years.into_iter().filter(|_| is_decade) {
            match year {
                1000..=2100 => number.may_also_be(year % 100),
                10..=90 => number.may_also_be(1900 + year),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
