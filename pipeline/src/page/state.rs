//! The state that a framework sends along as JSON: where a string in it is a text of the page, both change together,
//! so that the script which takes the page over finds what it expects (R-I3). Only where the site asks for it.
//!
//! Rows of React Server Components are not read: they count their own bytes (R-I4).

use std::collections::HashMap;

use super::json;
use super::scan::{Tag, TextKind, Token, TokenKind};
use super::segment::{Found, Place, Unit};
use super::value::Writing;

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
pub(super) fn find(source: &[u8], tokens: &[Token], found: &mut Found) {
    let plain = found.units.iter().filter(|unit| unit.segment.codes.is_empty());
    let mut texts = HashMap::new();
    for unit in plain {
        texts.entry(unit.segment.text.text()).or_insert_with(|| unit.segment.clone());
    }
    for pair in tokens.windows(2) {
        let [Token { kind: TokenKind::Start(tag), .. }, Token { kind: TokenKind::Text(TextKind::Raw), range }] = pair
        else {
            continue;
        };
        let Some(json) = json::read(source, range.clone()).filter(|_| is_state(source, tag)) else { continue };
        for string in &json.strings {
            let for_programs = json.key(source, string).is_some_and(|key| MEANT_FOR_PROGRAMS.contains(&key));
            let value = source.get(string.range.clone()).and_then(|raw| Writing::ScriptJson.read(raw));
            if let Some(segment) = value.and_then(|value| texts.get(&value)).filter(|_| !for_programs) {
                let place = Place::Value { range: string.range.clone(), writing: Writing::ScriptJson };
                found.units.push(Unit { segment: segment.clone(), place });
            }
        }
    }
    found.units.sort_by_key(|unit| unit.place.start());
}

/// Whether a tag begins a script that holds a page's state.
fn is_state(source: &[u8], tag: &Tag) -> bool {
    let says = |name: &str, wanted: &str| tag.value(source, name).is_some_and(|value| value.trim() == wanted);
    &*tag.name == "script" && (says("type", "application/json") || says("id", "__NEXT_DATA__"))
}
