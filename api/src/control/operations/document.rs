//! `GET /api/openapi.json`: the interface as an OpenAPI 3.1 document, made of the table of routes and the types that
//! the operations read and send. What clients are generated from it need, it has: names of schemas, tags, examples.

mod components;
mod messages;

use std::sync::{LazyLock, OnceLock};

use serde_json::{Map, Value, json};

use super::{Call, Key, Line, Reply, Schemas, Version};
use crate::control::form::no_query;
use crate::http::error::ApiError;
use components::Components;

/// The document never changes while the process runs.
static DOCUMENT: OnceLock<Value> = OnceLock::new();

/// A language tag as the table of operations takes it; more forms are understood.
const LANGUAGE: &str = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$";
const MESSAGE: &str = "^msg_[0-9a-f-]{36}$";
const SEGMENT: &str = "^[0-9a-f]{32}$";
const SITE: &str = "^[a-z0-9][a-z0-9-]{0,62}$";
/// What stands in paths: name, schema and text.
const IN_PATHS: [(&str, (&str, &str), &str); 9] = [
    ("siteId", ("pattern", SITE), "The id of a site."),
    (
        "targetLang",
        ("pattern", LANGUAGE),
        "The tag of a language of the site.",
    ),
    ("runId", ("format", "uuid"), "The id of a run."),
    ("previewId", ("format", "uuid"), "The id of a preview."),
    (
        "deploymentId",
        ("format", "uuid"),
        "The id of a deployment.",
    ),
    ("webhookId", ("format", "uuid"), "The id of an endpoint."),
    ("deliveryId", ("pattern", MESSAGE), "The id of a message."),
    ("segmentId", ("pattern", SEGMENT), "The id of a segment."),
    (
        "target",
        ("pattern", SITE),
        "The name of a target of publishing.",
    ),
];
/// The groups of operations.
const TAGS: [(&str, &str); 12] = [
    ("sites", "Sites and their pages."),
    ("runs", "Crawling and translating."),
    ("deployments", "What is published, and what was before."),
    ("locales", "Serving languages, and switchers between them."),
    ("translations", "Texts of a site and their translations."),
    ("reports", "Texts that readers saw untranslated."),
    ("summaries", "What was translated, language by language."),
    ("digests", "Mail about summaries."),
    ("previews", "Single pages in another language."),
    (
        "webhooks",
        "Endpoints that are told of what happens to a site.",
    ),
    (
        "cost",
        "What engines get, and what is left of budgets and limits.",
    ),
    ("meta", "The interface itself."),
];

/// A request body and an answer for each operation that has any, by the operation's id.
#[expect(
    clippy::expect_used,
    reason = "the file is part of the program, and a test checks it against the schemas"
)]
static EXAMPLES: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("document/examples.json")).expect("the examples are JSON")
});

pub(super) fn schemas() -> Schemas {
    Schemas {
        answer: schemars::json_schema!({ "type": "object" }),
        ..Schemas::default()
    }
}

/// Answers with the document of these operations, which are the same whenever it is asked for.
pub(super) fn get(call: &Call<'_>, operations: &[Line]) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    Reply::ok(DOCUMENT.get_or_init(|| write(operations)))
}

fn write(operations: &[Line]) -> Value {
    let mut paths = Map::new();
    let mut components = Components::new();
    for line in operations {
        let path = paths.entry(line.path).or_insert_with(|| json!({}));
        path[line.method.to_ascii_lowercase()] = operation(line, &mut components);
    }
    let messages = messages::write(&mut components);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Latimer",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Crawls, translates and serves websites. Every error is `{error, details}`.",
        },
        // The address under which the document was asked for is the only one that is certainly right.
        "servers": [{ "url": "/", "description": "The server that sent this document." }],
        "tags": TAGS.map(|(name, description)| json!({ "name": name, "description": description })),
        "paths": paths,
        "webhooks": messages,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" },
                "previewToken": { "type": "apiKey", "in": "header", "name": Key::Preview.header() },
                "previewStatusToken": { "type": "apiKey", "in": "header", "name": Key::PreviewStatus.header() },
            },
            "schemas": components.named(),
        },
    })
}

fn operation(line: &Line, components: &mut Components) -> Value {
    let Schemas {
        query,
        body,
        answer,
    } = (line.schemas)();
    let query = query.map(|schema| components.inline(schema));
    let example = &EXAMPLES[line.id];
    let mut written = json!({
        "operationId": line.id,
        "tags": [line.tag],
        "summary": line.summary,
        "parameters": parameters(line, query.as_ref()),
        "responses": responses(line, content(components.take(answer), &example["answer"]), query.is_some()),
        "security": match (line.is_public, line.key) {
            (true, _) => json!([]),
            (false, Key::Nothing) => json!([{ "bearer": [] }]),
            (false, Key::Preview) => json!([{ "bearer": [] }, { "previewToken": [] }]),
            (false, Key::PreviewStatus) => json!([{ "bearer": [] }, { "previewStatusToken": [] }]),
        },
    });
    if let Some(body) = body {
        let body = content(components.take(body), &example["body"]);
        written["requestBody"] =
            json!({ "required": true, "content": { "application/json": body } });
    }
    if let Some(scope) = line.scope {
        let other = line
            .or_scope
            .map(|other| format!(" or `{other}`"))
            .unwrap_or_default();
        let sites = if line.all_sites {
            ", and a token for all sites"
        } else {
            ""
        };
        written["description"] = json!(format!("Needs the scope `{scope}`{other}{sites}."));
    }
    written
}

fn content(schema: Value, example: &Value) -> Value {
    if example.is_null() {
        json!({ "schema": schema })
    } else {
        json!({ "schema": schema, "example": example })
    }
}

fn parameters(line: &Line, query: Option<&Value>) -> Vec<Value> {
    let mut parameters = Vec::new();
    for (name, (kind, value), text) in IN_PATHS {
        if line.path.contains(&format!("{{{name}}}")) {
            let schema = json!({ "type": "string", kind: value });
            parameters
                .push(json!({ "name": name, "in": "path", "required": true, "schema": schema, "description": text }));
        }
    }
    if line.streams {
        let schema = json!({ "type": "string" });
        let text = "The id of the last event that was seen; those that follow have greater ones. What is no id is ignored.";
        parameters.push(
            json!({ "name": "Last-Event-ID", "in": "header", "required": false, "schema": schema,
                                "description": text }),
        );
    }
    for (name, schema) in query
        .and_then(|query| query["properties"].as_object())
        .into_iter()
        .flatten()
    {
        let required = query.and_then(|query| query["required"].as_array());
        let required = required.is_some_and(|names| names.iter().any(|required| required == name));
        parameters
            .push(json!({ "name": name, "in": "query", "required": required, "schema": schema }));
    }
    if line.takes_key {
        let schema = json!({ "type": "string", "pattern": "^[!-~]{1,255}$" });
        let text = "The same key with the same body gets the same answer for 24 hours.";
        parameters.push(
            json!({ "name": "Idempotency-Key", "in": "header", "required": false, "schema": schema,
                                "description": text }),
        );
    }
    if line.version == Version::Header {
        let schema = json!({ "type": "string", "pattern": "^\"?[!-~]{1,64}\"?$" });
        let text = "The version that you saw: the `ETag` of the last answer.";
        parameters.push(
            json!({ "name": "If-Match", "in": "header", "required": true, "schema": schema,
                                "description": text }),
        );
    }
    parameters
}

#[expect(
    clippy::too_many_lines,
    reason = "describes the answers of an operation by status"
)]
fn responses(line: &Line, answer: Value, answers_queries: bool) -> Value {
    let mut responses = Map::new();
    let kind = if line.streams {
        "text/event-stream"
    } else {
        "application/json"
    };
    let mut good = json!({ "description": "Done." });
    if line.status != 204 {
        good["content"] = json!({ kind: answer });
    }
    if line.gives_location {
        let text = "Where what was begun can be watched.";
        good["headers"] =
            json!({ "Location": { "schema": { "type": "string" }, "description": text } });
    }
    if line.makes_site {
        let mut created = good.clone();
        created["description"] = json!("It is new.");
        created["headers"] =
            json!({ "Location": { "schema": { "type": "string" }, "description": "The site." } });
        responses.insert("201".to_owned(), created);
    }
    responses.insert(line.status.to_string(), good);
    let refuses = |responses: &mut Map<String, Value>, status: u16, text: &str, headers: Value| {
        let content =
            json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
        let mut answer = json!({ "description": text, "content": content });
        if !headers.is_null() {
            answer["headers"] = headers;
        }
        responses.insert(status.to_string(), answer);
    };
    let text = json!({ "schema": { "type": "string" } });
    let seconds =
        json!({ "schema": { "type": "integer", "minimum": 1 }, "description": "Whole seconds." });
    refuses(
        &mut responses,
        400,
        "The request is not valid.",
        Value::Null,
    );
    if !line.is_public {
        refuses(
            &mut responses,
            401,
            "The token is missing or invalid.",
            json!({ "WWW-Authenticate": text }),
        );
    }
    if line.scope.is_some() {
        refuses(
            &mut responses,
            403,
            "The token lacks the scope, or the feature is off.",
            Value::Null,
        );
    }
    if line.path.contains('{') || line.may_be_absent {
        refuses(
            &mut responses,
            404,
            "There is no such thing, or the token may not see it.",
            Value::Null,
        );
    }
    if line.path.contains("{previewId}") {
        refuses(
            &mut responses,
            410,
            "The preview's time is over.",
            Value::Null,
        );
    }
    if line.version != Version::Nowhere {
        let text = "Somebody changed it meanwhile; `current` in the details is the version now.";
        refuses(&mut responses, 412, text, Value::Null);
    }
    if line.version == Version::Header {
        let text = "The request does not say which version it is for.";
        refuses(&mut responses, 428, text, Value::Null);
    }
    if let Some(conflict) = line.conflict {
        refuses(&mut responses, 409, conflict, Value::Null);
    }
    if !matches!(line.method, "GET" | "DELETE") {
        refuses(&mut responses, 413, "The body is too large.", Value::Null);
        refuses(&mut responses, 415, "The body is not JSON.", Value::Null);
    }
    if answers_queries {
        refuses(&mut responses, 414, "The address is too long.", Value::Null);
    }
    refuses(
        &mut responses,
        429,
        "Too many requests.",
        json!({ "Retry-After": seconds }),
    );
    refuses(
        &mut responses,
        500,
        "Something failed on our side.",
        Value::Null,
    );
    refuses(
        &mut responses,
        503,
        "The state or the store does not answer now.",
        json!({ "Retry-After": seconds }),
    );
    if line.method != "GET" {
        refuses(
            &mut responses,
            507,
            "There is no room on the disk.",
            json!({ "Retry-After": seconds }),
        );
    }
    Value::Object(responses)
}

#[cfg(test)]
mod tests;
