//! Form of a request to a language model service: the parts that services may refuse.

use serde::Serialize;
use serde_json::Value;

/// Enforcement of the answer format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerFormat {
    /// A JSON schema.
    Schema,
    /// Any JSON object.
    Object,
    /// None: only the prompt asks for a format.
    Plain,
}

/// Form of a request that a service accepted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestForm {
    /// Enforcement of the answer format.
    pub format: AnswerFormat,
    /// Temperature; `None` if the request leaves it to the service.
    pub temperature: Option<f64>,
    /// True if the instruction has the role `system`.
    pub system: bool,
}

impl RequestForm {
    /// The form of a body of `chat/completions`.
    pub(super) fn of(body: &Value) -> Self {
        let format = match body
            .pointer("/response_format/type")
            .and_then(Value::as_str)
        {
            Some("json_schema") => AnswerFormat::Schema,
            Some("json_object") => AnswerFormat::Object,
            Some(_) | None => AnswerFormat::Plain,
        };
        let temperature = body.get("temperature").and_then(Value::as_f64);
        let system = body
            .pointer("/messages/0/role")
            .is_some_and(|role| role == "system");
        Self {
            format,
            temperature,
            system,
        }
    }
}
