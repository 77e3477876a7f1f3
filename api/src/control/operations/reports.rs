//! `sites.reports.*`: texts that readers' browsers told of because no dictionary knows them, and what the owner says of them.

use std::sync::LazyLock;

use pipeline::state::{ReportRecord, ReportStanding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// A text that readers' browsers told of.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Report")]
struct Item {
    text: String,
    status: StatusWord,
    /// The path, in the source, of the page on which it was first seen.
    path: String,
    /// The languages in which it was seen untranslated.
    target_langs: Vec<String>,
    /// How many readers were counted; they are forgotten after every third.
    readers: u64,
    /// When it was first kept.
    first_seen_at: Time,
    /// When readers were last counted, or the owner last said something of it.
    updated_at: Time,
}

/// What a site's owner said of a text.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ReportStatus")]
enum StatusWord {
    /// Nothing yet: no engine gets it.
    New,
    /// It is translated from the next build on.
    Taken,
    /// It is none of the site's, and is not told of again.
    Dropped,
}

/// Texts of the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReportRequest")]
struct Request {
    #[schemars(length(min = 1, max = 2000), inner(length(min = 1, max = 200)))]
    texts: Vec<String>,
}

/// What became of them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReportAnswer")]
struct Answer {
    /// How many are taken or dropped now.
    settled: usize,
    /// Those that are not in the list.
    unknown: Vec<String>,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Item>>(),
    }
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let id = call.site()?.id.clone();
    let mut reports: Vec<_> = call
        .state(move |state| state.reports(&id))
        .await?
        .into_iter()
        .collect();
    reports.sort_by_key(|(_, report)| report.place());
    Reply::ok(&page.cut(reports).map(|(text, report)| item(text, report)))
}

pub(super) async fn take(call: &Call<'_>) -> Result<Reply, ApiError> {
    settle(call, ReportStanding::Taken).await
}

pub(super) async fn drop(call: &Call<'_>) -> Result<Reply, ApiError> {
    settle(call, ReportStanding::Dropped).await
}

async fn settle(call: &Call<'_>, standing: ReportStanding) -> Result<Reply, ApiError> {
    let Request { texts } = FORM.read(&call.body)?;
    let id = call.site()?.id.clone();
    let now = call.now().to_keep();
    let asked = texts.len();
    let unknown = call
        .state(move |state| state.settle_reports(&id, &texts, standing, now))
        .await?;
    Reply::ok(&Answer {
        settled: asked - unknown.len(),
        unknown,
    })
}

fn item(text: String, report: ReportRecord) -> Item {
    Item {
        text,
        status: match report.standing {
            ReportStanding::New => StatusWord::New,
            ReportStanding::Taken => StatusWord::Taken,
            ReportStanding::Dropped => StatusWord::Dropped,
        },
        path: report.page.to_string(),
        target_langs: report.locales.iter().map(ToString::to_string).collect(),
        readers: report.readers,
        first_seen_at: Time::kept(report.first),
        updated_at: Time::kept(report.last),
    }
}
