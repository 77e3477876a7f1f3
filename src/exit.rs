//! How a command ends: the exit codes that scripts may rely on, and the failure that carries one.

use std::fmt::Display;

use pipeline::state::RunOutcome;

/// The exit codes. They are part of the interface: a code never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// Everything was done.
    Done = 0,
    /// The command failed.
    Failed = 1,
    /// The arguments or the configuration are wrong; nothing was done.
    Usage = 2,
    /// `--frozen` and a translation is missing, or nothing at all could be translated.
    Untranslated = 3,
    /// The budget would be exceeded; nothing was sent.
    Budget = 4,
    /// The target cannot do or hold what the site wants; nothing was sent.
    Cannot = 5,
    /// Done, but pages failed, `max_pages` left some out, translations were refused, or a tested engine has a problem; all
    /// are listed.
    Partial = 6,
    /// Done, but the source looks wrong: what it lost stays published.
    Suspect = 7,
    /// Stopped by a signal; the next run makes good what was begun.
    Interrupted = 130,
}

impl ExitCode {
    /// Meaning of the code for the last line of a build; `None` for 0.
    pub(crate) fn meaning(self) -> Option<&'static str> {
        Some(match self {
            Self::Done => return None,
            Self::Failed => "the build failed; the last deployment stays published",
            Self::Usage => "the arguments or the configuration are wrong; nothing was done",
            Self::Untranslated => {
                "a site has no translation, or --frozen and one is missing; that site was not published"
            }
            Self::Budget => "the build would send more than allowed; nothing was sent",
            Self::Cannot => "the host cannot hold the site; nothing was sent",
            Self::Partial => {
                "published, but some pages or translations failed: see the lines above and docs/trouble.md"
            }
            Self::Suspect => "published, but the source looks wrong: what it lost stays published",
            Self::Interrupted => "interrupted; the next run makes good what was begun",
        })
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

/// A run's end says its code, over the API too.
impl From<RunOutcome> for ExitCode {
    fn from(outcome: RunOutcome) -> Self {
        match outcome {
            RunOutcome::Ok => Self::Done,
            RunOutcome::Partial => Self::Partial,
            RunOutcome::SourceSuspect => Self::Suspect,
            RunOutcome::NothingTranslated => Self::Untranslated,
            RunOutcome::OverBudget => Self::Budget,
            RunOutcome::TimedOut | RunOutcome::Cancelled | RunOutcome::Failed => Self::Failed,
        }
    }
}

/// Why a command ended early.
#[derive(Debug)]
pub(crate) struct CommandFailure {
    /// The exit code.
    pub(crate) code: ExitCode,
    /// What failed, on what, and what to do.
    pub(crate) message: String,
}

impl CommandFailure {
    /// Something did not work.
    pub(crate) fn failed(message: impl Display) -> Self {
        Self {
            code: ExitCode::Failed,
            message: message.to_string(),
        }
    }

    /// The arguments or the configuration are wrong.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self {
            code: ExitCode::Usage,
            message: message.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExitCode::{self, *};

    #[test]
    fn every_code_is_in_the_documentation() {
        let (_, rows) = include_str!("../docs/commands.md")
            .split_once("## Exit codes")
            .unwrap();
        let codes = rows
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok());
        let known: [ExitCode; 9] = [
            Done,
            Failed,
            Usage,
            Untranslated,
            Budget,
            Cannot,
            Partial,
            Suspect,
            Interrupted,
        ];
        assert_eq!(codes.collect::<Vec<u8>>(), known.map(|code| code as u8));
    }
}
