//! Drop caps: `<span>T</span>here` is one word, and its element takes the first letter of the translation.

use super::element::element;
use crate::page::{CodedText, Segment, TextPiece};
use crate::text::{is_mark, is_word_letter};

/// The elements around a first letter alone.
#[derive(Clone, Debug)]
pub(super) struct Cap {
    /// From the outermost to the innermost.
    own: Vec<u32>,
    /// Elements around these and more of the text.
    around: Vec<u32>,
}

/// Takes the elements of a drop cap out of a text.
pub(super) fn fold(segment: &Segment, text: &mut CodedText) -> Option<Cap> {
    let pieces: Vec<TextPiece<'_>> = text.pieces().collect();
    let opened = pieces
        .iter()
        .take_while(|piece| matches!(piece, TextPiece::Open(_)))
        .count();
    let Some(TextPiece::Text(letter)) = pieces.get(opened) else {
        return None;
    };
    let closed = pieces[opened + 1..]
        .iter()
        .take_while(|piece| matches!(piece, TextPiece::Close(_)))
        .count();
    let behind = opened + 1 + closed;
    let opened_behind = pieces[behind..]
        .iter()
        .take_while(|piece| matches!(piece, TextPiece::Open(_)))
        .count();
    let Some(TextPiece::Text(rest)) = pieces.get(behind + opened_behind) else {
        return None;
    };
    let is_letter = letter.ends_with(is_word_letter)
        && letter.chars().filter(|sign| sign.is_alphanumeric()).count() == 1;
    if closed == 0 || closed > opened || !is_letter || !rest.starts_with(is_word_letter) {
        return None;
    }
    let ids = |pieces: &[TextPiece<'_>]| {
        pieces
            .iter()
            .filter_map(|piece| piece.id())
            .collect::<Vec<u32>>()
    };
    let own = ids(&pieces[opened - closed..opened]);
    if own
        .iter()
        .any(|id| matches!(element(segment, *id), "sup" | "sub" | "ruby"))
    {
        return None;
    }
    let around = ids(&pieces[..opened - closed]);
    let word = format!("{letter}{rest}");
    let mut folded = CodedText::default();
    folded.extend(pieces[..opened - closed].iter().copied());
    folded.extend(pieces[behind..behind + opened_behind].iter().copied());
    folded.push_text(&word);
    folded.extend(pieces[behind + opened_behind + 1..].iter().copied());
    *text = folded;
    Some(Cap { own, around })
}

impl Cap {
    /// Puts the elements around the first letter of a translation, and the signs before it.
    pub(super) fn unfold(&self, translation: &CodedText) -> CodedText {
        let pieces: Vec<TextPiece<'_>> = translation.pieces().collect();
        let holds_letter = |piece: &TextPiece<'_>| matches!(piece, TextPiece::Text(text) if text.contains(char::is_alphanumeric));
        let at = pieces.iter().position(holds_letter).unwrap_or(pieces.len());
        let first = match pieces.get(at) {
            Some(TextPiece::Text(text)) => *text,
            Some(_) | None => "",
        };
        let opened = pieces[..at]
            .iter()
            .rev()
            .take_while(|piece| matches!(piece, TextPiece::Open(_)))
            .count();
        // Elements that begin there stand inside the cap's no more than before.
        let is_around =
            |piece: &TextPiece<'_>| piece.id().is_some_and(|id| self.around.contains(&id));
        let inside = pieces[at - opened..at]
            .iter()
            .rposition(is_around)
            .map_or(0, |last| last + 1);
        let place = at - opened + inside;
        let length = first_letter(first);
        let mut text = CodedText::default();
        text.extend(pieces[..place].iter().copied());
        text.extend(self.own.iter().map(|id| TextPiece::Open(*id)));
        text.push_text(&first[..length]);
        text.extend(self.own.iter().rev().map(|id| TextPiece::Close(*id)));
        text.extend(pieces[place..at].iter().copied());
        text.push_text(&first[length..]);
        text.extend(pieces.get(at + 1..).unwrap_or_default().iter().copied());
        text
    }
}

/// The bytes up to the first letter and the signs that belong to it.
fn first_letter(text: &str) -> usize {
    let Some((at, letter)) = text.char_indices().find(|(_, sign)| sign.is_alphanumeric()) else {
        return 0;
    };
    let end = at + letter.len_utf8();
    let marks = text[end..]
        .chars()
        .take_while(|sign| is_mark(*sign) || *sign == '\u{200d}');
    end + marks.map(char::len_utf8).sum::<usize>()
}
