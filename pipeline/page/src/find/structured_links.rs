//! Addresses that JSON-LD and microdata name: pages, files, and identifiers (R-S6).
//!
//! A property says which of them its value is. The `@id` of a thing is an identifier, the same in every language. Only as the page of
//! a list item or an article is it an address, unless something else in the script goes by the same identifier.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::link_place::{self, LinkPlace, spelled};
use super::structured;
use crate::html::element::ElementName;
use crate::html::json::{self, Json, JsonString};
use crate::html::writing::ValueWriting;

/// `attribute` of a place whose address is a page's.
pub(crate) const PAGE: &str = "url";
/// `attribute` of a place whose address is a file's.
pub(crate) const FILE: &str = "file";
/// `attribute` of a place whose address only identifies something.
pub(crate) const IDENTIFIER: &str = "id";

/// Properties whose values are always addresses of pages (R-E1).
const URLS: [&str; 3] = ["item", "mainEntityOfPage", "url"];

/// Properties whose values are addresses of pages or texts, sorted.
const PAGES: [&str; 36] = [
    "acceptsReservations",
    "acquireLicensePage",
    "actionableFeedbackPolicy",
    "checkoutPageURLTemplate",
    "correctionsPolicy",
    "discussionUrl",
    "diversityPolicy",
    "diversityStaffingReport",
    "documentation",
    "downloadUrl",
    "embedUrl",
    "ethicsPolicy",
    "hasMap",
    "hasMenu",
    "installUrl",
    "license",
    "map",
    "masthead",
    "menu",
    "merchantReturnLink",
    "missionCoveragePrioritiesPolicy",
    "noBylinesPolicy",
    "ownershipFundingInfo",
    "publishingPrinciples",
    "relatedLink",
    "releaseNotes",
    "serviceUrl",
    "significantLink",
    "softwareHelp",
    "target",
    "termsOfService",
    "tourBookingPage",
    "unnamedSourcesPolicy",
    "urlTemplate",
    "usageInfo",
    "verificationFactCheckingPolicy",
];

/// Properties whose values are addresses of files or texts, sorted.
const FILES: [&str; 8] = [
    "contentUrl",
    "image",
    "logo",
    "photo",
    "primaryImageOfPage",
    "screenshot",
    "thumbnail",
    "thumbnailUrl",
];

/// Keys of JSON-LD whose values belong to the vocabulary.
const VOCABULARY: [&str; 4] = ["@base", "@context", "@type", "@vocab"];

/// Properties that name a page by an object with `@id`.
const NAMED_BY_ID: [&str; 2] = ["item", "mainEntityOfPage"];

/// Kind of the address in a property, as the `attribute` of a place. `None` if the value is no address.
pub(crate) fn kind(property: &str, value: &str) -> Option<&'static str> {
    if URLS.contains(&property) {
        return (!value.is_empty() && !value.contains(char::is_whitespace)).then_some(PAGE);
    }
    if PAGES.binary_search(&property).is_ok() {
        return is_page_address(value).then_some(PAGE);
    }
    (FILES.binary_search(&property).is_ok() && is_file_address(value)).then_some(FILE)
}

/// Tells an address from a text, such as the name of a license.
pub(crate) fn is_page_address(value: &str) -> bool {
    !value.contains(char::is_whitespace)
        && (is_in_full(value)
            || ["/", "./", "../", "?"]
                .iter()
                .any(|start| value.starts_with(start)))
}

/// Tells the address of a file, which may be a bare name, from a text or a keyword.
pub(crate) fn is_file_address(value: &str) -> bool {
    let is_name = || {
        let path = value.split(['?', '#']).next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        !path.contains(':') && name.trim_end_matches('.').contains('.')
    };
    is_page_address(value) || (!value.contains(char::is_whitespace) && is_name())
}

/// True for an address of the web with scheme and host.
fn is_in_full(value: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        value
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

/// Finds the addresses in the content of a script with JSON-LD.
pub(crate) fn find(
    source: &[u8],
    range: &Range<usize>,
    writing: ValueWriting,
    places: &mut Vec<LinkPlace>,
) {
    let Some(json) = json::read(source, range.clone()) else {
        return;
    };
    let identifiers = identifiers(source, &json);
    for string in &json.strings {
        let Some(key) = json.key(source, string) else {
            continue;
        };
        let written = &source[string.range()];
        let Some(address) = writing.read(written) else {
            continue;
        };
        let address = address.trim();
        let attribute = match key {
            "@id" if is_page_id(source, &json, string) && !identifiers.contains(written) => PAGE,
            "url" if is_of_file(source, &json, string) && is_file_address(address) => FILE,
            _ => match kind(key, address) {
                Some(attribute) => attribute,
                None if is_in_full(address)
                    && !VOCABULARY.contains(&key)
                    && !structured::is_text(key, false) =>
                {
                    IDENTIFIER
                }
                None => continue,
            },
        };
        places.push(LinkPlace {
            range: string.range(),
            spelled: spelled(address.into(), written),
            respelled: false,
            element: ElementName::of(b"script"),
            attribute,
            language: None,
            hreflang: None,
            rel: Arc::default(),
            writing: link_place::AddressWriting::Value(writing),
        });
    }
}

/// Every `@id` of a script that identifies a thing.
fn identifiers<'s>(source: &'s [u8], json: &Json) -> BTreeSet<&'s [u8]> {
    let ids = json
        .strings
        .iter()
        .filter(|string| json.key(source, string) == Some("@id"));
    ids.filter(|string| !is_page_id(source, json, string))
        .map(|string| &source[string.range()])
        .collect()
}

/// True for the `@id` of what an `item` or `mainEntityOfPage` is, unless a fragment makes it something on the page.
fn is_page_id(source: &[u8], json: &Json, string: &JsonString) -> bool {
    let id = &source[string.range()];
    let role = json
        .object(source, string)
        .and_then(|object| json.container_key(source, object));
    role.is_some_and(|role| NAMED_BY_ID.contains(&role)) && !id.is_empty() && !id.contains(&b'#')
}

/// True for a string in an object that describes a file, such as `{"logo": {"url": "/logo.png"}}`.
fn is_of_file(source: &[u8], json: &Json, string: &JsonString) -> bool {
    let role = json
        .object(source, string)
        .and_then(|object| json.container_key(source, object));
    role.is_some_and(|role| FILES.binary_search(&role).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let mut places = Vec::new();
        find(
            json.as_bytes(),
            &(0..json.len()),
            ValueWriting::ScriptJson,
            &mut places,
        );
        let found: Vec<String> = places
            .iter()
            .map(|place| format!("{}={}", place.attribute, place.address(json.as_bytes())))
            .collect();
        assert_eq!(found.join(" "), expected, "{json}");
    }

    #[test]
    fn tables_are_sorted() {
        assert!(PAGES.is_sorted() && FILES.is_sorted());
    }

    #[test]
    fn properties_say_what_an_address_is_r_s6() {
        check(
            r#"{"url":"a/","item":"https:\/\/h\/b","hasMenu":"/m"}"#,
            "url=a/ url=https://h/b url=/m",
        );
        check(
            r#"{"target":{"urlTemplate":"https://h/s?q={q}"}}"#,
            "url=https://h/s?q={q}",
        );
        check(
            r#"{"target":"https://h/s?q={q}","query-input":"required name=q"}"#,
            "url=https://h/s?q={q}",
        );
        check(
            r#"{"image":["a.png","/b",{"url":"c.png"}]}"#,
            "file=a.png file=/b file=c.png",
        );
        check(
            r#"{"logo":{"@type":"ImageObject","contentUrl":"https://h/d.png"}}"#,
            "file=https://h/d.png",
        );
        check(
            r#"{"license":"MIT","menu":"Soup of the day","image":"A loaf.","acceptsReservations":"True","item":"Rye bread"}"#,
            "",
        );
        check(
            r#"{"@context":"https://schema.org","@type":"http://schema.org/Thing","headline":"https://h/ x"}"#,
            "",
        );
        check(
            r#"{"sameAs":["https://h/x"],"isPartOf":"https://h/y"}"#,
            "id=https://h/x id=https://h/y",
        );
    }

    #[test]
    fn an_id_is_the_address_of_a_page_only_as_an_item_r_s6() {
        check(r#"{"@id":"https://h/a"}"#, "id=https://h/a");
        check(
            r#"{"item":{"@id":"https://h/a","name":"A"}}"#,
            "url=https://h/a",
        );
        check(
            r#"{"mainEntityOfPage":{"@type":"WebPage","@id":"https://h/a"}}"#,
            "url=https://h/a",
        );
        check(
            r##"{"item":{"@id":"https://h/a#page"},"mainEntityOfPage":{"@id":"#b"}}"##,
            "id=https://h/a#page",
        );
        check(
            r#"{"@graph":[{"@id":"https://h/a"},{"item":{"@id":"https://h/a"}},{"item":{"@id":"/b"}}]}"#,
            "id=https://h/a id=https://h/a url=/b",
        );
    }
}
