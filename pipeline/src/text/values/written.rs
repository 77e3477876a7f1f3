//! Values as another language writes them, from CLDR: dates, times and weekdays.
//!
//! Prices, phone numbers, addresses, versions and the like look the same in every language. Digits stay 0 to 9. A month with
//! a year and no day is left to engines: icu_datetime 2.4 panics on it in Portuguese.

use std::ops::Range;

use icu_calendar::{Date, Gregorian};
use icu_datetime::fieldsets::enums::DateFieldSet;
use icu_datetime::fieldsets::{E, MD, T, YMD};
use icu_datetime::input::Time;
use icu_datetime::options::TimePrecision;
use icu_datetime::{DateTimeFormatterPreferences, FixedCalendarDateTimeFormatter, NoCalendarFormatter};
use icu_locale::Locale as IcuLocale;

use super::super::lexicon::{Kind as Word, Lexicon};
use super::{Kind, Value, values};
use crate::model::{LanguagePair, Locale};

/// Localizes a text that consists of values; `None` if it has other words.
pub(crate) fn written(text: &str, pair: LanguagePair<&Locale>) -> Option<String> {
    let values = values(text, pair.from);
    let mut whole = String::with_capacity(text.len());
    let mut at = 0;
    for Value { range, kind } in &values {
        whole.push_str(&text[at..range.start]);
        whole.push_str(&written_value(*kind, &text[range.clone()], pair)?);
        // An abbreviation may end with a point of its own.
        at = range.end + usize::from(whole.ends_with('.') && text[range.end..].starts_with('.'));
    }
    let rest = text.get(at..)?;
    let outside = super::super::placeholders::without(text, values.iter().map(|value| value.range.clone()));
    whole.push_str(rest);
    if values.is_empty() || outside.contains(char::is_alphabetic) {
        return None;
    }
    Some(begun_like(text, whole))
}

/// A text with a capital at its beginning where another one has it.
fn begun_like(text: &str, written: String) -> String {
    let mut letters = written.chars();
    match letters.next() {
        Some(first) if text.starts_with(char::is_uppercase) => first.to_uppercase().chain(letters).collect(),
        _ => written,
    }
}

/// Localizes one value; `None` if it needs words that only engines have.
fn written_value(kind: Kind, words: &str, pair: LanguagePair<&Locale>) -> Option<String> {
    match kind {
        Kind::Date => date(words, pair),
        Kind::Time => time(words, pair.to),
        Kind::Weekday => weekday(words, pair),
        Kind::Measure | Kind::Price if has_word(words) => None,
        Kind::Scaled => None,
        Kind::Measure | Kind::Price | Kind::Percentage | Kind::Ratio => Some(words.to_owned()),
        Kind::Street | Kind::Postal | Kind::Phone | Kind::Version | Kind::Article => Some(words.to_owned()),
    }
}

/// Recognizes a value with a word instead of a symbol.
fn has_word(words: &str) -> bool {
    words.split(|sign: char| !sign.is_alphabetic()).any(|word| word.len() > 3)
}

/// Replacement of a value in an engine's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// In other words of the source language, which engines say better.
    As(String),
    /// A placeholder; this text replaces it in the answer.
    Placeholder(String),
}

/// Replacements for values that engines would spoil, in order.
pub(crate) fn told(text: &str, pair: LanguagePair<&Locale>) -> Vec<(Range<usize>, Told)> {
    values(text, pair.from).into_iter().filter_map(|value| told_value(text, value, pair)).collect()
}

fn told_value(text: &str, value: Value, pair: LanguagePair<&Locale>) -> Option<(Range<usize>, Told)> {
    let words = &text[value.range.clone()];
    let told = match value.kind {
        Kind::Street | Kind::Postal | Kind::Phone | Kind::Version | Kind::Article | Kind::Ratio => {
            Told::Placeholder(words.to_owned())
        }
        Kind::Price if !has_word(words) => Told::Placeholder(words.to_owned()),
        Kind::Time => Told::As(of_day(words)?),
        Kind::Weekday if words.len() <= 5 => Told::Placeholder(weekday(words, pair)?),
        Kind::Date => return on_day(text, &value.range, pair),
        Kind::Price | Kind::Weekday | Kind::Percentage | Kind::Measure | Kind::Scaled => return None,
    };
    Some((value.range, told))
}

/// A date with the preposition that stands before it: `on March 5` is `el 5 de marzo`.
fn on_day(text: &str, range: &Range<usize>, pair: LanguagePair<&Locale>) -> Option<(Range<usize>, Told)> {
    if pair.from.language() != "en" {
        return None;
    }
    let before = text[..range.start].strip_suffix(' ')?;
    let start = before.strip_suffix("on").or_else(|| before.strip_suffix("On"))?.len();
    if before[..start].ends_with(char::is_alphanumeric) {
        return None;
    }
    let preposition = match pair.to.language() {
        "es" | "ca" => "el",
        "pt" => "em",
        "fr" => "le",
        "it" => "il",
        "gl" => "o",
        "de" => "am",
        "nl" => "op",
        _ => return None,
    };
    let date = date(&text[range.clone()], pair)?;
    let whole = begun_like(&text[start..], format!("{preposition} {date}"));
    Some((start..range.end, Told::Placeholder(whole)))
}

/// Preferences of a language, with digits from 0 to 9.
fn preferences(locale: &Locale) -> Option<DateTimeFormatterPreferences> {
    let tag = format!("{}-u-nu-latn", locale.as_str().split("-u-").next().unwrap_or_default());
    tag.parse::<IcuLocale>().ok().map(|locale| (&locale).into())
}

/// A time with its half of the day; one of twenty-four hours stays as it is.
fn time(words: &str, to: &Locale) -> Option<String> {
    let Some((hour, minute)) = clock(words) else { return Some(words.to_owned()) };
    let formatter =
        NoCalendarFormatter::try_new(preferences(to)?, T::short().with_time_precision(TimePrecision::Minute)).ok()?;
    let time = Time::try_new(hour, minute, 0, 0).ok()?;
    Some(formatter.format(&time).to_string().replace('\u{202f}', "\u{a0}"))
}

/// A time as `H:MM` of twenty-four hours.
fn of_day(words: &str) -> Option<String> {
    clock(words).map(|(hour, minute)| format!("{hour}:{minute:02}"))
}

/// Hour and minute of a time that says the half of the day.
fn clock(words: &str) -> Option<(u8, u8)> {
    let half = words.chars().find(|sign| sign.is_alphabetic())?.to_ascii_lowercase();
    let mut numbers = words.split(|sign: char| !sign.is_ascii_digit()).filter(|part| !part.is_empty());
    let hour: u8 = numbers.next()?.parse().ok()?;
    let minute: u8 = numbers.next().map_or(Some(0), |minute| minute.parse().ok())?;
    if !(1..=12).contains(&hour) || minute > 59 || numbers.next().is_some() {
        return None;
    }
    Some((hour % 12 + if half == 'p' { 12 } else { 0 }, minute))
}

/// A date of a month, with a day.
fn date(words: &str, pair: LanguagePair<&Locale>) -> Option<String> {
    let lower = words.to_lowercase();
    let numbers: Vec<i32> =
        lower.split(|sign: char| !sign.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    let Some((month, is_short)) = Lexicon::of(pair.from).and_then(|lexicon| lexicon.month_in(&lower)) else {
        return Some(words.to_owned());
    };
    let month: u8 = month.parse().ok()?;
    let day = numbers.iter().copied().find(|number| *number <= 31)?;
    let year = numbers.iter().copied().find(|number| *number > 31);
    let date = Date::try_new_gregorian(year.unwrap_or(2000), month, u8::try_from(day).ok()?).ok()?;
    match year {
        Some(_) => format(&date, DateFieldSet::YMD(YMD::long()), pair.to),
        None if is_short => format(&date, DateFieldSet::MD(MD::medium()), pair.to),
        None => format(&date, DateFieldSet::MD(MD::long()), pair.to),
    }
}

fn format(date: &Date<Gregorian>, fields: DateFieldSet, to: &Locale) -> Option<String> {
    let formatter = FixedCalendarDateTimeFormatter::<Gregorian, DateFieldSet>::try_new(preferences(to)?, fields);
    Some(formatter.ok()?.format(date).to_string())
}

/// A day of the week; in the plural it needs words.
fn weekday(words: &str, pair: LanguagePair<&Locale>) -> Option<String> {
    let lower = words.to_lowercase();
    let lexicon = Lexicon::of(pair.from)?;
    let long = lexicon.all(Word::Day).find(|(_, form)| *form == lower);
    // `Tues` and `Thurs` are short forms, too.
    let short = lexicon
        .all(Word::ShortDay)
        .find(|(_, form)| *form == lower || (form.len() > 2 && lower.starts_with(form) && lower.len() <= 5));
    let (day, _) = long.or(short)?;
    // The first of March 2026 is a Sunday.
    let day: u8 = day.parse().ok()?;
    let date = Date::try_new_gregorian(2026, 3, 1 + day).ok()?;
    let fields = if long.is_some() { E::long() } else { E::short() };
    format(&date, DateFieldSet::E(fields), pair.to)
}

#[cfg(test)]
mod tests;
