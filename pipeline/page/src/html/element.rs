//! What the names of elements mean for segmentation: which are inline, void, kept, or closed by others.
//!
//! Names are looked up once, when a tag is read; from then on a known element is one pointer into the table below.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use ElementFlow::{Block, Inline, Nested};

/// How an element takes part in a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementFlow {
    /// It is a code inside the text: HTML phrasing content and the obsolete elements of that kind.
    Inline,
    /// It is a code inside the text; what it holds is text of its own.
    Nested,
    /// It begins and ends texts.
    Block,
    /// A name that HTML does not know: decided by what stands around it.
    Unknown,
}

/// An element that HTML knows.
#[derive(Debug)]
pub(crate) struct Element {
    name: &'static str,
    flow: ElementFlow,
    traits: u8,
    /// Where it stands among [`ELEMENTS`].
    id: u8,
}

impl Element {
    /// A number below [`KINDS`].
    pub(crate) fn id(&self) -> usize {
        usize::from(self.id)
    }
}

/// It has neither content nor end tag.
const VOID: u8 = 1;
/// Its own text is kept: it is code (R-A10) or data (R-A11).
const KEPT: u8 = 1 << 1;
/// Its start tag ends an open paragraph.
const ENDS_P: u8 = 1 << 2;
/// It may stand before a page's first visible element.
const EARLY: u8 = 1 << 3;
/// What it says, it says of the whole page, like all that are early.
const OF_PAGE: u8 = 1 << 6;
/// What it holds is not read as elements of HTML are.
const APART: u8 = 1 << 7;
/// White space in it counts.
const SPACE: u8 = 1 << 4;
/// What it holds is computer code, which reads from left to right in every language (R-B6).
const CODE: u8 = 1 << 5;

const fn is(name: &'static str, flow: ElementFlow, traits: u8) -> Element {
    Element {
        name,
        flow,
        traits,
        id: 0,
    }
}

/// How many elements HTML has.
pub(crate) const KINDS: usize = 141;

/// The elements of HTML, obsolete ones too, sorted by name.
static ELEMENTS: [Element; KINDS] = TABLE;

/// The names of the elements whose own text is kept.
pub(crate) fn kept() -> impl Iterator<Item = &'static str> {
    ELEMENTS
        .iter()
        .filter(|element| element.traits & KEPT != 0)
        .map(|element| element.name)
}

const TABLE: [Element; KINDS] = numbered([
    is("a", Inline, 0),
    is("abbr", Inline, 0),
    is("acronym", Inline, 0),
    is("address", Block, ENDS_P),
    is("applet", Block, 0),
    is("area", Inline, VOID),
    is("article", Block, ENDS_P),
    is("aside", Block, ENDS_P),
    is("audio", Nested, 0),
    is("b", Inline, 0),
    is("base", Block, VOID | EARLY),
    is("basefont", Block, VOID | EARLY),
    is("bdi", Inline, 0),
    is("bdo", Inline, 0),
    is("bgsound", Block, VOID | EARLY),
    is("big", Inline, 0),
    is("blink", Inline, 0),
    is("blockquote", Block, ENDS_P),
    is("body", Block, EARLY),
    is("br", Inline, VOID),
    is("button", Inline, 0),
    is("canvas", Nested, 0),
    is("caption", Block, 0),
    is("center", Block, ENDS_P),
    is("cite", Inline, 0),
    is("code", Inline, KEPT | CODE),
    is("col", Block, VOID),
    is("colgroup", Block, 0),
    is("data", Inline, 0),
    is("datalist", Nested, 0),
    is("dd", Block, ENDS_P),
    is("del", Inline, 0),
    is("details", Block, ENDS_P),
    is("dfn", Inline, 0),
    is("dialog", Block, ENDS_P),
    is("dir", Block, ENDS_P),
    is("div", Block, ENDS_P),
    is("dl", Block, ENDS_P),
    is("dt", Block, ENDS_P),
    is("em", Inline, 0),
    is("embed", Inline, VOID),
    is("fieldset", Block, ENDS_P),
    is("figcaption", Block, ENDS_P),
    is("figure", Block, ENDS_P),
    is("font", Inline, 0),
    is("footer", Block, ENDS_P),
    is("form", Block, ENDS_P),
    is("frame", Block, VOID),
    is("frameset", Block, OF_PAGE),
    is("h1", Block, ENDS_P),
    is("h2", Block, ENDS_P),
    is("h3", Block, ENDS_P),
    is("h4", Block, ENDS_P),
    is("h5", Block, ENDS_P),
    is("h6", Block, ENDS_P),
    is("head", Block, EARLY),
    is("header", Block, ENDS_P),
    is("hgroup", Block, ENDS_P),
    is("hr", Block, VOID | ENDS_P),
    is("html", Block, EARLY),
    is("i", Inline, 0),
    is("iframe", Nested, APART),
    is("image", Block, VOID),
    is("img", Inline, VOID),
    is("input", Inline, VOID),
    is("ins", Inline, 0),
    is("kbd", Inline, KEPT | CODE),
    is("keygen", Block, VOID),
    is("label", Inline, 0),
    is("legend", Block, 0),
    is("li", Block, ENDS_P),
    is("link", Inline, VOID | EARLY),
    is("listing", Block, KEPT | ENDS_P | SPACE | CODE),
    is("main", Block, ENDS_P),
    is("map", Nested, 0),
    is("mark", Inline, 0),
    is("marquee", Block, 0),
    is("math", Nested, APART),
    is("menu", Block, ENDS_P),
    is("menuitem", Block, 0),
    is("meta", Inline, VOID | EARLY),
    is("meter", Inline, 0),
    is("nav", Block, ENDS_P),
    is("nobr", Inline, 0),
    is("noembed", Nested, APART),
    is("noframes", Nested, APART),
    is("noscript", Nested, EARLY | APART),
    is("object", Nested, 0),
    is("ol", Block, ENDS_P),
    is("optgroup", Block, 0),
    is("option", Block, 0),
    is("output", Inline, 0),
    is("p", Block, ENDS_P),
    is("param", Block, VOID),
    is("picture", Nested, 0),
    is("plaintext", Block, KEPT | APART),
    is("pre", Block, KEPT | ENDS_P | SPACE | CODE),
    is("progress", Inline, 0),
    is("q", Inline, 0),
    is("rb", Inline, 0),
    is("rp", Inline, 0),
    is("rt", Inline, 0),
    is("rtc", Inline, 0),
    is("ruby", Inline, 0),
    is("s", Inline, 0),
    is("samp", Inline, KEPT | CODE),
    is("script", Nested, EARLY | APART),
    is("search", Block, ENDS_P),
    is("section", Block, ENDS_P),
    is("select", Nested, 0),
    is("selectedcontent", Block, 0),
    is("slot", Inline, 0),
    is("small", Inline, 0),
    is("source", Block, VOID),
    is("span", Inline, 0),
    is("strike", Inline, 0),
    is("strong", Inline, 0),
    is("style", Nested, EARLY | APART),
    is("sub", Inline, 0),
    is("summary", Block, ENDS_P),
    is("sup", Inline, 0),
    is("svg", Nested, APART),
    is("table", Block, 0),
    is("tbody", Block, 0),
    is("td", Block, 0),
    is("template", Nested, EARLY),
    is("textarea", Nested, KEPT | SPACE | APART),
    is("tfoot", Block, 0),
    is("th", Block, 0),
    is("thead", Block, 0),
    is("time", Inline, 0),
    is("title", Block, EARLY | APART),
    is("tr", Block, 0),
    is("track", Block, VOID),
    is("tt", Inline, KEPT | CODE),
    is("u", Inline, 0),
    is("ul", Block, ENDS_P),
    is("var", Inline, KEPT | CODE),
    is("video", Nested, 0),
    is("wbr", Inline, VOID),
    is("xmp", Block, KEPT | ENDS_P | CODE | APART),
]);

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are fewer than 256 elements"
)]
const fn numbered(mut elements: [Element; KINDS]) -> [Element; KINDS] {
    let mut at = 0;
    while at < KINDS {
        elements[at].id = at as u8;
        at += 1;
    }
    elements
}

/// The numbers of elements, by their names.
const fn ids<const N: usize>(names: [&str; N]) -> [u8; N] {
    let mut ids = [0; N];
    let mut index = 0;
    let mut at = 0;
    while index < N {
        if is_same(names[index], TABLE[at].name) {
            ids[index] = TABLE[at].id;
            (index, at) = (index + 1, 0);
        } else {
            at += 1;
        }
    }
    ids
}

const fn is_same(one: &str, other: &str) -> bool {
    let one = one.as_bytes();
    let other = other.as_bytes();
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Where the names that begin with each letter start in [`ELEMENTS`].
static FIRST: [u8; 27] = first_of_each_letter();

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are fewer than 256 elements"
)]
const fn first_of_each_letter() -> [u8; 27] {
    let mut first = [0; 27];
    let mut letter = 0;
    let mut at = 0;
    while letter < 27 {
        while at < ELEMENTS.len() && ELEMENTS[at].name.as_bytes()[0] < b'a' + letter as u8 {
            at += 1;
        }
        first[letter] = at as u8;
        letter += 1;
    }
    first
}

/// The name of an element in lower case. It reads like a `&str`; cloning it is cheap.
#[derive(Clone)]
pub(crate) enum ElementName {
    /// An element of HTML.
    Known(&'static Element),
    /// Any other: custom elements, SVG, MathML, mistakes. No `Arc<str>`, so that names are small.
    Other(Arc<String>),
}

impl ElementName {
    /// What a comment is called among the codes of a text.
    pub(crate) const COMMENT: Self = Self::Known(&Element {
        name: "!--",
        flow: Inline,
        traits: 0,
        id: u8::MAX,
    });

    /// The name that is written so, in any case.
    pub(crate) fn of(written: &[u8]) -> Self {
        let other = || {
            Self::Other(Arc::new(
                String::from_utf8_lossy(written).to_ascii_lowercase(),
            ))
        };
        Self::find(written).unwrap_or_else(other)
    }

    /// The name of the element of HTML that is written so, in any case.
    pub(crate) fn find(written: &[u8]) -> Option<Self> {
        let letter = written.first()?.to_ascii_lowercase();
        let letter = usize::from(
            letter
                .checked_sub(b'a')
                .filter(|_| letter.is_ascii_lowercase())?,
        );
        let group = &ELEMENTS[usize::from(FIRST[letter])..usize::from(FIRST[letter + 1])];
        group
            .iter()
            .find(|known| known.name.as_bytes().eq_ignore_ascii_case(written))
            .map(Self::Known)
    }

    /// The number of the element, if HTML has it.
    pub(crate) fn number(&self) -> Option<u8> {
        match self {
            Self::Known(known) => Some(known.id),
            Self::Other(_) => None,
        }
    }

    /// The name, if HTML does not have it.
    pub(crate) fn other(self) -> Option<Arc<String>> {
        match self {
            Self::Known(_) => None,
            Self::Other(name) => Some(name),
        }
    }

    /// The name of the element with that number.
    pub(crate) fn known(id: u8) -> Option<Self> {
        ELEMENTS.get(usize::from(id)).map(Self::Known)
    }

    /// The same as it is written; a number that no element has is a comment's.
    pub(crate) fn written(id: u8) -> &'static str {
        ELEMENTS
            .get(usize::from(id))
            .map_or("!--", |known| known.name)
    }

    /// How an HTML element of that name takes part in a line of text.
    pub(crate) fn flow(&self) -> ElementFlow {
        match self {
            Self::Known(known) => known.flow,
            Self::Other(_) => ElementFlow::Unknown,
        }
    }

    fn has(&self, wanted: u8) -> bool {
        matches!(self, Self::Known(known) if known.traits & wanted != 0)
    }

    /// Whether the element has neither content nor end tag.
    pub(crate) fn is_void(&self) -> bool {
        self.has(VOID)
    }

    /// Whether the element's own text is kept: it is code (R-A10) or data (R-A11).
    pub(crate) fn is_kept(&self) -> bool {
        self.has(KEPT)
    }

    /// Whether the element holds computer code.
    pub(crate) fn is_code(&self) -> bool {
        self.has(CODE)
    }

    /// Whether white space in the element counts.
    pub(crate) fn keeps_space(&self) -> bool {
        self.has(SPACE)
    }

    /// Whether the element may stand before a page's first visible one.
    pub(crate) fn is_early(&self) -> bool {
        self.has(EARLY)
    }

    /// Whether what the element says is said of the whole page.
    pub(crate) fn is_of_page(&self) -> bool {
        self.has(EARLY | OF_PAGE)
    }

    /// Whether what it holds is not read as elements of HTML are: text without tags, SVG, MathML.
    pub(crate) fn is_apart(&self) -> bool {
        self.has(APART)
    }

    /// The name as others keep it.
    pub(crate) fn to_cow(&self) -> Cow<'static, str> {
        match self {
            Self::Known(known) => Cow::Borrowed(known.name),
            Self::Other(name) => Cow::Owned(name.to_string()),
        }
    }

    /// The open elements that a start tag ends, and the elements at which the search for them stops, by their numbers.
    pub(crate) fn ends_before(&self) -> (&'static [u8], &'static [u8]) {
        const TABLE: [u8; 3] = ids(["table", "template", "html"]);
        let Self::Known(known) = self else {
            return (&[], &[]);
        };
        match known.name {
            "li" => (
                const { &ids(["li"]) },
                const { &ids(["ul", "ol", "menu", "dir", "table", "td", "th", "template"]) },
            ),
            "dd" | "dt" => (
                const { &ids(["dd", "dt"]) },
                const { &ids(["dl", "table", "td", "th", "template"]) },
            ),
            "option" => (
                const { &ids(["option"]) },
                const { &ids(["select", "datalist", "optgroup", "template"]) },
            ),
            "optgroup" => (
                const { &ids(["option", "optgroup"]) },
                const { &ids(["select", "template"]) },
            ),
            "td" | "th" => (
                const { &ids(["td", "th"]) },
                const { &ids(["table", "template", "tr"]) },
            ),
            "tr" => (const { &ids(["tr"]) }, &TABLE),
            "tbody" | "thead" | "tfoot" => (const { &ids(["tbody", "thead", "tfoot"]) }, &TABLE),
            _ if known.traits & ENDS_P != 0 => (const { &ids(["p"]) }, &SCOPE),
            _ => (&[], &[]),
        }
    }

    /// The elements at which an end tag stops looking for its start tag, by their numbers.
    pub(crate) fn scope_of_end(&self) -> &'static [u8] {
        match &**self {
            "p" => &SCOPE,
            "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th" | "caption" => {
                const { &ids(["template"]) }
            }
            _ => &SCOPE[1..],
        }
    }
}

impl Deref for ElementName {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Known(known) => known.name,
            Self::Other(name) => name,
        }
    }
}

impl PartialEq for ElementName {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => std::ptr::eq(*one, *other),
            (Self::Other(one), Self::Other(other)) => one == other,
            (Self::Known(_), Self::Other(_)) | (Self::Other(_), Self::Known(_)) => false,
        }
    }
}

impl Eq for ElementName {}

impl fmt::Debug for ElementName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self)
    }
}

impl fmt::Display for ElementName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self)
    }
}

/// Where the search for an open element ends (WHATWG HTML, "has an element in button scope").
static SCOPE: [u8; 9] = ids([
    "button", "caption", "html", "marquee", "object", "table", "td", "template", "th",
]);

#[cfg(test)]
mod tests;
