//! Sentence case for headings in title case (R-H2). English writes headings so; most languages do not.
//!
//! A word is plain if the site also writes it in lower case, in sentences. Words that the site writes only with a capital
//! may be names and keep it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::names::{is_inside, is_running, is_small, is_title_case, is_word};
use crate::model::{Locale, NameClue};
use crate::page::{CodedText, Segment};

/// The most words of a page that are counted.
const MOST_WORDS: usize = 200;
/// Languages that write nouns or all headings with capitals.
const CAPITALIZING: [&str; 6] = ["de", "en", "gsw", "ksh", "lb", "nds"];

/// Words of headings that a site also writes in lower case, in lower case.
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
        for word in capitals(text) {
            if found.len() < MOST_WORDS {
                let clue =
                    NameClue { name: text[word.clone()].into(), places: NameClue::HEADING, ..NameClue::default() };
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
            let clue = if is_capital { found.get_mut(&word.to_lowercase()) } else { found.get_mut(word) };
            let Some(clue) = clue.filter(|_| is_word(text, range.clone())) else { continue };
            if !is_capital {
                clue.lower = clue.lower.saturating_add(1);
            } else if is_inside(text, range) {
                clue.inside = clue.inside.saturating_add(1);
            }
        }
    }
    found.into_values().collect()
}

/// The headings of a page, and its title.
pub(crate) fn is_heading(segment: &Segment) -> bool {
    matches!(segment.origin.as_ref(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "title")
        && is_title_case(segment.text.text())
}

impl PlainWords {
    /// Decides on the words of all pages.
    pub(crate) fn of<'p>(pages: impl IntoIterator<Item = &'p [NameClue]>) -> Self {
        let mut sums: BTreeMap<String, [usize; 2]> = BTreeMap::new();
        for clue in pages.into_iter().flatten().filter(|clue| clue.places & NameClue::HEADING != 0) {
            let [inside, lower] = sums.entry(clue.name.to_lowercase()).or_default();
            *inside += usize::from(clue.inside);
            *lower += usize::from(clue.lower);
        }
        Self(sums.into_iter().filter(|(_, [inside, lower])| lower > &(inside * 2)).map(|(word, _)| word).collect())
    }

    /// A heading with its plain words in lower case, the first one excepted.
    pub(crate) fn lowered(&self, heading: &CodedText) -> CodedText {
        let text = heading.text();
        let plain = capitals(text).into_iter().filter(|word| self.0.contains(&text[word.clone()].to_lowercase()));
        with_lower_case(heading, &plain.collect::<Vec<_>>())
    }

    /// A translated heading in sentence case; as it is if a word of its source may be a translated name.
    pub(crate) fn in_sentence_case(&self, source: &str, answer: CodedText, to: &Locale) -> CodedText {
        if CAPITALIZING.contains(&to.language()) || !is_title_case(answer.text()) {
            return answer;
        }
        let own: BTreeSet<&str> = words(source).into_iter().map(|word| &source[word]).collect();
        let text = answer.text();
        let theirs: BTreeSet<&str> = words(text).into_iter().map(|word| &text[word]).collect();
        let mut names = words(source).into_iter().skip(1).map(|word| &source[word]).filter(|word| {
            let is_capital = word.starts_with(char::is_uppercase);
            is_capital && !is_small(word) && !self.0.contains(&word.to_lowercase())
        });
        if names.any(|name| !theirs.contains(name)) {
            return answer;
        }
        let lowered = capitals(text).into_iter().filter(|word| !own.contains(&text[word.clone()]));
        let lowered: Vec<Range<usize>> = lowered.collect();
        with_lower_case(&answer, &lowered)
    }
}

/// Words of a text that begin with their only capital, and do not begin a text or a part of it.
fn capitals(text: &str) -> Vec<Range<usize>> {
    let mut found = words(text);
    found.retain(|range| {
        let mut letters = text[range.clone()].chars();
        let is_capital = letters.next().is_some_and(char::is_uppercase);
        is_capital
            && letters.clone().next().is_some()
            && letters.all(char::is_lowercase)
            && is_inside(text, range.clone())
    });
    found
}

/// Runs of letters.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, character.is_alphabetic()) {
            (None, true) => start = Some(at),
            (Some(begin), false) => {
                ranges.push(begin..at);
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    ranges
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
            lower.filter(|lower| lower.len_utf8() == character.len_utf8()).unwrap_or(character)
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
        <h2>Ring the Bells of Heron</h2><p>A package has a manager of its own, and the windows are open in Windows or Windows.</p>\
        <p>Take the package to Germany when the bells ring</p><p>All Packages Of The Day</p>";

    #[test]
    fn words_that_a_site_writes_in_lower_case_are_plain_r_h2() {
        let plain = plain_words(PAGE);
        assert_eq!(plain.0.iter().map(String::as_str).collect::<Vec<_>>(), ["bells", "manager", "package"]);
    }

    #[test]
    fn engines_get_plain_words_in_lower_case_r_h2() {
        let plain = plain_words(PAGE);
        for (heading, expected) in [
            ("Installing the Package Manager", "Installing the package manager"),
            ("Package Manager: Package of Windows", "Package manager: Package of Windows"),
            ("The <g id=\"1\">Package</g> of Germany", "The <g id=\"1\">package</g> of Germany"),
            ("The PACKAGE and the iPackage", "The PACKAGE and the iPackage"),
        ] {
            let heading = CodedText::from_markup(heading).unwrap();
            assert_eq!(plain.lowered(&heading).to_markup(), expected);
        }
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
            ("The Package Manager", "Der Paket Manager", "de", "Der Paket Manager"),
            // Germany may be a word that has to keep its capital, too.
            ("The Package of Germany", "El Paquete de Alemania", "es", "El Paquete de Alemania"),
            ("The Package of Heron", "El Paquete de Heron", "es", "El paquete de Heron"),
            ("The Package: Manager", "El Paquete Nuevo: Gestor", "es", "El paquete nuevo: Gestor"),
            (
                "The Package Manager",
                "El Gestor de <g id=\"1\">Paquetes</g>",
                "es",
                "El gestor de <g id=\"1\">paquetes</g>",
            ),
            ("The Package Manager", "El gestor de Paquetes buenos", "es", "El gestor de Paquetes buenos"),
            ("The Package Manager", "包管理器", "zh", "包管理器"),
        ] {
            let (answer, to) = (CodedText::from_markup(answer).unwrap(), Locale::parse(to).unwrap());
            assert_eq!(plain.in_sentence_case(source, answer, &to).to_markup(), expected, "{source}");
        }
    }
}
