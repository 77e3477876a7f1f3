//! Texts that stand in no HTML: a browser draws the pages that scripts draw, and what it shows beside them is translated too.
//!
//! What it made of a page is kept like a fetched page and named in the page's record. It is made again only when the page
//! has changed, or one of the scripts that it loaded.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::drawings::read_drawing;
use super::drawn_origin::SiteOrigin;
use super::guard::known::AcceptedBaseline;
use super::sources::Sources;
use crate::browser::{Browser, BrowserError, DrawLimits, Drawing};
use crate::causes::chain;
use crate::config::{Discovery, SiteConfig};
use crate::counted::counted;
use crate::model::{PagePath, SegmentKey};
use crate::page::Segment;
use crate::run::context::Build;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::extract;
use crate::run::error::BuildError;
use crate::run::pages::live;
use crate::state::{DrawnSource, SourceRecord};
use crate::store;

/// The longest that one page may take.
const LONGEST: Duration = Duration::from_secs(60);
/// Pages that are drawn side by side.
const SIDE_BY_SIDE: usize = 4;
/// How many failures a notice names.
const NAMED: usize = 3;

/// What looking for texts that scripts put in came to.
#[derive(Default)]
pub(in crate::run) struct Discovered {
    /// Whether pages say more now than was known.
    pub(in crate::run) is_more: bool,
    /// What the owner should know.
    pub(in crate::run) notices: Vec<String>,
}

/// What a browser made of pages that are still the same is still good.
pub(super) fn keep_drawings(site: &SiteConfig, known: &AcceptedBaseline, sources: &mut Sources) {
    if site.scripts.discovery.is_none() {
        return;
    }
    for (path, record) in sources
        .records
        .iter_mut()
        .filter(|(_, record)| record.drawing.is_none())
    {
        let drawing = known
            .records
            .get(path)
            .and_then(|known| known.drawing.clone());
        if drawing.is_some() {
            Arc::make_mut(record).drawing = drawing;
        }
    }
}

/// Draws the pages whose scripts may put in more than is known.
///
/// # Errors
/// A [`BuildError`] when the stores fail. A page that cannot be drawn is a notice, and what was known of it stays.
pub(in crate::run) async fn discover(
    build: &Build<'_>,
    sources: &mut Sources,
    corpus: &Corpus,
) -> Result<Discovered, BuildError> {
    let mut discovered = Discovered::default();
    let Some(discovery) = build
        .site
        .scripts
        .discovery
        .as_ref()
        .filter(|_| !build.options.offline)
    else {
        return Ok(discovered);
    };
    let origin = &SiteOrigin::new(build, sources)?;
    let mut due = due_pages(build, sources, corpus, origin).await?;
    let left_out = due.len().saturating_sub(discovery.max_pages);
    due.truncate(discovery.max_pages);
    if left_out > 0 {
        discovered.notices.push(format!(
            "the browser left out {}: raise max_pages in [site.scripts], or build again",
            counted(left_out, "page")
        ));
    }
    if due.is_empty() {
        return Ok(discovered);
    }
    let drawn = match Browser::start(
        &discovery.browser,
        &discovery.variables,
        build.site.source_locale.as_str(),
    )
    .await
    {
        Ok(browser) => {
            let outcome = draw_all(build, &browser, origin, discovery, due).await;
            browser.end().await;
            let (drawn, not_drawn) = outcome?;
            discovered.notices.extend(not_drawn);
            drawn
        }
        Err(error) => {
            discovered.notices.push(format!(
                "texts that scripts put in were not looked for: {}",
                chain(&error)
            ));
            Vec::new()
        }
    };
    discovered.notices.extend(origin.notice());
    if drawn.is_empty() {
        return Ok(discovered);
    }
    discovered.is_more = true;
    for (path, drawing) in drawn {
        if let Some(record) = sources.records.get_mut(&path) {
            Arc::make_mut(record).drawing = Some(Box::new(drawing));
        }
    }
    let id = build.site.id.clone();
    let records = sources.records.clone();
    build
        .stores
        .with_state(move |state| state.record_sources(&id, &records))
        .await?;
    Ok(discovered)
}

/// The pages that have to be drawn; those of which nothing is known come first.
async fn due_pages(
    build: &Build<'_>,
    sources: &Sources,
    corpus: &Corpus,
    origin: &SiteOrigin<'_>,
) -> Result<Vec<(PagePath, Arc<SourceRecord>)>, BuildError> {
    // What is not from this crawl is not drawn anew: its scripts may be gone.
    let is_new = |path: &PagePath| !sources.carried.paths.contains(path);
    let pages = corpus
        .pages
        .keys()
        .filter(|path| is_discovered(build, corpus, path) && is_new(path));
    let pages = pages.filter_map(|path| Some((path.clone(), sources.records.get(path)?.clone())));
    let looked = stream::iter(pages.collect::<Vec<_>>()).map(|(path, record)| async move {
        let is_current = is_current(build, &record, origin).await?;
        Ok::<_, BuildError>((!is_current).then_some((path, record)))
    });
    let looked: Vec<_> = looked
        .buffered(build.options.jobs.get())
        .try_collect()
        .await?;
    let mut due: Vec<_> = looked.into_iter().flatten().collect();
    due.sort_by_key(|(_, record)| record.drawing.is_some());
    Ok(due)
}

/// Whether texts are looked for on a page: the live script has to be there to translate them.
fn is_discovered(build: &Build<'_>, corpus: &Corpus, path: &PagePath) -> bool {
    live::is_live(build.site, corpus, path) && build.options.pages.has(path)
}

/// Whether a browser would find what it found the last time.
async fn is_current(
    build: &Build<'_>,
    record: &SourceRecord,
    origin: &SiteOrigin<'_>,
) -> Result<bool, BuildError> {
    let Some(drawing) = record
        .drawing
        .as_ref()
        .filter(|drawing| *drawing.of == *record.hash)
    else {
        return Ok(false);
    };
    let Some(loaded) = &drawing.loaded else {
        return Ok(false);
    };
    for (address, hash) in loaded {
        if origin.hash(address).await.as_ref() != Some(hash) {
            return Ok(false);
        }
    }
    Ok(read_drawing(build, drawing).await?.is_some())
}

/// Draws some pages and keeps what came out; says which could not be drawn.
async fn draw_all(
    build: &Build<'_>,
    browser: &Browser,
    origin: &SiteOrigin<'_>,
    discovery: &Discovery,
    due: Vec<(PagePath, Arc<SourceRecord>)>,
) -> Result<(Vec<(PagePath, DrawnSource)>, Option<String>), BuildError> {
    let limits = DrawLimits {
        wait: discovery.wait,
        total: LONGEST,
        bytes: build.site.crawl.max_page_bytes,
    };
    let draw = |(path, record): (PagePath, Arc<SourceRecord>)| async move {
        let drawn = match origin.address(&path) {
            Some(address) => browser.draw(&address, origin, limits).await,
            None => Err(BrowserError::Answer("Page.navigate")),
        };
        match drawn {
            Ok(drawing) => Ok((path, Ok(keep_drawing(build, &record, drawing).await?))),
            Err(error) => Ok::<_, BuildError>((path, Err(error))),
        }
    };
    let mut all = stream::iter(due).map(draw).buffer_unordered(SIDE_BY_SIDE);
    let mut drawn = Vec::new();
    let mut failures = Vec::new();
    while let Some((path, outcome)) = all.try_next().await? {
        match outcome {
            Ok(drawing) => drawn.extend(drawing.map(|drawing| (path, drawing))),
            // It has no words of its own.
            Err(BrowserError::Moved(_)) => {}
            Err(error) => {
                failures.push(format!("{path} ({})", chain(&error)));
                if error.is_final() {
                    break;
                }
            }
        }
    }
    failures.sort();
    let not_drawn = (!failures.is_empty()).then(|| {
        let named = failures.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
        let pages = counted(failures.len(), "page");
        format!("the browser could not draw {pages}, so texts that scripts put in there may be missing: {named}")
    });
    Ok((drawn, not_drawn))
}

/// Keeps what a browser made of a page; nothing where what is known is better.
async fn keep_drawing(
    build: &Build<'_>,
    record: &SourceRecord,
    drawing: Drawing,
) -> Result<Option<DrawnSource>, BuildError> {
    let bytes = Bytes::from(drawing.html);
    let known = record.drawing.as_ref();
    if drawing.lacks && known.is_some() {
        return Ok(None);
    }
    let old = match known {
        Some(known) => read_drawing(build, known).await?,
        None => None,
    };
    let keys = |texts: Vec<Segment>| {
        texts
            .iter()
            .map(|text| text.key(&build.site.source_locale))
            .collect::<BTreeSet<SegmentKey>>()
    };
    // Equal words make equal sites, whatever else differs in each visit.
    let is_same = match old {
        Some(old) => {
            keys(extract::texts_of_drawing(build.site, old).await?)
                == keys(extract::texts_of_drawing(build.site, bytes.clone()).await?)
        }
        None => false,
    };
    let name = match known.filter(|_| is_same) {
        Some(known) => known.name.clone(),
        None => {
            let name = blake3::hash(&bytes).to_hex().to_string();
            store::put_source(&build.stores.objects, &build.site.id, &name, bytes).await?;
            name
        }
    };
    // What was not to be had is looked for again in the next build.
    let of = if drawing.lacks {
        String::new()
    } else {
        record.hash.to_string()
    };
    Ok(Some(DrawnSource {
        name,
        of,
        loaded: Some(drawing.loaded),
    }))
}
