//! Values: texts that stand whole between two marks, such as a JSON string or an element of a feed.
//!
//! [`find`] makes what it reads into units, or into a page of its own where the value is HTML.

use std::ops::Range;
use std::sync::Arc;

use super::found::{InnerPlace, PageFindings};
use super::unit::TextUnit;
use crate::html::space::{is_space, trim};
use crate::html::writing::{ValueWriting, text_of};
use crate::text::coded::has_letter;
use crate::text::segment::TextClass;

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueReading {
    Text,
    Html,
    /// HTML where it looks like HTML, otherwise text.
    Either,
}

/// A value that people read.
pub(crate) struct TextValue<'a> {
    pub(crate) range: Range<usize>,
    pub(crate) writing: ValueWriting,
    pub(crate) reading: ValueReading,
    /// What it is, such as `rss title`.
    pub(crate) origin: &'a str,
    /// The address against which its links count, where that is not the document's.
    pub(crate) base: Option<&'a Arc<str>>,
}

/// Adds a value's texts to what is found.
pub(crate) fn find(source: &[u8], value: &TextValue<'_>, found: &mut PageFindings) {
    let Some(raw) = source.get(value.range.clone()) else {
        return;
    };
    let Some(decoded) = value.writing.read(raw) else {
        return;
    };
    let is_html = match value.reading {
        ValueReading::Text => false,
        ValueReading::Html => true,
        ValueReading::Either => looks_like_html(&decoded),
    };
    if is_html {
        let base = value.base.cloned();
        found.inner.push(InnerPlace {
            value: value.range.clone(),
            writing: value.writing,
            html: decoded,
            base,
        });
        return;
    }
    for line in lines(raw, value.writing) {
        let range = trim(
            source,
            value.range.start + line.start..value.range.start + line.end,
        );
        let text = text_of(&source[range.clone()], value.writing);
        if text.is_some_and(|text| has_letter(&text) && !is_address(&text)) {
            let origin = value.origin.to_owned();
            found.push_value(TextUnit::value(
                range,
                value.writing,
                TextClass::Prose,
                origin,
                None,
            ));
        }
    }
}

/// Whether a value is written with tags or character references.
fn looks_like_html(text: &str) -> bool {
    text.match_indices(['<', '&']).any(|(at, mark)| {
        let rest = &text[at + 1..];
        match mark {
            "<" => {
                let name = rest.strip_prefix('/').unwrap_or(rest);
                let length = name
                    .find(|letter: char| !letter.is_ascii_alphanumeric())
                    .unwrap_or(name.len());
                name.starts_with(|letter: char| letter.is_ascii_alphabetic())
                    && name[length..].starts_with(['>', ' ', '/', '\t', '\r', '\n'])
            }
            _ => {
                let name = rest.strip_prefix('#').unwrap_or(rest);
                let length = name
                    .find(|letter: char| !letter.is_ascii_alphanumeric())
                    .unwrap_or(name.len());
                length > 0 && name[length..].starts_with(';')
            }
        }
    })
}

/// Whether a text is an address, which nobody translates.
fn is_address(text: &str) -> bool {
    ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
        && !text.contains(is_space)
}

/// The lines of a value; those of a JSON string are texts of their own, so that paragraphs stay apart. In markup a
/// line ends where somebody's editor ended it.
fn lines(raw: &[u8], writing: ValueWriting) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < raw.len()
        && matches!(
            writing,
            ValueWriting::Json | ValueWriting::ScriptJson | ValueWriting::XhtmlJson
        )
    {
        match (raw[at], raw.get(at + 1)) {
            (b'\\', Some(b'n' | b'r')) => {
                lines.push(start..at);
                at += 2;
                start = at;
            }
            (b'\\', _) => at += 2,
            _ => at += 1,
        }
    }
    lines.push(start..raw.len());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_told_from_text() {
        for (text, is_html) in [
            ("<p>x</p>", true),
            ("a<br/>b", true),
            ("x</b>", true),
            ("Tom &amp; Jerry", true),
            ("&#8217;", true),
            ("a < b", false),
            ("I <3 you", false),
            ("Tom & Jerry; more", false),
            ("List<String", false),
        ] {
            assert_eq!(looks_like_html(text), is_html, "{text}");
        }
    }
}
