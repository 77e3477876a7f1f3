//! Why a text has no translation, engine by engine.

use std::fmt;

use super::super::answer::Flaw;
use super::super::checks::Check;

/// Why an engine gave no translation of a text.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// What the engine said to it was refused.
    Answer(Flaw),
    /// The engine failed on it, or on what was asked with it, and the rest of the request went well.
    Unanswered(String),
    /// The request failed that it was part of.
    Request(String),
}

impl Failure {
    /// An answer that was refused before it could be checked.
    pub(super) fn answer(sentence: String) -> Self {
        Self::Answer(Flaw { check: None, sentence })
    }

    /// Whether the engine gave back what it got.
    pub(super) fn is_copy(&self) -> bool {
        matches!(self, Self::Answer(Flaw { check: Some(Check::Copied), .. }))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(flaw) => flaw.fmt(formatter),
            Self::Unanswered(reason) | Self::Request(reason) => formatter.write_str(reason),
        }
    }
}

/// What engines said to a text, each once, in the order in which they were asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Reasons(Vec<(String, String)>);

impl Reasons {
    /// Whether no engine was asked.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes what an engine said; what it said before counts no more.
    pub(super) fn note(&mut self, engine: &str, reason: String) {
        self.0.retain(|(other, _)| other != engine);
        self.0.push((engine.to_owned(), reason));
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (engine, reason)) in self.0.iter().enumerate() {
            let before = if at > 0 { "; then " } else { "" };
            write!(formatter, "{before}{engine}: {reason}")?;
        }
        Ok(())
    }
}
