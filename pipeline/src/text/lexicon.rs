//! The words with which languages name months, days, halves of the day, numbers, units and currencies.
//!
//! They tell whether a translation says the same date or amount as its source; nothing is written with them. The table is
//! made of the Unicode CLDR by `lexicon/make.py`. A language that it lacks is judged by digits alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use crate::model::Locale;

/// The table: language, kind, key, and forms with `|` between them.
const TABLE: &str = include_str!("lexicon/words.tsv");

/// Category of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WordKind {
    /// A month, by its number.
    Month,
    /// The same, shortened.
    ShortMonth,
    /// A day of the week; 0 is Sunday.
    Day,
    /// The same, shortened.
    ShortDay,
    /// The hours before noon.
    Am,
    /// The hours after noon.
    Pm,
    /// A number.
    Number,
    /// A number that counts a place.
    Ordinal,
    /// A power of ten, by its exponent.
    Scale,
    /// A unit, by its name in CLDR.
    Unit,
    /// A currency, by its code.
    Currency,
}

impl WordKind {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "month" => Self::Month,
            "short-month" => Self::ShortMonth,
            "day" => Self::Day,
            "short-day" => Self::ShortDay,
            "am" => Self::Am,
            "pm" => Self::Pm,
            "number" => Self::Number,
            "ordinal" => Self::Ordinal,
            "scale" => Self::Scale,
            "unit" => Self::Unit,
            "currency" => Self::Currency,
            _ => return None,
        })
    }
}

/// The words of one language, in lower case.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    forms: HashMap<WordKind, BTreeMap<&'static str, Vec<&'static str>>>,
}

impl Lexicon {
    /// The words of a language, where the table has it.
    pub(super) fn of(language: &Locale) -> Option<&'static Self> {
        static ALL: OnceLock<BTreeMap<&'static str, Lexicon>> = OnceLock::new();
        let all = ALL.get_or_init(read);
        let tag = match language.as_str() {
            tag if tag.starts_with("zh")
                && (tag.contains("Hant") || tag.ends_with("TW") || tag.ends_with("HK")) =>
            {
                "zh-Hant"
            }
            tag => tag,
        };
        let language = match language.language() {
            "no" => "nb",
            "fil" => "tl",
            language => language,
        };
        all.get(tag).or_else(|| all.get(language))
    }

    /// The names of one thing.
    pub(super) fn forms(&self, kind: WordKind, key: &str) -> &[&'static str] {
        self.forms
            .get(&kind)
            .and_then(|things| things.get(key))
            .map_or(&[], Vec::as_slice)
    }

    /// The month that a text in lower case names, and whether its name is shortened. The longest name counts.
    pub(super) fn month_in(&self, lower: &str) -> Option<(&'static str, bool)> {
        for kind in [WordKind::Month, WordKind::ShortMonth] {
            let named = self.all(kind).filter(|(_, form)| lower.contains(form));
            if let Some((month, _)) = named.max_by_key(|(_, form)| form.len()) {
                return Some((month, kind == WordKind::ShortMonth));
            }
        }
        None
    }

    /// The names of all things of a kind, each with its thing.
    pub(super) fn all(&self, kind: WordKind) -> impl Iterator<Item = (&'static str, &'static str)> {
        let things = self.forms.get(&kind).into_iter().flatten();
        things.flat_map(|(key, forms)| forms.iter().map(|form| (*key, *form)))
    }
}

fn read() -> BTreeMap<&'static str, Lexicon> {
    let mut all: BTreeMap<&str, Lexicon> = BTreeMap::new();
    for line in TABLE.lines() {
        let mut fields = line.split('\t');
        let (Some(language), Some(kind), Some(key), Some(forms)) = (
            fields.next(),
            fields.next().and_then(WordKind::parse),
            fields.next(),
            fields.next(),
        ) else {
            continue;
        };
        let things = all
            .entry(language)
            .or_default()
            .forms
            .entry(kind)
            .or_default();
        things.insert(key, forms.split('|').collect());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        let rows: usize = read()
            .values()
            .flat_map(|lexicon| lexicon.forms.values())
            .map(BTreeMap::len)
            .sum();
        assert_eq!(rows, TABLE.lines().count());
    }

    #[test]
    fn languages_are_found_with_their_regions_and_scripts() {
        for (tag, month, name) in [
            ("es-MX", "3", "marzo"),
            ("pt-BR", "3", "março"),
            ("zh-TW", "3", "3月"),
            ("zh-Hans", "3", "三月"),
            ("sr-Cyrl", "3", "март"),
            ("no", "3", "mars"),
        ] {
            let lexicon = Lexicon::of(&Locale::parse(tag).unwrap()).unwrap();
            assert_eq!(
                lexicon.forms(WordKind::Month, month).first(),
                Some(&name),
                "{tag}"
            );
        }
        assert!(Lexicon::of(&Locale::parse("mi").unwrap()).is_none());
    }
}
