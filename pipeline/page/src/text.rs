//! Text with inline codes, and its one notation.
//!
//! Everywhere outside a page (PO files, the memory, the `command` engine) a segment is written as text in which
//! paired codes are `<g id="1">…</g>` and single ones `<x id="2"/>`. In that notation `&`, `<` and `>` of the text
//! itself are `&amp;`, `&lt;` and `&gt;`.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::space::has_byte;

/// A part of a segment's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Plain text, nothing escaped.
    Text(String),
    /// Start of a paired code.
    Open(u32),
    /// End of a paired code.
    Close(u32),
    /// A code that stands alone.
    Single(u32),
}

impl Piece {
    /// The number of the code, if this is one.
    pub fn id(&self) -> Option<u32> {
        match self {
            Self::Open(id) | Self::Close(id) | Self::Single(id) => Some(*id),
            Self::Text(_) => None,
        }
    }
}

/// Text with inline codes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CodedText(pub Vec<Piece>);

/// What an inline code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// An element with text inside, such as a link.
    Paired,
    /// An element or comment without text, such as `<br>` or `<img>`.
    Void,
    /// An element whose content is not translated here, such as `<code>` or `translate="no"`.
    Protected,
    /// A start tag whose end lies elsewhere.
    LoneStart,
    /// An end tag whose start lies elsewhere.
    LoneEnd,
}

/// An inline code of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// What it stands for.
    pub kind: CodeKind,
    /// The element's name in lower case, or `!--` for a comment.
    pub element: Cow<'static, str>,
}

/// Says why a text is refused as the translation of a segment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It is empty although the source is not.
    #[error("the translation is empty")]
    Empty,
    /// It holds something that looks like a tag but is no inline code.
    #[error("it contains markup that is not an inline code: {0}")]
    Markup(String),
    /// A code of the source is missing.
    #[error("inline code {0} is missing")]
    Missing(u32),
    /// A code stands there more often than in the source.
    #[error("inline code {0} appears too often, or is not in the source")]
    Surplus(u32),
    /// Paired codes overlap or are not closed.
    #[error("inline code {0} is not well nested")]
    Nesting(u32),
    /// Halves of elements that reach beyond the segment changed their order.
    #[error("inline code {0} may not move: its other half lies outside this text")]
    Order(u32),
    /// Codes moved, or text is missing between them or new there, on a page whose nodes must stay as they are.
    #[error("a script compares this page with its own, so the text around inline code {0} must stay one piece")]
    Nodes(u32),
    /// Its codes hold so much of the page, one inside the other, that they cannot be moved in reasonable time.
    #[error("its inline codes hold too much of the page to be moved")]
    Heavy,
    /// It is longer than any translation of the source can be.
    #[error("it is {length} characters long, more than {limit} for this source")]
    TooLong {
        /// Length of the answer in characters.
        length: usize,
        /// The longest answer accepted for this source, in characters.
        limit: usize,
    },
}

impl CodedText {
    /// Text without codes.
    pub fn plain(text: impl Into<String>) -> Self {
        Self(vec![Piece::Text(text.into())])
    }

    /// The text alone, codes left out.
    pub fn text(&self) -> String {
        self.texts().collect()
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Open(_) | Piece::Close(_) | Piece::Single(_) => None,
        })
    }

    /// Whether nothing but white space is left when codes are left out.
    pub(super) fn is_blank(&self) -> bool {
        self.texts().all(|text| text.trim().is_empty())
    }

    /// Length of the text in characters, codes left out.
    pub(super) fn characters(&self) -> usize {
        self.texts().map(|text| text.chars().count()).sum()
    }

    /// Whether any character is a letter of some script (R-A16).
    pub fn has_letter(&self) -> bool {
        self.texts().any(has_letter)
    }

    /// Words of the text, as budgets and reports count them.
    pub fn words(&self) -> usize {
        self.text().split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
    }

    /// Writes the text in the notation of this module.
    pub fn to_markup(&self) -> String {
        let mut markup = String::new();
        for piece in &self.0 {
            let _ = match piece {
                Piece::Text(text) => {
                    escape(text, &mut markup);
                    Ok(())
                }
                Piece::Open(id) => write!(markup, "<g id=\"{id}\">"),
                Piece::Close(_) => write!(markup, "</g>"),
                Piece::Single(id) => write!(markup, "<x id=\"{id}\"/>"),
            };
        }
        markup
    }

    /// Reads the notation of this module; character references are decoded exactly once.
    ///
    /// # Errors
    /// [`TextError::Markup`] for a tag that is no code, [`TextError::Nesting`] for pairs that do not close.
    pub fn from_markup(markup: &str) -> Result<Self, TextError> {
        let mut pieces = Vec::new();
        let mut open = Vec::new();
        let mut rest = markup;
        while let Some(at) = rest.find('<') {
            push_text(&mut pieces, &rest[..at]);
            let tail = &rest[at..];
            let (piece, length) = match read_code(tail) {
                Some(found) => found,
                None if tail[1..].starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next)) => {
                    return Err(TextError::Markup(tail.chars().take(40).collect()));
                }
                None => (Piece::Text("<".into()), 1),
            };
            match piece {
                Piece::Open(id) => {
                    open.push(id);
                    pieces.push(Piece::Open(id));
                }
                Piece::Close(_) => match open.pop() {
                    Some(id) => pieces.push(Piece::Close(id)),
                    None => return Err(TextError::Markup("</g>".into())),
                },
                Piece::Single(id) => pieces.push(Piece::Single(id)),
                Piece::Text(text) => push_decoded(&mut pieces, &text),
            }
            rest = &tail[length..];
        }
        push_text(&mut pieces, rest);
        match open.pop() {
            Some(id) => Err(TextError::Nesting(id)),
            None => Ok(Self(pieces)),
        }
    }
}

/// Whether any character is a letter of some script.
pub(super) fn has_letter(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic()) || (!text.is_ascii() && text.chars().any(char::is_alphabetic))
}

/// Whether a text, as it is, would be markup.
pub(super) fn needs_escape(text: &str) -> bool {
    has_byte(text.as_bytes(), |byte| matches!(byte, b'&' | b'<' | b'>'))
}

/// Writes text so that it holds no markup.
pub(super) fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'&' | b'<' | b'>')) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

fn push_text(pieces: &mut Vec<Piece>, escaped: &str) {
    push_decoded(pieces, &htmlize::unescape(escaped));
}

fn push_decoded(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(last)) => last.push_str(text),
        Some(Piece::Open(_) | Piece::Close(_) | Piece::Single(_)) | None => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// Reads one code at the start of `text`; gives its length in bytes.
fn read_code(text: &str) -> Option<(Piece, usize)> {
    if let Some(rest) = text.strip_prefix("</g") {
        let rest = rest.trim_start();
        return rest.starts_with('>').then(|| (Piece::Close(0), text.len() - rest.len() + 1));
    }
    let (paired, rest) = match text.strip_prefix("<g") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("<x")?),
    };
    let rest = rest.strip_prefix(char::is_whitespace)?.trim_start().strip_prefix("id")?.trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|character| matches!(character, '"' | '\''))?;
    let (id, rest) = rest[1..].split_once(quote)?;
    let id: u32 = id.parse().ok()?;
    let rest = rest.trim_start();
    let (rest, closed) = match rest.strip_prefix('/') {
        Some(rest) => (rest.trim_start(), true),
        None => (rest, false),
    };
    let rest = rest.strip_prefix('>')?;
    let length = text.len() - rest.len();
    match (paired, closed) {
        (true, false) => Some((Piece::Open(id), length)),
        (false, true) => Some((Piece::Single(id), length)),
        (true, true) | (false, false) => None,
    }
}
