//! The body of a request: read to its end, but no more than is taken and for no longer than it may take.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::HeaderMap;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE};

use crate::http::error::ApiError;

/// How long a body may take to arrive.
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Reads a body in JSON.
pub(in crate::control) async fn read<B>(
    headers: &HeaderMap,
    body: B,
    largest: usize,
) -> Result<Bytes, ApiError>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if largest == 0
        && headers
            .get(CONTENT_LENGTH)
            .is_none_or(|length| length == "0")
    {
        return Ok(Bytes::new());
    }
    let length = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > largest as u64) {
        return Err(ApiError::TooLarge);
    }
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    if !kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case("application/json")
    {
        return Err(ApiError::UnsupportedMediaType);
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, largest).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(ApiError::TooLarge),
        Ok(Err(_)) => Err(ApiError::BadRequest("the body broke off")),
        Err(_) => Err(ApiError::BadRequest("the body did not arrive in time")),
    }
}
