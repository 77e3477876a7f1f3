//! What the languages of servers share: paths as they are compared, and texts in quotes.

use percent_encoding::percent_decode_str;

/// What a name or path is like that holds a hash, as `never_changes` knows it, in a regular expression that looks ahead.
pub(super) const HASHED: &str = r"(?:^|[._/-])(?:(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,}[._-][^/]*|(?=[0-9A-Za-z]*[0-9])(?=[0-9A-Za-z]*[a-z])(?=[0-9A-Za-z]*[A-Z])[0-9A-Za-z]{8}\.[0-9A-Za-z]+)$";

/// A path as servers compare it.
pub(super) fn decoded(path: &str) -> String {
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

/// A text in quotes; `None` where a configuration has no way to write it.
pub(super) fn quoted(text: &str) -> Option<String> {
    let is_plain = !text
        .chars()
        .any(|c| c.is_control() || c == char::REPLACEMENT_CHARACTER);
    is_plain.then(|| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A path in a regular expression.
pub(super) fn pattern(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if !c.is_alphanumeric() && !matches!(c, '/' | '-' | '_' | ' ') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
