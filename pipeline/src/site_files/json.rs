//! JSON that can stand in a page. Pure.

use serde::Serialize;

/// JSON that can stand in a script element. Outside of texts it has none of these characters, and in texts all of
/// them may be written so.
pub(super) fn script_json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(character)))
            }
            _ => safe.push(character),
        }
    }
    safe
}
