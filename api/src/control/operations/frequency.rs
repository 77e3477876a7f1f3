//! How often somebody wants to hear of something.

use pipeline::state::Frequency;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often somebody wants to hear of something, as callers say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Frequency")]
pub(super) enum FrequencyWord {
    Daily,
    Weekly,
    Off,
}

impl From<FrequencyWord> for Frequency {
    fn from(word: FrequencyWord) -> Self {
        match word {
            FrequencyWord::Daily => Self::Daily,
            FrequencyWord::Weekly => Self::Weekly,
            FrequencyWord::Off => Self::Off,
        }
    }
}

impl From<Frequency> for FrequencyWord {
    fn from(frequency: Frequency) -> Self {
        match frequency {
            Frequency::Daily => Self::Daily,
            Frequency::Weekly => Self::Weekly,
            Frequency::Off => Self::Off,
        }
    }
}
