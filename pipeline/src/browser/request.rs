//! What a page asks for, and who answers.

use std::future::Future;

use bytes::Bytes;
use serde::Deserialize;
use url::Url;

/// Who has the bytes of a site.
pub(crate) trait PageOrigin: Sync {
    /// Whether an address is the site's own.
    fn has(&self, url: &Url) -> bool;

    /// What an address holds; `None` where the page may not have it.
    fn get(&self, url: &Url) -> impl Future<Output = Option<OriginAnswer>> + Send;
}

/// What an address holds.
#[derive(Clone, Debug)]
pub(crate) struct OriginAnswer {
    pub(crate) status: u16,
    /// The media type, with its charset.
    pub(crate) content_type: String,
    /// Where a redirect leads.
    pub(crate) location: Option<String>,
    pub(crate) body: Bytes,
}

/// A request that stopped in the browser (`Fetch.requestPaused`).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Paused {
    pub(super) request_id: String,
    #[serde(default)]
    pub(super) frame_id: String,
    pub(super) request: PausedRequest,
    #[serde(default)]
    pub(super) resource_type: String,
}

#[derive(Deserialize)]
pub(super) struct PausedRequest {
    pub(super) url: String,
    pub(super) method: String,
}

impl Paused {
    /// Whether what comes decides which words the page has: another version of it may have others.
    pub(super) fn decides(&self) -> bool {
        matches!(
            self.resource_type.as_str(),
            "Script" | "Fetch" | "XHR" | "Other"
        )
    }

    /// Whether it is a page, or a frame of one.
    pub(super) fn is_document(&self) -> bool {
        self.resource_type == "Document"
    }

    /// Whether words do not depend on it: it is not fetched.
    pub(super) fn is_idle(&self) -> bool {
        matches!(
            self.resource_type.as_str(),
            "Media" | "Font" | "Ping" | "Prefetch" | "CSPViolationReport"
        )
    }
}
