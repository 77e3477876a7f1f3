//! Where graphics and formulas end: HTML that stands in one by mistake ends it, as browsers have it (WHATWG HTML, "The rules
//! for parsing tokens in foreign content").

use super::inherit::TextNamespace;
use crate::html::scan::worlds::{ENDING, OF_FONT};
use crate::html::tokens::{PageToken, StartTag};

/// Elements of SVG and MathML in which HTML can stand.
const WELCOMING: [&str; 7] = ["desc", "mi", "mn", "mo", "ms", "mtext", "title"];

/// Whether a start tag ends the graphic or formula in which it stands.
pub(super) fn is_ended_by(source: &[u8], token: &PageToken<'_>, tag: &StartTag<'_>) -> bool {
    let name = &*tag.name;
    let written = || String::from_utf8_lossy(&source[token.range.clone()]).to_ascii_lowercase();
    ENDING.binary_search(&name).is_ok()
        || (name == "font" && OF_FONT.iter().any(|own| written().contains(own)))
}

/// Whether an open element goes on to be a graphic or formula inside: HTML that stands in it ends it.
pub(super) fn goes_on_in(name: &str, world: TextNamespace) -> bool {
    world != TextNamespace::Html && !WELCOMING.contains(&name)
}
