//! The state that a framework sends along as JSON: where a string in it is a text of the page, both change together,
//! so that the script which takes the page over finds what it expects (R-I3). Only where the site asks for it.
//!
//! Rows of React Server Components are not read: they count their own bytes (R-I4).

use std::collections::HashMap;

use super::found::PageFindings;
use crate::html::json;
use crate::html::tokens::{PageTokens, StartTag, TextKind, TokenKind};
use crate::html::writing::ValueWriting;

/// Keys whose values mean something to programs, sorted; a word that is also shown stays as it is there.
const MEANT_FOR_PROGRAMS: [&str; 14] = [
    "__typename",
    "buildId",
    "class",
    "className",
    "href",
    "id",
    "key",
    "locale",
    "page",
    "path",
    "query",
    "slug",
    "type",
    "url",
];

/// Adds the strings of a page's state that are texts of the page.
pub(crate) fn find(source: &[u8], tokens: &PageTokens, found: &mut PageFindings) {
    let mut texts = HashMap::new();
    for unit in &found.units {
        let segment = unit.segment(source, &found.parts);
        if segment.codes.is_empty() {
            texts
                .entry(segment.text.into_text())
                .or_insert_with(|| unit.clone());
        }
    }
    for (tag, after) in tokens.iter().zip(tokens.from(1)) {
        let (TokenKind::Start(tag), TokenKind::Text(TextKind::Raw)) = (&tag.kind, &after.kind)
        else {
            continue;
        };
        let Some(json) = json::read(source, after.range).filter(|_| is_state(source, tag)) else {
            continue;
        };
        for string in &json.strings {
            let for_programs = json
                .key(source, string)
                .is_some_and(|key| MEANT_FOR_PROGRAMS.contains(&key));
            let value = source
                .get(string.range())
                .and_then(|raw| ValueWriting::ScriptJson.read(raw));
            if let Some(unit) = value
                .and_then(|value| texts.get(&value))
                .filter(|_| !for_programs)
            {
                found
                    .units
                    .push(unit.twin(string.range(), ValueWriting::ScriptJson));
            }
        }
    }
    found.sort();
}

/// Whether a tag begins a script that holds a page's state.
fn is_state(source: &[u8], tag: &StartTag<'_>) -> bool {
    let says = |name: &str, wanted: &str| {
        tag.value(source, name)
            .is_some_and(|value| value.trim() == wanted)
    };
    &*tag.name == "script" && (says("type", "application/json") || says("id", "__NEXT_DATA__"))
}
