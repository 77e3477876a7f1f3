//! Pictures at the edges of a link or another element: they are no part of the sentence and stay at these edges (F-25).

use super::element::element;
use crate::page::{CodeKind, CodedText, Segment, TextPiece};

/// The pictures at the edges of elements.
#[derive(Clone, Debug)]
pub(super) struct Pictures(Vec<PictureEdge>);

/// The pictures at one edge of an element.
#[derive(Clone, Debug)]
struct PictureEdge {
    /// The tag of the element.
    tag: TextPiece<'static>,
    codes: Vec<u32>,
    /// A space stands between them and the words.
    has_space: bool,
}

/// Takes pictures at the edges of elements out of a text.
pub(super) fn fold(segment: &Segment, text: &mut CodedText) -> Option<Pictures> {
    let is_picture =
        |piece: &TextPiece<'_>| matches!(piece, TextPiece::Single(id) if is_picture(segment, *id));
    if !text.pieces().any(|piece| is_picture(&piece)) {
        return None;
    }
    let mut pieces: Vec<TextPiece<'_>> = text.pieces().collect();
    let mut edges = Vec::new();
    for at in 0..pieces.len() {
        if let TextPiece::Open(id) = pieces[at] {
            let count = pieces[at + 1..]
                .iter()
                .take_while(|piece| is_picture(piece))
                .count();
            edges.extend(begins(&mut pieces, at, count, id));
        }
    }
    for at in 0..pieces.len() {
        if let TextPiece::Close(id) = pieces[at] {
            let count = pieces[..at]
                .iter()
                .rev()
                .take_while(|piece| is_picture(piece))
                .count();
            edges.extend(ends(&mut pieces, at, count, id));
        }
    }
    if edges.is_empty() {
        return None;
    }
    // Pictures that were taken out are empty texts here.
    *text = pieces
        .into_iter()
        .filter(|piece| *piece != TextPiece::Text(""))
        .collect();
    Some(Pictures(edges))
}

/// Recognizes what shows a picture and no words.
fn is_picture(segment: &Segment, id: u32) -> bool {
    let name = element(segment, id);
    match segment.code(id).map(|code| code.kind) {
        Some(CodeKind::Void) => name == "img",
        Some(CodeKind::Protected) => {
            matches!(name, "svg" | "i" | "picture") || name.contains("-icon")
        }
        Some(CodeKind::Paired | CodeKind::LoneStart | CodeKind::LoneEnd) | None => false,
    }
}

/// Takes out the pictures behind a start tag, if words follow them.
fn begins(pieces: &mut [TextPiece<'_>], at: usize, count: usize, id: u32) -> Option<PictureEdge> {
    let behind = at + 1 + count;
    let opened = pieces
        .get(behind..)?
        .iter()
        .take_while(|piece| matches!(piece, TextPiece::Open(_)))
        .count();
    let first = behind + opened;
    let Some(TextPiece::Text(words)) = pieces.get(first).copied().filter(|_| count > 0) else {
        return None;
    };
    let before = pieces[..at].iter().rev().find_map(|piece| {
        if let TextPiece::Text(text) = piece {
            Some(*text)
        } else {
            None
        }
    });
    let has_space = words.starts_with(' ');
    let is_apart = before.is_none_or(|before| before.ends_with(char::is_whitespace));
    if !words.contains(char::is_alphabetic) || (has_space && !is_apart) {
        return None;
    }
    pieces[first] = TextPiece::Text(words.trim_start_matches(' '));
    Some(PictureEdge {
        tag: TextPiece::Open(id),
        codes: take(&mut pieces[at + 1..behind]),
        has_space,
    })
}

/// Takes out the pictures before an end tag, if they follow words.
fn ends(pieces: &mut [TextPiece<'_>], at: usize, count: usize, id: u32) -> Option<PictureEdge> {
    let first = at - count;
    let closed = pieces[..first]
        .iter()
        .rev()
        .take_while(|piece| matches!(piece, TextPiece::Close(_)))
        .count();
    let last = (first - closed).checked_sub(1).filter(|_| count > 0)?;
    let TextPiece::Text(words) = pieces[last] else {
        return None;
    };
    let after = pieces[at..].iter().find_map(|piece| {
        if let TextPiece::Text(text) = piece {
            Some(*text)
        } else {
            None
        }
    });
    let has_space = words.ends_with(' ');
    let is_apart = after.is_none_or(|after| !after.starts_with(char::is_alphanumeric));
    if !words.contains(char::is_alphabetic) || (has_space && !is_apart) {
        return None;
    }
    pieces[last] = TextPiece::Text(words.trim_end_matches(' '));
    Some(PictureEdge {
        tag: TextPiece::Close(id),
        codes: take(&mut pieces[first..at]),
        has_space,
    })
}

/// Empties pieces; gives the codes that they were.
fn take(pieces: &mut [TextPiece<'_>]) -> Vec<u32> {
    let codes = pieces.iter().filter_map(|piece| piece.id()).collect();
    pieces.fill(TextPiece::Text(""));
    codes
}

impl Pictures {
    /// Puts the pictures at the edges of the same elements.
    pub(super) fn unfold(&self, translation: &CodedText) -> CodedText {
        let mut text = CodedText::default();
        for piece in translation.pieces() {
            let edge = self.0.iter().find(|edge| edge.tag == piece);
            match (edge, piece) {
                (Some(edge), TextPiece::Open(_)) => {
                    text.push(piece);
                    edge.put(&mut text);
                    text.push_text(if edge.has_space { " " } else { "" });
                }
                (Some(edge), _) => {
                    text.push_text(if edge.has_space { " " } else { "" });
                    edge.put(&mut text);
                    text.push(piece);
                }
                (None, _) => text.push(piece),
            }
        }
        text
    }
}

impl PictureEdge {
    fn put(&self, text: &mut CodedText) {
        text.extend(self.codes.iter().map(|id| TextPiece::Single(*id)));
    }
}
