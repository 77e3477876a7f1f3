//! Addresses that the head of a page names.

use serde::{Deserialize, Serialize};

use super::PagePath;

/// Canonical address and language versions that the head of a page declares; not checked against the site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Claims {
    /// Canonical address; `None` if the head declares none or the page's own, so never [`Claimed::Own`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<Claimed>,
    /// Language tag and address of each declared version, which may be the page itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternates: Vec<(String, Claimed)>,
}

/// An address that a page declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claimed {
    /// The page's own, in any spelling.
    Own,
    /// A path of the site.
    Page(PagePath),
    /// An address outside of the site, in full.
    Elsewhere(String),
}

impl Claims {
    /// True if the page names no address.
    pub fn is_empty(&self) -> bool {
        self.canonical.is_none() && self.alternates.is_empty()
    }
}
