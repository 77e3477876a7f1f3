//! What a crawler wants to know about a page: its links, and what it asks of robots.

use std::borrow::Cow;
use std::sync::Arc;

use crate::Rules;
use crate::document::PageFormat;
use crate::find::attributes::has_rel;
use crate::find::language_links::LanguageLinks;
use crate::find::links;
use crate::form::MarkupForm;
use crate::html::tokens::{PageTokens, TokenKind};
use crate::parse::{cut, decode};
use crate::robots::RobotsRules;

/// A link as it stands in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLink {
    /// The address as written, character references decoded, white space trimmed, its query in the spelling of the
    /// page's encoding.
    pub address: String,
    /// The element's name in lower case.
    pub element: String,
    /// The attribute's name in lower case; `meta refresh` and `style url()` are reported as `content` and `style`.
    /// Addresses in JSON-LD, microdata and `<meta>` elements are reported as `url` (of a page), `file`, or `id` (of anything).
    pub attribute: String,
    /// The element's `rel` tokens in lower case.
    pub rel: Arc<[String]>,
}

/// What a crawler wants to know about a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The first `<base href>`, as written.
    pub base: Option<String>,
    /// Every link, in order.
    pub links: Vec<FoundLink>,
    /// `<meta name=robots>` or `<meta name=googlebot>` says `noindex` (or `none`).
    pub noindex: bool,
    /// `<meta name=robots>` says `nofollow` (or `none`).
    pub nofollow: bool,
    /// The language that `<html lang>` declares.
    pub lang: Option<String>,
    /// Form of its source.
    pub form: MarkupForm,
    /// Addresses of frames, as written, of a page without `<base>`.
    pub frames: Vec<String>,
    /// The canonical address, as written, if the page names one alone.
    pub canonical: Option<String>,
}

/// Frames of a page that are listed.
const MOST_FRAMES: usize = 32;
/// The longest address of a frame that is listed, in bytes.
const LONGEST_FRAME: usize = 1024;

/// Finds the links of a page; `charset` is what the HTTP header declared.
pub fn find_links(format: PageFormat, html: &[u8], charset: Option<&str>) -> PageLinks {
    let mut links = Vec::new();
    let page = each_link(format, html, charset, |_, link| links.push(link.clone()));
    PageLinks { links, ..page }
}

/// Hands on each link of a page, in order, with all that the page says beside its links. Gives the latter.
pub fn each_link(
    format: PageFormat,
    html: &[u8],
    charset: Option<&str>,
    mut each: impl FnMut(&PageLinks, &FoundLink),
) -> PageLinks {
    let decoded = decode(format, html, charset);
    let source = &decoded.html;
    let tokens = cut(format, source, &Rules::default());
    let mut page = PageLinks {
        form: MarkupForm::of(format, source, &tokens),
        ..head_of(source, &tokens)
    };
    let mut frames = Vec::new();
    for place in links::find(source, &tokens, &LanguageLinks::default(), decoded.encoding) {
        let link = FoundLink {
            address: place.address(source).to_owned(),
            element: place.element.to_string(),
            attribute: place.attribute.into(),
            rel: place.rel,
        };
        let is_frame = matches!(&*link.element, "iframe" | "frame") && link.attribute == "src";
        if is_frame
            && page.base.is_none()
            && frames.len() < MOST_FRAMES
            && link.address.len() <= LONGEST_FRAME
        {
            frames.push(link.address.clone());
        }
        each(&page, &link);
    }
    page.frames = frames;
    page
}

/// Reads everything but the links of a page.
fn head_of(source: &[u8], tokens: &PageTokens) -> PageLinks {
    let mut page = PageLinks {
        base: links::base(source, tokens),
        ..PageLinks::default()
    };
    let mut canonical = Vec::new();
    for token in tokens.iter() {
        let TokenKind::Start(tag) = &token.kind else {
            continue;
        };
        let value = |name: &str| tag.value(source, name);
        match &*tag.name {
            "html" if page.lang.is_none() => {
                page.lang = value("lang")
                    .or_else(|| value("xml:lang"))
                    .map(Cow::into_owned);
            }
            "link" if has_rel(source, tag, "canonical") => {
                canonical.extend(value("href").map(Cow::into_owned))
            }
            "meta" => {
                let Some(name) = value("name") else { continue };
                let rules =
                    RobotsRules::of_crawler(Some(&name), &value("content").unwrap_or_default());
                page.noindex |= rules.noindex;
                page.nofollow |= rules.nofollow;
            }
            _ => {}
        }
    }
    page.canonical = match canonical.as_slice() {
        [alone] => Some(alone.trim().to_owned()),
        _ => None,
    };
    page
}
