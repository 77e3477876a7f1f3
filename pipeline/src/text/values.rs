//! Values in a text: dates, times, weekdays, amounts, prices, phone numbers, postal addresses, ratios, versions and article
//! numbers.
//!
//! A value is a fact: a translation may write it in another way, but may not say another one. Only what is unmistakable
//! is found; a bare number is no value. Names of months and days are those of the source language, the rest is found in any.

mod name_patterns;
mod written;

use self::name_patterns::{NONE, NamePatterns};
pub(crate) use self::written::{ValueReplacement, told, with_amounts, written};

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use regex_automata::Input;
use regex_automata::meta::Regex;

use super::placeholders::addresses;
use crate::model::Locale;

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ValueKind {
    /// House number and street.
    Street,
    /// State code, with or without a postal code; or a postal code.
    Postal,
    /// A phone number.
    Phone,
    /// A version.
    Version,
    /// An article number.
    Article,
    /// A day or month of a year.
    Date,
    /// A time of the day.
    Time,
    /// A day of the week.
    Weekday,
    /// A price.
    Price,
    /// A number per hundred.
    Percentage,
    /// A number with a unit.
    Measure,
    /// A ratio or dimensions.
    Ratio,
    /// A number with a word that scales it.
    Scaled,
    /// An identifier, option, path or command, which `placeholders` finds.
    Code,
}

impl ValueKind {
    /// Its noun in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Street => "street",
            Self::Postal => "state or postal code",
            Self::Phone => "phone number",
            Self::Version => "version",
            Self::Article => "article number",
            Self::Date => "date",
            Self::Time => "time",
            Self::Weekday => "weekday",
            Self::Price => "price",
            Self::Percentage => "percentage",
            Self::Measure => "measure",
            Self::Ratio => "ratio",
            Self::Scaled => "number",
            Self::Code => "identifier",
        }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueSpan {
    /// Its bytes.
    pub(crate) range: Range<usize>,
    /// Its kind.
    pub(crate) kind: ValueKind,
}

/// The values of a text, in order. None overlaps another, or a web or mail address.
pub(crate) fn values(text: &str, language: &Locale) -> Vec<ValueSpan> {
    let finder = Finder::of(language);
    let outside = addresses(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(found_here) = finder.regex.find(Input::new(text).range(at..)) {
        let kind = finder.kinds[found_here.pattern().as_usize()];
        let range = kind.trim(text, found_here.range());
        let follows_day = found.last().is_some_and(|last: &ValueSpan| {
            last.kind == ValueKind::Weekday && last.range.end == found_here.start()
        });
        let is_second =
            kind == ValueKind::Weekday && text[found_here.start()..].starts_with(['-', '–', '—']);
        let is_address = outside
            .iter()
            .any(|address| address.start < range.end && range.start < address.end);
        if range.is_empty()
            || is_address
            || (is_second && !follows_day)
            || !kind.is_plausible(text, &range)
        {
            // No value begins inside a word or number.
            let here = &text[found_here.start()..];
            let first = here.chars().next().map_or(1, char::len_utf8);
            at = found_here.start()
                + here
                    .find(|sign: char| !sign.is_alphanumeric())
                    .unwrap_or(here.len())
                    .max(first);
            continue;
        }
        at = range.end;
        found.push(ValueSpan { range, kind });
    }
    found
}

impl ValueKind {
    /// The part of a match that is the value: what only had to stand behind it is left.
    fn trim(self, text: &str, range: Range<usize>) -> Range<usize> {
        let found = &text[range.clone()];
        let kept = match self {
            // The match has the context, too; the name is the value.
            Self::Weekday => {
                let name = found.trim_start_matches(|sign: char| !sign.is_alphabetic());
                &name[..name
                    .find(|sign: char| !sign.is_alphabetic() && sign != '-')
                    .unwrap_or(name.len())]
            }
            Self::Version | Self::Phone => found.trim_end_matches(['.', ',', '-', ' ', ')']),
            Self::Postal => found.trim_start_matches([',', ' ']),
            Self::Street | Self::Article | Self::Date | Self::Time | Self::Price => found,
            Self::Percentage | Self::Measure | Self::Ratio | Self::Scaled | Self::Code => found,
        };
        let start = range.start + found.find(kept).unwrap_or(0);
        start..start + kept.len()
    }

    /// Plausibility in context.
    fn is_plausible(self, text: &str, range: &Range<usize>) -> bool {
        let found = &text[range.clone()];
        let before = text[..range.start].chars().next_back();
        let after = &text[range.end..];
        // A part of a longer number or word is none.
        if before.is_some_and(char::is_alphanumeric) && found.starts_with(char::is_alphanumeric) {
            return false;
        }
        match self {
            Self::Measure => {
                let unit =
                    found.trim_start_matches(|sign: char| !sign.is_alphabetic() && sign != '°');
                let is_glued =
                    found[..found.len() - unit.len()].ends_with(|sign: char| sign.is_ascii_digit());
                match unit {
                    // `18 in` before a word or number is `18 in total` or `3 in 5`.
                    "in" => !after
                        .trim_start_matches([' ', '-'])
                        .starts_with(char::is_alphanumeric),
                    // `3m` may be millions.
                    "m" | "l" | "L" | "V" | "W" => !is_glued,
                    _ => true,
                }
            }
            Self::Version => {
                let parts: Vec<&str> = found
                    .trim_start_matches(|sign: char| !sign.is_ascii_digit())
                    .split('.')
                    .collect();
                // 1.234.567 is a number of languages that group with dots, 5.3.2026 a date of theirs.
                let is_grouped = parts[1..].iter().all(|part| part.len() == 3);
                let is_date =
                    parts.len() == 3 && matches!(parts[2].len(), 2 | 4) && parts[1].len() <= 2;
                !(parts.len() > 2 && (is_grouped || is_date))
            }
            Self::Time => !after.starts_with(':'),
            Self::Street => is_street(found, &text[..range.start]),
            // `Enter your name, ID and date` names no state.
            Self::Postal => {
                found.contains(|sign: char| sign.is_ascii_digit())
                    || stands_behind_place(text, range)
            }
            Self::Article => found.contains(|sign: char| sign.is_ascii_digit()),
            // `iPhone 15 May Cost More` is a title.
            Self::Date => {
                !(found.ends_with("May")
                    && after.starts_with(' ')
                    && after[1..].starts_with(char::is_uppercase))
            }
            Self::Phone | Self::Weekday | Self::Price => true,
            Self::Percentage | Self::Ratio | Self::Scaled | Self::Code => true,
        }
    }
}

/// Recognizes a house number with a street: no title such as `10 Rules Of The Road`, and no year such as `the 1929 Wall Street crash`
/// or `© 2026 Harbor Lane`.
fn is_street(found: &str, before: &str) -> bool {
    const NO_STREETS: [&str; 4] = [
        "Wall Street",
        "Supreme Court",
        "Google Drive",
        "Sesame Street",
    ];
    let has_word_of_titles = found
        .split(' ')
        .any(|word| matches!(word, "Of" | "The" | "To" | "In" | "And" | "For" | "Your"));
    let is_known = NO_STREETS.iter().any(|name| found.ends_with(name));
    let follows_article =
        before.trim_end().to_lowercase().ends_with("the") && before.ends_with(' ');
    let rights = before.trim_end_matches(|sign: char| {
        sign.is_ascii_digit() || sign.is_whitespace() || "-–,".contains(sign)
    });
    let follows_rights = ["©", "(c)", "(C)", "opyright"]
        .iter()
        .any(|sign| rights.ends_with(sign));
    !has_word_of_titles && !is_known && !follows_article && !follows_rights
}

/// Recognizes a state code behind the name of a place and at the end of a part: `Portland, OR.`
fn stands_behind_place(text: &str, range: &Range<usize>) -> bool {
    let place = text[..range.start].trim_end_matches([',', ' ']);
    let name = place.rsplit(' ').next().unwrap_or_default();
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase);
    let after = &text[range.end..];
    is_name && (after.is_empty() || after.starts_with([',', '.', ';', ')', '\n']))
}

/// Compiled patterns of a language.
struct Finder {
    regex: Regex,
    /// The kind that each pattern finds.
    kinds: Vec<ValueKind>,
}

/// A number with its separators.
const AMOUNT: &str = "[0-9]+(?:[.,'’\u{a0}\u{202f}][0-9]+)*";
/// Signs of currencies, with the countries that may stand before them.
const SIGNS: &str = "(?:US|CA|AU|NZ|MX|HK|[ACRS])?[$€£¥₹₩₽₺₪฿]";
/// Codes of currencies.
const CODES: &str =
    "(?:USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|NZD|BRL|MXN|KRW|RUB|PLN|SEK|NOK|DKK|CZK|ZAR)";
/// Kinds of streets, as English names them.
const STREETS: &str = "(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Sq|Place|Pl|Way|Terrace|\
    Parkway|Pkwy|Highway|Hwy|Row|Quay|Crescent|Mews|Alley)";
/// Codes of the states of the United States that are no words.
const STATES: &str = "(?:AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|ID|IL|IN|IA|KS|KY|LA|MD|MA|ME|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OR|PA|\
    RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC)";
/// Codes that are words or abbreviations, too: a postal code has to follow.
const STATES_LIKE_WORDS: &str = "(?:HI|OH|OK)";
/// Units by their symbols, and in English by their names.
const UNITS: &str = "(?:kg|mg|g|lbs?|oz|km/h|kph|mph|km|cm|mm|mi|ft|in|inch|inches|yd|m²|sq ft|m|°C|°F|ml|mL|l|L|gal|\
    [KkMGT]B|kWh|kW|W|V|[MG]Hz|kcal|kJ|kilograms?|grams?|pounds?|ounces?|kilometers?|kilometres?|meters?|metres?|centimeters?|\
    centimetres?|miles?|feet|foot|liters?|litres?|gallons?|degrees (?:Celsius|Fahrenheit))";

impl Finder {
    fn of(language: &Locale) -> Arc<Self> {
        static KNOWN: OnceLock<Mutex<BTreeMap<String, Arc<Finder>>>> = OnceLock::new();
        let mut known = KNOWN
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let made = known
            .entry(language.as_str().to_owned())
            .or_insert_with(|| Arc::new(Self::new(language)));
        Arc::clone(made)
    }

    /// Order matters: the earlier pattern wins at the same place.
    #[expect(clippy::too_many_lines, reason = "the tables of a language")]
    fn new(language: &Locale) -> Self {
        let NamePatterns {
            months,
            days,
            short_days,
            scales,
        } = NamePatterns::of(language);
        let english_days = if language.language() == "en" {
            short_days.as_str()
        } else {
            NONE
        };
        let year = "(?:1[5-9]|20|21)[0-9]{2}";
        let day = "(?:0?[1-9]|[12][0-9]|3[01])";
        let end = "(?-u:\\b)";
        let patterns = [
            (
                ValueKind::Street,
                format!(
                    "[0-9]{{1,5}}[A-Za-z]? (?:[NSEW]\\.? )?(?:(?:[A-Z][A-Za-z'’.-]*|[0-9]+(?:st|nd|rd|th)) ){{1,4}}{STREETS}{end}"
                ),
            ),
            (
                ValueKind::Postal,
                format!(", {STATES}(?: [0-9]{{5}}(?:-[0-9]{{4}})?)?{end}"),
            ),
            (
                ValueKind::Postal,
                format!(", {STATES_LIKE_WORDS} [0-9]{{5}}(?:-[0-9]{{4}})?{end}"),
            ),
            // The United Kingdom and Canada.
            (
                ValueKind::Postal,
                format!(
                    "[A-Z]{{1,2}}[0-9][0-9A-Z]? [0-9][A-Z]{{2}}{end}|[A-Z][0-9][A-Z] [0-9][A-Z][0-9]{end}"
                ),
            ),
            (
                ValueKind::Date,
                format!("{year}-[0-9]{{2}}-[0-9]{{2}}{end}"),
            ),
            (ValueKind::Phone, phone()),
            (
                ValueKind::Price,
                format!("{SIGNS} ?{AMOUNT}(?: ?(?:[kKMB]|bn){end}|[ \u{a0}-]{scales}{end})?"),
            ),
            (
                ValueKind::Price,
                format!(
                    "{AMOUNT}(?:[ \u{a0}]{scales}(?: de)?)?[ \u{a0}]?(?:[€£¥₹₩₽₺₪]|{CODES}{end})|{CODES} ?{AMOUNT}"
                ),
            ),
            (
                ValueKind::Percentage,
                format!("{AMOUNT}[ \u{a0}\u{202f}]?%"),
            ),
            (
                ValueKind::Version,
                format!("v?[0-9]+(?:\\.[0-9]+){{2,}}[0-9A-Za-z.+-]*|v[0-9]+(?:\\.[0-9]+)*{end}"),
            ),
            (
                ValueKind::Version,
                format!("(?:[Vv]ersion|[Rr]elease) [0-9]+(?:\\.[0-9]+)+{end}"),
            ),
            (
                ValueKind::Article,
                format!(
                    "[A-Z]{{1,6}}-[0-9]{{3,}}(?:-[0-9A-Z]+)*{end}|[A-Z]{{2,6}}(?:-[0-9A-Z]+){{2,}}{end}"
                ),
            ),
            (
                ValueKind::Ratio,
                format!(
                    "[0-9]+(?:[.,][0-9]+)? ?[×x] ?[0-9]+(?:[.,][0-9]+)?(?: ?[×x] ?[0-9]+(?:[.,][0-9]+)?)*{end}"
                ),
            ),
            (
                ValueKind::Time,
                format!(
                    "[0-9]{{1,2}}(?:[:.][0-9]{{2}}(?::[0-9]{{2}})?)?[ \u{a0}\u{202f}]?(?:[aApP]\\.[ ]?[mM]\\.|[aApP][mM]{end})"
                ),
            ),
            (
                ValueKind::Time,
                format!("(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9])?{end}"),
            ),
            (ValueKind::Ratio, format!("[0-9]+:[0-9]+(?::[0-9]+)*{end}")),
            (
                ValueKind::Measure,
                format!("{AMOUNT}[ \u{a0}\u{202f}-]?(?:{UNITS}{end}|m²|°[CF])"),
            ),
            (
                ValueKind::Date,
                format!("{months}\\.? {day}(?:st|nd|rd|th)?{end}(?:,? {year}{end})?"),
            ),
            (
                ValueKind::Date,
                format!(
                    "{day}(?:st|nd|rd|th|\\.|º|er)?(?: of| de| di)? (?:d['’])?{months}{end}(?:,? (?:de )?{year}{end})?"
                ),
            ),
            (ValueKind::Date, format!("{months} (?:de )?{year}{end}")),
            (
                ValueKind::Scaled,
                format!("{AMOUNT}[ \u{a0}-]{scales}{end}"),
            ),
            (ValueKind::Weekday, format!("{days}s?{end}")),
            // Short names are words, too: they are days in a range, before a time, and where an English text begins.
            (
                ValueKind::Weekday,
                format!("{short_days} ?[-–—] ?{short_days}{end}"),
            ),
            (ValueKind::Weekday, format!("[-–—] ?{short_days}{end}")),
            (
                ValueKind::Weekday,
                format!("{short_days}[.:]?,? [0-9]{{1,2}}(?:[:.][0-9]{{2}}| ?[aApP]\\.?[mM])"),
            ),
            (ValueKind::Weekday, format!("^{english_days}\\.?:")),
        ];
        let usable: Vec<(ValueKind, String)> = patterns
            .into_iter()
            .filter(|(_, pattern)| !pattern.contains(NONE))
            .collect();
        let kinds = usable.iter().map(|(kind, _)| *kind).collect();
        let patterns: Vec<String> = usable.into_iter().map(|(_, pattern)| pattern).collect();
        let regex = Regex::new_many(&patterns)
            .unwrap_or_else(|error| unreachable!("the patterns are ours: {error}"));
        Self { regex, kinds }
    }
}

/// Phone numbers: international, with an area code in parentheses, North American, or with a zero before the area.
fn phone() -> String {
    [
        r"\+[0-9]{1,3}(?:[ .\-/]?\(?[0-9]{1,5}\)?){2,6}",
        r"\([0-9]{2,5}\) ?[0-9]{3,4}[ .-]?[0-9]{3,5}",
        r"(?:1[-. ])?[0-9]{3}[-.][0-9]{3}[-.][0-9]{4}(?-u:\b)",
        r"0[0-9]{2,4}[ -][0-9]{3,4}(?:[ -]?[0-9]{3,4}){1,2}(?-u:\b)",
    ]
    .join("|")
}

#[cfg(test)]
mod tests;
