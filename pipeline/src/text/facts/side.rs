//! One of the two texts, with the facts found so far masked.

use std::ops::Range;

use super::super::lexicon::{Lexicon, WordKind};
use super::super::numbers::digit;
use super::super::quantities::{Quantity, prefix_length, quantities};
use super::super::script::{is_dense, is_word_letter};
use crate::model::Locale;

/// Mask for matched bytes: no letter, digit or space.
const MASK: &str = "\u{1}";

/// Signs and words for percent.
const PERCENT: [&str; 23] = [
    "%",
    "٪",
    "％",
    "percent",
    "per cent",
    "por cien",
    "por cento",
    "pour cent",
    "prozent",
    "procent",
    "prosent",
    "процент",
    "відсот",
    "パーセント",
    "百分之",
    "퍼센트",
    "phần trăm",
    "yüzde",
    "persen",
    "τοις εκατό",
    "אחוז",
    "بالم",
    "प्रतिशत",
];

/// A text in its language.
pub(super) struct TextSide<'t> {
    pub(super) text: &'t str,
    pub(super) lexicon: Option<&'static Lexicon>,
    pub(super) is_english: bool,
    masked: String,
}

impl<'t> TextSide<'t> {
    pub(super) fn new(text: &'t str, language: &Locale) -> Self {
        let is_english = language.language() == "en";
        Self {
            text,
            lexicon: Lexicon::of(language),
            is_english,
            masked: text.to_owned(),
        }
    }

    /// The text with all that was found masked.
    pub(super) fn masked(&self) -> &str {
        &self.masked
    }

    /// Takes a part away from what is compared.
    pub(super) fn mask(&mut self, range: Range<usize>) {
        let length = range.len();
        self.masked.replace_range(range, &MASK.repeat(length));
    }

    /// Range of the words, in any case, as whole words.
    pub(super) fn find(&self, words: &str) -> Option<Range<usize>> {
        self.position(&words.to_lowercase(), |_, after| {
            !after.starts_with(|sign: char| sign.is_numeric() || is_word_letter(sign))
        })
    }

    /// Searches for a name with any ending, by its stem if that is long enough.
    pub(super) fn has_inflected(&self, form: &str) -> bool {
        let letters = form.chars().count();
        let cut = match letters {
            _ if form.contains(' ') => 0,
            0..5 => 0,
            5..7 => 1,
            _ => 2,
        };
        let stem: String = form.chars().take(letters - cut).collect();
        let ends_soon = |_: &str, after: &str| {
            after
                .chars()
                .take_while(|letter| letter.is_alphabetic())
                .count()
                <= cut + 3
        };
        self.position(&stem, ends_soon).is_some()
    }

    /// Range of a lower-case form at the start of a word.
    fn position(&self, form: &str, is_end: impl Fn(&str, &str) -> bool) -> Option<Range<usize>> {
        let is_free = !form.starts_with(is_word_letter) || form.starts_with(takes_prefixes);
        let begins_with_digit = form.starts_with(|sign: char| sign.is_ascii_digit());
        let mut before = None;
        for (at, character) in self.masked.char_indices() {
            let last = before.replace(character);
            if last.is_some_and(|last: char| {
                if begins_with_digit {
                    last.is_ascii_digit()
                } else {
                    !is_free && last.is_alphabetic() && is_word_letter(last)
                }
            }) {
                continue;
            }
            let Some(length) = prefix_length(&self.masked[at..], form).filter(|length| *length > 0)
            else {
                continue;
            };
            let after = &self.masked[at + length..];
            let is_dense =
                form.ends_with(|last: char| last.is_alphabetic() && !is_word_letter(last));
            if is_dense || is_end(form, after) {
                return Some(at..at + length);
            }
        }
        None
    }

    /// Finds digits in their order, with signs between them that may stand there, and masks them.
    pub(super) fn take_digits(
        &mut self,
        words: &str,
        may_stand_between: impl Fn(char) -> bool,
    ) -> bool {
        let wanted: Vec<char> = words.chars().filter_map(digit).collect();
        let mut is_inside = false;
        for (at, character) in self.masked.char_indices() {
            let is_start =
                !std::mem::replace(&mut is_inside, digit(character).is_some()) && is_inside;
            let end = if is_start {
                digits_end(&self.masked[at..], &wanted, &may_stand_between)
            } else {
                None
            };
            if let Some(end) = end {
                self.mask(at..at + end);
                return true;
            }
        }
        false
    }

    /// Finds an equal quantity in digits, and masks it.
    pub(super) fn take_quantity(&mut self, wanted: &Quantity) -> bool {
        match quantities(&self.masked, self.lexicon)
            .into_iter()
            .find(|other| other.equals(wanted))
        {
            Some(quantity) => {
                self.mask(quantity.range);
                true
            }
            None => false,
        }
    }

    /// Searches for a small number as a word, a Roman numeral or a power of ten in words.
    pub(super) fn has_number_word(&self, number: &Quantity) -> bool {
        let Some(lexicon) = self.lexicon else {
            return false;
        };
        if number
            .power()
            .is_some_and(|power| self.has_scale_word(power))
        {
            return true;
        }
        if number.small().any(|number| self.has_roman(number)) {
            return true;
        }
        number.small().any(|number| {
            let key = number.to_string();
            let forms = [WordKind::Number, WordKind::Ordinal]
                .into_iter()
                .flat_map(|kind| lexicon.forms(kind, &key));
            forms.into_iter().any(|form| self.has_inflected(form))
        })
    }

    /// Searches for the word for a power of ten, such as "million".
    pub(super) fn has_scale_word(&self, power: i32) -> bool {
        let Some(lexicon) = self.lexicon else {
            return false;
        };
        lexicon
            .forms(WordKind::Scale, &power.to_string())
            .iter()
            .any(|form| self.has_inflected(form))
    }

    /// Searches for a Roman numeral, as in the names of centuries.
    fn has_roman(&self, number: u32) -> bool {
        const TENS: [&str; 4] = ["", "X", "XX", "XXX"];
        const ONES: [&str; 10] = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"];
        let (Some(tens), Some(ones)) = (
            TENS.get((number / 10) as usize),
            ONES.get((number % 10) as usize),
        ) else {
            return false;
        };
        let roman = format!("{tens}{ones}");
        // `XXe siècle`
        let begins = |word: &str| {
            word.strip_prefix(&roman)
                .is_some_and(|rest| !rest.starts_with(char::is_uppercase))
        };
        number > 1
            && self
                .masked
                .split(|sign: char| !sign.is_alphabetic())
                .any(begins)
    }

    pub(super) fn has_percent_sign(&self) -> bool {
        let lower = self.text.to_lowercase();
        PERCENT.iter().any(|word| lower.contains(word))
    }

    /// True for text without spaces between words.
    pub(super) fn is_dense(&self) -> bool {
        is_dense(self.text)
    }
}

/// Recognizes Hebrew and Arabic letters, whose languages attach "and" and "in" to the next word.
pub(super) fn takes_prefixes(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{6ff}')
}

/// End of the digits at the start of a text.
fn digits_end(
    text: &str,
    wanted: &[char],
    may_stand_between: &impl Fn(char) -> bool,
) -> Option<usize> {
    let mut wanted = wanted.iter().peekable();
    let mut gap = 0;
    for (at, character) in text.char_indices() {
        match digit(character) {
            Some(digit) if wanted.peek() == Some(&&digit) => {
                wanted.next();
                gap = 0;
            }
            Some(_) => return None,
            None if wanted.peek().is_none() => return Some(at),
            None if gap < 3 && may_stand_between(character) => gap += 1,
            None => return None,
        }
    }
    if wanted.next().is_none() {
        Some(text.len())
    } else {
        None
    }
}
