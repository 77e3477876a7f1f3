//! A build: only this module knows the order of the stages.
//!
//! crawl → extract → translate → render → publish. Everything that costs (fetched pages, translations) is durable
//! before the next step begins, so a run may be cut off at any line and run again. Translations are kept in the
//! database as each batch arrives: database first, because what an engine was paid for must never be paid twice,
//! while objects can always be rendered again. A page that fails keeps its previous version; it never stops the run.

use crate::config::SiteConfig;
use crate::run::context::{self, Build, glossary};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::{extract, policies, stored_texts};
use crate::run::deploy::publication::{self, PreparedRun};
use crate::run::error::BuildError;
use crate::run::memo::page_cache::{self, spelled};
use crate::run::memo::unchanged::{self, last_build};
use crate::run::memo::{cached_texts, edited_words};
use crate::run::options::{BuildOptions, BuildProgress, Stores};
use crate::run::pages::locale_files::LocaleFiles;
use crate::run::pages::{live, paths, search};
use crate::run::report::build_report::Report;
use crate::run::report::derived_rows::DerivedRows;
use crate::run::source::sources::Sources;
use crate::run::source::{crawl, discover, files};
use crate::run::words::translate::{self, Translated};
use crate::run::words::{locales, shared_edits, word_files};
use crate::site_files::Templates;
use crate::state::{CacheChange, CachedRows, TextChange};
use crate::store::{Ahead, Lock, Published};

/// Builds one site and makes it the published one.
///
/// # Errors
/// A [`BuildError`] when nothing can be published; the previous deployment then stays as it is. What merely could not
/// be fetched or translated is listed in the [`Report`].
pub async fn build(
    site: &SiteConfig,
    stores: &Stores,
    options: &BuildOptions,
    progress: &BuildProgress<'_>,
) -> Result<Report, BuildError> {
    let build = &Build {
        site,
        stores,
        options,
        progress,
    };
    check_owner_files(site)?;
    let mut report = Report::new(&site.id);
    // Held to the end: no sweep of another builder takes away what this run fetches and writes.
    let lock = Lock::share(&stores.objects, &site.id).await?;
    report.notices.extend(locales::mend_switches(build).await?);
    let shared = shared_edits::share_edits(build).await?;
    let (newest, before) = tokio::try_join!(newest(build), crawl::before_crawl(build))?;
    let previous = newest.as_ref();
    let mut targets = locales::build_locales(build, previous).await?;
    report.broken_words = word_files::check_word_files(build, previous).await?;
    word_files::spare_engines(&mut targets.all, &report.broken_words);
    let mut ahead = Ahead::begin(&stores.objects, &site.id, &lock, &options.warm);

    let (mut sources, crawled) = crawl::fetch_sources(build, previous, before).await?;
    report.take_crawl(crawled.clone());
    report.count_sources(&sources);

    let revisions = edited_words::people_revisions(build).await?;
    let people = edited_words::revisions_word(&revisions);
    let source = unchanged::source_key(build, &sources, &report, &people)?;
    let beside = unchanged::beside_key(build).await?;
    let environment = unchanged::environment_key(build, beside, previous)
        .await?
        .filter(|_| context::may_be_unchanged(build));
    let mut cached = CachedRows::default();
    if let Some(environment) = environment {
        let intact = files::intact_files(build, &sources).await?;
        let keys = (source, environment);
        let found = (&sources, &intact);
        let unchanged = unchanged::unchanged_report(build, keys, found, previous, &mut ahead);
        if let Some(unchanged) = unchanged.await? {
            // Release the shared lock: a sweep needs it exclusively.
            drop(lock);
            publication::tidy_up(build, &sources, previous).await?;
            return Ok(Report {
                edits: revisions,
                ..unchanged
            });
        }
        cached = page_cache::cached_rows(build, environment, &sources, &intact).await?;
    }

    let corpus = read_corpus(build, &mut sources, cached, &mut report).await?;
    // Report path conflicts before an engine is paid.
    let (_, conflicts) = paths::published_paths(site, &corpus, previous)?;
    report.notices.extend(conflicts);

    let Translated { texts, notes } = translate::translate(build, &corpus, &targets.all).await?;
    // Notices about memories and engines hold for this build alone, so a build with one is no last build to repeat.
    let source = source.filter(|_| notes.is_quiet() && shared.is_empty());
    report.notices.extend(shared);
    report.take_translated(notes);
    report.notices.extend(corpus.notice_of_names(site, &texts)?);

    let cache = page_cache::cache_change(build, &sources, &corpus, &texts, &people)?;
    let text_rows = stored_texts::text_change(build, &corpus)?;
    let made = PreparedRun {
        sources,
        crawled,
        corpus,
        texts,
        targets,
    };
    let deployed = publication::deploy(build, made, previous, lock, ahead).await?;
    let published = deployed.published.clone();
    let passing = report.take_deployed(deployed);
    // The site is published. A failure to prepare the next fast path must not fail this build.
    let next = unchanged::next_environment(build, beside, &report, published.as_ref())
        .await
        .unwrap_or_default();
    report.derived = derived_rows(build, source, (cache, text_rows), next.as_ref(), &report);
    report.notices.extend(passing);
    report.edits = revisions;
    Ok(report)
}

/// Checks files of the owner before anything is fetched or paid for.
fn check_owner_files(site: &SiteConfig) -> Result<(), BuildError> {
    Templates::load(site.templates.as_deref())?;
    paths::check_slug_files(site)?;
    LocaleFiles::of(site)?;
    glossary(site)?;
    Ok(())
}

/// The newest deployment; `None` if the site was never published.
async fn newest(build: &Build<'_>) -> Result<Option<Published>, BuildError> {
    let id = &build.site.id;
    let known = build.options.warm.published(id);
    let standing = Published::standing(&build.stores.objects, id, known.as_ref()).await?;
    Ok(standing.published)
}

/// Reads the pages that are not cached, those that a browser has to draw twice, and reports what was found in them.
async fn read_corpus(
    build: &Build<'_>,
    sources: &mut Sources,
    cached: CachedRows,
    report: &mut Report,
) -> Result<Corpus, BuildError> {
    let mut corpus = cached_texts::read_corpus(build, sources, cached).await?;
    let discovered = discover::discover(build, sources, &corpus).await?;
    report.notices.extend(discovered.notices);
    if discovered.is_more {
        corpus = extract::read_all(build, sources).await?;
    }
    report.segments = corpus.different_texts();
    report.notices.append(&mut corpus.notices);
    report
        .notices
        .extend(live::notices_of_scripts(build.site, &corpus));
    report
        .notices
        .extend(policies::notices_of_policies(build.site, &corpus));
    report.drawn = live::drawn_pages(build.site, &corpus);
    report.search = search::indexes(&corpus);
    for path in &corpus.unreadable {
        if let Some(record) = sources.records.get(path) {
            crawl::remove_damaged(build, record).await?;
        }
    }
    Ok(corpus)
}

/// Rows for the fast paths of the next build; none if its environment is unknown.
fn derived_rows(
    build: &Build<'_>,
    source: Option<[u8; 32]>,
    (cache, texts): (Option<CacheChange>, TextChange),
    next: Option<&([u8; 32], Published)>,
    report: &Report,
) -> DerivedRows {
    let Some(next) = next else {
        return DerivedRows::Replaced {
            last_build: None,
            cache: None,
            texts: None,
        };
    };
    let last_build = last_build(source, next, report, &build.options.inputs).unwrap_or_default();
    let cache = cache.map(|change| {
        Box::new(CacheChange {
            environment: spelled(&next.0),
            ..change
        })
    });
    let texts = stored_texts::of_deployment(texts, &next.1);
    DerivedRows::Replaced {
        last_build,
        cache,
        texts,
    }
}
