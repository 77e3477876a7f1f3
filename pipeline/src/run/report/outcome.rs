//! How a run ended: the one place that decides it, for exit codes and for callers of the API.

use super::build_report::{LocaleReport, Report};
use crate::counted::counted;
use crate::run::error::BuildError;
use crate::state::{RunKind, RunOutcome, RunWarning};

impl Report {
    /// How the run ended that made this report. A render is judged by its pages alone: which words are missing was said
    /// by the builds before it.
    pub fn outcome_of(&self, kind: RunKind) -> RunOutcome {
        match kind {
            RunKind::Render if self.failures.is_empty() && self.broken_words.is_empty() => {
                RunOutcome::Ok
            }
            RunKind::Render => RunOutcome::Partial,
            RunKind::Build if self.is_untranslated() && !self.is_source_alone => {
                RunOutcome::NothingTranslated
            }
            RunKind::Build if self.source_suspect.is_some() => RunOutcome::SourceSuspect,
            RunKind::Build if self.is_partial() => RunOutcome::Partial,
            RunKind::Build => RunOutcome::Ok,
            RunKind::Plan if self.failures.is_empty() && self.broken_words.is_empty() => {
                RunOutcome::Ok
            }
            RunKind::Plan => RunOutcome::Partial,
            RunKind::Publish | RunKind::Audit => RunOutcome::Ok,
        }
    }

    /// What its owner should know of it; callers of the API read this, so it names no file of this machine.
    pub(in crate::run) fn warnings_of(&self, kind: RunKind) -> Vec<RunWarning> {
        let mut warnings: Vec<RunWarning> = self
            .absent_engines
            .iter()
            .map(|name| absent(name))
            .collect();
        warnings.extend(
            self.source_suspect
                .as_ref()
                .map(|suspect| RunWarning::of_site("source_suspect", suspect.message())),
        );
        if self.truncated {
            let message = "not every page was taken: there are more than max_pages".to_owned();
            warnings.push(RunWarning::of_site("max_pages", message));
        }
        if !self.failures.is_empty() {
            let message = format!(
                "pages and files that could not be fetched: {} (see `failures`)",
                self.failures.len()
            );
            warnings.push(RunWarning::of_site("pages_failed", message));
        }
        if kind == RunKind::Build {
            self.locales
                .iter()
                .for_each(|locale| warn_of(locale, &mut warnings));
        }
        warnings
    }
}

fn absent(engine: &str) -> RunWarning {
    let message =
        format!("engine {engine} could not be started; the log and `latimer doctor` say why");
    RunWarning::of_site("engine_absent", message)
}

fn warn_of(report: &LocaleReport, warnings: &mut Vec<RunWarning>) {
    let words = &report.words;
    let mut warn = |code: &str, message: String| {
        warnings.push(RunWarning::of_locale(code, &report.locale, message))
    };
    if words.wanted() > 0 && words.translated() == 0 {
        warn(
            "nothing_translated",
            format!("none of {} is translated", counted(words.wanted(), "word")),
        );
    }
    if report.unavailable > 0 {
        let message = format!(
            "in the source language, because no engine took them: {}",
            counted(report.unavailable, "segment")
        );
        warn("no_engine", message);
    }
    if !report.refused.is_empty() {
        let message = format!(
            "refused: {} (see `failures`)",
            counted(report.refusals, "translation")
        );
        warn("translations_refused", message);
    }
    if !report.kept_pages.is_empty() {
        let message = format!(
            "published in an older version: {}",
            counted(report.kept_pages.len(), "page")
        );
        warn("pages_kept", message);
    }
}

impl BuildError {
    /// How a run ended that this error ended.
    pub fn outcome(&self) -> RunOutcome {
        match self {
            Self::Budget { .. } => RunOutcome::OverBudget,
            Self::Frozen { .. } => RunOutcome::NothingTranslated,
            Self::Crawl(_)
            | Self::Store(_)
            | Self::State(_)
            | Self::Po(_)
            | Self::MemoryLines(_)
            | Self::Slugs(_)
            | Self::Glossary(_)
            | Self::Template(_)
            | Self::NothingStored
            | Self::SharedAddress { .. }
            | Self::Headers { .. }
            | Self::NoFolder { .. }
            | Self::Overtaken { .. }
            | Self::RolledBack { .. }
            | Self::Target(_)
            | Self::Audit(_)
            | Self::Broken(_) => RunOutcome::Failed,
        }
    }

    /// Whether a file that the configuration names is wrong, so that nothing was done.
    pub fn is_of_configuration(&self) -> bool {
        match self {
            Self::Po(_)
            | Self::MemoryLines(_)
            | Self::Slugs(_)
            | Self::Glossary(_)
            | Self::Headers { .. }
            | Self::NoFolder { .. }
            | Self::Template(_) => true,
            Self::Crawl(_)
            | Self::Store(_)
            | Self::State(_)
            | Self::Frozen { .. }
            | Self::Budget { .. }
            | Self::NothingStored
            | Self::SharedAddress { .. }
            | Self::Overtaken { .. }
            | Self::RolledBack { .. }
            | Self::Target(_)
            | Self::Audit(_)
            | Self::Broken(_) => false,
        }
    }
}
