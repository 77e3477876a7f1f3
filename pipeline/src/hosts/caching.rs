//! How long caches may keep a file: for ever, where other bytes would have another name. Pure.

/// What is said of a file that never changes.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// Whether the bytes behind a name are always the same: its name holds a hash, and it is no page.
pub fn never_changes(name: &str, content_type: &str) -> bool {
    !is_html(content_type) && names_a_hash(name)
}

/// Whether a media type is a page's.
pub fn is_html(content_type: &str) -> bool {
    content_type.starts_with("text/html") || content_type.starts_with("application/xhtml+xml")
}

/// Whether a file's name holds a hash of at least 8 characters, so that other bytes would have another name.
///
/// A hash is a run of hexadecimal digits with letters and numbers among them, or (as bundlers write it) the last part
/// before the ending, with small and capital letters and numbers. A date is none.
fn names_a_hash(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let mut parts: Vec<&str> = file.split(['.', '-', '_']).collect();
    parts.pop();
    let has = |part: &str, kind: fn(&u8) -> bool| part.bytes().any(|byte| kind(&byte));
    let hexadecimal = |part: &&str| {
        part.len() >= 8
            && part
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && has(part, u8::is_ascii_digit)
            && has(part, u8::is_ascii_lowercase)
    };
    let bundled = |part: &&&str| {
        part.len() == 8
            && has(part, u8::is_ascii_digit)
            && has(part, u8::is_ascii_lowercase)
            && has(part, u8::is_ascii_uppercase)
    };
    parts.iter().any(hexadecimal) || parts.last().filter(bundled).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_hash_are_known() {
        for (name, expected) in [
            ("main.3f2a9b1c.js", true),
            ("_latimer/switcher.0123456789abcdef.css", true),
            ("assets/index-BfQx3k9Z.js", true),
            ("app.js", false),
            ("photo-20240115.jpg", false),
            ("decade.css", false),
            ("facade.facade.js", false),
            ("jquery-3.7.1.min.js", false),
            ("deadbeef1", false),
        ] {
            assert_eq!(names_a_hash(name), expected, "{name}");
        }
    }
}
