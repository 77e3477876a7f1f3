//! A part of a text as a text of its own.

use crate::page::{CodedText, Segment, TextPiece};

/// A part as a text of its own, without white space at its ends and with its codes numbered from 1; and the numbers of
/// these codes in the whole text.
pub(super) fn part_of(segment: &Segment, whole: &CodedText) -> (Segment, Vec<u32>) {
    let mut ids: Vec<u32> = Vec::new();
    let mut codes = Vec::new();
    let mut open = Vec::new();
    let mut text = CodedText::default();
    for piece in whole.pieces() {
        if let TextPiece::Open(id) | TextPiece::Single(id) = piece {
            codes.extend(segment.codes.get((id as usize).wrapping_sub(1)).cloned());
            ids.push(id);
        }
        let number = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        text.push(match piece {
            TextPiece::Text(text) => TextPiece::Text(text),
            TextPiece::Open(_) => {
                open.push(number);
                TextPiece::Open(number)
            }
            TextPiece::Close(id) => TextPiece::Close(open.pop().unwrap_or(id)),
            TextPiece::Single(_) => TextPiece::Single(number),
        });
    }
    text.trim(char::is_whitespace);
    let part = Segment {
        text,
        codes,
        class: segment.class,
        origin: segment.origin.clone(),
        filter: segment.filter.clone(),
        keeps_nodes: segment.keeps_nodes,
    };
    (part, ids)
}
