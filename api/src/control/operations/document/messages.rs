//! What endpoints of webhooks are sent, as the document shows it: the types that bodies are made of.

use pipeline::webhooks::{
    BudgetExceeded, Deployed, EventType, LocaleSwitched, PreviewEnded, ReviewNeeded, RunEnded,
    Suspect, Told, WebhookDisabled, WebhookTest,
};
use schemars::Schema;
use serde_json::{Map, Value, json};

use super::components::Components;
use crate::control::form::schema_of_message;

/// The messages by their types, each with the schema of its body.
pub(super) fn write(components: &mut Components) -> Value {
    let mut messages = Map::new();
    for kind in EventType::ALL {
        let (mut schema, text) = said(kind);
        schema.insert("title".to_owned(), json!(title(kind)));
        if let Some(of_type) = schema.pointer_mut("/properties/type") {
            *of_type = json!({ "type": "string", "enum": [kind.as_str()] });
        }
        let schema = components.take(schema);
        let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        let headers = headers.map(|name| {
            json!({ "name": name, "in": "header", "required": true, "schema": { "type": "string" },
                    "description": "As Standard Webhooks 1.0 has it." })
        });
        let post = json!({
            "summary": text,
            "parameters": headers,
            "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
            "responses": {
                "2XX": { "description": "It arrived." },
                "410": { "description": "The endpoint is gone, and is told of nothing any more." },
                "default": { "description": "It is tried again." },
            },
        });
        messages.insert(kind.as_str().to_owned(), json!({ "post": post }));
    }
    Value::Object(messages)
}

fn said(kind: EventType) -> (Schema, &'static str) {
    match kind {
        EventType::RunCompleted => (
            schema_of_message::<Told<RunEnded>>(),
            "A run ended as it should.",
        ),
        EventType::RunFailed => (
            schema_of_message::<Told<RunEnded>>(),
            "A run failed, or was cancelled.",
        ),
        EventType::DeploymentPublished => (
            schema_of_message::<Told<Deployed>>(),
            "Readers get a new deployment.",
        ),
        EventType::DeploymentRolledBack => (
            schema_of_message::<Told<Deployed>>(),
            "Readers get an earlier deployment again.",
        ),
        EventType::LocaleServingChanged => (
            schema_of_message::<Told<LocaleSwitched>>(),
            "A language was switched on or off.",
        ),
        EventType::ReviewNeeded => (
            schema_of_message::<Told<ReviewNeeded>>(),
            "There are translations that nobody reviewed.",
        ),
        EventType::BudgetExceeded => (
            schema_of_message::<Told<BudgetExceeded>>(),
            "A run would have cost more than it may.",
        ),
        EventType::SourceSuspect => (
            schema_of_message::<Told<Suspect>>(),
            "A source lost or gained too much at once.",
        ),
        EventType::PreviewReady => (
            schema_of_message::<Told<PreviewEnded>>(),
            "A preview of one of the site's pages can be seen.",
        ),
        EventType::PreviewFailed => (
            schema_of_message::<Told<PreviewEnded>>(),
            "A preview of one of the site's pages could not be made.",
        ),
        EventType::WebhookTest => (
            schema_of_message::<Told<WebhookTest>>(),
            "Somebody tried the endpoint.",
        ),
        EventType::WebhookDisabled => (
            schema_of_message::<Told<WebhookDisabled>>(),
            "Another endpoint of the site gets nothing any more.",
        ),
    }
}

/// `run.completed` as `RunCompletedMessage`.
fn title(kind: EventType) -> String {
    let words = kind.as_str().split(['.', '_']).filter_map(|word| {
        let (first, rest) = word.split_at_checked(1)?;
        Some(first.to_uppercase() + rest)
    });
    words.collect::<String>() + "Message"
}
