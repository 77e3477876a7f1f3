//! A language and the one that it is translated into, so that nobody takes one for the other.

use std::borrow::Borrow;
use std::fmt;

use super::Locale;

/// A pair of languages: borrowed as `LanguagePair<&Locale>` where it is passed on, owned where it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LanguagePair<L = Locale> {
    /// The language translated from.
    pub from: L,
    /// The language translated into.
    pub to: L,
}

impl LanguagePair {
    /// The same pair, borrowed.
    pub fn as_ref(&self) -> LanguagePair<&Locale> {
        LanguagePair {
            from: &self.from,
            to: &self.to,
        }
    }

    /// The pair of two valid tags.
    #[cfg(test)]
    pub(crate) fn of_tags(from: &str, to: &str) -> Self {
        Self {
            from: Locale::parse(from).unwrap(),
            to: Locale::parse(to).unwrap(),
        }
    }
}

impl<'l> LanguagePair<&'l Locale> {
    /// The same pair, owned.
    pub fn cloned(self) -> LanguagePair {
        LanguagePair {
            from: self.from.clone(),
            to: self.to.clone(),
        }
    }

    /// The pairs of a translation that goes through a third language, in their order.
    pub fn via(self, between: &'l Locale) -> [Self; 2] {
        [
            Self {
                to: between,
                ..self
            },
            Self {
                from: between,
                ..self
            },
        ]
    }
}

impl<L: Borrow<Locale>> LanguagePair<L> {
    /// Both without scripts and regions.
    pub fn languages(&self) -> LanguagePair<&str> {
        LanguagePair {
            from: self.from.borrow().language(),
            to: self.to.borrow().language(),
        }
    }

    /// Whether both languages are the same as another pair's: regions do not matter, scripts do.
    pub fn same_languages(&self, other: LanguagePair<&Locale>) -> bool {
        self.from.borrow().same_language(other.from) && self.to.borrow().same_language(other.to)
    }
}

impl<L: fmt::Display> LanguagePair<L> {
    /// The pair as models are called, such as `en-pt`.
    pub fn hyphenated(&self) -> String {
        format!("{}-{}", self.from, self.to)
    }
}

impl<L: fmt::Display> fmt::Display for LanguagePair<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} to {}", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(from: &str, to: &str) -> LanguagePair {
        LanguagePair {
            from: Locale::parse(from).unwrap(),
            to: Locale::parse(to).unwrap(),
        }
    }

    #[test]
    fn a_pair_is_written_as_people_and_models_call_it() {
        let pair = pair("en-GB", "pt-BR");
        let written = [
            pair.to_string(),
            pair.hyphenated(),
            pair.languages().hyphenated(),
        ];
        assert_eq!(written, ["en-GB to pt-BR", "en-GB-pt-BR", "en-pt"]);
    }

    #[test]
    fn pairs_are_compared_by_language_and_direction() {
        for (from, to, expected) in [
            ("en-GB", "zh-CN", true),
            ("en", "zh-TW", false),
            ("zh", "en", false),
            ("de", "zh", false),
        ] {
            assert_eq!(
                pair("en", "zh").same_languages(pair(from, to).as_ref()),
                expected,
                "{from} to {to}"
            );
        }
    }

    #[test]
    fn the_way_through_a_third_language_keeps_its_direction() {
        let pair = pair("ca", "de");
        let between = Locale::parse("es").unwrap();
        assert_eq!(
            pair.as_ref().via(&between).map(|leg| leg.to_string()),
            ["ca to es", "es to de"]
        );
    }
}
