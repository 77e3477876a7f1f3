//! `sites.pages.list`: the pages that the last crawl found, and how far each is in each language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pipeline::model::{Locale, PagePath, SiteId};
use pipeline::publish::{Published, Tree};
use pipeline::store::{PageWords, PagesWords, RunFailure, RunKind, RunStatus, SourceKind, Stage, State, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::control::form::schema_of_answer;
use crate::http::error::ApiError;
use crate::http::time::Time;

/// A page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Page")]
struct Item {
    path: String,
    source_status: SourceStatus,
    /// How far the page is, by language; a language that no run finished yet is not there.
    locales: BTreeMap<String, InLocale>,
}

/// Whether the source's page could be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PageSourceStatus")]
enum SourceStatus {
    /// The last crawl has it.
    Fetched,
    /// The last crawl could not have it; an earlier version stays.
    Failed,
}

/// A page in a language.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PageLocale")]
struct InLocale {
    /// The share of the page's words that is translated.
    #[schemars(range(min = 0, max = 1))]
    translated: f64,
    /// Since when readers get the page as it is now; null where they do not get it in this language.
    published_at: Option<Time>,
}

/// What the state knows of a site's pages.
pub(super) struct Known {
    pub(super) pages: BTreeSet<PagePath>,
    pub(super) words: BTreeMap<Locale, PagesWords>,
}

pub(super) fn schemas() -> Schemas {
    Schemas { query: Some(Page::schema()), body: None, answer: schema_of_answer::<List<Item>>() }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let site = call.site()?;
    let id = site.id.clone();
    let (known, failed) = call.state(move |state| Ok((Known::read(state, &id)?, failed(state, &id)?))).await?;
    let published = call.app.snapshot().published(&site.id).cloned();
    let paths: Vec<PagePath> = known.pages.into_iter().collect();
    Reply::ok(&page.cut(paths).map(|path| {
        let in_locale = |locale: &Locale| {
            let words = known.words.get(locale)?.get(&path)?;
            let published_at = published.as_ref().and_then(|published| since(published, locale, &path));
            Some((locale.to_string(), InLocale { translated: share(*words), published_at }))
        };
        Item {
            source_status: if failed.contains(path.as_str()) { SourceStatus::Failed } else { SourceStatus::Fetched },
            locales: site.locales.iter().filter_map(in_locale).collect(),
            path: path.to_string(),
        }
    }))
}

impl Known {
    pub(super) fn read(state: &State, site: &SiteId) -> Result<Self, StoreError> {
        let sources = state.sources(site)?.into_iter();
        let pages = sources.filter(|(_, record)| record.kind == SourceKind::Page).map(|(path, _)| path);
        Ok(Self { pages: pages.collect(), words: state.page_words(site)? })
    }
}

/// The paths that the last crawl could not have.
fn failed(state: &State, site: &SiteId) -> Result<BTreeSet<String>, StoreError> {
    let crawled = |order: RunKind, status| order == RunKind::Build && status == RunStatus::Completed;
    let last = state.runs(site)?.into_iter().find(|run| crawled(run.order.kind, run.status));
    let failures = last.into_iter().flat_map(|run| run.failures);
    let is_of_page = |failure: &RunFailure| failure.stage == Stage::Crawl && failure.code != RunFailure::TRUNCATED;
    Ok(failures.filter(is_of_page).map(|failure| failure.path).collect())
}

/// Since when a page's translation is what readers get.
fn since(published: &Arc<Published>, locale: &Locale, path: &PagePath) -> Option<Time> {
    let tree = Tree::Locale(locale.clone());
    let is_notice = published.manifest(&tree)?.missing.contains(path);
    let (_, entry) = published.page(&tree, path).filter(|_| !is_notice)?;
    published.modified(entry).map(Time::of)
}

/// With three digits after the point, and 1 only where nothing is left.
#[expect(clippy::cast_precision_loss, reason = "pages have fewer than 2^52 words")]
fn share(words: PageWords) -> f64 {
    if words.is_complete() {
        return 1.0;
    }
    (words.translated as f64 * 1000.0 / words.wanted as f64).floor() / 1000.0
}
