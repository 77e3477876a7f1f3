//! Stage one: what the source site holds now.
//!
//! Fetched bytes are kept under the hash of their content, so a run that is cut off mixes nothing up; the database
//! then says in one transaction which path has which bytes.
//!
//! One file: the steps of one crawl.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::mpsc;

use super::answers::{self, CrawlAnswers};
use super::crawl_options::crawl_options;
use super::files::{self, SeenFiles, Sizes, is_stored};
use super::guard::known::{self, AcceptedBaseline, RecordedSource};
use super::guard::{self, Guarded};
use super::sources::{self, Carried, Sources, collisions};
use super::{discover, other_builders, reported, unfollowed, withheld};
use crate::config::SiteConfig;
use crate::crawl::{self, CrawlError, CrawlFailure, CrawlOptions, Crawled, Resource, Trap};
use crate::model::{PagePath, SourceSuspect, object_name};
use crate::page::PageFormat;
use crate::run::context::{self, Build};
use crate::run::corpus::policies::kept_policies;
use crate::run::deploy::sweeping;
use crate::run::error::BuildError;
use crate::run::options::{BuildOptions, Stores};
use crate::run::report::build_report::{FetchFailure, Report};
use crate::run::report::named::named;
use crate::state::{SourceKind, SourceRecord, SourceRecords, Stage};
use crate::store::{self, ByName, Published, SiteRedirect, SourceIndex, StoreError, StoredSource};

/// Resources in flight between the crawler and the store.
const IN_FLIGHT: usize = 16;

/// What a crawl says beside the sources that it brought; one that takes stored sources says nothing.
#[derive(Clone, Debug, Default)]
pub(in crate::run) struct CrawlNotes {
    /// Paths that rules kept out.
    pub(in crate::run) excluded: usize,
    /// Whether `max_pages` cut it.
    pub(in crate::run) truncated: bool,
    /// Kinds of pages of which the rest was left out.
    pub(in crate::run) traps: Vec<Trap>,
    /// What could not be fetched.
    pub(in crate::run) failures: Vec<FetchFailure>,
    /// Why part of the last accepted source stays.
    pub(in crate::run) suspect: Option<SourceSuspect>,
    /// What else the owner should know.
    pub(in crate::run) notices: Vec<String>,
}

impl Report {
    /// Takes up what the crawl said.
    pub(in crate::run) fn take_crawl(&mut self, notes: CrawlNotes) {
        let CrawlNotes {
            excluded,
            truncated,
            traps,
            failures,
            suspect,
            notices,
        } = notes;
        self.excluded = excluded;
        self.truncated = truncated;
        self.traps = traps;
        self.failures = failures;
        self.source_suspect = suspect;
        self.notices.extend(notices);
    }

    /// Counts what the source holds.
    pub(in crate::run) fn count_sources(&mut self, sources: &Sources) {
        self.pages = sources.of_kind(SourceKind::Page).count();
        self.files = sources.files().count();
    }
}

/// What a crawl goes by.
pub(in crate::run) struct Before<'s> {
    begun: crawl::StartedCrawl<'s>,
    /// What changed later may change once more without a sign.
    settled: SystemTime,
    recorded: RecordedSource,
    stored: Arc<[StoredSource]>,
    sizes: Sizes,
    seen: SeenFiles,
}

/// Reads what a crawl goes by, all of it at the same time; nothing where nobody crawls.
pub(in crate::run) async fn before_crawl<'s>(
    build: &Build<'s>,
) -> Result<Option<Before<'s>>, BuildError> {
    if build.options.offline {
        return Ok(None);
    }
    // What changes from now on does so too late to be seen.
    let settled = files::settled_before(build.options);
    let own = build.site.own_files.resolve(&build.site.locales);
    let begun = crawl::begin(&build.site.source, own);
    let stored = async {
        let all: Arc<[StoredSource]> = store::sources(&build.stores.objects, &build.site.id)
            .await?
            .into();
        let sizes = stored_sizes(build, &all).await?;
        Ok((all, sizes))
    };
    let (recorded, (stored, sizes), mut seen) = tokio::try_join!(
        known::recorded_source(build),
        stored,
        files::seen_files(build)
    )?;
    seen.retain(|_, file| is_stored(file, &sizes));
    Ok(Some(Before {
        begun,
        settled,
        recorded,
        stored,
        sizes,
        seen,
    }))
}

/// Crawls the site, or takes what the last build left.
pub(in crate::run) async fn fetch_sources(
    build: &Build<'_>,
    previous: Option<&Published>,
    before: Option<Before<'_>>,
) -> Result<(Sources, CrawlNotes), BuildError> {
    let (sources, mut notes) = match before {
        None => (
            stored_sources(build, previous).await?,
            CrawlNotes::default(),
        ),
        Some(before) => crawl(build, before, previous).await?,
    };
    notes.notices.extend(notice_of_xhtml(&sources));
    Ok((sources, notes))
}

/// What the last build left, as far as today's settings let it in: what is excluded goes at once.
pub(crate) async fn stored_sources(
    build: &Build<'_>,
    previous: Option<&Published>,
) -> Result<Sources, BuildError> {
    let mut records = recorded_sources(build, previous).await?;
    if records.is_empty() {
        return Err(BuildError::NothingStored);
    }
    let excluded = records.len();
    let scope = sources::scope(build.site);
    records.retain(|path, record| scope.lets_in(path, record.kind));
    if records.is_empty() {
        let source_name = format!("what is stored of {}", build.site.id);
        return Err(CrawlError::Nothing {
            source_name,
            excluded,
        }
        .into());
    }
    let mut redirects = previous
        .map(|site| site.settings().redirects.clone())
        .unwrap_or_default();
    redirects.retain(|from, redirect| scope.lets_in_redirect(from, redirect));
    let SourceIndex {
        mut rules,
        sitemaps,
        ..
    } = index_of(build.stores, previous).await;
    rules.retain(|name, _| scope.lets_in_rules(name));
    let carried = Carried {
        paths: records.keys().cloned().collect(),
        absent: true,
    };
    let stored = store::sources(&build.stores.objects, &build.site.id)
        .await?
        .into();
    let mut sources = Sources {
        records,
        redirects,
        rules,
        sitemaps,
        carried,
        stored,
        ..Sources::default()
    };
    reported::take_reports(build, &mut sources).await?;
    Ok(sources)
}

/// The sources as they were last recorded. Where another builder made the newest deployment, or the state lost them,
/// they are those of that deployment, and the state learns them.
async fn recorded_sources(
    build: &Build<'_>,
    previous: Option<&Published>,
) -> Result<SourceRecords, BuildError> {
    let id = build.site.id.clone();
    let records = build
        .stores
        .with_state(move |state| state.sources(&id))
        .await?;
    let index = match previous.filter(|_| records.is_empty()) {
        Some(previous) => previous.source_index(&build.stores.objects).await?,
        None => other_builders::made_by_others(build, previous)
            .await?
            .map(|(_, index)| index),
    };
    let Some(index) = index else {
        return Ok(records);
    };
    let known = |path: &PagePath, record: &SourceRecord| {
        // Ours may have what its server said of the same bytes.
        records
            .get(path)
            .filter(|own| *own.without_validators() == *record)
            .cloned()
    };
    let records: SourceRecords = index
        .records
        .into_iter()
        .map(|(path, record)| (path.clone(), known(&path, &record).unwrap_or(record)))
        .collect();
    let id = build.site.id.clone();
    let learnt = records.clone();
    build
        .stores
        .with_state(move |state| state.record_sources(&id, &learnt))
        .await?;
    Ok(records)
}

/// What a deployment was made of; empty if nobody knows.
async fn index_of(stores: &Stores, deployment: Option<&Published>) -> SourceIndex {
    match deployment {
        Some(deployment) => deployment
            .source_index(&stores.objects)
            .await
            .ok()
            .flatten()
            .unwrap_or_default(),
        None => SourceIndex::default(),
    }
}

#[expect(clippy::too_many_lines, reason = "the steps of a crawl in their order")]
async fn crawl(
    build: &Build<'_>,
    before: Before<'_>,
    previous: Option<&Published>,
) -> Result<(Sources, CrawlNotes), BuildError> {
    let Before {
        begun,
        settled,
        recorded,
        stored,
        sizes,
        seen,
    } = before;
    let known = known::known_sources(build.stores, recorded, previous).await?;
    let known_files = seen.len();
    let mut answers = answers::known_answers(build, &sizes).await?;
    let known_answers = answers.known.clone();
    let sitemaps = answers.sitemaps.clone();
    let options = CrawlOptions {
        seen,
        known: known_answers,
        sitemaps,
        settled,
        ..crawl_options(build.site)?
    };
    let (sender, receiver) = mpsc::channel(IN_FLIGHT);
    let crawling = begun.crawl(&options, sender);
    let (crawled, kept) = tokio::join!(
        crawling,
        keep_fetched(build, receiver, &sizes, &mut answers)
    );
    let ((mut sources, fetched), mut crawled) = (kept?, crawled?);
    let notice_of_sitemaps = answers::keep_answers(build, answers, &crawled, &sources).await?;
    files::keep_seen_files(build, known_files, &mut crawled, &mut sources).await?;
    context::step(build, Stage::Crawl, sources.records.len(), None);
    let of_scripts = unfollowed::notices(&crawled.unfollowed);
    let Crawled {
        excluded,
        with_control,
        redirects,
        failures,
        truncated,
        traps,
        rules,
        withheld,
        sitemaps,
        ..
    } = crawled;
    (sources.rules, sources.stored) = (rules, stored);
    sources.sitemaps = sitemaps;
    if sources.sitemaps.is_partial {
        sources
            .sitemaps
            .complete(index_of(build.stores, previous).await.sitemaps);
    }
    sources.written = files::written_sources(build, &fetched).await?;
    let redirects = redirects.into_iter();
    sources.redirects.extend(redirects.map(|led| {
        (
            led.from,
            SiteRedirect {
                to: led.to,
                status: led.status,
            },
        )
    }));
    let mut notes = CrawlNotes {
        excluded,
        truncated,
        notices: notices_of_crawl(build.site, truncated, &traps)
            .into_iter()
            .chain(notice_of_sitemaps)
            .collect(),
        traps,
        failures: keep_failed(&known, &mut sources, failures),
        suspect: None,
    };
    keep_trapped(build, &known, &mut sources, &notes).await?;
    keep_unselected(build.options, &known, &mut sources);
    sources.join_equal_pages();
    sources.join_equal_queries();
    discover::keep_drawings(build.site, &known, &mut sources);
    reported::keep_taken(&known, &mut sources);
    notes.notices.extend(notice_of_control(&with_control));
    notes.notices.extend(of_scripts);
    notes
        .notices
        .extend(reported::take_reports(build, &mut sources).await?);
    let Guarded {
        notice,
        kept,
        suspect,
    } = guard::guard(
        build,
        &known,
        &mut sources,
        (&notes.failures, notes.truncated),
    )
    .await?;
    notes.notices.extend(notice);
    notes
        .failures
        .iter_mut()
        .filter(|failure| kept.contains(&failure.path))
        .for_each(|failure| {
            failure.kept = true;
        });
    notes.suspect = suspect;
    notes
        .notices
        .extend(withheld::notices(build.site, &withheld));
    sources.forget_unknown_entries();
    Ok((sources, notes))
}

/// Stores what the crawler sends, and gives the names of that; what is stored already is not written again.
async fn keep_fetched(
    build: &Build<'_>,
    mut receiver: mpsc::Receiver<Resource>,
    stored: &Sizes,
    answers: &mut CrawlAnswers,
) -> Result<(Sources, HashSet<Arc<str>>), BuildError> {
    let objects = &build.stores.objects;
    let mut sources = Sources::default();
    let mut written = HashSet::new();
    while let Some(resource) = receiver.recv().await {
        let hash: Arc<str> = (*blake3::hash(&resource.body).to_hex()).into();
        if stored.get(&hash) != Some(&resource.body.len()) || answers.wants(&hash) {
            store::put_source(objects, &build.site.id, &hash, resource.body.clone()).await?;
            written.insert(Arc::clone(&hash));
        }
        let record = record(&resource, hash);
        answers.take(&resource, &record);
        sources.records.insert(resource.path.clone(), record.into());
        context::step(build, Stage::Crawl, sources.records.len(), None);
    }
    Ok((sources, written))
}

/// The lengths of what is stored and need not be written again. What is old may be about to be swept by another
/// builder, which knows of this run only what its deployment will name, so it is not relied on.
async fn stored_sizes(build: &Build<'_>, stored: &[StoredSource]) -> Result<Sizes, BuildError> {
    let now = SystemTime::now();
    let is_old = |source: &&StoredSource| {
        now.duration_since(source.written).unwrap_or_default() >= sweeping::RELIABLE
    };
    let mut unsafe_names: ByName<()> = stored
        .iter()
        .filter(is_old)
        .map(|source| (&source.name, ()))
        .collect();
    if !unsafe_names.is_empty()
        && let Some(newest) = store::deployments(&build.stores.objects, &build.site.id)
            .await?
            .first()
    {
        match store::source_index_bytes(&build.stores.objects, &build.site.id, &newest.commit).await
        {
            Ok(index) => sweeping::remove_named(&index.unwrap_or_default(), &mut unsafe_names),
            Err(StoreError::Damaged { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let safe = stored
        .iter()
        .filter(|source| !unsafe_names.contains(&source.name));
    let size = |source: &StoredSource| usize::try_from(source.size).unwrap_or(usize::MAX);
    Ok(safe.map(|source| (&source.name, size(source))).collect())
}

/// Removes bytes that are not what their name says, where the next crawl can bring the right ones: they are in the way.
pub(in crate::run) async fn remove_damaged(
    build: &Build<'_>,
    record: &SourceRecord,
) -> Result<(), BuildError> {
    match build.options.offline {
        true => Ok(()),
        false => {
            Ok(store::remove_source(&build.stores.objects, &build.site.id, &record.name).await?)
        }
    }
}

fn notices_of_crawl(config: &SiteConfig, truncated: bool, traps: &[Trap]) -> Vec<String> {
    let cut =
        truncated.then(|| "not every page was taken: raise max_pages in [site.crawl]".to_owned());
    let trap = |Trap { pattern, left_out }: &Trap| {
        format!(
            "pages like {pattern} lead to nothing but more of their kind, as in an endless calendar: \
             {left_out} of them were left out; list them in a sitemap if they belong to the site, else `exclude` them"
        )
    };
    collisions(config)
        .into_iter()
        .chain(cut)
        .chain(traps.iter().map(trap))
        .collect()
}

/// What could not be fetched this time stays as it was; what the origin says is gone, goes.
fn keep_failed(
    known: &AcceptedBaseline,
    sources: &mut Sources,
    failures: Vec<CrawlFailure>,
) -> Vec<FetchFailure> {
    let keep = |failure: CrawlFailure| {
        let CrawlFailure { path, code, reason } = failure;
        let mut failure = FetchFailure {
            path,
            code: code.into(),
            reason,
            kept: false,
        };
        if failure.says_missing() || sources.records.contains_key(&failure.path) {
            return failure;
        }
        // A file that was the same under each query is known by its path alone.
        let plain = PagePath::parse(failure.path.path()).ok();
        let of_plain = plain
            .as_ref()
            .and_then(|plain| known.records.get_key_value(plain));
        let record = known.records.get_key_value(&failure.path).or(of_plain);
        match record {
            Some((path, record)) if !sources.records.contains_key(path) => {
                sources.carry(path, record)
            }
            Some(_) => {}
            None => drop(sources.carried.paths.insert(failure.path.clone())),
        }
        failure.kept = record.is_some();
        failure
    };
    failures.into_iter().map(keep).collect()
}

/// What a trap left out was not looked for, so pages that are known stay, unless the origin says that they are gone.
async fn keep_trapped(
    build: &Build<'_>,
    known: &AcceptedBaseline,
    sources: &mut Sources,
    notes: &CrawlNotes,
) -> Result<(), BuildError> {
    if notes.traps.is_empty() {
        return Ok(());
    }
    let is_left_out = |path: &PagePath| {
        notes.traps.iter().any(|trap| trap.matches(path))
            && build.site.paths.allows_page(path)
            && !sources.records.contains_key(path)
            && !sources.redirects.contains_key(path)
            && !notes.failures.iter().any(|failure| failure.path == *path)
    };
    let left_out: Vec<_> = known
        .records
        .iter()
        .filter(|(path, _)| is_left_out(path))
        .collect();
    for (path, record) in left_out {
        if sources::read_source(build, record).await?.is_some() {
            sources.carry(path, record);
        }
    }
    Ok(())
}

/// Pages that were not selected stay as they were; those that are new are taken, for the source's own tree.
fn keep_unselected(options: &BuildOptions, known: &AcceptedBaseline, sources: &mut Sources) {
    if options.pages.is_all() {
        return;
    }
    let stays = |path: &PagePath, record: &SourceRecord| {
        record.kind == SourceKind::Page && !options.pages.has(path)
    };
    let before = known
        .records
        .iter()
        .filter(|(path, record)| stays(path, record));
    before.for_each(|(path, record)| sources.carry(path, record));
}

fn record(resource: &Resource, hash: Arc<str>) -> SourceRecord {
    SourceRecord {
        name: Arc::clone(&hash),
        hash,
        content_type: (*resource.content_type).into(),
        charset: resource.charset.as_deref().map(Box::from),
        kind: resource.kind,
        noindex: resource.noindex,
        fragment: resource.fragment,
        frames: resource.frames.clone().into(),
        addresses: resource.addresses,
        robots: resource.robots.as_deref().map(Box::from),
        links: (!resource.links.is_empty()).then(|| Box::new(resource.links.clone())),
        etag: resource.etag.as_deref().map(Box::from),
        last_modified: resource.last_modified.as_deref().map(Box::from),
        policies: kept_policies(&resource.policies).into(),
        drawing: None,
        taken: BTreeSet::new(),
    }
}

/// Addresses that are left out because of their control characters; some of them by name.
fn notice_of_control(paths: &BTreeSet<PagePath>) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let paths: Vec<String> = paths.iter().map(PagePath::to_string).collect();
    Some(format!(
        "left out because of control characters, which the configuration of no host can name: {}; give those pages and files \
         other names",
        named(&paths)
    ))
}

/// What is to be said of XHTML whose files do not say that it is XML.
fn notice_of_xhtml(sources: &Sources) -> Option<String> {
    let is_xhtml =
        |record: &SourceRecord| crawl::format_of_page(&record.content_type) == PageFormat::Xhtml;
    let pages = sources.of_kind(SourceKind::Page).filter(|(path, record)| {
        is_xhtml(record)
            && !object_name(path, true)
                .to_ascii_lowercase()
                .ends_with(".xhtml")
    });
    let pages: Vec<String> = pages
        .map(|(path, _)| format!("{path} ({})", object_name(path, true)))
        .collect();
    (!pages.is_empty()).then(|| {
        format!(
            "pages of the type application/xhtml+xml lie in files that end in .html: `latimer serve` sends them with their \
             type, another server has to be told: {}",
            named(&pages)
        )
    })
}

#[cfg(test)]
mod tests;
