//! One question to one engine, without retries, and the answer as it came.

use std::time::{Duration, Instant};

use super::failed::Failed;
use super::round::Round;
use super::wanted::AskTexts;
use super::{Chain, FailureReason};
use crate::engines::{RequestForm, TokenUsage};
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, Segment};

/// Result of one question to an engine.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Time to the answer.
    pub time: Duration,
    /// Requests that the service got: several if it refused a part of the first one.
    pub requests: u64,
    /// Characters sent, codes not counted.
    pub characters: u64,
    /// Tokens as the service counted them.
    pub tokens: TokenUsage,
    /// Request form that the service accepted, for engines that adapt it.
    pub form: Option<RequestForm>,
    /// The answer, or the reason why there is none.
    pub answer: Result<ProbeAnswer, FailureReason>,
}

/// An answer before a build cleans it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// The text with its codes.
    pub text: CodedText,
    /// Reason why a build would refuse it; `None` if a build would publish it.
    pub flaw: Option<String>,
}

impl Chain {
    /// Asks the first engine that offers the pair for one text, once; `None` if none offers it.
    pub async fn probe(&self, pair: LanguagePair<&Locale>, segment: &Segment) -> Option<Probe> {
        let (name, engine) = self.offering(pair).next()?;
        let texts = AskTexts {
            segments: std::slice::from_ref(segment),
            parts: None,
            pages: &[],
            contexts: &[],
        };
        let line = self
            .line((name, engine.as_ref()), pair, texts)
            .without_retries();
        let began = Instant::now();
        let answer = Round::together(&line, vec![Failed::new(0)]).probe().await;
        let time = began.elapsed();
        let sent = line.sent();
        Some(Probe {
            time,
            requests: sent.calls,
            characters: sent.characters,
            tokens: sent.tokens,
            form: engine.form(),
            answer,
        })
    }
}
