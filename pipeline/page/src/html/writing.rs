//! How a value is spelled where it stands, such as in an attribute, a JSON string or an element of a feed, in both
//! directions.

use std::borrow::Cow;

use super::bytes::{as_text, has_byte};
use super::space::{collapse, is_space};

/// How a value is written at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueWriting {
    /// As the value of an HTML attribute, with the quote around it.
    Attribute(Option<u8>),
    /// As a JSON string.
    Json,
    /// As a JSON string inside a script element, whose end it cannot spell (R-B8).
    ScriptJson,
    /// As a JSON string inside a script element of XHTML, which holds references and ends CDATA, too.
    XhtmlJson,
    /// As a string of a program, in single quotes.
    JsString,
    /// As text of an XML document.
    Xml,
    /// As an attribute of an XML document, with the quote around it.
    XmlAttribute(u8),
    /// Inside CDATA of an XML document.
    Cdata,
    /// As it is: markup that is part of an XML document.
    Xhtml,
}

impl ValueWriting {
    /// Spells a value.
    pub(crate) fn write(self, value: &str) -> String {
        match self {
            Self::Attribute(quote) => write_attribute(value, quote),
            Self::Json => write_json(value, &[]),
            // Neither `</script` nor `<!--` can come about.
            Self::ScriptJson => write_json(value, &['<']),
            Self::XhtmlJson => write_json(value, &['<', '>', '&']),
            Self::JsString => {
                write_json(value, &['\'', '\u{2028}', '\u{2029}']).replace("\\\"", "\"")
            }
            Self::Xml | Self::XmlAttribute(_) => write_xml(value, self),
            Self::Cdata => write_cdata(value),
            Self::Xhtml => value
                .chars()
                .filter(|&character| is_xml(character))
                .collect(),
        }
    }

    /// Reads how a value is spelled; nothing where only its own software understands it.
    pub(crate) fn read(self, raw: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(raw).ok()?;
        match self {
            Self::Attribute(_) => Some(htmlize::unescape_attribute(text).into_owned()),
            Self::Json | Self::ScriptJson | Self::XhtmlJson | Self::JsString => read_json(text),
            Self::Xml if text.contains("<![CDATA[") => read_mixed(text),
            Self::Xml | Self::XmlAttribute(_) => read_xml(text),
            Self::Cdata | Self::Xhtml => Some(text.to_owned()),
        }
    }
}

/// Writes a JSON string; what is `special` to what holds it is escaped.
fn write_json(value: &str, special: &[char]) -> String {
    let mut written = String::with_capacity(value.len() + 8);
    for character in value.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            escaped if escaped < ' ' || special.contains(&escaped) => {
                written.push_str(&format!("\\u{:04x}", u32::from(escaped)));
            }
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
pub(crate) fn is_xml(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// UTF-8 without the characters that XML cannot hold.
pub(crate) fn only_xml(text: &[u8]) -> Cow<'_, [u8]> {
    // The bytes that such characters begin with; 0xef begins others too.
    if !has_byte(text, |byte| byte < b' ' || byte == 0xef) {
        return Cow::Borrowed(text);
    }
    let fits = |character: &char| is_xml(*character);
    Cow::Owned(
        String::from_utf8_lossy(text)
            .chars()
            .filter(fits)
            .collect::<String>()
            .into_bytes(),
    )
}

fn write_xml(value: &str, writing: ValueWriting) -> String {
    let mut written = String::with_capacity(value.len() + 8);
    for character in value.chars().filter(|&character| is_xml(character)) {
        match (character, writing) {
            ('&', _) => written.push_str("&amp;"),
            ('<', _) => written.push_str("&lt;"),
            ('>', _) => written.push_str("&gt;"),
            ('"', ValueWriting::XmlAttribute(b'"')) => written.push_str("&quot;"),
            ('\'', ValueWriting::XmlAttribute(b'\'')) => written.push_str("&#39;"),
            (other, _) => written.push(other),
        }
    }
    written
}

fn write_cdata(value: &str) -> String {
    let text: String = value
        .chars()
        .filter(|&character| is_xml(character))
        .collect();
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

/// Writes a value between the quotes that are there; without quotes it gets some where HTML needs them (F-33).
pub(crate) fn write_attribute(value: &str, quote: Option<u8>) -> String {
    let needs_quotes = value.is_empty()
        || value.contains(|character: char| {
            is_space(character) || matches!(character, '"' | '\'' | '=' | '<' | '>' | '`')
        })
        || value.ends_with('/');
    let mut written = String::with_capacity(value.len() + 8);
    let add = quote.is_none() && needs_quotes;
    if add {
        written.push('"');
    }
    for character in value.chars() {
        match character {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '"' if quote != Some(b'\'') => written.push_str("&quot;"),
            '\'' if quote == Some(b'\'') => written.push_str("&#39;"),
            other => written.push(other),
        }
    }
    if add {
        written.push('"');
    }
    written
}

/// The text of a value as people read it.
pub(crate) fn text_of(raw: &[u8], writing: ValueWriting) -> Option<String> {
    let decoded = match writing {
        ValueWriting::Attribute(_) => htmlize::unescape_attribute(as_text(raw)),
        other => Cow::Owned(other.read(raw)?),
    };
    Some(collapse(Cow::Borrowed(
        without_controls(&decoded).trim_matches(is_space),
    )))
}

/// Text without the characters that HTML cannot hold.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    // The bytes that such characters begin with; 0xc2 begins others too.
    let is_space = |byte: u8| (byte == b'\t') | (byte == b'\n') | (byte == b'\r') | (byte == 0xc);
    let suspicious = |byte: u8| ((byte < b' ') & !is_space(byte)) | (byte == 0x7f) | (byte == 0xc2);
    if has_byte(text.as_bytes(), suspicious) && text.contains(is_control) {
        Cow::Owned(text.replace(is_control, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Characters that HTML text cannot hold.
fn is_control(character: char) -> bool {
    character.is_control() && !is_space(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            "",
            "plain",
            "a & b < c > \"d\" 'e' \\ /",
            "]]> ]]&gt; </script> <!-- &lt;",
            "é 漢字 😀\n\tx",
        ];
        for writing in [
            ValueWriting::Attribute(Some(b'"')),
            ValueWriting::Attribute(Some(b'\'')),
            ValueWriting::Json,
            ValueWriting::ScriptJson,
            ValueWriting::XhtmlJson,
            ValueWriting::Xml,
            ValueWriting::XmlAttribute(b'"'),
            ValueWriting::XmlAttribute(b'\''),
        ] {
            for text in texts {
                let written = writing.write(text);
                assert_eq!(
                    writing.read(written.as_bytes()).as_deref(),
                    Some(text),
                    "{writing:?}: {written}"
                );
            }
        }
        for text in texts {
            let written = format!("<![CDATA[{}]]>", ValueWriting::Cdata.write(text));
            assert_eq!(
                ValueWriting::Xml.read(written.as_bytes()).as_deref(),
                Some(text),
                "{written}"
            );
        }
    }

    #[test]
    fn a_script_never_ends_inside_its_json_r_b8() {
        assert_eq!(
            ValueWriting::ScriptJson.write("</script><!--"),
            "\\u003c/script>\\u003c!--"
        );
        assert_eq!(
            ValueWriting::XhtmlJson.write("</script>&]]>"),
            "\\u003c/script\\u003e\\u0026]]\\u003e"
        );
        assert_eq!(ValueWriting::Json.write("</p>"), "</p>");
    }

    #[test]
    fn what_cannot_be_understood_is_not_read() {
        for raw in [r"\ud83d", r"\ud83d\n", r"\ude00"] {
            assert_eq!(ValueWriting::Json.read(raw.as_bytes()), None, "{raw}");
        }
        assert_eq!(
            ValueWriting::Json.read(br"\ud83d\ude00 \/").as_deref(),
            Some("😀 /")
        );
        for raw in ["a &nbsp; b", "a & b", "&#0;", "&#xffff;"] {
            assert_eq!(ValueWriting::Xml.read(raw.as_bytes()), None, "{raw}");
        }
        assert_eq!(
            ValueWriting::Xml
                .read("&#xe9;&#233;&apos;".as_bytes())
                .as_deref(),
            Some("éé'")
        );
        assert_eq!(ValueWriting::Xml.read(b"\xff"), None);
    }
}
