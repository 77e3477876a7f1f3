//! Settings for dates, numbers, digits, marks, headings and names: `[site.text]`, `[site.checks]` and `[site.locale.TAG]`.

use super::error::ConfigError;
use super::keys;
use super::reader::ConfigTable;
use crate::model::{Digits, Manner};

/// Values of `dates`; `true` keeps the source's format.
const DATES: [(&str, bool); 2] = [("localize", false), ("keep", true)];

/// Values of `digits`.
const DIGITS: [(&str, Digits); 2] = [("latin", Digits::Latin), ("native", Digits::Native)];

/// Values of `marks`; `true` adds none.
const MARKS: [(&str, bool); 2] = [("set", false), ("keep", true)];

/// Values of `headings`; `true` keeps their title case.
const HEADINGS: [(&str, bool); 2] = [("sentence", false), ("keep", true)];

/// Values of `names`; `true` translates them.
const NAMES: [(&str, bool); 2] = [("keep", false), ("translate", true)];

/// Values of `numbers`; `true` accepts different numbers.
const NUMBERS: [(&str, bool); 2] = [("refuse", false), ("warn", true)];

/// Reads the settings for dates, numbers, marks, headings and names.
pub(super) fn manner(table: &ConfigTable<'_>) -> Result<Manner, ConfigError> {
    let checks = table.table("checks", &keys::CHECKS)?;
    let numbers = checks.as_ref().and_then(|checks| checks.get("numbers"));
    let takes_other_numbers = numbers
        .map(|field| field.one_of(&NUMBERS))
        .transpose()?
        .unwrap_or_default();
    let of_checks = Manner {
        takes_other_numbers,
        ..Manner::default()
    };
    manner_of(table.table("text", &keys::TEXT)?.as_ref(), of_checks)
}

/// Copy of these settings, overridden by those of a table.
pub(super) fn manner_of(
    table: Option<&ConfigTable<'_>>,
    other: Manner,
) -> Result<Manner, ConfigError> {
    let get = |key| table.and_then(|table| table.get(key));
    Ok(Manner {
        keeps_dates: get("dates")
            .map(|field| field.one_of(&DATES))
            .transpose()?
            .unwrap_or(other.keeps_dates),
        digits: get("digits")
            .map(|field| field.one_of(&DIGITS))
            .transpose()?
            .unwrap_or(other.digits),
        keeps_marks: get("marks")
            .map(|field| field.one_of(&MARKS))
            .transpose()?
            .unwrap_or(other.keeps_marks),
        keeps_headings: get("headings")
            .map(|field| field.one_of(&HEADINGS))
            .transpose()?
            .unwrap_or(other.keeps_headings),
        translates_names: get("names")
            .map(|field| field.one_of(&NAMES))
            .transpose()?
            .unwrap_or(other.translates_names),
        ..other
    })
}
