//! Elements that cut words: whether two texts that touch are one word (`under<u>line</u>d`) or two (`plan<span>Popular</span>`),
//! where a text falls apart into texts of their own, and letters that stand one by one (R-W2, R-W3).

use std::collections::HashSet;
use std::ops::Range;

use crate::page::{InlineCode, Segment, TextPiece};
use crate::text::is_word_letter;

/// The fewest letters in a row in elements of their own that are a drawing, such as those of an animation.
const ROW: usize = 3;

/// The reason why nobody is asked for a text whose letters stand one by one.
pub(super) const LETTERS: &str = "its letters stand in elements of their own, one by one";

/// A place where two texts touch, with nothing but tags between them.
struct Touch<'t> {
    before: &'t str,
    after: &'t str,
    /// An element ends there; `true` if it holds several words.
    ended: Option<bool>,
    /// The same of the element that begins there.
    began: Option<bool>,
    /// Links, buttons or labels side by side.
    are_controls: bool,
    /// The piece with which the second text begins.
    at: usize,
    /// The pieces of the element that begins there, or else of the one that ends.
    element: Range<usize>,
}

/// The pieces of a text before which another text begins, in order. Between two elements that touch it does if they are two
/// words, and between an element and bare words if the element stands at an edge: in the middle of a sentence, with bare words on both
/// sides, a sentence goes on.
pub(super) fn borders(segment: &Segment, pieces: &[TextPiece<'_>]) -> Vec<usize> {
    let mut touches = touches(segment, pieces);
    touches.retain(|touch| touch.are_controls || !is_one_word(touch));
    if touches.is_empty() {
        return Vec::new();
    }
    let parting: HashSet<usize> = touches.iter().map(|touch| touch.at).collect();
    let first = pieces.iter().position(has_words).unwrap_or_default();
    let last = pieces.iter().rposition(has_words).unwrap_or_default();
    let bare = bare_words(pieces);
    let mut borders = Vec::new();
    for touch in &touches {
        let is_edge = match (&touch.ended, &touch.began) {
            (Some(_), Some(_)) if touch.are_controls => true,
            (Some(_), Some(_)) => bare.start > touch.at || bare.end <= touch.at,
            (None, _) => last < touch.element.end || parting.contains(&touch.element.end),
            (Some(_), None) => {
                touch.element.start <= first || parting.contains(&touch.element.start)
            }
        };
        if is_edge {
            borders.push(touch.at);
        }
    }
    borders
}

/// The pieces from the first words outside of elements to the last.
fn bare_words(pieces: &[TextPiece<'_>]) -> Range<usize> {
    let mut depth = 0_usize;
    let mut bare = pieces.len()..0;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            TextPiece::Open(_) => depth += 1,
            TextPiece::Close(_) => depth = depth.saturating_sub(1),
            TextPiece::Text(text) if depth == 0 && text.contains(is_part) => {
                bare = bare.start.min(at)..at + 1
            }
            TextPiece::Text(_) | TextPiece::Single(_) => {}
        }
    }
    bare
}

fn has_words(piece: &TextPiece<'_>) -> bool {
    matches!(piece, TextPiece::Text(text) if !text.trim().is_empty())
}

/// Recognizes letters in elements of their own, three or more in a row: a script moves them one by one. Links and buttons of one
/// letter are an index.
pub(super) fn has_row_of_letters(segment: &Segment) -> bool {
    if segment.codes.len() < ROW {
        return false;
    }
    let pieces: Vec<TextPiece<'_>> = segment.text.pieces().collect();
    let mut row = 0;
    let mut adjacent = 0;
    let mut is_near = false;
    for (at, piece) in pieces.iter().enumerate() {
        let TextPiece::Text(text) = piece else {
            continue;
        };
        let mut letters = text.trim().chars();
        let is_letter = letters.next().is_some_and(is_word_letter) && letters.next().is_none();
        let opens = at
            .checked_sub(1)
            .is_some_and(|before| opens_a_letter(segment, pieces[before]));
        let closes = matches!(pieces.get(at + 1), Some(TextPiece::Close(_)));
        if is_letter && opens && closes {
            row += 1;
            adjacent += usize::from(is_near);
            if row >= ROW && adjacent > 0 {
                return true;
            }
            is_near = true;
        } else if text.trim().is_empty() {
            is_near = false;
        } else {
            row = 0;
            adjacent = 0;
            is_near = false;
        }
    }
    false
}

/// Recognizes the start of an element that may hold one letter of a word.
fn opens_a_letter(segment: &Segment, piece: TextPiece<'_>) -> bool {
    matches!(piece, TextPiece::Open(id) if !is_control(segment, id))
}

/// Recognizes links, buttons and labels.
fn is_control(segment: &Segment, id: u32) -> bool {
    segment
        .code(id)
        .is_some_and(|code| matches!(code.element(), "a" | "button" | "label"))
}

/// The places where letters or digits touch, past tags.
fn touches<'t>(segment: &Segment, pieces: &[TextPiece<'t>]) -> Vec<Touch<'t>> {
    let mut touches = Vec::new();
    let mut elements = None;
    for (at, piece) in pieces.iter().enumerate() {
        let TextPiece::Text(before) = *piece else {
            continue;
        };
        let tags = pieces[at + 1..]
            .iter()
            .take_while(|piece| !matches!(piece, TextPiece::Text(_)))
            .count();
        let right = at + 1 + tags;
        let Some(TextPiece::Text(after)) = pieces.get(right) else {
            break;
        };
        let touch = before.ends_with(is_part) && after.starts_with(is_part);
        if touch
            && pieces[at + 1..right]
                .iter()
                .all(|piece| may_cut(segment, *piece))
        {
            let elements = elements.get_or_insert_with(|| Elements::of(pieces));
            touches.extend(Touch::new(
                segment,
                pieces,
                elements,
                at..right,
                (before, *after),
            ));
        }
    }
    touches
}

/// Recognizes a character of a word.
fn is_part(character: char) -> bool {
    is_word_letter(character) || character.is_numeric()
}

/// Recognizes a tag or comment that may stand inside a word or between two. Raised and lowered signs are no words.
fn may_cut(segment: &Segment, piece: TextPiece<'_>) -> bool {
    let name = piece
        .id()
        .and_then(|id| segment.code(id))
        .map_or("", InlineCode::element);
    match piece {
        TextPiece::Text(_) => false,
        TextPiece::Open(_) | TextPiece::Close(_) => {
            !matches!(name, "sup" | "sub" | "ruby" | "rb" | "rt" | "rp" | "rtc")
        }
        TextPiece::Single(_) => name == "!--",
    }
}

/// The beginnings and ends of the elements of a text.
struct Elements {
    /// For each tag the piece of its other half.
    mates: Vec<usize>,
    /// For each piece how many before it hold several words.
    phrases: Vec<usize>,
}

impl Elements {
    fn of(pieces: &[TextPiece<'_>]) -> Self {
        let mut mates = vec![0; pieces.len()];
        let mut phrases = Vec::with_capacity(pieces.len());
        let mut open = Vec::new();
        let mut count = 0;
        for (at, piece) in pieces.iter().enumerate() {
            phrases.push(count);
            match piece {
                TextPiece::Open(_) => open.push(at),
                TextPiece::Close(_) => {
                    let start = open.pop().unwrap_or(at);
                    mates[start] = at;
                    mates[at] = start;
                }
                TextPiece::Text(text) => {
                    count += usize::from(text.trim().contains(char::is_whitespace))
                }
                TextPiece::Single(_) => {}
            }
        }
        Self { mates, phrases }
    }

    /// The pieces of the element of a tag.
    fn range(&self, tag: usize) -> Range<usize> {
        let mate = self.mates[tag];
        tag.min(mate)..tag.max(mate) + 1
    }

    fn has_phrase(&self, range: &Range<usize>) -> bool {
        self.phrases[range.start] < self.phrases[range.end - 1]
    }
}

impl<'t> Touch<'t> {
    /// The touch between two texts.
    fn new(
        segment: &Segment,
        pieces: &[TextPiece<'t>],
        elements: &Elements,
        texts: Range<usize>,
        (before, after): (&'t str, &'t str),
    ) -> Option<Self> {
        let between = texts.start + 1..texts.end;
        // The outermost element that ends there, and the outermost that begins.
        let began = between
            .clone()
            .find(|at| matches!(pieces[*at], TextPiece::Open(_)));
        let before_it = between.start..began.unwrap_or(between.end);
        let ended = before_it
            .rev()
            .find(|at| matches!(pieces[*at], TextPiece::Close(_)));
        let ended = ended.map(|tag| elements.range(tag));
        let range = began.map(|tag| elements.range(tag));
        let tags = &pieces[between];
        let ends_control = tags
            .iter()
            .any(|tag| matches!(tag, TextPiece::Close(id) if is_control(segment, *id)));
        let begins_control = tags
            .iter()
            .any(|tag| matches!(tag, TextPiece::Open(id) if is_control(segment, *id)));
        Some(Self {
            before,
            after,
            ended: ended.as_ref().map(|range| elements.has_phrase(range)),
            began: range.as_ref().map(|range| elements.has_phrase(range)),
            are_controls: ends_control && begins_control,
            at: began.unwrap_or(texts.end),
            element: range.or(ended)?,
        })
    }
}

/// The one test for elements that cut words: a single leading letter belongs to the word behind it, and so do small letters
/// that meet small ones, unless one of two elements, or an element that begins, holds several words.
fn is_one_word(touch: &Touch<'_>) -> bool {
    let word_before = touch
        .before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let word_after = touch
        .after
        .split(char::is_whitespace)
        .next()
        .unwrap_or_default();
    if word_before
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .count()
        == 1
        && !word_before.contains(char::is_numeric)
        || (word_before.ends_with(char::is_numeric) && word_after.chars().count() == 1)
    {
        return true;
    }
    if word_after.starts_with(char::is_uppercase) {
        return false;
    }
    match (touch.ended, touch.began) {
        (Some(ended), Some(began)) => !ended && !began,
        (None, began) => began != Some(true),
        // An ending of the word in a link: `<a>blue whale</a>s`.
        (Some(_), None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::example::segment;

    /// The texts into which a text falls apart, without codes.
    fn parts(markup: &str, elements: &[&str]) -> Vec<String> {
        let segment = segment(markup, elements);
        let pieces: Vec<TextPiece<'_>> = segment.text.pieces().collect();
        let mut edges = vec![0];
        edges.extend(borders(&segment, &pieces));
        edges.push(pieces.len());
        let text = |edges: &[usize]| {
            let texts = pieces[edges[0]..edges[1]]
                .iter()
                .filter_map(|piece| match piece {
                    TextPiece::Text(text) => Some(*text),
                    _ => None,
                });
            texts.collect()
        };
        edges.windows(2).map(text).collect()
    }

    #[test]
    fn one_test_tells_words_that_elements_cut_from_words_side_by_side_r_w2() {
        for (markup, expected) in [
            (
                "<g id=\"1\">Name</g><g id=\"2\">House</g>",
                vec!["Name", "House"],
            ),
            (
                "Big plan<g id=\"1\">Popular</g>",
                vec!["Big plan", "Popular"],
            ),
            (
                "Big plan<g id=\"1\">most popular</g>",
                vec!["Big plan", "most popular"],
            ),
            ("<g id=\"1\">New</g>House plan", vec!["New", "House plan"]),
            (
                "<g id=\"1\">Our house</g><g id=\"2\">Read more</g>",
                vec!["Our house", "Read more"],
            ),
            (
                "<g id=\"1\">our house</g><g id=\"2\">read more</g>",
                vec!["our house", "read more"],
            ),
            (
                "<g id=\"1\">May 3</g><g id=\"2\">Red house</g><g id=\"3\">Old garden</g>",
                vec!["May 3", "Red house", "Old garden"],
            ),
            (
                "<g id=\"1\"><g id=\"2\">Name</g></g><g id=\"3\">House</g>",
                vec!["Name", "House"],
            ),
            // One word.
            (
                "<g id=\"1\">O</g><g id=\"2\">nce</g> upon a time",
                vec!["Once upon a time"],
            ),
            ("<g id=\"1\">T</g>here was", vec!["There was"]),
            ("under<g id=\"1\">line</g>d", vec!["underlined"]),
            (
                "a <g id=\"1\">blue whale</g>s tail",
                vec!["a blue whales tail"],
            ),
            (
                "<g id=\"1\">name</g><g id=\"2\">house</g>",
                vec!["namehouse"],
            ),
            ("the <g id=\"1\">API</g>s", vec!["the APIs"]),
            ("in 4<g id=\"1\">K</g>", vec!["in 4K"]),
            ("<g id=\"1\">3</g><g id=\"2\">rd</g>", vec!["3rd"]),
            // A sentence goes on.
            (
                "Use Java<g id=\"1\">Script</g> for it",
                vec!["Use JavaScript for it"],
            ),
            (
                "See <g id=\"1\">stat</g><g id=\"2\">N</g> tables",
                vec!["See statN tables"],
            ),
            (
                "The <g id=\"1\">-mj</g><g id=\"2\">HHHH</g> option",
                vec!["The -mjHHHH option"],
            ),
            ("<g id=\"1\">東京</g><g id=\"2\">大阪</g>", vec!["東京大阪"]),
            (
                "<g id=\"1\">Name</g>, <g id=\"2\">House</g>",
                vec!["Name, House"],
            ),
            ("Mix<x id=\"1\"/><g id=\"2\">House</g>", vec!["MixHouse"]),
        ] {
            let elements = if markup.contains("<x id=\"1\"") {
                ["img", "b", "i"]
            } else {
                ["b", "i", "u"]
            };
            assert_eq!(parts(markup, &elements), expected, "{markup}");
        }
        assert_eq!(
            parts("<g id=\"1\">home</g><g id=\"2\">about</g>", &["a", "a"]),
            ["home", "about"]
        );
        assert_eq!(
            parts(
                "water H<g id=\"1\">2</g>O and x<g id=\"2\">The</g>",
                &["sub", "sup"]
            )
            .len(),
            1
        );
    }

    #[test]
    fn letters_one_by_one_are_a_drawing_r_w3() {
        for (markup, expected) in [
            ("<g id=\"1\">M</g><g id=\"2\">a</g><g id=\"3\">k</g>", true),
            ("<g id=\"1\">a</g> <g id=\"2\">p</g><g id=\"3\">l</g>", true),
            ("<g id=\"1\">M</g><g id=\"2\">a</g>ke", false),
            (
                "<g id=\"1\">A</g> <g id=\"2\">B</g> <g id=\"3\">C</g>",
                false,
            ),
            (
                "<g id=\"1\">A</g>, <g id=\"2\">B</g>, <g id=\"3\">C</g>",
                false,
            ),
            (
                "<g id=\"1\">H</g>yper<g id=\"2\">T</g>ext <g id=\"3\">M</g>arkup",
                false,
            ),
        ] {
            assert_eq!(
                has_row_of_letters(&segment(markup, &["b", "b", "b"])),
                expected,
                "{markup}"
            );
        }
    }
}
