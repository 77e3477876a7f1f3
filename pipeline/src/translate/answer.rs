//! Brings an engine's answer into the shape of the source, and says what is wrong with it.
//!
//! Normalizing removes control characters, line breaks, doubled spaces and invisible characters that the source does
//! not have. It keeps no-break spaces, bidi marks and joiners, and converts letters to Unicode NFC. Pieces that equal
//! the source keep their bytes. Checking never repairs.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::checks::{Check, is_copied, lost};
use super::talk::talk;
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, Segment, TextPiece, check};
use crate::text::{
    LostFact, changed, excerpt, foreign_script, is_dense, is_mark, same_numbers, values, without,
};

const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();

/// Normalises an answer for its source text.
pub(super) fn tidy(source: &CodedText, answer: &CodedText) -> CodedText {
    if answer == source {
        return answer.clone();
    }
    let texts = || {
        source.pieces().filter_map(|piece| {
            if let TextPiece::Text(text) = piece {
                Some(text)
            } else {
                None
            }
        })
    };
    let lines = texts().any(|text| text.contains(['\n', '\r', '\t']));
    let runs = lines || texts().any(|text| text.contains("  "));
    let own = texts()
        .flat_map(str::chars)
        .filter(|&character| is_odd(character))
        .collect();
    let own_signs = texts().flat_map(str::chars).filter_map(sign_of).collect();
    let decomposed = texts()
        .flat_map(clusters)
        .filter(|cluster| !NFC.is_normalized(cluster))
        .collect();
    let shape = Shape {
        lines,
        runs,
        own,
        own_signs,
        decomposed,
    };
    let same: HashSet<&str> = texts().collect();
    let mut text = answer.map(|text| {
        if same.contains(text) {
            text.to_owned()
        } else {
            shape.clean(text)
        }
    });
    // Segments are trimmed where they are found; an answer has no say over the white space around them.
    text.trim(|character| matches!(character, ' ' | '\n' | '\t'));
    text
}

/// Whether a character is no language: a mark of byte order, or one of Unicode's own separators.
fn is_odd(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}')
}

/// Kinds of invisible characters. An answer may have the kinds that its source has (R-L5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InvisibleSign {
    /// A zero-width space.
    Space,
    /// A word joiner.
    Joiner,
    /// An embedding or override of directions.
    Embedding,
    /// An isolate of directions.
    Isolate,
    /// A tag, as in the flags of England, Scotland and Wales.
    Tag,
}

fn sign_of(character: char) -> Option<InvisibleSign> {
    match character {
        '\u{200b}' => Some(InvisibleSign::Space),
        '\u{2060}' => Some(InvisibleSign::Joiner),
        '\u{202a}'..='\u{202e}' => Some(InvisibleSign::Embedding),
        '\u{2066}'..='\u{2069}' => Some(InvisibleSign::Isolate),
        '\u{e0000}'..='\u{e007f}' => Some(InvisibleSign::Tag),
        _ => None,
    }
}

/// What the source has, so that the answer may have it too.
struct Shape<'a> {
    lines: bool,
    runs: bool,
    own: BTreeSet<char>,
    own_signs: BTreeSet<InvisibleSign>,
    /// Characters with their marks that are not in NFC. Names and addresses must come back with the same bytes.
    decomposed: HashSet<&'a str>,
}

impl Shape<'_> {
    fn clean(&self, text: &str) -> String {
        let mut after_space = false;
        let mut clean = String::with_capacity(text.len());
        for character in text.chars() {
            let character = match character {
                '\n' | '\t' if self.lines => character,
                '\r' if self.lines => continue,
                own if self.own.contains(&own) => own,
                '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
                '\u{feff}' | '\u{fffe}' => continue,
                other if other.is_control() => continue,
                other if sign_of(other).is_some_and(|sign| !self.own_signs.contains(&sign)) => {
                    continue;
                }
                other => other,
            };
            let space = character == ' ';
            if space && after_space && !self.runs {
                continue;
            }
            after_space = space;
            clean.push(character);
        }
        self.composed(&clean)
    }

    /// Text in NFC, except for characters that the source has in another form.
    fn composed(&self, text: &str) -> String {
        if self.decomposed.is_empty() {
            return NFC.normalize(text).into_owned();
        }
        let mut composed = String::with_capacity(text.len());
        for cluster in clusters(text) {
            match self.decomposed.contains(cluster) {
                true => composed.push_str(cluster),
                false => composed.push_str(&NFC.normalize(cluster)),
            }
        }
        composed
    }
}

/// The characters of a text, each with the marks and vowels that belong to it.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut characters = rest.char_indices().skip(1);
        let end = characters
            .find(|(_, next)| !is_mark(*next) && !matches!(next, '\u{1160}'..='\u{11ff}'));
        let (cluster, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = after;
        Some(cluster).filter(|cluster| !cluster.is_empty())
    })
}

/// What an answer must be beside a whole text with its codes: more where a translation is meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expects<'a> {
    /// Addresses stay as they are.
    pub(super) addresses: bool,
    /// A sentence does not come back as it went.
    pub(super) other_words: bool,
    /// The languages in which facts are compared; without them, digits are.
    pub(super) facts: Option<LanguagePair<&'a Locale>>,
    /// Refuse other numbers; if false, only warn.
    pub(super) numbers: bool,
}

/// Why an answer is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerFlaw {
    /// The check that it failed; `None` where it could not even be put together.
    pub(super) check: Option<Check>,
    /// What is wrong, for people.
    pub(super) sentence: String,
}

impl fmt::Display for AnswerFlaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.check {
            Some(check) => write!(formatter, "{} [{check}]", self.sentence),
            None => formatter.write_str(&self.sentence),
        }
    }
}

/// Checks a normalised answer.
pub(super) fn verdict(
    segment: &Segment,
    answer: &CodedText,
    expects: Expects<'_>,
) -> Result<(), AnswerFlaw> {
    judge(segment, answer, expects).map_err(|(check, sentence)| AnswerFlaw {
        check: Some(check),
        sentence,
    })
}

fn judge(
    segment: &Segment,
    answer: &CodedText,
    expects: Expects<'_>,
) -> Result<(), (Check, String)> {
    check(segment, answer).map_err(|error| (Check::Markup, error.to_string()))?;
    let source = segment.text.text();
    let target = answer.text();
    let source_length = source.chars().count();
    let length = target.chars().count();
    if !is_dense(source) && length > source_length * 3 + 50 {
        let sentence = format!("it is {length} characters long for a source of {source_length}");
        return Err((Check::Length, sentence));
    }
    if let Some(change) = change(source, target, expects) {
        return Err(change);
    }
    if !target.chars().any(char::is_alphabetic) && has_words(source, expects) {
        return Err((Check::Letters, "it holds no letter".into()));
    }
    if let Some(lost) =
        lost(source, target).filter(|(check, _)| expects.addresses || *check == Check::Placeholder)
    {
        return Err(lost);
    }
    if expects.other_words && is_copied(source, target) {
        return Err((Check::Copied, "it is the source text".into()));
    }
    if let Some(words) = runaway(source, target) {
        return Err((
            Check::Repetition,
            format!("it repeats {:?} without end", excerpt(&words)),
        ));
    }
    let Some(pair) = expects.facts else {
        return Ok(());
    };
    if let Some(sentence) = talk(source, target, pair) {
        return Err((Check::Talk, sentence));
    }
    match foreign_script(source, target, pair.to) {
        Some(sentence) => Err((Check::Script, sentence)),
        None => Ok(()),
    }
}

/// Recognizes a text with words: letters outside of values such as `6:30 am`.
fn has_words(source: &str, expects: Expects<'_>) -> bool {
    let values = expects
        .facts
        .map_or_else(Vec::new, |pair| values(source, pair.from));
    let words = without(source, values.into_iter().map(|value| value.range));
    words
        .chars()
        .filter(|character| character.is_alphabetic())
        .count()
        > 3
}

/// The first fact that an answer changes, and the check that says so.
fn change(source: &str, target: &str, expects: Expects<'_>) -> Option<(Check, String)> {
    let change = match expects.facts {
        Some(pair) => changed(source, target, pair)?,
        None if same_numbers(source, target) => return None,
        None => LostFact::Number,
    };
    match change {
        LostFact::Number if !expects.numbers => None,
        LostFact::Number => Some((Check::Numbers, "its numbers differ from the source".into())),
        LostFact::Value(kind, value) => Some((
            Check::Facts,
            format!("it does not say the {} {:?}", kind.noun(), excerpt(&value)),
        )),
        LostFact::Sign(sign) => Some((Check::Facts, format!("it loses the sign {sign}"))),
        LostFact::Aside => Some((
            Check::Aside,
            "it ends with words in brackets that the source does not have".into(),
        )),
    }
}

/// Words that the target repeats at least five times in a row, or a character 30 times, although the source repeats
/// none.
fn runaway(source: &str, target: &str) -> Option<String> {
    let sign = || {
        long_run(target)
            .filter(|_| long_run(source).is_none())
            .map(String::from)
    };
    repetition(target)
        .filter(|_| repetition(source).is_none())
        .or_else(sign)
}

/// First character that occurs 30 times in a row (R-L3).
fn long_run(text: &str) -> Option<char> {
    let mut last = None;
    let mut streak = 0;
    text.chars().find(|&character| {
        streak = if last == Some(character) {
            streak + 1
        } else {
            1
        };
        last = Some(character);
        streak >= 30
    })
}

/// The first group of up to four words that stands there five times in a row.
fn repetition(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (1..=4_usize).find_map(|size| {
        let mut streak = 0;
        for at in size..words.len() {
            streak = if words[at] == words[at - size] {
                streak + 1
            } else {
                0
            };
            if streak >= size * 4 {
                return Some(words[at + 1 - size..=at].join(" "));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::example::plain;

    #[test]
    fn answers_take_the_shape_of_the_source_f28() {
        for (source, answer, expected) in [
            ("one line", "  une\r\nligne\u{0}\u{7} ", "une ligne"),
            ("C'est bien !", "Well\u{a0}done !", "Well\u{a0}done !"),
            ("two  spaces", "dos  espacios", "dos  espacios"),
            ("a b", "a   b", "a b"),
            ("a\n\tb", "x\n\ty", "x\n\ty"),
            ("a\r\nb", "a\r\nb", "a\r\nb"),
            (
                "\u{feff}a\u{2028}b",
                "\u{feff}a\u{2028}b",
                "\u{feff}a\u{2028}b",
            ),
            ("a\u{2028}b", "\u{feff}x\u{2028}y", "x\u{2028}y"),
            ("a b", "x\u{2028}y\u{fffe}", "x y"),
            (
                "می\u{200c}خواهم",
                "\u{feff}می\u{200c}خواهم\u{200f}",
                "می\u{200c}خواهم\u{200f}",
            ),
        ] {
            let tidied = tidy(&CodedText::plain(source), &CodedText::plain(answer));
            assert_eq!(tidied.text(), expected, "{source:?}");
        }
    }

    #[test]
    fn invisible_signs_stay_only_where_the_source_has_their_kind_r_l5() {
        let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        let england = format!("{flag} England");
        for (source, answer, expected) in [
            (
                "Bread",
                "\u{200b}Pan\u{2060} \u{202e}y\u{202c} \u{2066}té\u{2069}\u{e0041}",
                "Pan y té",
            ),
            (
                "Bread",
                "\u{202a}Pan\u{202d}\u{202b}\u{2068}\u{2067}",
                "Pan",
            ),
            ("Bre\u{200b}ad", "Pa\u{200b}n\u{2060}", "Pa\u{200b}n"),
            (
                "\u{2066}Bread\u{2069}",
                "\u{2067}نان\u{2069}\u{202e}",
                "\u{2067}نان\u{2069}",
            ),
            ("I go", "می\u{200c}روم", "می\u{200c}روم"),
            ("Wages", "क्\u{200d}ष", "क्\u{200d}ष"),
            (
                "Home",
                "\u{1f469}\u{200d}\u{1f373} Inicio\u{200e}",
                "\u{1f469}\u{200d}\u{1f373} Inicio\u{200e}",
            ),
            (england.as_str(), england.as_str(), england.as_str()),
            ("Coffee", "cafe\u{301}", "caf\u{e9}"),
            ("Angstrom", "\u{212b}ngstro\u{308}m", "\u{c5}ngstr\u{f6}m"),
            ("Bakery", "\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
            ("cafe\u{301}", "cafe\u{301}", "cafe\u{301}"),
            (
                "Ask Jose\u{301}",
                "Frag Jose\u{301} a\u{308}",
                "Frag Jose\u{301} \u{e4}",
            ),
            (
                "See \u{fa19}",
                "Ver \u{fa19} e\u{301}",
                "Ver \u{fa19} \u{e9}",
            ),
        ] {
            let tidied = tidy(&CodedText::plain(source), &CodedText::plain(answer));
            assert_eq!(tidied.text(), expected, "{source:?}");
        }
    }

    #[test]
    fn wrong_answers_are_named() {
        let languages = LanguagePair::of_tags("en", "es");
        let facts = Some(languages.as_ref());
        let expects = Expects {
            addresses: true,
            other_words: true,
            facts,
            numbers: true,
        };
        for (source, answer, reason) in [
            ("Good day", "Buenos días", ""),
            ("Good day", " ", "empty"),
            ("In 7 days", "En 8 días", "[numbers]"),
            (
                "Open at 10am",
                "Abierto a las 10soy",
                "the time \"10am\" [facts]",
            ),
            ("About ~5 of us", "Son 5 de ellos", "the sign ~ [facts]"),
            ("GitHub", "GitHub (o)", "[aside]"),
            ("Good day", "bla bla bla bla bla bla", "repeats \"bla\""),
            (
                "Go on",
                "ir por ir por ir por ir por ir por",
                "repeats \"ir por\"",
            ),
            ("ha ha ha ha ha ha", "ja ja ja ja ja ja", ""),
            ("Good", &"palabra ".repeat(12), "characters long"),
            (
                "Good",
                &format!("Bien{}", "o".repeat(30)),
                "repeats \"o\" without end [repetition]",
            ),
            (
                "Go on and on and on",
                &format!("Siga{} ya", ".".repeat(40)),
                "[repetition]",
            ),
            (
                &format!("Cut here {}", "-".repeat(40)),
                &format!("Corte aquí {}", "-".repeat(40)),
                "",
            ),
            (
                "How to go on from here",
                "How to go on from here",
                "[copied]",
            ),
            ("Hi {name}", "Hola nombre", "{name}\" [placeholder]"),
        ] {
            let verdict = verdict(&plain(source), &CodedText::plain(answer), expects)
                .err()
                .map(|flaw| flaw.to_string())
                .unwrap_or_default();
            assert!(
                verdict.contains(reason) && verdict.is_empty() == reason.is_empty(),
                "{answer}: {verdict}"
            );
        }
    }
}
