//! The pure core: a page is its own source, unchanged, plus a sorted list of places where something else may stand.
//!
//! [`Page::parse`] finds the places, [`Page::render`] copies the source and fills them. What is not a place cannot
//! change, so a page may stay untranslated but is never damaged. Nothing here touches a file, a socket, a clock or
//! a global.

mod encoding;
mod links;
mod scan;
mod text;

pub use links::css_addresses;

pub use text::{Code, CodeKind, CodedText, Piece, TextError, check};

use scan::TokenKind;

use crate::model::{Locale, SegmentKey};

/// What kind of text a segment is; equal texts of different classes are translated apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextClass {
    /// Running text: blocks, titles and descriptions.
    Prose,
    /// The label of a thing: `alt`, `title`, `placeholder`, `aria-label`, button values.
    Label,
}

impl TextClass {
    /// The name under which keys and files know the class.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Label => "label",
        }
    }
}

/// A piece of text that is translated as one, with its inline codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The text, entities decoded and white space collapsed, without outer markup.
    pub text: CodedText,
    /// What the codes of the text stand for; code `n` is at index `n - 1`.
    pub codes: Vec<Code>,
    /// What kind of text this is.
    pub class: TextClass,
    /// The element or attribute it stands in, such as `h1` or `img alt`: context for people and engines.
    pub origin: String,
}

impl Segment {
    /// The key under which a translation of this segment is kept.
    pub fn key(&self, source: &Locale) -> SegmentKey {
        SegmentKey::new(source, self.class.as_str(), &self.text.to_markup())
    }
}

/// A link as it stands in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLink {
    /// The address as written, character references decoded, white space trimmed.
    pub address: String,
    /// The element's name in lower case.
    pub element: String,
    /// The attribute's name in lower case; `meta refresh` and `style url()` are reported as `content` and `style`.
    pub attribute: String,
    /// The element's `rel` tokens in lower case.
    pub rel: Vec<String>,
}

/// What a crawler wants to know about a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The first `<base href>`, as written.
    pub base: Option<String>,
    /// Every link, in order.
    pub links: Vec<FoundLink>,
    /// `<meta name=robots>` says `noindex` (or `none`).
    pub noindex: bool,
    /// `<meta name=robots>` says `nofollow` (or `none`).
    pub nofollow: bool,
    /// The language that `<html lang>` declares.
    pub lang: Option<String>,
}

/// Finds the links of a page; `charset` is what the HTTP header declared.
pub fn find_links(html: &[u8], charset: Option<&str>) -> PageLinks {
    let decoded = encoding::decode(html, charset);
    let source = &decoded.html;
    let tokens = scan::scan(source);
    let mut page = PageLinks::default();
    for token in &tokens {
        let TokenKind::Start(tag) = &token.kind else { continue };
        let value = |name: &str| tag.value(source, name);
        match &*tag.name {
            "base" => page.base = page.base.or_else(|| value("href")),
            "html" => page.lang = page.lang.or_else(|| value("lang")).or_else(|| value("xml:lang")),
            "meta" if value("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("robots")) => {
                let rules = value("content").unwrap_or_default().to_ascii_lowercase();
                let says = |rule: &str| rules.split([',', ' ']).any(|word| word == rule || word == "none");
                page.noindex |= says("noindex");
                page.nofollow |= says("nofollow");
            }
            _ => {}
        }
    }
    let places = links::find(source, &tokens);
    page.links = places
        .into_iter()
        .map(|place| FoundLink {
            address: place.address,
            element: place.element.into(),
            attribute: place.attribute.into(),
            rel: place.rel,
        })
        .collect();
    page
}
