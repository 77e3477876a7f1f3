//! `sites.webhooks.*`: the endpoints that a site's owner has told of what happens.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pipeline::run::tell_deployments;
use pipeline::state::{Due, WebhookRecord, WebhookSettings};
use pipeline::webhooks::{DisabledBecause, EventType, WebhookEvent, WebhookId, WebhookTest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::deliveries::{self, Item as Delivery};
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// What the owner says of an endpoint.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "WebhookRequest")]
struct Request {
    /// Where messages go: an `https` address.
    #[schemars(length(min = 1, max = 2000), extend("format" = "uri"))]
    url: String,
    /// What it is, for people.
    #[serde(default)]
    #[schemars(length(max = 200))]
    description: Option<String>,
    /// Event types to deliver; all if absent.
    #[serde(default)]
    #[schemars(length(max = 12))]
    events: Option<BTreeSet<EventType>>,
    /// Whether it is told of anything; true where nothing is said.
    #[serde(default)]
    enabled: Option<bool>,
}

/// An endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Webhook")]
struct Item {
    webhook_id: String,
    url: String,
    description: String,
    /// Event types to deliver; an empty list means all.
    events: BTreeSet<EventType>,
    /// What the owner says.
    enabled: bool,
    status: Status,
    created_at: Time,
    updated_at: Time,
    /// When a message last arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_success_at: Option<Time>,
    /// The first try that failed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<Time>,
    /// Since when it gets nothing although nobody switched it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_at: Option<Time>,
    /// What messages are signed with; given out when the endpoint is added and when the secret is replaced, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

/// Whether an endpoint is told of anything.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WebhookStatus")]
enum Status {
    /// It is.
    Active,
    /// The owner switched it off.
    Off,
    /// It answered 410. Putting it with `enabled` switches it on again.
    Gone,
    /// Nothing succeeded for five days. Putting it with `enabled` switches it on again.
    Failing,
}

/// The endpoints of a site.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Webhooks")]
struct All {
    /// At most ten.
    items: Vec<Item>,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        answer: schema_of_answer::<All>(),
        ..Schemas::default()
    }
}

pub(super) fn schemas_of_one() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Item>(),
        ..Schemas::default()
    }
}

pub(super) fn schemas_of_put() -> Schemas {
    Schemas {
        body: Some(FORM.schema().clone()),
        ..schemas_of_one()
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?.id.clone();
    let all = call.state(move |state| state.webhooks(&site)).await?;
    Reply::ok(&All {
        items: all
            .into_iter()
            .map(|(id, record)| item(id, record))
            .collect(),
    })
}

pub(super) async fn create(call: &Call<'_>) -> Result<Reply, ApiError> {
    let settings = settings(call)?;
    let site = call.site()?.id.clone();
    let now = call.now().to_keep();
    // What readers got before is no news for it.
    tell_deployments(call.api.jobs().stores(), &site).await?;
    let of = site.clone();
    let added = call
        .state(move |state| state.add_webhook(&of, settings, now))
        .await?;
    let (id, record) = added.ok_or(ApiError::TooManyWebhooks)?;
    let secret = Some(record.secret.reveal());
    let location = format!("/api/sites/{site}/webhooks/{id}");
    Ok(Reply::ok(&Item {
        secret,
        ..item(id, record)
    })?
    .created()
    .at(Some(location)))
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let record = call.state(move |state| state.webhook(&site, id)).await?;
    Reply::ok(&item(id, record.ok_or(ApiError::WebhookNotFound)?))
}

pub(super) async fn put(call: &Call<'_>) -> Result<Reply, ApiError> {
    let settings = settings(call)?;
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let now = call.now().to_keep();
    let record = call
        .state(move |state| state.change_webhook(&site, id, &settings, now))
        .await?;
    Reply::ok(&item(id, record.ok_or(ApiError::WebhookNotFound)?))
}

pub(super) async fn delete(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    match call
        .state(move |state| state.remove_webhook(&site, id))
        .await?
    {
        true => Ok(Reply::nothing()),
        false => Err(ApiError::WebhookNotFound),
    }
}

/// Replaces the secret; the one before signs too for a day.
pub(super) async fn rotate(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let now = call.now().to_keep();
    let record = call
        .state(move |state| state.rotate_secret(&site, id, now))
        .await?;
    let record = record.ok_or(ApiError::WebhookNotFound)?;
    let secret = Some(record.secret.reveal());
    Reply::ok(&Item {
        secret,
        ..item(id, record)
    })
}

/// Sends a test at once, whether the endpoint is on or off, and says how that went.
pub(super) async fn test(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?.id.clone();
    let id = call.webhook_id()?;
    let now = call.now().to_keep();
    let event = WebhookEvent::WebhookTest(WebhookTest {
        webhook_id: id.to_string(),
    });
    let of = site.clone();
    let told = call
        .state(move |state| state.tell_one(&of, id, &event, now))
        .await?;
    let ordinal = told.ok_or(ApiError::WebhookNotFound)?;
    let ended = call
        .api
        .webhooks()
        .attempt(&Due {
            site,
            webhook: id,
            ordinal,
        })
        .await?;
    let ended = ended.ok_or(ApiError::WebhookNotFound)?;
    Reply::ok(&Delivery::of(ended.delivery, None))
}

pub(super) fn schemas_of_test() -> Schemas {
    Schemas {
        answer: deliveries::schema(),
        ..Schemas::default()
    }
}

/// What the caller says of an endpoint.
fn settings(call: &Call<'_>) -> Result<WebhookSettings, ApiError> {
    let request = FORM.read(&call.body)?;
    let refused = |text: &str| one("url", "invalid_url", text);
    let url = Url::parse(&request.url)
        .map_err(|_| refused("is no address such as https://example.com/hooks"))?;
    call.api.webhooks().sender().accept(&url).map_err(refused)?;
    Ok(WebhookSettings {
        url: url.to_string(),
        description: request.description.unwrap_or_default(),
        events: request.events.unwrap_or_default(),
        enabled: request.enabled.unwrap_or(true),
    })
}

/// An endpoint as the API writes it, and `latimer webhooks`.
pub fn shown_webhook(id: WebhookId, record: WebhookRecord, secret: Option<String>) -> Value {
    serde_json::to_value(Item {
        secret,
        ..item(id, record)
    })
    .unwrap_or_default()
}

fn item(id: WebhookId, record: WebhookRecord) -> Item {
    let status = match record.stopped.map(|stopped| stopped.because) {
        _ if !record.settings.enabled => Status::Off,
        Some(DisabledBecause::Gone) => Status::Gone,
        Some(DisabledBecause::Failing) => Status::Failing,
        None => Status::Active,
    };
    let WebhookSettings {
        url,
        description,
        events,
        enabled,
    } = record.settings;
    Item {
        webhook_id: id.to_string(),
        url,
        description,
        events,
        enabled,
        status,
        created_at: Time::kept(record.created),
        updated_at: Time::kept(record.updated),
        last_success_at: record.last_success.map(Time::kept),
        failing_since: record.failing_since.map(Time::kept),
        stopped_at: record.stopped.map(|stopped| Time::kept(stopped.at)),
        secret: None,
    }
}
