//! Where graphics and formulas end: HTML that stands in one by mistake ends it, as browsers have it (WHATWG HTML, "The rules
//! for parsing tokens in foreign content").

use super::inherit::World;
use crate::html::tokens::{Tag, Token};

/// The elements of HTML that cannot stand in SVG or MathML, sorted; `font` with attributes is one, too.
const ENDING: [&str; 44] = [
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
];

/// The attributes that make a `font` one of HTML.
const OF_FONT: [&str; 3] = ["color", "face", "size"];

/// Elements of SVG and MathML in which HTML can stand.
const WELCOMING: [&str; 7] = ["desc", "mi", "mn", "mo", "ms", "mtext", "title"];

/// Whether a start tag ends the graphic or formula in which it stands.
pub(super) fn is_ended_by(source: &[u8], token: &Token<'_>, tag: &Tag<'_>) -> bool {
    let name = &*tag.name;
    let written = || String::from_utf8_lossy(&source[token.range.clone()]).to_ascii_lowercase();
    ENDING.binary_search(&name).is_ok() || (name == "font" && OF_FONT.iter().any(|own| written().contains(own)))
}

/// Whether an open element goes on to be a graphic or formula inside: HTML that stands in it ends it.
pub(super) fn goes_on_in(name: &str, world: World) -> bool {
    world != World::Html && !WELCOMING.contains(&name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert!(super::ENDING.is_sorted());
    }
}
