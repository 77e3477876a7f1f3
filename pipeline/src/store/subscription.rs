//! What an account wants to be told.

use serde::{Deserialize, Serialize};

use super::Frequency;
use crate::model::SiteId;

/// An account's wish for digests. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Where digests go.
    pub email: String,
    /// How often.
    pub frequency: Frequency,
    /// The sites that the account could see when it last asked; `*` stands for all.
    #[serde(default)]
    pub sites: Vec<String>,
    /// When the account first asked.
    pub created: u64,
    /// When it last asked after it wanted none.
    #[serde(default)]
    pub wanted: u64,
    /// When it last asked.
    pub updated: u64,
}

impl Subscription {
    /// Whether it is about a site.
    pub fn sees(&self, site: &SiteId) -> bool {
        self.sites.iter().any(|known| known == "*" || known == site.as_str())
    }
}
