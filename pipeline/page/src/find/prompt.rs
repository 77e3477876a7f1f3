//! What an old search box says in its `value` until somebody writes into it ("Search…"): text for readers, unless a script
//! of the page compares it.

use std::ops::Range;

use super::attributes::kind;
use crate::html::tags;
use crate::html::tokens::{PageTokens, StartTag, TagAttribute, TextKind, TokenKind};

/// How many values of a page are looked at: more boxes to search with exist only to hurt.
pub(super) const MOST: usize = 4;

/// The names that boxes to search with have, sorted.
const NAMES: [&str; 9] = [
    "keyword",
    "keywords",
    "q",
    "query",
    "s",
    "search",
    "search_query",
    "searchstring",
    "searchword",
];

/// Whether an attribute is the value of such a box. Where there is a placeholder, the value is none.
pub(super) fn is_candidate(source: &[u8], tag: &StartTag<'_>, attribute: &TagAttribute) -> bool {
    let is_box = || matches!(kind(source, tag).as_deref(), None | Some("text" | "search"));
    let is_named = |name: &str| {
        NAMES
            .binary_search(&name.trim().to_ascii_lowercase().as_str())
            .is_ok()
    };
    (&*tag.name, attribute.name()) == ("input", "value")
        && !tag.has("placeholder")
        && is_box()
        && tag
            .value(source, "name")
            .is_some_and(|name| is_named(&name))
}

/// Whether neither a script of the page nor a handler of an element holds a value, or its first word, as a string.
pub(super) fn is_nobodys(source: &[u8], tokens: &PageTokens, value: &str) -> bool {
    let mut words = value.split(|letter: char| !letter.is_alphanumeric());
    let Some(word) = words.find(|word| !word.is_empty()) else {
        return false;
    };
    let holds = |range: Range<usize>| {
        let program = String::from_utf8_lossy(&source[range]);
        let is_string = |(at, _): (usize, &str)| program[..at].ends_with(['"', '\'', '`', ';']);
        program.match_indices(word).any(is_string)
    };
    tokens.iter().all(|token| match token.kind {
        TokenKind::Text(TextKind::Raw) => !holds(token.range),
        TokenKind::Start(_) => !tags::handlers(source, token.range).into_iter().any(&holds),
        TokenKind::End(_) | TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype => true,
    })
}
