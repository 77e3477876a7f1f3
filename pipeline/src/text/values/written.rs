//! Formats values for another language by CLDR: dates, times, weekdays, percentages and numbers with units.
//!
//! Prices, phone numbers, addresses, versions and the like look the same in every language.

mod amounts;
mod numbering;

use std::ops::Range;

use icu_calendar::{Date, Gregorian};
use icu_datetime::fieldsets::enums::{CalendarPeriodFieldSet, DateFieldSet};
use icu_datetime::fieldsets::{E, MD, T, YM, YMD};
use icu_datetime::input::Time;
use icu_datetime::options::TimePrecision;
use icu_datetime::{
    DateTimeFormatterPreferences, FixedCalendarDateTimeFormatter, NoCalendarFormatter,
};

use self::amounts::{amount, end_of_amount, in_digits, low_end, percentage};
use self::numbering::tagged;
use super::super::lexicon::{Lexicon, WordKind};
use super::{ValueKind, ValueSpan, values};
use crate::model::{Digits, LanguagePair, Locale};

/// Localizes a text that consists of values; `None` if it has other words.
pub(crate) fn written(text: &str, pair: LanguagePair<&Locale>, digits: Digits) -> Option<String> {
    let values = values(text, pair.from);
    let mut whole = String::with_capacity(text.len());
    let mut at = 0;
    for ValueSpan { range, kind } in &values {
        whole.push_str(&text[at..range.start]);
        let is_amount = matches!(kind, ValueKind::Percentage | ValueKind::Measure);
        let low = if is_amount {
            low_end(&text[at..range.start])
        } else {
            None
        };
        match low {
            // Both ends of a range get the same format: `1,500–2,000 km`.
            Some(low) => {
                whole.truncate(whole.len() - low.len());
                whole.push_str(&written_range(
                    low,
                    *kind,
                    &text[range.clone()],
                    pair,
                    digits,
                )?);
            }
            None => whole.push_str(&written_value(*kind, &text[range.clone()], pair, digits)?),
        }
        // An abbreviation may end with a point of its own.
        at = range.end + usize::from(whole.ends_with('.') && text[range.end..].starts_with('.'));
    }
    let rest = text.get(at..)?;
    let outside =
        super::super::placeholders::without(text, values.iter().map(|value| value.range.clone()));
    whole.push_str(rest);
    if values.is_empty() || outside.contains(char::is_alphabetic) {
        return None;
    }
    Some(begun_like(text, whole))
}

/// Localizes an amount with the low end of its range; leaves it unchanged unless both ends can be formatted.
fn written_range(
    low: &str,
    kind: ValueKind,
    words: &str,
    pair: LanguagePair<&Locale>,
    digits: Digits,
) -> Option<String> {
    let high = written_value(kind, words, pair, digits)?;
    let number = &low[..end_of_amount(low)];
    match amount(number, pair, digits) {
        // A leading percent sign would end up in the middle of the range.
        Some(amount) if high.starts_with(|sign: char| sign.is_numeric()) && high != words => {
            Some(format!("{amount}{}{high}", &low[number.len()..]))
        }
        _ => Some(format!("{low}{words}")),
    }
}

/// A text with a capital at its beginning where another one has it.
fn begun_like(text: &str, written: String) -> String {
    let mut letters = written.chars();
    match letters.next() {
        Some(first) if text.starts_with(char::is_uppercase) => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => written,
    }
}

/// Localizes one value; `None` if it needs words that only engines have.
fn written_value(
    kind: ValueKind,
    words: &str,
    pair: LanguagePair<&Locale>,
    digits: Digits,
) -> Option<String> {
    match kind {
        ValueKind::Date => date(words, pair, digits),
        ValueKind::Time => time(words, pair.to, digits),
        ValueKind::Weekday => weekday(words, pair),
        ValueKind::Measure | ValueKind::Price if has_word(words) => None,
        ValueKind::Scaled => None,
        ValueKind::Percentage => {
            Some(percentage(words, pair, digits).unwrap_or_else(|| words.to_owned()))
        }
        ValueKind::Measure => {
            Some(measure(words, pair, digits).unwrap_or_else(|| words.to_owned()))
        }
        ValueKind::Price | ValueKind::Ratio => Some(words.to_owned()),
        ValueKind::Street
        | ValueKind::Postal
        | ValueKind::Phone
        | ValueKind::Version
        | ValueKind::Article
        | ValueKind::Code => Some(words.to_owned()),
    }
}

/// Localizes the amounts that an engine left in the source's format.
pub(crate) fn with_amounts(answer: &str, source: &str, pair: LanguagePair<&Locale>) -> String {
    let mut whole = String::with_capacity(answer.len() + 4);
    let mut at = 0;
    for ValueSpan { range, kind } in values(answer, pair.from) {
        let words = &answer[range.clone()];
        let is_amount =
            matches!(kind, ValueKind::Percentage | ValueKind::Measure) && !has_word(words);
        let before = &answer[at..range.start];
        let low = low_end(before).unwrap_or_default();
        if !is_amount || !source.contains(&answer[range.start - low.len()..range.end]) {
            continue;
        }
        let written = match low {
            "" => written_value(kind, words, pair, Digits::Latin),
            low => written_range(low, kind, words, pair, Digits::Latin),
        };
        if let Some(written) = written {
            whole.push_str(&before[..before.len() - low.len()]);
            whole.push_str(&written);
            at = range.end;
        }
    }
    whole + &answer[at..]
}

/// A number with a unit; the unit stays unchanged.
fn measure(words: &str, pair: LanguagePair<&Locale>, digits: Digits) -> Option<String> {
    let (number, unit) = words.split_at(end_of_amount(words));
    Some(amount(number, pair, digits)? + unit)
}

/// Recognizes a value with a word instead of a symbol.
fn has_word(words: &str) -> bool {
    words
        .split(|sign: char| !sign.is_alphabetic())
        .any(|word| word.len() > 3)
}

/// Replacement of a value in an engine's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueReplacement {
    /// In other words of the source language, which engines say better.
    As(String),
    /// A placeholder; this text replaces it in the answer.
    Placeholder(String),
}

/// Replacements for values that engines would spoil, in order; `begins` if no words of the sentence stand before the text.
pub(crate) fn told(
    text: &str,
    begins: bool,
    pair: LanguagePair<&Locale>,
) -> Vec<(Range<usize>, ValueReplacement)> {
    values(text, pair.from)
        .into_iter()
        .filter_map(|value| told_value((text, begins), value, pair))
        .collect()
}

fn told_value(
    (text, begins): (&str, bool),
    value: ValueSpan,
    pair: LanguagePair<&Locale>,
) -> Option<(Range<usize>, ValueReplacement)> {
    let words = &text[value.range.clone()];
    let told = match value.kind {
        ValueKind::Version => {
            // The word before the number is translated: `version 3.9`.
            let start = value.range.start + words.rfind(' ').map_or(0, |space| space + 1);
            return Some((
                start..value.range.end,
                ValueReplacement::Placeholder(text[start..value.range.end].to_owned()),
            ));
        }
        ValueKind::Street
        | ValueKind::Postal
        | ValueKind::Phone
        | ValueKind::Article
        | ValueKind::Ratio
        | ValueKind::Code => ValueReplacement::Placeholder(words.to_owned()),
        ValueKind::Price if !has_word(words) => ValueReplacement::Placeholder(words.to_owned()),
        ValueKind::Time => ValueReplacement::As(of_day(words)?),
        ValueKind::Weekday if words.len() <= 5 => {
            ValueReplacement::Placeholder(weekday(words, pair)?)
        }
        ValueKind::Date if text[..value.range.start].trim().is_empty() => {
            let is_label = begins && !text.trim_end().ends_with(['.', '!', '?']);
            ValueReplacement::Placeholder(full_date(words, pair).filter(|_| is_label)?)
        }
        ValueKind::Date => return on_day(text, &value.range, pair),
        ValueKind::Price
        | ValueKind::Weekday
        | ValueKind::Percentage
        | ValueKind::Measure
        | ValueKind::Scaled => {
            return None;
        }
    };
    Some((value.range, told))
}

/// A date with day, month and year, such as that of a post.
fn full_date(words: &str, pair: LanguagePair<&Locale>) -> Option<String> {
    let is_full =
        pair.from.language() == "en" && has_day(words) && numbers(words).any(|number| number > 31);
    if is_full {
        date(words, pair, Digits::Latin)
    } else {
        None
    }
}

/// A date with the preposition that stands before it: `on March 5` is `el 5 de marzo`.
fn on_day(
    text: &str,
    range: &Range<usize>,
    pair: LanguagePair<&Locale>,
) -> Option<(Range<usize>, ValueReplacement)> {
    if pair.from.language() != "en" {
        return None;
    }
    let before = text[..range.start].strip_suffix(' ')?;
    let start = before
        .strip_suffix("on")
        .or_else(|| before.strip_suffix("On"))?
        .len();
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
    let words = &text[range.clone()];
    // A month with a year needs another preposition.
    if !has_day(words) {
        return None;
    }
    let date = date(words, pair, Digits::Latin)?;
    let whole = begun_like(&text[start..], format!("{preposition} {date}"));
    Some((start..range.end, ValueReplacement::Placeholder(whole)))
}

/// Formatting preferences of a language, with its digits.
fn preferences(locale: &Locale, digits: Digits) -> Option<DateTimeFormatterPreferences> {
    tagged(locale, digits).map(|locale| (&locale).into())
}

/// A time with its half of the day; one of twenty-four hours stays as it is.
fn time(words: &str, to: &Locale, digits: Digits) -> Option<String> {
    let Some((hour, minute)) = clock(words) else {
        return in_digits(words, to, digits);
    };
    let fields = T::short().with_time_precision(TimePrecision::Minute);
    let formatter = NoCalendarFormatter::try_new(preferences(to, digits)?, fields).ok()?;
    let time = Time::try_new(hour, minute, 0, 0).ok()?;
    let written = formatter
        .format(&time)
        .to_string()
        .replace('\u{202f}', "\u{a0}");
    let zero = in_digits("0", to, digits)?;
    match written.strip_prefix(zero.as_str()) {
        Some(rest) if rest.starts_with(char::is_numeric) && !has_two_digits(to) => {
            Some(rest.to_owned())
        }
        _ => Some(written),
    }
}

/// False for languages where icu_datetime 2.4 pads the hour to two digits, although CLDR 49 has `H:mm` or `h:mm`.
fn has_two_digits(locale: &Locale) -> bool {
    let is_exception = match locale.language() {
        "es" => matches!(
            locale.as_str(),
            "es" | "es-EA" | "es-ES" | "es-GQ" | "es-IC" | "es-MX"
        ),
        language => matches!(language, "lo" | "my" | "ps" | "tt"),
    };
    !is_exception
}

/// A time as `H:MM` of twenty-four hours. Text engines get times so, because they then choose the right preposition.
fn of_day(words: &str) -> Option<String> {
    clock(words).map(|(hour, minute)| format!("{hour}:{minute:02}"))
}

/// Hour and minute of a time that says the half of the day.
fn clock(words: &str) -> Option<(u8, u8)> {
    let half = words
        .chars()
        .find(|sign| sign.is_alphabetic())?
        .to_ascii_lowercase();
    let mut numbers = words
        .split(|sign: char| !sign.is_ascii_digit())
        .filter(|part| !part.is_empty());
    let hour: u8 = numbers.next()?.parse().ok()?;
    let minute: u8 = numbers
        .next()
        .map_or(Some(0), |minute| minute.parse().ok())?;
    if !(1..=12).contains(&hour) || minute > 59 || numbers.next().is_some() {
        return None;
    }
    Some((hour % 12 + if half == 'p' { 12 } else { 0 }, minute))
}

/// True if a date has a day of the month.
fn has_day(words: &str) -> bool {
    numbers(words).any(|number| number <= 31)
}

fn numbers(words: &str) -> impl Iterator<Item = i32> {
    words
        .split(|sign: char| !sign.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
}

/// A date with a day, a year, or both.
fn date(words: &str, pair: LanguagePair<&Locale>, digits: Digits) -> Option<String> {
    let Some((month, is_short)) =
        Lexicon::of(pair.from).and_then(|lexicon| lexicon.month_in(&words.to_lowercase()))
    else {
        return Some(words.to_owned());
    };
    let month: u8 = month.parse().ok()?;
    let day = numbers(words).find(|number| *number <= 31);
    let year = numbers(words).find(|number| *number > 31);
    let date = Date::try_new_gregorian(
        year.unwrap_or(2000),
        month,
        u8::try_from(day.unwrap_or(1)).ok()?,
    )
    .ok()?;
    match (day, year) {
        (Some(_), Some(_)) => format(&date, DateFieldSet::YMD(YMD::long()), pair.to, digits),
        (Some(_), None) if is_short => {
            format(&date, DateFieldSet::MD(MD::medium()), pair.to, digits)
        }
        (Some(_), None) => format(&date, DateFieldSet::MD(MD::long()), pair.to, digits),
        (None, _) => month_of_year(&date, is_short, pair.to, digits),
    }
}

fn format(
    date: &Date<Gregorian>,
    fields: DateFieldSet,
    to: &Locale,
    digits: Digits,
) -> Option<String> {
    let preferences = preferences(to, digits)?;
    let formatter =
        FixedCalendarDateTimeFormatter::<Gregorian, DateFieldSet>::try_new(preferences, fields);
    Some(formatter.ok()?.format(date).to_string())
}

/// A month with its year, for languages in the lexicon.
fn month_of_year(
    date: &Date<Gregorian>,
    is_short: bool,
    to: &Locale,
    digits: Digits,
) -> Option<String> {
    Lexicon::of(to)?;
    // icu_datetime 2.4 panics for Brazilian Portuguese; European Portuguese has the same format.
    let european = if to.language() == "pt" {
        Locale::parse("pt-PT").ok()
    } else {
        None
    };
    let fields = CalendarPeriodFieldSet::YM(if is_short { YM::medium() } else { YM::long() });
    let preferences = preferences(european.as_ref().unwrap_or(to), digits)?;
    let formatter = FixedCalendarDateTimeFormatter::<Gregorian, CalendarPeriodFieldSet>::try_new(
        preferences,
        fields,
    );
    Some(formatter.ok()?.format(date).to_string())
}

/// A day of the week; in the plural it needs words.
fn weekday(words: &str, pair: LanguagePair<&Locale>) -> Option<String> {
    let lower = words.to_lowercase();
    let lexicon = Lexicon::of(pair.from)?;
    let long = lexicon.all(WordKind::Day).find(|(_, form)| *form == lower);
    // `Tues` and `Thurs` are short forms, too.
    let short = lexicon.all(WordKind::ShortDay).find(|(_, form)| {
        *form == lower || (form.len() > 2 && lower.starts_with(form) && lower.len() <= 5)
    });
    let (day, _) = long.or(short)?;
    // The first of March 2026 is a Sunday.
    let day: u8 = day.parse().ok()?;
    let date = Date::try_new_gregorian(2026, 3, 1 + day).ok()?;
    let fields = if long.is_some() {
        E::long()
    } else {
        E::short()
    };
    format(&date, DateFieldSet::E(fields), pair.to, Digits::Latin)
}

#[cfg(test)]
mod tests;
