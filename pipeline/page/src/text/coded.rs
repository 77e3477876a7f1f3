//! Text with inline codes, and its one notation.
//!
//! A text is one string and a table of where its codes stand in it, eight bytes each: a page may have one every few bytes.
//! Two texts never stand side by side in it, and none is empty.
//!
//! Everywhere outside a page (PO files, the memory, the `command` engine) a segment is written as text in which
//! paired codes are `<g id="1">…</g>` and single ones `<x id="2"/>`. In that notation `&`, `<` and `>` of the text
//! itself are `&amp;`, `&lt;` and `&gt;`.
//!
//! One file: one type and its notation.

mod numbered;
mod packed;

use std::fmt::{self, Write as _};
use std::slice;

use crate::html::bytes::has_byte;
use crate::html::space::collapse_into;
use crate::html::span::short;

/// The highest number that a code of a text may have.
pub const HIGHEST_CODE: u32 = (1 << 30) - 1;

/// A part of a segment's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextPiece<'t> {
    /// Plain text, nothing escaped.
    Text(&'t str),
    /// Start of a paired code.
    Open(u32),
    /// End of a paired code.
    Close(u32),
    /// A code that stands alone.
    Single(u32),
}

impl TextPiece<'_> {
    /// The number of the code, if this is one.
    pub fn id(self) -> Option<u32> {
        match self {
            Self::Open(id) | Self::Close(id) | Self::Single(id) => Some(id),
            Self::Text(_) => None,
        }
    }
}

/// Text with inline codes.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct CodedText {
    text: String,
    /// In the order in which they stand.
    codes: Vec<PlacedCode>,
}

/// A code, and the byte of the text before which it stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PlacedCode {
    at: u32,
    /// What it is in the two highest bits, and its number.
    code: u32,
}

const _: () = assert!(
    size_of::<PlacedCode>() == 8,
    "a page may have a code every few bytes"
);

const OPEN: u32 = 0;
const CLOSE: u32 = 1;
const SINGLE: u32 = 2;

impl PlacedCode {
    /// Nothing for what is no code, has too high a number or stands behind 4 GiB of text.
    fn new(at: usize, piece: TextPiece<'_>) -> Option<Self> {
        let (kind, id) = match piece {
            TextPiece::Text(_) => return None,
            TextPiece::Open(id) => (OPEN, id),
            TextPiece::Close(id) => (CLOSE, id),
            TextPiece::Single(id) => (SINGLE, id),
        };
        let at = u32::try_from(at).ok()?;
        (id <= HIGHEST_CODE).then_some(Self {
            at,
            code: kind << 30 | id,
        })
    }

    fn at(self) -> usize {
        self.at as usize
    }

    fn piece(self) -> TextPiece<'static> {
        let id = self.code & HIGHEST_CODE;
        match self.code >> 30 {
            OPEN => TextPiece::Open(id),
            CLOSE => TextPiece::Close(id),
            _ => TextPiece::Single(id),
        }
    }
}

/// The pieces of a text, from either end.
#[derive(Clone)]
pub struct Pieces<'t> {
    text: &'t str,
    /// What of the text is left.
    start: usize,
    end: usize,
    codes: slice::Iter<'t, PlacedCode>,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = TextPiece<'t>;

    fn next(&mut self) -> Option<TextPiece<'t>> {
        let end = self
            .codes
            .as_slice()
            .first()
            .map_or(self.end, |code| code.at());
        if self.start < end {
            let start = std::mem::replace(&mut self.start, end);
            return Some(TextPiece::Text(&self.text[start..end]));
        }
        self.codes.next().map(|code| code.piece())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.codes.len(), Some(self.codes.len() * 2 + 1))
    }
}

impl DoubleEndedIterator for Pieces<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let start = self
            .codes
            .as_slice()
            .last()
            .map_or(self.start, |code| code.at());
        if start < self.end {
            let end = std::mem::replace(&mut self.end, start);
            return Some(TextPiece::Text(&self.text[start..end]));
        }
        self.codes.next_back().map(|code| code.piece())
    }
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
    /// Expressions of a template that control others changed their order.
    #[error(
        "inline code {0} may not move past another: both belong to a template, and their order decides what it shows"
    )]
    Controls(u32),
    /// Codes moved, or text is missing between them or new there, on a page whose nodes must stay as they are.
    #[error(
        "a script compares this page with its own, so the text around inline code {0} must stay one piece"
    )]
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
        Self {
            text: text.into(),
            codes: Vec::new(),
        }
    }

    /// No text yet, with room for some.
    pub(crate) fn with_capacity(bytes: usize, codes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            codes: Vec::with_capacity(codes),
        }
    }

    /// Its texts and codes, in order.
    pub fn pieces(&self) -> Pieces<'_> {
        Pieces {
            text: &self.text,
            start: 0,
            end: self.text.len(),
            codes: self.codes.iter(),
        }
    }

    /// Whether another text has the same codes in the same order.
    pub fn has_same_codes(&self, other: &Self) -> bool {
        self.codes
            .iter()
            .map(|code| code.code)
            .eq(other.codes.iter().map(|code| code.code))
    }

    /// Adds text at the end.
    pub fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds text at the end, every run of white space as one space.
    pub(crate) fn push_collapsed(&mut self, text: &str) {
        collapse_into(text, &mut self.text);
    }

    /// Adds a text or a code at the end.
    ///
    /// A code whose number is above [`HIGHEST_CODE`], or that would stand behind 4 GiB of text, is not from a page: it
    /// becomes one that no source has, so [`check`](crate::check) refuses the text.
    pub fn push(&mut self, piece: TextPiece<'_>) {
        if let TextPiece::Text(text) = piece {
            return self.push_text(text);
        }
        let at = self.codes.last().map_or(0, |last| last.at);
        let foreign = PlacedCode {
            at,
            code: SINGLE << 30 | HIGHEST_CODE,
        };
        self.codes
            .push(PlacedCode::new(self.text.len(), piece).unwrap_or(foreign));
    }

    /// Gives back the room that nothing stands in.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.codes.shrink_to_fit();
    }

    /// The same codes with other words: each text is what `change` makes of it.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(&str) -> String) -> Self {
        let bytes = if self.has_codes() { self.text.len() } else { 0 };
        let mut changed = Self::with_capacity(bytes, self.codes.len());
        for piece in self.pieces() {
            match piece {
                TextPiece::Text(text) if changed.text.capacity() == 0 => {
                    changed.text = change(text)
                }
                TextPiece::Text(text) => changed.push_text(&change(text)),
                code @ (TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_)) => {
                    changed.push(code)
                }
            }
        }
        changed.shrink();
        changed
    }

    /// Takes such characters away from the start and the end; they stay inside codes.
    pub fn trim(&mut self, is_space: impl Fn(char) -> bool) {
        self.trim_end(&is_space);
        let head = &self.text[..self
            .codes
            .first()
            .map_or(self.text.len(), |first| first.at())];
        let taken = head.len() - head.trim_start_matches(is_space).len();
        if taken > 0 {
            self.text.drain(..taken);
            self.codes
                .iter_mut()
                .for_each(|code| code.at -= short(taken));
        }
    }

    /// Takes such characters away from the end; they stay inside codes.
    pub fn trim_end(&mut self, is_space: impl Fn(char) -> bool) {
        let kept = self.tail().trim_end_matches(is_space).len();
        self.text
            .truncate(self.text.len() - self.tail().len() + kept);
    }

    /// The text behind the last code.
    pub(crate) fn tail(&self) -> &str {
        &self.text[self.codes.last().map_or(0, |last| last.at())..]
    }

    /// The text alone, codes left out.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text alone, to keep.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Whether any code stands in it.
    pub fn has_codes(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Whether nothing but white space is left when codes are left out.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Length of the text in characters, codes left out.
    pub(crate) fn characters(&self) -> usize {
        self.text.chars().count()
    }

    /// Whether any character is a letter of some script (R-A16).
    pub fn has_letter(&self) -> bool {
        has_letter(&self.text)
    }

    /// Words of the text, as budgets and reports count them.
    pub fn words(&self) -> usize {
        self.text
            .split_whitespace()
            .filter(|word| word.chars().any(char::is_alphanumeric))
            .count()
    }

    /// Writes the text in the notation of this module.
    pub fn to_markup(&self) -> String {
        let mut markup = String::new();
        self.write_markup(&mut markup);
        markup
    }

    /// Adds the text in the notation of this module.
    pub(crate) fn write_markup(&self, markup: &mut String) {
        // Half of the codes are `</g>`; few have more than one digit.
        markup.reserve(self.text.len() + self.codes.len() * 9);
        for piece in self.pieces() {
            let _ = match piece {
                TextPiece::Text(text) => {
                    escape(text, markup);
                    Ok(())
                }
                TextPiece::Open(id) => write!(markup, "<g id=\"{id}\">"),
                TextPiece::Close(_) => markup.write_str("</g>"),
                TextPiece::Single(id) => write!(markup, "<x id=\"{id}\"/>"),
            };
        }
    }

    /// Reads the notation of this module; character references are decoded exactly once.
    ///
    /// # Errors
    /// [`TextError::Markup`] for a tag that is no code, or a code with a number above [`HIGHEST_CODE`] or behind 4 GiB
    /// of text; [`TextError::Nesting`] for pairs that do not close.
    pub fn from_markup(markup: &str) -> Result<Self, TextError> {
        let mut text = Self::with_capacity(markup.len(), 0);
        let mut open = Vec::new();
        let mut rest = markup;
        while let Some(at) = rest.find('<') {
            text.push_text(&htmlize::unescape(&rest[..at]));
            let tail = &rest[at..];
            let refused = || TextError::Markup(tail.chars().take(40).collect());
            let Some((code, length)) = read_code(tail) else {
                if tail[1..]
                    .starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next))
                {
                    return Err(refused());
                }
                text.push_text("<");
                rest = &tail[1..];
                continue;
            };
            let code = match code {
                TextPiece::Open(id) => {
                    open.push(id);
                    code
                }
                TextPiece::Close(_) => {
                    TextPiece::Close(open.pop().ok_or_else(|| TextError::Markup("</g>".into()))?)
                }
                TextPiece::Single(_) | TextPiece::Text(_) => code,
            };
            text.codes
                .push(PlacedCode::new(text.text.len(), code).ok_or_else(refused)?);
            rest = &tail[length..];
        }
        text.push_text(&htmlize::unescape(rest));
        text.shrink();
        match open.pop() {
            Some(id) => Err(TextError::Nesting(id)),
            None => Ok(text),
        }
    }
}

/// In the notation of this module.
impl fmt::Debug for CodedText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_markup(), out)
    }
}

impl<'t> Extend<TextPiece<'t>> for CodedText {
    fn extend<I: IntoIterator<Item = TextPiece<'t>>>(&mut self, pieces: I) {
        pieces.into_iter().for_each(|piece| self.push(piece));
    }
}

impl<'t> FromIterator<TextPiece<'t>> for CodedText {
    fn from_iter<I: IntoIterator<Item = TextPiece<'t>>>(pieces: I) -> Self {
        let mut text = Self::default();
        text.extend(pieces);
        text.shrink();
        text
    }
}

/// Whether any character is a letter of some script.
pub(crate) fn has_letter(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic())
        || (!text.is_ascii() && text.chars().any(char::is_alphabetic))
}

/// Whether a text, as it is, would be markup.
pub(crate) fn needs_escape(text: &str) -> bool {
    has_byte(text.as_bytes(), |byte| {
        (byte == b'&') | (byte == b'<') | (byte == b'>')
    })
}

/// Writes text so that it holds no markup.
pub(crate) fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while needs_escape(rest)
        && let Some(at) = rest
            .bytes()
            .position(|byte| matches!(byte, b'&' | b'<' | b'>'))
    {
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

/// Reads one code at the start of `text`; gives its length in bytes.
fn read_code(text: &str) -> Option<(TextPiece<'static>, usize)> {
    if let Some(rest) = text.strip_prefix("</g") {
        let rest = rest.trim_start();
        return rest
            .starts_with('>')
            .then(|| (TextPiece::Close(0), text.len() - rest.len() + 1));
    }
    let (paired, rest) = match text.strip_prefix("<g") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("<x")?),
    };
    let rest = rest
        .strip_prefix(char::is_whitespace)?
        .trim_start()
        .strip_prefix("id")?
        .trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|character| matches!(character, '"' | '\''))?;
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
        (true, false) => Some((TextPiece::Open(id), length)),
        (false, true) => Some((TextPiece::Single(id), length)),
        (true, true) | (false, false) => None,
    }
}
