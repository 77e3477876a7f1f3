//! The named schemas of the document. A schema that an operation has brings those that it names under `$defs`; here they
//! all stand side by side, each once, so that clients which are generated get one type for one thing.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Where a schema names those that it brings along, and where they are in the document.
const OWN: &str = "#/$defs/";
const SHARED: &str = "#/components/schemas/";

/// The named schemas so far.
pub(super) struct Components(Map<String, Value>);

impl Components {
    pub(super) fn new() -> Self {
        Self(errors())
    }

    /// Keeps a schema; gives a reference to it where it has a name.
    pub(super) fn take(&mut self, schema: Schema) -> Value {
        let name = schema
            .get("title")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let value = self.inline(schema);
        let Some(name) = name else { return value };
        let reference = json!({ "$ref": format!("{SHARED}{name}") });
        self.0.insert(name, value);
        reference
    }

    /// Keeps what a schema brings along; gives the schema.
    pub(super) fn inline(&mut self, schema: Schema) -> Value {
        let mut value = schema.to_value();
        lead(&mut value);
        let Value::Object(members) = &mut value else {
            return value;
        };
        members.remove("title");
        if let Some(Value::Object(brought)) = members.remove("$defs") {
            self.0.extend(brought);
        }
        value
    }

    pub(super) fn named(self) -> Value {
        Value::Object(self.0)
    }
}

/// Leads references to where the schemas are in the document.
fn lead(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(OWN)
            {
                *reference = format!("{SHARED}{name}");
            }
            members.values_mut().for_each(lead);
        }
        Value::Array(items) => items.iter_mut().for_each(lead),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What every refusal is.
fn errors() -> Map<String, Value> {
    let text = json!({ "type": "string" });
    let field = json!({
        "type": "object", "additionalProperties": false, "required": ["path", "code", "message"],
        "properties": { "path": text, "code": text, "message": text },
    });
    let fields = json!({ "type": "array", "items": { "$ref": format!("{SHARED}FieldError") } });
    let details = json!({
        "type": "object", "additionalProperties": false, "required": ["code"],
        "properties": { "code": text, "current": text, "fields": fields },
    });
    let error = json!({
        "type": "object", "additionalProperties": false, "required": ["error", "details"],
        "properties": { "error": text, "details": { "$ref": format!("{SHARED}ErrorDetails") } },
    });
    [
        ("Error", error),
        ("ErrorDetails", details),
        ("FieldError", field),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect()
}
