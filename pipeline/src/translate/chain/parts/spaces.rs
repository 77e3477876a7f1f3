//! Spaces between sentences translated from a language that writes none.

use crate::page::{CodedText, TextPiece};
use crate::text::is_dense_letter;

/// Joins translations of sentences that had no space between them, with a space if the target script has spaces.
pub(super) fn with_spaces(parts: &[CodedText]) -> CodedText {
    let mut joined = CodedText::default();
    for (at, part) in parts.iter().enumerate() {
        let following = parts[at..].iter().find(|part| !part.text().is_empty());
        let is_end =
            part.text().is_empty() && !matches!(part.pieces().next(), Some(TextPiece::Open(_)));
        if !is_end
            && following.is_some_and(|following| lacks_space(joined.text(), following.text()))
        {
            joined.push_text(" ");
        }
        for piece in part.pieces() {
            joined.push(piece);
        }
    }
    joined
}

/// True if two texts would run together and both are in a script with spaces between words.
fn lacks_space(before: &str, after: &str) -> bool {
    let Some(last) = before.chars().next_back() else {
        return false;
    };
    let Some(first) = after.chars().next() else {
        return false;
    };
    let begins =
        (first.is_alphanumeric() && !is_dense_letter(first)) || "¿¡“«„‘\"(".contains(first);
    let sentence = before
        .rsplit(['.', '!', '?', ' '])
        .find(|words| !words.is_empty())
        .unwrap_or_default();
    begins
        && !last.is_whitespace()
        && !"([{“«„‘。！？、，".contains(last)
        && !sentence.contains(is_dense_letter)
}
