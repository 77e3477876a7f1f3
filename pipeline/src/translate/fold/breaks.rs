//! Places inside words where a line may break: `<wbr>`, soft hyphens and zero-width spaces.

use std::collections::HashMap;
use std::ops::Range;

use super::element::element;
use crate::page::{CodedText, Segment, TextPiece};
use crate::text::is_word_letter;

const SOFT_HYPHEN: char = '\u{ad}';
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// The words of a text that had such places.
#[derive(Clone, Debug)]
pub(super) struct Breaks(Vec<BrokenWord>);

/// A word that had such places.
#[derive(Clone, Debug)]
struct BrokenWord {
    text: String,
    /// The number of words before it.
    number: usize,
    /// The number of times that it stands before.
    earlier: usize,
    /// The places, each as bytes of the word.
    places: Vec<(usize, BreakMark)>,
}

/// A break that stands in a place.
#[derive(Clone, Copy, Debug)]
enum BreakMark {
    Sign(char),
    Wbr(u32),
}

/// Looks for signs of breaks in a text.
pub(super) fn has_marks(text: &str) -> bool {
    !text.is_ascii() && text.contains([SOFT_HYPHEN, ZERO_WIDTH_SPACE])
}

/// Takes such places out of a text.
pub(super) fn fold(segment: &Segment, text: &mut CodedText) -> Option<Breaks> {
    let is_wbr = |piece: &TextPiece<'_>| piece.id().is_some_and(|id| element(segment, id) == "wbr");
    if !has_marks(text.text()) && !text.pieces().any(|piece| is_wbr(&piece)) {
        return None;
    }
    let pieces: Vec<TextPiece<'_>> = text.pieces().collect();
    let mut folded = CodedText::default();
    let mut marks: Vec<(usize, BreakMark)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match *piece {
            TextPiece::Text(words) => {
                for (place, sign) in words.char_indices() {
                    let after = words[place..].chars().find(|sign| !is_sign(*sign));
                    let is_inside =
                        is_in_word(folded.text().chars().next_back()) && is_in_word(after);
                    if is_sign(sign) && is_inside {
                        marks.push((folded.text().len(), BreakMark::Sign(sign)));
                    } else {
                        folded.push_text(sign.encode_utf8(&mut [0; 4]));
                    }
                }
            }
            TextPiece::Single(id) if is_wbr(piece) => {
                let touches = matches!(
                    at.checked_sub(1).and_then(|at| pieces.get(at)),
                    Some(TextPiece::Text(_))
                );
                let after = match pieces.get(at + 1) {
                    Some(TextPiece::Text(text)) => text.chars().next(),
                    Some(_) | None => None,
                };
                if touches && is_in_word(folded.text().chars().next_back()) && is_in_word(after) {
                    marks.push((folded.text().len(), BreakMark::Wbr(id)));
                } else {
                    folded.push(*piece);
                }
            }
            other => folded.push(other),
        }
    }
    let words = words_of(folded.text(), marks);
    *text = folded;
    if words.is_empty() {
        None
    } else {
        Some(Breaks(words))
    }
}

fn is_sign(character: char) -> bool {
    matches!(character, SOFT_HYPHEN | ZERO_WIDTH_SPACE)
}

/// Recognizes a character that may stand beside a break inside a word. Scripts without spaces part words so.
fn is_in_word(character: Option<char>) -> bool {
    character.is_some_and(|character| {
        !character.is_whitespace() && (is_word_letter(character) || !character.is_alphabetic())
    })
}

/// The words in which marks stand, in order.
fn words_of(text: &str, marks: Vec<(usize, BreakMark)>) -> Vec<BrokenWord> {
    let ranges = ranges(text);
    let mut words: Vec<(usize, BrokenWord)> = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut marks = marks.into_iter().peekable();
    for (number, range) in ranges.iter().enumerate() {
        let word = &text[range.clone()];
        let count = seen.entry(word).or_default();
        let earlier = *count;
        *count += 1;
        let mut places = Vec::new();
        while let Some((at, mark)) = marks.next_if(|(at, _)| *at <= range.end) {
            places.push((at.saturating_sub(range.start), mark));
        }
        if !places.is_empty() {
            words.push((
                number,
                BrokenWord {
                    text: word.to_owned(),
                    number,
                    earlier,
                    places,
                },
            ));
        }
    }
    words.into_iter().map(|(_, word)| word).collect()
}

/// The words of a text: what stands between white space.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        match (character.is_whitespace(), start) {
            (true, Some(begin)) => {
                ranges.push(begin..at);
                start = None;
            }
            (false, None) => start = Some(at),
            (true, None) | (false, Some(_)) => {}
        }
    }
    ranges.extend(start.map(|begin| begin..text.len()));
    ranges
}

impl Breaks {
    /// Puts the marks into the same words, where the translation has them. Elsewhere a `<wbr>` stands at the end of the word with
    /// the same number, and signs are gone.
    pub(super) fn unfold(&self, translation: &CodedText) -> CodedText {
        let text = translation.text();
        let ends: Vec<usize> = ranges(text).into_iter().map(|range| range.end).collect();
        let mut marks: Vec<(usize, BreakMark)> = Vec::new();
        for word in &self.0 {
            let same = word.core().and_then(|core| {
                let found = text
                    .match_indices(&word.text[core.clone()])
                    .filter(|(at, found)| is_whole(text, *at, found));
                found
                    .map(|(at, _)| at)
                    .nth(word.earlier)
                    .map(|at| (at, core.start))
            });
            let end = ends
                .get(word.number)
                .or(ends.last())
                .copied()
                .unwrap_or(text.len());
            for (place, mark) in &word.places {
                match (same, mark) {
                    (Some((at, skipped)), _) => marks.push((at + place - skipped, *mark)),
                    (None, BreakMark::Wbr(_)) => marks.push((end, *mark)),
                    (None, BreakMark::Sign(_)) => {}
                }
            }
        }
        marks.sort_by_key(|(at, _)| *at);
        put(translation, &marks)
    }
}

impl BrokenWord {
    /// The bytes without the signs around the word, if the marks are inside.
    fn core(&self) -> Option<Range<usize>> {
        let is_outer =
            |character: char| !character.is_alphanumeric() && !"/_-~$".contains(character);
        let start = self.text.len() - self.text.trim_start_matches(is_outer).len();
        let end = self.text.trim_end_matches(is_outer).len();
        let is_inside = self
            .places
            .iter()
            .all(|(place, _)| start < *place && *place < end);
        if is_inside { Some(start..end) } else { None }
    }
}

/// Recognizes a word that stands by itself.
fn is_whole(text: &str, at: usize, word: &str) -> bool {
    !text[..at].ends_with(char::is_alphanumeric)
        && !text[at + word.len()..].starts_with(char::is_alphanumeric)
}

/// Puts marks into a text, each by the byte of its words, in order.
fn put(text: &CodedText, marks: &[(usize, BreakMark)]) -> CodedText {
    let mut marked = CodedText::default();
    let mut marks = marks.iter().peekable();
    let mut start = 0;
    for piece in text.pieces() {
        let TextPiece::Text(words) = piece else {
            marked.push(piece);
            continue;
        };
        let mut at = 0;
        while let Some((place, mark)) = marks.next_if(|(place, _)| *place <= start + words.len()) {
            let place = place.saturating_sub(start).max(at);
            marked.push_text(&words[at..place]);
            at = place;
            match mark {
                BreakMark::Sign(sign) => marked.push_text(sign.encode_utf8(&mut [0; 4])),
                BreakMark::Wbr(id) => marked.push(TextPiece::Single(*id)),
            }
        }
        marked.push_text(&words[at..]);
        start += words.len();
    }
    for (_, mark) in marks {
        if let BreakMark::Wbr(id) = mark {
            marked.push(TextPiece::Single(*id));
        }
    }
    marked
}
