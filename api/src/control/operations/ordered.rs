//! What whoever orders a run is told.

use schemars::JsonSchema;
use serde::Serialize;

/// A run that was ordered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OrderedRun {
    /// The run's id.
    pub(super) run_id: String,
}
