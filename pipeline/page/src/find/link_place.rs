//! An address where it stands in a page, and how another is written there.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::found::LangPlace;
use crate::Locale;
use crate::html::element::ElementName;
use crate::html::writing::{self, write_attribute};

/// An address in a page: the bytes to replace and the address they spell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkPlace {
    pub(crate) range: Range<usize>,
    /// The address that they spell, where that is not what they say; most addresses are written as they are.
    pub(crate) spelled: Option<Box<str>>,
    /// Whether the query is written otherwise, in characters that only the page's own encoding sends so.
    pub(crate) respelled: bool,
    pub(crate) element: ElementName,
    /// The attribute that holds it; `url`, `file` or `id` if it is a statement, `module` or `possible` for a program's.
    pub(crate) attribute: &'static str,
    pub(crate) rel: Arc<[String]>,
    /// The language that a language link names.
    pub(crate) language: Option<Locale>,
    /// The value of `hreflang` on any other link.
    pub(crate) hreflang: Option<Box<LangPlace>>,
    pub(crate) writing: AddressWriting,
}

impl LinkPlace {
    /// The address: decoded, white space around it trimmed, its query as browsers send it from this page (R-D6).
    pub(crate) fn address<'p>(&'p self, source: &'p [u8]) -> &'p str {
        let written = || std::str::from_utf8(&source[self.range.clone()]).unwrap_or_default();
        self.spelled.as_deref().unwrap_or_else(written)
    }

    /// True if programs read the address away from the page: in structured data and in the content of a `<meta>`.
    pub(crate) fn is_statement(&self) -> bool {
        let is_meta = &*self.element == "meta" && matches!(self.writing, AddressWriting::Whole(_));
        is_meta || matches!(self.writing, AddressWriting::Value(_))
    }
}

/// What to keep of an address that is read from a page: nothing where it is written as it is.
pub(crate) fn spelled(address: Cow<'_, str>, written: &[u8]) -> Option<Box<str>> {
    (address.as_bytes() != written).then(|| address.into())
}

/// How an address is written at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressWriting {
    /// An attribute's whole value, with the quote around it.
    Whole(Option<u8>),
    /// A part of an attribute's value: srcset, meta refresh, style.
    Part(Option<u8>),
    /// A value that is no attribute of HTML.
    Value(writing::ValueWriting),
    /// Style sheet text.
    Css,
    /// Style sheet text in XHTML, where references may stand.
    XhtmlCss,
    /// A part of an attribute that holds CSS, with escapes of CSS or references in the place of its quotes.
    Style(Option<u8>),
    /// Style sheet text with escapes.
    EscapedCss,
    /// A string of a program, in whatever quotes.
    Program,
    /// It can be read, but is not written anew.
    Fixed,
}

/// Writes an address at its place (R-E5); gives nothing when it cannot be written there.
pub(crate) fn write_link(place: &LinkPlace, address: &str) -> Option<String> {
    Some(match place.writing {
        AddressWriting::Fixed => return None,
        AddressWriting::Whole(quote) => write_attribute(address, quote),
        AddressWriting::Value(writing) => writing.write(address),
        AddressWriting::Part(Some(quote)) => write_attribute(address, Some(quote)),
        AddressWriting::Part(None) => write_attribute(&css_safe(address), Some(b'"')),
        AddressWriting::Css => css_safe(address),
        AddressWriting::XhtmlCss => css_safe(address).replace('&', "\\26 "),
        AddressWriting::Style(Some(quote)) => write_attribute(&css_escaped(address), Some(quote)),
        AddressWriting::Style(None) => write_attribute(&css_safe(address), Some(b'"')),
        AddressWriting::EscapedCss => css_escaped(address),
        AddressWriting::Program => css_safe(address).replace('`', "%60").replace("${", "$%7B"),
    })
}

/// An address in a style sheet that escapes what it has to: the source spelled it so.
fn css_escaped(address: &str) -> String {
    let mut escaped = String::with_capacity(address.len());
    for character in address.replace("%20", " ").chars() {
        match character {
            ' ' | '(' | ')' | '\'' | '"' => escaped.extend(['\\', character]),
            '<' => escaped.push_str("%3C"),
            '\\' => escaped.push_str("%5C"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn css_safe(address: &str) -> String {
    let mut safe = String::with_capacity(address.len());
    for character in address.chars() {
        match character {
            '(' => safe.push_str("%28"),
            ')' => safe.push_str("%29"),
            '\'' => safe.push_str("%27"),
            '"' => safe.push_str("%22"),
            ' ' => safe.push_str("%20"),
            '<' => safe.push_str("%3C"),
            '>' => safe.push_str("%3E"),
            '\\' => safe.push_str("%5C"),
            other => safe.push(other),
        }
    }
    safe
}
