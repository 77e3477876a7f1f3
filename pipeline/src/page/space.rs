//! White space as HTML means it: what it is, what it collapses to, where it stands around words.

use std::ops::Range;

/// HTML's white space.
pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Makes every run of white space one space; no-break spaces and joiners stay (HTML.md 2.2, step 5).
pub(super) fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for (index, run) in text.split(is_space).filter(|run| !run.is_empty()).enumerate() {
        if index > 0 || text.starts_with(is_space) {
            collapsed.push(' ');
        }
        collapsed.push_str(run);
    }
    if text.ends_with(is_space) {
        collapsed.push(' ');
    }
    collapsed
}

/// The range without white space at its edges.
pub(super) fn trim(source: &[u8], range: Range<usize>) -> Range<usize> {
    let space = |byte: &u8| is_space(char::from(*byte));
    let text = &source[range.clone()];
    let start = text.iter().take_while(|byte| space(byte)).count();
    let end = text[start..].iter().rev().take_while(|byte| space(byte)).count();
    range.start + start..range.end - end
}
