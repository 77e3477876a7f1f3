//! Which elements of a page belong to SVG and MathML, told from its tags alone: there, tags and texts are read otherwise.
//!
//! It is what lol_html does in place of a tree (its `tree_builder_simulator`). A page that nests them wrongly may be read
//! otherwise than browsers read it, but always in the same way.

use std::ops::Range;

use crate::html::tags;

/// Whose elements stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum World {
    Html,
    Svg,
    Math,
}

/// The worlds around a place, one inside the other; outside of all of them is HTML.
#[derive(Debug, Default)]
pub(super) struct Worlds(Vec<World>);

/// The elements of HTML that cannot stand in SVG or MathML and end them, sorted; `font` with attributes is one, too.
pub(crate) const ENDING: [&str; 44] = [
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
pub(crate) const OF_FONT: [&str; 3] = ["color", "face", "size"];

/// The elements of SVG and MathML in which HTML stands.
const OF_SVG: [&str; 3] = ["desc", "title", "foreignobject"];
const OF_MATH: [&str; 5] = ["mi", "mo", "mn", "ms", "mtext"];

/// Another of MathML, where it says so.
const ANNOTATION: &str = "annotation-xml";
const HTML_TYPES: [&str; 2] = ["text/html", "application/xhtml+xml"];

fn is_any(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

impl Worlds {
    fn at(&self) -> World {
        self.0.last().copied().unwrap_or(World::Html)
    }

    /// Whether elements are those of HTML.
    pub(super) fn is_html(&self) -> bool {
        self.at() == World::Html
    }

    /// Whether no other world was entered.
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a start tag; says whether its element is one of HTML in HTML.
    pub(super) fn start(&mut self, source: &[u8], tag: Range<usize>, name: &[u8], self_closing: bool) -> bool {
        let world = self.at();
        if is_any(name, &["svg"]) {
            self.0.push(World::Svg);
        } else if is_any(name, &["math"]) {
            self.0.push(World::Math);
        } else if world == World::Html {
            return true;
        } else if is_any(name, &ENDING) || (is_any(name, &["font"]) && has_attribute(source, tag.clone(), &OF_FONT)) {
            self.0.pop();
        } else if !self_closing && (world.welcomes(name) || world.is_annotated(source, tag, name)) {
            self.0.push(World::Html);
        }
        false
    }

    /// Takes an end tag.
    pub(super) fn end(&mut self, name: &[u8]) {
        let ends = match self.at() {
            World::Svg => is_any(name, &["svg", "p", "br"]),
            World::Math => is_any(name, &["math", "p", "br"]),
            World::Html => {
                let outer = self.0.iter().rev().nth(1).copied().unwrap_or(World::Html);
                outer.welcomes(name) || (outer == World::Math && is_any(name, &[ANNOTATION]))
            }
        };
        if ends {
            self.0.pop();
        }
    }
}

impl World {
    /// Whether HTML stands in an element of it.
    fn welcomes(self, name: &[u8]) -> bool {
        match self {
            Self::Html => false,
            Self::Svg => is_any(name, &OF_SVG),
            Self::Math => is_any(name, &OF_MATH),
        }
    }

    /// Whether HTML stands in an annotation of it.
    fn is_annotated(self, source: &[u8], tag: Range<usize>, name: &[u8]) -> bool {
        let is_html = |(name, value): (&[u8], Option<&[u8]>)| {
            is_any(name, &["encoding"]) && value.is_some_and(|value| is_any(value, &HTML_TYPES))
        };
        self == Self::Math && is_any(name, &[ANNOTATION]) && tags::attributes(source, tag).into_iter().any(is_html)
    }
}

fn has_attribute(source: &[u8], tag: Range<usize>, names: &[&str]) -> bool {
    tags::attributes(source, tag).into_iter().any(|(name, _)| is_any(name, names))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert!(super::ENDING.is_sorted());
    }
}
