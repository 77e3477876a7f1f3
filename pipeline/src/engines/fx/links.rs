//! Which words of a sentence became which, from the attention of the network.
//!
//! The network tells for each piece of a target word how much it looked at each piece of the source, in the form that
//! the source has inside of it; here that becomes links between bytes of the texts that everybody else knows.

use std::ops::Range;

use fxtranslate::engine::{Aligned, Token};

use super::super::WordLink;

/// The links of one sentence.
pub(super) fn of(aligned: &Aligned, source: &str) -> Vec<WordLink> {
    let Some(places) = places(&aligned.source_normalized, source) else {
        return Vec::new();
    };
    let target = Utf16::new(&aligned.target_text);
    let inside = Utf16::new(&aligned.source_normalized);
    let linked = aligned
        .target_tokens
        .iter()
        .zip(&aligned.alignments)
        .filter_map(|(token, attention)| {
            let target = target.bytes(token);
            let looked_at = strongest(attention)?;
            let source = places.get(inside.bytes(aligned.source_tokens.get(looked_at)?))?;
            (!target.is_empty() && !source.is_empty()).then(|| WordLink {
                target,
                sources: vec![source],
            })
        });
    linked.collect()
}

/// A link of a part of a text as one of the whole.
pub(super) fn moved(link: WordLink, source: usize, target: usize) -> WordLink {
    let by = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
    WordLink {
        target: by(&link.target, target),
        sources: link.sources.iter().map(|range| by(range, source)).collect(),
    }
}

/// What a piece was looked at most; of equals the first.
fn strongest(attention: &[f32]) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (index, &weight) in attention.iter().enumerate() {
        if best.is_none_or(|(_, most)| weight > most) {
            best = Some((index, weight));
        }
    }
    best.map(|(index, _)| index)
}

/// From UTF-16 offsets to bytes.
struct Utf16(Vec<usize>);

impl Utf16 {
    fn new(text: &str) -> Self {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        for (at, character) in text.char_indices() {
            bytes.extend(std::iter::repeat_n(at, character.len_utf16()));
        }
        bytes.push(text.len());
        Self(bytes)
    }

    fn bytes(&self, token: &Token) -> Range<usize> {
        let byte = |offset: usize| {
            self.0
                .get(offset)
                .or(self.0.last())
                .copied()
                .unwrap_or_default()
        };
        byte(token.begin)..byte(token.end)
    }
}

/// Where the bytes of the form inside of the network stand in the text.
struct FormSpans(Vec<(Range<usize>, Range<usize>, bool)>);

/// Matches the words of both, in order; `None` when they are not as many. Inside, a space is a sign of its own.
fn places(inside: &str, text: &str) -> Option<FormSpans> {
    let own = words(inside, |character| {
        character == '\u{2581}' || character.is_whitespace()
    });
    let given = words(text, char::is_whitespace);
    if own.len() != given.len() {
        return None;
    }
    let same = |(own, given): (Range<usize>, Range<usize>)| {
        let is_same = inside[own.clone()] == text[given.clone()];
        (own, given, is_same)
    };
    Some(FormSpans(own.into_iter().zip(given).map(same).collect()))
}

fn words(text: &str, is_space: fn(char) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(is_space) {
        found.extend(Some(at..at + word.len()).filter(|range| !range.is_empty()));
        at += word.len()
            + text[at + word.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }
    found
}

impl FormSpans {
    /// The place of a piece; of a word that is written differently inside, the whole of it.
    fn get(&self, piece: Range<usize>) -> Option<Range<usize>> {
        let (own, given, is_same) = self
            .0
            .iter()
            .find(|(own, ..)| own.start < piece.end && piece.start < own.end)?;
        if !is_same {
            return Some(given.clone());
        }
        let start = piece.start.max(own.start) - own.start;
        let end = piece.end.min(own.end) - own.start;
        Some(given.start + start..given.start + end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_inside_are_found_in_the_text() {
        let inside = "\u{2581}The\u{2581}fi\u{2581}house";
        let text = "The ﬁ  house";
        let places = places(inside, text).unwrap();
        let found = |part: &str| {
            let at = inside.find(part).unwrap();
            places.get(at..at + part.len()).map(|range| &text[range])
        };
        assert_eq!(found("\u{2581}The"), Some("The"));
        assert_eq!(found("ou"), Some("ou"));
        assert_eq!(found("f"), Some("ﬁ"), "a ligature is one");
        assert_eq!(found("\u{2581}h"), Some("h"));
        assert!(super::places("\u{2581}a\u{2581}b", "ab").is_none());
    }
}
