//! What an account wants to be told.

use serde::{Deserialize, Serialize};

use super::Frequency;
use crate::model::{Moment, SiteId};

/// An account's wish for digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestSubscription {
    /// Where digests go.
    pub email: String,
    /// How often.
    pub frequency: Frequency,
    /// The sites that the account could see when it last asked; `*` stands for all.
    #[serde(default)]
    pub sites: Vec<String>,
    /// When the account first asked.
    pub created: Moment,
    /// When it last asked after it wanted none.
    #[serde(default)]
    pub wanted: Moment,
    /// When it last asked.
    pub updated: Moment,
}

impl DigestSubscription {
    /// Whether it is about a site.
    pub fn sees(&self, site: &SiteId) -> bool {
        self.sites
            .iter()
            .any(|known| known == "*" || known == site.as_str())
    }
}
