//! Addresses inside values that hold more than one address: `srcset`, `ping`, the content of a refresh, and style sheets.

use std::ops::Range;

use crate::html::tokens::StartTag;

/// True for a meta element that reloads the page or sends its reader elsewhere.
pub(super) fn is_refresh(source: &[u8], tag: &StartTag<'_>) -> bool {
    tag.value(source, "http-equiv")
        .is_some_and(|value| value.trim().eq_ignore_ascii_case("refresh"))
}

/// The address in the content of a refresh: `5; url=next.html`, also quoted, also without `url=`.
pub(super) fn refresh_address(content: &[u8]) -> Option<Range<usize>> {
    let space = |at: usize| {
        content[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count()
    };
    let digits = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.' || byte.is_ascii_whitespace();
    let mut at = content.iter().take_while(digits).count();
    at += usize::from(matches!(content.get(at), Some(b';' | b',')));
    at += space(at);
    if content
        .get(at..at + 3)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"url"))
    {
        let equals = at + 3 + space(at + 3);
        if content.get(equals) == Some(&b'=') {
            at = equals + 1 + space(equals + 1);
        }
    }
    let mut end = content.len();
    if let Some(quote @ (b'"' | b'\'')) = content.get(at) {
        at += 1;
        end = content[at..]
            .iter()
            .position(|byte| byte == quote)
            .map_or(end, |length| at + length);
    }
    (at < end).then_some(at..end)
}

/// The addresses of an attribute that holds several, such as `ping`.
pub(super) fn words(value: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    for word in value.split(u8::is_ascii_whitespace) {
        if !word.is_empty() {
            ranges.push(at..at + word.len());
        }
        at += word.len() + 1;
    }
    ranges
}

/// The addresses of a srcset by the HTML algorithm: commas inside an address belong to it (R-E6).
pub(super) fn candidates(srcset: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    loop {
        at += srcset[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace() || **byte == b',')
            .count();
        if at >= srcset.len() {
            return ranges;
        }
        let length = srcset[at..]
            .iter()
            .take_while(|byte| !byte.is_ascii_whitespace())
            .count();
        let address = srcset[at..at + length]
            .iter()
            .rposition(|&byte| byte != b',')
            .map_or(0, |last| last + 1);
        ranges.push(at..at + address);
        at += length;
        if address == length {
            at += descriptor_length(&srcset[at..]);
        }
    }
}

fn descriptor_length(text: &[u8]) -> usize {
    let mut in_parentheses = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'(' => in_parentheses = true,
            b')' => in_parentheses = false,
            b',' if !in_parentheses => return at,
            _ => {}
        }
    }
    text.len()
}

/// Recognizes an address whose name has an ending: attributes for scripts may hold other words, and style sheets' `url()`.
pub(super) fn has_ending(value: &[u8]) -> bool {
    let path = value
        .split(|byte| b"?#".contains(byte))
        .next()
        .unwrap_or_default();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let ending = name
        .iter()
        .rposition(|byte| *byte == b'.')
        .map(|dot| &name[dot + 1..]);
    ending.is_some_and(|ending| {
        (2..=5).contains(&ending.len()) && ending.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Finds the addresses of a style sheet: `url(…)`, quoted or not, `@import "…"`, and the strings of `image-set(…)`; comments are
/// passed over.
pub fn css_addresses(css: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    let mut import = false;
    // Open parentheses, counted from that of an `image-set`: its images stand in the first, their types deeper.
    let mut depth = 0;
    while at < css.len() {
        let rest = &css[at..];
        if rest.starts_with(b"/*") {
            at += rest
                .windows(2)
                .skip(2)
                .position(|pair| pair == b"*/")
                .map_or(rest.len(), |end| end + 4);
        } else if starts_with_word(rest, b"url(") {
            let (range, length) = css_url(&rest[4..]);
            ranges.extend(range.map(|range| at + 4 + range.start..at + 4 + range.end));
            at += 4 + length;
            import = false;
        } else if starts_with_word(rest, b"@import") {
            import = true;
            at += 7;
        } else if depth == 0 && starts_with_word(rest, b"image-set(") {
            depth = 1;
            at += 10;
        } else if let Some((range, length)) = css_string(rest) {
            if import || depth == 1 {
                ranges.push(at + range.start..at + range.end);
            }
            import = false;
            at += length;
        } else {
            let byte = rest.first().copied().unwrap_or_default();
            import &= byte != b';';
            depth = match byte {
                b'(' if depth > 0 => depth + 1,
                b')' if depth > 0 => depth - 1,
                // An unclosed value ends with its declaration.
                b';' | b'}' => 0,
                _ => depth,
            };
            at += 1;
        }
    }
    ranges
}

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Reads what follows `url(`: the address and the length up to and including `)`.
fn css_url(text: &[u8]) -> (Option<Range<usize>>, usize) {
    let space = text
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    if let Some((range, length)) = css_string(&text[space..]) {
        let after = space + length;
        let close = text[after..]
            .iter()
            .position(|&byte| byte == b')')
            .map_or(text.len(), |end| after + end + 1);
        return (Some(space + range.start..space + range.end), close);
    }
    let mut end = 0;
    while text.get(end).is_some_and(|&byte| byte != b')') {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    let end = end.min(text.len());
    let last = text[space.min(end)..end]
        .iter()
        .rposition(|byte| !byte.is_ascii_whitespace());
    (
        last.map(|last| space..space + last + 1),
        (end + 1).min(text.len()),
    )
}

/// Reads a CSS string; in an attribute its quotes may be written `&quot;`.
fn css_string(text: &[u8]) -> Option<(Range<usize>, usize)> {
    let quote: &[u8] = [&b"\""[..], b"'", b"&quot;", b"&#39;", b"&#34;"]
        .into_iter()
        .find(|quote| text.starts_with(quote))?;
    let body = &text[quote.len()..];
    let mut at = 0;
    while at < body.len() && !body[at..].starts_with(quote) {
        at += if body[at] == b'\\' { 2 } else { 1 };
    }
    let end = at.min(body.len());
    Some((
        quote.len()..quote.len() + end,
        (quote.len() + end + quote.len()).min(text.len()),
    ))
}

/// Undoes CSS escapes: `\28` is `(`, `\(` too, and a line break after a backslash is nothing (CSS Syntax, section 4.3.7).
pub fn unescape_css(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = after
            .bytes()
            .take(6)
            .take_while(u8::is_ascii_hexdigit)
            .count();
        if digits > 0 {
            let code = u32::from_str_radix(&after[..digits], 16).unwrap_or_default();
            plain.push(
                char::from_u32(code)
                    .filter(|&letter| letter != '\0')
                    .unwrap_or('\u{fffd}'),
            );
            rest = &after[digits..];
            rest = rest.strip_prefix([' ', '\t', '\n']).unwrap_or(rest);
        } else {
            let mut letters = after.chars();
            plain.extend(letters.next().filter(|&letter| letter != '\n'));
            rest = letters.as_str();
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        for (escaped, plain) in [
            ("a\\ b", "a b"),
            ("\\41 B", "AB"),
            ("a\\\nb", "ab"),
            ("\\", ""),
            ("\\0", "\u{fffd}"),
        ] {
            assert_eq!(unescape_css(escaped), plain, "{escaped:?}");
        }
    }
}
