//! Whether a text can stand in a page as the translation of a segment.

use super::code::{CodeKind, InlineCode};
use super::coded::{CodedText, TextError, TextPiece};
use super::segment::Segment;

/// How many bytes a translation may always have.
pub(crate) const ANY_LENGTH: usize = 200;

/// Checks a translation against its source: every code exactly once, well nested, halves in order, length sane.
///
/// # Errors
/// The first thing that is wrong, in the order of the variants of [`TextError`].
pub fn check(source: &Segment, target: &CodedText) -> Result<(), TextError> {
    if !source.text.is_blank() && target.is_blank() {
        return Err(TextError::Empty);
    }
    // No character has more than four bytes, so most texts need not be counted.
    if target.text().len() > source.text.text().len() + ANY_LENGTH {
        let length = target.characters();
        let limit = source.text.characters() * 4 + ANY_LENGTH;
        if length > limit {
            return Err(TextError::TooLong { length, limit });
        }
    }
    let count = source.codes.len();
    let mut seen = vec![false; count];
    let mut open = Vec::new();
    for piece in target.pieces() {
        let (id, opens) = match piece {
            TextPiece::Text(_) => continue,
            TextPiece::Close(id) => {
                if open.pop() != Some(id) {
                    return Err(TextError::Nesting(id));
                }
                continue;
            }
            TextPiece::Open(id) => (id, true),
            TextPiece::Single(id) => (id, false),
        };
        let index = usize::try_from(id).unwrap_or(usize::MAX).wrapping_sub(1);
        let Some(code) = source.codes.get(index) else {
            return Err(TextError::Surplus(id));
        };
        if opens != (code.kind == CodeKind::Paired) {
            return Err(TextError::Nesting(id));
        }
        if std::mem::replace(&mut seen[index], true) {
            return Err(TextError::Surplus(id));
        }
        if opens {
            open.push(id);
        }
    }
    if let Some(id) = open.pop() {
        return Err(TextError::Nesting(id));
    }
    if let Some(index) = seen.iter().position(|seen| !seen) {
        return Err(TextError::Missing(
            u32::try_from(index + 1).unwrap_or(u32::MAX),
        ));
    }
    if source.codes.iter().any(is_half) {
        let mut both = halves(source, &source.text).zip(halves(source, target));
        if let Some((_, (id, ..))) = both.find(|(wanted, given)| wanted != given) {
            return Err(TextError::Order(id));
        }
    }
    let mut both = controls(source, &source.text).zip(controls(source, target));
    if let Some((_, id)) = both.find(|(wanted, given)| wanted != given) {
        return Err(TextError::Controls(id));
    }
    let mut both = nodes(&source.text)
        .zip(nodes(target))
        .filter(|_| source.keeps_nodes);
    match both.find(|(wanted, given)| wanted != given) {
        Some((_, (piece, _))) => Err(TextError::Nodes(
            piece.and_then(TextPiece::id).unwrap_or_default(),
        )),
        None => Ok(()),
    }
}

/// The codes of a text in order, each with whether text stands before it; then whether text stands at the end.
fn nodes(text: &CodedText) -> impl Iterator<Item = (Option<TextPiece<'_>>, bool)> {
    let mut has_text = false;
    text.pieces()
        .map(Some)
        .chain([None])
        .filter_map(move |piece| match piece {
            Some(TextPiece::Text(_)) => {
                has_text = true;
                None
            }
            code => Some((code, std::mem::take(&mut has_text))),
        })
}

/// The codes of a template that show nothing, such as `{% if %}` and `[/row]`, in order. Such a code is named as it is written.
fn controls<'t>(source: &'t Segment, text: &'t CodedText) -> impl Iterator<Item = u32> + use<'t> {
    text.pieces().filter_map(|piece| match piece {
        TextPiece::Single(id) if code_of(source, id).is_some_and(is_control) => Some(id),
        TextPiece::Single(_) | TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Text(_) => {
            None
        }
    })
}

fn is_control(code: &InlineCode) -> bool {
    code.kind == CodeKind::Void && code.element().starts_with(['{', '[', '<'])
}

fn is_half(code: &InlineCode) -> bool {
    matches!(code.kind, CodeKind::LoneStart | CodeKind::LoneEnd)
}

/// The code of a segment with this number.
fn code_of(source: &Segment, id: u32) -> Option<&InlineCode> {
    let index = usize::try_from(id).ok()?.checked_sub(1)?;
    source.codes.get(index)
}

/// The halves of elements that reach beyond the segment, each with the innermost pair around it and its depth.
fn halves<'t>(
    source: &'t Segment,
    text: &'t CodedText,
) -> impl Iterator<Item = (u32, Option<u32>, usize)> + use<'t> {
    let mut open = Vec::new();
    text.pieces().filter_map(move |piece| {
        match piece {
            TextPiece::Open(id) => open.push(id),
            TextPiece::Close(_) => drop(open.pop()),
            TextPiece::Single(id) if code_of(source, id).is_some_and(is_half) => {
                return Some((id, open.last().copied(), open.len()));
            }
            TextPiece::Single(_) | TextPiece::Text(_) => {}
        }
        None
    })
}
