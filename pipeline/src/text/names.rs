//! Proper names of a site (R-N2): found where pages state them, counted in sentences, decided for the whole site.
//!
//! Common words, and words that the site itself writes in lower case, are no names, however often titles have them:
//! "Documentation" is a word, "Furo" a name. A single word without support in sentences counts only where it stands
//! alone, as in the title of a page.

pub(super) mod common;

use std::collections::BTreeMap;
use std::ops::Range;

use self::common::is_common;
use super::sentences::sentences;
use crate::model::{Locale, NameClue};
use crate::page::{NameSource, PageName, Segment};

/// A name that is kept on a whole site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeptName {
    /// The name.
    pub text: String,
    /// True if it counts only as a whole text or a whole part of a title.
    pub is_alone: bool,
}

/// Bit of names at an end of a title.
const TITLE: u8 = 1;
/// Limit for the words of a name; more are a sentence.
const MOST_WORDS: usize = 6;
/// Limit for the words of a name that only titles have.
const MOST_TITLE_WORDS: usize = 3;
/// The most names of a site.
const MOST_NAMES: usize = 2_000;
/// Signs between the parts of a title.
const SEPARATORS: [&str; 9] = [
    " | ", " · ", " › ", " » ", " :: ", " • ", " – ", " — ", " - ",
];
/// Words that are in lower case within names.
const SMALL: [&str; 24] = [
    "&", "a", "an", "and", "at", "by", "da", "de", "del", "der", "des", "di", "du", "et", "for",
    "in", "la", "le", "of", "on", "the", "und", "van", "y",
];

/// Collects the clues of a page: stated names and title parts, with their spelling in sentences.
pub(crate) fn clues(names: &[PageName], segments: &[Segment]) -> Box<[NameClue]> {
    let mut found = BTreeMap::new();
    for PageName { name, source } in names {
        let place = bit(*source);
        match source {
            NameSource::Author => authors(name).for_each(|author| add(&mut found, author, place)),
            NameSource::Head | NameSource::Logo | NameSource::Data => {
                add(&mut found, without_kind(name), place)
            }
            NameSource::Package => {
                add(&mut found, name, place);
                // Sentences may capitalize the name of a package.
                add(&mut found, &capitalized(name), place);
            }
        }
    }
    if let Some(title) = segments.iter().find(|segment| segment.origin == "title") {
        let parts = title_parts(title.text.text());
        if let [first, .., last] = parts.as_slice() {
            add(&mut found, without_kind(first), TITLE);
            add(&mut found, without_kind(last), TITLE);
        }
    }
    let clues = found.into_iter().map(|(name, clue)| NameClue {
        name: name.into(),
        ..clue
    });
    let mut clues: Vec<NameClue> = clues.collect();
    count(&mut clues, segments);
    // Drops capitalized package names that no sentence has.
    clues.retain(|clue| {
        let is_tried =
            clue.places == bit(NameSource::Package) && clue.name.starts_with(char::is_uppercase);
        !is_tried || clue.inside > 0
    });
    clues.into()
}

fn add(found: &mut BTreeMap<String, NameClue>, name: &str, place: u8) {
    let name = name.trim();
    if may_be_name(name) {
        found.entry(name.to_owned()).or_default().places |= place;
    }
}

fn bit(source: NameSource) -> u8 {
    match source {
        NameSource::Head => 2,
        NameSource::Logo => 4,
        NameSource::Data => 8,
        NameSource::Author => 16,
        NameSource::Package => 32,
    }
}

/// Pre-check of a name: short, with a letter and without separators of titles.
fn may_be_name(name: &str) -> bool {
    let length = name.chars().count();
    (2..=60).contains(&length)
        && name.split_whitespace().count() <= MOST_WORDS
        && name.contains(char::is_alphabetic)
        && !name.contains(['@', '<', '>', '{', '}', '%', '?', '!', '|', '“', '"'])
        && !SEPARATORS.iter().any(|sign| name.contains(sign))
}

/// Splits an author's name that joins several people.
fn authors(name: &str) -> impl Iterator<Item = &str> {
    let people = name
        .split([',', ';'])
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" & "));
    people.map(|person| person.split(['<', '(']).next().unwrap_or_default().trim())
}

/// Strips the kind and version from a name, as in `requests 2.31 documentation`.
fn without_kind(name: &str) -> &str {
    let mut rest = name.trim();
    while let Some((before, last)) = rest.rsplit_once(' ') {
        let kind = last.to_lowercase();
        let version = kind.trim_start_matches('v');
        let is_version =
            version.starts_with(|sign: char| sign.is_ascii_digit()) && version.contains('.');
        let is_kind = matches!(
            kind.as_str(),
            "documentation" | "docs" | "dokumentation" | "documentación"
        );
        if !is_version && !is_kind || SMALL.contains(&before) {
            break;
        }
        rest = before.trim_end();
    }
    rest
}

fn title_parts(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for sign in SEPARATORS {
        parts = parts
            .into_iter()
            .flat_map(|part| part.split(sign))
            .collect();
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Capitalizes a word.
fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Counts the names in the running text of a page.
fn count(clues: &mut [NameClue], segments: &[Segment]) {
    if clues.is_empty() {
        return;
    }
    let lower: Vec<String> = clues.iter().map(|clue| clue.name.to_lowercase()).collect();
    for segment in segments.iter().filter(|segment| is_running(segment)) {
        let text = segment.text.text();
        for (clue, lower) in clues.iter_mut().zip(&lower) {
            if **lower != *clue.name {
                let found = text
                    .match_indices(lower.as_str())
                    .filter(|(at, _)| is_word(text, *at..at + lower.len()));
                clue.lower = clue.lower.saturating_add(short(found.count()));
            }
        }
        if !clues.iter().any(|clue| text.contains(&*clue.name)) {
            continue;
        }
        for sentence in sentences(text)
            .into_iter()
            .map(|range| &text[range])
            .filter(|sentence| !is_title_case(sentence))
        {
            for clue in clues.iter_mut() {
                let name = &*clue.name;
                let found = sentence
                    .match_indices(name)
                    .filter(|(at, _)| is_inside(sentence, *at..at + name.len()));
                clue.inside = clue.inside.saturating_add(short(found.count()));
            }
        }
    }
}

fn short(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Level of a heading by its element, from 1 to 6; `None` for other texts.
pub(crate) fn heading_level(origin: &str) -> Option<u8> {
    let level = origin.strip_prefix('h')?.parse().ok()?;
    if (1..=6).contains(&level) {
        Some(level)
    } else {
        None
    }
}

/// True for running text: several words and no heading.
pub(crate) fn is_running(segment: &Segment) -> bool {
    let origin = segment.origin.as_ref();
    let is_heading =
        heading_level(origin).is_some() || matches!(origin, "title" | "button" | "th" | "legend");
    let is_named = origin.starts_with("meta ") && !origin.ends_with("description");
    !is_heading && !is_named && segment.text.text().split_whitespace().nth(3).is_some()
}

/// True for a sentence with mostly capitalized words, which is no evidence for any of them.
pub(crate) fn is_title_case(sentence: &str) -> bool {
    let words = sentence
        .split_whitespace()
        .skip(1)
        .filter(|word| word.starts_with(char::is_alphabetic));
    let words = words.filter(|word| !SMALL.contains(word));
    let mut all = 0_usize;
    let mut capital = 0_usize;
    for word in words {
        all += 1;
        capital += usize::from(word.starts_with(char::is_uppercase));
    }
    capital * 2 > all
}

/// True for a place inside a sentence, where a capital letter is evidence.
pub(crate) fn is_inside(sentence: &str, range: Range<usize>) -> bool {
    let before = sentence[..range.start].trim_end();
    let begins_anew = before.ends_with([
        ':', '“', '"', '«', '(', '•', '…', '?', '!', '.', '–', '—', '/', '|', '→',
    ]);
    before.contains(char::is_alphanumeric) && !begins_anew && is_word(sentence, range)
}

/// True for a whole word outside identifiers and addresses such as `rust-lang.org`.
pub(crate) fn is_word(text: &str, range: Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let mut after = text[range.end..].chars();
    let next = after.next();
    let is_dotted = next == Some('.') && after.next().is_some_and(char::is_alphanumeric);
    let is_file = before == Some('.') && text[..range.start - 1].ends_with(char::is_alphanumeric);
    !before.is_some_and(joins_words) && !next.is_some_and(joins_words) && !is_dotted && !is_file
}

fn joins_words(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '-' | '/' | '@' | '\\')
}

/// Sums of the clues of all pages for a name.
#[derive(Debug, Default)]
struct Sum {
    places: u8,
    titles: usize,
    inside: usize,
    lower: usize,
}

/// Decides which names a site has, in alphabetical order.
pub(crate) fn decide<'p>(
    source: &Locale,
    pages: impl IntoIterator<Item = &'p [NameClue]>,
) -> Vec<KeptName> {
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut titles = 0;
    for clues in pages {
        titles += usize::from(clues.iter().any(|clue| clue.places & TITLE != 0));
        for clue in clues.iter().filter(|clue| clue.places != NameClue::HEADING) {
            let sum = sums.entry(&clue.name).or_default();
            sum.places |= clue.places & !(TITLE | NameClue::HEADING);
            sum.titles += usize::from(clue.places & TITLE != 0);
            sum.inside += usize::from(clue.inside);
            sum.lower += usize::from(clue.lower);
        }
    }
    let mut names = Vec::new();
    for (name, mut sum) in sums {
        // A site's name is in most of its titles.
        if sum.titles >= 2 && sum.titles * 2 >= titles {
            sum.places |= TITLE;
        }
        if let Some(is_alone) = judge(name, &sum, source) {
            names.push(KeptName {
                text: name.to_owned(),
                is_alone,
            });
        }
    }
    names.truncate(MOST_NAMES);
    names
}

/// True if a name counts only where it stands alone; `None` if it is no name.
fn judge(name: &str, sum: &Sum, source: &Locale) -> Option<bool> {
    let words: Vec<&str> = name.split_whitespace().collect();
    if sum.places == 0 || words.iter().all(|word| is_common(word) || is_small(word)) {
        return None;
    }
    let places = sum.places.count_ones();
    // Scripts without capitals do not tell names from other words.
    if !name
        .chars()
        .any(|letter| letter.is_uppercase() || letter.is_lowercase())
    {
        return if places >= 2 { Some(true) } else { None };
    }
    let is_supported = sum.inside > 0 && sum.lower * 4 <= sum.inside;
    match words.as_slice() {
        [word] if is_unmistakable(word) => Some(false),
        [word] if !word.starts_with(char::is_uppercase) => Some(true),
        [_] if matches!(source.language(), "de" | "lb") => {
            if places >= 2 {
                Some(true)
            } else {
                None
            }
        }
        [_] if is_supported => Some(false),
        [_] if sum.lower == 0 => Some(places < 2),
        [_] => None,
        _ => {
            let counted = words.iter().filter(|word| !is_small(word));
            let capital = counted
                .clone()
                .filter(|word| !word.starts_with(char::is_lowercase))
                .count();
            let is_proper = capital * 2 > counted.count()
                && words
                    .iter()
                    .any(|word| word.starts_with(char::is_uppercase));
            let is_slogan =
                sum.places == TITLE && words.len() > MOST_TITLE_WORDS && sum.inside == 0;
            let is_name = (is_proper || places >= 2) && !is_slogan && sum.lower <= sum.inside;
            if is_name { Some(false) } else { None }
        }
    }
}

pub(super) fn is_small(word: &str) -> bool {
    SMALL.contains(&word.to_lowercase().as_str())
}

/// True for a spelling that no ordinary word has: a capital or a digit inside, an underscore, `sphinx-autobuild`.
fn is_unmistakable(word: &str) -> bool {
    let mut letters = word.chars();
    let first = letters.next();
    let has_capital = letters.clone().any(char::is_uppercase) && word.contains(char::is_lowercase);
    let has_sign = word.contains('_')
        || word.contains('/')
        || word.contains(|sign: char| sign.is_ascii_digit());
    let is_joined = word.contains('-') && first.is_some_and(char::is_lowercase);
    has_capital || has_sign || is_joined
}

#[cfg(test)]
mod tests;
