//! Names of the elements of codes.

use crate::page::{Code, Segment};

/// The name of the element of a code.
pub(super) fn element(segment: &Segment, id: u32) -> &str {
    let code = usize::try_from(id).ok().and_then(|id| segment.codes.get(id.checked_sub(1)?));
    code.map_or("", Code::element)
}
