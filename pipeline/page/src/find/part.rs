//! The parts of a line, and what they say.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::html::bytes::as_text;
use crate::html::element::ElementName;
use crate::html::space::{collapse, is_plain, is_space, wide_space};
use crate::html::span::{ByteSpan, short};
use crate::html::tags;
use crate::html::tokens::TextKind;
use crate::html::writing::without_controls;
use crate::text::code::{CodeKind, InlineCode};
use crate::text::coded::{CodedText, TextPiece};

/// A stretch of a block: text, or what becomes an inline code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPart {
    pub(crate) span: ByteSpan,
    pub(crate) kind: PartKind,
    /// The number of the element of a code, if HTML knows it.
    pub(crate) element: u8,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
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

impl BlockPart {
    pub(crate) fn text(range: Range<usize>, kind: TextKind, preserve: bool) -> Self {
        Self {
            span: range.into(),
            kind: PartKind::Text { kind, preserve },
            element: u8::MAX,
        }
    }

    pub(crate) fn code(range: Range<usize>, kind: CodeKind, name: &ElementName) -> Self {
        Self {
            span: range.into(),
            kind: PartKind::Code(kind),
            element: name.number().unwrap_or(u8::MAX),
        }
    }

    /// An expression of a template.
    pub(crate) fn template(range: Range<usize>, kind: CodeKind) -> Self {
        Self {
            span: range.into(),
            kind: PartKind::Code(kind),
            element: u8::MAX,
        }
    }

    /// The name of the element of a code; a name that HTML does not know is read from the page again, and an expression of
    /// a template is its own name.
    pub(crate) fn name(&self, source: &[u8]) -> ElementName {
        let read = || match source.get(self.span.range()) {
            Some(expression) if is_expression(expression) => {
                ElementName::Other(Arc::new(collapse(String::from_utf8_lossy(expression))))
            }
            Some(_) | None => tags::name_at(source, self.span.start())
                .map_or(ElementName::COMMENT, ElementName::of),
        };
        ElementName::known(self.element).unwrap_or_else(read)
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, PartKind::Text { .. })
    }
}

/// Tells an expression of a template from a tag or comment.
fn is_expression(written: &[u8]) -> bool {
    match written {
        [b'<', second, ..] => *second == b'%',
        _ => !written.is_empty(),
    }
}

/// Reads the parts of a unit.
pub(crate) fn coded_text(source: &[u8], parts: &[BlockPart]) -> (CodedText, Vec<InlineCode>) {
    if let [part] = parts
        && part.is_text()
    {
        let mut text = CodedText::plain(text_of(source, part));
        text.trim(is_space);
        return (text, Vec::new());
    }
    let texts = || parts.iter().filter(|part| part.is_text());
    // A text that is the only one is taken as it is.
    let bytes = if texts().nth(1).is_some() {
        texts().map(|part| part.span.len()).sum()
    } else {
        0
    };
    let mut text = CodedText::with_capacity(bytes, parts.len() - texts().count());
    let mut codes = Vec::with_capacity(
        parts
            .iter()
            .filter(|part| matches!(part.kind, PartKind::Code(_)))
            .count(),
    );
    let mut open = Vec::new();
    for part in parts {
        match part.kind {
            PartKind::Text { .. } => push_text(&mut text, source, part),
            PartKind::Code(kind) => {
                codes.push(InlineCode::of(kind, part.name(source)));
                let id = short(codes.len());
                text.push(if kind == CodeKind::Paired {
                    TextPiece::Open(id)
                } else {
                    TextPiece::Single(id)
                });
                open.extend((kind == CodeKind::Paired).then_some(id));
            }
            PartKind::End => text.push(TextPiece::Close(open.pop().unwrap_or(0))),
        }
    }
    text.trim(is_space);
    (text, codes)
}

/// Adds the text of a part; white space where it meets that of the part before it is one space.
fn push_text(text: &mut CodedText, source: &[u8], part: &BlockPart) {
    let (decoded, is_done) = decoded(source, part);
    let preserve = matches!(part.kind, PartKind::Text { preserve: true, .. });
    let follows = !preserve && text.tail().ends_with(is_space);
    let added = if follows {
        decoded.trim_start_matches(is_space)
    } else {
        &decoded
    };
    if is_done {
        text.push_text(added)
    } else {
        text.push_collapsed(added)
    }
}

/// The text of a part as people read it.
pub(crate) fn text_of<'s>(source: &'s [u8], part: &BlockPart) -> Cow<'s, str> {
    let (decoded, is_done) = decoded(source, part);
    match is_done || wide_space(decoded.as_bytes()).is_none() {
        true => decoded,
        false => Cow::Owned(collapse(decoded)),
    }
}

/// The text of a part with its white space, and whether that is as it shall be.
fn decoded<'s>(source: &'s [u8], part: &BlockPart) -> (Cow<'s, str>, bool) {
    let PartKind::Text { kind, preserve } = part.kind else {
        return (Cow::Borrowed(""), true);
    };
    let raw = as_text(&source[part.span.range()]);
    if is_plain(raw.as_bytes()) {
        return (raw, true);
    }
    let decoded = match kind {
        TextKind::Data | TextKind::Escapable => htmlize::unescape(raw),
        TextKind::Raw | TextKind::Cdata => raw,
    };
    let clean = match without_controls(&decoded) {
        Cow::Owned(clean) => Some(clean),
        Cow::Borrowed(_) => None,
    };
    (clean.map_or(decoded, Cow::Owned), preserve)
}
