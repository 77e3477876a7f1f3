//! `sites.usage.get`: what engines got for a site, month by month, and what is left of its budget.

use std::sync::Arc;

use pipeline::config::SiteConfig;
use pipeline::run::month;
use pipeline::state::{MonthSpent, ShareSpent};
use schemars::JsonSchema;
use serde::Serialize;

use super::line::ADMIN_READ;
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

/// What engines got for a site.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SiteUsage")]
struct Answer {
    /// This month, in UTC.
    current: Usage,
    /// All months in which anything was sent, the newest first.
    months: Vec<MonthUsage>,
}

/// What was sent in this month, and what may be.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Usage")]
pub(super) struct Usage {
    /// Such as `2026-11`.
    month: String,
    characters_sent: u64,
    /// The most characters in a month; `null` where nothing bounds them.
    max_chars_per_month: Option<u64>,
    characters_left: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "MonthUsage")]
struct MonthUsage {
    /// Such as `2026-11`.
    month: String,
    characters_sent: u64,
    /// To which engine, and for which language; only for `admin:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Vec<Share>>,
}

/// What one engine was sent for one language.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "EngineUsage")]
struct Share {
    engine: String,
    target_lang: String,
    characters_sent: u64,
    /// What that costs at the price that the configuration has now, in its currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<f64>,
}

impl Usage {
    /// What is left of a month in which this was sent.
    pub(super) fn of(characters_sent: u64, max_chars_per_month: Option<u64>) -> Self {
        let characters_left = max_chars_per_month.map(|most| most.saturating_sub(characters_sent));
        Self {
            month: month().iso(),
            characters_sent,
            max_chars_per_month,
            characters_left,
        }
    }
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Answer>(),
        ..Schemas::default()
    }
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let site = call.site()?;
    let id = site.id.clone();
    let (spent, months) = call
        .state(move |state| Ok((state.spent(&id, month())?, state.months_of(&id)?)))
        .await?;
    let has_shares = call.caller()?.has(ADMIN_READ);
    let months = months
        .into_iter()
        .map(|spent| MonthUsage::of(spent, has_shares.then_some(site)));
    Reply::ok(&Answer {
        current: Usage::of(spent, site.max_chars_per_month),
        months: months.collect(),
    })
}

impl MonthUsage {
    /// A month, with its parts where the engines' prices may be told.
    fn of(spent: MonthSpent, priced: Option<&Arc<SiteConfig>>) -> Self {
        let shares = priced.map(|site| {
            spent
                .shares
                .into_iter()
                .map(|share| Share::of(share, site))
                .collect()
        });
        Self {
            month: spent.month.iso(),
            characters_sent: spent.characters,
            shares,
        }
    }
}

impl Share {
    #[expect(
        clippy::cast_precision_loss,
        reason = "characters of a month are fewer than 2^52"
    )]
    fn of(share: ShareSpent, site: &SiteConfig) -> Self {
        let engine = site
            .all_engines()
            .find(|engine| engine.name == share.engine);
        let price = engine.and_then(|engine| engine.price_per_million);
        Self {
            price: price.map(|price| price * share.characters as f64 / 1e6),
            engine: share.engine,
            target_lang: share.locale,
            characters_sent: share.characters,
        }
    }
}
