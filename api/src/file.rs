//! Answering with a published file: variant, conditions, range, headers, body.
//!
//! A range is taken from the plain bytes; whoever asks for one gets no encoding.

use futures::{StreamExt, TryStreamExt};
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;
use hyper::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, IF_RANGE, RANGE, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};
use pipeline::publish::{Encoding, PublishError, compresses};

use crate::negotiate::{self, Comparison, Part};
use crate::public::Found;
use crate::{App, Body};

/// Files above this size are sent piece by piece and not kept in memory.
const STREAM_ABOVE: u64 = 1 << 20;
/// Hexadecimal digits of an entity tag: 128 bits.
const TAG_DIGITS: usize = 32;

/// Answers with a file.
pub(crate) async fn response<B>(
    app: &App,
    found: &Found<'_>,
    request: &Request<B>,
) -> Result<Response<Body>, PublishError> {
    let asked = request.headers();
    let is_page = found.status == StatusCode::OK;
    let wants_part = is_page && request.method() == Method::GET && asked.contains_key(RANGE);
    let encoding = match wants_part {
        true => None,
        false => negotiate::encoding(all(asked, &ACCEPT_ENCODING).as_deref(), |encoding| {
            found.entry.encodings.contains_key(&encoding)
        }),
    };
    let tag = tag(&found.entry.hash, encoding);
    let headers = headers(found, encoding, &tag);
    if is_page && all(asked, &IF_MATCH).is_some_and(|list| !negotiate::names(&list, &tag, Comparison::Strong)) {
        return Ok(empty(StatusCode::PRECONDITION_FAILED, headers));
    }
    if is_page && all(asked, &IF_NONE_MATCH).is_some_and(|list| negotiate::names(&list, &tag, Comparison::Weak)) {
        return Ok(empty(StatusCode::NOT_MODIFIED, headers));
    }
    let range = asked.get(RANGE).filter(|_| wants_part).and_then(|range| range.to_str().ok());
    let range = range.filter(|_| asked.get(IF_RANGE).is_none_or(|condition| condition.as_bytes() == tag.as_bytes()));
    match negotiate::part(range, found.entry.size) {
        Part::Whole => whole(app, found, request.method(), encoding, &tag, headers).await,
        Part::Bytes(first, last) => part(app, found, first, last, headers).await,
        Part::Outside => {
            let mut response = empty(StatusCode::RANGE_NOT_SATISFIABLE, HeaderMap::new());
            set(response.headers_mut(), CONTENT_RANGE, format!("bytes */{}", found.entry.size));
            Ok(response)
        }
    }
}

async fn whole(
    app: &App,
    found: &Found<'_>,
    method: &Method,
    encoding: Option<Encoding>,
    tag: &str,
    mut headers: HeaderMap,
) -> Result<Response<Body>, PublishError> {
    let Found { published, tree, name, entry, .. } = *found;
    let size = encoding.and_then(|encoding| entry.encodings.get(&encoding).copied()).unwrap_or(entry.size);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(size));
    let body = if method == Method::HEAD {
        Either::Left(Full::default())
    } else if let Some(bytes) = app.bodies.get(tag) {
        Either::Left(Full::new(bytes))
    } else if size > STREAM_ABOVE {
        let stream = published.stream(&app.objects, tree, name, entry, encoding).await?;
        Either::Right(StreamBody::new(stream.map_ok(Frame::data).boxed()))
    } else {
        let bytes = published.read(&app.objects, tree, name, entry, encoding).await?;
        app.bodies.put(tag, &bytes);
        Either::Left(Full::new(bytes))
    };
    let mut response = Response::new(body);
    *response.status_mut() = found.status;
    *response.headers_mut() = headers;
    Ok(response)
}

async fn part(
    app: &App,
    found: &Found<'_>,
    first: u64,
    last: u64,
    mut headers: HeaderMap,
) -> Result<Response<Body>, PublishError> {
    let Found { published, tree, name, entry, .. } = *found;
    let stream = published.stream_part(&app.objects, tree, name, entry, first..last + 1).await?;
    set(&mut headers, CONTENT_RANGE, format!("bytes {first}-{last}/{}", entry.size));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(last - first + 1));
    let mut response = Response::new(Either::Right(StreamBody::new(stream.map_ok(Frame::data).boxed())));
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    *response.headers_mut() = headers;
    Ok(response)
}

fn empty(status: StatusCode, headers: HeaderMap) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn headers(found: &Found<'_>, encoding: Option<Encoding>, tag: &str) -> HeaderMap {
    let entry = found.entry;
    let mut headers = HeaderMap::with_capacity(12);
    set(&mut headers, CONTENT_TYPE, entry.content_type.clone());
    set(&mut headers, ETAG, tag.to_owned());
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let keep = match found.status == StatusCode::OK && !is_html(&entry.content_type) && names_a_hash(found.name) {
        true => "public, max-age=31536000, immutable",
        false => "public, max-age=60",
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Some(locale) = found.locale() {
        set(&mut headers, CONTENT_LANGUAGE, locale.as_str().to_owned());
    }
    if compresses(&entry.content_type) {
        headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.token()));
    }
    if entry.noindex {
        headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    }
    headers
}

/// Sets a header; text that HTTP cannot carry is left out.
fn set(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

/// All values of a header as one list.
fn all(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let values: Vec<&str> = headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
    (!values.is_empty() || headers.contains_key(name)).then(|| values.join(","))
}

/// The entity tag of the bytes that are sent: each encoding has its own.
fn tag(hash: &str, encoding: Option<Encoding>) -> String {
    let hash = hash.get(..TAG_DIGITS).unwrap_or(hash);
    encoding.map_or_else(|| format!("\"{hash}\""), |encoding| format!("\"{hash}-{}\"", encoding.token()))
}

fn is_html(content_type: &str) -> bool {
    content_type.starts_with("text/html") || content_type.starts_with("application/xhtml+xml")
}

/// Whether a file's name holds a hash of at least 8 characters, so that other bytes would have another name.
///
/// A hash is a run of hexadecimal digits with letters and numbers among them, or (as bundlers write it) the last part
/// before the ending, with small and capital letters and numbers. A date is none.
fn names_a_hash(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let mut parts: Vec<&str> = file.split(['.', '-', '_']).collect();
    parts.pop();
    let has = |part: &str, kind: fn(&u8) -> bool| part.bytes().any(|byte| kind(&byte));
    let hexadecimal = |part: &&str| {
        part.len() >= 8
            && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && has(part, u8::is_ascii_digit)
            && has(part, u8::is_ascii_lowercase)
    };
    let bundled = |part: &&&str| {
        part.len() == 8
            && has(part, u8::is_ascii_digit)
            && has(part, u8::is_ascii_lowercase)
            && has(part, u8::is_ascii_uppercase)
    };
    parts.iter().any(hexadecimal) || parts.last().filter(bundled).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_hash_are_known() {
        for (name, expected) in [
            ("main.3f2a9b1c.js", true),
            ("_latimer/switcher.0123456789abcdef.css", true),
            ("assets/index-BfQx3k9Z.js", true),
            ("app.js", false),
            ("photo-20240115.jpg", false),
            ("decade.css", false),
            ("facade.facade.js", false),
            ("jquery-3.7.1.min.js", false),
            ("deadbeef1", false),
        ] {
            assert_eq!(names_a_hash(name), expected, "{name}");
        }
    }
}
