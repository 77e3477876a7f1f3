//! `sites.publish.trigger`: puts a run into the queue that brings the newest deployment to a host.

use pipeline::store::{Ordered, RunOrder, RunRecord};
use serde_json::json;

use super::ordered::OrderedRun;
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

pub(super) fn schemas() -> Schemas {
    Schemas { query: None, body: None, answer: schema_of_answer::<OrderedRun>() }
}

pub(super) async fn trigger(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let (site, target) = (call.site()?.id.clone(), call.target()?);
    if call.api.jobs().target(&site, &target.to_string()).is_none() {
        return Err(ApiError::TargetNotFound);
    }
    let now = call.now().to_keep();
    let order = RunOrder::publishing(target.to_string());
    let record = RunRecord::new(order, 0, now).ordered_by(&call.caller()?.subject);
    let answer = |run: &RunRecord, _| json!(OrderedRun { run_id: run.id.to_string() });
    let of = site.clone();
    let value = match call.state(move |state| state.order_run(&of, record, None, now, answer)).await? {
        Ordered::Now(value) | Ordered::Before(value) => value,
        Ordered::Conflict => return Err(ApiError::IdempotencyConflict),
        Ordered::Full => return Err(ApiError::QueueFull),
    };
    call.api.jobs().wake(&site);
    let location = format!("/api/sites/{site}/runs/{}", value["runId"].as_str().unwrap_or_default());
    Ok(Reply::ok(&value)?.accepted().at(Some(location)))
}
