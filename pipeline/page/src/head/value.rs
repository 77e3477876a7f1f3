//! Ranges of tags and of the values of their attributes.

use std::ops::Range;

use crate::html::tokens::TagAttribute;

/// A tag and the white space before it, so that taking it out leaves no empty line.
pub(super) fn with_indent(source: &[u8], tag: &Range<usize>) -> Range<usize> {
    let indent = source[..tag.start]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    tag.start - indent..tag.end
}

/// The range of a value and the quotation mark around it.
pub(super) fn quoted(
    source: &[u8],
    attribute: &TagAttribute,
) -> Option<(Range<usize>, Option<u8>)> {
    attribute
        .value
        .clone()
        .map(|range| (range, attribute.quote(source)))
}
