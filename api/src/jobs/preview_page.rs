//! `/_preview/{id}`: the page of a preview, for whoever knows its id.
//!
//! It is somebody else's page on our host, so it is shown as if it had none: its scripts run in an origin of their
//! own, nothing keeps it, finds it or learns where it was read.

use http_body_util::{Either, Full};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Response};
use pipeline::model::PreviewId;
use pipeline::preview::{AS_XML, WITHOUT_SCRIPTS};
use pipeline::run::now;
use pipeline::state::PreviewStatus;
use tracing::Instrument;

use super::previews::Previews;
use crate::http::body::Body;
use crate::http::error::{ApiError, HttpRefusal};
use crate::http::request_id;

/// What stands before the id in a path.
pub(crate) const PREFIX: &str = "/_preview/";

/// What every answer here has.
const HEADERS: [(HeaderName, &str); 4] = [
    (HeaderName::from_static("x-robots-tag"), "noindex"),
    (CACHE_CONTROL, "private, no-store"),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
];

/// Answers with a preview's page.
pub(crate) async fn answer(
    previews: Option<&Previews>,
    path: &str,
    asked: &HeaderMap,
) -> Response<Body> {
    let id = request_id::of(asked);
    let mut policy = "sandbox allow-scripts";
    let mut response = match page(previews, path).instrument(request_id::span(&id)).await {
        Ok(html) => {
            if holds(&html, WITHOUT_SCRIPTS.as_bytes()) {
                policy = "sandbox";
            }
            let is_xml = holds(&html, AS_XML.as_bytes());
            let kind = if is_xml {
                "application/xhtml+xml; charset=utf-8"
            } else {
                "text/html; charset=utf-8"
            };
            let mut response = Response::new(Either::Left(Full::from(html)));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            response
        }
        Err(refusal @ (HttpRefusal::Internal | HttpRefusal::Unavailable)) => {
            request_id::on(refusal.response(), id)
        }
        Err(refusal) => refusal.response(),
    };
    for (name, value) in HEADERS
        .into_iter()
        .chain([(CONTENT_SECURITY_POLICY, policy)])
    {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether a page holds these bytes.
fn holds(page: &[u8], bytes: &[u8]) -> bool {
    page.windows(bytes.len()).any(|window| window == bytes)
}

async fn page(previews: Option<&Previews>, path: &str) -> Result<bytes::Bytes, HttpRefusal> {
    let id = path
        .strip_prefix(PREFIX)
        .and_then(PreviewId::parse)
        .ok_or(HttpRefusal::NotFound)?;
    let previews = previews.ok_or(HttpRefusal::NotFound)?;
    let failed = |error: ApiError| {
        tracing::error!("a preview could not be read: {error:?}");
        if matches!(error, ApiError::Unavailable(_)) {
            HttpRefusal::Unavailable
        } else {
            HttpRefusal::Internal
        }
    };
    let preview = previews
        .newest(id)
        .await
        .map_err(failed)?
        .ok_or(HttpRefusal::NotFound)?;
    if preview.expires <= now() {
        return Err(HttpRefusal::Gone);
    }
    if preview.status != PreviewStatus::Ready {
        return Err(HttpRefusal::NotFound);
    }
    previews
        .page(id)
        .await
        .map_err(failed)?
        .ok_or(HttpRefusal::NotFound)
}
