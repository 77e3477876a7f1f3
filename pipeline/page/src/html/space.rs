//! White space as HTML means it: what it is, what it collapses to, where it stands around words.

use std::borrow::Cow;
use std::ops::Range;

use super::bytes::pairs_from;

/// HTML's white space.
pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Whether bytes read as they are written, as most texts do: printable ASCII without references, and no two spaces side
/// by side.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    all_pairs(text, |one, next| {
        matches!(one, b' '..=b'~') & (one != b'&') & ((one != b' ') | (next != b' '))
    })
}

/// Whether a text surely holds no white space but single spaces, and no character that HTML cannot hold.
pub(crate) fn is_tidy(text: &str) -> bool {
    // Some of what HTML cannot hold begins with 0xc2.
    let is_sure = |byte: u8| (byte >= b' ') & (byte != 0x7f) & (byte != 0xc2);
    all_pairs(text.as_bytes(), |one, next| {
        is_sure(one) & ((one != b' ') | (next != b' '))
    })
}

/// Whether all bytes are such, by each and the one after it.
#[inline]
fn all_pairs(text: &[u8], fits: impl Fn(u8, u8) -> bool) -> bool {
    let mut rest = pairs_from(text, |one, next| !fits(one, next))..text.len();
    rest.all(|at| fits(text[at], next(text, at)))
}

/// The byte after one, or 0.
fn next(text: &[u8], at: usize) -> u8 {
    text.get(at + 1).copied().unwrap_or_default()
}

/// Makes every run of white space one space; no-break spaces and joiners stay.
pub(crate) fn collapse(text: Cow<'_, str>) -> String {
    if wide_space(text.as_bytes()).is_none() {
        return text.into_owned();
    }
    let mut collapsed = String::with_capacity(text.len());
    collapse_into(&text, &mut collapsed);
    collapsed
}

/// Adds a text in which every run of white space is one space.
pub(crate) fn collapse_into(text: &str, collapsed: &mut String) {
    let mut rest = text;
    while let Some(run) = wide_space(rest.as_bytes()) {
        collapsed.push_str(&rest[..run]);
        collapsed.push(' ');
        rest = rest[run..].trim_start_matches(is_space);
    }
    collapsed.push_str(rest);
}

/// Where the first white space is that is more than one space.
pub(crate) fn wide_space(text: &[u8]) -> Option<usize> {
    let space = |byte: u8| {
        (byte == b' ') | (byte == b'\t') | (byte == b'\n') | (byte == b'\r') | (byte == 0xc)
    };
    let is_wide = |one: u8, next: u8| space(one) & ((one != b' ') | space(next));
    let mut rest = pairs_from(text, is_wide)..text.len();
    rest.find(|&at| text[at] <= b' ' && is_wide(text[at], next(text, at)))
}

/// The range without white space at its edges.
pub(crate) fn trim(source: &[u8], range: Range<usize>) -> Range<usize> {
    let space = |byte: &u8| is_space(char::from(*byte));
    let text = &source[range.clone()];
    let start = text.iter().take_while(|byte| space(byte)).count();
    let end = text[start..]
        .iter()
        .rev()
        .take_while(|byte| space(byte))
        .count();
    range.start + start..range.end - end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_white_space_become_one_space() {
        for (text, expected) in [
            ("", ""),
            (" ", " "),
            ("a b", "a b"),
            ("a  b", "a b"),
            ("\n\ta\n b ", " a b "),
            (" a", " a"),
            ("  ", " "),
            ("a\n", "a "),
            ("a \u{a0} b", "a \u{a0} b"),
            (" \u{a0}\tb\r\n", " \u{a0} b "),
        ] {
            assert_eq!(collapse(Cow::Borrowed(text)), expected, "{text:?}");
        }
    }

    #[test]
    fn white_space_is_found_wherever_it_stands() {
        for length in 1..50 {
            for at in 0..length {
                let mut text = vec![b'a'; length];
                text[at] = b' ';
                assert_eq!((wide_space(&text), is_plain(&text)), (None, true));
                text[at] = b'\n';
                assert_eq!((wide_space(&text), is_plain(&text)), (Some(at), false));
                text[at..length.min(at + 2)].fill(b' ');
                let wide = Some(at).filter(|_| at + 1 < length);
                assert_eq!((wide_space(&text), is_plain(&text)), (wide, wide.is_none()));
            }
        }
    }
}
