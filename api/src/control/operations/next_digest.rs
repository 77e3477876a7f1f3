//! `digests.next.get`: what the next digest of the caller's account would say, of the sites that the token may see.

use pipeline::config::SiteConfig;
use pipeline::digest::{self, Digest};
use schemars::JsonSchema;
use serde::Serialize;

use super::frequency::FrequencyWord;
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NextDigestAnswer")]
struct Answer {
    /// Absent without a subscription, or with one that is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Next>,
}

/// What a digest says.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NextDigest")]
struct Next {
    /// The token's subject.
    account_id: String,
    email: String,
    frequency: FrequencyWord,
    /// From when on it says what happened: since the last one that was sent, or for a day or a week.
    since: Time,
    /// One for each language in which something happened.
    lines: Vec<Line>,
    /// One for each site in which something happened.
    budgets: Vec<Budget>,
}

/// What a site may cost this month.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NextDigestBudget")]
struct Budget {
    site_id: String,
    /// Characters that were sent to engines this month.
    characters_sent: u64,
    /// Absent where they are not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    characters_left: Option<u64>,
}

/// What happened to a language of a site.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NextDigestLine")]
struct Line {
    site_id: String,
    target_lang: String,
    /// Pages that exist in it now.
    pages: u64,
    /// Pages that became new or other.
    updated: u64,
    /// Words that stay in the source language now.
    words_untranslated: u64,
    /// Texts and pages that failed.
    failures: u64,
    /// Characters that were sent to engines.
    characters_sent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Answer>(),
        ..Schemas::default()
    }
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let caller = call.caller()?;
    let list = call.api.sites().list();
    let seen = list
        .values()
        .map(|known| &known.config)
        .filter(|site| caller.sees(&site.id));
    let sites: Vec<SiteConfig> = seen.map(|site| SiteConfig::clone(site)).collect();
    let account = caller.subject.clone();
    let now = call.now().to_keep();
    let digest = call
        .state(move |state| digest::due_to(&account, &sites, state, now))
        .await?;
    Reply::ok(&Answer {
        digest: digest.map(Next::from),
    })
}

impl From<Digest> for Next {
    fn from(digest: Digest) -> Self {
        let lines = digest.lines.into_iter().map(|line| Line {
            site_id: line.site.to_string(),
            target_lang: line.locale.to_string(),
            pages: line.pages,
            updated: line.updated,
            words_untranslated: line.untranslated,
            failures: line.failures,
            characters_sent: line.characters,
            headline: line.headline,
            notes: line.notes,
        });
        let budgets = digest.budgets.into_iter().map(|budget| Budget {
            site_id: budget.site.to_string(),
            characters_sent: budget.spent,
            characters_left: budget.left,
        });
        Self {
            account_id: digest.account,
            email: digest.email,
            frequency: digest.frequency.into(),
            since: Time::kept(digest.since),
            lines: lines.collect(),
            budgets: budgets.collect(),
        }
    }
}
