//! How data files spell what they say: text in HTML, objects of JavaScript. Pure.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A text where HTML is expected.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            _ => html.push(letter),
        }
    }
    html
}

/// Reads an object of JSON, or one whose keys are written without quotes, as older programs write them.
pub(super) fn read_object(text: &str) -> Option<Map<String, Value>> {
    read_relaxed(text)
}

/// Same as [`read_object`], for any type.
pub(super) fn read_relaxed<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&quoted_keys(text)))
        .ok()
}

/// Puts quotes around keys that have none.
fn quoted_keys(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + text.len() / 4);
    let mut rest = text;
    let mut in_key_place = false;
    while let Some(letter) = rest.chars().next() {
        let end = match letter {
            '"' => string_length(rest),
            _ if letter.is_alphanumeric() || matches!(letter, '_' | '$') => rest
                .find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$'))
                .unwrap_or(rest.len()),
            _ => letter.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        let is_key = in_key_place
            && end > 0
            && letter != '"'
            && after.starts_with(':')
            && !token.starts_with([',', '{']);
        if is_key {
            json.extend(["\"", token, "\""]);
        } else {
            json.push_str(token);
        }
        in_key_place = matches!(letter, '{' | ',');
        rest = after;
    }
    json
}

/// What a string of a program says, between its single quotes.
pub(super) fn unquoted(string: &str) -> String {
    string.replace("\\'", "'").replace("\\\\", "\\")
}

/// A text as it stands between the single quotes of a program's string.
pub(super) fn single_quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

/// The length of a string with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_with_bare_keys_are_read() {
        let read =
            |text: &str| read_object(text).map(|object| serde_json::to_string(&object).unwrap());
        for (text, expected) in [
            (
                r#"{a:1,"b":[2],c0:{d:"x:,y{\"z:"}}"#,
                Some(r#"{"a":1,"b":[2],"c0":{"d":"x:,y{\"z:"}}"#),
            ),
            (r#"{"a":[1,2],b:{}}"#, Some(r#"{"a":[1,2],"b":{}}"#)),
            (r#"{1:2}"#, Some(r#"{"1":2}"#)),
            ("[1]", None),
            ("{a:}", None),
        ] {
            assert_eq!(read(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            escaped("Vec<T> & \"x\""),
            "Vec&lt;T&gt; &amp; &quot;x&quot;"
        );
    }
}
