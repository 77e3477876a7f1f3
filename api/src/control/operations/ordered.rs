//! Puts a run into a site's queue, and tells whoever ordered it which one.

use pipeline::model::SiteId;
use pipeline::store::{Ordered, RunRecord};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Call, Reply};
use crate::http::error::ApiError;

/// A run that was ordered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OrderedRun {
    /// The run's id.
    pub(super) run_id: String,
}

/// Orders a run of a site in the caller's name, or joins one that waits already.
pub(super) async fn ordered(call: &Call<'_>, site: &SiteId, record: RunRecord) -> Result<Reply, ApiError> {
    let record = record.ordered_by(&call.caller()?.subject);
    let (of, now) = (site.clone(), call.now().to_keep());
    let answer = |run: &RunRecord, _| json!(OrderedRun { run_id: run.id.to_string() });
    let value = match call.state(move |state| state.order_run(&of, record, None, now, answer)).await? {
        Ordered::Now(value) | Ordered::Before(value) => value,
        Ordered::Conflict => return Err(ApiError::IdempotencyConflict),
        Ordered::Full => return Err(ApiError::QueueFull),
    };
    call.api.jobs().wake(site);
    let location = format!("/api/sites/{site}/runs/{}", value["runId"].as_str().unwrap_or_default());
    Ok(Reply::ok(&value)?.accepted().at(Some(location)))
}
