//! Ruby: readings beside words, which say how the source language speaks them. A translation has none.

use super::element::element;
use crate::page::{CodedText, Segment, TextPiece};

/// The readings of a text.
#[derive(Clone, Debug)]
pub(super) struct Readings(Vec<RubyReading>);

/// The readings of one element.
#[derive(Clone, Debug)]
struct RubyReading {
    /// The element around it; `None` if that is all of the text.
    ruby: Option<u32>,
    /// The content of the element.
    whole: CodedText,
    /// The same without readings.
    base: CodedText,
    /// The codes of the readings, without words.
    codes: CodedText,
}

/// Takes readings out of a text.
pub(super) fn fold(segment: &Segment, text: &mut CodedText) -> Option<Readings> {
    let is_reading = |piece: &TextPiece<'_>| match piece {
        TextPiece::Open(id) => matches!(element(segment, *id), "rt" | "rtc" | "rp"),
        TextPiece::Single(id) => matches!(element(segment, *id), "rt" | "rtc" | "rp"),
        TextPiece::Close(_) | TextPiece::Text(_) => false,
    };
    if !text.pieces().any(|piece| is_reading(&piece)) {
        return None;
    }
    let mut folded = CodedText::default();
    let mut open: Vec<RubyReading> = vec![RubyReading::of(None)];
    let mut readings = Vec::new();
    // The reading that is open, by its code.
    let mut inside = None;
    for piece in text.pieces() {
        if inside.is_none() && is_reading(&piece) {
            inside = piece.id().filter(|_| matches!(piece, TextPiece::Open(_)));
            open.iter_mut()
                .for_each(|reading| reading.whole.push(piece));
            if let Some(reading) = open.last_mut() {
                reading.codes.push(piece);
            }
            continue;
        }
        if inside.is_some() {
            open.iter_mut()
                .for_each(|reading| reading.whole.push(piece));
            if let (Some(reading), Some(_)) = (open.last_mut(), piece.id()) {
                reading.codes.push(piece);
            }
            if inside.is_some_and(|id| piece == TextPiece::Close(id)) {
                inside = None;
            }
            continue;
        }
        if let TextPiece::Close(id) = piece
            && open.last().is_some_and(|reading| reading.ruby == Some(id))
        {
            readings.extend(open.pop());
        }
        for reading in &mut open {
            reading.whole.push(piece);
            reading.base.push(piece);
        }
        folded.push(piece);
        if let TextPiece::Open(id) = piece
            && element(segment, id) == "ruby"
        {
            open.push(RubyReading::of(Some(id)));
        }
    }
    readings.extend(open);
    readings.retain(|reading| reading.codes.has_codes());
    *text = folded;
    Some(Readings(readings))
}

impl RubyReading {
    fn of(ruby: Option<u32>) -> Self {
        Self {
            ruby,
            whole: CodedText::default(),
            base: CodedText::default(),
            codes: CodedText::default(),
        }
    }
}

impl Readings {
    /// Puts the codes of readings at the end of their elements, without words. What was not translated keeps its readings.
    pub(super) fn unfold(&self, translation: &CodedText) -> CodedText {
        let mut text = translation.clone();
        for reading in &self.0 {
            text = reading.unfold(&text);
        }
        text
    }
}

impl RubyReading {
    fn unfold(&self, translation: &CodedText) -> CodedText {
        let pieces: Vec<TextPiece<'_>> = translation.pieces().collect();
        let place =
            |wanted: Option<TextPiece<'_>>| pieces.iter().position(|piece| Some(*piece) == wanted);
        let start = place(self.ruby.map(TextPiece::Open)).map_or(0, |at| at + 1);
        let end = place(self.ruby.map(TextPiece::Close)).unwrap_or(pieces.len());
        let inside: CodedText = pieces
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .copied()
            .collect();
        let mut text = CodedText::default();
        text.extend(pieces[..start.min(end)].iter().copied());
        if inside == self.base {
            text.extend(self.whole.pieces());
        } else {
            text.extend(inside.pieces());
            text.extend(self.codes.pieces());
        }
        text.extend(pieces[end..].iter().copied());
        text
    }
}
