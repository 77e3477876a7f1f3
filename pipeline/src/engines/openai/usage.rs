//! Tokens that an answer of `chat/completions` reports, in the formats of different services (R-L20).

use serde_json::Value;

use super::super::Tokens;

/// Places of the cached tokens among those of the request.
const CACHED: [&str; 4] = [
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/prompt_cache_hit_tokens",
    "/cache_read_input_tokens",
];

/// Tokens that an answer or a refusal reports; `None` if it reports none.
pub(super) fn tokens(answer: &Value) -> Option<Tokens> {
    let usage = answer.get("usage").or_else(|| answer.pointer("/0/usage"))?;
    let get = |place: &str| usage.pointer(place).and_then(number);
    let total = get("/total_tokens");
    let asked = get("/prompt_tokens").or_else(|| apart(usage));
    let said = get("/completion_tokens").or_else(|| get("/output_tokens"));
    let (input, output) = match (asked, said, total) {
        // Some services count reasoning in the total alone.
        (Some(input), Some(output), Some(total)) => (input, output.max(total.saturating_sub(input))),
        (Some(input), Some(output), None) => (input, output),
        (Some(input), None, total) => (input, total.unwrap_or(input).saturating_sub(input)),
        (None, Some(output), total) => (total.unwrap_or(output).saturating_sub(output), output),
        (None, None, _) => return None,
    };
    let cached = CACHED.into_iter().find_map(get).unwrap_or_default().min(input);
    Some(Tokens { input, output, cached, requests: 1, characters: 0 })
}

/// Tokens of a request under `input_tokens`. Anthropic counts cached tokens separately.
fn apart(usage: &Value) -> Option<u64> {
    let get = |name: &str| usage.get(name).and_then(number);
    let beside = ["cache_read_input_tokens", "cache_creation_input_tokens"];
    let beside: u64 = beside.into_iter().filter_map(get).fold(0, u64::saturating_add);
    Some(get("input_tokens")?.saturating_add(beside))
}

/// A count, also with a decimal point or in quotation marks.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the count is checked before")]
fn number(value: &Value) -> Option<u64> {
    let float = || value.as_f64().filter(|count| (0.0..1e15).contains(count)).map(|count| count as u64);
    value.as_u64().or_else(float).or_else(|| value.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_read_in_every_format_r_l20() {
        for (usage, expected) in [
            (json!({ "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150 }), [100, 50, 0]),
            (
                json!({ "prompt_tokens": 100, "completion_tokens": 50, "prompt_tokens_details": { "cached_tokens": 64 } }),
                [100, 50, 64],
            ),
            (json!({ "prompt_tokens": 100, "completion_tokens": 50, "prompt_tokens_details": null }), [100, 50, 0]),
            (json!({ "prompt_tokens": 100, "completion_tokens": 50, "prompt_cache_hit_tokens": 90 }), [100, 50, 90]),
            (json!({ "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 400 }), [100, 300, 0]),
            (json!({ "input_tokens": 20, "output_tokens": 30 }), [20, 30, 0]),
            (
                json!({ "input_tokens": 20, "output_tokens": 30, "cache_read_input_tokens": 70,
                        "cache_creation_input_tokens": 10 }),
                [100, 30, 70],
            ),
            (
                json!({ "input_tokens": 20, "output_tokens": 30, "input_tokens_details": { "cached_tokens": 8 } }),
                [20, 30, 8],
            ),
            (json!({ "prompt_tokens": 100, "completion_tokens": 5, "cache_read_input_tokens": 70 }), [100, 5, 70]),
            (json!({ "prompt_tokens": 100.0, "completion_tokens": "50" }), [100, 50, 0]),
            (json!({ "prompt_tokens": 100, "total_tokens": 150 }), [100, 50, 0]),
            (json!({ "completion_tokens": 50, "total_tokens": 150 }), [100, 50, 0]),
            (json!({ "prompt_tokens": 0, "completion_tokens": 0 }), [0, 0, 0]),
            (json!({ "prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 90 }), [10, 5, 10]),
        ] {
            let found = tokens(&json!({ "choices": [], "usage": usage })).unwrap();
            assert_eq!([found.input, found.output, found.cached], expected, "{usage}");
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
