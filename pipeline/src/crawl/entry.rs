//! Addresses that a crawl fetches, and who named them.

use super::scope::FetchTarget;

/// An address to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrontierEntry {
    pub(super) target: FetchTarget,
    /// How many redirects led here.
    pub(super) hops: usize,
    /// True if the answer is sent on; a start page that the filter keeps out is only followed.
    pub(super) send: bool,
    pub(super) named_by: NamedBy,
}

/// Origin of an address, the most reliable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamedBy {
    /// A page, a style sheet, a sitemap or a redirect.
    Page,
    /// A program that counts the address from where it is itself, or from the root of the site.
    Script,
    /// A link to a page whose path alone answers nothing.
    Retry,
    /// A program that counts it from a page or a root that a crawl does not know.
    Guess,
}
