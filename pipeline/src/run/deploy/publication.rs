//! A deployment is made on top of what is the site now, and again where another builder was faster.
//!
//! Builders with a state each may work on one store. What a run took from the source itself is its own; what it only
//! carried over (everything of an offline run, pages that were not selected or could not be fetched) comes from the
//! deployment that is the site, where another builder made that. Each try renders against the pages, redirects and
//! switches of that deployment. A rollback that was made after the run began is never undone.
//!
//! The words of pages that come from another builder are those that people and the memory have: no engine is asked for
//! them, because nobody agreed to that cost. Where they are fewer than the other builder had, its next build, or the next
//! of this one, fills them in.

use std::time::Duration;

use uuid::Uuid;

use super::sweeping;
use crate::model::{Locale, PagePath};
use crate::run::context::Build;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::extract;
use crate::run::error::BuildError;
use crate::run::memo::carry;
use crate::run::options::BuildOptions;
use crate::run::pages::locale_files::LocaleFiles;
use crate::run::pages::paths;
use crate::run::pages::publish::{self, PublishNotes};
use crate::run::pages::references::SiteOutline;
use crate::run::report::build_report::Report;
use crate::run::source::crawl::CrawlNotes;
use crate::run::source::files;
use crate::run::source::other_builders::made_by_others;
use crate::run::source::sources::{self, Sources};
use crate::run::words::locales::{self, BuildLocales};
use crate::run::words::texts::LocaleTexts;
use crate::run::words::translate::{self, Translated};
use crate::site_files::Templates;
use crate::state::{SourceKind, SourceRecord};
use crate::store::{self, Ahead, Draft, Lock, Published, ServingSwitch, SourceIndex, StoreError};

/// How often a run tries to become the site.
const TRIES: u32 = 5;
/// The longest wait before the second try; it grows with each.
const PAUSE: Duration = Duration::from_millis(400);
/// How many damaged files a notice names.
const NAMED: usize = 3;

/// What a run made of the source, before anything is published.
pub(in crate::run) struct PreparedRun {
    pub(in crate::run) sources: Sources,
    /// What the crawl said of them.
    pub(in crate::run) crawled: CrawlNotes,
    pub(in crate::run) corpus: Corpus,
    pub(in crate::run) texts: Vec<LocaleTexts>,
    pub(in crate::run) targets: BuildLocales,
}

/// What deploying came to.
pub(in crate::run) struct DeployOutcome {
    /// What the deployment was made of in the end.
    sources: Sources,
    /// How many different texts it has.
    segments: usize,
    notes: PublishNotes,
    /// What is to be said of this deployment alone, and not of a next one that changes nothing.
    passing: Vec<String>,
    /// What is the site now.
    pub(in crate::run) published: Option<Published>,
}

impl Report {
    /// Takes up what deploying came to, but what passes; gives that.
    pub(in crate::run) fn take_deployed(&mut self, deployed: DeployOutcome) -> Vec<String> {
        let DeployOutcome {
            sources,
            segments,
            notes,
            passing,
            ..
        } = deployed;
        self.count_sources(&sources);
        self.segments = segments;
        self.take_published(notes);
        passing
    }
}

/// Publishes what was made; `previous` is the deployment that was the site when the run began.
pub(in crate::run) async fn deploy(
    build: &Build<'_>,
    mut made: PreparedRun,
    previous: Option<&Published>,
    lock: Lock,
    ahead: Option<Ahead>,
) -> Result<DeployOutcome, BuildError> {
    let began = previous.map_or(0, Published::deployment);
    let objects = &build.stores.objects;
    let site = &build.site.id;
    let warm = &build.options.warm;
    let draft = Draft::begin_under(objects, site, lock, previous, warm, ahead).await?;
    let mut draft = draft
        .keeping(build.options.keep_deployments)
        .rendered(build.options.offline);
    if build.options.offline {
        draft.recall_earlier().await?;
    }
    let mut tries = 1;
    let notes = loop {
        if let Some(deployment) = draft.undoes(began) {
            return Err(BuildError::RolledBack { deployment });
        }
        made = on_top_of(build, draft.previous(), made).await?;
        match publish_on(build, &draft, &made).await {
            Err(BuildError::Store(StoreError::Overtaken { .. })) if tries < TRIES => {}
            Err(BuildError::Store(StoreError::Overtaken { .. })) => {
                return Err(BuildError::Overtaken { tries });
            }
            Err(error) => return Err(error),
            Ok(notes) => break notes,
        }
        tokio::time::sleep(jitter(PAUSE * tries)).await;
        tries += 1;
        draft.begin_again().await?;
    };
    let passing = notices(&draft);
    // A sweep wants the site alone, and what is published needs no lock.
    let published =
        Published::newest(&build.stores.objects, &build.site.id, draft.previous()).await?;
    drop(draft);
    // All texts of a site take more memory than anything else, and what follows goes through all objects of the store.
    let PreparedRun {
        sources,
        corpus,
        texts,
        ..
    } = made;
    let segments = corpus.different_texts();
    drop((corpus, texts));
    tidy_up(build, &sources, published.as_ref()).await?;
    // The site is published, whether the next build is spared something or not.
    files::keep_written(build, &sources)
        .await
        .unwrap_or_default();
    Ok(DeployOutcome {
        sources,
        segments,
        notes,
        passing,
        published,
    })
}

/// What follows every build, also one that had nothing to do: the live tree is as the newest deployment, and what nobody
/// names goes. `known` is a deployment loaded earlier.
pub(in crate::run) async fn tidy_up(
    build: &Build<'_>,
    sources: &Sources,
    known: Option<&Published>,
) -> Result<(), BuildError> {
    let objects = &build.stores.objects;
    let site = &build.site.id;
    if objects.is_folder() {
        store::project_live(objects, site, known).await?;
    }
    // Whoever builds again and again sweeps when nothing else is to be done.
    if build.options.warm.is_on() {
        known
            .iter()
            .for_each(|known| build.options.warm.keep_published(known));
        return Ok(());
    }
    store::sweep(objects, site, build.options.keep_deployments, known).await?;
    sweeping::sweep_sources(build, sources).await
}

async fn publish_on(
    build: &Build<'_>,
    draft: &Draft,
    made: &PreparedRun,
) -> Result<PublishNotes, BuildError> {
    // What is wrong with paths was reported before anything was paid for.
    let (paths, _) = paths::published_paths(build.site, &made.corpus, draft.previous())?;
    // Read its inputs after the key, so that a change in between is noticed.
    let carry = carry::known_versions(build);
    let locale_files = LocaleFiles::of(build.site)?;
    let templates = Templates::load(build.site.templates.as_deref())?;
    let outline = SiteOutline {
        templates,
        paths,
        carry,
        locale_files,
    };
    // Somebody may have switched a locale meanwhile.
    let now = locales::build_locales(build, draft.previous()).await?;
    let (targets, texts) = keep_on(&made.targets, now, made.texts.clone());
    publish::publish(
        build,
        draft,
        outline,
        (&made.sources, &made.corpus),
        texts,
        &targets,
    )
    .await
}

/// What was made, with what it only carried over as the deployment has it that another builder made.
async fn on_top_of(
    build: &Build<'_>,
    previous: Option<&Published>,
    made: PreparedRun,
) -> Result<PreparedRun, BuildError> {
    let Some((previous, index)) = made_by_others(build, previous).await? else {
        return Ok(made);
    };
    let sources = with_carried(build, &made, previous, &index);
    if sources.records == made.sources.records && sources.redirects == made.sources.redirects {
        let sources = Sources {
            rules: sources.rules,
            sitemaps: sources.sitemaps,
            ..made.sources
        };
        return Ok(PreparedRun { sources, ..made });
    }
    let options = BuildOptions {
        offline: true,
        ..build.options.clone()
    };
    let quiet = &Build {
        options: &options,
        ..*build
    };
    let corpus = extract::read_all(quiet, &sources).await?;
    let Translated { texts, .. } = translate::translate(quiet, &corpus, &made.targets.all).await?;
    let id = build.site.id.clone();
    let records = sources.records.clone();
    build
        .stores
        .with_state(move |state| state.record_sources(&id, &records))
        .await?;
    Ok(PreparedRun {
        sources,
        corpus,
        texts,
        ..made
    })
}

/// The run's own sources, with what it only carried over as the other builder has it: newer, or gone.
fn with_carried(
    build: &Build<'_>,
    made: &PreparedRun,
    previous: &Published,
    index: &SourceIndex,
) -> Sources {
    let PreparedRun {
        sources: own,
        crawled,
        ..
    } = made;
    let scope = sources::scope(build.site);
    let is_gone = |path: &PagePath| {
        crawled
            .failures
            .iter()
            .any(|failure| failure.path == *path && failure.says_gone())
    };
    let is_trapped = |path: &PagePath| crawled.traps.iter().any(|trap| trap.matches(path));
    let is_selected = |path: &PagePath, record: &SourceRecord| {
        record.kind != SourceKind::Page
            || build.options.pages.is_all()
            || build.options.pages.has(path)
    };
    let is_carried = |path: &PagePath, record: &SourceRecord| {
        let may_be_absent =
            !own.records.contains_key(path) && (own.carried.absent || is_trapped(path));
        own.carried.paths.contains(path)
            || !is_selected(path, record)
            || may_be_absent && !is_gone(path)
    };
    let mut sources = own.clone();
    sources
        .records
        .retain(|path, _| !own.carried.paths.contains(path) || index.records.contains_key(path));
    let lets_in = |path: &PagePath, record: &SourceRecord| {
        is_carried(path, record) && scope.lets_in(path, record.kind)
    };
    for (path, record) in index
        .records
        .iter()
        .filter(|(path, record)| lets_in(path, record))
    {
        let same = sources
            .records
            .get(path)
            .filter(|own| *own.without_validators() == **record)
            .cloned();
        // The next try takes it from whoever is the site then.
        sources.carry(path, &same.unwrap_or_else(|| record.clone()));
    }
    let theirs = &previous.settings().redirects;
    if build.options.offline {
        sources.redirects = theirs.clone();
        sources
            .redirects
            .retain(|from, redirect| scope.lets_in_redirect(from, redirect));
        sources.rules.clone_from(&index.rules);
        sources.sitemaps.clone_from(&index.sitemaps);
        sources.rules.retain(|name, _| scope.lets_in_rules(name));
    } else {
        // Where a page stays, the source led elsewhere by mistake.
        sources
            .redirects
            .retain(|from, _| !sources.records.contains_key(from));
        if own.carried.absent {
            sources.carry_redirects(theirs, &scope);
        }
    }
    sources
}

/// The locales that are on from the beginning to the end, with their texts; a locale that was switched on meanwhile
/// has none yet and waits for the run that its switch ordered.
fn keep_on(
    before: &BuildLocales,
    mut now: BuildLocales,
    texts: Vec<LocaleTexts>,
) -> (BuildLocales, Vec<LocaleTexts>) {
    let was_on = |locale: &Locale| {
        before
            .all
            .iter()
            .any(|target| target.locale == *locale && target.is_built())
    };
    now.all
        .iter_mut()
        .filter(|target| !was_on(&target.locale))
        .for_each(|target| target.switch = ServingSwitch::Off);
    let is_on = |texts: &LocaleTexts| {
        now.all
            .iter()
            .any(|target| target.locale == texts.locale && target.is_built())
    };
    let texts = texts.into_iter().filter(is_on).collect();
    (now, texts)
}

/// What an owner should know of the deployment that this one was made on top of.
fn notices(draft: &Draft) -> Vec<String> {
    let mut notices = Vec::new();
    if let Some(first) = draft.passed_over().first() {
        let served = draft.previous().map_or("nothing".to_owned(), |published| {
            format!("deployment {}", published.deployment())
        });
        notices.push(format!("{first}; until now, readers got {served} instead"));
    }
    let damage = draft.damage();
    if !damage.is_empty() {
        let named: Vec<String> = damage.iter().take(NAMED).map(ToString::to_string).collect();
        notices.push(format!(
            "{} published files were damaged and were written anew, such as: {}",
            damage.len(),
            named.join("; ")
        ));
    }
    notices
}

/// Some part of a time, by chance, so that two builders do not meet again.
fn jitter(longest: Duration) -> Duration {
    let [part, ..] = *Uuid::new_v4().as_bytes();
    longest * u32::from(part) / 255
}
