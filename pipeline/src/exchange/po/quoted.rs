//! Quoted strings of PO files.

/// Reads a quoted string with its escapes.
pub(super) fn unquote(quoted: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = quoted.strip_prefix('"').unwrap_or(quoted).chars();
    loop {
        match rest.next() {
            None => {
                return Err("the closing quote is missing; add \" at the end of the line".into());
            }
            Some('"') => break,
            Some('\\') => text.push(escape(&mut rest)?),
            Some(other) => text.push(other),
        }
    }
    match rest.as_str().trim() {
        "" => Ok(text),
        _ => Err("text after the closing quote; write a quote inside a text as \\\"".into()),
    }
}

fn escape(rest: &mut std::str::Chars<'_>) -> Result<char, String> {
    let wrong = |found: char| format!("\\{found} is no escape; write a backslash as \\\\");
    Ok(match rest.next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('a') => '\u{7}',
        Some('b') => '\u{8}',
        Some('v') => '\u{b}',
        Some('f') => '\u{c}',
        Some(same @ ('"' | '\\' | '\'' | '?')) => same,
        Some(other) => return Err(wrong(other)),
        None => return Err("the closing quote is missing; add \" at the end of the line".into()),
    })
}
