//! Where addresses stand in a page (R-E1), as the smallest ranges that can be replaced.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use encoding_rs::Encoding;

use super::addresses_in_values::{
    candidates, css_addresses, has_ending, is_refresh, refresh_address, unescape_css, words,
};
use super::found::LangPlace;
use super::inline_links::{Inline, POSSIBLE};
use super::language_links::LanguageLinks;
use super::link_place::{AddressWriting, LinkPlace, spelled};
use super::meta_links;
use crate::Locale;
use crate::html::bytes::as_text;
use crate::html::encoding;
use crate::html::known::LINK;
use crate::html::space::is_plain;
use crate::html::tokens::{PageTokens, StartTag, TagAttribute, TextKind, TokenFilter, TokenKind};
use crate::html::writing;

/// Attributes that hold one address, by element; `*` is any element.
const CARRIERS: [(&str, &str); 39] = [
    ("a", "href"),
    ("a", "xlink:href"),
    ("area", "href"),
    ("astro-island", "before-hydration-url"),
    ("astro-island", "component-url"),
    ("astro-island", "renderer-url"),
    ("audio", "src"),
    ("blockquote", "cite"),
    ("body", "background"),
    ("button", "formaction"),
    ("del", "cite"),
    ("embed", "src"),
    ("feimage", "href"),
    ("feimage", "xlink:href"),
    ("form", "action"),
    ("frame", "src"),
    ("html", "manifest"),
    ("iframe", "src"),
    ("image", "href"),
    ("image", "xlink:href"),
    ("img", "src"),
    ("input", "formaction"),
    ("input", "src"),
    ("ins", "cite"),
    ("link", "href"),
    ("object", "data"),
    ("q", "cite"),
    ("script", "src"),
    ("script", "xlink:href"),
    ("source", "src"),
    ("table", "background"),
    ("td", "background"),
    ("th", "background"),
    ("track", "src"),
    ("turbo-frame", "src"),
    ("use", "href"),
    ("use", "xlink:href"),
    ("video", "poster"),
    ("video", "src"),
];

/// Attributes that hold the address of a file until a script loads it.
const LAZY: [&str; 7] = [
    "data-background",
    "data-background-image",
    "data-bg",
    "data-lazy-src",
    "data-original",
    "data-poster",
    "data-src",
];

/// Attributes for scripts that may hold the address of a file.
const POSSIBLY_LAZY: [&str; 5] = [
    "data-href",
    "data-image",
    "data-large_image",
    "data-lazy",
    "data-thumb",
];

/// Finds every address of a page, in order; `encoding` is the page's own.
pub(crate) fn find(
    source: &[u8],
    tokens: &PageTokens,
    languages: &LanguageLinks,
    encoding: &'static Encoding,
) -> Vec<LinkPlace> {
    let mut places = Vec::with_capacity(tokens.count_attributes(LINK));
    let mut inline = None;
    let has_base = base(source, tokens).is_some();
    let wanted = TokenFilter {
        roles: LINK,
        elements: &["script", "select", "style"],
        ..TokenFilter::default()
    };
    let mut navigates = false;
    tokens.each_wanted(wanted, |token| {
        match &token.kind {
            TokenKind::Start(tag) => {
                inline = Inline::of(source, tag);
                if &*tag.name == "select" {
                    navigates = leads_on(source, tag);
                }
                let tag = Linking {
                    tag,
                    language: languages.at(token.range.start),
                    encoding,
                    has_base,
                    navigates,
                };
                of_tag(source, &tag, &mut places);
            }
            TokenKind::Text(kind) => {
                let is_whole = *kind == TextKind::Raw || inline == Some(Inline::StyleSheet);
                if let Some(inline) = inline.filter(|_| is_whole) {
                    inline.find(source, &token.range, tokens.is_xml(), &mut places);
                }
            }
            TokenKind::End(_) => inline = None,
            TokenKind::Comment | TokenKind::Doctype => {}
        }
        inline.is_some()
    });
    places
}

/// The first `<base href>` of a page (R-E3).
pub(crate) fn base(source: &[u8], tokens: &PageTokens) -> Option<String> {
    tokens
        .tags("base")
        .find_map(|tag| tag.value(source, "href").map(Cow::into_owned))
}

/// More tokens than any `rel` has, and more bytes than any of them.
const MOST_RELATIONS: usize = 32;
const LONGEST_RELATION: usize = 64;

/// The `rel` tokens of a tag in lower case, as many and as long as mean anything to anybody.
pub(crate) fn rel(source: &[u8], tag: &StartTag<'_>) -> Arc<[String]> {
    let value = tag.value(source, "rel").unwrap_or_default();
    let tokens = value
        .split_ascii_whitespace()
        .filter(|token| token.len() <= LONGEST_RELATION);
    let is_embed = || {
        tag.value(source, "type")
            .is_some_and(|kind| kind.trim().to_ascii_lowercase().ends_with("+oembed"))
    };
    let words = tokens.take(MOST_RELATIONS).map(str::to_ascii_lowercase);
    // The address of an oEmbed provider is no version of the page: it describes how other sites show the page (oembed.com).
    words
        .map(|word| {
            if word == "alternate" && is_embed() {
                "oembed".to_owned()
            } else {
                word
            }
        })
        .collect()
}

/// A tag that may hold addresses.
struct Linking<'a> {
    tag: &'a StartTag<'a>,
    /// Language of a language link.
    language: Option<&'a Option<Locale>>,
    encoding: &'static Encoding,
    /// The page has a `<base href>`, so that an empty address leads there and not to the page itself.
    has_base: bool,
    /// It stands in or behind a menu that opens what a reader chooses.
    navigates: bool,
}

#[expect(clippy::too_many_lines, reason = "one arm for each element with links")]
fn of_tag(source: &[u8], linking: &Linking<'_>, places: &mut Vec<LinkPlace>) {
    let &Linking {
        tag,
        language,
        encoding,
        has_base,
        navigates,
    } = linking;
    if !tag.may(LINK) {
        return;
    }
    // The `hreflang` of an ordinary link changes with its target.
    let hreflang = tag
        .attribute("hreflang")
        .filter(|_| &*tag.name == "a" && language.is_none());
    let rel = if tag.has("rel") {
        rel(source, tag)
    } else {
        Arc::default()
    };
    for attribute in tag
        .attributes
        .iter()
        .filter(|attribute| attribute.known.roles & LINK != 0)
    {
        let Some(value) = attribute.value.clone() else {
            continue;
        };
        let leads_to_base =
            has_base && matches!(&*tag.name, "a" | "area") && attribute.known.name == "href";
        if value.is_empty() && language.is_none() && !leads_to_base {
            continue;
        }
        let part = AddressWriting::Part(attribute.quote(source));
        let mut add_as = |range: Range<usize>, writing: AddressWriting, name: &'static str| {
            let (spelled, respelled) = match &source[range.clone()] {
                written if matches!(writing, AddressWriting::Style(_)) => {
                    (read_css(written), false)
                }
                written if is_plain(written) && !has_space_around(written) => (None, false),
                // Style sheets always speak UTF-8.
                written => read(
                    written,
                    if attribute.known.name == "style" {
                        encoding_rs::UTF_8
                    } else {
                        encoding
                    },
                ),
            };
            places.push(LinkPlace {
                range,
                spelled,
                respelled,
                element: tag.name.clone(),
                attribute: name,
                rel: rel.clone(),
                language: language.cloned().flatten(),
                hreflang: hreflang
                    .and_then(|attribute| lang_place(source, attribute))
                    .map(Box::new),
                writing,
            });
        };
        let statement = match (&*tag.name, attribute.name()) {
            ("meta", "content") if !is_refresh(source, tag) => meta_links::kind(source, tag),
            ("link", "href") if rel.is_empty() => meta_links::kind_of_link(source, tag),
            _ => None,
        };
        if let Some(name) = statement {
            add_as(value, whole(source, attribute), name);
            continue;
        }
        let mut add = |range: Range<usize>, writing: AddressWriting| {
            add_as(range, writing, attribute.known.name)
        };
        match (&*tag.name, attribute.name()) {
            // Most links of most pages.
            ("a", "href") => add(value, whole(source, attribute)),
            ("option", "value") if language.is_some() && is_address(&source[value.clone()]) => {
                add(value, whole(source, attribute));
            }
            ("option", "value") if navigates && names_file(&source[value.clone()]) => {
                add(value, whole(source, attribute))
            }
            ("img" | "source", "srcset") | ("link", "imagesrcset") => {
                candidates(&source[value.clone()])
                    .into_iter()
                    .for_each(|range| add(within(&value, range), part));
            }
            ("a" | "area", "ping") => {
                words(&source[value.clone()])
                    .into_iter()
                    .for_each(|range| add(within(&value, range), part));
            }
            ("meta", "content") if is_refresh(source, tag) => {
                refresh_address(&source[value.clone()])
                    .into_iter()
                    .for_each(|range| add(within(&value, range), part));
            }
            (_, "style") => {
                for range in css_addresses(&source[value.clone()])
                    .into_iter()
                    .map(|range| within(&value, range))
                {
                    let is_plain = is_plain_css(&source[range.clone()]);
                    add(
                        range,
                        if is_plain {
                            part
                        } else {
                            AddressWriting::Style(attribute.quote(source))
                        },
                    );
                }
            }
            key if CARRIERS.binary_search(&key).is_ok() => add(value, whole(source, attribute)),
            _ => {
                for (range, writing, name) in for_scripts(source, tag, attribute, &value) {
                    add_as(range, writing, name);
                }
            }
        }
    }
}

/// Addresses in an attribute that scripts read, or on an element of the site's own, each with its writing and the `attribute` of its
/// place.
fn for_scripts(
    source: &[u8],
    tag: &StartTag<'_>,
    attribute: &TagAttribute,
    value: &Range<usize>,
) -> Vec<(Range<usize>, AddressWriting, &'static str)> {
    let element = &*tag.name;
    let name = attribute.known.name;
    let written = &source[value.clone()];
    let quote = attribute.quote(source);
    let whole = vec![(value.clone(), AddressWriting::Whole(quote), name)];
    match name {
        // Scripts put the fragment that is there into the page.
        "hx-get" | "data-hx-get" | "data-include" | "w3-include-html" if names_file(written) => {
            whole
        }
        // Scripts load these when a reader comes near.
        "data-srcset" | "data-lazy-srcset" => parts(
            candidates(written),
            value,
            AddressWriting::Part(quote),
            name,
        ),
        name if LAZY.contains(&name) && has_ending(written) => whole,
        name if LAZY.contains(&name) => parts(
            css_addresses(written),
            value,
            AddressWriting::Style(quote),
            name,
        ),
        name if POSSIBLY_LAZY.contains(&name) && has_ending(written) => {
            vec![(value.clone(), AddressWriting::Whole(quote), POSSIBLE)]
        }
        // Elements of the site's own, and those of AMP.
        "srcset" if element.contains('-') => parts(
            candidates(written),
            value,
            AddressWriting::Part(quote),
            name,
        ),
        "src" | "poster" if element.contains('-') && has_ending(written) => whole,
        _ => Vec::new(),
    }
}

fn parts(
    ranges: Vec<Range<usize>>,
    value: &Range<usize>,
    writing: AddressWriting,
    name: &'static str,
) -> Vec<(Range<usize>, AddressWriting, &'static str)> {
    ranges
        .into_iter()
        .map(|range| (within(value, range), writing, name))
        .collect()
}

/// Recognizes a menu that opens the address of what a reader chooses: `<select onchange="location=this.value">` (R-M1).
fn leads_on(source: &[u8], select: &StartTag<'_>) -> bool {
    let program = select.value(source, "onchange").unwrap_or_default();
    program.contains("location") || program.contains("window.open")
}

/// Tells the address in an `<option>` of a language menu from a code.
fn is_address(value: &[u8]) -> bool {
    value.contains(&b'/') || value.starts_with(b"?")
}

/// Recognizes an address of a file: attributes for scripts may hold other words.
fn names_file(value: &[u8]) -> bool {
    value.contains(&b'/') || value.contains(&b'.')
}

/// What an address says, where it is not what is written, and whether that is so because of the encoding.
fn read(written: &[u8], encoding: &'static Encoding) -> (Option<Box<str>>, bool) {
    let decoded = htmlize::unescape_attribute(as_text(written));
    let address = decoded.trim_matches(|character: char| character <= ' ');
    match encoding::in_query(address, encoding) {
        Some(respelled) => (spelled(respelled.into(), written), true),
        None => (spelled(address.into(), written), false),
    }
}

/// The address that an escaped value of CSS stands for.
fn read_css(written: &[u8]) -> Option<Box<str>> {
    let decoded = htmlize::unescape_attribute(as_text(written));
    spelled(unescape_css(&decoded).into(), written)
}

fn has_space_around(address: &[u8]) -> bool {
    address.starts_with(b" ") || address.ends_with(b" ")
}

fn lang_place(source: &[u8], attribute: &TagAttribute) -> Option<LangPlace> {
    Some((
        attribute.value.clone()?,
        writing::ValueWriting::Attribute(attribute.quote(source)),
    ))
}

fn whole(source: &[u8], attribute: &TagAttribute) -> AddressWriting {
    AddressWriting::Whole(attribute.quote(source))
}

fn within(outer: &Range<usize>, inner: Range<usize>) -> Range<usize> {
    outer.start + inner.start..outer.start + inner.end
}

/// Whether an address in a style attribute is spelled as it reads: neither CSS escapes nor quotes in disguise.
fn is_plain_css(address: &[u8]) -> bool {
    !address.contains(&b'\\')
        && !String::from_utf8_lossy(address)
            .replace("&amp;", "")
            .contains('&')
}

#[cfg(test)]
mod tests;
