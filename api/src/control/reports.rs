//! `POST …/_latimer/unknown`: readers' browsers tell which texts the live script has no words for. It needs no token.
//!
//! Whoever asks is a stranger. What they send is counted, compared and written down as `jobs/reports.rs` says, and changes no
//! page: only a site's owner can take a text. Every answer to a request that is in order is the same, so it tells nothing.

use std::net::IpAddr;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue, ORIGIN};
use hyper::{HeaderMap, Request, Response, StatusCode};
use pipeline::model::{PagePath, ReportedText};
use pipeline::run;
use pipeline::store::Tree;
use serde::Deserialize;
use url::Url;

use super::gate::body;
use crate::app::{Api, App};
use crate::http::body::Body;
use crate::http::error::ApiError;
use crate::http::household::Household;
use crate::http::target::HttpTarget;
use crate::jobs::reports::ReportPlace;

/// Where reports go: beside the script that sends them, wherever a site's own files lie.
const PLACE: &str = "/_latimer/unknown";
/// The largest body: twenty texts of 200 characters, each of which JSON may spell with six bytes, fit twice.
const LARGEST: usize = 48 << 10;
/// Most texts of a request.
const MOST: usize = 20;
/// How browsers say whose page sent a request.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What a browser tells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReaderReport {
    /// The path of the page as the reader's address bar shows it.
    path: PagePath,
    texts: Vec<String>,
}

/// Whether reports go to a path.
pub(crate) fn is_at(path: &str) -> bool {
    path.ends_with(PLACE)
}

/// Answers a reader's browser.
pub(crate) async fn answer<B>(
    app: &App,
    api: &Api,
    target: &HttpTarget,
    request: Request<B>,
    client: IpAddr,
) -> Response<Body>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut response = match take(app, api, target, request, Household::of(client)).await {
        Ok(()) => Response::new(Either::Left(Full::default())),
        Err(error) => {
            if let ApiError::Internal(cause)
            | ApiError::NoRoom(cause)
            | ApiError::Unavailable(cause) = &error
            {
                tracing::error!("reports of readers cannot be kept: {cause}");
            }
            error.response()
        }
    };
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn take<B>(
    app: &App,
    api: &Api,
    target: &HttpTarget,
    request: Request<B>,
    reader: Household,
) -> Result<(), ApiError>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if !api
        .sites
        .list()
        .values()
        .any(|known| known.config.scripts.report)
    {
        return Err(ApiError::NoSuchRoute);
    }
    if !is_from_own_page(request.headers(), target) {
        return Err(ApiError::BadRequest(
            "reports come from the site's own pages",
        ));
    }
    let now = Instant::now();
    api.reports.admit(reader, now).map_err(ApiError::Limited)?;
    let (parts, sent) = request.into_parts();
    let sent = body::read(&parts.headers, sent, LARGEST).await?;
    let told: ReaderReport =
        serde_json::from_slice(&sent).map_err(|_| ApiError::BadRequest("this is no report"))?;
    if told.texts.len() > MOST {
        return Err(ApiError::BadRequest("a report has twenty texts at most"));
    }
    let snapshot = app.snapshot();
    let found = snapshot
        .locate(&target.host, &told.path)
        .ok_or(ApiError::PageNotFound)?;
    let site = api
        .sites
        .get(&found.site)
        .filter(|known| known.config.scripts.report)
        .ok_or(ApiError::PageNotFound)?;
    let locale = found
        .locale
        .filter(|locale| site.config.locales.contains(locale))
        .ok_or(ApiError::PageNotFound)?;
    let published = snapshot
        .published(&found.site)
        .ok_or(ApiError::PageNotFound)?;
    if published
        .page(&Tree::Locale(locale.clone()), &found.page)
        .is_none()
    {
        return Err(ApiError::PageNotFound);
    }
    let texts = told
        .texts
        .iter()
        .filter_map(|text| ReportedText::parse(text))
        .collect();
    let seen = ReportPlace {
        site: &found.site,
        page: &found.page,
        locale: &locale,
    };
    let enough = api.reports.note(seen, texts, reader, now);
    if enough.is_empty() {
        return Ok(());
    }
    let state = api.state();
    let id = found.site.clone();
    let time = run::now();
    let left_out =
        tokio::task::spawn_blocking(move || state.keep_reports(&id, &enough, time)).await??;
    if left_out > 0 {
        tracing::warn!(
            "{}: there is no room for more reports of readers; take or drop some",
            found.site
        );
    }
    Ok(())
}

/// Whether a page of this host sent a request. Another site's page cannot say so; a program can say what it wants.
fn is_from_own_page(headers: &HeaderMap, target: &HttpTarget) -> bool {
    let one = |name: &HeaderName| {
        let mut values = headers.get_all(name).iter();
        values
            .next()
            .filter(|_| values.next().is_none())
            .and_then(|value| value.to_str().ok())
    };
    let origin = one(&ORIGIN).and_then(|origin| Url::parse(origin).ok());
    let is_own = |origin: Url| {
        origin
            .host_str()
            .is_some_and(|host| host == target.host_name())
    };
    let same_site = !headers.contains_key(FETCH_SITE) || one(&FETCH_SITE) == Some("same-origin");
    same_site && origin.is_some_and(is_own)
}
