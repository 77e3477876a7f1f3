//! `sites.webhooks.deliveries.*`: what was brought to an endpoint, what was not, and bringing it once more.

use std::sync::LazyLock;

use pipeline::state::{AttemptRecord, DeliveryRecord, DeliveryStatus};
use pipeline::webhooks::{AttemptError, EventType};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// A message for an endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Delivery")]
pub(super) struct Item {
    /// The message, as `webhook-id` names it.
    delivery_id: String,
    #[serde(rename = "type")]
    kind: EventType,
    /// The number of what it tells of.
    sequence: u64,
    /// When that happened.
    happened_at: Time,
    status: Status,
    /// When it is tried next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<Time>,
    /// The last twenty tries, oldest first.
    attempts: Vec<Attempt>,
    /// The beginning of the last answer, at most 1 KB.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// What is sent, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// Where a delivery stands.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DeliveryState")]
enum Status {
    /// It is tried, or tried again.
    Waiting,
    /// It arrived.
    Delivered,
    /// It was tried as often as it may be.
    Failed,
    /// Its endpoint was off.
    Held,
}

/// A try.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DeliveryAttempt")]
struct Attempt {
    at: Time,
    /// The status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Why there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<AttemptError>,
    /// How long it took, in milliseconds.
    milliseconds: u64,
}

/// Since when what did not arrive is sent again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RedeliverRequest")]
struct Request {
    /// What happened before is left out; without it, all that is kept.
    #[serde(default)]
    since: Option<Time>,
}

/// How much is sent again.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RedeliverAnswer")]
struct Answer {
    deliveries: usize,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schema() -> Schema {
    schema_of_answer::<Item>()
}

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Item>>(),
    }
}

pub(super) fn schemas_of_one() -> Schemas {
    Schemas {
        answer: schema(),
        ..Schemas::default()
    }
}

pub(super) fn schemas_of_all() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let read = move |state: &pipeline::state::State| {
        let is_there = state.webhook(&site, id)?.is_some();
        is_there.then(|| state.deliveries(&site, id)).transpose()
    };
    let all = call.state(read).await?.ok_or(ApiError::WebhookNotFound)?;
    Reply::ok(
        &page
            .cut(all)
            .map(|(delivery, body)| Item::of(delivery, Some(body))),
    )
}

/// Sends a message once more.
pub(super) async fn redeliver(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let message = call.message_id()?;
    let now = call.now().to_keep();
    let put_back = move |state: &pipeline::state::State| {
        let due = state.find_delivery(&site, id, message)?;
        due.map(|due| state.redeliver(&due, now)).transpose()
    };
    refuse_off(call).await?;
    let delivery = call
        .state(put_back)
        .await?
        .flatten()
        .ok_or(ApiError::DeliveryNotFound)?;
    Ok(Reply::ok(&Item::of(delivery, None))?.accepted())
}

/// Sends again what did not arrive.
pub(super) async fn redeliver_all(call: &Call<'_>) -> Result<Reply, ApiError> {
    let Request { since } = FORM.read(&call.body)?;
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let now = call.now().to_keep();
    let since = since.map(Time::to_keep).unwrap_or_default();
    let put_back = move |state: &pipeline::state::State| {
        let is_there = state.webhook(&site, id)?.is_some();
        is_there
            .then(|| state.redeliver_since(&site, id, since, now))
            .transpose()
    };
    refuse_off(call).await?;
    let deliveries = call
        .state(put_back)
        .await?
        .ok_or(ApiError::WebhookNotFound)?;
    Ok(Reply::ok(&Answer { deliveries })?.accepted())
}

/// To an endpoint that is off nothing is sent.
async fn refuse_off(call: &Call<'_>) -> Result<(), ApiError> {
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let known = call.state(move |state| state.webhook(&site, id)).await?;
    if known.is_some_and(|known| !known.is_on()) {
        Err(ApiError::WebhookIsOff)
    } else {
        Ok(())
    }
}

/// A delivery as the API writes it, and `latimer webhooks`.
pub fn shown_delivery(delivery: DeliveryRecord, body: Option<String>) -> Value {
    serde_json::to_value(Item::of(delivery, body)).unwrap_or_default()
}

impl Item {
    pub(super) fn of(delivery: DeliveryRecord, body: Option<String>) -> Self {
        Self {
            delivery_id: delivery.id.to_string(),
            kind: delivery.kind,
            sequence: delivery.sequence,
            happened_at: Time::kept(delivery.at),
            status: match delivery.status {
                DeliveryStatus::Waiting => Status::Waiting,
                DeliveryStatus::Delivered => Status::Delivered,
                DeliveryStatus::Failed => Status::Failed,
                DeliveryStatus::Held => Status::Held,
            },
            next_attempt_at: delivery.next.map(Time::kept),
            attempts: delivery.attempts.into_iter().map(Attempt::from).collect(),
            answer: delivery.answer,
            body,
        }
    }
}

impl From<AttemptRecord> for Attempt {
    fn from(
        AttemptRecord {
            at,
            status,
            error,
            millis,
        }: AttemptRecord,
    ) -> Self {
        Self {
            at: Time::kept(at),
            status,
            error,
            milliseconds: millis,
        }
    }
}
