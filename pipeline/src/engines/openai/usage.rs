//! Tokens that an answer of `chat/completions` reports, in the formats of different services (R-L20).

use serde_json::Value;

use super::super::TokenUsage;

/// Places of the cached tokens among those of the request.
const CACHED: [&str; 4] = [
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/prompt_cache_hit_tokens",
    "/cache_read_input_tokens",
];

/// Tokens that an answer or a refusal reports; `None` if it reports none.
pub(super) fn tokens(answer: &Value) -> Option<TokenUsage> {
    let usage = answer.get("usage").or_else(|| answer.pointer("/0/usage"))?;
    let total = count(usage, "/total_tokens");
    let asked = count(usage, "/prompt_tokens").or_else(|| apart(usage));
    let said = count(usage, "/completion_tokens").or_else(|| count(usage, "/output_tokens"));
    // Some services count reasoning in the total alone.
    let input = match (asked, total, said) {
        (Some(asked), ..) => asked,
        (None, Some(total), Some(said)) => total.saturating_sub(said),
        (None, None, Some(_)) => 0,
        (None, _, None) => return None,
    };
    let reasoned = total.unwrap_or_default().saturating_sub(input);
    let output = said.unwrap_or_default().max(reasoned);
    let cached = CACHED
        .into_iter()
        .find_map(|place| count(usage, place))
        .unwrap_or_default()
        .min(input);
    Some(TokenUsage {
        input,
        output,
        cached,
        requests: 1,
        characters: 0,
    })
}

/// Tokens of a request under `input_tokens`. Anthropic counts cached tokens separately.
fn apart(usage: &Value) -> Option<u64> {
    let mut tokens = count(usage, "/input_tokens")?;
    for place in ["/cache_read_input_tokens", "/cache_creation_input_tokens"] {
        tokens = tokens.saturating_add(count(usage, place).unwrap_or_default());
    }
    Some(tokens)
}

/// The count at a place, also with a decimal point or in quotation marks.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the count is checked before"
)]
fn count(usage: &Value, place: &str) -> Option<u64> {
    let value = usage.pointer(place)?;
    if let Some(float) = value.as_f64() {
        return if (0.0..1e15).contains(&float) {
            Some(float as u64)
        } else {
            None
        };
    }
    value.as_str()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_read_in_every_format_r_l20() {
        for (usage, expected) in [
            (
                json!({ "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150 }),
                [100, 50, 0],
            ),
            (
                json!({ "prompt_tokens": 100, "completion_tokens": 50, "prompt_tokens_details": { "cached_tokens": 64 } }),
                [100, 50, 64],
            ),
            (
                json!({ "prompt_tokens": 100, "completion_tokens": 50, "prompt_tokens_details": null }),
                [100, 50, 0],
            ),
            (
                json!({ "prompt_tokens": 100, "completion_tokens": 50, "prompt_cache_hit_tokens": 90 }),
                [100, 50, 90],
            ),
            (
                json!({ "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 400 }),
                [100, 300, 0],
            ),
            (
                json!({ "input_tokens": 20, "output_tokens": 30 }),
                [20, 30, 0],
            ),
            (
                json!({ "input_tokens": 20, "output_tokens": 30, "cache_read_input_tokens": 70,
                        "cache_creation_input_tokens": 10 }),
                [100, 30, 70],
            ),
            (
                json!({ "input_tokens": 20, "output_tokens": 30, "input_tokens_details": { "cached_tokens": 8 } }),
                [20, 30, 8],
            ),
            (
                json!({ "prompt_tokens": 100, "completion_tokens": 5, "cache_read_input_tokens": 70 }),
                [100, 5, 70],
            ),
            (
                json!({ "prompt_tokens": 100.0, "completion_tokens": "50" }),
                [100, 50, 0],
            ),
            (
                json!({ "prompt_tokens": 100, "total_tokens": 150 }),
                [100, 50, 0],
            ),
            (
                json!({ "completion_tokens": 50, "total_tokens": 150 }),
                [100, 50, 0],
            ),
            (
                json!({ "prompt_tokens": 0, "completion_tokens": 0 }),
                [0, 0, 0],
            ),
            (
                json!({ "prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 90 }),
                [10, 5, 10],
            ),
        ] {
            let found = tokens(&json!({ "choices": [], "usage": usage })).unwrap();
            assert_eq!(
                [found.input, found.output, found.cached],
                expected,
                "{usage}"
            );
            assert_eq!(found.requests, 1);
        }
    }

    #[test]
    fn absent_tokens_are_not_zero_r_l20() {
        for answer in [
            json!({ "choices": [] }),
            json!({ "usage": null }),
            json!({ "usage": {} }),
            json!({ "usage": { "prompt_tokens": null, "completion_tokens": -3 } }),
            json!({ "usage": { "total_tokens": 150 } }),
            json!({ "usage": "150" }),
            json!("usage"),
            Value::Null,
        ] {
            assert_eq!(tokens(&answer), None, "{answer}");
        }
    }
}
