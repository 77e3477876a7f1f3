//! The admin screen: an origin of its own, where people do in a browser what programs do over the API.
//!
//! A screen is what the API's operations answer, put into a template, and a form is one of the operations, done through the
//! API's second door (`control/door.rs`): one operation, with the same scopes and checks, for programs and for people. No page
//! needs a script. `guard` keeps others out, `screens` reads, `actions` writes, `templates` has the words.

mod actions;
mod figures;
mod guard;
mod outcome;
mod screens;
mod templates;
mod visit;

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Either, Full, Limited};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE};
use hyper::{Method, Request, Response, StatusCode};
use pipeline::config::AdminConfig;

use crate::app::{Api, App};
use crate::http::body::Body;
use crate::http::error::{HttpRefusal, json_response};
use crate::http::target::HttpTarget;
use outcome::VisitOutcome;
use templates::page;
use visit::Visit;

/// The largest form, and how long it may take to arrive.
const LARGEST: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(15);

/// Answers a request at the screen's origin.
pub(crate) async fn answer<B>(app: &App, request: Request<B>, client: IpAddr) -> Response<Body>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut response = match whole(app, request, client).await {
        Ok(response) => response,
        Err(refusal) => refusal.response(),
    };
    guard::protect(&mut response);
    response
}

async fn whole<B>(
    app: &App,
    request: Request<B>,
    client: IpAddr,
) -> Result<Response<Body>, HttpRefusal>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let api = app.api.as_ref().ok_or(HttpRefusal::NotFound)?;
    let is_form = *request.method() == Method::POST;
    // A form has a body, which pages have not.
    let target = HttpTarget::of(&request)?;
    let settings = api.settings();
    let config = settings
        .config
        .admin
        .clone()
        .unwrap_or_else(AdminConfig::usual);
    if !config.is_at(&target.host, target.host_name()) {
        return Err(HttpRefusal::BadRequest(
            "this is not the host of the admin screen; set `url` in [admin]",
        ));
    }
    if let Some((kind, text)) = templates::file(&target.path) {
        return Ok(file(kind, text));
    }
    if target.path == "/favicon.ico" {
        let mut none = plain(StatusCode::NO_CONTENT, "");
        none.headers_mut().insert(
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=86400"),
        );
        return Ok(none);
    }
    if !is_form && !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(HttpRefusal::MethodNotAllowed);
    }
    let (parts, body) = request.into_parts();
    if is_form && !guard::is_own(&parts.headers, &config.url, &target) {
        tracing::warn!("a form of another origin was refused at the admin screen");
        return Ok(plain(
            StatusCode::FORBIDDEN,
            "this form was sent by a page of another origin\n",
        ));
    }
    let mut visit = Visit::new(app, api, &config, target, &parts.headers, client);
    // Read a form only from a visitor with a session, or one who signs in: strangers get no time to send a body.
    if is_form && (visit.caller.is_some() || visit.path == "/login") {
        visit.fields = read(body).await?;
    }
    let outcome = match (is_form, visit.path.as_str()) {
        (false, "/login") => screens::login(&visit, false),
        (true, "/login") => actions::sign_in(&visit),
        _ if visit.caller.is_none() => VisitOutcome::Goes(visit.login()),
        (true, _) => actions::act(&visit)
            .await
            .unwrap_or_else(VisitOutcome::Refused),
        (false, _) => screens::show(&visit)
            .await
            .unwrap_or_else(VisitOutcome::Refused),
    };
    Ok(respond(&visit, outcome))
}

fn respond(visit: &Visit<'_>, outcome: VisitOutcome) -> Response<Body> {
    match outcome {
        VisitOutcome::Screen(screen) => page(visit, StatusCode::OK, screen),
        VisitOutcome::Goes(to) => goes(&to),
        VisitOutcome::Data(data) => json_response(StatusCode::OK, &data),
        VisitOutcome::Signs { to, secret } => {
            let mut response = goes(&to);
            let cookie = guard::cookie(visit.config, secret.as_deref());
            if let Ok(cookie) = HeaderValue::try_from(cookie) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        VisitOutcome::Refused(error) => {
            let status = error.response().status();
            page(visit, status, screens::trouble(visit, &error))
        }
    }
}

/// Reads a form.
async fn read<B>(body: B) -> Result<Vec<(String, String)>, HttpRefusal>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let whole = tokio::time::timeout(PATIENCE, Limited::new(body, LARGEST).collect()).await;
    let whole = whole.map_err(|_| HttpRefusal::BadRequest("the form did not arrive in time"))?;
    let whole = whole.map_err(|_| HttpRefusal::ContentTooLarge)?.to_bytes();
    Ok(form_urlencoded::parse(&whole).into_owned().collect())
}

/// To another page of the screen.
fn goes(to: &str) -> Response<Body> {
    let mut response = plain(StatusCode::SEE_OTHER, "");
    let to = HeaderValue::try_from(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(LOCATION, to);
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}

fn file(kind: &'static str, text: &'static str) -> Response<Body> {
    let mut response = plain(StatusCode::OK, text);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    );
    response
}

impl Api {
    /// Ends a session by what the browser holds.
    fn sign_out(&self, secret: &str) {
        if let Some(session) = self.sessions.find(secret, SystemTime::now()) {
            self.sessions.end(&session.id, None);
        }
    }
}
