//! White space as HTML means it: what it is, what it collapses to, where it stands around words.

use std::borrow::Cow;
use std::ops::Range;

/// HTML's white space.
pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Whether bytes read as they are written, as most texts do: printable ASCII without references, and no two spaces side
/// by side.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    let is_wide = |(&one, &next): (&u8, &u8)| (one == b' ') & (next == b' ');
    let behind = text.get(1..).unwrap_or_default();
    !has_byte(text, |byte| !matches!(byte, b' '..=b'~') | (byte == b'&'))
        && !text.iter().zip(behind).fold(false, |found, pair| found | is_wide(pair))
}

/// Whether any byte is such a one. All are looked at, many at a time, which takes less than to stop at the first.
pub(crate) fn has_byte(text: &[u8], is_it: impl Fn(u8) -> bool) -> bool {
    text.iter().fold(false, |found, &byte| found | is_it(byte))
}

/// Makes every run of white space one space; no-break spaces and joiners stay.
pub(crate) fn collapse(text: Cow<'_, str>) -> String {
    let Some(first) = wide_space(&text) else { return text.into_owned() };
    let mut collapsed = String::with_capacity(text.len());
    collapsed.push_str(&text[..first]);
    for (index, run) in text[first..].split(is_space).filter(|run| !run.is_empty()).enumerate() {
        if index > 0 || !collapsed.ends_with(' ') {
            collapsed.push(' ');
        }
        collapsed.push_str(run);
    }
    if text.ends_with(is_space) && !collapsed.ends_with(' ') {
        collapsed.push(' ');
    }
    collapsed
}

/// Where the first white space is that is more than one space.
pub(crate) fn wide_space(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_wide = |at: usize| bytes[at] != b' ' || bytes.get(at + 1).is_some_and(|&next| is_space(char::from(next)));
    (0..bytes.len()).find(|&at| is_space(char::from(bytes[at])) && is_wide(at))
}

/// The range without white space at its edges.
pub(crate) fn trim(source: &[u8], range: Range<usize>) -> Range<usize> {
    let space = |byte: &u8| is_space(char::from(*byte));
    let text = &source[range.clone()];
    let start = text.iter().take_while(|byte| space(byte)).count();
    let end = text[start..].iter().rev().take_while(|byte| space(byte)).count();
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
}
