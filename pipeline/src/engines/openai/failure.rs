//! Classifies failures of language model services by their message: many services use one status for a rate limit, an
//! empty account and an invalid key.

use serde_json::Value;

use super::super::EngineError;
use super::super::http::{Http, HttpReply};

/// Phrases for texts that a filter stops, in messages and codes.
pub(super) const FILTERED: [&str; 21] = [
    "content_filter",
    "content filter",
    "content management policy",
    "content_policy_violation",
    "content policy",
    "content exists risk",
    "data_inspection_failed",
    "blocked for safety",
    "flagged as",
    "flagged by",
    "flagged for",
    "for safety reasons",
    "input was flagged",
    "inappropriate content",
    "invalid_prompt",
    "moderation_blocked",
    "requires moderation",
    "responsibleaipolicyviolation",
    "safety system",
    "usage policies",
    "usage policy",
];

/// Phrases for an empty account, where waiting does not help.
const SPENT: [&str; 9] = [
    "insufficient_quota",
    "billing_hard_limit",
    "billing_not_active",
    "credit balance is too low",
    "insufficient credits",
    "insufficient balance",
    "spend limit",
    "spending limit",
    "out of credits",
];

/// Phrases for limits that last longer than minutes. Other refusals may quote a text with these phrases.
const LONG_LIMITS: [&str; 4] = ["perday", "per day", "per-day", "per month"];

/// Phrases for an invalid key.
const NO_KEY: [&str; 6] = [
    "api key not valid",
    "invalid api key",
    "incorrect api key",
    "api_key_invalid",
    "invalid_api_key",
    "invalid authentication",
];

/// Phrases for an unsupported region.
const NO_PLACE: [&str; 4] = [
    "unsupported_country_region_territory",
    "country, region, or territory not supported",
    "user location is not supported",
    "not available in your country",
];

/// The failure in an answer without a success status.
pub(super) fn of(http: &Http, reply: &HttpReply) -> EngineError {
    let said = said(reply);
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    match reply.status {
        400 | 403 | 422 if is_declined(reply) => EngineError::Declined(http.told(reply)),
        400 | 402 | 403 | 429 if is_spent(reply, &said) => EngineError::Quota(http.told(reply)),
        403 | 400 if says(&NO_PLACE) => EngineError::Absent(http.told(reply)),
        400 | 403 if says(&NO_KEY) => EngineError::Auth(format!(
            "{} says with status {} that the API key is not valid",
            http.host(),
            reply.status
        )),
        _ => http.failure(reply),
    }
}

/// True for a failure that persists in any other request form.
pub(super) fn is_lasting(reply: &HttpReply) -> bool {
    let said = said(reply);
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    matches!(reply.status, 401..=403) || is_spent(reply, &said) || says(&NO_KEY) || says(&NO_PLACE)
}

/// True if the service says that it declines the texts. An answer without a known message may just quote them.
fn is_declined(reply: &HttpReply) -> bool {
    let said = said(reply);
    reply.has_message() && FILTERED.iter().any(|words| said.contains(words))
}

/// True for an empty account, and for a limit of a day or a month.
fn is_spent(reply: &HttpReply, said: &str) -> bool {
    let has_long_limit =
        matches!(reply.status, 402 | 429) && LONG_LIMITS.iter().any(|word| said.contains(word));
    has_long_limit || SPENT.iter().any(|word| said.contains(word))
}

/// The whole answer in lower case.
fn said(reply: &HttpReply) -> String {
    let mut said = reply.message();
    let value = reply.value();
    let value = value.get(0).unwrap_or(&value);
    for place in [
        "/error/code",
        "/error/type",
        "/error/status",
        "/code",
        "/type",
    ] {
        if let Some(word) = value.pointer(place).and_then(Value::as_str) {
            said.push(' ');
            said.push_str(word);
        }
    }
    said.to_lowercase()
}

/// The failure in an answer with a success status: gateways pass on provider errors.
pub(super) fn in_success(reply: &HttpReply) -> Option<HttpReply> {
    let value = reply.value();
    let error = value
        .get("error")
        .or_else(|| value.pointer("/choices/0/error"))?;
    let is_empty = match error {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Number(code) => code.as_u64() == Some(0),
        Value::Bool(true) => false,
    };
    if is_empty {
        return None;
    }
    let code = error.get("code");
    let status = code
        .and_then(Value::as_u64)
        .or_else(|| code.and_then(Value::as_str)?.parse().ok());
    let status = status
        .and_then(|status| u16::try_from(status).ok())
        .filter(|status| (400..600).contains(status));
    Some(reply.with_status(status.unwrap_or(502)))
}
