//! Test of an engine with one sentence: time, tokens, the request form that the service accepts, and the return of an
//! inline code, a number and a placeholder.
//!
//! Preparation and checks are those of a build, but the text is sent once. There are no retries, and nothing is kept.

use std::sync::Arc;

use serde::Serialize;

use super::samples::sample;
use crate::config::NamedEngine;
use crate::engines::{RequestForm, TokenUsage, start};
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, Segment, check};
use crate::text::{same_numbers, variables};
use crate::translate::{Chain, Probe};

/// Result of one question to an engine.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineTest {
    /// The engine's name in the configuration.
    pub engine: String,
    /// Its kind.
    pub kind: &'static str,
    /// Language of the text.
    pub from: Locale,
    /// Language of the answer.
    pub locale: Locale,
    /// True if there is no problem.
    pub ok: bool,
    /// Time to the answer in milliseconds; `None` if the engine was not asked.
    pub time_ms: Option<u64>,
    /// Requests that the service got: several if it refused a part of the first one.
    pub requests: u64,
    /// Characters sent, codes not counted.
    pub characters: u64,
    /// Tokens as the service counted them; `None` if it reported none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenUsage>,
    /// Price of the requests; `None` without a price, or if it is per token and none were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// Request form that the service accepted; `None` for engines with one form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<RequestForm>,
    /// The text, with its code in the notation of translation files.
    pub source: String,
    /// The answer as it came, before a build cleans it; `None` if there is none.
    pub answer: Option<String>,
    /// Parts of the text that came back; `None` without an answer.
    pub kept: Option<KeptParts>,
    /// Reasons why a build could not use the engine, or would refuse this answer.
    pub problems: Vec<String>,
    /// Notices of the engine.
    pub notices: Vec<String>,
}

/// Parts of the text that came back in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptParts {
    /// The inline code.
    pub code: bool,
    /// The number.
    pub number: bool,
    /// The placeholder.
    pub placeholder: bool,
}

/// Asks an engine for one sentence; `None` if there is no sentence in the language ([`sample_languages`](super::sample_languages)).
pub async fn test_engine(engine: &NamedEngine, pair: LanguagePair<&Locale>) -> Option<EngineTest> {
    let segment = sample(pair.from)?;
    let mut test = EngineTest::of(engine, pair, &segment);
    match start(&engine.spec) {
        Ok(started) => {
            let chain = Chain::new(vec![(engine.name.clone(), Arc::clone(&started))]);
            test.problems = chain.hints(pair);
            if let Some(probe) = chain.probe(pair, &segment).await {
                test.take(probe, engine, &segment);
            }
            test.notices = started.take_notices();
        }
        Err(error) => test.problems.push(error.to_string()),
    }
    test.ok = test.problems.is_empty();
    Some(test)
}

impl EngineTest {
    /// A test before the engine is asked.
    fn of(engine: &NamedEngine, pair: LanguagePair<&Locale>, segment: &Segment) -> Self {
        Self {
            engine: engine.name.clone(),
            kind: engine.spec.kind(),
            from: pair.from.clone(),
            locale: pair.to.clone(),
            ok: false,
            time_ms: None,
            requests: 0,
            characters: 0,
            tokens: None,
            price: None,
            form: None,
            source: segment.text.to_markup(),
            answer: None,
            kept: None,
            problems: Vec::new(),
            notices: Vec::new(),
        }
    }

    fn take(&mut self, probe: Probe, engine: &NamedEngine, segment: &Segment) {
        self.time_ms = Some(u64::try_from(probe.time.as_millis()).unwrap_or(u64::MAX));
        self.requests = probe.requests;
        self.characters = probe.characters;
        self.tokens = probe.tokens.named();
        self.price = engine.price_of(probe.characters, &probe.tokens);
        self.form = probe.form;
        let answer = match probe.answer {
            Ok(answer) => answer,
            Err(reason) => {
                self.problems.push(reason.to_string());
                return;
            }
        };
        let kept = KeptParts::of(segment, &answer.text);
        self.kept = Some(kept);
        self.answer = Some(answer.text.to_markup());
        // A flaw names the missing part already. Without one, the checks may have let a missing part pass.
        match answer.flaw {
            Some(flaw) => self.problems.push(flaw),
            None => self.problems.extend(
                kept.missing()
                    .map(|part| format!("the {part} did not come back")),
            ),
        }
    }
}

impl KeptParts {
    fn of(segment: &Segment, answer: &CodedText) -> Self {
        let source = segment.text.text();
        let target = answer.text();
        let placeholders = variables(source);
        Self {
            code: check(segment, answer).is_ok(),
            number: same_numbers(source, target),
            placeholder: placeholders
                .into_iter()
                .all(|at| source.get(at).is_some_and(|words| target.contains(words))),
        }
    }

    /// Names of the parts that did not come back.
    fn missing(self) -> impl Iterator<Item = &'static str> {
        let parts = [
            (self.code, "code"),
            (self.number, "number"),
            (self.placeholder, "placeholder"),
        ];
        parts
            .into_iter()
            .filter(|(is_kept, _)| !is_kept)
            .map(|(_, part)| part)
    }
}
