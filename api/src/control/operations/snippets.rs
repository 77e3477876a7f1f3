//! `sites.switcherSnippets.get`: language switchers for an owner's own pages.

use std::sync::LazyLock;

use pipeline::model::{Locale, PagePath};
use pipeline::site_files::{self, FALLBACK_IDS, MARKER, Templates};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::http::error::ApiError;

/// For which page the switchers are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Query {
    /// The page's path on the source site; `/` where it is left out.
    #[serde(default)]
    #[schemars(length(max = 512), pattern("^/([^/\\\\\\x00-\\x20][^\\x00-\\x1f]*)?$"))]
    path: Option<String>,
    /// The language of the page; the source language where it is left out.
    #[serde(default)]
    #[schemars(pattern("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))]
    current_lang: Option<String>,
}

/// The switchers of a page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SwitcherSnippets")]
struct Answer {
    site_id: String,
    path: String,
    current_lang: String,
    /// The attribute by which a block that stands in a page already is found and replaced.
    marker: &'static str,
    /// Ids of elements that are tried where there is no such block.
    fallback_ids: Vec<&'static str>,
    snippets: Vec<Snippet>,
}

/// A switcher.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SwitcherSnippet")]
struct Snippet {
    #[schemars(extend("enum" = ["inline", "disclosure", "pill", "tabs", "compact", "headless"]))]
    template_id: &'static str,
    html: String,
}

static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?;
    let wrong = |error: ApiError| {
        let error = error.recoded("?currentLang", "invalid_value", "invalid_language");
        error.recoded("?path", "invalid_value", "invalid_path")
    };
    let Query { path, current_lang } = QUERY.query(call.query.as_deref()).map_err(wrong)?;
    let path = PagePath::parse(path.as_deref().unwrap_or("/"));
    let path = path.map_err(|_| one("?path", "invalid_path", "is no path such as /about/"))?;
    let current = match &current_lang {
        Some(tag) => Locale::parse(tag)
            .map_err(|_| one("?currentLang", "invalid_language", "is no language tag"))?,
        None => site.source_locale.clone(),
    };
    if current != site.source_locale && !site.locales.contains(&current) {
        return Err(ApiError::LocaleNotFound);
    }
    let published = call
        .app
        .snapshot()
        .published(&site.id)
        .cloned()
        .ok_or(ApiError::NotPublished)?;
    // Read anew each time, like every build does, so that both show the same.
    let folder = site.templates.clone();
    let page = path.clone();
    let locale = current.clone();
    let snippets = tokio::task::spawn_blocking(move || {
        let templates = Templates::load(folder.as_deref())?;
        site_files::snippets(&published, &templates, &page, &locale, |_| true)
    });
    let snippets = snippets
        .await?
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    let snippet = |snippet: site_files::SwitcherSnippet| Snippet {
        template_id: snippet.template,
        html: snippet.html,
    };
    Reply::ok(&Answer {
        site_id: site.id.to_string(),
        path: path.to_string(),
        current_lang: current.to_string(),
        marker: MARKER,
        fallback_ids: FALLBACK_IDS.to_vec(),
        snippets: snippets.into_iter().map(snippet).collect(),
    })
}
