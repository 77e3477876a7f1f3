//! The API's OpenAPI document, without its texts for people.

use serde_json::{Map, Value, json};

use super::check;
use crate::support::Site;
use crate::support::api::{self, Api};

/// Kinds of JSON objects in an OpenAPI document, by their keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Members {
    /// Keywords of OpenAPI and JSON Schema.
    Keywords,
    /// Names that the API chose, such as those of properties.
    Names,
    /// Data of an example.
    Data,
}

/// Keywords below which the keys are names.
const OF_NAMES: [&str; 9] = [
    "content",
    "headers",
    "paths",
    "patternProperties",
    "properties",
    "responses",
    "schemas",
    "securitySchemes",
    "webhooks",
];
/// Keywords below which everything is data.
const OF_DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];

impl Members {
    /// The kind of the object below a key.
    fn below(self, key: &str) -> Self {
        match self {
            Self::Keywords if OF_NAMES.contains(&key) => Self::Names,
            Self::Keywords if OF_DATA.contains(&key) => Self::Data,
            Self::Keywords | Self::Names => Self::Keywords,
            Self::Data => Self::Data,
        }
    }
}

/// A part of an OpenAPI document without summaries and descriptions, its keys sorted.
fn without_prose(value: &Value, members: Members) -> Value {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort();
            let mut kept = Map::new();
            for key in keys {
                let is_prose = matches!(key.as_str(), "summary" | "description");
                if is_prose && members == Members::Keywords {
                    continue;
                }
                kept.insert(key.clone(), without_prose(&object[key], members.below(key)));
            }
            Value::Object(kept)
        }
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items {
                kept.push(without_prose(item, members));
            }
            Value::Array(kept)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[test]
fn openapi_document_keeps_its_operations_and_schemas() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"pseudo\"",
        &[("index.html", "<p>One</p>")],
    );
    api::give_api(&site, "");
    let server = Api::start(site.folder());
    let mut document = server.call("GET", "/api/openapi.json", "", "").json;
    document["info"].as_object_mut().unwrap().remove("version");
    let kept = without_prose(&document, Members::Keywords);
    check("openapi.json", &format!("{kept:#}\n"));
}

#[test]
fn properties_that_are_called_like_prose_stay() {
    let schema = json!({
        "description": "A page.",
        "properties": {
            "description": { "type": "string", "description": "What it is." },
            "properties": { "summary": "All of them.", "type": "object" },
        },
        "example": { "description": "Bread" },
    });
    let expected = json!({
        "properties": { "description": { "type": "string" }, "properties": { "type": "object" } },
        "example": { "description": "Bread" },
    });
    assert_eq!(without_prose(&schema, Members::Keywords), expected);
}
