//! What is said of runs: to the operator, and to whoever looks at one that ended before its work did.

use std::time::Duration;

use pipeline::causes::chain;
use pipeline::model::SiteId;
use pipeline::state::{RunFailure, RunRecord, Stage};

pub(super) fn stuck(site: &SiteId, error: &(dyn std::error::Error + 'static)) {
    tracing::error!(
        "runs of {site} cannot go on, they are tried again: {}",
        chain(error)
    );
}

/// The word for how a run ended, as callers of the API get it.
pub(super) fn end_of(run: &RunRecord) -> String {
    let word = run
        .outcome()
        .and_then(|outcome| serde_json::to_value(outcome).ok());
    word.and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A time as the configuration writes it.
pub(super) struct ConfigDuration(pub(super) Duration);

impl std::fmt::Display for ConfigDuration {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.as_secs() {
            hours if hours % 3600 == 0 => write!(formatter, "{}h", hours / 3600),
            minutes if minutes % 60 == 0 => write!(formatter, "{}m", minutes / 60),
            seconds => write!(formatter, "{seconds}s"),
        }
    }
}

pub(super) fn timed_out(longest: Duration) -> RunFailure {
    let message = format!(
        "the run took longer than {}, the longest time for a run of this site; what was translated is kept, and the \
         next run goes on from there",
        ConfigDuration(longest)
    );
    RunFailure::of_site(Stage::Publish, "timed_out", message)
}

pub(super) fn broke_off() -> RunFailure {
    let message = "something failed on our side; the log has the cause".to_owned();
    RunFailure::of_site(Stage::Publish, "internal", message)
}
