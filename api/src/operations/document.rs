//! `GET /api/openapi.json`: the interface as an OpenAPI 3.1 document, made of the table of routes and the types that
//! the operations read and send.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{Call, Reply, Schemas};
use crate::error::ApiError;
use crate::form::no_query;
use crate::route::{Key, Line, OPERATIONS, Operation, Rate};

/// The document never changes while the process runs.
static DOCUMENT: LazyLock<Value> = LazyLock::new(write);

/// A language tag as the table of operations takes it; more forms are understood.
const LANGUAGE: &str = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$";
/// What a request may be in conflict with.
const CONFLICTS: [(Operation, &str); 5] = [
    (Operation::CrawlTranslate, "The idempotency key stands for another request."),
    (Operation::PutSite, "The configuration manages the site, or another site has the same `url`."),
    (Operation::DeleteSite, "The configuration manages the site."),
    (Operation::CancelRun, "The run is over."),
    (Operation::AcceptSource, "The run did not find its source suspect, or that was accepted already."),
];
const SITE: &str = "^[a-z0-9][a-z0-9-]{0,62}$";

pub(super) fn schemas() -> Schemas {
    Schemas { answer: schemars::json_schema!({ "type": "object" }), ..Schemas::default() }
}

pub(super) fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    Reply::ok(&*DOCUMENT)
}

fn write() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for line in &OPERATIONS {
        let path = paths.entry(line.path).or_insert_with(|| json!({}));
        path[line.method.to_ascii_lowercase()] = operation(line);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Latimer",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Crawls, translates and serves websites. Every error is `{error, details}`.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" },
                "previewToken": { "type": "apiKey", "in": "header", "name": Key::Preview.header() },
                "previewStatusToken": { "type": "apiKey", "in": "header", "name": Key::PreviewStatus.header() },
            },
            "schemas": { "Error": error() },
        },
    })
}

fn operation(line: &Line) -> Value {
    let Schemas { query, body, answer } = line.operation.schemas();
    let mut written = json!({
        "operationId": line.id,
        "summary": line.summary,
        "parameters": parameters(line, query.as_ref().map(|schema| schema.as_value())),
        "responses": responses(line, &answer.to_value(), query.is_some()),
        "security": match (line.scope, line.key) {
            (None, _) => json!([]),
            (Some(_), Key::Nothing) => json!([{ "bearer": [] }]),
            (Some(_), Key::Preview) => json!([{ "bearer": [] }, { "previewToken": [] }]),
            (Some(_), Key::PreviewStatus) => json!([{ "bearer": [] }, { "previewStatusToken": [] }]),
        },
    });
    if let Some(body) = body {
        written["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": body } } });
    }
    if let Some(scope) = line.scope {
        let other = line.or_scope.map(|other| format!(" or `{other}`")).unwrap_or_default();
        written["description"] = json!(format!("Needs the scope `{scope}`{other}."));
    }
    written
}

fn parameters(line: &Line, query: Option<&Value>) -> Vec<Value> {
    let mut parameters = Vec::new();
    for (name, pattern) in [("siteId", SITE), ("targetLang", LANGUAGE)] {
        if line.path.contains(&format!("{{{name}}}")) {
            let schema = json!({ "type": "string", "pattern": pattern });
            parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        }
    }
    for name in ["runId", "previewId"] {
        if line.path.contains(&format!("{{{name}}}")) {
            let schema = json!({ "type": "string", "format": "uuid" });
            parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        }
    }
    if line.streams {
        let schema = json!({ "type": "string" });
        let text =
            "The id of the last event that was seen; those that follow have greater ones. What is no id is ignored.";
        parameters.push(json!({ "name": "Last-Event-ID", "in": "header", "required": false, "schema": schema,
                                "description": text }));
    }
    for (name, schema) in query.and_then(|query| query["properties"].as_object()).into_iter().flatten() {
        parameters.push(json!({ "name": name, "in": "query", "required": false, "schema": schema }));
    }
    if line.rate == Rate::Crawl {
        let schema = json!({ "type": "string", "pattern": "^[!-~]{1,255}$" });
        let text = "The same key with the same body gets the same answer for 24 hours.";
        parameters.push(json!({ "name": "Idempotency-Key", "in": "header", "required": false, "schema": schema,
                                "description": text }));
    }
    parameters
}

fn responses(line: &Line, answer: &Value, answers_queries: bool) -> Value {
    let mut responses = Map::new();
    let kind = if line.streams { "text/event-stream" } else { "application/json" };
    let mut good = json!({ "description": "Done." });
    if line.status != 204 {
        good["content"] = json!({ kind: { "schema": answer } });
    }
    if line.gives_location {
        let text = "Where what was begun can be watched.";
        good["headers"] = json!({ "Location": { "schema": { "type": "string" }, "description": text } });
    }
    if line.operation == Operation::PutSite {
        let mut created = good.clone();
        created["description"] = json!("It is new.");
        created["headers"] = json!({ "Location": { "schema": { "type": "string" }, "description": "The site." } });
        responses.insert("201".to_owned(), created);
    }
    responses.insert(line.status.to_string(), good);
    let refuses = |responses: &mut Map<String, Value>, status: u16, text: &str, headers: Value| {
        let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
        let mut answer = json!({ "description": text, "content": content });
        if !headers.is_null() {
            answer["headers"] = headers;
        }
        responses.insert(status.to_string(), answer);
    };
    let text = json!({ "schema": { "type": "string" } });
    let seconds = json!({ "schema": { "type": "integer", "minimum": 1 }, "description": "Whole seconds." });
    refuses(&mut responses, 400, "The request is not valid.", Value::Null);
    if line.scope.is_some() {
        refuses(&mut responses, 401, "No token, or none that is valid.", json!({ "WWW-Authenticate": text }));
        refuses(&mut responses, 403, "The token lacks the scope, or the feature is off.", Value::Null);
    }
    if line.path.contains('{') {
        refuses(&mut responses, 404, "There is no such thing, or the token may not see it.", Value::Null);
    }
    if line.path.contains("{previewId}") {
        refuses(&mut responses, 410, "The preview's time is over.", Value::Null);
    }
    if let Some((_, conflict)) = CONFLICTS.iter().find(|(operation, _)| *operation == line.operation) {
        refuses(&mut responses, 409, conflict, Value::Null);
    }
    if !matches!(line.method, "GET" | "DELETE") {
        refuses(&mut responses, 413, "The body is too large.", Value::Null);
        refuses(&mut responses, 415, "The body is not JSON.", Value::Null);
    }
    if answers_queries {
        refuses(&mut responses, 414, "The address is too long.", Value::Null);
    }
    refuses(&mut responses, 429, "Too many requests.", json!({ "Retry-After": seconds }));
    refuses(&mut responses, 500, "Something failed on our side.", Value::Null);
    refuses(&mut responses, 503, "The state or the store does not answer now.", json!({ "Retry-After": seconds }));
    if line.method != "GET" {
        refuses(&mut responses, 507, "There is no room on the disk.", json!({ "Retry-After": seconds }));
    }
    Value::Object(responses)
}

fn error() -> Value {
    let field = json!({
        "type": "object", "additionalProperties": false, "required": ["path", "code", "message"],
        "properties": { "path": { "type": "string" }, "code": { "type": "string" }, "message": { "type": "string" } },
    });
    let details = json!({
        "type": "object", "additionalProperties": false, "required": ["code"],
        "properties": { "code": { "type": "string" }, "fields": { "type": "array", "items": field } },
    });
    json!({
        "type": "object", "additionalProperties": false, "required": ["error", "details"],
        "properties": { "error": { "type": "string" }, "details": details },
    })
}

#[cfg(test)]
mod tests {
    use hyper::Method;

    use super::*;
    use crate::route::Called;

    #[test]
    fn document_and_router_name_the_same_operations() {
        let mut documented = Vec::new();
        for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
                let called = Called::of(path, &method).unwrap();
                assert_eq!(
                    (called.line.id, called.line.path),
                    (operation["operationId"].as_str().unwrap(), path.as_str())
                );
                let braces = path.matches('{').count();
                let in_path = |parameter: &&Value| parameter["in"] == "path";
                assert_eq!(
                    operation["parameters"].as_array().unwrap().iter().filter(in_path).count(),
                    braces,
                    "{path}"
                );
                documented.push(called.line.id);
            }
        }
        let mut routed: Vec<_> = OPERATIONS.iter().map(|line| line.id).collect();
        routed.sort_unstable();
        documented.sort_unstable();
        assert_eq!(documented, routed);
    }

    #[test]
    fn every_object_of_the_document_is_closed() {
        fn look(value: &Value, path: &str) {
            if value["type"] == "object" && value.get("properties").is_some() {
                let closed = [&value["additionalProperties"], &value["unevaluatedProperties"]];
                assert!(closed.contains(&&json!(false)), "{path} is open: {value}");
            }
            match value {
                Value::Object(members) => {
                    members.iter().for_each(|(name, value)| look(value, &format!("{path}/{name}")))
                }
                Value::Array(items) => items.iter().for_each(|value| look(value, path)),
                _ => {}
            }
        }
        look(&DOCUMENT["paths"], "paths");
        let text = DOCUMENT.to_string();
        assert!(!text.contains("$defs") && !text.contains("\"$schema\""), "{text}");
    }
}
