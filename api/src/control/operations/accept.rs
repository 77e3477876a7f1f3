//! `sites.runs.accept`: takes the source as a run saw it that found it suspect.
//!
//! What is accepted is what that run saw. The new run crawls again; where it finds anything else, it judges that anew.

use pipeline::model::{Doubt, SourceSuspect};
use pipeline::state::{RunKind, RunOrder, RunOrigin, RunRecord};
use schemars::JsonSchema;
use serde::Serialize;

use super::ordered::{OrderedRun, ordered};
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

/// Why a run kept part of the last accepted source instead of what it was given.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SourceSuspect")]
pub(super) struct Suspect {
    /// Always `source_suspect`.
    code: String,
    /// What is wrong, for people.
    message: String,
    known_pages: u64,
    /// Known pages that are not there any more.
    vanished_pages: u64,
    /// Known pages that lead to another page.
    redirected_pages: u64,
    /// Known pages that have one text now, or the text of an error.
    equal_pages: u64,
    /// Pages that earlier crawls of the last 24 hours lost.
    lost_before: u64,
    /// Pages that may be lost.
    max_lost: u64,
    new_pages: u64,
    /// Unknown pages that may come at once.
    max_new: u64,
    /// Pages that keep their last version.
    kept_pages: u64,
    /// Unknown pages that were not taken.
    held_back_pages: u64,
    /// Up to ten of the pages.
    examples: Vec<Example>,
    /// What the run saw.
    fingerprint: String,
    /// The run that accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_by: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SuspectPage")]
struct Example {
    path: String,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SuspectReason")]
enum Reason {
    /// The page is not there any more.
    Vanished,
    /// The page leads to another one.
    Redirected,
    /// The page has the text of other pages, or of an error.
    EqualText,
    /// The page was not known.
    New,
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: schema_of_answer::<OrderedRun>(),
    }
}

pub(super) async fn order(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let site = call.site()?.id.clone();
    let accept = call.run_id()?;
    let of = site.clone();
    let run = call
        .state(move |state| state.run(&of, accept))
        .await?
        .ok_or(ApiError::RunNotFound)?;
    if run
        .suspect
        .is_none_or(|suspect| suspect.accepted_by.is_some())
    {
        return Err(ApiError::RunNotSuspect);
    }
    let order = RunOrder {
        locales: run.order.locales,
        accept: Some(accept),
        ..RunOrder::of(RunKind::Build, RunOrigin::Api)
    };
    ordered(
        call,
        &site,
        RunRecord::new(order, run.selected, call.now().to_keep()),
    )
    .await
}

impl From<SourceSuspect> for Suspect {
    fn from(suspect: SourceSuspect) -> Self {
        let example = |page: &pipeline::model::DoubtfulPage| Example {
            path: page.path.to_string(),
            reason: match page.reason {
                Doubt::Vanished => Reason::Vanished,
                Doubt::Redirected => Reason::Redirected,
                Doubt::EqualText => Reason::EqualText,
                Doubt::New => Reason::New,
            },
        };
        Self {
            message: suspect.message(),
            examples: suspect.examples.iter().map(example).collect(),
            code: suspect.code,
            known_pages: suspect.known_pages,
            vanished_pages: suspect.vanished_pages,
            redirected_pages: suspect.redirected_pages,
            equal_pages: suspect.equal_pages,
            lost_before: suspect.lost_before,
            max_lost: suspect.max_lost,
            new_pages: suspect.new_pages,
            max_new: suspect.max_new,
            kept_pages: suspect.kept_pages,
            held_back_pages: suspect.held_back_pages,
            fingerprint: suspect.fingerprint,
            accepted_by: suspect.accepted_by.map(|run| run.to_string()),
        }
    }
}
