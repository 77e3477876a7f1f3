//! Tokens and prices in words.

use pipeline::engines::TokenUsage;

/// Tokens of requests and answers.
pub(super) fn tokens_in_words(tokens: &TokenUsage) -> String {
    let cached = if tokens.cached > 0 {
        format!(" ({} of them cached)", tokens.cached)
    } else {
        String::new()
    };
    format!("{} tokens in{cached}, {} out", tokens.input, tokens.output)
}

/// A price, with more digits for small amounts.
pub(super) fn money(price: f64) -> String {
    if price >= 0.1 || price == 0.0 {
        format!("{price:.2}")
    } else if price >= 0.000_1 {
        format!("{price:.4}")
    } else {
        "less than 0.0001".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_prices_are_not_zero_r_l20() {
        let said = [12.5, 0.4, 0.012_34, 0.000_01, 0.0].map(money);
        assert_eq!(
            said,
            ["12.50", "0.40", "0.0123", "less than 0.0001", "0.00"]
        );
    }

    #[test]
    fn cached_tokens_are_named_if_there_are_any_r_l20() {
        let tokens = TokenUsage {
            input: 300,
            output: 150,
            cached: 100,
            requests: 2,
            characters: 90,
        };
        assert_eq!(
            tokens_in_words(&tokens),
            "300 tokens in (100 of them cached), 150 out"
        );
        assert_eq!(
            tokens_in_words(&TokenUsage {
                cached: 0,
                ..tokens
            }),
            "300 tokens in, 150 out"
        );
    }
}
