//! What the memory keeps of a translation.

use serde::{Deserialize, Serialize};

/// A translation that was made before and need not be paid for again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The translation, in the notation of [`crate::page::CodedText::to_markup`].
    pub text: String,
    /// The fingerprint of the engine that made it.
    pub engine: String,
    /// The text it was made from, in the same notation.
    pub source: String,
    /// Reason why the engines' answers were refused; they are not asked again in vain. The text is then empty, or has
    /// some sentences in the source language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Fingerprint of what the glossary said of the terms in the text when it was made; see [`super::Terms::signature`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
}
