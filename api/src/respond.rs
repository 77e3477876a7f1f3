//! A request → its answer: of the API, of the server itself, or a published page.
//!
//! Every answer is made from one [`Snapshot`](crate::Snapshot), loaded before the request was looked at, so a reader never
//! gets parts of two deployments in one answer.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use pipeline::store::StoreError;

use crate::admin;
use crate::app::App;
use crate::control::{gate, mail_link, reports};
use crate::http::body::Body;
use crate::http::error::HttpRefusal;
use crate::http::request_id;
use crate::http::target::HttpTarget;
use crate::jobs::preview_page;
use crate::public::snapshot::Snapshot;
use crate::public::{self, Home, Resolution, ResolvedFile, file, home, reload};

/// How long the beginning of a page may take to be read.
const READ: Duration = Duration::from_secs(5);

/// A request's route and target.
pub(crate) struct Routed {
    route: Route,
    target: Result<HttpTarget, HttpRefusal>,
}

/// Part of the server that answers a request.
#[derive(Clone, Copy)]
enum Route {
    /// The admin screen, on a host of its own.
    Admin,
    /// The API.
    Api,
    /// Texts without translation, reported by the live script.
    Reports,
    /// Links from e-mails.
    MailLink,
    /// Health check of the process.
    Live,
    /// Health check of the published pages.
    Ready,
    /// The page of a preview.
    Preview,
    /// A published file; which one, host and path decide.
    Public,
    /// No part; the request is refused.
    Refused(HttpRefusal),
}

/// What host and path lead to.
enum PublicRoute<'a> {
    /// A published file.
    To(ResolvedFile<'a>),
    /// No file.
    Ends(Response<Body>),
}

/// Addresses that are the server's own on every host.
const LIVE: &str = "/_health/live";
const READY: &str = "/_health/ready";

/// Answers a request that came from `client`. A server calls the steps itself (`run.rs`).
pub async fn respond<B>(app: &App, request: Request<B>, client: IpAddr) -> Response<Body>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let routed = Routed::of(app, &request);
    match routed.at_once(app, &request) {
        Some(response) => response,
        None => routed.in_time(app, request, client).await,
    }
}

impl Routed {
    /// Routes a request.
    pub(crate) fn of<B>(app: &App, request: &Request<B>) -> Self {
        let target = HttpTarget::of(request);
        Self {
            route: Route::of(app, &target, request),
            target,
        }
    }

    /// Answers a request for a page that is in memory, as nearly all are; `None` if the answer takes time.
    pub(crate) fn at_once<B>(&self, app: &App, request: &Request<B>) -> Option<Response<Body>> {
        let (Route::Public, Ok(target)) = (self.route, &self.target) else {
            return None;
        };
        page_at_once(app, target, request)
    }

    /// Answers any other request.
    pub(crate) async fn in_time<B>(
        self,
        app: &App,
        request: Request<B>,
        client: IpAddr,
    ) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let Self { route, target } = self;
        match (route, target, app.api.as_ref()) {
            (Route::Admin, _, _) => admin::answer(app, request, client).await,
            (Route::Api, target, Some(api)) => api.answer(app, target, request, client).await,
            (Route::Refused(refusal), _, _) | (_, Err(refusal), _) => refusal.response(),
            (Route::Reports, Ok(target), Some(api)) => {
                reports::answer(app, api, &target, request, client).await
            }
            (Route::MailLink, Ok(target), Some(api)) => {
                mail_link::answer(api, &target.path, request).await
            }
            // Requests are routed there only if there is an API.
            (Route::Api | Route::Reports | Route::MailLink, Ok(_), None) => {
                HttpRefusal::NotFound.response()
            }
            (Route::Live, Ok(_), _) => health(None),
            (Route::Ready, Ok(_), _) => health(app.unready()),
            (Route::Preview, Ok(target), api) => {
                let previews = api.map(|api| api.previews().as_ref());
                preview_page::answer(previews, &target.path, request.headers()).await
            }
            (Route::Public, Ok(target), _) => public_page(app, &target, &request).await,
        }
    }
}

impl Route {
    fn of<B>(app: &App, target: &Result<HttpTarget, HttpRefusal>, request: &Request<B>) -> Self {
        let front = app.front();
        let has_api = app.api.is_some();
        if target
            .as_ref()
            .is_ok_and(|target| front.has_admin_at(target))
        {
            return Self::Admin;
        }
        let path = target
            .as_ref()
            .map_or_else(|_| request.uri().path(), |target| target.path.as_str());
        if has_api && gate::is_below(path) && front.has_api_at(target) {
            return Self::Api;
        }
        let target = match target {
            Ok(target) => target,
            Err(refusal) => return Self::Refused(*refusal),
        };
        if has_api && *request.method() == Method::POST && reports::is_at(path) {
            return Self::Reports;
        }
        if has_api && mail_link::is_at(path) {
            return Self::MailLink;
        }
        match path {
            // Everything here is read only.
            _ if !matches!(*request.method(), Method::GET | Method::HEAD) => {
                Self::Refused(HttpRefusal::MethodNotAllowed)
            }
            LIVE => Self::Live,
            READY => Self::Ready,
            path if path.starts_with(preview_page::PREFIX) => Self::Preview,
            _ if front.is_api_alone_at(target) && !app.has_pages_at(target) => {
                Self::Refused(HttpRefusal::NotFound)
            }
            _ => Self::Public,
        }
    }
}

async fn public_page<B>(app: &App, target: &HttpTarget, request: &Request<B>) -> Response<Body> {
    if let Some(reload) = app.served.reload() {
        let own = reload.answer(&app.closing, &target.path, request);
        let mut response = match own {
            Some(own) => own,
            None => published_page(app, target, request).await,
        };
        reload::forget(&mut response);
        return response;
    }
    published_page(app, target, request).await
}

async fn published_page<B>(app: &App, target: &HttpTarget, request: &Request<B>) -> Response<Body> {
    let (refusal, cause) = match tokio::time::timeout(READ, read_page(app, target, request)).await {
        Ok(Ok(response)) => return response,
        Ok(Err(error)) if error.is_away() => (HttpRefusal::Unavailable, error.to_string()),
        Ok(Err(error)) => (HttpRefusal::Internal, error.to_string()),
        Err(_) => (HttpRefusal::Unavailable, "it took too long".to_owned()),
    };
    let id = request_id::of(request.headers());
    request_id::span(&id).in_scope(|| tracing::error!("a page could not be read: {cause}"));
    request_id::on(refusal.response(), id)
}

async fn read_page<B>(
    app: &App,
    target: &HttpTarget,
    request: &Request<B>,
) -> Result<Response<Body>, StoreError> {
    match answer(app, target, request).await {
        // The deployment was swept while we read from it: a newer one is there.
        Err(StoreError::Damaged { .. }) if app.load().await.is_ok() => {
            answer(app, target, request).await
        }
        answered => answered,
    }
}

async fn answer<B>(
    app: &App,
    target: &HttpTarget,
    request: &Request<B>,
) -> Result<Response<Body>, StoreError> {
    let snapshot = app.snapshot();
    let (way, is_home) = way(&snapshot, target, request.headers());
    let response = match way {
        PublicRoute::To(found) if app.served.reload().is_some() && reload::takes(&found) => {
            reload::page(app.objects(), &found, request).await?
        }
        PublicRoute::To(found) => file::response(app.files(), &found, request).await?,
        PublicRoute::Ends(response) => response,
    };
    Ok(if is_home {
        public::for_one_reader(response)
    } else {
        response
    })
}

/// The same without waiting; `None` where something must be read, or where somebody works on the page.
fn page_at_once<B>(app: &App, target: &HttpTarget, request: &Request<B>) -> Option<Response<Body>> {
    if app.served.reload().is_some() {
        return None;
    }
    let snapshot = app.snapshot();
    let (way, is_home) = way(&snapshot, target, request.headers());
    let response = match way {
        PublicRoute::To(found) => file::at_once(app.files(), &found, request)?,
        PublicRoute::Ends(response) => response,
    };
    Some(if is_home {
        public::for_one_reader(response)
    } else {
        response
    })
}

/// Finds what host and path lead to, and says whether it depends on who asks.
fn way<'a>(
    snapshot: &'a Snapshot,
    target: &'a HttpTarget,
    asked: &HeaderMap,
) -> (PublicRoute<'a>, bool) {
    let home = home(snapshot.sites(), target, asked);
    let answer = match &home {
        Some(Home::MovesTo(redirect)) => Resolution::Redirect(redirect.clone()),
        Some(Home::Stays) | None => public::resolve(snapshot.sites(), target),
    };
    let way = match answer {
        Resolution::File(found) => PublicRoute::To(found),
        Resolution::Redirect(redirect) => PublicRoute::Ends(redirect.response()),
        Resolution::NotFound => PublicRoute::Ends(HttpRefusal::NotFound.response()),
        Resolution::Gone => PublicRoute::Ends(HttpRefusal::Gone.response()),
    };
    (way, home.is_some())
}

/// The answer to a health check.
fn health(trouble: Option<String>) -> Response<Body> {
    let (status, text) = match trouble {
        None => (StatusCode::OK, "ok\n".to_owned()),
        Some(reason) => (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("not ready: {reason}\n"),
        ),
    };
    let mut response = Response::new(Either::Left(Full::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl App {
    /// Whether the public addresses of a site name this host.
    fn has_pages_at(&self, target: &HttpTarget) -> bool {
        public::names_host(self.snapshot().sites(), target)
    }
}
