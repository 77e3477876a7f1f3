//! `segments.*`: each text of a site once, with its translation in a language and its state, to list, search and look at.

mod act;
mod answer;
mod changes;
mod decision;
mod detail;
mod edit;
mod filter;
mod undo;

use std::sync::{Arc, LazyLock};

use pipeline::inspect::{LocaleSegments, SegmentOrder, SegmentQuery, find_in_all};
use pipeline::model::{Locale, SegmentKey};
use pipeline::run::BuildError;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) use self::act::{act, schemas as schemas_of_act};
pub(super) use self::detail::{get, schemas as schemas_of_one};
pub(super) use self::edit::{REVIEW, put, schemas as schemas_of_put};
pub(super) use self::undo::{schemas as schemas_of_undo, undo};

use self::answer::{Counts, Item, Listed, OfSite};
use self::filter::{Filter, SearchedWord};
use super::list::List;
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;

/// Segments that are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Query {
    /// States, separated by commas (default: all).
    #[serde(default)]
    #[schemars(
        length(min = 1, max = 200),
        pattern(
            "^(untranslated|machine|draft|outdated|refused|rejected|approved|locked|untouched)(,(untranslated|machine|draft|outdated|refused|rejected|approved|locked|untouched))*$"
        )
    )]
    state: Option<String>,
    /// Text to search for, ignoring case.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    q: Option<String>,
    /// Texts to search: `source` or `translation` (default: both).
    #[serde(default, rename = "in")]
    searched: Option<SearchedWord>,
    /// The source path of a page, or a pattern such as `/docs/**`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 2048))]
    page: Option<String>,
    /// Order of the list (default: `page`).
    #[serde(default)]
    sort: Option<OrderWord>,
    /// Id of the last segment that the caller has; the list starts after it.
    #[serde(default)]
    #[schemars(pattern("^[0-9a-f]{32}$"))]
    after: Option<String>,
    /// Number of segments to return (default: 50).
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// Number of segments to skip.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000_000))]
    offset: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentsSort")]
enum OrderWord {
    /// By the first page of each segment, then by its place there.
    Page,
    /// By the source text.
    Source,
}

static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);

/// Entries of a list that does not say how many.
const USUAL_LIMIT: u32 = 50;

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<Listed>(),
    }
}

pub(super) fn schemas_of_site() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<List<OfSite>>(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let query = call.segments_wanted()?;
    let locale = call.locale()?;
    let segments = call.segments_of_locale().await?;
    knows_place(&query, &segments)?;
    let found = segments.find(&query);
    let [
        untranslated,
        machine,
        draft,
        outdated,
        refused,
        rejected,
        approved,
        locked,
        untouched,
    ] = found.counts;
    let site = call.site()?;
    let items = found.items.iter();
    Reply::ok(&Listed {
        items: items
            .map(|segment| Item::of(segment, site, locale))
            .collect(),
        total: found.total,
        counts: Counts {
            untranslated,
            machine,
            draft,
            outdated,
            refused,
            rejected,
            approved,
            locked,
            untouched,
        },
        revision: segments.revision().to_string(),
    })
}

pub(super) async fn list_of_site(call: &Call<'_>) -> Result<Reply, ApiError> {
    let query = call.segments_wanted()?;
    let site = call.site()?;
    let all = call.segments(&site.locales).await?;
    all.iter()
        .try_for_each(|segments| knows_place(&query, segments))?;
    let (found, total) = find_in_all(&all, &query);
    let items = found.into_iter().map(|text| OfSite::of(text, site, &all));
    Reply::ok(&List {
        items: items.collect(),
        total,
    })
}

impl Call<'_> {
    /// The segments that the query of the call wants.
    fn segments_wanted(&self) -> Result<SegmentQuery, ApiError> {
        let query = QUERY.query(self.query.as_deref())?;
        let filter = Filter {
            state: query.state,
            q: query.q,
            searched: query.searched,
            page: query.page,
        };
        Ok(SegmentQuery {
            order: match query.sort {
                Some(OrderWord::Source) => SegmentOrder::Source,
                Some(OrderWord::Page) | None => SegmentOrder::Page,
            },
            after: query.after.as_deref().and_then(SegmentKey::parse),
            offset: query.offset.map_or(0, count),
            limit: count(query.limit.unwrap_or(USUAL_LIMIT)),
            ..filter.read("")?
        })
    }

    /// The segments of the language in the path.
    async fn segments_of_locale(&self) -> Result<Arc<LocaleSegments>, ApiError> {
        let all = self.segments(std::slice::from_ref(self.locale()?)).await?;
        all.into_iter().next().ok_or(ApiError::LocaleNotFound)
    }

    /// The segments of some languages of the site; an index that is not current is made.
    async fn segments(&self, locales: &[Locale]) -> Result<Vec<Arc<LocaleSegments>>, ApiError> {
        let site = self.site()?;
        let snapshot = self.app.snapshot();
        let published = snapshot.published(&site.id).ok_or(ApiError::NotPublished)?;
        let indexes = Arc::clone(self.api.segments());
        let stores = self.api.jobs().stores();
        if let Some(found) = indexes.current(site, stores, published, locales).await? {
            return Ok(found);
        }
        let site = Arc::clone(site);
        let published = Arc::clone(published);
        let locales = locales.to_vec();
        let made = self.reading(move |runtime, stores, options| {
            runtime.block_on(indexes.make(&site, stores, options, &published, &locales))
        });
        made.await?.map_err(|error| match error {
            BuildError::NothingStored => ApiError::NotPublished,
            error => error.into(),
        })
    }
}

/// A list that goes on behind a text needs that text; without it, the list would begin again.
fn knows_place(query: &SegmentQuery, segments: &LocaleSegments) -> Result<(), ApiError> {
    match query.after {
        Some(key) if !segments.has_text(key) => Err(ApiError::SegmentNotFound),
        Some(_) | None => Ok(()),
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
