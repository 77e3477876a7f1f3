//! What comes of asking: the cost of a question before it is sent, and what became of each segment.

use serde::Serialize;

use super::super::Refusal;
use crate::page::CodedText;

/// What an engine would get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Its name in the configuration.
    pub engine: String,
    /// Texts.
    pub texts: usize,
    /// Requests.
    pub requests: u64,
    /// Characters, codes not counted.
    pub characters: u64,
}

/// What became of one segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A checked translation.
    Translated {
        /// The translation.
        text: CodedText,
        /// The fingerprint of the engine that made it.
        engine: String,
    },
    /// There is no word of the source language in it: nothing was sent, the source text stands.
    Untouched,
    /// Every engine that offers the pair failed on it.
    Refused(Refusal),
    /// No engine offers the pair; [`super::Chain::hints`] says what would.
    Unavailable,
}
