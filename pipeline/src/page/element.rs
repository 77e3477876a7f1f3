//! What the names of elements mean for segmentation: which are inline, void, kept, or closed by others.
//!
//! The lists are patterns rather than tables because this is asked several times for every tag of every page.

/// How an element takes part in a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It is a code inside the text: HTML phrasing content and the obsolete elements of that kind.
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
    match name {
        "a" | "abbr" | "acronym" | "area" | "b" | "bdi" | "bdo" | "big" | "blink" | "br" | "button" | "cite"
        | "code" | "data" | "del" | "dfn" | "em" | "embed" | "font" | "i" | "img" | "input" | "ins" | "kbd"
        | "label" | "link" | "mark" | "meta" | "meter" | "nobr" | "output" | "progress" | "q" | "rb" | "rp" | "rt"
        | "rtc" | "ruby" | "s" | "samp" | "slot" | "small" | "span" | "strike" | "strong" | "sub" | "sup" | "time"
        | "tt" | "u" | "var" | "wbr" => Flow::Inline,
        "audio" | "canvas" | "datalist" | "iframe" | "map" | "math" | "noembed" | "noframes" | "noscript"
        | "object" | "picture" | "script" | "select" | "style" | "svg" | "template" | "textarea" | "video" => {
            Flow::Nested
        }
        "applet" | "base" | "body" | "caption" | "col" | "colgroup" | "frame" | "frameset" | "head" | "html"
        | "legend" | "marquee" | "optgroup" | "option" | "param" | "selectedcontent" | "source" | "table" | "tbody"
        | "td" | "tfoot" | "th" | "thead" | "title" | "tr" | "track" | "image" | "basefont" | "bgsound" | "keygen"
        | "menuitem" | "plaintext" => Flow::Block,
        _ if ends_paragraph(name) => Flow::Block,
        _ => Flow::Unknown,
    }
}

/// Whether a start tag ends an open paragraph.
fn ends_paragraph(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "ul"
            | "xmp"
    )
}

/// Whether an element's own text is kept: it is code (R-A10) or data (R-A11).
pub(super) fn is_kept(name: &str) -> bool {
    matches!(name, "code" | "kbd" | "listing" | "plaintext" | "pre" | "samp" | "textarea" | "tt" | "var" | "xmp")
}

/// Whether an element has neither content nor end tag.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "image"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
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
        _ if ends_paragraph(name) => (&["p"], &SCOPE),
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
