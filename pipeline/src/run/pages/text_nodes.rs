//! Nodes of a text, the words between its codes, beside those of its translation. The live script replaces node by node.

use crate::page::{CodedText, TextPiece};

/// The nodes of a text with those of its translation; none if the codes are in another order or a node has no words.
pub(in crate::run) fn pairs(
    source: &CodedText,
    target: &CodedText,
) -> impl Iterator<Item = (String, String)> {
    let same = source.has_same_codes(target);
    let pairs = nodes(source)
        .into_iter()
        .zip(nodes(target))
        .filter(move |_| same);
    pairs
        .map(|(source, target)| (flat(source), target.trim().to_owned()))
        .filter(|(source, target)| !source.is_empty() && !target.is_empty())
}

/// The words between the codes of a text, one for each place where some may stand.
pub(in crate::run) fn nodes(text: &CodedText) -> Vec<&str> {
    let mut nodes = vec![""];
    for piece in text.pieces() {
        match (piece, nodes.last_mut()) {
            (TextPiece::Text(text), Some(last)) => *last = text,
            (TextPiece::Text(_), None)
            | (TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_), _) => {
                nodes.push("")
            }
        }
    }
    nodes
}

/// The nodes of a text that stands on no page, by its notation and that of its translation.
pub(super) fn pieces(source: &str, words: &str) -> Vec<(String, String)> {
    let (Ok(source), Ok(words)) = (
        CodedText::from_markup(source),
        CodedText::from_markup(words),
    ) else {
        return Vec::new();
    };
    pairs(&source, &words).collect()
}

pub(in crate::run) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_text_are_paired_by_their_places() {
        let text = CodedText::from_markup(
            "You ordered <x id=\"1\"/>3<x id=\"2\"/> <g id=\"3\">loaves</g>",
        )
        .unwrap();
        assert_eq!(nodes(&text), ["You ordered ", "3", " ", "loaves", ""]);
    }

    #[test]
    fn texts_on_no_page_are_taken_apart_at_their_codes() {
        let pair = |source: &str, words: &str| (source.to_owned(), words.to_owned());
        assert_eq!(
            pieces("Bread &amp; butter", "Pan y mantequilla"),
            [pair("Bread & butter", "Pan y mantequilla")]
        );
        assert_eq!(
            pieces("Buy <g id=\"1\">bread</g>", "Compra <g id=\"1\">pan</g>"),
            [pair("Buy", "Compra"), pair("bread", "pan")]
        );
        assert_eq!(pieces("<g id=\"1\">broken", "x"), []);
        // Nodes cannot be paired after codes moved, and an empty translation counts as none.
        assert_eq!(
            pieces(
                "Buy <g id=\"1\">bread</g><x id=\"2\"/>",
                "<x id=\"2\"/><g id=\"1\">Pan</g>"
            ),
            []
        );
        assert_eq!(
            pieces("Buy <g id=\"1\">bread</g>", "<g id=\"1\">Pan</g>"),
            [pair("bread", "Pan")]
        );
    }
}
