//! Names of the elements of codes.

use crate::page::{InlineCode, Segment};

/// The name of the element of a code.
pub(super) fn element(segment: &Segment, id: u32) -> &str {
    segment.code(id).map_or("", InlineCode::element)
}
