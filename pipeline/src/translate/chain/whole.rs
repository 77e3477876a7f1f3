//! A text that an engine gets with its codes, and terms that travel as codes.

use super::super::fallback::Glossed;
use crate::engines::{Ask, Caps};
use crate::page::{CodedText, Piece, Segment};

/// The words for codes that stand for terms.
pub(super) type Fixed = Vec<(u32, String)>;

/// The ask of a text that goes with its codes, and the words for codes that stand for terms.
pub(super) fn whole(segment: &Segment, caps: &Caps, glossed: Glossed<'_>) -> Result<(Ask, Fixed), String> {
    let (mut text, mut words) = (CodedText(Vec::new()), Vec::new());
    let mut id = u32::try_from(segment.codes.len()).map_err(|_| "it has too many inline codes")?;
    for piece in &segment.text.0 {
        let Piece::Text(plain) = piece else {
            text.0.push(piece.clone());
            continue;
        };
        let mut at = 0;
        for (range, fixed) in glossed.fixed(plain) {
            id += 1;
            text.0.extend((at < range.start).then(|| Piece::Text(plain[at..range.start].to_owned())));
            text.0.push(Piece::Single(id));
            words.push((id, fixed));
            at = range.end;
        }
        text.0.extend((at < plain.len()).then(|| Piece::Text(plain[at..].to_owned())));
    }
    let plain = text.text();
    let length = plain.chars().count();
    if length > caps.max_chars {
        return Err(format!("{length} characters are more than the engine takes"));
    }
    let terms = glossed.told(&plain);
    Ok((Ask { text, origin: segment.origin.clone(), marks: Vec::new(), terms, marks_terms_only: false }, words))
}

/// Puts the words for codes that stand for terms in their place.
pub(super) fn put_back(answer: CodedText, words: &[(u32, String)]) -> Result<CodedText, String> {
    let mut left: Vec<&(u32, String)> = words.iter().collect();
    let mut pieces = Vec::with_capacity(answer.0.len());
    for piece in answer.0 {
        match piece {
            Piece::Single(id) if words.iter().any(|(known, _)| *known == id) => {
                let at = left.iter().position(|(known, _)| *known == id).ok_or("it doubles a term")?;
                pieces.push(Piece::Text(left.remove(at).1.clone()));
            }
            other => pieces.push(other),
        }
    }
    match left.first() {
        Some((_, words)) => Err(format!("it loses the term {words:?}")),
        None => Ok(CodedText(pieces)),
    }
}
