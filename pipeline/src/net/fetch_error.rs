//! Why a fetch failed: a stable code for machines, a sentence for people, and whether it may pass.

use std::time::Duration;

use super::address::RefusedAddress;
use super::decode::DecodeError;
use crate::causes;

/// Says why nothing was fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The address is not one that we may connect to.
    #[error("{0}")]
    Blocked(String),
    /// The host's name is unknown.
    #[error("{0}")]
    DnsFailed(String),
    /// The name server did not answer in time.
    #[error("{0}")]
    DnsTimeout(String),
    /// Nobody accepted the connection, or TLS could not be agreed on.
    #[error("the connection failed: {0}")]
    Connect(String),
    /// The origin took too long.
    #[error("{stage} did not come within {limit:?}")]
    Timeout {
        /// What was waited for.
        stage: &'static str,
        /// For how long.
        limit: Duration,
    },
    /// The body is too large, or out of proportion to its compressed form.
    #[error("the body {0}")]
    TooLarge(String),
    /// The origin answered with an error, or with a redirect to nowhere.
    #[error("the origin answered with status {status}")]
    Status {
        /// The status.
        status: u16,
        /// How long the origin asked us to wait.
        retry_after: Option<Duration>,
    },
    /// The host has asked to wait for so long that nobody waits any longer; nothing was sent.
    #[error(
        "the host answers with status {status} and keeps asking to wait, beyond {limit} s (max_retry_after)",
        limit = longest.as_secs()
    )]
    KeepsWaiting {
        /// The status of its last answer that asked for that.
        status: u16,
        /// How long it is waited for.
        longest: Duration,
    },
    /// The answer is damaged or was cut off.
    #[error("the answer is broken: {0}")]
    Broken(String),
    /// The body is not as long as it has to be.
    #[error("the body has {found} bytes instead of {wanted}")]
    WrongSize {
        /// The bytes that came or were announced.
        found: u64,
        /// The known size.
        wanted: u64,
    },
    /// The body could not be written to the disk.
    #[error("it cannot be written: {0}")]
    Unwritable(String),
    /// A redirect names something that is no address.
    #[error("the origin redirects to {0:?}, which is no address")]
    BadRedirect(String),
    /// One redirect led to the next for too long.
    #[error("more than {0} redirects follow each other")]
    TooManyRedirects(usize),
    /// A configured header line cannot be sent.
    #[error("the configured header {0:?} has a name or value that HTTP does not allow")]
    BadHeader(String),
    /// The HTTP client could not be set up.
    #[error("the HTTP client could not be set up: {0}")]
    Client(String),
}

impl FetchError {
    /// The origin says that there is no such page (404): an answer, not a mishap.
    pub const NOT_FOUND: &'static str = "not_found";
    /// The origin says that the page is gone for good (410).
    pub const GONE: &'static str = "gone";

    /// The error's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Blocked(_) => "blocked_host",
            Self::DnsFailed(_) => "dns_failed",
            Self::DnsTimeout(_) => "dns_timeout",
            Self::Connect(_) => "connect_failed",
            Self::Timeout { .. } => "timeout",
            Self::TooLarge(_) => "page_too_large",
            Self::Status { status: 404, .. } => Self::NOT_FOUND,
            Self::Status { status: 410, .. } => Self::GONE,
            Self::Status { .. } | Self::KeepsWaiting { .. } => "http_status",
            Self::Broken(_) | Self::WrongSize { .. } => "broken_response",
            Self::Unwritable(_) => "unwritable",
            Self::BadRedirect(_) => "bad_redirect",
            Self::TooManyRedirects(_) => "too_many_redirects",
            Self::BadHeader(_) => "bad_header",
            Self::Client(_) => "client_failed",
        }
    }

    /// The status that the origin answered with, where it answered with an error.
    pub fn status(&self) -> Option<u16> {
        if let Self::Status { status, .. } | Self::KeepsWaiting { status, .. } = self {
            Some(*status)
        } else {
            None
        }
    }

    /// The status of an answer that asks to wait, and for how long.
    pub(crate) fn asks_to_wait(&self) -> Option<(u16, Duration)> {
        let Self::Status {
            status,
            retry_after: Some(wait),
        } = self
        else {
            return None;
        };
        (self.may_pass() && !wait.is_zero()).then_some((*status, *wait))
    }

    /// Whether another try may succeed; what took its full time already is not given it again.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Broken(_) => true,
            Self::Status { status, .. } => matches!(status, 429 | 500 | 502 | 503 | 504),
            Self::Blocked(_)
            | Self::DnsFailed(_)
            | Self::DnsTimeout(_)
            | Self::Timeout { .. }
            | Self::TooLarge(_)
            | Self::WrongSize { .. }
            | Self::Unwritable(_)
            | Self::BadRedirect(_)
            | Self::TooManyRedirects(_)
            | Self::BadHeader(_)
            | Self::KeepsWaiting { .. }
            | Self::Client(_) => false,
        }
    }

    /// Finds out what an error of the HTTP library means; our own resolver's errors lie at its bottom.
    pub(crate) fn of_request(error: &reqwest::Error) -> Self {
        if let Some(refused) =
            causes::of(error).find_map(|cause| cause.downcast_ref::<RefusedAddress>())
        {
            return refused.clone().into();
        }
        let reason = causes::of(error)
            .last()
            .map(ToString::to_string)
            .unwrap_or_default();
        match error {
            error if error.is_connect() && error.is_timeout() => {
                Self::Connect(String::from("it took too long"))
            }
            error if error.is_connect() => Self::Connect(reason),
            _ => Self::Broken(reason),
        }
    }
}

impl From<RefusedAddress> for FetchError {
    fn from(refused: RefusedAddress) -> Self {
        let reason = refused.to_string();
        match refused {
            RefusedAddress::Scheme(_) | RefusedAddress::NoHost | RefusedAddress::Private(_) => {
                Self::Blocked(reason)
            }
            RefusedAddress::NotFound(..) => Self::DnsFailed(reason),
            RefusedAddress::Slow(..) => Self::DnsTimeout(reason),
        }
    }
}

impl From<DecodeError> for FetchError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::TooLarge(_) | DecodeError::Bomb { .. } => {
                Self::TooLarge(error.to_string())
            }
            DecodeError::Broken(_) | DecodeError::UnknownCoding(_) => {
                Self::Broken(format!("the body {error}"))
            }
        }
    }
}
