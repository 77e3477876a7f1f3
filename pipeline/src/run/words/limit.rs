//! The most that a run may send to engines.

use serde::Serialize;

/// The most that may be sent to engines, in characters, and why no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendLimit {
    /// Characters.
    pub left: u64,
    /// The rule, as the end of a sentence.
    pub because: String,
}
