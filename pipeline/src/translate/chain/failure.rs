//! Why a text has no translation, engine by engine.

use std::fmt;

use super::super::answer::AnswerFlaw;
use super::super::checks::Check;
use crate::engines::{EngineError, EngineFault};

/// Stands between what two engines said.
const THEN: &str = "; then ";

/// Why an engine gave no translation of a text.
#[derive(Clone, Debug)]
pub(super) enum TextFailure {
    /// What the engine said to it was refused.
    Answer(AnswerFlaw),
    /// The engine declines the text in every form.
    Declined(String),
    /// The engine failed on it, or on what was asked with it, and the rest of the request went well.
    Unanswered(FailureReason),
    /// The request failed that it was part of.
    Request(FailureReason),
}

impl TextFailure {
    /// An answer that was refused before it could be checked.
    pub(super) fn answer(sentence: String) -> Self {
        Self::Answer(AnswerFlaw {
            check: None,
            sentence,
        })
    }

    /// What the engine is said to have done.
    pub(super) fn into_reason(self) -> FailureReason {
        match self {
            Self::Answer(flaw) => FailureReason::Refused(flaw.to_string()),
            Self::Declined(sentence) => FailureReason::Declined(sentence),
            Self::Unanswered(reason) | Self::Request(reason) => reason,
        }
    }

    /// True if a retry would give the same answer: the source text, a changed fact, another script or a refusal. Only
    /// other settings of the engine or `latimer memory forget` bring another answer.
    pub(super) fn comes_again(&self) -> bool {
        match self {
            Self::Answer(AnswerFlaw {
                check: Some(check), ..
            }) => matches!(
                check,
                Check::Copied
                    | Check::Numbers
                    | Check::Facts
                    | Check::Aside
                    | Check::Talk
                    | Check::Script
            ),
            Self::Declined(_) => true,
            Self::Answer(AnswerFlaw { check: None, .. })
            | Self::Unanswered(_)
            | Self::Request(_) => false,
        }
    }

    /// True for an answer with other codes than the source, or with unreadable ones.
    pub(super) fn loses_codes(&self) -> bool {
        matches!(
            self,
            Self::Answer(AnswerFlaw {
                check: None | Some(Check::Markup),
                ..
            })
        )
    }
}

/// What an engine is said to have done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureReason {
    /// Its answer was refused, with the reason.
    Refused(String),
    /// It gave no answer, in words for everybody.
    Said(String),
    /// It declined the text, with these words.
    Declined(String),
    /// It failed itself.
    Failed(EngineError),
}

impl FailureReason {
    fn fault(&self) -> Option<EngineFault> {
        match self {
            Self::Refused(_) | Self::Said(_) | Self::Declined(_) => None,
            Self::Failed(error) => error.fault(),
        }
    }
}

impl fmt::Display for FailureReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(sentence) | Self::Said(sentence) => formatter.write_str(sentence),
            Self::Declined(sentence) => write!(formatter, "{sentence} [{}]", Check::Talk),
            Self::Failed(error) => error.fmt(formatter),
        }
    }
}

/// What engines said to a text, each once, in the order in which they were asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons(Vec<(String, FailureReason)>);

impl Reasons {
    /// Whether no engine was asked.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the last engine declined the text. Its sentences are then not asked for.
    pub(super) fn is_declined(&self) -> bool {
        matches!(self.0.last(), Some((_, FailureReason::Declined(_))))
    }

    /// Notes what an engine said; what it said before counts no more.
    pub(crate) fn note(&mut self, engine: &str, reason: FailureReason) {
        self.0.retain(|(other, _)| other != engine);
        self.0.push((engine.to_owned(), reason));
    }

    /// True if an engine answered and the answer was refused, or it declined the text.
    pub fn has_answer(&self) -> bool {
        self.0.iter().any(|(_, reason)| {
            matches!(
                reason,
                FailureReason::Refused(_) | FailureReason::Declined(_)
            )
        })
    }

    /// The same for callers of the API: why an engine failed may name programs, files and hosts of ours.
    pub fn for_callers(&self) -> String {
        let faults: Vec<Option<EngineFault>> =
            self.0.iter().map(|(_, reason)| reason.fault()).collect();
        let said = self
            .0
            .iter()
            .zip(&faults)
            .map(|((engine, reason), fault)| match fault {
                Some(fault) => format!("{engine}: {fault}"),
                None => format!("{engine}: {reason}"),
            });
        let advice = if faults.iter().any(Option::is_some) {
            "; run `latimer doctor`"
        } else {
            ""
        };
        said.collect::<Vec<_>>().join(THEN) + advice
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (engine, reason)) in self.0.iter().enumerate() {
            let before = if at > 0 { THEN } else { "" };
            write!(formatter, "{before}{engine}: {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_do_not_read_what_names_programs_files_and_hosts_of_ours() {
        let mut reasons = Reasons::default();
        reasons.note(
            "fx",
            FailureReason::Failed(EngineError::Absent("no model in /srv/models".into())),
        );
        reasons.note(
            "own",
            FailureReason::Failed(EngineError::Transport(
                "http://10.0.0.7:5000: refused".into(),
            )),
        );
        reasons.note(
            "open",
            FailureReason::Said("the engine is not available: a sentence [copied]".into()),
        );
        reasons.note("deepl", FailureReason::Failed(EngineError::Cut));
        assert_eq!(
            reasons.for_callers(),
            "fx: the engine is not available; then own: the engine cannot be reached; then open: the engine is not \
             available: a sentence [copied]; then deepl: the engine's answer is cut off, for it grew too long; run \
             `latimer doctor`"
        );
        assert!(
            reasons.to_string().starts_with(
                "fx: the engine is not available: no model in /srv/models; then own: "
            )
        );
    }
}
