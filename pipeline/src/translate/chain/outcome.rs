//! What comes of asking: the cost of a question before it is sent, and what became of each segment.

use serde::Serialize;

use super::failure::Reasons;
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

impl Cost {
    /// Adds what the same engine would get beside it.
    pub fn add(&mut self, other: &Self) {
        self.texts += other.texts;
        self.requests += other.requests;
        self.characters += other.characters;
    }
}

/// Estimate of the requests to all engines of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// By engine, in the order in which they are tried.
    pub engines: Vec<Cost>,
    /// Texts that no engine takes.
    pub unavailable: usize,
    /// Texts that some engine would get, or that none takes.
    pub wanted: usize,
}

/// What became of one segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentOutcome {
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
    Refused(RefusedSegment),
    /// No engine offers the pair; [`super::Chain::hints`] says what would.
    Unavailable,
}

impl SegmentOutcome {
    /// True if the engines answered, be it without use.
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Translated { .. } | Self::Untouched => true,
            Self::Refused(refusal) => refusal.answered,
            Self::Unavailable => false,
        }
    }
}

/// A segment whose translation was refused or failed, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedSegment {
    /// The source text.
    pub source: String,
    /// The text with the sentences translated whose answers passed the checks (R-W6).
    pub partly: Option<CodedText>,
    /// Why there is no translation.
    pub reasons: Reasons,
    /// Whether the same engines would give the same answers again, so that asking them again is in vain.
    pub lasting: bool,
    /// Whether each engine answered, so that it was not for want of an engine.
    pub answered: bool,
}
