//! Texts as editors show them to people: nothing is escaped, and codes are `<1>…</1>` and `<2/>`.

use std::fmt::Write as _;

use super::{CodedText, TextError, TextPiece, escape};
use crate::text::code::{CodeKind, InlineCode};

impl CodedText {
    /// Writes the text for an editor.
    pub fn to_numbered(&self) -> String {
        let mut shown = String::new();
        for piece in self.pieces() {
            let _ = match piece {
                TextPiece::Text(text) => shown.write_str(text),
                TextPiece::Open(id) => write!(shown, "<{id}>"),
                TextPiece::Close(id) => write!(shown, "</{id}>"),
                TextPiece::Single(id) => write!(shown, "<{id}/>"),
            };
        }
        shown
    }

    /// Reads what an editor has of the translation of a text with these codes. What looks like a code and is none of these is
    /// text.
    ///
    /// # Errors
    /// [`TextError::Nesting`] for pairs that overlap or do not close.
    pub fn from_numbered(shown: &str, codes: &[InlineCode]) -> Result<Self, TextError> {
        let mut markup = String::new();
        let mut open = Vec::new();
        let mut rest = shown;
        while let Some(at) = rest.find('<') {
            escape(&rest[..at], &mut markup);
            let tail = &rest[at..];
            let Some((code, length)) = read_code(tail, codes) else {
                escape("<", &mut markup);
                rest = &tail[1..];
                continue;
            };
            let _ = match code {
                TextPiece::Open(id) => {
                    open.push(id);
                    write!(markup, "<g id=\"{id}\">")
                }
                TextPiece::Close(id) => {
                    if open.pop() != Some(id) {
                        return Err(TextError::Nesting(id));
                    }
                    markup.write_str("</g>")
                }
                TextPiece::Single(id) => write!(markup, "<x id=\"{id}\"/>"),
                TextPiece::Text(_) => Ok(()),
            };
            rest = &tail[length..];
        }
        escape(rest, &mut markup);
        if let Some(id) = open.pop() {
            return Err(TextError::Nesting(id));
        }
        Self::from_markup(&markup)
    }
}

/// The code at the beginning of a text, with its length, if it is one of these.
fn read_code(text: &str, codes: &[InlineCode]) -> Option<(TextPiece<'static>, usize)> {
    let (inner, _) = text.strip_prefix('<')?.split_once('>')?;
    let length = inner.len() + 2;
    let closes = inner.strip_prefix('/');
    let stands = inner.strip_suffix('/');
    let number = closes.or(stands).unwrap_or(inner);
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let id: u32 = number.parse().ok()?;
    let code = codes.get(usize::try_from(id).ok()?.checked_sub(1)?)?;
    let is_pair = code.kind == CodeKind::Paired;
    let piece = match (closes.is_some(), stands.is_some()) {
        (true, _) if is_pair => TextPiece::Close(id),
        (false, true) if !is_pair => TextPiece::Single(id),
        (false, false) if is_pair => TextPiece::Open(id),
        _ => return None,
    };
    Some((piece, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Locale, Page};

    #[test]
    fn what_an_editor_shows_comes_back() {
        let page = b"<p>See <a href=a>our <b>new</b> oven</a> &amp; bread<br>1 < 2";
        let page = Page::parse(page, None, &Locale::parse("en").unwrap());
        let segment = page.segment(0).unwrap();
        let shown = segment.text.to_numbered();
        assert_eq!(shown, "See <1>our <2>new</2> oven</1> & bread<3/>1 < 2");
        let read = |shown: &str| CodedText::from_numbered(shown, &segment.codes);
        assert_eq!(read(&shown), Ok(segment.text.clone()));
        let markup = |shown: &str| read(shown).unwrap().to_markup();
        assert_eq!(
            markup("<4>a</4> <b> <1/> </3>"),
            "&lt;4&gt;a&lt;/4&gt; &lt;b&gt; &lt;1/&gt; &lt;/3&gt;"
        );
        assert_eq!(read("<1>a"), Err(TextError::Nesting(1)));
        assert_eq!(read("<1><2>a</1></2>"), Err(TextError::Nesting(1)));
    }
}
