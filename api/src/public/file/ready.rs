//! What is sent with a file, made once: headers, validators and, when they were read, the bytes.

use std::borrow::Cow;
use std::time::SystemTime;

use bytes::Bytes;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_TYPE,
    ETAG, HeaderMap, HeaderName, HeaderValue, LAST_MODIFIED, LINK, VARY, X_CONTENT_TYPE_OPTIONS,
};
use pipeline::hosts::{FOR_EVER, never_changes};
use pipeline::model::Locale;
use pipeline::store::{Encoding, MediaType, compresses};

use crate::http::conditions::{Validators, http_date};
use crate::public::resolve::ResolvedFile;

/// Hexadecimal digits of an entity tag: 128 bits.
const TAG_DIGITS: usize = 32;
/// What stays in an answer without bytes (RFC 9110 section 15.4.5).
const NOT_MODIFIED: [HeaderName; 4] = [CACHE_CONTROL, CONTENT_LANGUAGE, ETAG, VARY];

/// An answer, but for what the request decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ready {
    /// The headers of the whole file.
    pub(crate) headers: HeaderMap,
    /// The headers for whoever has it.
    pub(crate) not_modified: HeaderMap,
    /// How many bytes are sent.
    pub(crate) size: u64,
    /// The bytes, if they were read and are few enough to be kept.
    pub(crate) body: Option<Bytes>,
    tag: String,
    about: FileHeaders,
}

/// What the same bytes may differ in at another address or in another deployment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FileHeaders {
    content_type: MediaType,
    locale: Option<Locale>,
    modified: Option<SystemTime>,
    never_changes: bool,
    robots: Option<String>,
    link: Option<Box<str>>,
}

impl Ready {
    /// Prepares a file's answer; its bytes are not read here.
    pub(crate) fn of(found: &ResolvedFile<'_>, encoding: Option<Encoding>) -> Self {
        let entry = found.entry;
        let about = FileHeaders {
            content_type: entry.content_type.clone(),
            locale: found.locale().cloned(),
            modified: found.published.modified(entry),
            never_changes: never_changes(found.name, &entry.content_type),
            robots: entry.robots_tag().map(Cow::into_owned),
            link: entry.link.clone(),
        };
        let tag = tag(&entry.hash.spelled(), encoding);
        let size = encoding
            .and_then(|encoding| entry.encodings.get(encoding))
            .map_or(entry.size, |variant| variant.size);
        let mut headers = about.headers();
        set(&mut headers, ETAG, &tag);
        headers.insert(CONTENT_LENGTH, HeaderValue::from(size));
        if let Some(encoding) = encoding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.token()));
        }
        let kept = NOT_MODIFIED
            .into_iter()
            .filter_map(|name| headers.get(&name).cloned().map(|value| (name, value)));
        let not_modified = kept.collect();
        Self {
            headers,
            not_modified,
            size,
            body: None,
            tag,
            about,
        }
    }

    /// The same answer with its bytes.
    pub(crate) fn with_body(&self, body: Bytes) -> Self {
        Self {
            body: Some(body),
            ..self.clone()
        }
    }

    /// Whether this was prepared for a file like this one; the bytes are the same already.
    pub(crate) fn is_of(&self, found: &ResolvedFile<'_>) -> bool {
        let FileHeaders {
            content_type,
            locale,
            modified,
            never_changes: is_kept,
            robots,
            link,
        } = &self.about;
        *content_type == found.entry.content_type
            && robots.as_deref() == found.entry.robots_tag().as_deref()
            && *link == found.entry.link
            && locale.as_ref() == found.locale()
            && *modified == found.published.modified(found.entry)
            && *is_kept == never_changes(found.name, content_type)
    }

    /// By what readers know these bytes.
    pub(crate) fn validators(&self) -> Validators<'_> {
        Validators {
            tag: &self.tag,
            modified: self.about.modified,
        }
    }
}

impl FileHeaders {
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(12);
        set(&mut headers, CONTENT_TYPE, &self.content_type);
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let keep = if self.never_changes {
            FOR_EVER
        } else {
            "public, max-age=60"
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
        if let Some(locale) = &self.locale {
            set(&mut headers, CONTENT_LANGUAGE, locale.as_str());
        }
        if let Some(modified) = self.modified {
            set(&mut headers, LAST_MODIFIED, &http_date(modified));
        }
        if compresses(&self.content_type) {
            headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if let Some(link) = &self.link {
            set(&mut headers, LINK, link);
        }
        if let Some(robots) = &self.robots {
            set(
                &mut headers,
                HeaderName::from_static("x-robots-tag"),
                robots,
            );
        }
        headers
    }
}

/// The entity tag of the bytes that are sent: each encoding has its own.
fn tag(hash: &str, encoding: Option<Encoding>) -> String {
    let hash = hash.get(..TAG_DIGITS).unwrap_or(hash);
    encoding.map_or_else(
        || format!("\"{hash}\""),
        |encoding| format!("\"{hash}-{}\"", encoding.token()),
    )
}

/// Sets a header; text that HTTP cannot carry is left out.
pub(super) fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
