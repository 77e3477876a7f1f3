//! Answering with a published file: variant, conditions, range, headers, body.
//!
//! A range is taken from the plain bytes; whoever asks for one gets no encoding. What depends on the file alone is in
//! [`Ready`], which is made once and kept with the bytes.

mod ready;

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;
use hyper::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, HeaderValue, RANGE};
use hyper::{Method, Request, Response, StatusCode};
use pipeline::publish::{Encoding, Objects, PublishError};

use super::cache::Cache;
use super::resolve::Found;
use crate::http::body::Body;
use crate::http::conditions::{Verdict, all};
use crate::http::negotiate::{self, Part};
pub(crate) use ready::Ready;
use ready::set;

/// Files above this size are sent piece by piece and not kept in memory.
const STREAM_ABOVE: u64 = 1 << 20;

/// Where the bytes of files are: in the store, and in memory those that were asked for lately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Files<'a> {
    pub(crate) objects: &'a Objects,
    pub(crate) cache: &'a Cache,
}

/// Answers with a file.
pub(crate) async fn response<B>(
    files: Files<'_>,
    found: &Found<'_>,
    request: &Request<B>,
) -> Result<Response<Body>, PublishError> {
    let asked = request.headers();
    let is_page = found.status == StatusCode::OK;
    let wants_part = is_page && request.method() == Method::GET && asked.contains_key(RANGE);
    let encoding = if wants_part { None } else { encoding(found, asked) };
    let ready = ready(files, found, encoding);
    if is_page {
        match ready.validators().judge(asked) {
            Verdict::Proceed => {}
            Verdict::NotModified => return Ok(empty(StatusCode::NOT_MODIFIED, ready.not_modified.clone())),
            Verdict::Failed => return Ok(uncached(StatusCode::PRECONDITION_FAILED)),
        }
    }
    let range = asked.get(RANGE).filter(|_| wants_part && ready.validators().allow_part(asked));
    match negotiate::part(range.and_then(|range| range.to_str().ok()), found.entry.size) {
        Part::Whole => whole(files, found, request.method(), encoding, &ready).await,
        Part::Bytes(first, last) => part(files, found, first, last, &ready).await,
        Part::Outside => {
            let mut response = uncached(StatusCode::RANGE_NOT_SATISFIABLE);
            set(response.headers_mut(), CONTENT_RANGE, &format!("bytes */{}", found.entry.size));
            Ok(response)
        }
    }
}

fn encoding(found: &Found<'_>, asked: &HeaderMap) -> Option<Encoding> {
    let there = |encoding| found.entry.encodings.get(encoding).is_some();
    negotiate::encoding(all(asked, &ACCEPT_ENCODING).as_deref(), there)
}

fn ready(files: Files<'_>, found: &Found<'_>, encoding: Option<Encoding>) -> Arc<Ready> {
    if let Some(ready) = files.cache.get(&found.entry.hash, encoding).filter(|ready| ready.is_of(found)) {
        return ready;
    }
    let ready = Arc::new(Ready::of(found, encoding));
    files.cache.put(&found.entry.hash, encoding, Arc::clone(&ready));
    ready
}

async fn whole(
    files: Files<'_>,
    found: &Found<'_>,
    method: &Method,
    encoding: Option<Encoding>,
    ready: &Ready,
) -> Result<Response<Body>, PublishError> {
    let Found { published, tree, name, entry, .. } = *found;
    let body = if method == Method::HEAD {
        Either::Left(Full::default())
    } else if let Some(bytes) = &ready.body {
        Either::Left(Full::new(bytes.clone()))
    } else if ready.size > STREAM_ABOVE {
        let stream = published.stream(files.objects, tree, name, entry, encoding).await?;
        Either::Right(StreamBody::new(stream.map_ok(Frame::data).boxed()))
    } else {
        let bytes = published.read(files.objects, tree, name, entry, encoding).await?;
        files.cache.put(&entry.hash, encoding, Arc::new(ready.with_body(bytes.clone())));
        Either::Left(Full::new(bytes))
    };
    let mut response = Response::new(body);
    *response.status_mut() = found.status;
    *response.headers_mut() = ready.headers.clone();
    Ok(response)
}

async fn part(
    files: Files<'_>,
    found: &Found<'_>,
    first: u64,
    last: u64,
    ready: &Ready,
) -> Result<Response<Body>, PublishError> {
    let Found { published, tree, name, entry, .. } = *found;
    let stream = published.stream_part(files.objects, tree, name, entry, first..last + 1).await?;
    let mut response = Response::new(Either::Right(StreamBody::new(stream.map_ok(Frame::data).boxed())));
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    *response.headers_mut() = ready.headers.clone();
    set(response.headers_mut(), CONTENT_RANGE, &format!("bytes {first}-{last}/{}", entry.size));
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(last - first + 1));
    Ok(response)
}

fn empty(status: StatusCode, headers: HeaderMap) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// An answer about this request alone.
fn uncached(status: StatusCode) -> Response<Body> {
    let mut response = empty(status, HeaderMap::new());
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
