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
use super::resolve::ResolvedFile;
use crate::http::body::Body;
use crate::http::conditions::{ConditionVerdict, all};
use crate::http::negotiate::{self, RequestedRange};
pub(crate) use ready::Ready;
use ready::set;

/// Files above this size are sent piece by piece and not kept in memory.
const STREAM_ABOVE: u64 = 1 << 20;

/// Where the bytes of files are: in the store, and in memory those that were asked for lately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileSource<'a> {
    pub(crate) objects: &'a Objects,
    pub(crate) cache: &'a Cache,
}

/// An answer with a file, or what must be read for it.
enum PreparedAnswer {
    Answer(Response<Body>),
    Whole(Option<Encoding>, Arc<Ready>),
    Part(u64, u64, Arc<Ready>),
}

/// Answers with a file.
pub(crate) async fn response<B>(
    files: FileSource<'_>,
    found: &ResolvedFile<'_>,
    request: &Request<B>,
) -> Result<Response<Body>, StoreError> {
    match prepare(files, found, request) {
        PreparedAnswer::Answer(response) => Ok(response),
        PreparedAnswer::Whole(encoding, ready) => whole(files, found, encoding, &ready).await,
        PreparedAnswer::Part(first, last, ready) => part(files, found, first, last, &ready).await,
    }
}

/// Answers with a file, unless its bytes must be read.
pub(crate) fn at_once<B>(
    files: FileSource<'_>,
    found: &ResolvedFile<'_>,
    request: &Request<B>,
) -> Option<Response<Body>> {
    match prepare(files, found, request) {
        PreparedAnswer::Answer(response) => Some(response),
        PreparedAnswer::Whole(..) | PreparedAnswer::Part(..) => None,
    }
}

fn prepare<B>(
    files: FileSource<'_>,
    found: &ResolvedFile<'_>,
    request: &Request<B>,
) -> PreparedAnswer {
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
            ConditionVerdict::Proceed => {}
            ConditionVerdict::NotModified => {
                return PreparedAnswer::Answer(empty(
                    StatusCode::NOT_MODIFIED,
                    ready.not_modified.clone(),
                ));
            }
            ConditionVerdict::Failed => {
                return PreparedAnswer::Answer(uncached(StatusCode::PRECONDITION_FAILED));
            }
        }
    }
    let range = asked
        .get(RANGE)
        .filter(|_| wants_part && ready.validators().allow_part(asked));
    match negotiate::part(
        range.and_then(|range| range.to_str().ok()),
        found.entry.size,
    ) {
        RequestedRange::Whole if request.method() == Method::HEAD => {
            PreparedAnswer::Answer(empty(found.status, ready.headers.clone()))
        }
        RequestedRange::Whole => match &ready.body {
            Some(bytes) => {
                PreparedAnswer::Answer(answer(found.status, ready.headers.clone(), bytes.clone()))
            }
            None => PreparedAnswer::Whole(encoding, ready),
        },
        RequestedRange::Bytes(first, last) => PreparedAnswer::Part(first, last, ready),
        RequestedRange::Outside => {
            let mut response = uncached(StatusCode::RANGE_NOT_SATISFIABLE);
            set(
                response.headers_mut(),
                CONTENT_RANGE,
                &format!("bytes */{}", found.entry.size),
            );
            PreparedAnswer::Answer(response)
        }
    }
}

fn encoding(found: &ResolvedFile<'_>, asked: &HeaderMap) -> Option<Encoding> {
    let there = |encoding| found.entry.encodings.get(encoding).is_some();
    negotiate::encoding(all(asked, &ACCEPT_ENCODING).as_deref(), there)
}

fn ready(
    files: FileSource<'_>,
    found: &ResolvedFile<'_>,
    encoding: Option<Encoding>,
) -> Arc<Ready> {
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
    files: FileSource<'_>,
    found: &ResolvedFile<'_>,
    encoding: Option<Encoding>,
    ready: &Ready,
) -> Result<Response<Body>, StoreError> {
    let ResolvedFile {
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
    files: FileSource<'_>,
    found: &ResolvedFile<'_>,
    first: u64,
    last: u64,
    ready: &Ready,
) -> Result<Response<Body>, StoreError> {
    let ResolvedFile {
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
