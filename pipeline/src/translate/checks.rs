//! What is looked at in an engine's translation. Some checks block: the answer is refused, and another fallback, another
//! engine or the source text takes its place. The others warn: the translation stands, and the report names the place.
//!
//! They find what is damaged, not what is badly said: on fluent text they are nearly silent, so their number is no
//! measure of quality.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::terms::Terms;
use super::untranslated::{is_plainly_words, untranslated};
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, Segment};
use crate::text::{
    LostFact, addresses, changed, excerpt, is_dense, same_numbers, sentences, variables,
};

/// A check. Its id is stable and stands in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// Blocks: inline codes are lost, doubled, invented or badly nested.
    Markup,
    /// Blocks: more than three times as long as the source, and 50 characters.
    Length,
    /// Blocks, or warns where the configuration says so: it says other numbers.
    Numbers,
    /// Blocks: a date, time, price or another value of the source is not said.
    Facts,
    /// Blocks: words in brackets at the end that the source does not have.
    Aside,
    /// Blocks: no letter is left of a text that has some.
    Letters,
    /// Blocks: the same words five times in a row, where the source repeats nothing.
    Repetition,
    /// Blocks: a template variable such as `{name}` or `%s` is gone.
    Placeholder,
    /// Blocks: a web or mail address is gone.
    Address,
    /// Blocks: a sentence comes back as it was sent.
    Copied,
    /// Blocks: comments of a model about the text, or its refusal.
    Talk,
    /// Blocks: letters of a script that the language is not written in.
    Script,
    /// Warns: other brackets than in the source.
    Brackets,
    /// Warns: another number of quotes than in the source.
    Quotes,
    /// Warns: shorter than 0.6 or longer than 1.9 times the source.
    Ratio,
    /// Warns: another sign at the end than in the source.
    Ending,
    /// Warns: another number of sentences.
    Sentences,
    /// Warns: a term of the glossary is missing.
    Term,
    /// Warns: one of several sentences, or three words in a row, are still in the source language.
    Untranslated,
}

impl Check {
    /// Its id in reports and documentation.
    pub fn id(self) -> &'static str {
        match self {
            Self::Markup => "markup",
            Self::Length => "length",
            Self::Numbers => "numbers",
            Self::Facts => "facts",
            Self::Aside => "aside",
            Self::Letters => "letters",
            Self::Repetition => "repetition",
            Self::Placeholder => "placeholder",
            Self::Address => "address",
            Self::Copied => "copied",
            Self::Talk => "talk",
            Self::Script => "script",
            Self::Brackets => "brackets",
            Self::Quotes => "quotes",
            Self::Ratio => "ratio",
            Self::Ending => "ending",
            Self::Sentences => "sentences",
            Self::Term => "term",
            Self::Untranslated => "untranslated",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

/// Those that warn; their places here stand in the state.
const WARNING: [Check; 8] = [
    Check::Brackets,
    Check::Quotes,
    Check::Ratio,
    Check::Ending,
    Check::Sentences,
    Check::Term,
    Check::Numbers,
    Check::Untranslated,
];

/// Some of the checks that warn, each a bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks(u8);

impl Checks {
    /// Those that a byte stands for.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// The byte that stands for them.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Adds one; those that block are none of them.
    pub fn insert(&mut self, check: Check) {
        let place = WARNING.iter().position(|warning| *warning == check);
        self.0 |= place.map_or(0, |place| 1 << place);
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Check> {
        WARNING
            .into_iter()
            .enumerate()
            .filter(move |(place, _)| self.0 >> place & 1 == 1)
            .map(|(_, check)| check)
    }
}

/// What a check says of a translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckWarning {
    /// The check.
    pub check: Check,
    /// What it saw, as a sentence.
    pub message: String,
}

/// The first template variable or address that a translation lacks.
pub(super) fn lost(source: &str, target: &str) -> Option<(Check, String)> {
    let first_lost = |find: fn(&str) -> Vec<Range<usize>>, check: Check| {
        let (wanted, words) = counted(source, find(source));
        let (there, _) = counted(target, find(target));
        let is_lost = |word: &&&str| {
            let times = wanted.get(**word).copied().unwrap_or_default();
            // What looks like one in the target is quickly counted; only for the others all of it is searched.
            there.get(**word).copied().unwrap_or_default() < times
                && target.matches(**word).count() < times
        };
        words
            .iter()
            .find(is_lost)
            .map(|word| (check, format!("it loses {:?}", excerpt(word))))
    };
    first_lost(variables, Check::Placeholder).or_else(|| first_lost(addresses, Check::Address))
}

/// How often each word stands in a text, and each once in the order in which they stand.
fn counted(text: &str, ranges: Vec<Range<usize>>) -> (HashMap<&str, usize>, Vec<&str>) {
    let mut counts = HashMap::new();
    let mut words = Vec::new();
    for range in ranges {
        let count = counts.entry(&text[range.clone()]).or_insert(0);
        if *count == 0 {
            words.push(&text[range]);
        }
        *count += 1;
    }
    (counts, words)
}

/// Whether a sentence came back as it was sent. Names, which often stay, begin with capitals.
pub(super) fn is_copied(source: &str, target: &str) -> bool {
    source == target && is_plainly_words(source)
}

/// What checks that do not block say of an engine's translation.
pub fn warnings(
    segment: &Segment,
    translation: &CodedText,
    terms: &Terms,
    pair: LanguagePair<&Locale>,
) -> Vec<CheckWarning> {
    let source = segment.text.text();
    let target = translation.text();
    let mut warnings = Vec::new();
    let mut warn = |check: Check, message: String| warnings.push(CheckWarning { check, message });
    // A site that refuses other numbers has no such translation.
    if !same_numbers(source, target) && changed(source, target, pair) == Some(LostFact::Number) {
        warn(Check::Numbers, "its numbers differ from the source".into());
    }
    if brackets(source) != brackets(target) {
        warn(
            Check::Brackets,
            "its brackets differ from the source".into(),
        );
    }
    let quotes = |text: &str| {
        text.chars()
            .filter(|character| "\"“”„‟«»「」『』".contains(*character))
            .count()
    };
    if quotes(source) != quotes(target) {
        warn(
            Check::Quotes,
            format!(
                "{} quotation marks became {}",
                quotes(source),
                quotes(target)
            ),
        );
    }
    if !is_dense(source) && !is_dense(target) {
        let before = source.chars().count();
        let after = target.chars().count();
        if before >= 20 && (after * 10 < before * 6 || after * 10 > before * 19) {
            warn(Check::Ratio, format!("{before} characters became {after}"));
        }
        let before = sentences(source).len();
        let after = sentences(target).len();
        if before != after {
            warn(
                Check::Sentences,
                format!("{before} sentences became {after}"),
            );
        }
    }
    if ending(source) != ending(target) {
        warn(
            Check::Ending,
            "it ends with another sign than the source".into(),
        );
    }
    if !pair.from.same_language(pair.to)
        && let Some(words) = untranslated(source, target, terms, pair)
    {
        warn(
            Check::Untranslated,
            format!("{:?} stays in the source language", excerpt(words)),
        );
    }
    for missed in terms.missed_in(segment, translation) {
        let message = match missed.source == missed.target {
            true => format!("{:?} should stay as it is", missed.source),
            false => format!("{:?} should be {:?}", missed.source, missed.target),
        };
        warn(Check::Term, message);
    }
    warnings
}

/// How often each kind of bracket opens and closes.
fn brackets(text: &str) -> [usize; 6] {
    let count = |signs: &str| {
        text.chars()
            .filter(|character| signs.contains(*character))
            .count()
    };
    ["(（", ")）", "[［【", "]］】", "{｛", "}｝"].map(count)
}

/// The kind of sign at the end, under closing quotes and brackets.
fn ending(text: &str) -> Option<char> {
    let core = text.trim_end_matches(|c: char| c.is_whitespace() || ")]}\"'”’»」』）".contains(c));
    match core.chars().next_back()? {
        '.' | '。' | '．' | '।' | '۔' => Some('.'),
        '!' | '！' => Some('!'),
        '?' | '？' | '؟' => Some('?'),
        ':' | '：' => Some(':'),
        '…' => Some('…'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::example::plain;
    use crate::translate::{Matching, Term};

    fn ids(source: &str, target: &str) -> Vec<&'static str> {
        let forms = |text: &str| vec![text.to_owned()];
        let source_forms = forms("server");
        let target_forms = forms("servidor");
        let term = Term {
            source: source_forms,
            target: target_forms,
            keeps_case: false,
            matching: Matching::Word,
            is_name: false,
        };
        let languages = LanguagePair::of_tags("en", "es");
        let pair = languages.as_ref();
        let found = warnings(
            &plain(source),
            &CodedText::plain(target),
            &Terms::new(vec![term]),
            pair,
        );
        found
            .into_iter()
            .map(|warning| warning.check.id())
            .collect()
    }

    #[test]
    fn what_looks_odd_is_named_and_what_languages_do_is_not() {
        for (source, target, expected) in [
            ("A good day.", "Un buen día.", vec![]),
            ("A good day.", "良い一日。", vec![]),
            ("Really?", "¿De verdad?", vec![]),
            (
                "Rights Management",
                "Gestão de direitos (em inglês)",
                vec!["brackets"],
            ),
            ("He said \"go\" now.", "Él dijo go ahora.", vec!["quotes"]),
            ("He said \"go\" now.", "Il a dit « go » maintenant.", vec![]),
            ("A sentence of some length", "Una frase", vec!["ratio"]),
            ("It runs: now", "Corre.", vec!["ending"]),
            ("It works. Go on", "Funciona y sigue", vec!["sentences"]),
            ("The server runs", "El mozo corre", vec!["term"]),
            ("3 billion users", "3000 millones de usuarios", vec![]),
            ("All of 7 users", "Los 8 usuarios", vec!["numbers"]),
            (
                "It works. It costs you nothing.",
                "Funciona. It costs you nothing.",
                vec!["untranslated"],
            ),
            (
                "Hi. Alice Baker, Bob Carter, Eve Dean.",
                "Hola. Alice Baker, Bob Carter, Eve Dean.",
                vec![],
            ),
        ] {
            assert_eq!(ids(source, target), expected, "{source} / {target}");
        }
    }

    #[test]
    fn variables_and_addresses_must_stay_f14() {
        for (source, target, expected) in [
            ("{{name}} has %s items", "O {{name}} tem %s itens", None),
            (
                "{{name}} has %s items",
                "O nome tem %s itens",
                Some("it loses \"{{name}}\""),
            ),
            (
                "Write to info@example.com",
                "Escriba a info-example.com",
                Some("it loses \"info@example.com\""),
            ),
            (
                "See https://a.example/b.",
                "Véase https://a.example/b.",
                None,
            ),
            (
                "See https://a.example/b.",
                "Véase https://a.example/.",
                Some("it loses \"https://a.example/b\""),
            ),
            ("URL:https://a.example", "URL: https://a.example", None),
            ("%s and %s", "%s y", Some("it loses \"%s\"")),
        ] {
            assert_eq!(
                lost(source, target).map(|(_, message)| message).as_deref(),
                expected,
                "{source} / {target}"
            );
        }
    }

    #[test]
    fn a_sentence_that_comes_back_is_seen_and_names_are_not() {
        for (source, target, expected) in [
            ("How to set up pages", "How to set up pages", true),
            ("How to set up pages", "HOW TO SET UP PAGES", false),
            ("How to set up pages", "Cómo hacer páginas", false),
            (
                "Rich Bowen, Daniel Gruno, Joe Orton",
                "Rich Bowen, Daniel Gruno, Joe Orton",
                false,
            ),
            ("set it up", "set it up", false),
        ] {
            assert_eq!(is_copied(source, target), expected, "{source}");
        }
    }
}
