//! Which attributes hold text for people (R-A2, R-A3, R-A6, R-A8, R-A9), as tables.

use std::borrow::Cow;

use super::structured;
use crate::html::tokens::{Ruled, StartTag, TagAttribute};
use crate::text::segment::TextClass;

/// Attributes that are text on every element.
pub(crate) const EVERYWHERE: [&str; 11] = [
    "aria-braillelabel",
    "aria-brailleroledescription",
    "aria-description",
    "aria-label",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
    "data-bs-content",
    "data-bs-title",
    "data-original-title",
    "title",
];

/// Attributes that are text on one element.
pub(crate) const ON_ELEMENT: [(&str, &str); 16] = [
    ("a", "alt"),
    ("a", "download"),
    ("amp-img", "alt"),
    ("applet", "alt"),
    ("area", "alt"),
    ("area", "download"),
    ("image", "alt"),
    ("img", "alt"),
    ("input", "alt"),
    ("input", "placeholder"),
    ("optgroup", "label"),
    ("option", "label"),
    ("table", "summary"),
    ("textarea", "placeholder"),
    ("th", "abbr"),
    ("track", "label"),
];

/// Names and properties of `<meta>` whose content is text.
const META: [&str; 30] = [
    "abstract",
    "apple-mobile-web-app-title",
    "application-name",
    "article:section",
    "article:tag",
    "book:tag",
    "dc.description",
    "dc.title",
    "dcterms.description",
    "dcterms.title",
    "description",
    "keywords",
    "msapplication-tooltip",
    "news_keywords",
    "og:description",
    "og:image:alt",
    "og:site_name",
    "og:title",
    "payment:description",
    "pinterest:description",
    "subject",
    "title",
    "twitter:data1",
    "twitter:data2",
    "twitter:description",
    "twitter:image:alt",
    "twitter:label1",
    "twitter:label2",
    "twitter:title",
    "video:tag",
];

/// Where forms are sent that do not look at what their buttons say: how the addresses end, without query. WordPress and phpBB
/// (`is_set_post`) ask at most whether a button was sent. The others are services whose forms people put into their own pages,
/// with words of their own on the buttons; PayPal's are pictures, which send no words. Drupal is not here: it
/// compares `op` with the words.
pub(crate) const INDIFFERENT_FORMS: [&str; 12] = [
    "/boxsubscribe",
    "/ucp.php",
    "/wp-comments-post.php",
    "/wp-login.php",
    "aweber.com/scripts/addlead.pl",
    "constantcontact.com/d.jsp",
    "google.com/cse",
    "google.com/search",
    "list-manage.com/subscribe/post",
    "list-manage1.com/subscribe/post",
    "list-manage2.com/subscribe/post",
    "paypal.com/cgi-bin/webscr",
];

/// What an attribute may mean where its element stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AttributeContext {
    /// What is described has a proper name.
    pub(crate) is_named: bool,
    /// Forms are sent to somebody who does not look at what their buttons say.
    pub(crate) is_indifferent: bool,
}

/// Says what class of text an attribute holds, if it holds any.
pub(crate) fn class_of(
    source: &[u8],
    tag: &StartTag<'_>,
    attribute: &TagAttribute,
    around: AttributeContext,
) -> Option<TextClass> {
    if attribute.asked.is_some() {
        return Some(TextClass::Label);
    }
    match (&*tag.name, attribute.name()) {
        // It names a set of style sheets.
        ("style", "title") => None,
        ("link", "title") if has_rel(source, tag, "stylesheet") => None,
        (_, name) if EVERYWHERE.binary_search(&name).is_ok() => Some(TextClass::Label),
        ("meta", "content") if is_text_meta(source, tag) => Some(TextClass::Prose),
        (_, "content") => {
            is_text_property(source, tag, around.is_named).then_some(TextClass::Prose)
        }
        ("input", "value") => {
            is_button(source, tag, around.is_indifferent).then_some(TextClass::Label)
        }
        // A bare file name is a name; with spaces it is a title.
        (_, "download") if !attribute.value(source).trim().contains(' ') => None,
        key => ON_ELEMENT
            .binary_search(&key)
            .is_ok()
            .then_some(TextClass::Label),
    }
}

/// Whether `rel` holds a token.
pub(crate) fn has_rel(source: &[u8], tag: &StartTag<'_>, token: &str) -> bool {
    let rel = tag.value(source, "rel").unwrap_or(Cow::Borrowed(""));
    rel.split_ascii_whitespace()
        .any(|found| found.eq_ignore_ascii_case(token))
}

/// Recognizes a head's link to this page in another language: its title is a language's own name.
pub(crate) fn is_version_link(source: &[u8], tag: &StartTag<'_>) -> bool {
    &*tag.name == "link" && tag.has("hreflang") && has_rel(source, tag, "alternate")
}

fn is_text_meta(source: &[u8], tag: &StartTag<'_>) -> bool {
    ["name", "property"]
        .iter()
        .filter_map(|name| tag.value(source, name))
        .any(|value| {
            let value = value.trim().to_ascii_lowercase();
            META.binary_search(&value.as_str()).is_ok()
        })
}

/// Whether `content` is a text of microdata or RDFa, by the keys of JSON-LD (R-B8).
fn is_text_property(source: &[u8], tag: &StartTag<'_>, is_named: bool) -> bool {
    ["itemprop", "property"]
        .iter()
        .filter_map(|name| tag.value(source, name))
        .any(|value| {
            value
                .split_ascii_whitespace()
                .filter_map(structured::key)
                .any(|key| structured::is_text(key, is_named))
        })
}

/// Buttons whose value is only shown; a submit button with a name sends its value (R-A6), so somebody has to say that
/// nobody looks at it.
fn is_button(source: &[u8], tag: &StartTag<'_>, is_indifferent: bool) -> bool {
    let is_asked = tag.ruled == Some(Ruled::Translate);
    match kind(source, tag).as_deref() {
        Some("button" | "reset") => true,
        Some("submit") => !tag.has("name") || is_indifferent || is_asked,
        Some("text" | "search") | None => is_asked,
        Some(_) => false,
    }
}

/// The type of an `<input>`, where it says one.
pub(super) fn kind(source: &[u8], tag: &StartTag<'_>) -> Option<String> {
    tag.value(source, "type")
        .map(|kind| kind.trim().to_ascii_lowercase())
}

/// Whether a form is sent to somebody who does not look at what its buttons say.
pub(crate) fn is_indifferent(source: &[u8], form: &StartTag<'_>) -> bool {
    let action = form.value(source, "action").unwrap_or_default();
    let address = action.split(['?', '#']).next().unwrap_or_default().trim();
    INDIFFERENT_FORMS
        .iter()
        .any(|ending| address.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::known::{TEXT, known};

    #[test]
    fn tables_are_sorted() {
        assert!(EVERYWHERE.is_sorted() && ON_ELEMENT.is_sorted() && META.is_sorted());
    }

    #[test]
    fn what_is_looked_for_is_known() {
        for name in EVERYWHERE
            .iter()
            .chain(ON_ELEMENT.iter().map(|(_, name)| name))
        {
            assert!(
                known(name.to_uppercase().as_bytes()).is_some_and(|known| known.roles & TEXT != 0),
                "{name}"
            );
        }
    }
}
