//! `sites.plan.trigger`: counts what crawling and translating would cost, before anything is sent.
//!
//! Counting fetches the source, which takes as long as a crawl does; so it is a run, in the queue of the others, and what it
//! counted stands on the run.

use pipeline::engines::TokenEstimate;
use pipeline::state::{Planned, PlannedEngine, PlannedLocale, RunKind, RunRecord};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::ordered::OrderedRun;
use super::{Call, Reply, Schemas, crawl};
use crate::control::form::schema_of_answer;
use crate::http::error::ApiError;

/// What a build would send to engines.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Plan {
    pages: u64,
    /// Different texts on the pages.
    texts: u64,
    /// In all languages together.
    characters: u64,
    /// Characters that may be sent now; absent where nothing bounds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    characters_left: Option<u64>,
    locales: Vec<LanguagePlan>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "LanguagePlan")]
struct LanguagePlan {
    target_lang: String,
    /// Texts that people translated.
    people: u64,
    /// Texts that were translated before.
    memory: u64,
    /// Texts that engines would be asked for.
    new: u64,
    /// Texts among them that no engine takes.
    unavailable: u64,
    characters: u64,
    engines: Vec<EnginePlan>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "EnginePlan")]
struct EnginePlan {
    engine: String,
    texts: u64,
    requests: u64,
    characters: u64,
    /// In the money of the engine's price; for tokens with `admin:read`, where the configuration says a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<f64>,
    /// Estimate of the tokens that the service would count, by the ratio of earlier builds.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<TokensPlan>,
}

/// Estimate of the tokens of an engine.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "TokensPlan")]
struct TokensPlan {
    /// Tokens of requests.
    input: u64,
    /// Tokens of answers.
    output: u64,
    /// Tokens among those of requests that would come from the service's cache.
    cached: u64,
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(crawl::schema_of_body()),
        answer: schema_of_answer::<OrderedRun>(),
    }
}

pub(super) async fn trigger(call: &Call<'_>) -> Result<Reply, ApiError> {
    let answer = |run: &RunRecord, _| -> Value {
        json!(OrderedRun {
            run_id: run.id.to_string()
        })
    };
    let value = crawl::order(call, RunKind::Plan, answer).await?;
    let location = format!(
        "/api/sites/{}/runs/{}",
        call.site()?.id,
        value["runId"].as_str().unwrap_or_default()
    );
    Ok(Reply::ok(&value)?.accepted().at(Some(location)))
}

impl Plan {
    /// The plan as it is shown, with prices or without.
    pub(super) fn of(planned: &Planned, has_prices: bool) -> Self {
        Self {
            pages: planned.pages,
            texts: planned.texts,
            characters: planned.characters(),
            characters_left: planned.characters_left,
            locales: planned
                .locales
                .iter()
                .map(|locale| LanguagePlan::of(locale, has_prices))
                .collect(),
        }
    }
}

impl From<TokenEstimate> for TokensPlan {
    fn from(
        TokenEstimate {
            input,
            output,
            cached,
            basis: _,
        }: TokenEstimate,
    ) -> Self {
        Self {
            input,
            output,
            cached,
        }
    }
}

impl LanguagePlan {
    fn of(locale: &PlannedLocale, has_prices: bool) -> Self {
        let engine = |engine: &PlannedEngine| EnginePlan {
            engine: engine.engine.clone(),
            texts: engine.texts,
            requests: engine.requests,
            characters: engine.characters,
            price: engine.price.filter(|_| has_prices),
            tokens: engine.tokens.map(TokensPlan::from),
        };
        Self {
            target_lang: locale.locale.to_string(),
            people: locale.people,
            memory: locale.memory,
            new: locale.new,
            unavailable: locale.unavailable,
            characters: locale.characters,
            engines: locale.engines.iter().map(engine).collect(),
        }
    }
}
