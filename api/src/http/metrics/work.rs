//! What is counted about work in the background: runs and previews that ended.
//!
//! Labels are the words that the API uses, from closed sets: neither sites nor callers stand here, because there may be
//! any number of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pipeline::state::{PreviewCode, RunKind, RunOutcome, RunRecord};

use super::exposition::{Exposition, Histogram};

/// Upper ends of the buckets for runs, in microseconds: from a second to a day.
const BOUNDS: &[u64] = &[
    1_000_000,
    5_000_000,
    15_000_000,
    60_000_000,
    300_000_000,
    900_000_000,
    3_600_000_000,
    14_400_000_000,
    86_400_000_000,
];
const KINDS: [RunKind; 5] = [
    RunKind::Build,
    RunKind::Render,
    RunKind::Plan,
    RunKind::Publish,
    RunKind::Audit,
];
const OUTCOMES: [RunOutcome; 8] = [
    RunOutcome::Ok,
    RunOutcome::Partial,
    RunOutcome::SourceSuspect,
    RunOutcome::NothingTranslated,
    RunOutcome::OverBudget,
    RunOutcome::TimedOut,
    RunOutcome::Cancelled,
    RunOutcome::Failed,
];
/// How previews end; nothing is a page.
const PREVIEWS: [Option<PreviewCode>; 12] = [
    None,
    Some(PreviewCode::InvalidUrl),
    Some(PreviewCode::BlockedHost),
    Some(PreviewCode::DnsFailed),
    Some(PreviewCode::DnsTimeout),
    Some(PreviewCode::PageTooLarge),
    Some(PreviewCode::RenderFailed),
    Some(PreviewCode::TranslateFailed),
    Some(PreviewCode::StorageFailed),
    Some(PreviewCode::ProcessingTimeout),
    Some(PreviewCode::PreviewExpired),
    Some(PreviewCode::Unknown),
];

/// What ended since the process began.
#[derive(Debug)]
pub(super) struct WorkMetrics {
    runs: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    durations: [Histogram; KINDS.len()],
    previews: Mutex<BTreeMap<&'static str, u64>>,
}

impl Default for WorkMetrics {
    fn default() -> Self {
        let runs = KINDS
            .into_iter()
            .flat_map(|kind| OUTCOMES.map(|end| ((kind_name(kind), outcome_name(end)), 0)));
        let previews = PREVIEWS.map(|end| (preview_name(end), 0));
        let durations = KINDS.map(|_| Histogram::new(BOUNDS));
        Self {
            runs: Mutex::new(runs.collect()),
            durations,
            previews: Mutex::new(previews.into()),
        }
    }
}

impl WorkMetrics {
    /// Counts a run that ended.
    pub(super) fn run(&self, run: &RunRecord) {
        let (kind, Some(outcome)) = (run.order.kind, run.outcome()) else {
            return;
        };
        let key = (kind_name(kind), outcome_name(outcome));
        *self
            .runs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(key)
            .or_default() += 1;
        let time = run
            .started
            .zip(run.finished)
            .map(|(began, ended)| ended.since(began));
        let Some(at) = KINDS.iter().position(|known| *known == kind) else {
            return;
        };
        self.durations[at].add(time.unwrap_or_default());
    }

    /// Counts a preview that ended, without a page for a reason.
    pub(super) fn preview(&self, failure: Option<PreviewCode>) {
        let mut previews = self.previews.lock().unwrap_or_else(PoisonError::into_inner);
        *previews.entry(preview_name(failure)).or_default() += 1;
    }

    pub(super) fn write(&self, text: &mut Exposition) {
        let name = "latimer_runs_total";
        text.family(name, "counter", "Runs that were worked on and ended.");
        for ((kind, outcome), count) in self
            .runs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            text.sample(name, &[("kind", kind), ("outcome", outcome)], count);
        }
        let name = "latimer_run_duration_seconds";
        text.family(name, "histogram", "Time from a run's beginning to its end.");
        for (kind, durations) in KINDS.into_iter().zip(&self.durations) {
            text.histogram(name, &[("kind", kind_name(kind))], durations);
        }
        let name = "latimer_previews_total";
        text.family(name, "counter", "Previews that ended.");
        for (outcome, count) in self
            .previews
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            text.sample(name, &[("outcome", outcome)], count);
        }
    }
}

fn kind_name(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Build => "build",
        RunKind::Render => "render",
        RunKind::Plan => "plan",
        RunKind::Publish => "publish",
        RunKind::Audit => "audit",
    }
}

fn outcome_name(outcome: RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::Ok => "ok",
        RunOutcome::Partial => "partial",
        RunOutcome::SourceSuspect => "source_suspect",
        RunOutcome::NothingTranslated => "nothing_translated",
        RunOutcome::OverBudget => "over_budget",
        RunOutcome::TimedOut => "timed_out",
        RunOutcome::Cancelled => "cancelled",
        RunOutcome::Failed => "failed",
    }
}

fn preview_name(failure: Option<PreviewCode>) -> &'static str {
    match failure {
        None => "ready",
        Some(PreviewCode::InvalidUrl) => "invalid_url",
        Some(PreviewCode::BlockedHost) => "blocked_host",
        Some(PreviewCode::DnsFailed) => "dns_failed",
        Some(PreviewCode::DnsTimeout) => "dns_timeout",
        Some(PreviewCode::PageTooLarge) => "page_too_large",
        Some(PreviewCode::RenderFailed) => "render_failed",
        Some(PreviewCode::TranslateFailed) => "translate_failed",
        Some(PreviewCode::StorageFailed) => "storage_failed",
        Some(PreviewCode::ProcessingTimeout) => "processing_timeout",
        Some(PreviewCode::PreviewExpired) => "preview_expired",
        Some(PreviewCode::Unknown) => "unknown",
    }
}
