//! One answer of an origin, read within its limits.

use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderName};
use reqwest::{Response, StatusCode};
use url::Url;

use super::decode::{DecodeError, Decoder};
use super::fetch_error::FetchError;
use super::retry;
use crate::model::{AnswerHead, KnownAnswer, LinkHeader};

/// Most characters of an origin's own words in an error.
const QUOTED: usize = 200;

/// The most bytes that are kept of header lines of one name.
const MOST_OF_A_HEADER: usize = 64 << 10;

/// Cookies of one answer that are sent again.
const MOST_COOKIES: usize = 16;

/// What an origin answered to one request: a page, a file, or the address of another one.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The address that was asked for.
    pub url: Url,
    /// The status, below 400.
    pub status: u16,
    /// Where a redirect leads, resolved against [`Self::url`].
    pub location: Option<Url>,
    /// The cookies that a redirect sets, as a `Cookie` header sends them.
    pub(super) cookies: Option<String>,
    /// The media type in lower case, without parameters.
    pub content_type: Option<String>,
    /// The charset that the Content-Type header declares.
    pub charset: Option<String>,
    /// The values of the X-Robots-Tag headers.
    pub robots_tags: Vec<String>,
    /// The values of the Content-Security-Policy headers.
    pub policies: Vec<String>,
    /// The values of the Link headers (RFC 8288).
    pub links: Vec<String>,
    /// The ETag, as sent.
    pub etag: Option<String>,
    /// The Last-Modified date, as sent.
    pub last_modified: Option<String>,
    /// The Date, as sent.
    pub date: Option<String>,
    /// Whether the origin says that nothing changed since it was asked last; then there is no body.
    pub is_unchanged: bool,
    /// The body, decompressed.
    pub body: Bytes,
    /// The earlier answer that this one is, where the origin said that nothing changed since.
    pub known: Option<Box<KnownAnswer>>,
}

/// Whether an answer may be that nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// It was asked for whatever it is.
    Always,
    /// It was asked for only if it changed.
    IfChanged,
}

/// What happens to a body that is larger than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OversizePolicy {
    /// The fetch fails.
    Refuse,
    /// The first part is taken for the whole.
    Cut,
}

impl Fetched {
    /// Reads an answer; its body only where it is wanted.
    pub(super) async fn read(
        url: &Url,
        response: Response,
        (limit, excess): (usize, OversizePolicy),
        condition: Condition,
    ) -> Result<Self, FetchError> {
        let status = response.status();
        if status.is_client_error() || status.is_server_error() {
            let retry_after = retry::retry_after(response.headers());
            return Err(FetchError::Status {
                status: status.as_u16(),
                retry_after,
            });
        }
        let is_unchanged = condition == Condition::IfChanged && status == StatusCode::NOT_MODIFIED;
        let location = if status.is_redirection() && !is_unchanged {
            location(url, &response)?
        } else {
            None
        };
        let cookies = location
            .is_some()
            .then(|| cookies(&values(response.headers(), "set-cookie")))
            .flatten();
        let text = |name| header_text(response.headers(), &name);
        let (content_type, charset) = text(header::CONTENT_TYPE)
            .map(|value| media_type(&value))
            .unwrap_or_default();
        let mut fetched = Self {
            url: url.clone(),
            status: status.as_u16(),
            location,
            cookies,
            content_type,
            charset,
            robots_tags: values(response.headers(), "x-robots-tag"),
            policies: values(response.headers(), "content-security-policy"),
            links: values(response.headers(), "link"),
            etag: text(header::ETAG),
            last_modified: text(header::LAST_MODIFIED),
            date: text(header::DATE),
            is_unchanged,
            body: Bytes::new(),
            known: None,
        };
        if fetched.location.is_none() && !is_unchanged {
            fetched.body = body(response, limit, excess).await?;
        }
        Ok(fetched)
    }

    /// What was said beside the body.
    pub fn head(&self) -> AnswerHead {
        AnswerHead {
            url: self.url.to_string(),
            content_type: self.content_type.clone(),
            charset: self.charset.clone(),
            robots_tags: self.robots_tags.clone(),
            links: LinkHeader::only_naming(&self.links),
            policies: self.policies.clone(),
            etag: self.etag.clone(),
            last_modified: self.last_modified.clone(),
            date: self.date.clone(),
            silent: false,
        }
    }

    /// The answer that the origin would have sent had it not said that nothing changed since an earlier one; nothing where it
    /// means another one.
    pub fn as_known(&self, known: &KnownAnswer, body: Bytes) -> Option<Self> {
        let said = self.head();
        known.head.is_meant_by(&said).then(|| {
            let head = known.head.renewed_by(&said);
            Self::of_known(
                &self.url,
                KnownAnswer {
                    head,
                    ..known.clone()
                },
                body,
            )
        })
    }

    /// An earlier answer as the one of now.
    pub fn of_known(url: &Url, known: KnownAnswer, body: Bytes) -> Self {
        let AnswerHead {
            content_type,
            charset,
            robots_tags,
            links,
            policies,
            etag,
            last_modified,
            ..
        } = known.head.clone();
        Self {
            url: url.clone(),
            status: StatusCode::OK.as_u16(),
            location: None,
            cookies: None,
            content_type,
            charset,
            robots_tags,
            policies,
            links,
            etag,
            last_modified,
            date: None,
            is_unchanged: false,
            body,
            known: Some(Box::new(known)),
        }
    }
}

/// Names and values of cookies. Whoever keeps them for one fetch needs nothing else (RFC 6265, section 4.2).
fn cookies(set: &[String]) -> Option<String> {
    let pairs = set.iter().filter_map(|cookie| {
        cookie
            .split(';')
            .next()
            .map(str::trim)
            .filter(|pair| pair.contains('='))
    });
    let pairs: Vec<&str> = pairs.take(MOST_COOKIES).collect();
    (!pairs.is_empty()).then(|| pairs.join("; "))
}

/// The target of a redirect; a 3xx answer that names none is no answer.
fn location(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    let status = response.status();
    let Some(value) = response.headers().get(header::LOCATION) else {
        return Err(FetchError::Status {
            status: status.as_u16(),
            retry_after: None,
        });
    };
    if !matches!(
        status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    ) {
        return Err(FetchError::Status {
            status: status.as_u16(),
            retry_after: None,
        });
    }
    let text = String::from_utf8_lossy(value.as_bytes());
    let mut target = url
        .join(&text)
        .map_err(|_| FetchError::BadRedirect(text.chars().take(QUOTED).collect()))?;
    target.set_fragment(None);
    Ok(Some(target))
}

async fn body(
    mut response: Response,
    limit: usize,
    excess: OversizePolicy,
) -> Result<Bytes, FetchError> {
    let coding = coding(response.headers());
    let mut decoder = Decoder::new(&coding, limit)?;
    if excess == OversizePolicy::Refuse
        && coding.is_empty()
        && response.content_length() > Some(limit as u64)
    {
        return Err(DecodeError::TooLarge(limit).into());
    }
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| FetchError::of_request(&error))?
    {
        match decoder.push(&chunk) {
            Err(DecodeError::TooLarge(_)) if excess == OversizePolicy::Cut => {
                return Ok(decoder.cut().into());
            }
            pushed => pushed?,
        }
    }
    Ok(decoder.finish()?.into())
}

/// The content coding of an answer, as sent. Of several lines all count, as if they were one (RFC 9110, section 5.3).
pub(super) fn coding(headers: &HeaderMap) -> String {
    values(headers, "content-encoding").join(", ")
}

/// Refuses an answer in any coding, for requests that ask for none.
pub(super) fn refuse_coded(headers: &HeaderMap) -> Result<(), DecodeError> {
    match coding(headers) {
        coding if coding.trim().is_empty() || coding.trim().eq_ignore_ascii_case("identity") => {
            Ok(())
        }
        coding => Err(DecodeError::unknown(&coding)),
    }
}

/// Splits a Content-Type into the media type and its charset.
fn media_type(value: &str) -> (Option<String>, Option<String>) {
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    });
    (
        Some(essence).filter(|essence| essence.contains('/')),
        charset,
    )
}

fn values(headers: &HeaderMap, name: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut length = 0;
    for value in headers.get_all(name) {
        length += value.len();
        if length > MOST_OF_A_HEADER {
            break;
        }
        values.push(String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    values
}

fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_are_split() {
        for (value, essence, charset) in [
            ("text/html", Some("text/html"), None),
            (
                "Text/HTML; Charset=\"ISO-8859-1\"",
                Some("text/html"),
                Some("ISO-8859-1"),
            ),
            (
                "text/html;version=1; charset=utf-8 ",
                Some("text/html"),
                Some("utf-8"),
            ),
            ("text/html; charset=", Some("text/html"), None),
            ("html", None, None),
            ("", None, None),
        ] {
            let (given, label) = media_type(value);
            assert_eq!(
                (given.as_deref(), label.as_deref()),
                (essence, charset),
                "{value}"
            );
        }
    }
}
