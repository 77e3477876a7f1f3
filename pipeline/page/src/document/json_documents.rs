//! JSON Feed and web manifests as places: which member is what, as tables.
//!
//! A member that is in no table stays as it is: ids, dates, authors, colors. What a manifest writes relative to
//! itself is an address, also of icons, because the manifest of a locale lies elsewhere.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::places::{Document, LocaleStatement, LocaleStatementKind, SNIFFED};
use crate::Locale;
use crate::find::link_place::{self, LinkPlace, spelled};
use crate::find::value::{self, TextValue, ValueReading};
use crate::html::element::ElementName;
use crate::html::json::{self, Json, JsonString};
use crate::html::writing::ValueWriting;

/// What a member is.
#[derive(Clone, Copy)]
enum JsonMember {
    Text(&'static str, ValueReading),
    Link,
    Language,
    Direction,
}

/// Members of a JSON feed, by path.
const FEED: [(&str, JsonMember); 13] = [
    (
        "title",
        JsonMember::Text("json feed title", ValueReading::Text),
    ),
    (
        "description",
        JsonMember::Text("json feed description", ValueReading::Text),
    ),
    ("language", JsonMember::Language),
    ("home_page_url", JsonMember::Link),
    ("feed_url", JsonMember::Link),
    ("next_url", JsonMember::Link),
    (
        "items[].title",
        JsonMember::Text("json feed title", ValueReading::Text),
    ),
    // Plain text, says the specification; much software writes HTML all the same.
    (
        "items[].summary",
        JsonMember::Text("json feed summary", ValueReading::Either),
    ),
    (
        "items[].content_text",
        JsonMember::Text("json feed content", ValueReading::Text),
    ),
    (
        "items[].content_html",
        JsonMember::Text("json feed content", ValueReading::Html),
    ),
    (
        "items[].attachments[].title",
        JsonMember::Text("json feed attachment", ValueReading::Text),
    ),
    ("items[].url", JsonMember::Link),
    ("items[].language", JsonMember::Language),
];

/// Members of a web manifest, by path.
const MANIFEST: [(&str, JsonMember); 22] = [
    (
        "name",
        JsonMember::Text("manifest name", ValueReading::Text),
    ),
    (
        "short_name",
        JsonMember::Text("manifest name", ValueReading::Text),
    ),
    (
        "description",
        JsonMember::Text("manifest description", ValueReading::Text),
    ),
    (
        "shortcuts[].name",
        JsonMember::Text("manifest shortcut", ValueReading::Text),
    ),
    (
        "shortcuts[].short_name",
        JsonMember::Text("manifest shortcut", ValueReading::Text),
    ),
    (
        "shortcuts[].description",
        JsonMember::Text("manifest shortcut", ValueReading::Text),
    ),
    (
        "screenshots[].label",
        JsonMember::Text("manifest screenshot", ValueReading::Text),
    ),
    (
        "icons[].label",
        JsonMember::Text("manifest icon", ValueReading::Text),
    ),
    ("lang", JsonMember::Language),
    ("dir", JsonMember::Direction),
    ("start_url", JsonMember::Link),
    ("scope", JsonMember::Link),
    ("icons[].src", JsonMember::Link),
    ("screenshots[].src", JsonMember::Link),
    ("shortcuts[].url", JsonMember::Link),
    ("shortcuts[].icons[].src", JsonMember::Link),
    ("share_target.action", JsonMember::Link),
    ("file_handlers[].action", JsonMember::Link),
    ("file_handlers[].icons[].src", JsonMember::Link),
    ("protocol_handlers[].url", JsonMember::Link),
    ("note_taking.new_note_url", JsonMember::Link),
    ("serviceworker.src", JsonMember::Link),
];

/// Whether a JSON file is a feed.
pub(super) fn is_feed(body: &[u8]) -> bool {
    // Most JSON is none, and it may be large.
    let start = &body[..body.len().min(SNIFFED)];
    let mentions = start.windows(12).any(|window| window == b"jsonfeed.org");
    let version = |(json, string): (&Json, &JsonString)| {
        json.path(body, string).as_deref() == Some("version")
            && ValueWriting::Json
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
        LocaleStatementKind::Language,
        "language",
    ));
    Some(document)
}

/// Finds the places of a web manifest.
pub(super) fn find_manifest(source: &[u8], locale: &Locale) -> Option<Document> {
    let json = read(source)?;
    let mut document = find(source, &json, &MANIFEST, locale);
    let language = missing(
        source,
        &json,
        &document,
        LocaleStatementKind::Language,
        "lang",
    );
    let direction = missing(
        source,
        &json,
        &document,
        LocaleStatementKind::RightToLeft,
        "dir",
    );
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

fn find(source: &[u8], json: &Json, members: &[(&str, JsonMember)], locale: &Locale) -> Document {
    let mut document = Document::default();
    let foreign = foreign(source, json, members, locale);
    for string in &json.strings {
        let Some(member) = member(source, json, string, members) else {
            continue;
        };
        let range = string.range();
        let is_foreign = foreign.contains(&0) || foreign.contains(&string.container());
        match member {
            JsonMember::Link => {
                let written = &source[range.clone()];
                let address = ValueWriting::Json
                    .read(written)
                    .map(|address| address.trim().to_owned());
                let address = address.filter(|address| !address.is_empty());
                let spelled = address.map(|address| spelled(address.into(), written));
                document
                    .links
                    .extend(spelled.map(|spelled| link(range, spelled)));
            }
            _ if is_foreign => {}
            JsonMember::Text(origin, reading) => {
                let value = TextValue {
                    range,
                    writing: ValueWriting::Json,
                    reading,
                    origin,
                    base: None,
                };
                value::find(source, &value, &mut document.texts);
            }
            JsonMember::Language => document
                .speech
                .push(speech(range, LocaleStatementKind::Language)),
            JsonMember::Direction if matches!(&source[range.clone()], b"ltr" | b"rtl") => {
                document
                    .speech
                    .push(speech(range, LocaleStatementKind::Direction));
            }
            JsonMember::Direction => {}
        }
    }
    document
}

fn member(
    source: &[u8],
    json: &Json,
    string: &JsonString,
    members: &[(&str, JsonMember)],
) -> Option<JsonMember> {
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
    members: &[(&str, JsonMember)],
    locale: &Locale,
) -> BTreeSet<usize> {
    let is_foreign = |string: &&JsonString| {
        let lang = std::str::from_utf8(&source[string.range()])
            .ok()
            .and_then(|tag| Locale::parse(tag.trim()).ok());
        lang.is_some_and(|lang| !lang.same_language(locale))
            && matches!(
                member(source, json, string, members),
                Some(JsonMember::Language)
            )
    };
    json.strings
        .iter()
        .filter(is_foreign)
        .map(JsonString::container)
        .collect()
}

fn link(range: Range<usize>, spelled: Option<Box<str>>) -> LinkPlace {
    let writing = link_place::AddressWriting::Value(ValueWriting::Json);
    LinkPlace {
        range,
        spelled,
        respelled: false,
        element: ElementName::of(b"feed"),
        attribute: "url",
        language: None,
        hreflang: None,
        rel: Arc::default(),
        writing,
    }
}

fn speech(range: Range<usize>, says: LocaleStatementKind) -> LocaleStatement {
    LocaleStatement {
        range,
        says,
        writing: ValueWriting::Json,
        around: Default::default(),
    }
}

/// A new first member for what is not said yet, set like the one that follows it.
fn missing(
    source: &[u8],
    json: &Json,
    document: &Document,
    says: LocaleStatementKind,
    key: &str,
) -> Option<LocaleStatement> {
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
    Some(LocaleStatement {
        range: after..after,
        says,
        writing: ValueWriting::Json,
        around,
    })
}
