//! The documented form of an answer of `chat/completions`, and the forms that services give its content.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct Completion {
    pub(super) choices: Vec<Choice>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    pub(super) message: Message,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    tool_calls: Value,
}

impl Message {
    /// Content of the model's message: text, text parts, parsed JSON, or the arguments of a function call (R-L1).
    pub(super) fn words(&self) -> String {
        let said = match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) if parts.iter().any(|part| part.get("type").is_some()) => {
                parts.iter().filter_map(text_of).collect()
            }
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if !said.trim().is_empty() {
            return said;
        }
        let arguments = self.tool_calls.pointer("/0/function/arguments");
        arguments.map_or(said, |arguments| arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned))
    }
}

/// Text of a part; parts of other types are reasoning or images.
fn text_of(part: &Value) -> Option<&str> {
    let kind = part.get("type")?.as_str()?;
    if matches!(kind, "text" | "output_text") { part.get("text")?.as_str() } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn content_is_read_in_every_form_r_l1() {
        for message in [
            json!({ "content": "[1]" }),
            json!({ "content": [{ "type": "text", "text": "[1]" }] }),
            json!({ "content": [{ "type": "text", "text": "[" }, { "type": "text", "text": "1]" }] }),
            json!({ "content": [{ "type": "thinking", "thinking": "[2]" }, { "type": "text", "text": "[1]" }] }),
            json!({ "content": [{ "type": "output_text", "text": "[1]" }], "reasoning": "[2]" }),
            json!({ "content": [1] }),
            json!({ "content": null, "tool_calls": [{ "function": { "name": "translations", "arguments": "[1]" } }] }),
            json!({ "tool_calls": [{ "function": { "arguments": [1] } }] }),
        ] {
            let read: Message = serde_json::from_value(message.clone()).unwrap();
            assert_eq!(read.words(), "[1]", "{message}");
        }
        for message in [json!({}), json!({ "content": null }), json!({ "content": [] , "tool_calls": [] })] {
            let read: Message = serde_json::from_value(message.clone()).unwrap();
            assert!(!read.words().contains('1'), "{message}");
        }
    }
}
