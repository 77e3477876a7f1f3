//! Texts of which nothing changed but numbers: prices, dates, versions. What the memory has for the old numbers serves for
//! the new ones, so that nobody pays again.
//!
//! Only where it is certain which number of the translation is which of the source, and only in languages whose words
//! do not change with a number in more ways than those of the source do: "2 files" and "5 files" are two different
//! texts in Polish.

use std::collections::HashMap;
use std::ops::Range;

use super::Remembered;
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, TextPiece};
use crate::text::same_numbers;

/// Stands for a number; no text holds it.
const NUMBER: char = '\u{0}';

/// Languages with more forms than one and many (CLDR 48, cardinal numbers).
const MANY_FORMS: [&str; 28] = [
    "ar", "be", "br", "bs", "cs", "cy", "dsb", "ga", "gd", "gv", "he", "hr", "hsb", "kw", "lt",
    "lv", "mt", "pl", "ro", "ru", "se", "sh", "sk", "sl", "sr", "uk", "ksh", "sat",
];

/// Languages whose words do not change with a number.
const ONE_FORM: [&str; 14] = [
    "zh", "ja", "ko", "vi", "th", "id", "ms", "my", "km", "lo", "yue", "wo", "bo", "jv",
];

/// Languages in which words that stand apart from a number change with it, as the article does in Hungarian ("a 3", "az 5").
const AGREES_BESIDE: [&str; 1] = ["hu"];

/// What the memory has, by texts without their numbers.
#[derive(Debug, Default)]
pub struct Renumbered {
    known: HashMap<String, Remembered>,
}

impl Renumbered {
    /// Whether numbers may be put into translations of this pair.
    pub fn suits(pair: LanguagePair<&Locale>) -> bool {
        let is = |languages: &[&str], locale: &Locale| languages.contains(&locale.language());
        is(&ONE_FORM, pair.to) || !(is(&MANY_FORMS, pair.to) || is(&ONE_FORM, pair.from))
    }

    /// Whether a text holds a number at all.
    pub fn concerns(text: &CodedText) -> bool {
        text.text()
            .contains(|character: char| character.is_ascii_digit())
    }

    /// What texts have in common that differ in numbers alone, by their notation; nothing where a text holds no number. Others
    /// may have it in common, too. The state keeps it, so it is the same in every version.
    pub fn likeness(notation: &str) -> Option<u64> {
        let mut rest = notation;
        let mut text = String::with_capacity(notation.len());
        // Codes have numbers of their own.
        while let Some(at) = ["<g", "<x", "</g"]
            .iter()
            .filter_map(|code| rest.find(code))
            .min()
        {
            let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
            text.push_str(&rest[..at]);
            rest = &rest[end..];
        }
        text.push_str(rest);
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        text.retain(|character| !matches!(character, '0'..='9' | '.' | ','));
        blake3::hash(text.as_bytes())
            .as_bytes()
            .first_chunk()
            .map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Takes what the memory has; of two texts with the same words the first in order of their sources counts.
    pub fn new(memory: impl IntoIterator<Item = Remembered>) -> Self {
        let mut known: HashMap<String, Remembered> = HashMap::new();
        for remembered in memory
            .into_iter()
            .filter(|remembered| remembered.refused.is_none())
        {
            let Ok(source) = CodedText::from_markup(&remembered.source) else {
                continue;
            };
            if !Self::concerns(&source) {
                continue;
            }
            let entry = known
                .entry(masked(&source))
                .or_insert_with(|| remembered.clone());
            if remembered.source < entry.source {
                *entry = remembered;
            }
        }
        Self { known }
    }

    /// The translation of a text that differs from a known one in numbers alone.
    pub fn find(&self, text: &CodedText) -> Option<Remembered> {
        let known = self.known.get(&masked(text))?;
        let before = CodedText::from_markup(&known.source).ok()?;
        let translation = CodedText::from_markup(&known.text).ok()?;
        let changed = replace(&numbers_of(&before), &numbers_of(text), &translation)?;
        let is_right = same_numbers(text.text(), changed.text());
        is_right.then(|| Remembered {
            text: changed.to_markup(),
            engine: known.engine.clone(),
            source: text.to_markup(),
            refused: None,
            terms: known.terms.clone(),
        })
    }
}

/// Puts the numbers of a changed text into a person's words for the text before; nothing where any doubt is left, be it
/// about the place of a number or about the words beside it. Both texts have the same words.
pub(super) fn moved_with_certainty(
    before: &CodedText,
    after: &CodedText,
    words: &CodedText,
    pair: LanguagePair<&Locale>,
) -> Option<CodedText> {
    let old = numbers_of(before);
    let new = numbers_of(after);
    if old == new {
        return Some(words.clone());
    }
    let changed = || old.iter().zip(&new).filter(|(old, new)| old != new);
    // One old number that becomes two new ones stands in places that only their order tells apart.
    let is_one_to_one = |(old_number, new_number): (&String, &String)| {
        old.iter()
            .zip(&new)
            .all(|(old, new)| (old == old_number) == (new == new_number) || old != old_number)
    };
    let is_certain = Renumbered::suits(pair)
        && changed().all(is_one_to_one)
        && (ONE_FORM.contains(&pair.to.language())
            || (!AGREES_BESIDE.contains(&pair.to.language())
                && changed().all(|(old, new)| !is_singular(old) && !is_singular(new))
                && !is_attached(words)));
    let moved = replace(&old, &new, words).filter(|_| is_certain)?;
    same_numbers(after.text(), moved.text()).then_some(moved)
}

/// Whether words beside a number may be those of the singular, in some language: 0 and 1, with or without a fraction.
fn is_singular(number: &str) -> bool {
    let parts: Vec<&str> = number.split(['.', ',']).collect();
    match parts.as_slice() {
        [whole] | [whole, _] if whole.trim_start_matches('0').is_empty() => true,
        [whole] => whole.trim_start_matches('0') == "1",
        // Three digits behind a sign are thousands.
        [whole, rest] => whole.trim_start_matches('0') == "1" && rest.len() != 3,
        _ => false,
    }
}

/// Whether a letter hangs on a number, as in "3-t", "l'8" or "20er": another number may want another one.
fn is_attached(words: &CodedText) -> bool {
    let text = words.text();
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphabetic);
    let is_joint =
        |character: Option<char>| matches!(character, Some('\'' | '’' | '-' | '‑' | ':'));
    numbers(text).into_iter().any(|range| {
        let mut left = text[..range.start].chars().rev();
        let mut right = text[range.end..].chars();
        let before = left.next();
        let after = right.next();
        is_letter(before)
            || is_letter(after)
            || (is_joint(before) && is_letter(left.next()))
            || (is_joint(after) && is_letter(right.next()))
    })
}

/// The text in our notation, each number replaced by the same sign.
pub(super) fn masked(text: &CodedText) -> String {
    let masked = text.map(|text| {
        let mut masked = String::with_capacity(text.len());
        let mut at = 0;
        for range in numbers(text) {
            masked.push_str(&text[at..range.start]);
            masked.push(NUMBER);
            at = range.end;
        }
        masked + &text[at..]
    });
    masked.to_markup()
}

/// Byte ranges of numbers, with the signs inside of them, as in 1,234.56 or 1.2.3.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        while is_digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && is_digit(at + 1)) {
            at += 1;
        }
        found.push(start..at);
    }
    found
}

fn numbers_of(text: &CodedText) -> Vec<String> {
    let texts = text.pieces().filter_map(|piece| match piece {
        TextPiece::Text(text) => Some(text),
        TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_) => None,
    });
    texts
        .flat_map(|text| {
            numbers(text)
                .into_iter()
                .map(|range| text[range].to_owned())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Puts new numbers in the place of old ones; nothing where it is not certain which is which.
fn replace(before: &[String], after: &[String], translation: &CodedText) -> Option<CodedText> {
    let found = numbers_of(translation);
    let mut sorted = found.clone();
    let mut wanted = before.to_vec();
    sorted.sort();
    wanted.sort();
    if sorted != wanted || before.len() != after.len() {
        return None;
    }
    let new = |at: usize, number: &String| {
        if found == before {
            return after.get(at);
        }
        let mut candidates = before
            .iter()
            .zip(after)
            .filter(|(old, _)| *old == number)
            .map(|(_, new)| new);
        let first = candidates.next();
        first.filter(|first| candidates.all(|other| other == *first))
    };
    let mut replaced = found
        .iter()
        .enumerate()
        .map(|(at, number)| new(at, number).cloned());
    let mut changed = CodedText::default();
    for piece in translation.pieces() {
        let TextPiece::Text(text) = piece else {
            changed.push(piece);
            continue;
        };
        let mut at = 0;
        for range in numbers(text) {
            changed.push_text(&text[at..range.start]);
            changed.push_text(&replaced.next()??);
            at = range.end;
        }
        changed.push_text(&text[at..]);
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the states of people have.
    const LOAVES: u64 = 4_256_963_974_100_858_780;

    fn known(source: &str, text: &str) -> Remembered {
        Remembered {
            text: text.into(),
            engine: "e".into(),
            source: source.into(),
            refused: None,
            terms: None,
        }
    }

    #[test]
    fn new_numbers_take_the_place_of_old_ones_where_it_is_certain() {
        for (source, translation, text, expected) in [
            (
                "Only 3 left",
                "Solo quedan 3",
                "Only 12 left",
                Some("Solo quedan 12"),
            ),
            (
                "Version 1.2.3 of 2025",
                "Versión 1.2.3 de 2025",
                "Version 1.3.0 of 2026",
                Some("Versión 1.3.0 de 2026"),
            ),
            ("5 of 7", "De 7, 5", "6 of 9", Some("De 9, 6")),
            ("3 and 3", "3 y 3", "4 and 5", Some("4 y 5")),
            (
                "<g id=\"1\">2</g> loaves for $4",
                "$4 por <g id=\"1\">2</g> panes",
                "<g id=\"1\">6</g> loaves for $9",
                Some("$9 por <g id=\"1\">6</g> panes"),
            ),
            // Which is which is not certain, or a number is written in another way.
            ("3 and 3 of 5", "De 5, 3 y 3", "4 and 6 of 5", None),
            ("1,234 files", "1.234 archivos", "1,235 files", None),
            ("3 files", "tres archivos", "4 files", None),
            // Other words are another text.
            ("1 file", "1 archivo", "2 files", None),
        ] {
            let memory = Renumbered::new([known(source, translation)]);
            let found = memory.find(&CodedText::from_markup(text).unwrap());
            assert_eq!(
                found.as_ref().map(|found| found.text.as_str()),
                expected,
                "{source} -> {text}"
            );
            assert!(found.is_none_or(|found| found.source == text && found.engine == "e"));
        }
    }

    /// A change of these common parts must raise the form of rows in the state (`state/memory.rs`).
    #[test]
    fn texts_are_alike_by_their_letters_in_every_version() {
        let alike = Renumbered::likeness("Order 12 loaves");
        assert_eq!(
            (alike, Renumbered::likeness("Order 1,300.5 loaves")),
            (Some(LOAVES), Some(LOAVES))
        );
        assert_ne!(Renumbered::likeness("Order 12 rolls"), alike);
        for none in [
            "Order loaves",
            "<g id=\"12\">Order</g> <x id=\"3\"/>loaves",
            "",
        ] {
            assert_eq!(Renumbered::likeness(none), None, "{none}");
        }
    }

    #[test]
    fn peoples_words_get_new_numbers_only_without_any_doubt() {
        for (target, before, words, after, expected) in [
            (
                "es",
                "From $26 an hour",
                "Desde $26 por hora",
                "From $28 an hour",
                Some("Desde $28 por hora"),
            ),
            ("es", "5 of 7", "De 7, 5", "6 of 9", Some("De 9, 6")),
            (
                "es",
                "$1,500 a month",
                "$1,500 al mes",
                "$1,650 a month",
                Some("$1,650 al mes"),
            ),
            ("ja", "1 left", "残り1", "2 left", Some("残り2")),
            // A singular, two places of one number, letters that hang on one, other forms, another way of writing.
            ("es", "1 left", "queda 1", "2 left", None),
            ("es", "2 left", "quedan 2", "1 left", None),
            ("fr", "0.5 l of it", "0.5 l en tout", "2.5 l of it", None),
            ("es", "Open 9 to 9", "De 9 a 9", "Open 9 to 5", None),
            ("tr", "Until 3", "3'e kadar", "Until 6", None),
            ("hu", "The 3 bakers", "A 3 pék", "The 5 bakers", None),
            ("pl", "2 loaves", "2 bochenki", "5 loaves", None),
            ("es", "$3.50", "3,50 $", "$3.75", None),
        ] {
            let text = |text: &str| CodedText::from_markup(text).unwrap();
            let pair = LanguagePair {
                from: &Locale::parse("en").unwrap(),
                to: &Locale::parse(target).unwrap(),
            };
            let moved = moved_with_certainty(&text(before), &text(after), &text(words), pair);
            assert_eq!(
                moved.map(|moved| moved.to_markup()).as_deref(),
                expected,
                "{before} -> {after} in {target}"
            );
        }
    }

    #[test]
    fn languages_with_more_forms_of_a_word_are_left_alone() {
        let suits = |source: &str, target: &str| {
            Renumbered::suits(LanguagePair {
                from: &Locale::parse(source).unwrap(),
                to: &Locale::parse(target).unwrap(),
            })
        };
        assert!(
            suits("en", "es") && suits("en", "ja") && suits("ru", "zh-TW") && suits("en", "en-XA")
        );
        assert!(!suits("en", "pl") && !suits("en", "ar") && !suits("ja", "en"));
    }
}
