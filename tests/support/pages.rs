//! What the tests look for in a page, read by html5ever, which the page core does not use.

use std::fmt::Write as _;

use scraper::{Html, Node, Selector};

/// Attributes whose value is text for people.
const TEXT_ATTRIBUTES: [&str; 14] = [
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
    "download",
    "label",
    "placeholder",
    "title",
];

/// Attributes that a reader sees or hears on any element.
const SEEN_ATTRIBUTES: [&str; 4] = ["alt", "title", "placeholder", "aria-label"];

/// Elements whose text is nobody's to translate, and those that no reader sees.
const KEPT: [&str; 9] = ["code", "kbd", "samp", "pre", "script", "style", "svg", "template", "noscript"];

/// Values of an attribute of all elements that a selector finds, in order.
pub fn attributes(html: &str, selector: &str, name: &str) -> Vec<String> {
    let page = Html::parse_document(html);
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector).filter_map(|element| element.attr(name)).map(str::to_owned).collect()
}

/// An attribute of the first element that a selector finds.
pub fn attribute(html: &str, selector: &str, name: &str) -> Option<String> {
    attributes(html, selector, name).into_iter().next()
}

/// Draws the tree: elements, attributes and comments. Left out are texts, where links lead, the page's language and
/// `value`, which an option without one is given.
pub fn skeleton(html: &str) -> String {
    let tree = Html::parse_document(html);
    let mut drawn = String::new();
    for node in tree.tree.root().descendants() {
        let depth = node.ancestors().count();
        match node.value() {
            Node::Element(element) => {
                let said = |(name, value)| match name {
                    "value" if matches!(element.name(), "option" | "input") => None,
                    "lang" | "dir" if element.name() == "html" => None,
                    "href" | "src" | "srcset" | "action" | "charset" => Some((name, "")),
                    name if TEXT_ATTRIBUTES.contains(&name) => Some((name, "")),
                    name => Some((name, value)),
                };
                let mut attributes: Vec<(&str, &str)> = element.attrs().filter_map(said).collect();
                attributes.sort_unstable();
                let _ = writeln!(drawn, "{depth} {} {attributes:?}", element.name());
            }
            Node::Comment(comment) => {
                let _ = writeln!(drawn, "{depth} <!--{}-->", comment.comment);
            }
            Node::Doctype(doctype) => {
                let _ = writeln!(drawn, "{depth} {}", doctype.name());
            }
            Node::Text(_) | Node::Document | Node::Fragment | Node::ProcessingInstruction(_) => {}
        }
    }
    drawn
}

/// Words of letters that the source writes and a reader sees, outside of what is nobody's to translate.
pub fn plain_words(html: &str) -> Vec<String> {
    let tree = Html::parse_document(html);
    let mut words = Vec::new();
    for node in tree.tree.root().descendants() {
        let is_kept = |element: &scraper::node::Element| {
            KEPT.contains(&element.name())
                || element.attr("translate") == Some("no")
                || element.classes().any(|class| class == "notranslate")
                || (element.name() != "html" && element.attr("lang").is_some())
        };
        if node.ancestors().filter_map(|ancestor| ancestor.value().as_element()).any(is_kept) {
            continue;
        }
        let texts = match node.value() {
            Node::Text(text) => vec![&**text],
            Node::Element(element) if !is_kept(element) => {
                SEEN_ATTRIBUTES.iter().filter_map(|name| element.attr(name)).collect()
            }
            _ => Vec::new(),
        };
        let is_word = |word: &&str| word.chars().any(|letter| letter.is_ascii_alphabetic()) && !word.contains('@');
        words.extend(texts.iter().flat_map(|text| text.split_whitespace()).filter(is_word).map(str::to_owned));
    }
    words
}
