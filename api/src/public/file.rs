//! Answering with a published file: variant, conditions, range, headers, body.
//!
//! A range is taken from the plain bytes; whoever asks for one gets no encoding. What depends on the file alone is in
//! [`Ready`], which is made once and kept with the bytes.

mod ready;

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, HeaderValue, RANGE,
};
use hyper::{Method, Request, Response, StatusCode};
use pipeline::store::{Encoding, Objects, StoreError};

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

/// An answer with a file, or what must be read for it.
enum Prepared {
    Answer(Response<Body>),
    Whole(Option<Encoding>, Arc<Ready>),
    Part(u64, u64, Arc<Ready>),
}

/// Answers with a file.
pub(crate) async fn response<B>(
    files: Files<'_>,
    found: &Found<'_>,
    request: &Request<B>,
) -> Result<Response<Body>, StoreError> {
    match prepare(files, found, request) {
        Prepared::Answer(response) => Ok(response),
        Prepared::Whole(encoding, ready) => whole(files, found, encoding, &ready).await,
        Prepared::Part(first, last, ready) => part(files, found, first, last, &ready).await,
    }
}

/// Answers with a file, unless its bytes must be read.
pub(crate) fn at_once<B>(
    files: Files<'_>,
    found: &Found<'_>,
    request: &Request<B>,
) -> Option<Response<Body>> {
    match prepare(files, found, request) {
        Prepared::Answer(response) => Some(response),
        Prepared::Whole(..) | Prepared::Part(..) => None,
    }
}

fn prepare<B>(files: Files<'_>, found: &Found<'_>, request: &Request<B>) -> Prepared {
    let asked = request.headers();
    let is_page = found.status == StatusCode::OK;
    let wants_part = is_page && request.method() == Method::GET && asked.contains_key(RANGE);
    let encoding = if wants_part {
        None
    } else {
        encoding(found, asked)
    };
    let ready = ready(files, found, encoding);
    if is_page {
        match ready.validators().judge(asked) {
            Verdict::Proceed => {}
            Verdict::NotModified => {
                return Prepared::Answer(empty(
                    StatusCode::NOT_MODIFIED,
                    ready.not_modified.clone(),
                ));
            }
            Verdict::Failed => return Prepared::Answer(uncached(StatusCode::PRECONDITION_FAILED)),
        }
    }
    let range = asked
        .get(RANGE)
        .filter(|_| wants_part && ready.validators().allow_part(asked));
    match negotiate::part(
        range.and_then(|range| range.to_str().ok()),
        found.entry.size,
    ) {
        Part::Whole if request.method() == Method::HEAD => {
            Prepared::Answer(empty(found.status, ready.headers.clone()))
        }
        Part::Whole => match &ready.body {
            Some(bytes) => {
                Prepared::Answer(answer(found.status, ready.headers.clone(), bytes.clone()))
            }
            None => Prepared::Whole(encoding, ready),
        },
        Part::Bytes(first, last) => Prepared::Part(first, last, ready),
        Part::Outside => {
            let mut response = uncached(StatusCode::RANGE_NOT_SATISFIABLE);
            set(
                response.headers_mut(),
                CONTENT_RANGE,
                &format!("bytes */{}", found.entry.size),
            );
            Prepared::Answer(response)
        }
    }
}

fn encoding(found: &Found<'_>, asked: &HeaderMap) -> Option<Encoding> {
    let there = |encoding| found.entry.encodings.get(encoding).is_some();
    negotiate::encoding(all(asked, &ACCEPT_ENCODING).as_deref(), there)
}

fn ready(files: Files<'_>, found: &Found<'_>, encoding: Option<Encoding>) -> Arc<Ready> {
    if let Some(ready) = files
        .cache
        .get(found.entry.hash, encoding)
        .filter(|ready| ready.is_of(found))
    {
        return ready;
    }
    let ready = Arc::new(Ready::of(found, encoding));
    files
        .cache
        .put(found.entry.hash, encoding, Arc::clone(&ready));
    ready
}

async fn whole(
    files: Files<'_>,
    found: &Found<'_>,
    encoding: Option<Encoding>,
    ready: &Ready,
) -> Result<Response<Body>, StoreError> {
    let Found {
        published,
        tree,
        name,
        entry,
        status,
    } = *found;
    if ready.size > STREAM_ABOVE {
        let stream = published
            .stream(files.objects, tree, name, entry, encoding)
            .await?;
        let body = Either::Right(StreamBody::new(stream.map_ok(Frame::data).boxed()));
        return Ok(with_head(status, ready.headers.clone(), body));
    }
    let bytes = published
        .read(files.objects, tree, name, entry, encoding)
        .await?;
    files.cache.put(
        entry.hash,
        encoding,
        Arc::new(ready.with_body(bytes.clone())),
    );
    Ok(answer(status, ready.headers.clone(), bytes))
}

async fn part(
    files: Files<'_>,
    found: &Found<'_>,
    first: u64,
    last: u64,
    ready: &Ready,
) -> Result<Response<Body>, StoreError> {
    let Found {
        published,
        tree,
        name,
        entry,
        ..
    } = *found;
    let stream = published
        .stream_part(files.objects, tree, name, entry, first..last + 1)
        .await?;
    let body = Either::Right(StreamBody::new(stream.map_ok(Frame::data).boxed()));
    let mut response = with_head(StatusCode::PARTIAL_CONTENT, ready.headers.clone(), body);
    set(
        response.headers_mut(),
        CONTENT_RANGE,
        &format!("bytes {first}-{last}/{}", entry.size),
    );
    response
        .headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(last - first + 1));
    Ok(response)
}

fn with_head(status: StatusCode, headers: HeaderMap, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn answer(status: StatusCode, headers: HeaderMap, bytes: Bytes) -> Response<Body> {
    with_head(status, headers, Either::Left(Full::new(bytes)))
}

fn empty(status: StatusCode, headers: HeaderMap) -> Response<Body> {
    answer(status, headers, Bytes::new())
}

/// An answer about this request alone.
fn uncached(status: StatusCode) -> Response<Body> {
    let mut response = empty(status, HeaderMap::new());
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
