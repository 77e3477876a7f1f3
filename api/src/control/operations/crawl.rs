//! `sites.crawl_translate.trigger`: puts a run into the site's queue.
//!
//! The run is durable before it is answered. An equal one that waits or works is joined, so that impatience costs
//! nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pipeline::model::{Locale, PagePath, PageSelection};
use pipeline::state::{RunKind, RunOrder, RunOrigin, RunRecord, SourceKind};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ordered::enqueue;
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::http::error::ApiError;

/// What to crawl and translate.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CrawlTranslateRequest")]
struct Request {
    /// Locales for which engines may be asked.
    #[schemars(extend("examples" = [["es"]]), length(min = 1, max = 200), inner(pattern("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$")))]
    target_langs: Vec<String>,
    /// Pages that may change, by the path under which the site lists them.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(max = 512)))]
    page_ids: Option<Vec<String>>,
    /// Paths that may change; one that ends in `/*` means everything below.
    #[serde(default)]
    #[schemars(
        length(max = 200),
        inner(length(max = 512), pattern("^/([^/\\\\\\x00-\\x20][^\\x00-\\x1f]*)?$"))
    )]
    source_paths: Option<Vec<String>>,
    /// Whether engines are asked again for what they translated before.
    #[serde(default)]
    force: Option<bool>,
}

/// The run that does it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CrawlTranslateAnswer")]
struct Answer {
    /// The run's id.
    crawl_id: String,
    /// Pages that this request put into the queue, at least the start page; 0 when an equal run was there already.
    enqueued_count: u64,
    /// Known pages that are meant; 0 before the first crawl.
    selected_count: u64,
    force: bool,
    target_langs: Vec<String>,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(schema_of_body()),
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) async fn trigger(call: &Call<'_>) -> Result<Reply, ApiError> {
    let value = order(call, RunKind::Build, answer).await?;
    let location = format!(
        "/api/sites/{}/runs/{}",
        call.site()?.id,
        value["crawlId"].as_str().unwrap_or_default()
    );
    Ok(Reply::ok(&value)?.accepted().at(Some(location)))
}

/// What is asked for.
pub(super) fn schema_of_body() -> Schema {
    FORM.schema().clone()
}

/// Puts a run of a kind into the queue, or joins an equal one; gives what `answer` makes of it.
pub(super) async fn order(
    call: &Call<'_>,
    kind: RunKind,
    answer: fn(&RunRecord, bool) -> Value,
) -> Result<Value, ApiError> {
    let site = call.site()?;
    let request = FORM.read(&call.body).map_err(|error| {
        let error = error.recoded("targetLangs", "required", "target_langs_required");
        let error = error.recoded("targetLangs", "too_few", "target_langs_required");
        error.recoded("targetLangs", "invalid_value", "invalid_language")
    })?;
    let locales = locales(&request.target_langs, &site.locales)?;
    let pages = pages(call).await?;
    let selection = selection(&request, &pages)?;
    let selected = pages.iter().filter(|page| selection.has(page)).count();
    let selected = u64::try_from(selected).unwrap_or(u64::MAX);
    let order = RunOrder {
        locales,
        pages: selection,
        force: request.force.unwrap_or(false),
        ..RunOrder::of(kind, RunOrigin::Api)
    };
    let id = site.id.clone();
    let now = call.now().to_keep();
    enqueue(call, &id, RunRecord::new(order, selected, now), answer).await
}

/// The answer for a run, new or joined.
fn answer(run: &RunRecord, is_new: bool) -> Value {
    json!(Answer {
        crawl_id: run.id.to_string(),
        enqueued_count: if is_new { run.selected.max(1) } else { 0 },
        selected_count: run.selected,
        force: run.order.force,
        target_langs: run.order.locales.iter().map(ToString::to_string).collect(),
    })
}

fn locales(tags: &[String], configured: &[Locale]) -> Result<BTreeSet<Locale>, ApiError> {
    let mut locales = BTreeSet::new();
    for (index, tag) in tags.iter().enumerate() {
        let wrong = |_| {
            one(
                &format!("targetLangs[{index}]"),
                "invalid_language",
                "is no language tag such as pt-BR",
            )
        };
        let locale = Locale::parse(tag).map_err(wrong)?;
        if !configured.contains(&locale) {
            return Err(ApiError::LocaleNotFound);
        }
        locales.insert(locale);
    }
    Ok(locales)
}

/// The pages that the last crawl found.
async fn pages(call: &Call<'_>) -> Result<BTreeSet<PagePath>, ApiError> {
    let id = call.site()?.id.clone();
    let sources = call.state(move |state| state.sources(&id)).await?;
    let pages = sources
        .into_iter()
        .filter(|(_, record)| record.kind == SourceKind::Page);
    Ok(pages.map(|(path, _)| path).collect())
}

fn selection(request: &Request, pages: &BTreeSet<PagePath>) -> Result<PageSelection, ApiError> {
    let mut selection = PageSelection::default();
    for id in request.page_ids.iter().flatten() {
        if !pages.iter().any(|page| page.as_str() == id) || selection.add(id).is_err() {
            return Err(ApiError::PageNotFound);
        }
    }
    for (index, path) in request.source_paths.iter().flatten().enumerate() {
        let wrong = |_| {
            one(
                &format!("sourcePaths[{index}]"),
                "invalid_path",
                "is no path such as /about/ or /blog/*",
            )
        };
        selection.add(path).map_err(wrong)?;
    }
    Ok(selection)
}
