//! Pages through which lost ones were found: where nobody asked the origin for a page because no link led there any more,
//! the page that lost its links is as wrong as if it were gone. A start page that says "back soon" is one.

use std::collections::BTreeSet;

use url::Url;

use super::super::sources;
use super::judge::{Case, CrawlVerdict, Loss, PageFate, UnsentPages};
use super::known::AcceptedBaseline;
use crate::config::SourceLocation;
use crate::crawl::format_of_page;
use crate::model::PagePath;
use crate::page;
use crate::run::context::{Build, blocking};
use crate::run::error::BuildError;
use crate::run::source::sources::Sources;
use crate::state::SourceRecord;

/// Stands for the origin of a folder.
const NOWHERE: &str = "http://site.invalid/";

/// Changed pages that led to pages which nothing leads to now, and that lead to no known page any more.
pub(super) async fn pages_that_lost_links(
    build: &Build<'_>,
    known: &AcceptedBaseline,
    case: &Case,
    verdict: &CrawlVerdict,
    answers: &UnsentPages,
    sources: &Sources,
) -> Result<BTreeSet<PagePath>, BuildError> {
    let is_silent = |(path, loss): &(&PagePath, &Loss)| {
        **loss == Loss::Vanished && !answers.missing.contains(*path)
    };
    let silent: BTreeSet<&PagePath> = verdict
        .lost
        .iter()
        .filter(is_silent)
        .map(|(path, _)| path)
        .collect();
    let mut found = BTreeSet::new();
    if silent.is_empty() {
        return Ok(found);
    }
    let is_changed = |(path, fate): &(&PagePath, &PageFate)| {
        matches!(fate, PageFate::Changed { .. }) && !verdict.lost.contains_key(*path)
    };
    for (path, _) in case.known.iter().filter(is_changed) {
        let (Some(before), Some(now)) = (known.records.get(path), sources.records.get(path)) else {
            continue;
        };
        let leads_on = |to: &PagePath| to != path && case.known.contains_key(to);
        if links_of_page(build, path, now).await?.iter().any(leads_on) {
            continue;
        }
        if links_of_page(build, path, before)
            .await?
            .iter()
            .any(|to| silent.contains(to))
        {
            found.insert(path.clone());
        }
    }
    Ok(found)
}

/// The pages of the site to which a page leads.
async fn links_of_page(
    build: &Build<'_>,
    path: &PagePath,
    record: &SourceRecord,
) -> Result<BTreeSet<PagePath>, BuildError> {
    let Some(bytes) = sources::read_source(build, record).await? else {
        return Ok(BTreeSet::new());
    };
    let format = format_of_page(&record.content_type);
    let charset = record.charset.clone();
    let links = blocking(move || page::find_links(format, &bytes, charset.as_deref())).await?;
    let origin = match &build.site.source {
        SourceLocation::Web(start) => Some(start.clone()),
        SourceLocation::Folder(_) => Url::parse(NOWHERE).ok(),
    };
    let Some(here) = origin.and_then(|origin| origin.join(path.as_str()).ok()) else {
        return Ok(BTreeSet::new());
    };
    let base = links
        .base
        .as_deref()
        .and_then(|base| here.join(base.trim()).ok())
        .unwrap_or_else(|| here.clone());
    let target = |address: &str| {
        let url = base
            .join(address)
            .ok()
            .filter(|url| url.origin() == here.origin())?;
        let page = build.site.crawl.query.page(&url);
        let folder = page
            .as_str()
            .strip_suffix("/index.html")
            .map(|folder| format!("{folder}/"));
        folder.map_or(Some(page), |folder| PagePath::parse(&folder).ok())
    };
    Ok(links
        .links
        .iter()
        .filter_map(|link| target(&link.address))
        .collect())
}
