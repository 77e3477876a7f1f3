//! The documented form of an answer of `chat/completions`, and the forms that services give its content.

use serde::Deserialize;
use serde_json::Value;

use crate::text::excerpt;

#[derive(Deserialize)]
pub(super) struct Completion {
    choices: Vec<Choice>,
    /// Results of a content filter; some services add them with or without choices.
    #[serde(default)]
    prompt_filter_results: Value,
}

/// Outcome of a completion for the texts of its request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CompletionOutcome {
    /// Words of the model.
    Words(String),
    /// The beginning of an answer that is cut off.
    Cut,
    /// Reason why the service or the model gives no answer (R-L12).
    Declined(String),
}

/// Values of `finish_reason` for answers that a filter stopped.
const FILTERED: [&str; 7] = [
    "content_filter",
    "content-filter",
    "safety",
    "prohibited_content",
    "blocklist",
    "recitation",
    "refusal",
];

impl Completion {
    /// Outcome by the first choice.
    pub(super) fn said(self) -> CompletionOutcome {
        let is_filtered = !self.prompt_filter_results.is_null();
        let Some(Choice {
            message,
            finish_reason,
        }) = self.choices.into_iter().next()
        else {
            let filter = if is_filtered {
                "; its content filter stopped the texts"
            } else {
                ""
            };
            return CompletionOutcome::Declined(format!("it gives no choices{filter}"));
        };
        let reason = finish_reason.unwrap_or_default().to_lowercase();
        if FILTERED.contains(&reason.as_str()) {
            return CompletionOutcome::Declined(format!(
                "a content filter stopped the answer (finish_reason {reason:?})"
            ));
        }
        let words = message.words();
        if let Some(refusal) = message.refusal.filter(|refusal| !refusal.trim().is_empty())
            && words.trim().is_empty()
        {
            return CompletionOutcome::Declined(format!("{:?}", excerpt(&refusal)));
        }
        let has_thoughts = [&message.reasoning_content, &message.reasoning]
            .into_iter()
            .any(|value| !is_empty(value));
        let is_cut = reason == "length";
        match (words.trim().is_empty(), has_thoughts, is_cut) {
            (true, true, true) => CompletionOutcome::Declined(
                "it used up its answer with reasoning; allow more tokens".into(),
            ),
            (true, true, false) => {
                CompletionOutcome::Declined("it only reasons and answers nothing".into())
            }
            (_, _, true) => CompletionOutcome::Cut,
            (true, false, false) => CompletionOutcome::Declined("its answer is empty".into()),
            (false, _, false) => CompletionOutcome::Words(words),
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_str().is_none_or(|text| text.trim().is_empty())
        && value.as_array().is_none_or(Vec::is_empty)
}

#[derive(Deserialize)]
struct Choice {
    message: CompletionMessage,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct CompletionMessage {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    tool_calls: Value,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    reasoning_content: Value,
    #[serde(default)]
    reasoning: Value,
}

impl CompletionMessage {
    /// Content of the model's message: text, text parts, parsed JSON, or the arguments of a function call (R-L1).
    fn words(&self) -> String {
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
        arguments.map_or(said, |arguments| {
            arguments
                .as_str()
                .map_or_else(|| arguments.to_string(), str::to_owned)
        })
    }
}

/// Text of a part; parts of other types are reasoning or images.
fn text_of(part: &Value) -> Option<&str> {
    let kind = part.get("type")?.as_str()?;
    if matches!(kind, "text" | "output_text") {
        part.get("text")?.as_str()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_without_translations_say_why_r_l12() {
        for (answer, expected) in [
            (json!({ "choices": [] }), "it gives no choices"),
            (
                json!({ "choices": [], "prompt_filter_results": [{}] }),
                "it gives no choices; its content filter stopped",
            ),
            (
                json!({ "choices": [{ "message": { "content": null, "refusal": "No." } }] }),
                "\"No.\"",
            ),
            (
                json!({ "choices": [{ "message": { "content": "" }, "finish_reason": "content_filter" }] }),
                "filter",
            ),
            (
                json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": "SAFETY" }] }),
                "filter",
            ),
            (
                json!({ "choices": [{ "message": { "content": "", "reasoning_content": "hm" } }] }),
                "only reasons",
            ),
            (
                json!({ "choices": [{ "message": { "reasoning": "hm" }, "finish_reason": "length" }] }),
                "used up",
            ),
            (json!({ "choices": [{ "message": {} }] }), "empty"),
        ] {
            let said = serde_json::from_value::<Completion>(answer.clone())
                .unwrap()
                .said();
            assert!(
                matches!(&said, CompletionOutcome::Declined(reason) if reason.contains(expected)),
                "{answer}: {said:?}"
            );
        }
        for (answer, expected) in [
            (
                json!({ "message": { "content": "[1]", "refusal": "" }, "finish_reason": "stop" }),
                CompletionOutcome::Words("[1]".into()),
            ),
            (
                json!({ "message": { "content": "[1]", "refusal": "No.", "reasoning": "hm" } }),
                CompletionOutcome::Words("[1]".into()),
            ),
            (
                json!({ "message": { "content": "[1" }, "finish_reason": "length" }),
                CompletionOutcome::Cut,
            ),
        ] {
            let completion: Completion =
                serde_json::from_value(json!({ "choices": [answer] })).unwrap();
            assert_eq!(completion.said(), expected);
        }
    }

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
            let read: CompletionMessage = serde_json::from_value(message.clone()).unwrap();
            assert_eq!(read.words(), "[1]", "{message}");
        }
        for message in [
            json!({}),
            json!({ "content": null }),
            json!({ "content": [] , "tool_calls": [] }),
        ] {
            let read: CompletionMessage = serde_json::from_value(message.clone()).unwrap();
            assert!(!read.words().contains('1'), "{message}");
        }
    }
}
