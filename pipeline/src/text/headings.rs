//! Sentence case for headings in title case (R-H2). English writes headings in title case; most languages do not.
//!
//! A word of a heading is plain if the site's sentences have it, and only in lower case. Other words may be names. A
//! translation is changed only if every word of its source is plain or comes back as it stands in the source.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::names::{heading_level, is_inside, is_running, is_small, is_title_case, is_word};
use super::runs::runs;
use crate::model::{Locale, NameClue};
use crate::page::{CodedText, Segment};

/// Maximum number of heading words that are counted on a page.
const MOST_WORDS: usize = 200;
/// Languages that capitalize nouns or headings, and those that also have a dotless `ı`.
const OTHERS: [&str; 9] = ["az", "crh", "de", "en", "gsw", "ksh", "lb", "nds", "tr"];

/// Words of headings, in lower case, that a site's sentences have only in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlainWords(BTreeSet<String>);

/// Adds the words of a page's headings to its clues, with their counts in its running text.
pub(crate) fn with_heading_words(clues: Box<[NameClue]>, segments: &[Segment]) -> Box<[NameClue]> {
    let mut all = clues.into_vec();
    for word in heading_words(segments) {
        match all.iter_mut().find(|clue| clue.name == word.name) {
            Some(clue) => clue.places |= NameClue::HEADING,
            None => all.push(word),
        }
    }
    all.into()
}

fn heading_words(segments: &[Segment]) -> Vec<NameClue> {
    let mut found: BTreeMap<String, NameClue> = BTreeMap::new();
    for segment in segments.iter().filter(|segment| is_heading(segment)) {
        let text = segment.text.text();
        for word in words(text) {
            if found.len() < MOST_WORDS && has_one_capital(&text[word.clone()]) {
                let clue = NameClue {
                    name: text[word.clone()].into(),
                    places: NameClue::HEADING,
                    ..NameClue::default()
                };
                found.entry(text[word].to_lowercase()).or_insert(clue);
            }
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    for segment in segments.iter().filter(|segment| is_running(segment)) {
        let text = segment.text.text();
        for range in words(text) {
            let word = &text[range.clone()];
            let is_capital = word.starts_with(char::is_uppercase);
            let clue = if is_capital {
                found.get_mut(&word.to_lowercase())
            } else {
                found.get_mut(word)
            };
            let Some(clue) = clue.filter(|_| is_word(text, range.clone())) else {
                continue;
            };
            if !is_capital {
                clue.lower = clue.lower.saturating_add(1);
            } else if is_inside(text, range) {
                clue.inside = clue.inside.saturating_add(1);
            }
        }
    }
    found.into_values().collect()
}

/// True for a heading in title case. Its words also count for other texts in title case, such as links of menus.
fn is_heading(segment: &Segment) -> bool {
    heading_level(&segment.origin).is_some() && is_title_case(segment.text.text())
}

impl PlainWords {
    /// Plain words by the clues of all pages.
    pub(crate) fn of<'p>(pages: impl IntoIterator<Item = &'p [NameClue]>) -> Self {
        let mut sums: BTreeMap<String, [usize; 2]> = BTreeMap::new();
        for clue in pages
            .into_iter()
            .flatten()
            .filter(|clue| clue.places & NameClue::HEADING != 0)
        {
            let [inside, lower] = sums.entry(clue.name.to_lowercase()).or_default();
            *inside += usize::from(clue.inside);
            *lower += usize::from(clue.lower);
        }
        Self(
            sums.into_iter()
                .filter(|(_, [inside, lower])| *inside == 0 && *lower > 0)
                .map(|(word, _)| word)
                .collect(),
        )
    }

    /// Text in title case with its plain words in lower case, except the first word and words in `kept`. `None` if
    /// nothing changes.
    pub(crate) fn lowered(&self, text: &CodedText, kept: &[Range<usize>]) -> Option<CodedText> {
        let words = text.text();
        if self.0.is_empty() || !is_title_case(words) {
            return None;
        }
        let mut plain = capitals(words);
        plain.retain(|word| {
            let is_kept = kept
                .iter()
                .any(|kept| kept.start < word.end && word.start < kept.end);
            !is_kept && self.0.contains(&words[word.clone()].to_lowercase())
        });
        if plain.is_empty() {
            None
        } else {
            Some(with_lower_case(text, &plain))
        }
    }

    /// Translation of a text in title case, in sentence case. It stays as it is if a word of the source may be a name
    /// that was translated.
    pub(crate) fn in_sentence_case(
        &self,
        source: &str,
        answer: CodedText,
        to: &Locale,
    ) -> CodedText {
        if self.0.is_empty() || OTHERS.contains(&to.language()) || !is_title_case(source) {
            return answer;
        }
        let own: BTreeSet<&str> = words(source)
            .into_iter()
            .map(|word| &source[word])
            .collect();
        let text = answer.text();
        let theirs: BTreeSet<&str> = words(text).into_iter().map(|word| &text[word]).collect();
        for word in &own {
            let is_plain = is_small(word) || self.0.contains(&word.to_lowercase());
            if word.starts_with(char::is_uppercase) && !is_plain && !theirs.contains(*word) {
                return answer;
            }
        }
        let mut lowered = capitals(text);
        lowered.retain(|word| !own.contains(&text[word.clone()]));
        with_lower_case(&answer, &lowered)
    }
}

/// Words of a text that begin with their only capital and follow another word, with at most a comma or `&` between.
fn capitals(text: &str) -> Vec<Range<usize>> {
    let mut found = words(text);
    found.retain(|range| {
        let before = text[..range.start].trim_end();
        let follows =
            before.ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, ',' | '&'));
        has_one_capital(&text[range.clone()])
            && follows
            && before.contains(char::is_alphabetic)
            && is_word(text, range.clone())
    });
    found
}

fn has_one_capital(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.clone().next().is_some()
        && letters.all(char::is_lowercase)
}

/// Runs of letters, with apostrophes inside.
fn words(text: &str) -> Vec<Range<usize>> {
    runs(text, |character| {
        character.is_alphabetic() || matches!(character, '\'' | '’')
    })
}

/// Writes words in lower case, by their places in the text without codes.
fn with_lower_case(text: &CodedText, words: &[Range<usize>]) -> CodedText {
    if words.is_empty() {
        return text.clone();
    }
    let mut at = 0;
    text.map(|piece| {
        let changed = piece.char_indices().map(|(byte, character)| {
            let is_in_word = words.iter().any(|word| word.contains(&(at + byte)));
            let lower = character.to_lowercase().next().filter(|_| is_in_word);
            lower
                .filter(|lower| lower.len_utf8() == character.len_utf8())
                .unwrap_or(character)
        });
        let changed = changed.collect();
        at += piece.len();
        changed
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    fn plain_words(html: &str) -> PlainWords {
        let locale = Locale::parse("en").unwrap();
        let page = Page::parse(html.as_bytes(), Some("utf-8"), &locale);
        let clues = heading_words(&page.segments().collect::<Vec<_>>());
        PlainWords::of([clues.as_slice()])
    }

    const PAGE: &str = "<!doctype html><html lang=en><h2>Installing the Package Manager</h2><h2>Using Windows in Germany</h2>\
        <h2>Ring the Bells of Heron</h2><h3>A Guide for Don and Two Systems</h3><p>A package has a manager of its own, and \
        the windows are open in Windows, installing or using a guide, for systems that don't</p>\
        <p>Take the package to Germany when the bells ring</p><p>All Packages Of The Day</p>";

    #[test]
    fn words_that_a_site_writes_in_lower_case_are_plain_r_h2() {
        let plain: Vec<String> = plain_words(PAGE).0.into_iter().collect();
        assert_eq!(
            plain,
            [
                "bells",
                "guide",
                "installing",
                "manager",
                "package",
                "ring",
                "systems",
                "using"
            ]
        );
    }

    #[test]
    fn engines_get_plain_words_in_lower_case_r_h2() {
        let plain = plain_words(PAGE);
        for (heading, expected) in [
            (
                "Installing the Package Manager",
                "Installing the package manager",
            ),
            (
                "Package Manager: Package of Windows",
                "Package manager: Package of Windows",
            ),
            (
                "The <g id=\"1\">Package</g> Manager",
                "The <g id=\"1\">package</g> manager",
            ),
            (
                "The PACKAGE and the iPackage",
                "The PACKAGE and the iPackage",
            ),
            ("3.2 Package Manager", "3.2 Package manager"),
            ("The Package is a word", "The Package is a word"),
        ] {
            let heading = CodedText::from_markup(heading).unwrap();
            assert_eq!(
                plain.lowered(&heading, &[]).unwrap_or(heading).to_markup(),
                expected
            );
        }
        let name = CodedText::plain("The Package Manager");
        assert_eq!(
            plain.lowered(&name, std::slice::from_ref(&(4..19))),
            None,
            "names of the site keep their capitals"
        );
    }

    #[test]
    fn translated_headings_are_in_sentence_case_r_h2() {
        let plain = plain_words(PAGE);
        for (source, answer, to, expected) in [
            (
                "Installing the Package Manager",
                "Instalar el Gestor de Paquetes",
                "es",
                "Instalar el gestor de paquetes",
            ),
            (
                "Package Manager",
                "Gestor de Paquetes",
                "pt",
                "Gestor de paquetes",
            ),
            (
                "The Package Manager",
                "Der Paket Manager",
                "de",
                "Der Paket Manager",
            ),
            ("Systems Guide", "Sistemler Isı", "tr", "Sistemler Isı"),
            // "Alemania" lacks the word "Germany", which may be a name.
            (
                "The Package of Germany",
                "El Paquete de Alemania",
                "es",
                "El Paquete de Alemania",
            ),
            (
                "Germany Guide",
                "Guía de Alemania",
                "es",
                "Guía de Alemania",
            ),
            (
                "The Package of Heron",
                "El Paquete de Heron",
                "es",
                "El paquete de Heron",
            ),
            (
                "The Package: Manager",
                "El Paquete Nuevo: Gestor",
                "es",
                "El paquete nuevo: Gestor",
            ),
            (
                "Package? Manager! Guide",
                "¿Paquete? ¡Gestor! Guía",
                "es",
                "¿Paquete? ¡Gestor! Guía",
            ),
            (
                "Package - Guide · Systems",
                "Paquete - Guía · Sistemas",
                "es",
                "Paquete - Guía · Sistemas",
            ),
            (
                "2 Package Manager",
                "2 Gestor de Paquetes",
                "es",
                "2 Gestor de paquetes",
            ),
            (
                "The Package Manager",
                "El Gestor de <g id=\"1\">Paquetes</g>",
                "es",
                "El gestor de <g id=\"1\">paquetes</g>",
            ),
            (
                "The package manager",
                "El gestor de Paquetes",
                "es",
                "El gestor de Paquetes",
            ),
            ("The Package Manager", "包管理器", "zh", "包管理器"),
        ] {
            let answer = CodedText::from_markup(answer).unwrap();
            let to = Locale::parse(to).unwrap();
            assert_eq!(
                plain.in_sentence_case(source, answer, &to).to_markup(),
                expected,
                "{source}"
            );
        }
    }
}
