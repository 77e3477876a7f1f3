//! A request → its answer: of the API, of the server itself, or a published page.
//!
//! Every answer is made from one [`Snapshot`](crate::Snapshot), loaded before the request was looked at, so a reader never
//! gets parts of two deployments in one answer.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use pipeline::publish::PublishError;

use crate::admin;
use crate::app::App;
use crate::control::{gate, mail_link, reports};
use crate::http::body::Body;
use crate::http::error::Refusal;
use crate::http::request_id;
use crate::http::target::Target;
use crate::jobs::preview_page;
use crate::public::{self, Answer, Home, file, home, reload};

/// How long the beginning of a page may take to be read.
const READ: Duration = Duration::from_secs(5);

/// What a request asks for, outside the API.
#[derive(Clone, Copy)]
enum Route {
    /// Whether the process runs.
    Live,
    /// Whether pages can be served.
    Ready,
    /// The page of a preview.
    Preview,
    /// A published file; which one, host and path decide.
    Public,
}

/// Addresses that are the server's own on every host.
const TABLE: [(&str, Route); 2] = [("/_health/live", Route::Live), ("/_health/ready", Route::Ready)];

/// Answers a request that came from `client`.
pub async fn respond<B>(app: &App, request: Request<B>, client: IpAddr) -> Response<Body>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let target = Target::of(&request);
    if target.as_ref().is_ok_and(|target| app.has_admin_at(target)) {
        return admin::answer(app, request, client).await;
    }
    let path = target.as_ref().map_or_else(|_| request.uri().path(), |target| target.path.as_str());
    if let Some(api) = app.api.as_ref().filter(|_| gate::is_below(path) && app.has_api_at(&target)) {
        return api.answer(app, target, request, client).await;
    }
    let target = match target {
        Ok(target) => target,
        Err(refusal) => return refusal.response(),
    };
    if let Some(api) = app.api.as_ref().filter(|_| *request.method() == Method::POST && reports::is_at(&target.path)) {
        return reports::answer(app, api, &target, request, client).await;
    }
    if let Some(api) = app.api.as_ref().filter(|_| mail_link::is_at(&target.path)) {
        return mail_link::answer(api, &target.path, request).await;
    }
    match Route::of(&target, request.method()) {
        Err(refusal) => refusal.response(),
        Ok(Route::Live) => health(None),
        Ok(Route::Ready) => health(app.unready()),
        Ok(Route::Preview) => {
            let previews = app.api.as_ref().map(|api| api.previews().as_ref());
            preview_page::answer(previews, &target.path, request.headers()).await
        }
        Ok(Route::Public) if app.has_no_pages_at(&target) => Refusal::NotFound.response(),
        Ok(Route::Public) => public_page(app, &target, &request).await,
    }
}

impl Route {
    /// Finds what is asked for; everything here is read only.
    fn of(target: &Target, method: &Method) -> Result<Self, Refusal> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Err(Refusal::MethodNotAllowed);
        }
        if target.path.starts_with(preview_page::PREFIX) {
            return Ok(Self::Preview);
        }
        Ok(TABLE.iter().find(|(path, _)| *path == target.path).map_or(Self::Public, |(_, route)| *route))
    }
}

async fn public_page<B>(app: &App, target: &Target, request: &Request<B>) -> Response<Body> {
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

async fn published_page<B>(app: &App, target: &Target, request: &Request<B>) -> Response<Body> {
    let (refusal, cause) = match tokio::time::timeout(READ, read_page(app, target, request)).await {
        Ok(Ok(response)) => return response,
        Ok(Err(error)) if error.is_away() => (Refusal::Unavailable, error.to_string()),
        Ok(Err(error)) => (Refusal::Internal, error.to_string()),
        Err(_) => (Refusal::Unavailable, "it took too long".to_owned()),
    };
    let id = request_id::of(request.headers());
    request_id::span(&id).in_scope(|| tracing::error!("a page could not be read: {cause}"));
    request_id::on(refusal.response(), id)
}

async fn read_page<B>(app: &App, target: &Target, request: &Request<B>) -> Result<Response<Body>, PublishError> {
    match answer(app, target, request).await {
        // The deployment was swept while we read from it: a newer one is there.
        Err(PublishError::Damaged { .. }) if app.load().await.is_ok() => answer(app, target, request).await,
        answered => answered,
    }
}

async fn answer<B>(app: &App, target: &Target, request: &Request<B>) -> Result<Response<Body>, PublishError> {
    let snapshot = app.snapshot();
    let home = home(snapshot.sites(), target, request.headers());
    let answer = match &home {
        Some(Home::MovesTo(redirect)) => Answer::Redirect(redirect.clone()),
        Some(Home::Stays) | None => public::resolve(snapshot.sites(), target),
    };
    let response = match answer {
        Answer::File(found) if app.served.reload().is_some() && reload::takes(&found) => {
            reload::page(app.objects(), &found, request).await?
        }
        Answer::File(found) => file::response(app.files(), &found, request).await?,
        Answer::Redirect(redirect) => redirect.response(),
        Answer::NotFound => Refusal::NotFound.response(),
        Answer::Gone => Refusal::Gone.response(),
    };
    Ok(if home.is_some() { public::for_one_reader(response) } else { response })
}

/// The answer to a health check.
fn health(trouble: Option<String>) -> Response<Body> {
    let (status, text) = match trouble {
        None => (StatusCode::OK, "ok\n".to_owned()),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
    };
    let mut response = Response::new(Either::Left(Full::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl App {
    /// Whether the API answers at this host.
    fn has_api_at(&self, target: &Result<Target, Refusal>) -> bool {
        let hosts = &self.front().hosts;
        hosts.is_empty() || target.as_ref().is_ok_and(|target| hosts.iter().any(|host| target.is_at(host)))
    }

    /// Whether this host is the admin screen's alone.
    fn has_admin_at(&self, target: &Target) -> bool {
        self.front().admin_hosts.iter().any(|host| target.is_at(host))
    }

    /// Whether this host is the API's alone.
    fn has_no_pages_at(&self, target: &Target) -> bool {
        self.front().hosts.iter().any(|host| target.is_at(host)) && !public::names_host(self.snapshot().sites(), target)
    }
}
