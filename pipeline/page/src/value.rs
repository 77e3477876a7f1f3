//! Values: texts that stand whole between two marks, such as a JSON string or an element of a feed.
//!
//! [`Writing`] knows how a value is spelled where it stands, in both directions. [`find`] makes what it reads into
//! units, or into a page of its own where the value is HTML.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::TextClass;
use super::render::{without_controls, write_attribute};
use super::segment::{Found, InnerPlace};
use super::space::{collapse, is_space, trim};
use super::text::has_letter;
use super::unit::Unit;

/// How a value is written at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// As the value of an HTML attribute, with the quote around it.
    Attribute(Option<u8>),
    /// As a JSON string.
    Json,
    /// As a JSON string inside a script element, whose end it cannot spell (R-B8).
    ScriptJson,
    /// As text of an XML document.
    Xml,
    /// As an attribute of an XML document, with the quote around it.
    XmlAttribute(u8),
    /// Inside CDATA of an XML document.
    Cdata,
    /// As it is: markup that is part of an XML document.
    Xhtml,
}

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Text,
    Html,
    /// HTML where it looks like HTML, otherwise text.
    Either,
}

/// A value that people read.
pub(super) struct Value<'a> {
    pub(super) range: Range<usize>,
    pub(super) writing: Writing,
    pub(super) reading: Reading,
    /// What it is, such as `rss title`.
    pub(super) origin: &'a str,
    /// The address against which its links count, where that is not the document's.
    pub(super) base: Option<&'a Arc<str>>,
}

/// Adds a value's texts to what is found.
pub(super) fn find(source: &[u8], value: &Value<'_>, found: &mut Found) {
    let Some(raw) = source.get(value.range.clone()) else { return };
    let Some(decoded) = value.writing.read(raw) else { return };
    let is_html = match value.reading {
        Reading::Text => false,
        Reading::Html => true,
        Reading::Either => looks_like_html(&decoded),
    };
    if is_html {
        let base = value.base.cloned();
        found.inner.push(InnerPlace { value: value.range.clone(), writing: value.writing, html: decoded, base });
        return;
    }
    for line in lines(raw, value.writing) {
        let range = trim(source, value.range.start + line.start..value.range.start + line.end);
        let text = text_of(&source[range.clone()], value.writing);
        if text.is_some_and(|text| has_letter(&text) && !is_address(&text)) {
            let origin = value.origin.to_owned();
            found.units.push(Unit::value(range, value.writing, TextClass::Prose, origin, None));
        }
    }
}

/// The text of a value as people read it.
pub(super) fn text_of(raw: &[u8], writing: Writing) -> Option<String> {
    let decoded = match writing {
        Writing::Attribute(_) => htmlize::unescape_attribute(String::from_utf8_lossy(raw)),
        other => Cow::Owned(other.read(raw)?),
    };
    Some(collapse(Cow::Borrowed(without_controls(&decoded).trim_matches(is_space))))
}

/// Whether a value is written with tags or character references.
fn looks_like_html(text: &str) -> bool {
    text.match_indices(['<', '&']).any(|(at, mark)| {
        let rest = &text[at + 1..];
        match mark {
            "<" => {
                let name = rest.strip_prefix('/').unwrap_or(rest);
                let length = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
                name.starts_with(|letter: char| letter.is_ascii_alphabetic())
                    && name[length..].starts_with(['>', ' ', '/', '\t', '\r', '\n'])
            }
            _ => {
                let name = rest.strip_prefix('#').unwrap_or(rest);
                let length = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
                length > 0 && name[length..].starts_with(';')
            }
        }
    })
}

/// Whether a text is an address, which nobody translates.
fn is_address(text: &str) -> bool {
    ["http://", "https://", "mailto:"].iter().any(|scheme| text.starts_with(scheme)) && !text.contains(is_space)
}

/// The lines of a value; those of a JSON string are texts of their own, so that paragraphs stay apart. In markup a
/// line ends where somebody's editor ended it.
fn lines(raw: &[u8], writing: Writing) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < raw.len() && matches!(writing, Writing::Json | Writing::ScriptJson) {
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

impl Writing {
    /// Spells a value.
    pub(super) fn write(self, value: &str) -> String {
        match self {
            Self::Attribute(quote) => write_attribute(value, quote),
            Self::Json | Self::ScriptJson => write_json(value, self == Self::ScriptJson),
            Self::Xml | Self::XmlAttribute(_) => write_xml(value, self),
            Self::Cdata => write_cdata(value),
            Self::Xhtml => value.chars().filter(|&character| is_xml(character)).collect(),
        }
    }

    /// Reads how a value is spelled; nothing where only its own software understands it.
    pub(super) fn read(self, raw: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(raw).ok()?;
        match self {
            Self::Attribute(_) => Some(htmlize::unescape_attribute(text).into_owned()),
            Self::Json | Self::ScriptJson => read_json(text),
            Self::Xml if text.contains("<![CDATA[") => read_mixed(text),
            Self::Xml | Self::XmlAttribute(_) => read_xml(text),
            Self::Cdata | Self::Xhtml => Some(text.to_owned()),
        }
    }
}

fn write_json(value: &str, in_script: bool) -> String {
    let mut written = String::with_capacity(value.len() + 8);
    for character in value.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            // Neither `</script` nor `<!--` can come about.
            '<' if in_script => written.push_str("\\u003c"),
            control if control < ' ' => written.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => written.push(other),
        }
    }
    written
}

fn read_json(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let letter = escaped.chars().next()?;
        rest = &escaped[letter.len_utf8()..];
        text.push(match letter {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (unit, after) = utf_16_unit(rest)?;
                rest = after;
                match unit {
                    0xd800..=0xdbff => {
                        let (low, after) = utf_16_unit(rest.strip_prefix("\\u")?)?;
                        rest = after;
                        char::decode_utf16([unit, low]).next()?.ok()?
                    }
                    unit => char::from_u32(u32::from(unit))?,
                }
            }
            other => other,
        });
    }
    text.push_str(rest);
    Some(text)
}

fn utf_16_unit(text: &str) -> Option<(u16, &str)> {
    let digits = text.get(..4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, &text[4..]))
}

/// Whether XML can hold a character.
fn is_xml(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn write_xml(value: &str, writing: Writing) -> String {
    let mut written = String::with_capacity(value.len() + 8);
    for character in value.chars().filter(|&character| is_xml(character)) {
        match (character, writing) {
            ('&', _) => written.push_str("&amp;"),
            ('<', _) => written.push_str("&lt;"),
            ('>', _) => written.push_str("&gt;"),
            ('"', Writing::XmlAttribute(b'"')) => written.push_str("&quot;"),
            ('\'', Writing::XmlAttribute(b'\'')) => written.push_str("&#39;"),
            (other, _) => written.push(other),
        }
    }
    written
}

fn write_cdata(value: &str) -> String {
    let text: String = value.chars().filter(|&character| is_xml(character)).collect();
    text.replace("]]>", "]]]]><![CDATA[>")
}

/// Reads text whose only references are XML's own; others may mean whatever its DTD says.
fn read_xml(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        let (name, after) = rest[at + 1..].split_once(';')?;
        text.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code).filter(|&character| is_xml(character))?
            }
        });
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// Reads text that goes in and out of CDATA.
fn read_mixed(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once("<![CDATA[") {
        let (inside, after) = after.split_once("]]>")?;
        text.push_str(&read_xml(before)?);
        text.push_str(inside);
        rest = after;
    }
    text.push_str(&read_xml(rest)?);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let texts = ["", "plain", "a & b < c > \"d\" 'e' \\ /", "]]> ]]&gt; </script> <!-- &lt;", "é 漢字 😀\n\tx"];
        for writing in [
            Writing::Attribute(Some(b'"')),
            Writing::Attribute(Some(b'\'')),
            Writing::Json,
            Writing::ScriptJson,
            Writing::Xml,
            Writing::XmlAttribute(b'"'),
            Writing::XmlAttribute(b'\''),
        ] {
            for text in texts {
                let written = writing.write(text);
                assert_eq!(writing.read(written.as_bytes()).as_deref(), Some(text), "{writing:?}: {written}");
            }
        }
        for text in texts {
            let written = format!("<![CDATA[{}]]>", Writing::Cdata.write(text));
            assert_eq!(Writing::Xml.read(written.as_bytes()).as_deref(), Some(text), "{written}");
        }
    }

    #[test]
    fn a_script_never_ends_inside_its_json_r_b8() {
        assert_eq!(Writing::ScriptJson.write("</script><!--"), "\\u003c/script>\\u003c!--");
        assert_eq!(Writing::Json.write("</p>"), "</p>");
    }

    #[test]
    fn what_cannot_be_understood_is_not_read() {
        for raw in [r"\ud83d", r"\ud83d\n", r"\ude00"] {
            assert_eq!(Writing::Json.read(raw.as_bytes()), None, "{raw}");
        }
        assert_eq!(Writing::Json.read(br"\ud83d\ude00 \/").as_deref(), Some("😀 /"));
        for raw in ["a &nbsp; b", "a & b", "&#0;", "&#xffff;"] {
            assert_eq!(Writing::Xml.read(raw.as_bytes()), None, "{raw}");
        }
        assert_eq!(Writing::Xml.read("&#xe9;&#233;&apos;".as_bytes()).as_deref(), Some("éé'"));
        assert_eq!(Writing::Xml.read(b"\xff"), None);
    }

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
