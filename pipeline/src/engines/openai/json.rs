//! Lenient parser for JSON from language models: surrounded by prose, with trailing commas, raw line breaks and single
//! quotes.

use serde_json::Value;

/// Limit for the brackets at which a value is tried. Reasoning has many that begin none.
const MOST_STARTS: usize = 2_000;

/// A value in a text.
pub(super) struct FoundValue {
    pub(super) value: Value,
    /// Byte offset of its end.
    pub(super) end: usize,
}

/// Objects and lists in a text, from left to right, never nested in each other.
pub(super) fn values(text: &str) -> Vec<FoundValue> {
    let mut found: Vec<FoundValue> = Vec::new();
    let mut from = 0;
    for (start, _) in text.match_indices(['{', '[']).take(MOST_STARTS) {
        if start < from {
            continue;
        }
        let rest = &text[start..];
        if let Some((value, length)) = strict(rest).or_else(|| lenient(rest)) {
            from = start + length;
            found.push(FoundValue { value, end: from });
        }
    }
    found
}

/// The value at the beginning of a text, and its length.
fn strict(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// Value at the beginning of a text after repairs, and its length.
fn lenient(text: &str) -> Option<(Value, usize)> {
    // Most brackets in prose begin no value.
    if !text[1..].trim_start().starts_with(['"', '\'', '{', '[']) {
        return None;
    }
    let (mended, length) = mended(text)?;
    Some((serde_json::from_str(&mended).ok()?, length))
}

/// Repairs the value at the beginning of a text; `None` if it is not closed.
fn mended(text: &str) -> Option<(String, usize)> {
    let mut json = String::with_capacity(text.len());
    let mut quote = None;
    let mut is_escaped = false;
    let mut has_comma = false;
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        if let Some(end) = quote {
            let ends = character == end && !is_escaped && is_followed_by_sign(&text[at + 1..]);
            if character == end && !is_escaped && !ends {
                json.push_str(if end == '"' { "\\\"" } else { "'" });
                continue;
            }
            push_inner(&mut json, character, end, is_escaped);
            is_escaped = character == '\\' && !is_escaped;
            if ends {
                quote = None;
            }
            continue;
        }
        if has_comma && !character.is_whitespace() {
            if !matches!(character, ']' | '}') {
                json.push(',');
            }
            has_comma = false;
        }
        match character {
            ',' => has_comma = true,
            '"' | '\'' => {
                quote = Some(character);
                json.push('"');
            }
            '{' | '[' => {
                depth += 1;
                json.push(character);
            }
            '}' | ']' => {
                depth = depth.checked_sub(1)?;
                json.push(character);
                if depth == 0 {
                    return Some((json, at + 1));
                }
            }
            other => json.push(other),
        }
    }
    None
}

/// True if a string may end here. Models forget to escape quotation marks, as in `<g id="1">`.
fn is_followed_by_sign(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with([',', ':', '}', ']'])
}

/// Writes a character of a string. A backslash is written together with the character after it.
fn push_inner(json: &mut String, character: char, end: char, is_escaped: bool) {
    if is_escaped {
        if "\"\\/bfnrtu".contains(character) {
            json.push('\\');
        }
        json.push(character);
        return;
    }
    match character {
        '\\' => {}
        '\n' => json.push_str("\\n"),
        '\r' => json.push_str("\\r"),
        '\t' => json.push_str("\\t"),
        end_mark if end_mark == end => json.push('"'),
        '"' => json.push_str("\\\""),
        other if other.is_control() => {}
        other => json.push(other),
    }
}
