//! Live reload, for `latimer watch` alone: a page has a script that loads it again when a newer deployment is served.
//!
//! The script's tag is put in while a page is answered, so what is stored stays as a build left it. Such a page is not
//! the bytes that entity tags and compressed variants are of: it is sent whole, plain and with `no-store`. The tag
//! stands behind everything else, where it can cut nothing in two, and names the deployment that the page was read
//! from, so nothing is missed between the page and the stream of events. The script is a file of the page's own
//! origin: a policy of `'self'` lets it run.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{Either, Full, StreamBody};
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HOST, HeaderMap, HeaderValue,
    LAST_MODIFIED, VARY,
};
use hyper::{Method, Request, Response};
use pipeline::store::{Objects, StoreError};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use super::file::Ready;
use super::resolve::ResolvedFile;
use super::snapshot::Snapshot;
use crate::http::body::Body;
use crate::http::error::HttpRefusal;
use crate::http::events::{self, Seat, Update};

const SCRIPT: &str = include_str!("reload.js");
const SCRIPT_PATH: &str = "/_latimer/reload.js";
const EVENTS_PATH: &str = "/_latimer/reload";
/// More than there can be connections.
const STREAMS: usize = 1024;

/// Tells pages of newer deployments.
#[derive(Debug)]
pub(crate) struct Reload {
    /// The number of each site's deployment that is served.
    served: watch::Sender<Value>,
    places: Arc<Semaphore>,
}

impl Default for Reload {
    fn default() -> Self {
        Self {
            served: watch::Sender::default(),
            places: Arc::new(Semaphore::new(STREAMS)),
        }
    }
}

impl Reload {
    /// Tells what is served from now on.
    pub(crate) fn tell(&self, snapshot: &Snapshot) {
        let number =
            |site: &pipeline::store::Published| (site.site().to_string(), site.deployment().into());
        let now = Value::Object(
            snapshot
                .published_sites()
                .map(|site| number(site))
                .collect(),
        );
        self.served.send_if_modified(|served| {
            let is_news = *served != now;
            *served = now;
            is_news
        });
    }

    /// The script, or the stream of events, where the path names one of them.
    pub(crate) fn answer<B>(
        &self,
        closing: &watch::Sender<bool>,
        path: &str,
        request: &Request<B>,
    ) -> Option<Response<Body>> {
        let (kind, body) = match path {
            SCRIPT_PATH => (
                "text/javascript; charset=utf-8",
                Either::Left(Full::from(SCRIPT)),
            ),
            EVENTS_PATH if request.method() == Method::HEAD => {
                ("text/event-stream", Either::Left(Full::default()))
            }
            EVENTS_PATH => {
                let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
                    return Some(HttpRefusal::Internal.response());
                };
                let seat = Seat {
                    closing: closing.subscribe(),
                    place: Box::new(place),
                };
                let describe = |served: &Value| Update {
                    value: served.clone(),
                    end: None,
                };
                let frames =
                    events::follow(self.served.subscribe(), describe, request.headers(), seat);
                ("text/event-stream", Either::Right(StreamBody::new(frames)))
            }
            _ => return None,
        };
        let mut response = Response::new(body);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        Some(response)
    }
}

/// Whether a file is a page that gets the script.
pub(crate) fn takes(found: &ResolvedFile<'_>) -> bool {
    found.entry.content_type.starts_with("text/html")
}

/// Answers with a page and the script at its end.
pub(crate) async fn page<B>(
    objects: &Objects,
    found: &ResolvedFile<'_>,
    request: &Request<B>,
) -> Result<Response<Body>, StoreError> {
    let ResolvedFile {
        published,
        tree,
        name,
        entry,
        ..
    } = *found;
    let html = published.read(objects, tree, name, entry, None).await?;
    let site = published.site().as_str();
    let deployment = published.deployment();
    let html = with_script(&html, request.headers(), site, deployment);
    let mut headers = Ready::of(found, None).headers;
    [ETAG, LAST_MODIFIED, ACCEPT_RANGES, VARY]
        .iter()
        .for_each(|name| drop(headers.remove(name)));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(html.len()));
    let body = if request.method() == Method::HEAD {
        Bytes::new()
    } else {
        Bytes::from(html)
    };
    let mut response = Response::new(Either::Left(Full::new(body)));
    *response.status_mut() = found.status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// Keeps nothing of an answer anywhere: the next build may change it.
pub(crate) fn forget(response: &mut Response<Body>) {
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

fn with_script(html: &[u8], asked: &HeaderMap, site: &str, deployment: u64) -> Vec<u8> {
    let mut html = html.to_vec();
    // In UTF-16 the tag would be no tag.
    if html.starts_with(b"\xff\xfe") || html.starts_with(b"\xfe\xff") {
        return html;
    }
    // Where a page says against what its addresses count, ours is written in full.
    let has_base = html
        .windows(5)
        .any(|five| five.eq_ignore_ascii_case(b"<base"));
    let host = asked
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .filter(|_| has_base);
    let origin = host
        .map(|host| format!("http://{host}"))
        .unwrap_or_default();
    let tag = format!(
        "<script src=\"{origin}{SCRIPT_PATH}\" data-site=\"{site}\" data-deployment=\"{deployment}\"></script>\n"
    );
    html.extend_from_slice(tag.as_bytes());
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_stands_behind_the_page() {
        let mut asked = HeaderMap::new();
        asked.insert(HOST, HeaderValue::from_static("localhost:8080"));
        let tag = |origin: &str| {
            format!(
                "<script src=\"{origin}/_latimer/reload.js\" data-site=\"s\" data-deployment=\"3\"></script>\n"
            )
        };
        for (html, added) in [
            ("<p>a</p>", tag("")),
            (
                "<Base href=\"https://www.example.com/\"><p>a</p>",
                tag("http://localhost:8080"),
            ),
            ("", tag("")),
        ] {
            assert_eq!(
                with_script(html.as_bytes(), &asked, "s", 3),
                format!("{html}{added}").into_bytes(),
                "{html}"
            );
        }
        assert_eq!(with_script(b"\xff\xfe<\0", &asked, "s", 3), b"\xff\xfe<\0");
    }
}
