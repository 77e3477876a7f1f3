//! Addresses on the web, as settings have them.

use url::Url;

/// An address on the web without query or fragment.
pub(super) fn web_address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    is_plain.then_some(url)
}
