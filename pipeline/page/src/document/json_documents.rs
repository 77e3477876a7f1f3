//! JSON Feed and web manifests as places: which member is what, as tables.
//!
//! A member that is in no table stays as it is: ids, dates, authors, colors. What a manifest writes relative to
//! itself is an address, also of icons, because the manifest of a locale lies elsewhere.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::places::{Document, SNIFFED, Says, Speech};
use crate::Locale;
use crate::find::link_place::{self, LinkPlace, spelled};
use crate::find::value::{self, Reading, Value};
use crate::html::element::Name;
use crate::html::json::{self, Json, JsonString};
use crate::html::writing::Writing;

/// What a member is.
#[derive(Clone, Copy)]
enum Member {
    Text(&'static str, Reading),
    Link,
    Language,
    Direction,
}

/// Members of a JSON feed, by path.
const FEED: [(&str, Member); 13] = [
    ("title", Member::Text("json feed title", Reading::Text)),
    (
        "description",
        Member::Text("json feed description", Reading::Text),
    ),
    ("language", Member::Language),
    ("home_page_url", Member::Link),
    ("feed_url", Member::Link),
    ("next_url", Member::Link),
    (
        "items[].title",
        Member::Text("json feed title", Reading::Text),
    ),
    // Plain text, says the specification; much software writes HTML all the same.
    (
        "items[].summary",
        Member::Text("json feed summary", Reading::Either),
    ),
    (
        "items[].content_text",
        Member::Text("json feed content", Reading::Text),
    ),
    (
        "items[].content_html",
        Member::Text("json feed content", Reading::Html),
    ),
    (
        "items[].attachments[].title",
        Member::Text("json feed attachment", Reading::Text),
    ),
    ("items[].url", Member::Link),
    ("items[].language", Member::Language),
];

/// Members of a web manifest, by path.
const MANIFEST: [(&str, Member); 22] = [
    ("name", Member::Text("manifest name", Reading::Text)),
    ("short_name", Member::Text("manifest name", Reading::Text)),
    (
        "description",
        Member::Text("manifest description", Reading::Text),
    ),
    (
        "shortcuts[].name",
        Member::Text("manifest shortcut", Reading::Text),
    ),
    (
        "shortcuts[].short_name",
        Member::Text("manifest shortcut", Reading::Text),
    ),
    (
        "shortcuts[].description",
        Member::Text("manifest shortcut", Reading::Text),
    ),
    (
        "screenshots[].label",
        Member::Text("manifest screenshot", Reading::Text),
    ),
    (
        "icons[].label",
        Member::Text("manifest icon", Reading::Text),
    ),
    ("lang", Member::Language),
    ("dir", Member::Direction),
    ("start_url", Member::Link),
    ("scope", Member::Link),
    ("icons[].src", Member::Link),
    ("screenshots[].src", Member::Link),
    ("shortcuts[].url", Member::Link),
    ("shortcuts[].icons[].src", Member::Link),
    ("share_target.action", Member::Link),
    ("file_handlers[].action", Member::Link),
    ("file_handlers[].icons[].src", Member::Link),
    ("protocol_handlers[].url", Member::Link),
    ("note_taking.new_note_url", Member::Link),
    ("serviceworker.src", Member::Link),
];

/// Whether a JSON file is a feed.
pub(super) fn is_feed(body: &[u8]) -> bool {
    // Most JSON is none, and it may be large.
    let start = &body[..body.len().min(SNIFFED)];
    let mentions = start.windows(12).any(|window| window == b"jsonfeed.org");
    let version = |(json, string): (&Json, &JsonString)| {
        json.path(body, string).as_deref() == Some("version")
            && Writing::Json
                .read(&body[string.range()])
                .is_some_and(|version| version.starts_with("https://jsonfeed.org/version/"))
    };
    mentions
        && read(body).is_some_and(|json| json.strings.iter().any(|string| version((&json, string))))
}

/// Whether a JSON file has what only a web manifest has; those of browser extensions have a version of their own.
pub(super) fn is_manifest(body: &[u8]) -> bool {
    const OWN: [&str; 4] = ["display", "icons", "short_name", "start_url"];
    let Some(json) = read(body) else { return false };
    let top = json
        .strings
        .iter()
        .filter(|string| string.container() == 0)
        .map(|string| string.key);
    let keys = top.chain(
        json.containers
            .iter()
            .filter(|inner| inner.parent() == Some(0))
            .map(|inner| inner.key),
    );
    let has_own = keys
        .filter_map(|key| key.word(body))
        .any(|key| OWN.contains(&key));
    has_own
        && !body
            .windows(18)
            .any(|window| window == b"\"manifest_version\"")
}

/// Finds the places of a JSON feed.
pub(super) fn find_feed(source: &[u8], locale: &Locale) -> Option<Document> {
    let json = read(source)?;
    let mut document = find(source, &json, &FEED, locale);
    document.speech.extend(missing(
        source,
        &json,
        &document,
        Says::Language,
        "language",
    ));
    Some(document)
}

/// Finds the places of a web manifest.
pub(super) fn find_manifest(source: &[u8], locale: &Locale) -> Option<Document> {
    let json = read(source)?;
    let mut document = find(source, &json, &MANIFEST, locale);
    let language = missing(source, &json, &document, Says::Language, "lang");
    let direction = missing(source, &json, &document, Says::RightToLeft, "dir");
    document
        .speech
        .extend(language.into_iter().chain(direction));
    Some(document)
}

fn read(body: &[u8]) -> Option<Json> {
    let start = if body.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    json::read(body, start..body.len()).filter(|json| {
        json.containers
            .first()
            .is_some_and(|whole| whole.is_object(body))
    })
}

fn find(source: &[u8], json: &Json, members: &[(&str, Member)], locale: &Locale) -> Document {
    let mut document = Document::default();
    let foreign = foreign(source, json, members, locale);
    for string in &json.strings {
        let Some(member) = member(source, json, string, members) else {
            continue;
        };
        let range = string.range();
        let is_foreign = foreign.contains(&0) || foreign.contains(&string.container());
        match member {
            Member::Link => {
                let written = &source[range.clone()];
                let address = Writing::Json
                    .read(written)
                    .map(|address| address.trim().to_owned());
                let address = address.filter(|address| !address.is_empty());
                let spelled = address.map(|address| spelled(address.into(), written));
                document
                    .links
                    .extend(spelled.map(|spelled| link(range, spelled)));
            }
            _ if is_foreign => {}
            Member::Text(origin, reading) => {
                let value = Value {
                    range,
                    writing: Writing::Json,
                    reading,
                    origin,
                    base: None,
                };
                value::find(source, &value, &mut document.texts);
            }
            Member::Language => document.speech.push(speech(range, Says::Language)),
            Member::Direction if matches!(&source[range.clone()], b"ltr" | b"rtl") => {
                document.speech.push(speech(range, Says::Direction));
            }
            Member::Direction => {}
        }
    }
    document
}

fn member(
    source: &[u8],
    json: &Json,
    string: &JsonString,
    members: &[(&str, Member)],
) -> Option<Member> {
    let path = json.path(source, string)?;
    members
        .iter()
        .find(|(known, _)| *known == path)
        .map(|(_, member)| *member)
}

/// The objects that say they are in a language that is not the site's.
fn foreign(
    source: &[u8],
    json: &Json,
    members: &[(&str, Member)],
    locale: &Locale,
) -> BTreeSet<usize> {
    let is_foreign = |string: &&JsonString| {
        let lang = std::str::from_utf8(&source[string.range()])
            .ok()
            .and_then(|tag| Locale::parse(tag.trim()).ok());
        lang.is_some_and(|lang| !lang.same_language(locale))
            && matches!(
                member(source, json, string, members),
                Some(Member::Language)
            )
    };
    json.strings
        .iter()
        .filter(is_foreign)
        .map(JsonString::container)
        .collect()
}

fn link(range: Range<usize>, spelled: Option<Box<str>>) -> LinkPlace {
    let writing = link_place::Writing::Value(Writing::Json);
    LinkPlace {
        range,
        spelled,
        respelled: false,
        element: Name::of(b"feed"),
        attribute: "url",
        language: None,
        hreflang: None,
        rel: Arc::default(),
        writing,
    }
}

fn speech(range: Range<usize>, says: Says) -> Speech {
    Speech {
        range,
        says,
        writing: Writing::Json,
        around: Default::default(),
    }
}

/// A new first member for what is not said yet, set like the one that follows it.
fn missing(
    source: &[u8],
    json: &Json,
    document: &Document,
    says: Says,
    key: &str,
) -> Option<Speech> {
    let is_said =
        |string: &JsonString| string.container() == 0 && json.key(source, string) == Some(key);
    let after = json.containers.first()?.start() + 1;
    let space = source[after..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let is_silent = document.texts.units.is_empty() && document.texts.inner.is_empty();
    // Before another member, so that a comma is right.
    if json.strings.iter().any(is_said) || is_silent || source.get(after + space) != Some(&b'"') {
        return None;
    }
    let indent = String::from_utf8_lossy(&source[after..after + space]);
    let colon = if indent.is_empty() { "\":\"" } else { "\": \"" };
    let around = (format!("{indent}\"{key}{colon}"), "\",");
    Some(Speech {
        range: after..after,
        says,
        writing: Writing::Json,
        around,
    })
}
