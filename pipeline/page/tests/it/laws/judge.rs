//! What html5ever, which the page core does not use, says of a page: its structure and the words that a reader sees.
//!
//! This file is the one judge of structure. The tests of the library, those of the program and the fuzz target all
//! include it.

use std::fmt::Write as _;

use page::Locale;
use scraper::node::Element;
use scraper::{Html, Node};

/// Attributes whose value is text for people.
const TEXT_ATTRIBUTES: [&str; 18] = [
    "abbr",
    "alt",
    "aria-braillelabel",
    "aria-brailleroledescription",
    "aria-description",
    "aria-label",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
    "content",
    "data-bs-content",
    "data-bs-title",
    "data-original-title",
    "download",
    "label",
    "placeholder",
    "summary",
    "title",
];

/// Attributes that a reader sees or hears on any element.
const SEEN_ATTRIBUTES: [&str; 4] = ["alt", "title", "placeholder", "aria-label"];

/// Elements whose text is nobody's to translate, and those that no reader sees.
const KEPT: [&str; 19] = [
    "code",
    "kbd",
    "samp",
    "var",
    "tt",
    "pre",
    "listing",
    "xmp",
    "plaintext",
    "textarea",
    "script",
    "style",
    "svg",
    "math",
    "iframe",
    "noembed",
    "noframes",
    "template",
    "noscript",
];

/// What of a page may differ beside its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Nothing.
    Stay,
    /// Where its links lead.
    Move,
}

/// Reads a page in the encoding that its first kilobyte declares; nothing when it is not UTF-8 and does not say so.
pub fn decode(page: &[u8]) -> Option<String> {
    if let Ok(html) = std::str::from_utf8(page) {
        return Some(html.to_owned());
    }
    let start = String::from_utf8_lossy(&page[..page.len().min(1024)]).to_ascii_lowercase();
    let label = start.split_once("charset=")?.1.trim_start_matches('"');
    let label = label
        .split(|end: char| !end.is_ascii_alphanumeric() && !matches!(end, '-' | '_'))
        .next()?;
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes())?;
    Some(encoding.decode_without_bom_handling(page).0.into_owned())
}

/// Draws the tree: elements, attributes and comments. Left out are texts, the page's own language and direction, those that
/// untranslated blocks of English pages have, and `value`, which an option without one is given.
pub fn skeleton(html: &str, links: Links) -> String {
    let tree = Html::parse_document(html);
    let mut drawn = String::new();
    for node in tree.tree.root().descendants() {
        let depth = node.ancestors().count();
        let _ = match node.value() {
            Node::Element(element) if declares_encoding(element) => Ok(()),
            Node::Element(element) => writeln!(drawn, "{depth} {}", draw(element, links)),
            // An XML declaration, which names the encoding, too.
            Node::Comment(comment) if comment.starts_with("?xml") => Ok(()),
            Node::Comment(comment) => writeln!(drawn, "{depth} <!--{}-->", comment.comment),
            Node::Doctype(doctype) => writeln!(drawn, "{depth} {}", doctype.name()),
            Node::Text(text)
                if node
                    .parent()
                    .is_some_and(|parent| is_program(parent.value())) =>
            {
                writeln!(drawn, "{depth} {:?}", &**text)
            }
            Node::Text(_) | Node::Document | Node::Fragment | Node::ProcessingInstruction(_) => {
                Ok(())
            }
        };
    }
    drawn
}

/// Whether an element holds a style sheet, or a script that is no data.
fn is_program(node: &Node) -> bool {
    node.as_element()
        .is_some_and(|element| match element.name() {
            "style" => true,
            "script" => {
                element.attr("type").is_none()
                    && element.attr("src").is_none()
                    && element.attr("id").is_none()
            }
            _ => false,
        })
}

/// Lists the elements with their attributes in alphabetical order. Where codes move, the order of a page's elements
/// changes and nothing else; tags that are not well nested make a browser add elements.
pub fn inventory(html: &str, links: Links) -> Vec<String> {
    let tree = Html::parse_document(html);
    let elements = tree
        .tree
        .root()
        .descendants()
        .filter_map(|node| node.value().as_element());
    let elements = elements.filter(|element| !declares_encoding(element));
    let mut drawn: Vec<String> = elements.map(|element| draw(element, links)).collect();
    drawn.sort();
    drawn
}

/// Whether an element tells the page's encoding: a page that becomes UTF-8 has one such element (R-D4).
fn declares_encoding(element: &Element) -> bool {
    let is_type = |kind: &str| kind.trim().eq_ignore_ascii_case("content-type");
    element.name() == "meta"
        && (element.attr("charset").is_some() || element.attr("http-equiv").is_some_and(is_type))
}

fn draw(element: &Element, links: Links) -> String {
    let said = |name: &str, value: &str| match name {
        "value" if matches!(element.name(), "option" | "input") => None,
        "lang" | "xml:lang" | "dir" if element.name() == "html" => None,
        // Blocks that nobody translated say so (R-R3).
        "lang" if links == Links::Move && value == "en" => None,
        "dir" if links == Links::Move && value == "ltr" && element.attr("lang") == Some("en") => {
            None
        }
        "srcdoc" if element.name() == "iframe" => Some(skeleton(value, links)),
        "href" | "src" | "srcset" | "action" if links == Links::Move => Some(String::new()),
        // A page that became UTF-8 says so of what hung on its encoding (R-D5, R-D7).
        "accept-charset" | "charset" => None,
        name if TEXT_ATTRIBUTES.contains(&name) => Some(String::new()),
        _ => Some(value.to_owned()),
    };
    let mut attributes: Vec<_> = element
        .attrs()
        .filter_map(|(name, value)| Some((name, said(name, value)?)))
        .collect();
    attributes.sort_unstable();
    format!("{} {attributes:?}", element.name())
}

/// Words in letters of the source that a reader sees, outside of what is nobody's to translate.
pub fn plain_words(html: &str, source: &Locale) -> Vec<String> {
    if html.contains("notranslate") && html.contains("name=google") {
        return Vec::new();
    }
    let tree = Html::parse_document(html);
    let mut words = Vec::new();
    for node in tree.tree.root().descendants() {
        let mut elements = node
            .ancestors()
            .filter_map(|ancestor| ancestor.value().as_element());
        if elements.any(|element| is_kept(element, source)) {
            continue;
        }
        let texts = match node.value() {
            Node::Text(text) => vec![&**text],
            Node::Element(element) if element.name() != "link" && !is_kept(element, source) => {
                SEEN_ATTRIBUTES
                    .iter()
                    .filter_map(|name| element.attr(name))
                    .collect()
            }
            _ => Vec::new(),
        };
        let is_word = |word: &&str| {
            word.chars().any(|letter| letter.is_ascii_alphabetic()) && !word.contains('@')
        };
        words.extend(
            texts
                .iter()
                .flat_map(|text| text.split_whitespace())
                .filter(is_word)
                .map(str::to_owned),
        );
    }
    words
}

fn is_kept(element: &Element, source: &Locale) -> bool {
    let attribute = |name: &str| {
        element
            .attr(name)
            .map(|value| value.trim().to_ascii_lowercase())
    };
    let is_foreign =
        |lang: String| Locale::parse(&lang).is_ok_and(|lang| !lang.same_language(source));
    KEPT.contains(&element.name())
        || (element.name() != "html" && attribute("lang").is_some_and(is_foreign))
        || attribute("translate").as_deref() == Some("no")
        || attribute("class")
            .is_some_and(|class| class.split_whitespace().any(|name| name == "notranslate"))
        || (element.attr("hreflang").is_some() && element.attr("rel").is_some())
}
