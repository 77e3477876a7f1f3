//! `/_latimer/confirm/…` and `/_latimer/unsubscribe/…`: links in mails. GET shows what one does and changes nothing, because
//! programs that look for viruses open links; POST does it, also for mail programs (RFC 8058), which send no cookies.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Either, Full, Limited};
use hyper::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    HeaderName, HeaderValue, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};
use pipeline::letters::{CONFIRM, LANGUAGES, LEAVE, LinkPage, link_page};
use pipeline::run::now;
use pipeline::state::{MailLink, State, StateError};

use crate::app::Api;
use crate::http::body::Body;
use crate::http::error::HttpRefusal;
use crate::public::language::chosen;

const POLICY: &str =
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// What every answer here has. The address is a secret of whoever got the mail.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_TYPE, "text/html; charset=utf-8"),
    (CACHE_CONTROL, "no-store"),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
    (VARY, "Accept-Language"),
];
/// A form has nothing in it that counts, and a mail program sends one line.
const LARGEST: usize = 1 << 10;
const PATIENCE: Duration = Duration::from_secs(15);

/// Whether a path is that of a link in a mail.
pub(crate) fn is_at(path: &str) -> bool {
    path.starts_with(CONFIRM) || path.starts_with(LEAVE)
}

/// Answers whoever follows a link.
pub(crate) async fn answer<B>(api: &Api, path: &str, request: Request<B>) -> Response<Body>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let language = chosen(request.headers().get(ACCEPT_LANGUAGE), &LANGUAGES);
    let does = match *request.method() {
        Method::GET | Method::HEAD => false,
        Method::POST => true,
        _ => return HttpRefusal::MethodNotAllowed.response(),
    };
    let confirms = path.starts_with(CONFIRM);
    let token = path
        .strip_prefix(CONFIRM)
        .or_else(|| path.strip_prefix(LEAVE))
        .unwrap_or_default();
    let asked = token.to_owned();
    let now = now();
    let known = on_state(api, move |state| {
        Ok(state
            .mail_link(&asked, now)?
            .filter(|link| link.confirms_until.is_some() == confirms))
    });
    let link = match known.await {
        // Look up the link before reading the form: a stranger gets no time to send a body.
        Ok(Some(_)) if does => {
            if let Err(refusal) = read(request.into_body()).await {
                return refusal.response();
            }
            let token = token.to_owned();
            on_state(api, move |state| state.follow_mail_link(&token, now)).await
        }
        known => known,
    };
    let link = match link {
        Ok(link) => link,
        Err(refusal) => return refusal.response(),
    };
    let page = match (&link, confirms, does) {
        (None, ..) => LinkPage::Gone,
        (Some(_), true, false) => LinkPage::Confirm,
        (Some(_), true, true) => LinkPage::Confirmed,
        (Some(_), false, false) => LinkPage::Leave,
        (Some(_), false, true) => LinkPage::Left,
    };
    let email = link.as_ref().map_or("", |link| link.email.as_str());
    let previews = link.as_ref().is_some_and(|link| link.previews);
    let Ok(html) = link_page(page, previews, email, language) else {
        return HttpRefusal::Internal.response();
    };
    let mut response = Response::new(Either::Left(Full::from(Bytes::from(html))));
    *response.status_mut() = if link.is_some() {
        StatusCode::OK
    } else {
        StatusCode::NOT_FOUND
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
        .headers_mut()
        .insert(CONTENT_LANGUAGE, HeaderValue::from_static(language));
    response
}

/// Reads what is sent along. It does not matter, but a client that is cut off while it sends learns nothing.
async fn read<B>(body: B) -> Result<(), HttpRefusal>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    match tokio::time::timeout(PATIENCE, Limited::new(body, LARGEST).collect()).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(_)) => Err(HttpRefusal::ContentTooLarge),
        Err(_) => Err(HttpRefusal::BadRequest("the form did not arrive in time")),
    }
}

async fn on_state(
    api: &Api,
    work: impl FnOnce(&State) -> Result<Option<MailLink>, StateError> + Send + 'static,
) -> Result<Option<MailLink>, HttpRefusal> {
    let state = api.state();
    match tokio::task::spawn_blocking(move || work(&state)).await {
        Ok(Ok(link)) => Ok(link),
        Ok(Err(error)) => {
            tracing::error!("a link of a mail cannot be followed: {error}");
            Err(HttpRefusal::Unavailable)
        }
        Err(_) => Err(HttpRefusal::Internal),
    }
}
