//! A text that an engine gets with its codes, and terms that travel as codes.

use super::super::fallback::Glossed;
use super::super::word_cuts::{LETTERS, has_row_of_letters};
use crate::engines::{Ask, Caps};
use crate::page::{CodedText, Segment, TextPiece};

/// The words for codes that stand for terms.
pub(super) type Fixed = Vec<(u32, String)>;

/// The ask of a text that goes with its codes, and the words for codes that stand for terms.
pub(super) fn whole(
    segment: &Segment,
    caps: &Caps,
    glossed: Glossed<'_>,
) -> Result<(Ask, Fixed), String> {
    if glossed.translates && has_row_of_letters(segment) {
        return Err(LETTERS.to_owned());
    }
    let mut text = CodedText::default();
    let mut words = Vec::new();
    let mut id = u32::try_from(segment.codes.len()).map_err(|_| "it has too many inline codes")?;
    for piece in segment.text.pieces() {
        let TextPiece::Text(plain) = piece else {
            text.push(piece);
            continue;
        };
        let mut at = 0;
        for (range, fixed) in glossed.fixed(plain) {
            id += 1;
            text.push_text(&plain[at..range.start]);
            text.push(TextPiece::Single(id));
            words.push((id, fixed));
            at = range.end;
        }
        text.push_text(&plain[at..]);
    }
    let plain = text.text();
    let length = plain.chars().count();
    if length > caps.max_chars {
        return Err(format!(
            "{length} characters are more than the engine takes"
        ));
    }
    let ask = Ask {
        origin: segment.origin.clone(),
        marks: Vec::new(),
        terms: glossed.told(plain),
        notes: glossed.notes(plain),
        marks_terms_only: false,
        context: None,
        examples: Vec::new(),
        text,
    };
    Ok((ask, words))
}

/// Puts the words for codes that stand for terms in their place.
pub(super) fn put_back(answer: &CodedText, words: &[(u32, String)]) -> Result<CodedText, String> {
    let mut left: Vec<&(u32, String)> = words.iter().collect();
    let mut text = CodedText::default();
    for piece in answer.pieces() {
        match piece {
            TextPiece::Single(id) if words.iter().any(|(known, _)| *known == id) => {
                let at = left
                    .iter()
                    .position(|(known, _)| *known == id)
                    .ok_or("it doubles a term")?;
                text.push_text(&left.remove(at).1);
            }
            other => text.push(other),
        }
    }
    match left.first() {
        Some((_, words)) => Err(format!("it loses the term {words:?}")),
        None => Ok(text),
    }
}
