//! `me.get`: what a token may do, and what is left of its limits and its budget.

use std::sync::Arc;

use pipeline::run::month;
use schemars::JsonSchema;
use serde::Serialize;

use super::usage::Usage;
use super::{Call, Reply, Schemas};
use crate::app::CountedBy;
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

/// Whoever sent the token.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Account")]
struct Answer {
    /// The token's subject.
    subject: String,
    scopes: Vec<String>,
    /// The ids of the sites that the token may see; `*` stands for all.
    sites: Vec<String>,
    /// Requests that the subject has left, for each limit except those of other hosts and of connections.
    limits: Vec<Limit>,
    /// What engines got for all sites and previews that the subject put or ordered.
    usage: Usage,
}

/// A bucket of requests.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RequestLimit")]
struct Limit {
    /// Its name in `[api.limits]`.
    name: String,
    /// Requester that the limit counts.
    counted_by: By,
    /// The site, if it counts a site's.
    #[serde(skip_serializing_if = "Option::is_none")]
    site_id: Option<String>,
    /// How many requests may come at once.
    limit: u32,
    /// How many may come now.
    remaining: u32,
    /// When as many as possible may come again, in whole seconds.
    reset_seconds: u64,
}

/// Requester that a limit counts.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RequestLimitCountedBy")]
enum By {
    Subject,
    Site,
    Address,
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
    let subject = caller.subject.clone();
    let spent = call
        .state(move |state| state.spent_by(&subject, month()))
        .await?;
    let most = Arc::clone(&call.api.settings().config)
        .api
        .sites
        .max_chars_per_month;
    let mut limits = Vec::new();
    for limited in call.api.standings(caller, call.client) {
        let standing = limited.standing;
        let (counted_by, site_id) = match limited.by {
            CountedBy::Subject => (By::Subject, None),
            CountedBy::Site(site) => (By::Site, Some(site.to_string())),
            CountedBy::Address => (By::Address, None),
        };
        limits.push(Limit {
            name: limited.name.to_owned(),
            counted_by,
            site_id,
            limit: standing.limit,
            remaining: standing.remaining,
            reset_seconds: standing.reset.as_secs() + u64::from(standing.reset.subsec_nanos() > 0),
        });
    }
    Reply::ok(&Answer {
        subject: caller.subject.clone(),
        scopes: caller.scopes().map(str::to_owned).collect(),
        sites: caller.sites(),
        limits,
        usage: Usage::of(spent, most),
    })
}
