//! Refusals and their status codes: the only place that knows which refusal has which status.
//!
//! The reader's text is short and says nothing about causes; those go to the log.

mod api;

pub(crate) use api::{ApiError, FieldError, json_response};

use http_body_util::{Either, Full};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};

use crate::Body;

/// Why a request gets no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HttpRefusal {
    /// The request breaks HTTP's rules, or a rule that keeps proxies and us of one mind.
    BadRequest(&'static str),
    /// There is nothing at this address.
    NotFound,
    /// There is nothing at this address any more, or not in this language.
    Gone,
    /// Pages are read only.
    MethodNotAllowed,
    /// The address is longer than any page's.
    UriTooLong,
    /// The body comes in chunks.
    LengthRequired,
    /// The headers are larger than any that a browser sends.
    HeadersTooLarge,
    /// A request for a page has no body.
    ContentTooLarge,
    /// What is needed for the answer cannot be read now.
    Unavailable,
    /// Something failed on our side.
    Internal,
}

/// Seconds after which a store may answer again.
const UNAVAILABLE_RETRY: u8 = 5;

impl HttpRefusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Gone => StatusCode::GONE,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::LengthRequired => StatusCode::LENGTH_REQUIRED,
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::ContentTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::BadRequest(reason) => reason,
            Self::NotFound => "there is no page at this address",
            Self::Gone => "there is no page at this address any more",
            Self::MethodNotAllowed => "pages can only be read",
            Self::UriTooLong => "the address is too long",
            Self::LengthRequired => "a request says how long its body is; chunks are not taken",
            Self::HeadersTooLarge => "the headers are too large",
            Self::ContentTooLarge => "a request for a page has no body",
            Self::Unavailable => "this cannot be read now; try again in a few seconds",
            Self::Internal => "something failed on our side; try again",
        }
    }

    /// The answer a reader gets.
    pub(crate) fn response(self) -> Response<Body> {
        let mut response = Response::new(Either::Left(Full::from(format!("{}\n", self.text()))));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        );
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let cache = match self {
            Self::NotFound | Self::Gone => "public, max-age=60",
            Self::BadRequest(_)
            | Self::MethodNotAllowed
            | Self::UriTooLong
            | Self::LengthRequired
            | Self::HeadersTooLarge
            | Self::ContentTooLarge
            | Self::Unavailable
            | Self::Internal => "no-store",
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        match self {
            Self::MethodNotAllowed => {
                drop(headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD")))
            }
            // What follows on the connection may be the rest of this request.
            Self::BadRequest(_)
            | Self::ContentTooLarge
            | Self::LengthRequired
            | Self::HeadersTooLarge
            | Self::UriTooLong => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Self::Unavailable => {
                drop(headers.insert(RETRY_AFTER, HeaderValue::from(u16::from(UNAVAILABLE_RETRY))))
            }
            Self::NotFound | Self::Gone | Self::Internal => {}
        }
        response
    }
}
