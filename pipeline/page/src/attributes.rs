//! Which attributes hold text for people (R-A2, R-A3, R-A6, R-A8, R-A9), as tables.

use std::borrow::Cow;

use super::TextClass;
use super::tokens::{Attribute, Tag};

/// An attribute that means something to the page core; all others are never looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) roles: Roles,
}

/// What an attribute may be good for, as a set of bits.
pub(super) type Roles = u8;

/// It may hold text for people.
pub(super) const TEXT: Roles = 1;
/// It may hold addresses.
pub(super) const LINK: Roles = 1 << 1;
/// It says how what stands inside its element is to be taken.
pub(super) const RULE: Roles = 1 << 2;
/// It tells what made the page.
pub(super) const MAKER: Roles = 1 << 3;

/// An attribute that only a site's own rules call text.
pub(super) static ASKED: Known = is("", TEXT);

const fn is(name: &'static str, roles: Roles) -> Known {
    Known { name, roles }
}

/// The attributes, sorted by name.
static ATTRIBUTES: [Known; 56] = [
    is("abbr", TEXT),
    is("accept-charset", 0),
    is("action", LINK),
    is("alt", TEXT),
    is("aria-braillelabel", TEXT),
    is("aria-brailleroledescription", TEXT),
    is("aria-description", TEXT),
    is("aria-label", TEXT),
    is("aria-placeholder", TEXT),
    is("aria-roledescription", TEXT),
    is("aria-valuetext", TEXT),
    is("background", LINK),
    is("charset", 0),
    is("cite", LINK),
    is("class", RULE),
    is("content", TEXT | LINK),
    is("contenteditable", RULE),
    is("data", LINK),
    is("data-latimer-switcher", RULE),
    is("data-reactroot", MAKER),
    is("data-server-rendered", MAKER),
    is("data-v-app", MAKER),
    is("dir", 0),
    is("download", TEXT),
    is("encoding", RULE),
    is("formaction", LINK),
    is("href", LINK),
    is("hreflang", RULE),
    is("http-equiv", 0),
    is("id", MAKER),
    is("imagesrcset", LINK),
    is("its-locale-filter-list", RULE),
    is("its-locale-filter-type", RULE),
    is("its-within-text", RULE),
    is("label", TEXT),
    is("lang", RULE),
    is("manifest", LINK),
    is("name", 0),
    is("ng-server-context", MAKER),
    is("ng-version", MAKER),
    is("ping", LINK),
    is("placeholder", TEXT),
    is("poster", LINK),
    is("property", 0),
    is("rel", 0),
    is("src", LINK),
    is("srcdoc", TEXT),
    is("srcset", LINK),
    is("style", LINK),
    is("title", TEXT),
    is("translate", RULE),
    is("type", 0),
    is("value", TEXT),
    is("x", 0),
    is("xlink:href", LINK),
    is("xml:lang", RULE),
];

/// The attribute that is written so, in any case.
pub(super) fn known(written: &[u8]) -> Option<&'static Known> {
    let lower = |byte: &u8| byte.to_ascii_lowercase();
    let at = ATTRIBUTES.binary_search_by(|known| known.name.bytes().cmp(written.iter().map(lower))).ok()?;
    Some(&ATTRIBUTES[at])
}

/// Attributes that are text on every element.
const EVERYWHERE: [&str; 8] = [
    "aria-braillelabel",
    "aria-brailleroledescription",
    "aria-description",
    "aria-label",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
    "title",
];

/// Attributes that are text on one element.
const ON_ELEMENT: [(&str, &str); 11] = [
    ("a", "download"),
    ("area", "alt"),
    ("area", "download"),
    ("img", "alt"),
    ("input", "alt"),
    ("input", "placeholder"),
    ("optgroup", "label"),
    ("option", "label"),
    ("textarea", "placeholder"),
    ("th", "abbr"),
    ("track", "label"),
];

/// Names and properties of `<meta>` whose content is text.
const META: [&str; 17] = [
    "apple-mobile-web-app-title",
    "application-name",
    "article:section",
    "article:tag",
    "dc.description",
    "dc.title",
    "dcterms.description",
    "dcterms.title",
    "description",
    "keywords",
    "og:description",
    "og:image:alt",
    "og:site_name",
    "og:title",
    "twitter:description",
    "twitter:image:alt",
    "twitter:title",
];

/// Says what class of text an attribute holds, if it holds any.
pub(super) fn class_of(source: &[u8], tag: &Tag<'_>, attribute: &Attribute) -> Option<TextClass> {
    if attribute.asked.is_some() {
        return Some(TextClass::Label);
    }
    match (&*tag.name, attribute.name()) {
        // It names a set of style sheets.
        ("style", "title") => None,
        ("link", "title") if has_rel(source, tag, "stylesheet") => None,
        (_, name) if EVERYWHERE.binary_search(&name).is_ok() => Some(TextClass::Label),
        ("meta", "content") => is_text_meta(source, tag).then_some(TextClass::Prose),
        ("input", "value") => is_button(source, tag).then_some(TextClass::Label),
        // A bare file name is a name; with spaces it is a title.
        (_, "download") if !attribute.value(source).trim().contains(' ') => None,
        key => ON_ELEMENT.binary_search(&key).is_ok().then_some(TextClass::Label),
    }
}

/// Whether `rel` holds a token.
pub(super) fn has_rel(source: &[u8], tag: &Tag<'_>, token: &str) -> bool {
    let rel = tag.value(source, "rel").unwrap_or(Cow::Borrowed(""));
    rel.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(token))
}

/// A link to this page in another language: its text is a language's own name.
pub(super) fn is_language_link(source: &[u8], tag: &Tag<'_>) -> bool {
    matches!(&*tag.name, "a" | "link") && tag.has("hreflang") && has_rel(source, tag, "alternate")
}

fn is_text_meta(source: &[u8], tag: &Tag<'_>) -> bool {
    ["name", "property"].iter().filter_map(|name| tag.value(source, name)).any(|value| {
        let value = value.trim().to_ascii_lowercase();
        META.binary_search(&value.as_str()).is_ok()
    })
}

/// Buttons whose value is only shown; a submit button with a name sends its value (R-A6).
fn is_button(source: &[u8], tag: &Tag<'_>) -> bool {
    match tag.value(source, "type").map(|kind| kind.trim().to_ascii_lowercase()).as_deref() {
        Some("button" | "reset") => true,
        Some("submit") => !tag.has("name"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(EVERYWHERE.is_sorted() && ON_ELEMENT.is_sorted() && META.is_sorted());
        assert!(ATTRIBUTES.is_sorted_by_key(|known| known.name));
    }

    #[test]
    fn what_is_looked_for_is_known() {
        for name in EVERYWHERE.iter().chain(ON_ELEMENT.iter().map(|(_, name)| name)) {
            assert!(known(name.to_uppercase().as_bytes()).is_some_and(|known| known.roles & TEXT != 0), "{name}");
        }
    }
}
