//! Puts a run into a site's queue, and tells whoever ordered it which one.

use pipeline::model::SiteId;
use pipeline::state::{Idempotency, OrderOutcome, RunKind, RunOrder, RunOrigin, RunRecord};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, one, schema_of_answer};
use crate::http::error::ApiError;

/// The longest key that a caller may choose.
const LONGEST_KEY: usize = 255;

/// A run that was ordered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OrderedRun {
    /// The run's id.
    pub(super) run_id: String,
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: schema_of_answer::<OrderedRun>(),
    }
}

/// Orders a run that works on the published pages of a site, such as an audit.
pub(super) async fn on_published(call: &Call<'_>, kind: RunKind) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let site = call.site()?.id.clone();
    if call.app.snapshot().published(&site).is_none() {
        return Err(ApiError::NotPublished);
    }
    let order = RunOrder::of(kind, RunOrigin::Api);
    ordered(call, &site, RunRecord::new(order, 0, call.now().to_keep())).await
}

/// Orders a run of a site in the caller's name, or joins one that waits already.
pub(super) async fn ordered(
    call: &Call<'_>,
    site: &SiteId,
    record: RunRecord,
) -> Result<Reply, ApiError> {
    let answer = |run: &RunRecord, _| {
        json!(OrderedRun {
            run_id: run.id.to_string()
        })
    };
    let value = enqueue(call, site, record, answer).await?;
    let location = format!(
        "/api/sites/{site}/runs/{}",
        value["runId"].as_str().unwrap_or_default()
    );
    Ok(Reply::ok(&value)?.accepted().at(Some(location)))
}

/// Puts a run into the queue of a site in the caller's name, or joins an equal one; gives what `answer` makes of it. A request
/// with the key of an earlier one gets that one's answer.
pub(super) async fn enqueue(
    call: &Call<'_>,
    site: &SiteId,
    record: RunRecord,
    answer: fn(&RunRecord, bool) -> Value,
) -> Result<Value, ApiError> {
    let key = idempotency_key(call)?;
    let subject = call.caller()?.subject.clone();
    let now = call.now().to_keep();
    let of = site.clone();
    let ordered = call.state(move |state| {
        let request = serde_json::to_string(&record.order).unwrap_or_default();
        let promise = key.as_deref().map(|key| Idempotency {
            subject: &subject,
            key,
            request: &request,
        });
        state.order_run(
            &of,
            record.clone().ordered_by(&subject),
            promise,
            now,
            answer,
        )
    });
    let value = match ordered.await? {
        OrderOutcome::Now(value) | OrderOutcome::Before(value) => value,
        OrderOutcome::Conflict => return Err(ApiError::IdempotencyConflict),
        OrderOutcome::Full => return Err(ApiError::QueueFull),
    };
    call.api.jobs().wake(site);
    Ok(value)
}

/// The key by which a caller says that a request is the same one again.
fn idempotency_key(call: &Call<'_>) -> Result<Option<String>, ApiError> {
    let mut sent = call.headers.get_all("idempotency-key").iter();
    let Some(key) = sent.next() else {
        return Ok(None);
    };
    let visible = |key: &&str| {
        (1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match (key.to_str().ok().filter(visible), sent.next()) {
        (Some(key), None) => Ok(Some(key.to_owned())),
        _ => Err(one(
            "Idempotency-Key",
            "invalid_value",
            "must be one text of 1 to 255 visible ASCII characters",
        )),
    }
}
