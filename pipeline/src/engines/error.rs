//! Why an engine gave no answer at all.

use std::time::Duration;

use crate::model::LanguagePair;

/// Why a whole request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The key is missing or wrong.
    #[error("the engine refuses our credentials: {0}")]
    Auth(String),
    /// What was paid for is used up.
    #[error("the engine's quota is used up: {0}")]
    Quota(String),
    /// Too many requests, or too busy.
    #[error("rate-limited{}", seconds(*after))]
    Limited {
        /// How long to wait, where it says so.
        after: Option<Duration>,
    },
    /// It does not take this request; a smaller one may pass.
    #[error("the engine does not take the request: {0}")]
    Rejected(String),
    /// The model or its filter declines the texts, and would decline them again; others may pass.
    #[error("the model declines the texts: {0}")]
    Declined(String),
    /// The answer stopped before its end; that to a smaller request may not.
    #[error("the engine's answer is cut off, for it grew too long")]
    Cut,
    /// The pair of languages is not offered.
    #[error("the engine has no {pair}; {hint}")]
    Unsupported {
        /// The language of the texts, and the one wanted.
        pair: LanguagePair,
        /// What would make the pair available.
        hint: String,
    },
    /// The engine could not be reached or ended.
    #[error("{fault}: {0}", fault = EngineFault::Unreached)]
    Transport(String),
    /// The answer makes no sense.
    #[error("the engine's answer makes no sense: {0}")]
    Bad(String),
    /// It is not installed, not built in, or was given up.
    #[error("{fault}: {0}", fault = EngineFault::Absent)]
    Absent(String),
    /// No answer in time.
    #[error("no answer within {} s", .0.as_secs())]
    Deadline(Duration),
}

/// What is wrong with an engine for reasons that name programs, files and hosts of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// It is not there.
    #[error("the engine is not available")]
    Absent,
    /// It does not answer.
    #[error("the engine cannot be reached")]
    Unreached,
}

impl EngineError {
    /// What callers of the API read instead of the reason, where that is only for the log.
    pub fn fault(&self) -> Option<EngineFault> {
        match self {
            Self::Absent(_) => Some(EngineFault::Absent),
            Self::Transport(_) => Some(EngineFault::Unreached),
            Self::Auth(_)
            | Self::Quota(_)
            | Self::Limited { .. }
            | Self::Rejected(_)
            | Self::Declined(_)
            | Self::Cut
            | Self::Unsupported { .. }
            | Self::Bad(_)
            | Self::Deadline(_) => None,
        }
    }
}

fn seconds(after: Option<Duration>) -> String {
    after
        .map(|after| format!("; retry after {} s", after.as_secs()))
        .unwrap_or_default()
}
