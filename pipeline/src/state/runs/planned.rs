//! What a build would send to engines, as a run counted it before anything was sent.

use serde::{Deserialize, Serialize};

use crate::engines::TokenEstimate;
use crate::model::Locale;

/// What a build would send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// Pages of the site.
    pub pages: u64,
    /// Different texts on them.
    pub texts: u64,
    /// Characters that may be sent now; `None` where nothing bounds them.
    pub characters_left: Option<u64>,
    /// The locales that would be translated.
    pub locales: Vec<PlannedLocale>,
}

/// The texts of a locale, by who has words for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedLocale {
    /// The locale.
    pub locale: Locale,
    /// Texts that people translated.
    pub people: u64,
    /// Texts that the memory has.
    pub memory: u64,
    /// Texts that engines would be asked for.
    pub new: u64,
    /// Texts among them that no engine takes.
    pub unavailable: u64,
    /// Characters that would be sent, to all engines together.
    pub characters: u64,
    /// What each engine would get.
    pub engines: Vec<PlannedEngine>,
}

/// What an engine would get.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedEngine {
    /// Its name in the configuration.
    pub engine: String,
    /// Texts.
    pub texts: u64,
    /// Requests.
    pub requests: u64,
    /// Characters.
    pub characters: u64,
    /// What they cost, in the money of `price_per_million`; `None` where nobody said a price.
    pub price: Option<f64>,
    /// Estimate of the tokens that the service would count; `None` for services that count none, and before the first
    /// build.
    pub tokens: Option<TokenEstimate>,
}

impl Planned {
    /// Characters that would be sent, in all locales together.
    pub fn characters(&self) -> u64 {
        self.locales.iter().map(|locale| locale.characters).sum()
    }
}

// A price is a number that was written in a configuration, times characters: never one that differs from itself.
impl Eq for Planned {}
