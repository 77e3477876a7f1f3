//! What the names of elements mean for segmentation: which are inline, void, kept, or closed by others.

/// Elements that stand in a line of text (HTML phrasing content and the obsolete ones).
const INLINE: [&str; 52] = [
    "a", "abbr", "acronym", "area", "b", "bdi", "bdo", "big", "blink", "br", "button", "cite", "code", "data", "del",
    "dfn", "em", "embed", "font", "i", "img", "input", "ins", "kbd", "label", "link", "mark", "meta", "meter", "nobr",
    "output", "progress", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "slot", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Inline elements whose content is text of its own, apart from the text around them.
const NESTED: [&str; 18] = [
    "audio", "canvas", "datalist", "iframe", "map", "math", "noembed", "noframes", "noscript", "object", "picture",
    "script", "select", "style", "svg", "template", "textarea", "video",
];

/// Elements whose text is kept: it is code (R-A10) or data (R-A11).
const KEPT: [&str; 10] = ["code", "kbd", "listing", "plaintext", "pre", "samp", "textarea", "tt", "var", "xmp"];

/// Elements without content or end tag.
const VOID: [&str; 19] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];

/// Elements whose start ends an open paragraph.
const ENDS_PARAGRAPH: [&str; 39] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "ul",
    "xmp",
];

/// How an element takes part in a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It is a code inside the text.
    Inline,
    /// It is a code inside the text; what it holds is text of its own.
    Nested,
    /// It begins and ends texts.
    Block,
    /// A name that HTML does not know: decided by what stands around it.
    Unknown,
}

/// How an HTML element takes part in a line of text.
pub(super) fn flow(name: &str) -> Flow {
    if NESTED.contains(&name) {
        Flow::Nested
    } else if INLINE.binary_search(&name).is_ok() {
        Flow::Inline
    } else if is_known_block(name) {
        Flow::Block
    } else {
        Flow::Unknown
    }
}

fn is_known_block(name: &str) -> bool {
    const OTHERS: [&str; 32] = [
        "applet",
        "base",
        "body",
        "caption",
        "col",
        "colgroup",
        "frame",
        "frameset",
        "head",
        "html",
        "legend",
        "marquee",
        "optgroup",
        "option",
        "param",
        "selectedcontent",
        "source",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "track",
        "image",
        "basefont",
        "bgsound",
        "keygen",
        "menuitem",
        "plaintext",
    ];
    ENDS_PARAGRAPH.binary_search(&name).is_ok() || OTHERS.contains(&name)
}

/// Whether an element's own text is kept as it is.
pub(super) fn is_kept(name: &str) -> bool {
    KEPT.contains(&name)
}

/// Whether an element has neither content nor end tag.
pub(super) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

/// The open elements that a start tag ends, and the elements at which the search for them stops.
pub(super) fn ends_before(name: &str) -> (&'static [&'static str], &'static [&'static str]) {
    const TABLE: [&str; 3] = ["table", "template", "html"];
    match name {
        "li" => (&["li"], &["ul", "ol", "menu", "dir", "table", "td", "th", "template"]),
        "dd" | "dt" => (&["dd", "dt"], &["dl", "table", "td", "th", "template"]),
        "option" => (&["option"], &["select", "datalist", "optgroup", "template"]),
        "optgroup" => (&["option", "optgroup"], &["select", "template"]),
        "td" | "th" => (&["td", "th"], &["table", "template", "tr"]),
        "tr" => (&["tr"], &TABLE),
        "tbody" | "thead" | "tfoot" => (&["tbody", "thead", "tfoot"], &TABLE),
        _ if ENDS_PARAGRAPH.binary_search(&name).is_ok() => (&["p"], &SCOPE),
        _ => (&[], &[]),
    }
}

/// Where the search for an open element ends (WHATWG HTML, "has an element in button scope").
pub(super) const SCOPE: [&str; 9] = ["button", "caption", "html", "marquee", "object", "table", "td", "template", "th"];

/// The elements at which an end tag stops looking for its start tag.
pub(super) fn scope_of_end(name: &str) -> &'static [&'static str] {
    match name {
        "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th" | "caption" => &["template"],
        _ => &SCOPE[1..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_flow() {
        assert!(INLINE.is_sorted() && ENDS_PARAGRAPH.is_sorted());
        for (name, expected) in [
            ("a", Flow::Inline),
            ("wbr", Flow::Inline),
            ("svg", Flow::Nested),
            ("p", Flow::Block),
            ("option", Flow::Block),
            ("table", Flow::Block),
            ("x-icon", Flow::Unknown),
            ("x", Flow::Unknown),
        ] {
            assert_eq!(flow(name), expected, "{name}");
        }
    }
}
