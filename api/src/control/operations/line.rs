//! What there is to know of an operation.

use std::future::ready;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Call, Reply, Schemas};
use crate::http::error::ApiError;

/// The scope that shows prices and all engines.
pub(super) const ADMIN_READ: &str = "admin:read";

/// Which bucket a request is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// Reading, by caller.
    Read,
    /// Writing, by caller.
    Write,
    /// Crawling and translating, by site.
    Crawl,
    /// Saving translations, by caller.
    Edit,
    /// Ordering previews, by caller.
    Preview,
    /// Looking at previews, by caller.
    PreviewStatus,
    /// Beginning to follow something, by caller.
    Stream,
}

/// What opens an operation beside a bearer token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Nothing,
    /// A configured token that may order previews.
    Preview,
    /// The token of the preview itself, or the configured one for all of them.
    PreviewStatus,
}

impl Key {
    /// The header it comes in.
    pub(crate) fn header(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Preview => Some("x-preview-token"),
            Self::PreviewStatus => Some("x-preview-status-token"),
        }
    }
}

/// How a request says which version its caller read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Nowhere,
    /// In `If-Match`, without which the answer is 428.
    Header,
    /// In a field of the body that may be absent.
    Field,
}

/// What does an operation.
pub(crate) type Run = for<'a> fn(&'a Call<'a>) -> BoxFuture<'a, Result<Reply, ApiError>>;

/// A line of the table of operations.
#[derive(Debug)]
pub(crate) struct Line {
    /// Does it.
    pub(crate) run: Run,
    /// What it takes and gives.
    pub(crate) schemas: fn() -> Schemas,
    /// The heading under which the document has it.
    pub(crate) tag: &'static str,
    /// The operation's name in the contract.
    pub(crate) id: &'static str,
    pub(crate) method: &'static str,
    /// The path; what stands in braces is any one segment.
    pub(crate) path: &'static str,
    /// Whether everybody may, also without a token.
    pub(crate) is_public: bool,
    /// The scope that a token needs; without one, any token does.
    pub(crate) scope: Option<&'static str>,
    /// Another scope that does as well.
    pub(crate) or_scope: Option<&'static str>,
    /// Whether the token must be for all sites.
    pub(crate) all_sites: bool,
    /// What does instead of a bearer token.
    pub(crate) key: Key,
    pub(crate) rate: Rate,
    /// Accepts an `Idempotency-Key`.
    pub(crate) takes_key: bool,
    /// The status when it worked.
    pub(crate) status: u16,
    /// Whether the answer may say where what it began can be watched.
    pub(crate) gives_location: bool,
    /// Whether the answer is a stream of events.
    pub(crate) streams: bool,
    /// The largest body that is taken, in bytes; 0 where there is none.
    pub(crate) largest_body: usize,
    /// Whether it takes parameters in the address although it does more than read.
    pub(crate) takes_query: bool,
    /// What a request may be in conflict with.
    pub(crate) conflict: Option<&'static str>,
    /// How a request says which version its caller read.
    pub(crate) version: Version,
    /// Can answer 404 although the path has no parameters.
    pub(crate) may_be_absent: bool,
    /// Whether the site in the path may be new.
    pub(crate) makes_site: bool,
    /// Whether it orders a crawl, which the configuration may forbid.
    pub(crate) crawls: bool,
    pub(crate) summary: &'static str,
}

/// What most lines have.
pub(super) const READ: Line = Line {
    run: |_| ready(Err(ApiError::NoSuchRoute)).boxed(),
    schemas: Schemas::default,
    tag: "",
    id: "",
    method: "GET",
    path: "",
    is_public: false,
    scope: Some("sites:read"),
    or_scope: None,
    all_sites: false,
    key: Key::Nothing,
    rate: Rate::Read,
    takes_key: false,
    status: 200,
    gives_location: false,
    streams: false,
    largest_body: 1 << 20,
    takes_query: false,
    conflict: None,
    version: Version::Nowhere,
    may_be_absent: false,
    makes_site: false,
    crawls: false,
    summary: "",
};
pub(super) const WRITE: Line = Line {
    rate: Rate::Write,
    ..READ
};
