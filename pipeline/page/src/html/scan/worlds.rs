//! Which elements of a page belong to SVG and MathML, told from its tags alone: there, tags and texts are read otherwise.
//!
//! It is what lol_html does in place of a tree (its `tree_builder_simulator`), but for what it reads otherwise than browsers: a
//! graphic or formula may close itself, what cannot stand in one ends all around it, an end tag ends the element that has its name,
//! and all with it that stands open inside, and one of an element that holds text alone ends nothing else. A page that nests them
//! wrongly may be read otherwise than browsers read it, but always in the same way.

use std::ops::Range;

use crate::html::tags;

/// So many of the elements in a graphic or formula are looked through for the one that a tag ends.
const MOST_OPEN: usize = 128;

/// Whose elements stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementNamespace {
    Html,
    Svg,
    Math,
}

/// The worlds around a place, one inside the other; outside of all of them is HTML.
#[derive(Debug, Default)]
pub(super) struct NamespaceScopes(Vec<NamespaceScope>);

/// A world around a place.
#[derive(Debug)]
struct NamespaceScope {
    world: ElementNamespace,
    /// The names of its open elements, as the page writes them; of HTML's none.
    open: Vec<Range<usize>>,
}

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
    names
        .iter()
        .any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

impl NamespaceScopes {
    fn at(&self) -> ElementNamespace {
        self.0
            .last()
            .map_or(ElementNamespace::Html, |around| around.world)
    }

    /// Whether elements are those of HTML.
    pub(super) fn is_html(&self) -> bool {
        self.at() == ElementNamespace::Html
    }

    /// Whether no other world was entered.
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a start tag with its name; says whether its element is one of HTML in HTML.
    pub(super) fn start(
        &mut self,
        source: &[u8],
        tag: Range<usize>,
        name: &Range<usize>,
        self_closing: bool,
    ) -> bool {
        let world = self.at();
        let written = &source[name.clone()];
        let entered = match written {
            _ if is_any(written, &["svg"])
                && (world == ElementNamespace::Html || self.is_annotation(source)) =>
            {
                Some(ElementNamespace::Svg)
            }
            _ if is_any(written, &["math"]) && world == ElementNamespace::Html => {
                Some(ElementNamespace::Math)
            }
            _ => None,
        };
        if let Some(entered) = entered {
            if !self_closing {
                self.0.push(NamespaceScope {
                    world: entered,
                    open: vec![name.clone()],
                });
            }
        } else if world == ElementNamespace::Html {
            return true;
        } else if is_any(written, &ENDING)
            || (is_any(written, &["font"]) && has_attribute(source, tag.clone(), &OF_FONT))
        {
            self.leave();
        } else if !self_closing {
            if let Some(around) = self.0.last_mut() {
                around.open.push(name.clone());
            }
            if world.welcomes(written) || world.is_annotated(source, tag, written) {
                self.0.push(NamespaceScope {
                    world: ElementNamespace::Html,
                    open: Vec::new(),
                });
            }
        }
        false
    }

    /// Whether what stands open last is an annotation of a formula, in which graphics stand.
    fn is_annotation(&self, source: &[u8]) -> bool {
        let last = self
            .0
            .last()
            .filter(|around| around.world == ElementNamespace::Math)
            .and_then(|around| around.open.last());
        last.is_some_and(|name| is_any(&source[name.clone()], &[ANNOTATION]))
    }

    /// Goes back to where HTML stands.
    fn leave(&mut self) {
        while !self.is_html() {
            self.0.pop();
        }
    }

    /// Takes an end tag; `is_open` tells whether an element of this name stands open anywhere around it.
    pub(super) fn end(&mut self, source: &[u8], name: &[u8], is_open: impl FnOnce() -> bool) {
        if !self.is_html() {
            if is_any(name, &["p", "br"]) {
                return self.leave();
            }
            if self.close(source, name) {
                return;
            }
        }
        // Where HTML stands that is inside of an element of a graphic or formula.
        let html = self
            .0
            .iter()
            .rev()
            .take(MOST_OPEN)
            .position(|around| around.world == ElementNamespace::Html);
        let html = html.map(|back| self.0.len() - 1 - back);
        let host = html.and_then(|html| self.0.get(html.checked_sub(1)?)?.open.last());
        let is_of_host = host.is_some_and(|host| source[host.clone()].eq_ignore_ascii_case(name));
        match html {
            Some(html) if is_of_host => {
                self.0.truncate(html);
                self.close(source, name);
            }
            // It ends an element of HTML around the graphic, and that with it.
            _ if !self.is_html() && is_open() => self.leave(),
            _ => {}
        }
    }

    /// Closes the innermost element of this name in the graphics and formulas at a place; says whether there is one.
    fn close(&mut self, source: &[u8], name: &[u8]) -> bool {
        let mut looked = 0;
        for place in (0..self.0.len()).rev() {
            let NamespaceScope { world, open } = &self.0[place];
            if *world == ElementNamespace::Html || looked == MOST_OPEN {
                break;
            }
            let named = |open: &Range<usize>| source[open.clone()].eq_ignore_ascii_case(name);
            if let Some(found) = open.iter().rev().take(MOST_OPEN - looked).position(named) {
                let left = open.len() - found - 1;
                self.0.truncate(place + 1);
                self.0[place].open.truncate(left);
                if left == 0 {
                    self.0.pop();
                }
                return true;
            }
            looked = (looked + open.len()).min(MOST_OPEN);
        }
        false
    }
}

impl ElementNamespace {
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
        self == Self::Math
            && is_any(name, &[ANNOTATION])
            && tags::attributes(source, tag).into_iter().any(is_html)
    }
}

fn has_attribute(source: &[u8], tag: Range<usize>, names: &[&str]) -> bool {
    tags::attributes(source, tag)
        .into_iter()
        .any(|(name, _)| is_any(name, names))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert!(super::ENDING.is_sorted());
    }
}
