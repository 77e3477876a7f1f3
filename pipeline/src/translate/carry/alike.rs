//! Texts of the same wording: nothing but white space, shapes of quotes and dashes, a final full stop or numbers differ.

use std::collections::HashMap;

use super::ending::{follow, has_stop, without_stop};
use super::pairs::{CandidatePair, Match, TranslationFate, UnpairedTexts};
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, Segment, check};
use crate::translate::renumber::{masked, moved_with_certainty};

/// How many former texts of the same wording are tried for a new one; they are sorted, so near ones fit.
const NEAR: usize = 16;

/// Finds the texts whose words can be carried.
pub(super) fn carried(open: &mut UnpairedTexts<'_>, pair: LanguagePair<&Locale>) -> Vec<Match> {
    let mut by_wording: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, (_, former)) in open.formers.iter().enumerate() {
        by_wording
            .entry(wording(&former.source))
            .or_default()
            .push(at);
    }
    let mut pairs = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (new, (_, fresh)) in open.fresh.iter().enumerate() {
        let wording = wording(&fresh.segment.text);
        let Some(formers) = by_wording.get(&wording) else {
            continue;
        };
        let place = places.entry(wording).or_default();
        let near = formers.iter().skip(
            place
                .saturating_sub(NEAR / 2)
                .min(formers.len().saturating_sub(NEAR)),
        );
        *place += 1;
        for &old in near.take(NEAR).filter(|&&old| open.suits(old, new)) {
            let Some((_, former)) = open.formers.get(old) else {
                continue;
            };
            let Some(what) = words(&former.source, &former.words, &fresh.segment, pair) else {
                continue;
            };
            let score = score(&former.source, &fresh.segment.text);
            pairs.push(CandidatePair {
                former: old,
                fresh: new,
                score,
                what,
            });
        }
    }
    open.take(pairs, TranslationFate::Carried)
}

/// Prefers the same numbers, then the same end.
fn score(before: &CodedText, after: &CodedText) -> u32 {
    let same_numbers = level(&without_stop(before)) == level(&without_stop(after));
    u32::from(same_numbers) * 2 + u32::from(has_stop(before) == has_stop(after))
}

/// A person's words for a text of the same wording.
fn words(
    before: &CodedText,
    words: &str,
    after: &Segment,
    pair: LanguagePair<&Locale>,
) -> Option<CodedText> {
    let words = CodedText::from_markup(words).ok()?;
    let moved = moved_with_certainty(before, &after.text, &words, pair)?;
    let moved = follow(before, &after.text, &moved, pair.to)?;
    check(after, &moved).is_ok().then_some(moved)
}

/// What two texts of the same wording have in common.
pub(super) fn wording(text: &CodedText) -> String {
    masked(&level(&without_stop(text)))
}

/// The text with one shape of white space, quotes and dashes, and none at its ends.
fn level(text: &CodedText) -> CodedText {
    let mut text = text.map(level_text);
    text.trim(char::is_whitespace);
    text
}

fn level_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text
        .chars()
        .filter(|character| !is_invisible(*character))
        .peekable();
    while let Some(character) = rest.next() {
        let shape = shape(character);
        match shape {
            ' ' if out.ends_with(' ') => {}
            '-' => {
                let before = out.chars().next_back();
                let mut dashes = 1;
                while rest.next_if(|next| shape_is_dash(*next)).is_some() {
                    dashes += 1;
                }
                // "--" between words is one dash; in front of a word it may be the start of an option.
                let after = rest.peek().map(|next| self::shape(*next));
                let one = dashes <= 3 && kind(before) == kind(after);
                out.extend(std::iter::repeat_n('-', if one { 1 } else { dashes }));
            }
            other => out.push(other),
        }
    }
    out
}

fn kind(character: Option<char>) -> (bool, bool) {
    (
        character.is_some_and(char::is_alphabetic),
        character.is_none_or(char::is_whitespace),
    )
}

/// Characters that nobody sees and that join or part no words: soft hyphens, breaks, marks of the byte order.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

fn shape_is_dash(character: char) -> bool {
    shape(character) == '-'
}

/// One character for all of the same kind.
fn shape(character: char) -> char {
    match character {
        '“' | '”' | '„' | '‟' | '«' | '»' | '＂' => '"',
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | '´' | '`' | '＇' => '\'',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        other if other.is_whitespace() => ' ',
        other => other,
    }
}
