//! `digests.next.get`: what the next digest of the caller's account would say, of the sites that the token may see.

use pipeline::config::SiteConfig;
use pipeline::digest::{self, Digest};
use schemars::JsonSchema;
use serde::Serialize;

use super::frequency::FrequencyWord;
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

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
    /// One for each language in which something happened.
    lines: Vec<Line>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
}

pub(super) fn schemas() -> Schemas {
    Schemas { answer: schema_of_answer::<Answer>(), ..Schemas::default() }
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let caller = call.caller()?;
    let list = call.api.sites().list();
    let seen = list.values().map(|known| &known.config).filter(|site| caller.sees(&site.id));
    let sites: Vec<SiteConfig> = seen.map(|site| SiteConfig::clone(site)).collect();
    let (account, now) = (caller.subject.clone(), call.now().to_keep());
    let digest = call.state(move |state| digest::due_to(&account, &sites, state, now)).await?;
    Reply::ok(&Answer { digest: digest.map(Next::from) })
}

impl From<Digest> for Next {
    fn from(digest: Digest) -> Self {
        let lines = digest.lines.into_iter().map(|line| Line {
            site_id: line.site.to_string(),
            target_lang: line.locale.to_string(),
            pages: line.pages,
            updated: line.updated,
            headline: line.headline,
        });
        let lines = lines.collect();
        Self { account_id: digest.account, email: digest.email, frequency: digest.frequency.into(), lines }
    }
}
