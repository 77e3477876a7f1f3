//! Why there is no preview: a code that whoever ordered it may see, and a reason for the operator.

use crate::net::FetchError;
use crate::state::PreviewCode;

/// Why there is no preview.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PreviewFault {
    /// The kind of failure.
    pub code: PreviewCode,
    /// The failure for the operator: it may name hosts and addresses that are nobody else's business.
    pub reason: String,
}

pub(super) fn fault(code: PreviewCode, reason: impl Into<String>) -> PreviewFault {
    PreviewFault {
        code,
        reason: reason.into(),
    }
}

/// Part of the work panicked.
pub(super) fn broken(error: tokio::task::JoinError) -> PreviewFault {
    fault(
        PreviewCode::Unknown,
        format!("a part of the preview broke off: {error}"),
    )
}

impl From<FetchError> for PreviewFault {
    fn from(error: FetchError) -> Self {
        let code = match &error {
            FetchError::Blocked(_) => PreviewCode::BlockedHost,
            FetchError::DnsFailed(_) => PreviewCode::DnsFailed,
            FetchError::DnsTimeout(_) => PreviewCode::DnsTimeout,
            FetchError::TooLarge(_) => PreviewCode::PageTooLarge,
            FetchError::Timeout { .. } => PreviewCode::ProcessingTimeout,
            FetchError::BadRedirect(_) => PreviewCode::InvalidUrl,
            FetchError::Connect(_)
            | FetchError::Status { .. }
            | FetchError::KeepsWaiting { .. }
            | FetchError::Broken(_)
            | FetchError::WrongSize { .. }
            | FetchError::TooManyRedirects(_) => PreviewCode::RenderFailed,
            FetchError::BadHeader(_) | FetchError::Client(_) | FetchError::Unwritable(_) => {
                PreviewCode::Unknown
            }
        };
        fault(code, error.to_string())
    }
}
