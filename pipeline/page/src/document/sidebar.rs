//! The sidebar of an mdBook as places: a program puts it in, as HTML in one of its strings.
//!
//! Only that string is looked into; the program is no text.

use std::ops::Range;

use super::places::{Document, SNIFFED};
use crate::find::value::{self, TextValue, ValueReading};
use crate::html::writing::ValueWriting;

/// What stands before the string.
const BEFORE: &[u8] = b".innerHTML = '";

/// Whether a program is one that puts the sidebar in.
pub(super) fn is_sidebar(body: &[u8]) -> bool {
    let name = b"MDBookSidebarScrollbox";
    body[..body.len().min(SNIFFED)]
        .windows(name.len())
        .any(|window| window == name)
        && string(body).is_some()
}

/// Finds the places of a sidebar.
pub(super) fn find(source: &[u8]) -> Option<Document> {
    let mut document = Document::default();
    let value = TextValue {
        range: string(source)?,
        writing: ValueWriting::JsString,
        reading: ValueReading::Html,
        origin: "sidebar",
        base: None,
    };
    value::find(source, &value, &mut document.texts);
    Some(document)
}

/// The bytes between the quotes of the string.
fn string(source: &[u8]) -> Option<Range<usize>> {
    let start = source
        .windows(BEFORE.len())
        .position(|window| window == BEFORE)?
        + BEFORE.len();
    let mut at = start;
    loop {
        match source.get(at)? {
            b'\'' => return Some(start..at),
            b'\\' => at += 2,
            b'\n' => return None,
            _ => at += 1,
        }
    }
}
