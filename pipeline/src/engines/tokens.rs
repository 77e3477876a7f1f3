//! Tokens of language models as services count them, and their price.

use serde::{Deserialize, Serialize};

/// Tokens that a service counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    /// Tokens of the requests, including those from the service's cache.
    pub input: u64,
    /// Tokens of the answers, including the model's reasoning.
    pub output: u64,
    /// Tokens among those of the requests that came from the service's cache.
    pub cached: u64,
    /// Requests whose answers reported tokens; the other figures are for these requests.
    pub requests: u64,
    /// Characters in these requests, codes not counted.
    pub characters: u64,
}

/// Estimate of the tokens of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenEstimate {
    /// Tokens of requests.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// Tokens among those of requests that would come from the service's cache.
    pub cached: u64,
    /// Builds from which the ratio comes.
    pub basis: EstimateBasis,
}

/// Builds from which the ratio of tokens to characters comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EstimateBasis {
    /// Earlier builds of this language by this engine.
    EarlierBuilds,
    /// Earlier builds of other languages by this engine.
    OtherLanguages,
}

impl TokenEstimate {
    /// An estimate with its basis.
    pub(crate) fn of(tokens: TokenUsage, basis: EstimateBasis) -> Self {
        Self {
            input: tokens.input,
            output: tokens.output,
            cached: tokens.cached,
            basis,
        }
    }

    /// The tokens of the estimate.
    pub(crate) fn tokens(&self) -> TokenUsage {
        TokenUsage {
            input: self.input,
            output: self.output,
            cached: self.cached,
            requests: 1,
            characters: 0,
        }
    }
}

/// Prices of a million tokens, by kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenPrice {
    /// Tokens of requests.
    pub input: f64,
    /// Tokens of answers.
    pub output: f64,
    /// Tokens of requests that come from the service's cache.
    pub cached: f64,
}

/// A price in the currency of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Price(pub f64);

// Prices are products of finite numbers, never NaN.
impl Eq for Price {}

impl TokenUsage {
    /// True if no answer reported tokens.
    pub fn is_empty(&self) -> bool {
        self.requests == 0
    }

    /// The same tokens; `None` if no answer reported any.
    pub fn named(self) -> Option<Self> {
        if self.is_empty() { None } else { Some(self) }
    }

    /// Adds the tokens of other requests.
    pub fn add(&mut self, other: Self) {
        let Self {
            input,
            output,
            cached,
            requests,
            characters,
        } = other;
        self.input = self.input.saturating_add(input);
        self.output = self.output.saturating_add(output);
        self.cached = self.cached.saturating_add(cached);
        self.requests = self.requests.saturating_add(requests);
        self.characters = self.characters.saturating_add(characters);
    }

    /// Tokens for this many characters at the same ratio; `None` if no characters were counted.
    pub fn for_characters(&self, characters: u64) -> Option<Self> {
        let whole = self.characters;
        Some(Self {
            input: scaled(self.input, characters, whole)?,
            output: scaled(self.output, characters, whole)?,
            cached: scaled(self.cached, characters, whole)?,
            requests: self.requests,
            characters,
        })
    }
}

/// `tokens` × `part` ÷ `whole`; `None` for a whole of 0.
fn scaled(tokens: u64, part: u64, whole: u64) -> Option<u64> {
    let product = u128::from(tokens) * u128::from(part);
    u64::try_from(product.checked_div(u128::from(whole))?).ok()
}

impl TokenPrice {
    /// The price of these tokens.
    #[expect(
        clippy::cast_precision_loss,
        reason = "tokens of a build are fewer than 2^52"
    )]
    pub fn of(&self, tokens: &TokenUsage) -> f64 {
        let cached = tokens.cached.min(tokens.input);
        let price = self.input * (tokens.input - cached) as f64
            + self.cached * cached as f64
            + self.output * tokens.output as f64;
        price / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUILD: TokenUsage = TokenUsage {
        input: 3_000,
        output: 1_000,
        cached: 1_000,
        requests: 4,
        characters: 2_000,
    };

    #[test]
    fn cached_tokens_have_their_own_price_r_l20() {
        let price = TokenPrice {
            input: 2.0,
            output: 8.0,
            cached: 0.5,
        };
        assert!(
            (price.of(&BUILD) - 0.0125).abs() < 1e-12,
            "{}",
            price.of(&BUILD)
        );
        assert!(
            (price.of(&TokenUsage {
                cached: 9_000,
                ..BUILD
            }) - 0.0095)
                .abs()
                < 1e-12
        );
    }

    #[test]
    fn tokens_of_other_texts_follow_the_ratio_r_l20() {
        let found = BUILD.for_characters(500).unwrap();
        assert_eq!(
            (found.input, found.output, found.cached, found.characters),
            (750, 250, 250, 500)
        );
        assert_eq!(TokenUsage::default().for_characters(500), None);
    }
}
