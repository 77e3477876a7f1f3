//! A build: only this module knows the order of the stages.
//!
//! crawl → extract → translate → render → publish. Everything that costs (fetched pages, translations) is durable
//! before the next step begins, so a run may be cut off at any line and run again. Translations are kept in the
//! database as each batch arrives: database first, because what an engine was paid for must never be paid twice,
//! while objects can always be rendered again. A page that fails keeps its previous version; it never stops the run.

use super::cached_texts;
use super::context::{Build, glossary};
use super::crawl;
use super::deploy;
use super::deploy::Made;
use super::discover;
use super::error::RunError;
use super::extract;
use super::files;
use super::live;
use super::locale_files::LocaleFiles;
use super::locales;
use super::options::{BuildOptions, Progress, Stores};
use super::page_cache;
use super::page_cache::spelled;
use super::policies;
use super::references;
use super::report::{DerivedRows, Report};
use super::search;
use super::translate;
use super::translate::Translated;
use super::unchanged;
use super::unchanged::last_build;
use crate::config::SiteConfig;
use crate::site_files::Templates;
use crate::state::{CacheChange, CachedRows};
use crate::store::{Ahead, Lock, Published, Standing};

/// Builds one site and makes it the published one.
///
/// # Errors
/// A [`RunError`] when nothing can be published; the previous deployment then stays as it is. What merely could not
/// be fetched or translated is listed in the [`Report`].
#[expect(
    clippy::too_many_lines,
    reason = "the stages of a build in their order"
)]
pub async fn build(
    site: &SiteConfig,
    stores: &Stores,
    options: &BuildOptions,
    progress: &Progress<'_>,
) -> Result<Report, RunError> {
    let build = &Build {
        site,
        stores,
        options,
        progress,
    };
    // Check templates before anything is fetched or paid for.
    Templates::load(site.templates.as_deref())?;
    references::check_slug_files(build.site)?;
    LocaleFiles::of(site)?;
    glossary(site)?;
    let mut report = Report::new(&site.id);
    // Held to the end: no sweep of another builder takes away what this run fetches and writes.
    let lock = Lock::share(&stores.objects, &site.id).await?;
    report.notices.extend(locales::mend_switches(build).await?);
    let known = options.warm.published(&site.id);
    let cached =
        async { Ok(Published::standing(&stores.objects, &site.id, known.as_ref()).await?) };
    let (
        Standing {
            published: previous,
            ..
        },
        before,
    ) = tokio::try_join!(cached, crawl::before_crawl(build))?;
    let targets = locales::build_locales(build, previous.as_ref()).await?;
    let mut ahead = Ahead::begin(&stores.objects, &site.id, &lock, &options.warm);
    let (mut sources, crawled) = crawl::fetch_sources(build, previous.as_ref(), before).await?;
    report.take_crawl(crawled.clone());
    report.count_sources(&sources);
    let source = unchanged::source_key(build, &sources, &report)?;
    let beside = unchanged::beside_key(build).await?;
    let environment = unchanged::environment_key(build, beside, previous.as_ref())
        .await?
        .filter(|_| unchanged::may_be_unchanged(build));
    let cached = match environment {
        Some(environment) => {
            let intact = files::intact_files(build, &sources).await?;
            let unchanged = unchanged::unchanged_report(
                build,
                (source, environment),
                (&sources, &intact),
                previous.as_ref(),
                &mut ahead,
            )
            .await?;
            if let Some(unchanged) = unchanged {
                // Release the shared lock: a sweep needs it exclusively.
                drop(lock);
                deploy::tidy_up(build, &sources, previous.as_ref()).await?;
                return Ok(unchanged);
            }
            page_cache::cached_rows(build, environment, &sources, &intact).await?
        }
        None => CachedRows::default(),
    };
    let mut corpus = cached_texts::read_corpus(build, &sources, cached).await?;
    let discovered = discover::discover(build, &mut sources, &corpus).await?;
    report.notices.extend(discovered.notices);
    if discovered.is_more {
        corpus = extract::read_all(build, &sources).await?;
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
    for record in corpus
        .unreadable
        .iter()
        .filter_map(|path| sources.records.get(path))
    {
        crawl::remove_damaged(build, record).await?;
    }
    // Report path conflicts before an engine is paid.
    report
        .notices
        .extend(references::published_paths(build.site, &corpus, previous.as_ref())?.1);
    let Translated { texts, notes } = translate::translate(build, &corpus, &targets.all).await?;
    // What is said of memories and engines is of this build: the next one may have nothing to say, or has to say it again.
    let source = source.filter(|_| notes.is_quiet());
    report.take_translated(notes);
    report.notices.extend(corpus.notice_of_names(site, &texts)?);
    let cache = page_cache::cache_change(build, &sources, &corpus, &texts)?;
    let deployed = deploy::deploy(
        build,
        Made {
            sources,
            crawled,
            corpus,
            texts,
            targets,
        },
        previous.as_ref(),
        lock,
        ahead,
    )
    .await?;
    let published = deployed.published.clone();
    let passing = report.take_deployed(deployed);
    // The site is published. A failure to prepare the next fast path must not fail this build.
    if let Some(next) = unchanged::next_environment(build, beside, &report, published.as_ref())
        .await
        .unwrap_or_default()
    {
        let last_build =
            last_build(source, &next, &report, &build.options.inputs).unwrap_or_default();
        let cache = cache.map(|change| {
            Box::new(CacheChange {
                environment: spelled(&next.0),
                ..change
            })
        });
        report.derived = DerivedRows::Replaced { last_build, cache };
    } else {
        report.derived = DerivedRows::Replaced {
            last_build: None,
            cache: None,
        };
    }
    report.notices.extend(passing);
    Ok(report)
}
