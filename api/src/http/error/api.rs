//! Why an operation of the API was refused, and the answer that its caller gets: `{"error", "details"}`.
//!
//! One file: a table of errors.

use http_body_util::{Either, Full};
use hyper::header::{ALLOW, CONNECTION, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{HeaderMap, Response, StatusCode};
use pipeline::causes::chain;
use pipeline::run::BuildError;
use pipeline::state::{DiskTrouble, StateError};
use pipeline::store::StoreError;
use serde_json::{Value, json};
use tokio::task::JoinError;

use super::{HttpRefusal, UNAVAILABLE_RETRY};
use crate::Body;
use crate::http::limit::RateStatus;

/// Why an operation was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ApiError {
    MissingToken,
    InvalidToken,
    ExpiredToken,
    /// Too many requests, or too many without a valid token.
    Limited(RateStatus),
    NoSuchRoute,
    SiteNotFound,
    LocaleNotFound,
    RunNotFound,
    PageNotFound,
    PreviewNotFound,
    PreviewExpired,
    DeploymentNotFound,
    TargetNotFound,
    AuditNotFound,
    WebhookIsOff,
    SubscriptionNotFound,
    WebhookNotFound,
    DeliveryNotFound,
    SegmentNotFound,
    /// The words of a text are locked.
    SegmentLocked,
    /// The request does not say which version it is for.
    PreconditionRequired,
    /// Others changed it meanwhile: it has this version.
    Stale(String),
    /// The site has as many endpoints as it may.
    TooManyWebhooks,
    /// The site has no deployment.
    NotPublished,
    /// The configuration switches this off.
    Disabled(&'static str),
    IdempotencyConflict,
    /// The site is one of the configuration file.
    ManagedByConfig,
    /// Another site has the same URL pattern.
    UrlTaken,
    /// The configuration has no such engine.
    EngineNotFound,
    /// A run that ended cannot be stopped.
    RunIsOver,
    /// Only what a run found suspect can be accepted, and once.
    RunNotSuspect,
    /// The server's configuration cannot be used; with what is wrong, without paths.
    WrongConfiguration(String),
    /// Too many runs of the site wait already.
    QueueFull,
    /// As many as can be are there already.
    Busy(&'static str),
    MissingScope(&'static str),
    /// The token is for some sites, and this is about all of them.
    MissingSites,
    /// Fields that are wrong; at least one.
    Invalid(Vec<FieldError>),
    /// With the methods that are there.
    MethodNotAllowed(String),
    TooLarge,
    UnsupportedMediaType,
    /// The request breaks HTTP's rules or ours.
    BadRequest(&'static str),
    UriTooLong,
    HeadersTooLarge,
    LengthRequired,
    /// There is no room on the disk for what was sent; the cause is for the log.
    NoRoom(String),
    /// The state or the store does not answer now; the cause is for the log.
    Unavailable(String),
    /// Something failed on our side; the cause is for the log.
    Internal(String),
}

/// Seconds after which a run may have left a full queue.
const QUEUE_FULL_RETRY: u64 = 60;
/// Seconds after which there may be room again.
const BUSY_RETRY: u64 = 10;

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldError {
    /// Where it stands: `summary.notes`.
    pub(crate) path: String,
    /// The kind of mistake, for programs.
    pub(crate) code: &'static str,
    /// The mistake, for people.
    pub(crate) message: String,
}

/// A refusal's status, code and text.
type RefusalParts = (StatusCode, &'static str, String);

impl ApiError {
    /// The code and the text, for people who see them on a page.
    pub(crate) fn told(&self) -> (&'static str, String) {
        let (_, code, text) = self.parts();
        (code, text)
    }

    #[expect(clippy::too_many_lines, reason = "a table of errors")]
    fn parts(&self) -> RefusalParts {
        let (status, code, text) = match self {
            Self::MissingToken => (
                StatusCode::UNAUTHORIZED,
                "missing_token",
                "send a bearer token",
            ),
            Self::InvalidToken => (
                StatusCode::UNAUTHORIZED,
                "invalid_token",
                "the token is not valid here",
            ),
            Self::ExpiredToken => (
                StatusCode::UNAUTHORIZED,
                "expired_token",
                "the token has expired",
            ),
            Self::Limited(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "rate_limited",
                "too many requests; try again after Retry-After",
            ),
            Self::NoSuchRoute => (
                StatusCode::NOT_FOUND,
                "not_found",
                "there is no such operation",
            ),
            Self::SiteNotFound => (
                StatusCode::NOT_FOUND,
                "site_not_found",
                "there is no such site",
            ),
            Self::LocaleNotFound => (
                StatusCode::NOT_FOUND,
                "locale_not_found",
                "the site is not translated into this language",
            ),
            Self::WebhookNotFound => (
                StatusCode::NOT_FOUND,
                "webhook_not_found",
                "the site has no such endpoint",
            ),
            Self::PreconditionRequired => (
                StatusCode::PRECONDITION_REQUIRED,
                "precondition_required",
                "send the ETag of the version that you read as If-Match",
            ),
            Self::Stale(_) => (
                StatusCode::PRECONDITION_FAILED,
                "stale_revision",
                "the resource has changed since you read it; read it again",
            ),
            Self::SegmentNotFound => (
                StatusCode::NOT_FOUND,
                "segment_not_found",
                "the language has no such text",
            ),
            Self::SegmentLocked => (
                StatusCode::CONFLICT,
                "segment_locked",
                "the words are locked; unlock them first",
            ),
            Self::DeliveryNotFound => (
                StatusCode::NOT_FOUND,
                "delivery_not_found",
                "nothing of that name is kept for this endpoint",
            ),
            Self::TooManyWebhooks => (
                StatusCode::CONFLICT,
                "too_many_webhooks",
                "the site has ten endpoints; remove one first",
            ),
            Self::RunNotFound => (
                StatusCode::NOT_FOUND,
                "run_not_found",
                "the site has no such run",
            ),
            Self::PageNotFound => (
                StatusCode::NOT_FOUND,
                "page_not_found",
                "the site has no such page",
            ),
            Self::PreviewNotFound => (
                StatusCode::NOT_FOUND,
                "preview_not_found",
                "there is no such preview",
            ),
            Self::PreviewExpired => (
                StatusCode::GONE,
                "preview_expired",
                "the preview's time is over",
            ),
            Self::AuditNotFound => (
                StatusCode::NOT_FOUND,
                "audit_not_found",
                "the site was not audited yet",
            ),
            Self::TargetNotFound => (
                StatusCode::NOT_FOUND,
                "target_not_found",
                "the site has no such target of publishing",
            ),
            Self::DeploymentNotFound => (
                StatusCode::NOT_FOUND,
                "deployment_not_found",
                "the site keeps no such deployment",
            ),
            Self::SubscriptionNotFound => (
                StatusCode::NOT_FOUND,
                "subscription_not_found",
                "there is no subscription of this account",
            ),
            Self::NotPublished => (
                StatusCode::NOT_FOUND,
                "not_published",
                "the site has no deployment yet",
            ),
            Self::Disabled(code) => (
                StatusCode::FORBIDDEN,
                *code,
                "this is switched off in the configuration",
            ),
            Self::IdempotencyConflict => {
                let text = "the idempotency key was used for another request";
                (StatusCode::CONFLICT, "idempotency_conflict", text)
            }
            Self::ManagedByConfig => {
                let text = "this site is defined in the configuration file; change it there";
                (StatusCode::CONFLICT, "site_managed_by_config", text)
            }
            Self::UrlTaken => (
                StatusCode::CONFLICT,
                "url_taken",
                "the addresses of `url` belong to another site",
            ),
            Self::EngineNotFound => (
                StatusCode::NOT_FOUND,
                "engine_not_found",
                "the server has no such engine",
            ),
            Self::WebhookIsOff => (
                StatusCode::CONFLICT,
                "webhook_is_off",
                "the endpoint is off; switch it on first",
            ),
            Self::RunIsOver => (
                StatusCode::CONFLICT,
                "run_is_over",
                "the run is over and cannot be stopped",
            ),
            Self::RunNotSuspect => {
                let text = "the run did not find its source suspect, or that was accepted already";
                (StatusCode::CONFLICT, "run_not_suspect", text)
            }
            Self::WrongConfiguration(text) => {
                return (StatusCode::CONFLICT, "wrong_configuration", text.clone());
            }
            Self::QueueFull => (
                StatusCode::TOO_MANY_REQUESTS,
                "rate_limited",
                "too many runs of this site wait; try again later",
            ),
            Self::Busy(text) => (StatusCode::TOO_MANY_REQUESTS, "rate_limited", *text),
            Self::MissingScope(scope) => {
                return (
                    StatusCode::FORBIDDEN,
                    "missing_scope",
                    format!("the token lacks the scope {scope}"),
                );
            }
            Self::MissingSites => {
                let text = "this needs a token for all sites: one with `*` in `sites`";
                (StatusCode::FORBIDDEN, "missing_sites", text)
            }
            Self::Invalid(fields) => return invalid(fields),
            Self::MethodNotAllowed(_) => (
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "this operation has another method",
            ),
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "payload_too_large",
                "the request's body is too large",
            ),
            Self::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "send application/json",
            ),
            Self::BadRequest(text) => (StatusCode::BAD_REQUEST, "bad_request", *text),
            Self::UriTooLong => (
                StatusCode::URI_TOO_LONG,
                "uri_too_long",
                "the address is too long",
            ),
            Self::LengthRequired => (
                StatusCode::LENGTH_REQUIRED,
                "length_required",
                "a request says how long its body is",
            ),
            Self::HeadersTooLarge => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "headers_too_large",
                "the headers are too large",
            ),
            Self::NoRoom(_) => {
                let text = "there is no room to keep this; try again when there is";
                (
                    StatusCode::INSUFFICIENT_STORAGE,
                    "insufficient_storage",
                    text,
                )
            }
            Self::Unavailable(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "unavailable",
                "this cannot be done now; try again after Retry-After",
            ),
            Self::Internal(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "something failed on our side; try again",
            ),
        };
        (status, code, text.to_owned())
    }

    /// The answer that the caller gets.
    pub(crate) fn response(&self) -> Response<Body> {
        let (status, code, text) = self.parts();
        let mut details = json!({ "code": code });
        if status == StatusCode::BAD_REQUEST {
            let fields: &[FieldError] = if let Self::Invalid(fields) = self {
                fields
            } else {
                &[]
            };
            let field = |field: &FieldError| json!({ "path": field.path, "code": field.code, "message": field.message });
            details["fields"] = fields.iter().map(field).collect();
        }
        if let Self::Stale(current) = self {
            details["current"] = current.as_str().into();
        }
        let mut response = json_response(status, &json!({ "error": text, "details": details }));
        self.add_headers(response.headers_mut());
        response
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            Self::MissingToken | Self::InvalidToken | Self::ExpiredToken => {
                headers.insert(
                    WWW_AUTHENTICATE,
                    HeaderValue::from_static("Bearer error=\"invalid_token\""),
                );
            }
            Self::MissingScope(scope) => {
                let value = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
                insert(headers, WWW_AUTHENTICATE, value);
            }
            Self::MissingSites => {
                headers.insert(
                    WWW_AUTHENTICATE,
                    HeaderValue::from_static("Bearer error=\"insufficient_scope\""),
                );
            }
            Self::Limited(standing) => {
                insert(
                    headers,
                    RETRY_AFTER,
                    seconds(standing.retry).max(1).to_string(),
                );
                standing.add_headers(headers);
            }
            Self::QueueFull => insert(headers, RETRY_AFTER, QUEUE_FULL_RETRY.to_string()),
            Self::Busy(_) => insert(headers, RETRY_AFTER, BUSY_RETRY.to_string()),
            Self::NoRoom(_) | Self::Unavailable(_) => {
                insert(headers, RETRY_AFTER, UNAVAILABLE_RETRY.to_string())
            }
            Self::MethodNotAllowed(methods) => insert(headers, ALLOW, methods.clone()),
            // What follows on the connection may be the rest of this request.
            Self::BadRequest(_)
            | Self::TooLarge
            | Self::HeadersTooLarge
            | Self::LengthRequired
            | Self::UriTooLong => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Self::NoSuchRoute
            | Self::SiteNotFound
            | Self::LocaleNotFound
            | Self::RunNotFound
            | Self::PageNotFound
            | Self::PreviewNotFound
            | Self::PreviewExpired
            | Self::DeploymentNotFound
            | Self::TargetNotFound
            | Self::AuditNotFound
            | Self::SubscriptionNotFound
            | Self::WebhookNotFound
            | Self::DeliveryNotFound
            | Self::SegmentNotFound
            | Self::SegmentLocked
            | Self::PreconditionRequired
            | Self::Stale(_)
            | Self::TooManyWebhooks
            | Self::NotPublished
            | Self::Disabled(_)
            | Self::IdempotencyConflict
            | Self::ManagedByConfig
            | Self::UrlTaken
            | Self::EngineNotFound
            | Self::RunIsOver
            | Self::WebhookIsOff
            | Self::RunNotSuspect
            | Self::WrongConfiguration(_)
            | Self::Invalid(_)
            | Self::UnsupportedMediaType
            | Self::Internal(_) => {}
        }
    }
}

/// One wrong field gives the whole answer its code; several may differ.
fn invalid(fields: &[FieldError]) -> RefusalParts {
    let first = fields.first();
    let code = first.map_or("invalid_request", |field| field.code);
    let text = first.map_or_else(
        || "the request is not valid".to_owned(),
        |field| field.message.clone(),
    );
    (StatusCode::BAD_REQUEST, code, text)
}

impl RateStatus {
    /// Says how much is left.
    pub(crate) fn add_headers(self, headers: &mut HeaderMap) {
        for (name, value) in [
            ("ratelimit-limit", u64::from(self.limit)),
            ("ratelimit-remaining", u64::from(self.remaining)),
            ("ratelimit-reset", seconds(self.reset)),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
        }
    }
}

/// Whole seconds, rounded up.
fn seconds(time: std::time::Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

/// An answer in JSON.
pub(crate) fn json_response(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::from(value.to_string())));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    response
        .headers_mut()
        .insert(hyper::header::CONTENT_TYPE, kind);
    response
}

impl From<HttpRefusal> for ApiError {
    fn from(refusal: HttpRefusal) -> Self {
        match refusal {
            HttpRefusal::BadRequest(reason) => Self::BadRequest(reason),
            HttpRefusal::NotFound | HttpRefusal::Gone => Self::NoSuchRoute,
            HttpRefusal::MethodNotAllowed => Self::MethodNotAllowed(String::new()),
            HttpRefusal::UriTooLong => Self::UriTooLong,
            HttpRefusal::LengthRequired => Self::LengthRequired,
            HttpRefusal::HeadersTooLarge => Self::HeadersTooLarge,
            HttpRefusal::ContentTooLarge => Self::TooLarge,
            HttpRefusal::Unavailable => Self::Unavailable("a request could not be read".to_owned()),
            HttpRefusal::Internal => Self::Internal("a request could not be read".to_owned()),
        }
    }
}

impl From<StateError> for ApiError {
    fn from(error: StateError) -> Self {
        let cause = chain(&error);
        match error.trouble() {
            Some(DiskTrouble::NoRoom) => Self::NoRoom(cause),
            Some(DiskTrouble::Unusable) => Self::Unavailable(cause),
            None => Self::Internal(cause),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let cause = chain(&error);
        // Others who publish were faster, again and again: that passes.
        let passes = error.is_away() || matches!(error, StoreError::Overtaken { .. });
        if passes {
            Self::Unavailable(cause)
        } else {
            Self::Internal(cause)
        }
    }
}

/// Work elsewhere that panicked.
impl From<JoinError> for ApiError {
    fn from(error: JoinError) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<BuildError> for ApiError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::State(error) => error.into(),
            BuildError::Store(error) => error.into(),
            error => Self::Internal(chain(&error)),
        }
    }
}

#[cfg(test)]
mod tests;
