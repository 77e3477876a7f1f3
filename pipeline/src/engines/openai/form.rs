//! Request form of a language model service, and the parts of it that the service refuses (R-L7).
//!
//! A service may refuse the temperature, the answer format or the role `system`, with one of several statuses. The
//! engine repeats a refused request without the part that the service names, or else without each in turn.
//!
//! The first form that works is used from then on. Once a form is proven, a refusal concerns only its request.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::super::http::HttpReply;
use super::failure::FILTERED;
use super::prompt;

/// Enforcement of the answer format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormatEnforcement {
    /// By a JSON schema.
    Schema,
    /// By asking for a JSON object.
    Object,
    /// By the prompt alone.
    Plain,
}

/// The form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompletionForm {
    format: FormatEnforcement,
    has_temperature: bool,
    has_system: bool,
}

/// A part of a request that a service may not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestPart {
    Format,
    Temperature,
    System,
}

/// The subject of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A part of the form.
    Part(RequestPart),
    /// Perhaps a part; the service does not name it.
    Unknown,
    /// An answer that failed in its format. The same texts may pass without a format.
    Answer,
    /// The texts, or a failure that persists in any form.
    Other,
}

impl CompletionForm {
    const FULL: Self = Self {
        format: FormatEnforcement::Schema,
        has_temperature: true,
        has_system: true,
    };

    /// This form with one part less; `None` if the part is already gone.
    pub(super) fn without(self, part: RequestPart) -> Option<Self> {
        match part {
            RequestPart::Format => match self.format {
                FormatEnforcement::Schema => Some(Self {
                    format: FormatEnforcement::Object,
                    ..self
                }),
                FormatEnforcement::Object => Some(Self {
                    format: FormatEnforcement::Plain,
                    ..self
                }),
                FormatEnforcement::Plain => None,
            },
            RequestPart::Temperature if self.has_temperature => Some(Self {
                has_temperature: false,
                ..self
            }),
            RequestPart::System if self.has_system => Some(Self {
                has_system: false,
                ..self
            }),
            RequestPart::Temperature | RequestPart::System => None,
        }
    }

    /// This form without an answer format; `None` if it has none.
    pub(super) fn plain(self) -> Option<Self> {
        if self.format == FormatEnforcement::Plain {
            None
        } else {
            Some(Self {
                format: FormatEnforcement::Plain,
                ..self
            })
        }
    }

    /// Forms to try in turn when the service does not name the refused part.
    pub(super) fn others(self) -> Vec<Self> {
        let object = self.without(RequestPart::Format);
        let plain = object.and_then(|form| form.without(RequestPart::Format));
        let bare = Self {
            format: FormatEnforcement::Plain,
            has_temperature: false,
            has_system: false,
        };
        let mut others: Vec<Self> = [
            object,
            plain,
            self.without(RequestPart::Temperature),
            self.without(RequestPart::System),
        ]
        .into_iter()
        .flatten()
        .collect();
        if bare != self && !others.contains(&bare) {
            others.push(bare);
        }
        others
    }

    /// Request body for these messages, of which the first is the instruction.
    pub(super) fn body(self, model: &str, messages: &[Value; 2]) -> Value {
        let mut body = json!({ "model": model, "messages": messages });
        if !self.has_system {
            // Some services require user and assistant messages to alternate.
            let [instruction, texts] = messages;
            let instruction = json!({ "role": "user", "content": instruction["content"] });
            body["messages"] =
                json!([instruction, { "role": "assistant", "content": "Send the JSON." }, texts]);
        }
        if self.has_temperature {
            body["temperature"] = 0.into();
        }
        match self.format {
            FormatEnforcement::Schema => {
                body["response_format"] =
                    json!({ "type": "json_schema", "json_schema": prompt::schema() });
            }
            FormatEnforcement::Object => body["response_format"] = json!({ "type": "json_object" }),
            FormatEnforcement::Plain => {}
        }
        body
    }
}

/// Knowledge of the form that a service takes.
#[derive(Debug)]
pub(super) struct KnownForm {
    form: Mutex<CompletionForm>,
    /// True once a request in this form succeeded.
    is_proven: AtomicBool,
    /// Refusals that no other form resolved.
    in_vain: Mutex<BTreeSet<String>>,
    /// Lock of the request that searches for a form; other requests wait for the form that it finds.
    pub(super) searching: tokio::sync::Mutex<()>,
    /// True if a request got an unexplained status 500 and none succeeded since.
    has_failed: AtomicBool,
}

impl Default for KnownForm {
    fn default() -> Self {
        Self {
            form: Mutex::new(CompletionForm::FULL),
            is_proven: AtomicBool::new(false),
            in_vain: Mutex::default(),
            searching: tokio::sync::Mutex::default(),
            has_failed: AtomicBool::new(false),
        }
    }
}

impl KnownForm {
    pub(super) fn form(&self) -> CompletionForm {
        *self.form.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a success of this form, which was tried for this cause.
    pub(super) fn learn(&self, form: CompletionForm, cause: Option<Cause>) {
        self.has_failed.store(false, Ordering::Relaxed);
        let mut known = self.form.lock().unwrap_or_else(PoisonError::into_inner);
        let teaches = match cause {
            Some(Cause::Part(_) | Cause::Unknown) => !self.is_proven.load(Ordering::Relaxed),
            Some(Cause::Answer | Cause::Other) => false,
            None => true,
        };
        if teaches {
            // A concurrent request in a richer form proves nothing about the reduced one.
            if cause.is_some() {
                *known = form;
            }
            if *known == form {
                self.is_proven.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Records a refusal that no other form resolved.
    pub(super) fn give_up(&self, reply: &HttpReply) {
        self.in_vain
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(kind(reply));
    }

    /// True for a refusal like one that no other form resolved.
    pub(super) fn is_in_vain(&self, reply: &HttpReply) -> bool {
        self.in_vain
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&kind(reply))
    }

    /// The subject of a refusal.
    pub(super) fn cause(&self, reply: &HttpReply) -> Cause {
        let cause = cause(reply.status, &reply.value(), &reply.message());
        if cause != Cause::Unknown {
            return cause;
        }
        if self.is_in_vain(reply) || self.is_proven.load(Ordering::Relaxed) {
            return Cause::Other;
        }
        // A server that fails once may just be busy.
        let is_first = reply.status == 500 && !self.has_failed.swap(true, Ordering::Relaxed);
        if is_first {
            Cause::Other
        } else {
            Cause::Unknown
        }
    }
}

/// The kind of a refusal: its status, and its message without the numbers and identifiers of the request.
fn kind(reply: &HttpReply) -> String {
    let message = reply.message();
    let words = message
        .split_whitespace()
        .filter(|word| !word.contains(|sign: char| sign.is_ascii_digit()));
    let mut kind = reply.status.to_string();
    for word in words {
        kind.push(' ');
        kind.push_str(word);
    }
    kind
}

/// Words of a refusal for its subject.
fn cause(status: u16, value: &Value, message: &str) -> Cause {
    if !matches!(status, 400 | 404 | 422 | 500) {
        return Cause::Other;
    }
    // Google's service sends a list with one error.
    let error = value
        .pointer("/error")
        .or_else(|| value.pointer("/0/error"))
        .unwrap_or(value);
    let text = |place: &str| {
        error
            .get(place)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_lowercase()
    };
    let said = format!(
        "{} {} {} {}",
        text("param"),
        text("code"),
        text("type"),
        message.to_lowercase()
    );
    let has = |words: &[&str]| words.iter().any(|words| said.contains(words));
    if has(&[
        "json_validate_failed",
        "failed_generation",
        "failed to generate json",
    ]) {
        return Cause::Answer;
    }
    if has(&FILTERED) || has(&IS_ABOUT_TEXT) || has(&IS_ABOUT_SIZE) {
        return Cause::Other;
    }
    if has(&["temperature"]) {
        return Cause::Part(RequestPart::Temperature);
    }
    if has(&SYSTEM) {
        return Cause::Part(RequestPart::System);
    }
    if has(&FORMAT) {
        return Cause::Part(RequestPart::Format);
    }
    let is_about_account = has(&[
        "api key",
        "api_key",
        "credit",
        "billing",
        "quota",
        "balance",
        "insufficient",
    ]);
    // A wrong address or a missing model is not about a part of the request.
    let is_missing = status == 404
        && (value.is_null() || has(&["model_not_found", "not found", "not exist", "pulling"]));
    if is_about_account || is_missing {
        Cause::Other
    } else {
        Cause::Unknown
    }
}

/// Phrases for refusals of the texts, beside those of a filter.
const IS_ABOUT_TEXT: [&str; 2] = ["moderation", "safety"];
/// Phrases for requests that are too large.
const IS_ABOUT_SIZE: [&str; 7] = [
    "context length",
    "context_length",
    "context size",
    "context_size",
    "too long",
    "too large",
    "max_tokens",
];
/// Phrases for refusals of the role `system`.
const SYSTEM: [&str; 13] = [
    "system role",
    "role system",
    "role 'system'",
    "role \"system\"",
    "role `system`",
    "'system'",
    "system message",
    "system prompt",
    "system instruction",
    "developer instruction",
    "developer message",
    "messages[0].role",
    "roles must alternate",
];
/// Phrases for refusals of the answer format.
const FORMAT: [&str; 11] = [
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "structured output",
    "structured_output",
    "requested parameters",
    "grammar",
    "guided",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_they_are_about_r_l7() {
        for (status, body, expected) in [
            (
                400,
                r#"{"error":{"message":"'temperature' does not support 0","param":"temperature"}}"#,
                "Temperature",
            ),
            (
                422,
                r#"{"detail":[{"loc":["body","temperature"],"msg":"Extra inputs are not permitted"}]}"#,
                "Temperature",
            ),
            (
                500,
                r#"{"error":"Temperature must be above 0"}"#,
                "Temperature",
            ),
            (
                400,
                r#"{"error":{"message":"'messages[0].role' does not support 'system' with this model"}}"#,
                "System",
            ),
            (
                400,
                r#"[{"error":{"message":"Developer instruction is not enabled for models/x"}}]"#,
                "System",
            ),
            (
                500,
                r#"{"error":{"message":"Jinja Exception: System role not supported"}}"#,
                "System",
            ),
            (
                400,
                r#"{"message":"Conversation roles must alternate user/assistant/user/assistant"}"#,
                "System",
            ),
            (
                400,
                r#"{"error":{"message":"This response_format type is unavailable now"}}"#,
                "Format",
            ),
            (
                404,
                r#"{"error":{"message":"No endpoints found that can handle the requested parameters."}}"#,
                "Format",
            ),
            (
                500,
                r#"{"error":"failed to load model vocabulary required for format: grammar"}"#,
                "Format",
            ),
            (
                422,
                r#"{"error":{"message":"unknown variant `json_schema`"}}"#,
                "Format",
            ),
            (
                400,
                r#"{"error":{"message":"Failed to generate JSON","code":"json_validate_failed"}}"#,
                "Answer",
            ),
            (
                400,
                r#"{"error":{"code":"content_filter","message":"The response was filtered"}}"#,
                "Other",
            ),
            (
                400,
                r#"{"error":{"message":"flagged by moderation, temperature 0"}}"#,
                "Other",
            ),
            (
                400,
                r#"{"error":{"message":"Content Exists Risk"}}"#,
                "Other",
            ),
            (
                400,
                r#"{"error":{"message":"maximum context length is 4096 tokens"}}"#,
                "Other",
            ),
            (
                400,
                r#"{"error":{"message":"Your credit balance is too low"}}"#,
                "Other",
            ),
            (
                404,
                r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#,
                "Other",
            ),
            (404, "<h1>Nothing here</h1>", "Other"),
            (403, r#"{"error":{"message":"temperature"}}"#, "Other"),
            (400, r#"{"error":"what?"}"#, "Unknown"),
            (422, "", "Unknown"),
            (500, "oops", "Unknown"),
        ] {
            let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
            let found = match cause(status, &value, body) {
                Cause::Part(part) => format!("{part:?}"),
                other => format!("{other:?}"),
            };
            assert_eq!(found, expected, "{status} {body}");
        }
    }

    #[test]
    fn a_proven_form_stays_r_l7() {
        let known = KnownForm::default();
        let plain = CompletionForm::FULL.plain().unwrap();
        known.learn(plain, Some(Cause::Answer));
        assert_eq!(known.form(), CompletionForm::FULL);
        known.learn(CompletionForm::FULL, None);
        known.learn(plain, Some(Cause::Part(RequestPart::Format)));
        assert_eq!(known.form(), CompletionForm::FULL);
        let fresh = KnownForm::default();
        fresh.learn(plain, Some(Cause::Unknown));
        assert_eq!(fresh.form(), plain);
    }
}
