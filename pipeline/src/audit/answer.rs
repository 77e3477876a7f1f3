//! What is found at an address of the site that is audited.

use url::Url;

/// What is found at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AuditAnswer {
    /// The page with that index.
    Page(usize),
    /// Something that is no page.
    File,
    /// It leads elsewhere.
    Redirect(Url),
    /// There is nothing.
    Missing,
    /// It was not looked at.
    Unknown,
}
