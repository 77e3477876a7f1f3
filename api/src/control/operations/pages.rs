//! `sites.pages.list`: the pages that the last crawl found, and how far each is in each language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use pipeline::model::{Locale, PagePath, SiteId};
use pipeline::state::{
    PageWords, PagesWords, RunFailure, RunKind, RunStatus, SourceKind, Stage, State, StateError,
};
use pipeline::store::{Published, Tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{List, Page};
use super::locale_words::LocaleWords;
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
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
    /// Only with `view=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<LocaleWords>,
    /// Only with `view=full`: different texts of the page for which a person's words wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_review: Option<u64>,
    /// Since when readers get the page as it is now; null where they do not get it in this language.
    published_at: Option<Time>,
    /// Only with `view=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<PageState>,
    /// Only with `view=full`: the path of the page in this language, where it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// What readers get of a page in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PageState")]
enum PageState {
    /// The page in this language.
    Published,
    /// The source's page with a notice that it is not translated.
    Notice,
    /// Nothing: too little of it is translated, or no build published it yet.
    Missing,
    /// Nothing: the language is off.
    Off,
}

/// What the state knows of a site's pages.
pub(super) struct Known {
    pub(super) pages: BTreeSet<PagePath>,
    pub(super) words: BTreeMap<Locale, PagesWords>,
}

/// Which pages are wanted, and how much of each.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// How many pages.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// How many pages are passed over.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1000000))]
    offset: Option<u32>,
    /// `full` adds what readers get of each page, its path there, and who translated how much.
    #[serde(default)]
    view: Option<View>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PagesView")]
enum View {
    Full,
}

static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<List<Item>>(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let Query {
        limit,
        offset,
        view,
    } = QUERY.query(call.query.as_deref())?;
    let page = Page::at(limit, offset);
    let site = call.site()?;
    let id = site.id.clone();
    let (known, failed) = call
        .state(move |state| Ok((Known::read(state, &id)?, failed(state, &id)?)))
        .await?;
    let published = call.app.snapshot().published(&site.id).cloned();
    let paths: Vec<PagePath> = known.pages.into_iter().collect();
    Reply::ok(&page.cut(paths).map(|path| {
        let in_locale = |locale: &Locale| {
            let words = known.words.get(locale)?.get(&path)?;
            let whole = InLocale::of(*words, published.as_ref(), locale, &path);
            Some((
                locale.to_string(),
                if view.is_some() {
                    whole
                } else {
                    InLocale {
                        words: None,
                        to_review: None,
                        state: None,
                        path: None,
                        ..whole
                    }
                },
            ))
        };
        Item {
            source_status: if failed.contains(path.as_str()) {
                SourceStatus::Failed
            } else {
                SourceStatus::Fetched
            },
            locales: site.locales.iter().filter_map(in_locale).collect(),
            path: path.to_string(),
        }
    }))
}

impl Known {
    pub(super) fn read(state: &State, site: &SiteId) -> Result<Self, StateError> {
        let sources = state.sources(site)?.into_iter();
        let pages = sources
            .filter(|(_, record)| record.kind == SourceKind::Page)
            .map(|(path, _)| path);
        Ok(Self {
            pages: pages.collect(),
            words: state.page_words(site)?,
        })
    }
}

/// The paths that the last crawl could not have.
fn failed(state: &State, site: &SiteId) -> Result<BTreeSet<String>, StateError> {
    let crawled =
        |order: RunKind, status| order == RunKind::Build && status == RunStatus::Completed;
    let last = state
        .runs(site)?
        .into_iter()
        .find(|run| crawled(run.order.kind, run.status));
    let failures = last.into_iter().flat_map(|run| run.failures);
    let is_of_page = |failure: &RunFailure| {
        failure.stage == Stage::Crawl && failure.code != RunFailure::TRUNCATED
    };
    Ok(failures
        .filter(is_of_page)
        .map(|failure| failure.path)
        .collect())
}

impl InLocale {
    fn of(
        words: PageWords,
        published: Option<&Arc<Published>>,
        locale: &Locale,
        path: &PagePath,
    ) -> Self {
        let translated = share(words);
        let to_review = Some(words.to_review);
        let page_words = Some(LocaleWords::of(words));
        let tree = Tree::Locale(locale.clone());
        let Some(published) = published else {
            return Self {
                translated,
                words: page_words,
                to_review,
                published_at: None,
                state: Some(PageState::Missing),
                path: None,
            };
        };
        let is_notice = published
            .manifest(&tree)
            .is_some_and(|manifest| manifest.missing.contains(path));
        let found = published.page(&tree, path);
        let state = match found {
            _ if !published.settings().is_on(locale) => PageState::Off,
            Some(_) if is_notice => PageState::Notice,
            Some(_) => PageState::Published,
            None => PageState::Missing,
        };
        let entry = found.filter(|_| !is_notice).map(|(_, entry)| entry);
        let local = published.settings().slugs.local(locale, path);
        Self {
            translated,
            words: page_words,
            to_review,
            published_at: entry
                .and_then(|entry| published.modified(entry))
                .map(Time::of),
            state: Some(state),
            path: (*local != *path).then(|| local.to_string()),
        }
    }
}

/// With three digits after the point, and 1 only where nothing is left.
#[expect(
    clippy::cast_precision_loss,
    reason = "pages have fewer than 2^52 words"
)]
fn share(words: PageWords) -> f64 {
    if words.is_complete() {
        return 1.0;
    }
    (words.translated() as f64 * 1000.0 / words.wanted as f64).floor() / 1000.0
}
