//! Formats numbers for another language by CLDR: separators, the place of the percent sign, and digits.

use icu_decimal::input::Decimal;
use icu_decimal::options::{DecimalFormatterOptions, GroupingStrategy};
use icu_decimal::{DecimalFormatter, DecimalFormatterPreferences};

use super::numbering::tagged;
use crate::model::{Digits, LanguagePair, Locale};

/// Separators of digits in any language.
const SEPARATORS: [char; 6] = ['.', ',', '\'', '’', '\u{a0}', '\u{202f}'];

/// End of the number at the beginning of a text.
pub(super) fn end_of_amount(text: &str) -> usize {
    let end = text
        .find(|sign| !is_part_of_amount(sign))
        .unwrap_or(text.len());
    text[..end].trim_end_matches(SEPARATORS).len()
}

/// The low end of a range with its dash, at the end of a text: `1,500–`.
pub(super) fn low_end(text: &str) -> Option<&str> {
    let number = text.trim_end().strip_suffix(['-', '–', '—'])?.trim_end();
    let start = number.trim_end_matches(is_part_of_amount).len();
    let start =
        start + (number[start..].len() - number[start..].trim_start_matches(SEPARATORS).len());
    if number[start..].is_empty() {
        None
    } else {
        Some(&text[start..])
    }
}

fn is_part_of_amount(sign: char) -> bool {
    sign.is_ascii_digit() || SEPARATORS.contains(&sign)
}

/// Reformats a number for the other language; `None` if it does not have the source language's format.
pub(super) fn amount(words: &str, pair: LanguagePair<&Locale>, digits: Digits) -> Option<String> {
    let decimal = decimal_sign(pair.from)?;
    let whole = words.rsplit_once(decimal).map_or(words, |(whole, _)| whole);
    let is_grouped = whole.contains(SEPARATORS);
    let plain: String = words
        .chars()
        .filter(|sign| sign.is_ascii_digit() || *sign == decimal)
        .map(|sign| if sign.is_ascii_digit() { sign } else { '.' })
        .collect();
    let number: Decimal = plain.parse().ok()?;
    // `1,5` is no English number.
    let known = formatted(
        &number,
        pair.from,
        Digits::Latin,
        strategy(is_grouped, GroupingStrategy::Always),
    )?;
    if alike(&known) != alike(words) {
        return None;
    }
    formatted(
        &number,
        pair.to,
        digits,
        strategy(is_grouped, GroupingStrategy::Auto),
    )
}

/// Groups only what the source groups: `2000 W` may be the name of a class.
fn strategy(is_grouped: bool, grouped: GroupingStrategy) -> GroupingStrategy {
    if is_grouped {
        grouped
    } else {
        GroupingStrategy::Never
    }
}

fn formatted(
    number: &Decimal,
    locale: &Locale,
    digits: Digits,
    strategy: GroupingStrategy,
) -> Option<String> {
    let preferences: DecimalFormatterPreferences = (&tagged(locale, digits)?).into();
    let mut options = DecimalFormatterOptions::default();
    options.grouping_strategy = Some(strategy);
    Some(
        DecimalFormatter::try_new(preferences, options)
            .ok()?
            .format(number)
            .to_string(),
    )
}

/// Normalizes the kinds of spaces and apostrophes in a number.
fn alike(number: &str) -> String {
    number.replace('\u{202f}', "\u{a0}").replace('’', "'")
}

/// Decimal separator of a language.
fn decimal_sign(locale: &Locale) -> Option<char> {
    let half: Decimal = "0.5".parse().ok()?;
    formatted(&half, locale, Digits::Latin, GroupingStrategy::Never)?
        .chars()
        .nth(1)
}

/// Replaces the digits by those of the other language.
pub(super) fn in_digits(text: &str, to: &Locale, digits: Digits) -> Option<String> {
    let mut written = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign.to_digit(10) {
            Some(digit) => {
                written.push_str(&formatted(
                    &Decimal::from(digit),
                    to,
                    digits,
                    GroupingStrategy::Never,
                )?);
            }
            None => written.push(sign),
        }
    }
    Some(written)
}

/// A percentage in the pattern of the other language.
pub(super) fn percentage(
    words: &str,
    pair: LanguagePair<&Locale>,
    digits: Digits,
) -> Option<String> {
    let number = amount(&words[..end_of_amount(words)], pair, digits)?;
    let sign = match tagged(pair.to, digits)?.to_string() {
        tag if tag.ends_with("-arab") || tag.ends_with("-arabext") => '٪',
        _ => '%',
    };
    let region = pair
        .to
        .as_str()
        .split('-')
        .find(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_uppercase()));
    // The percent patterns of CLDR 49.
    Some(match (pair.to.language(), region) {
        ("de", Some("CH" | "LI")) | ("fr", Some("CH")) => format!("{number}{sign}"),
        ("es", Some(region)) if !matches!(region, "ES" | "EA" | "GQ" | "IC" | "PH") => {
            format!("{number}{sign}")
        }
        ("es", None) if pair.to.as_str() != "es" => format!("{number}{sign}"),
        ("en", Some("AT" | "DE" | "DK" | "FI" | "NO" | "SE")) => format!("{number}\u{a0}{sign}"),
        (
            "be" | "br" | "ca" | "co" | "cs" | "da" | "de" | "dsb" | "dz" | "es" | "fi" | "fo"
            | "fr" | "gl" | "gsw" | "hr" | "hsb" | "kl" | "ksh" | "lb" | "lt" | "mk" | "nb" | "nds"
            | "nn" | "no" | "qu" | "rn" | "ro" | "ru" | "se" | "sk" | "sl" | "smn" | "sv" | "tk"
            | "tt",
            _,
        ) => format!("{number}\u{a0}{sign}"),
        ("oc", _) => format!("{number}\u{202f}{sign}"),
        ("eu", _) => format!("{sign}\u{a0}{number}"),
        ("tr" | "ku", _) => format!("{sign}{number}"),
        _ => format!("{number}{sign}"),
    })
}
