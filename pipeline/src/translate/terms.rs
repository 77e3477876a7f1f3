//! The terms of one pair of languages: where they stand in a text, whether a translation has them, and the fingerprint of
//! them in the memory.
//!
//! A term is found by its listed forms, the longest first, as whole words unless it says otherwise; in scripts without
//! spaces wherever it stands. Words that nobody may change, such as addresses, hold no terms.

use std::collections::HashMap;
use std::ops::Range;

use crate::engines::overlap;
use crate::page::{CodedText, Segment, TextPiece};
use crate::text::{is_mark, is_word_letter, volatile, without};

/// What a glossary says of one term in one pair of languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its forms in the source language, such as singular and plural.
    pub source: Vec<String>,
    /// What becomes of them, form by form; all are right, and the first is taken where there are fewer. None at all means
    /// that the term is not translated.
    pub target: Vec<String>,
    /// Whether upper and lower case must be as they are written here.
    pub keeps_case: bool,
    /// How a form stands in a text.
    pub matching: Matching,
    /// True for a name of the site, which is no term of the owner's.
    pub is_name: bool,
}

/// How a form of a term stands in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Matching {
    /// As whole words.
    #[default]
    Word,
    /// At the start of a word, with any ending.
    Start,
    /// Anywhere, inside of words too.
    Part,
    /// As a whole text, or as a whole part of a title.
    Alone,
}

/// The terms of a pair of languages.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: Vec<Term>,
    /// Terms and forms by how the form begins.
    index: HashMap<Start, Vec<(usize, usize)>>,
    /// Explanations of terms for language models, by term. A changed explanation sends no text again.
    notes: HashMap<usize, String>,
    /// Whether some form may begin inside of a word.
    begins_anywhere: bool,
    has_names: bool,
}

/// The first letters of a form, in lower case; forms that are shorter have nothing in their place.
type Start = [Option<char>; 3];

fn start_of(text: &str) -> Start {
    let mut before = None;
    let single = text.chars().filter(|character| {
        let is_again = character.is_whitespace() && before.is_some_and(char::is_whitespace);
        before = Some(*character);
        !is_again
    });
    let mut letters = single.flat_map(|character| match character {
        space if space.is_whitespace() => ' '.to_lowercase(),
        '’' => '\''.to_lowercase(),
        other => folded(other),
    });
    [letters.next(), letters.next(), letters.next()]
}

/// A place where a term stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Bytes of the text.
    pub(super) range: Range<usize>,
    term: usize,
    form: usize,
}

/// A term that a translation lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The term as the source has it.
    pub source: String,
    /// What should have become of it.
    pub target: String,
}

impl Terms {
    /// Takes the terms; forms are compared with single spaces.
    pub fn new(mut terms: Vec<Term>) -> Self {
        let mut index: HashMap<Start, Vec<(usize, usize)>> = HashMap::new();
        for (at, term) in terms.iter_mut().enumerate() {
            for form in term.source.iter_mut().chain(&mut term.target) {
                *form = form.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            for (form, text) in term
                .source
                .iter()
                .enumerate()
                .filter(|(_, text)| !text.is_empty())
            {
                index.entry(start_of(text)).or_default().push((at, form));
            }
        }
        let begins_anywhere = terms.iter().any(|term| {
            let is_free = |form: &String| form.starts_with(|first: char| !is_word_part(first));
            term.matching == Matching::Part || term.source.iter().any(is_free)
        });
        let has_names = terms.iter().any(|term| term.is_name);
        Self {
            terms,
            index,
            notes: HashMap::new(),
            begins_anywhere,
            has_names,
        }
    }

    /// The same terms with explanations for language models, in the order of the terms. An empty string means none.
    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        let notes = notes
            .into_iter()
            .enumerate()
            .filter(|(_, note)| !note.is_empty());
        Self {
            notes: notes.collect(),
            ..self
        }
    }

    /// Explanation of the term at a place.
    pub(super) fn note(&self, hit: &Hit) -> Option<&str> {
        self.notes.get(&hit.term).map(String::as_str)
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The places where terms stand, from left to right; of two that overlap the one that starts first, of two that
    /// start together the longer one.
    pub(super) fn hits(&self, text: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        if self.is_empty() {
            return hits;
        }
        let kept = volatile(text);
        // A term may be a name of code, such as a product's.
        let is_kept = |range: &Range<usize>| {
            kept.iter()
                .any(|kept| overlap(kept, range) && kept != range)
        };
        let mut from = 0;
        for (at, character) in text.char_indices() {
            if at < from {
                continue;
            }
            let inside =
                text[..at].chars().next_back().is_some_and(is_word_part) && is_word_part(character);
            if inside && !self.begins_anywhere {
                continue;
            }
            let start = start_of(&text[at..]);
            let starts = [start, [start[0], start[1], None], [start[0], None, None]];
            let places = starts
                .iter()
                .enumerate()
                .filter(|(at, start)| !starts[..*at].contains(start));
            let places = places
                .filter_map(|(_, start)| self.index.get(start))
                .flatten();
            let found = places.filter_map(|&(term, form)| {
                let end = at + self.terms[term].stands(&self.terms[term].source[form], text, at)?;
                Some(Hit {
                    range: at..end,
                    term,
                    form,
                })
                .filter(|hit| !is_kept(&hit.range))
            });
            // Of equals the first, so that the order of the glossary decides.
            let found = found.reduce(|best, hit| {
                if hit.range.end > best.range.end {
                    hit
                } else {
                    best
                }
            });
            if let Some(hit) = found {
                from = hit.range.end;
                hits.push(hit);
            }
        }
        hits
    }

    /// Whether the term of a place stays as it is.
    pub(super) fn is_kept(&self, hit: &Hit) -> bool {
        self.terms[hit.term].target.is_empty()
    }

    /// True if a text consists of names of the site that stay.
    pub(crate) fn is_kept_whole(&self, segment: &Segment) -> bool {
        if !self.has_names {
            return false;
        }
        let text = spaced(segment, &segment.text);
        let hits = self.hits(&text);
        let is_kept = |hit: &Hit| self.terms[hit.term].is_name && self.is_kept(hit);
        let kept = hits
            .iter()
            .filter(|hit| is_kept(hit))
            .map(|hit| hit.range.clone());
        !hits.is_empty() && !without(&text, kept).contains(char::is_alphabetic)
    }

    /// The names of the site in a text that stay as they are, each once.
    pub fn names_in(&self, segment: &Segment) -> Vec<String> {
        if !self.has_names {
            return Vec::new();
        }
        let text = spaced(segment, &segment.text);
        let mut names: Vec<String> = Vec::new();
        for hit in self
            .hits(&text)
            .into_iter()
            .filter(|hit| self.terms[hit.term].is_name && self.is_kept(hit))
        {
            let name = &text[hit.range];
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// What the text at a place becomes, written as `like` is: the words that stand there now.
    pub(super) fn wanted(&self, hit: &Hit, text: &str, like: &str) -> String {
        let term = &self.terms[hit.term];
        match term.target.get(hit.form).or(term.target.first()) {
            None => text[hit.range.clone()].to_owned(),
            // The case in which the glossary writes a term means nothing.
            Some(form)
                if term.keeps_case || term.source.get(hit.form).is_some_and(|own| own == like) =>
            {
                form.clone()
            }
            Some(form) => in_case_of(form, like),
        }
    }

    /// The places in a translation where the term of a place stands in a form that is right.
    pub(super) fn right(&self, hit: &Hit, translation: &str) -> Vec<Range<usize>> {
        let term = &self.terms[hit.term];
        let forms = if term.target.is_empty() {
            &term.source
        } else {
            &term.target
        };
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut from = 0;
        for (at, _) in translation.char_indices() {
            if at < from {
                continue;
            }
            let lengths = forms
                .iter()
                .filter_map(|form| term.stands(form, translation, at));
            if let Some(length) = lengths.max() {
                from = at + length;
                found.push(at..from);
            }
        }
        found
    }

    /// The terms of a text that its translation lacks, each as often as it does.
    pub fn missed_in(&self, segment: &Segment, translation: &CodedText) -> Vec<Missed> {
        match self.is_empty() {
            true => Vec::new(),
            false => self.missed(
                &spaced(segment, &segment.text),
                &spaced(segment, translation),
            ),
        }
    }

    pub(crate) fn missed(&self, source: &str, translation: &str) -> Vec<Missed> {
        let hits = self.hits(source);
        let mut left: HashMap<usize, usize> = HashMap::new();
        let lacks = |hit: &&Hit| {
            let left = left
                .entry(hit.term)
                .or_insert_with(|| self.right(hit, translation).len());
            let is_there = *left > 0;
            *left = left.saturating_sub(1);
            !is_there
        };
        let lacking: Vec<&Hit> = hits.iter().filter(lacks).collect();
        let missed = lacking.into_iter().map(|hit| {
            let source_words = &source[hit.range.clone()];
            Missed {
                source: source_words.to_owned(),
                target: self.wanted(hit, source, source_words),
            }
        });
        missed.collect()
    }

    /// The number of the owner's terms in a text.
    pub fn count(&self, segment: &Segment) -> usize {
        if self.is_empty() {
            return 0;
        }
        let hits = self.hits(&spaced(segment, &segment.text));
        hits.iter()
            .filter(|hit| !self.terms[hit.term].is_name)
            .count()
    }

    /// Fingerprint of what the glossary says of the terms in a text; nothing for a text without.
    pub fn signature(&self, segment: &Segment) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let mut concerned: Vec<usize> = self
            .hits(&spaced(segment, &segment.text))
            .into_iter()
            .map(|hit| hit.term)
            .collect();
        if concerned.is_empty() {
            return None;
        }
        let mut rules: Vec<String> = concerned
            .drain(..)
            .map(|term| format!("{:?}", self.terms[term]))
            .collect();
        rules.sort();
        rules.dedup();
        let hash = blake3::hash(rules.join("\n").as_bytes());
        Some(hash.to_hex()[..12].to_owned())
    }
}

impl Term {
    /// How many bytes of the text a form takes that starts at this byte.
    fn stands(&self, form: &str, text: &str, at: usize) -> Option<usize> {
        let tail = &text[at..];
        let mut rest = tail.chars().peekable();
        let mut length = 0;
        for wanted in form.chars() {
            if wanted == ' ' {
                let mut spaces = 0;
                while let Some(space) = rest.next_if(|character| character.is_whitespace()) {
                    spaces += space.len_utf8();
                }
                length += Some(spaces).filter(|&spaces| spaces > 0)?;
                continue;
            }
            let found = rest.next()?;
            let same = found == wanted
                || (is_apostrophe(found) && is_apostrophe(wanted))
                || (!self.keeps_case && folded(found).eq(folded(wanted)));
            length += same.then(|| found.len_utf8())?;
        }
        if self.matching == Matching::Start {
            let ending = tail[length..]
                .chars()
                .take_while(|&rest| is_word_part(rest) || is_joined(rest));
            length += ending.map(char::len_utf8).sum::<usize>();
        }
        let after = tail[length..].chars().next();
        // A letter and a sign that changes it are another letter.
        if after.is_some_and(is_joined) {
            return None;
        }
        let begins = !touches(text[..at].chars().next_back(), form.chars().next());
        let is_long = after == Some('ー');
        let ends = !is_long && !touches(form.chars().next_back(), after);
        let fits = match self.matching {
            Matching::Word => begins && ends,
            Matching::Start => begins,
            Matching::Part => true,
            Matching::Alone => {
                begins
                    && ends
                    && is_edge(text[..at].trim_end())
                    && is_edge(tail[length..].trim_start())
            }
        };
        (fits && length > 0).then_some(length)
    }
}

/// Recognizes what may stand before or behind a part of a title: nothing, or the sign that parts it from others.
fn is_edge(beside: &str) -> bool {
    const SIGNS: [char; 8] = ['|', '·', '›', '»', '•', '–', '—', ':'];
    beside.is_empty()
        || beside.ends_with(SIGNS)
        || beside.starts_with(SIGNS)
        || beside.ends_with(" -")
        || beside.starts_with("- ")
}

/// Whether a place in a text begins or ends inside of a word.
pub(super) fn is_inside_word(text: &str, range: &Range<usize>) -> bool {
    let touches_at = |at: usize| touches(text[..at].chars().next_back(), text[at..].chars().next());
    touches_at(range.start) || touches_at(range.end)
}

/// Whether two characters belong to one word.
fn touches(left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(is_word_part) && right.is_some_and(is_word_part)
}

fn is_word_part(character: char) -> bool {
    is_word_letter(character) || character.is_ascii_digit() || character == '_'
}

/// Accents and other signs that belong to the letter before, joiners, and signs that take its vowel away.
fn is_joined(character: char) -> bool {
    is_mark(character) || matches!(character, '\u{200c}' | '\u{200d}')
}

/// A text of a segment, or its translation, as terms are looked for in it: codes that part words part them here, too.
pub(super) fn spaced(segment: &Segment, text: &CodedText) -> String {
    let pieces = text.pieces().map(|piece| match piece {
        TextPiece::Text(text) => text,
        TextPiece::Single(id) if parts_words(segment, id) => "\u{fffc}",
        TextPiece::Single(_) | TextPiece::Open(_) | TextPiece::Close(_) => "",
    });
    pieces.collect()
}

/// True for codes that no word goes over.
fn parts_words(segment: &Segment, id: u32) -> bool {
    segment
        .code(id)
        .is_none_or(|code| !matches!(code.element(), "wbr" | "!--"))
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’')
}

fn folded(character: char) -> std::char::ToLowercase {
    character.to_lowercase()
}

/// A form in capitals, or with a capital letter, where the words it stands for have that; otherwise as it is.
fn in_case_of(form: &str, like: &str) -> String {
    let letters = |text: &str| {
        text.chars()
            .filter(|character| character.is_alphabetic())
            .collect::<Vec<_>>()
    };
    let own = letters(form);
    let other = letters(like);
    if other.len() > 1 && other.iter().all(|letter| letter.is_uppercase()) {
        return form.to_uppercase();
    }
    let mut rest = form.chars();
    match rest.next() {
        Some(first)
            if other.first().is_some_and(|letter| letter.is_uppercase())
                && own.first() == Some(&first) =>
        {
            first.to_uppercase().chain(rest).collect()
        }
        Some(_) | None => form.to_owned(),
    }
}

#[cfg(test)]
mod tests;
