//! Patterns of the names that a language has for months, days and multiples.

use super::super::lexicon::{Lexicon, WordKind};
use crate::model::Locale;

/// Marker for missing names; patterns with it are dropped.
pub(super) const NONE: &str = "\u{0}";

/// Names of a language as parts of patterns.
pub(super) struct NamePatterns {
    pub(super) months: String,
    pub(super) days: String,
    pub(super) short_days: String,
    pub(super) scales: String,
}

impl NamePatterns {
    pub(super) fn of(language: &Locale) -> Self {
        let english_months = ["sept"];
        let english_days = ["tues", "thur", "thurs"];
        // `mar` is the sea in some languages; short months are found in English alone.
        let mut months = named(language, &[WordKind::Month]);
        let mut short_days = named(language, &[WordKind::ShortDay]);
        if language.language() == "en" {
            months.extend(named(language, &[WordKind::ShortMonth]));
            months.extend(english_months);
            short_days.extend(english_days);
        }
        let needs_capital = matches!(language.language(), "en" | "de");
        Self {
            months: alternatives(months, needs_capital),
            days: alternatives(named(language, &[WordKind::Day]), needs_capital),
            short_days: alternatives(short_days, needs_capital),
            scales: alternatives(named(language, &[WordKind::Scale]), false),
        }
    }
}

/// The names that a language has for things of some kinds; those that begin with a digit are found as numbers.
fn named(language: &Locale, kinds: &[WordKind]) -> Vec<&'static str> {
    let Some(lexicon) = Lexicon::of(language) else {
        return Vec::new();
    };
    let names = kinds
        .iter()
        .flat_map(|kind| lexicon.all(*kind))
        .map(|(_, form)| form);
    names
        .filter(|form| form.starts_with(char::is_alphabetic))
        .collect()
}

/// A pattern for one of some words, the longest first, each with a capital or, unless a capital is needed, without one.
fn alternatives(mut words: Vec<&str>, needs_capital: bool) -> String {
    words.retain(|word| word.len() > 1);
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    if words.is_empty() {
        return NONE.to_owned();
    }
    let patterns: Vec<String> = words
        .into_iter()
        .map(|word| in_either_case(word, needs_capital))
        .collect();
    format!("(?:{})", patterns.join("|"))
}

fn in_either_case(word: &str, needs_capital: bool) -> String {
    let mut letters = word.chars();
    let first = letters.next().unwrap_or_default();
    let rest: String = letters.map(escaped).collect();
    let capitals: String = first.to_uppercase().collect();
    if needs_capital || capitals.chars().count() > 1 {
        format!("{capitals}{rest}")
    } else {
        format!("(?:{}|{capitals}){rest}", escaped(first))
    }
}

fn escaped(letter: char) -> String {
    if letter.is_alphanumeric() || letter == ' ' {
        letter.to_string()
    } else {
        format!("\\{letter}")
    }
}
