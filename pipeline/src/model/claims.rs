//! Addresses that the head of a page names.

use serde::{Deserialize, Serialize};

use super::PagePath;

/// The addresses that the head of a page names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Claims {
    /// Its canonical address, if that is not its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<Claimed>,
    /// Tag and address of its versions in other languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternates: Vec<(String, Claimed)>,
}

/// An address that a page names.
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
