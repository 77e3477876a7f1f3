//! The parts of a line, and what they say.

use std::borrow::Cow;
use std::ops::Range;

use super::element::Name;
use super::space::{collapse, is_plain, is_space};
use super::span::{Span, short};
use super::tags;
use super::text::{Code, CodeKind, CodedText, Piece};
use super::tokens::TextKind;
use super::writing::without_controls;

/// A stretch of a block: text, or what becomes an inline code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) span: Span,
    pub(super) kind: PartKind,
    /// The number of the element of a code, if HTML knows it.
    pub(super) element: u8,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Text {
        kind: TextKind,
        /// White space is kept as it is.
        preserve: bool,
    },
    /// A tag, an element or a comment. A start tag is `Paired` and an end tag `LoneEnd` until the block is
    /// finished, which looks for the other half.
    Code(CodeKind),
    /// The end tag of a pair.
    End,
}

impl Part {
    pub(super) fn text(range: Range<usize>, kind: TextKind, preserve: bool) -> Self {
        Self { span: range.into(), kind: PartKind::Text { kind, preserve }, element: u8::MAX }
    }

    pub(super) fn code(range: Range<usize>, kind: CodeKind, name: &Name) -> Self {
        Self { span: range.into(), kind: PartKind::Code(kind), element: name.number().unwrap_or(u8::MAX) }
    }

    /// The name of the element of a code; a name that HTML does not know is read from the page again.
    pub(super) fn name(&self, source: &[u8]) -> Name {
        let read = || tags::name_at(source, self.span.start()).map_or(Name::COMMENT, Name::of);
        Name::known(self.element).unwrap_or_else(read)
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind, PartKind::Text { .. })
    }
}

/// Reads the parts of a unit.
pub(super) fn coded_text(source: &[u8], parts: &[Part]) -> (CodedText, Vec<Code>) {
    let mut pieces: Vec<Piece> = Vec::with_capacity(parts.len());
    let mut codes = Vec::with_capacity(parts.iter().filter(|part| matches!(part.kind, PartKind::Code(_))).count());
    let mut open = Vec::new();
    for part in parts {
        match part.kind {
            PartKind::Text { .. } => match (text_of(source, part), pieces.last_mut()) {
                (text, _) if text.is_empty() => {}
                (text, Some(Piece::Text(last))) => join(last, &text, part),
                (text, _) => pieces.push(Piece::Text(text)),
            },
            PartKind::Code(kind) => {
                codes.push(Code { kind, element: part.name(source).to_cow() });
                let id = short(codes.len());
                pieces.push(if kind == CodeKind::Paired { Piece::Open(id) } else { Piece::Single(id) });
                open.extend((kind == CodeKind::Paired).then_some(id));
            }
            PartKind::End => pieces.push(Piece::Close(open.pop().unwrap_or(0))),
        }
    }
    if let Some(Piece::Text(text)) = pieces.last_mut() {
        text.truncate(text.trim_end_matches(is_space).len());
    }
    if let Some(Piece::Text(text)) = pieces.first_mut()
        && text.starts_with(is_space)
    {
        text.drain(..text.len() - text.trim_start_matches(is_space).len());
    }
    (CodedText(pieces), codes)
}

/// Adds the text of a part to that of the part before it; white space where they meet is one space.
fn join(last: &mut String, text: &str, part: &Part) {
    let meets = !matches!(part.kind, PartKind::Text { preserve: true, .. }) && last.ends_with(is_space);
    last.push_str(if meets { text.trim_start_matches(is_space) } else { text });
}

/// The text of a part as people read it.
pub(super) fn text_of(source: &[u8], part: &Part) -> String {
    let PartKind::Text { kind, preserve } = &part.kind else { return String::new() };
    let raw = &source[part.span.range()];
    let raw = std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed);
    if is_plain(raw.as_bytes()) {
        return raw.into_owned();
    }
    let decoded = match kind {
        TextKind::Data | TextKind::Escapable => htmlize::unescape(raw),
        TextKind::Raw | TextKind::Cdata => raw,
    };
    match without_controls(&decoded) {
        text if *preserve => text.into_owned(),
        text => collapse(text),
    }
}
