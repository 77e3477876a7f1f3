//! Fast path: if the fingerprint of all inputs is that of the last build, the build is skipped and returns the last report.
//!
//! The fingerprint is made after the crawl, so it covers the source; extraction, translation and rendering are skipped. A build
//! that left something open, such as a text without a translation, keeps no fingerprint. In doubt the fingerprint differs, and the build
//! does everything. `--rebuild` ignores the fingerprint and must publish the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::key::{KeyBuilder, KeyInputs};
use crate::config::{SiteConfig, SourceLocation};
use crate::model::Locale;
use crate::run::context::{self, Build, may_be_kept};
use crate::run::error::BuildError;
use crate::run::options::BuildStep;
use crate::run::pages::locale_files::LocaleFiles;
use crate::run::report::build_report::{LocaleReport, Report, SearchLeft};
use crate::run::report::derived_rows::DerivedRows;
use crate::run::report::work::BuildWork;
use crate::run::source::files::Intact;
use crate::run::source::sources::Sources;
use crate::run::words::word_counts::WordsBySource;
use crate::state::{LastBuild, MemoryLedger, Stage, State};
use crate::store::{self, Ahead, Draft, Lock, Published, RowKind, Switches};
use crate::translate::Steps;

/// Fingerprint of the sources, of the crawl report and of people's words in the state; `None` if the build must do everything.
pub(in crate::run) fn source_key(
    build: &Build<'_>,
    sources: &Sources,
    crawled: &Report,
    people: &str,
) -> Result<Option<[u8; 32]>, BuildError> {
    let is_whole = crawled.failures.is_empty()
        && crawled.traps.is_empty()
        && !crawled.truncated
        && crawled.source_suspect.is_none()
        && sources.carried.paths.is_empty();
    if !is_whole || !may_be_kept(build) {
        return Ok(None);
    }
    let mut key = build.options.inputs.key();
    for (path, record) in &sources.records {
        key.add(path.as_str().as_bytes());
        // What a server says of equal bytes may differ in each answer.
        key.add_json(&*record.without_validators())?;
    }
    key.add_json(&sources.redirects)?;
    key.add_json(&sources.rules)?;
    key.add_json(&sources.sitemaps)?;
    key.add_json(crawled)?;
    key.add(people.as_bytes());
    Ok(Some(key.bytes()))
}

/// Fingerprint of inputs that can change during a build: settings, files they name, switches. Computed before a build reads
/// them, and again after it.
pub(in crate::run) async fn beside_key(build: &Build<'_>) -> Result<[u8; 32], BuildError> {
    let mut key = build.options.inputs.key();
    key.add_program();
    key.add_debug(build.site);
    key.add_debug(build.stores.objects.variants());
    // `--locale` builds a language even if it is switched off.
    key.add_debug(&build.options.locales.iter().collect::<BTreeSet<_>>());
    key.add_debug(&Switches::newest(&build.stores.objects, &build.site.id).await?);
    add_files(build.site, &mut key);
    Ok(key.bytes())
}

/// Environment of a build: everything that it reads beside the source, the newest commit and the memory. `None` if the store has
/// translations of others that the state did not take yet. The month of a budget is no input: only open texts depend on it, and
/// a build with open texts keeps no key.
pub(in crate::run) async fn environment_key(
    build: &Build<'_>,
    beside: [u8; 32],
    newest: Option<&Published>,
) -> Result<Option<[u8; 32]>, BuildError> {
    let Some(newest) = newest else {
        return Ok(None);
    };
    let mut key = build.options.inputs.key();
    key.add(&beside);
    key.add_json(newest.commit())?;
    for locale in &build.site.locales {
        let id = build.site.id.clone();
        let of = locale.clone();
        let read = move |state: &State| {
            let ledger = state.memory_ledger(&id, &of)?;
            Ok((
                ledger,
                state.answers(&id, &of)?.len(),
                state.word_file_print(&id, &of)?,
            ))
        };
        let (ledger, answers, words) = build.stores.with_state(read).await?;
        key.add_debug(&(locale, ledger.changes, answers));
        // A build takes the kept words if the file itself is broken.
        key.add_debug(&words);
        if !add_lines(build.site, &mut key, locale, &ledger) {
            return Ok(None);
        }
        for file in store::row_files(
            &build.stores.objects,
            &build.site.id,
            RowKind::Memory,
            locale,
        )
        .await?
        {
            if !ledger.files.contains_key(&file.name) {
                return Ok(None);
            }
            key.add_debug(&(file.name, file.size));
        }
    }
    Ok(Some(key.bytes()))
}

/// The file of memory lines, which a build writes, too; says whether it is as the state knows it.
fn add_lines(
    site: &SiteConfig,
    key: &mut KeyBuilder,
    locale: &Locale,
    ledger: &MemoryLedger,
) -> bool {
    let Some(file) = &site.memory else {
        return true;
    };
    let hash = fs::read(file.path(locale))
        .ok()
        .map(|bytes| blake3::hash(&bytes).to_hex().to_string());
    key.add_debug(&hash);
    hash == ledger.lines.as_ref().map(|lines| lines.hash.clone())
}

/// Adds every file that the settings name, except sources and memory lines.
fn add_files(config: &SiteConfig, key: &mut KeyBuilder) {
    let site = config;
    for locale in &site.locales {
        for file in [&site.translations, &site.slugs].into_iter().flatten() {
            key.add_file(&file.path(locale));
        }
    }
    // Builds fail at the start if these files are wrong.
    if let Ok(files) = LocaleFiles::of(site) {
        files.add_to(key);
    }
    // The crawl passes over hidden files, and what this one says of scripts counts.
    if let SourceLocation::Folder(folder) = &site.source {
        key.add_file(&folder.join(".htaccess"));
    }
    site.glossary.iter().for_each(|file| key.add_file(file));
    site.templates
        .iter()
        .for_each(|folder| key.add_folder(folder, KeyBuilder::add_file));
    for engine in site.all_engines() {
        engine
            .spec
            .key_files()
            .into_iter()
            .for_each(|file| key.add_file(file));
        engine
            .spec
            .model_folders()
            .into_iter()
            .for_each(|folder| key.add_folder(folder, KeyBuilder::add_stat));
    }
}

/// Returns the last report if nothing changed; `None` if the build must do everything. Checks the published files, too,
/// because only a full build repairs damage.
pub(in crate::run) async fn unchanged_report(
    build: &Build<'_>,
    (source, environment): (Option<[u8; 32]>, [u8; 32]),
    (sources, intact): (&Sources, &Intact<'_>),
    previous: Option<&Published>,
    ahead: &mut Option<Ahead>,
) -> Result<Option<Report>, BuildError> {
    let Some((source, previous)) = source.zip(previous) else {
        return Ok(None);
    };
    let id = build.site.id.clone();
    let read = move |state: &State| {
        let last = state.last_build(&id)?;
        Ok((last, state.locales_with_unwritten(&id)?.is_empty()))
    };
    let (Some(known), true) = build.stores.with_state(read).await? else {
        return Ok(None);
    };
    if build_key(source, environment, &build.options.inputs) != known.key {
        return Ok(None);
    }
    // A report of another version is no report.
    let Ok(report) = serde_json::from_value::<Report>(known.report) else {
        return Ok(None);
    };
    let objects = &build.stores.objects;
    let id = &build.site.id;
    let lock = Lock::share(objects, id).await?;
    let warm = &build.options.warm;
    let draft = Draft::begin_under(objects, id, lock, Some(previous), warm, ahead.take()).await?;
    let is_same = draft
        .previous()
        .is_some_and(|found| found.deployment() == previous.deployment());
    if !is_same
        || draft.notes_damage()
        || !draft.damage().is_empty()
        || !draft.passed_over().is_empty()
    {
        return Ok(None);
    }
    drop(draft);
    if !sources
        .records
        .values()
        .all(|record| intact.contains(&record.name))
    {
        return Ok(None);
    }
    // Whoever follows the run sees that everything is done.
    context::step(build, Stage::Extract, report.pages, Some(report.pages));
    for locale in &report.locales {
        let done = report.segments;
        let total = Some(report.segments);
        (build.progress)(&BuildStep {
            stage: Stage::Translate,
            locale: Some(&locale.locale),
            done,
            total,
        });
    }
    context::step(build, Stage::Render, report.pages, Some(report.pages));
    Ok(Some(report))
}

/// The environment of the next build if nothing changes; `None` if it changed already.
pub(in crate::run) async fn next_environment(
    build: &Build<'_>,
    beside: [u8; 32],
    report: &Report,
    known: Option<&Published>,
) -> Result<Option<([u8; 32], Published)>, BuildError> {
    let newest = Published::newest(&build.stores.objects, &build.site.id, known).await?;
    let Some(newest) = newest.filter(|newest| newest.deployment() == report.deployment) else {
        return Ok(None);
    };
    // A file may have changed while the build read it.
    if beside_key(build).await? != beside {
        return Ok(None);
    }
    Ok(environment_key(build, beside, Some(&newest))
        .await?
        .map(|environment| (environment, newest)))
}

/// Fingerprint and report by which the next build can be skipped; `None` if it must do everything. Stored with the run, because
/// a skipped build returns this report.
pub(in crate::run) fn last_build(
    source: Option<[u8; 32]>,
    (environment, newest): &([u8; 32], Published),
    report: &Report,
    inputs: &KeyInputs,
) -> Result<Option<LastBuild>, BuildError> {
    let Some(source) = source.filter(|_| is_complete(report)) else {
        return Ok(None);
    };
    let key = build_key(source, *environment, inputs);
    let report = serde_json::to_value(as_unchanged(report, newest));
    Ok(Some(LastBuild {
        key,
        report: report.map_err(|error| BuildError::Broken(error.to_string()))?,
    }))
}

/// The key of everything that a build reads.
fn build_key(source: [u8; 32], environment: [u8; 32], inputs: &KeyInputs) -> String {
    let mut key = inputs.key();
    key.add(&source);
    key.add(&environment);
    key.hex()
}

/// True if the next build would neither retry nor report anything else.
fn is_complete(report: &Report) -> bool {
    let is_complete = |locale: &LocaleReport| {
        locale.refused.is_empty()
            && locale.kept_pages.is_empty()
            && locale.unavailable == 0
            && locale.words.untranslated == 0
            // A text that lacks a term is asked again as soon as an engine takes it.
            && locale.terms.missed == 0
    };
    report.absent_engines.is_empty()
        && report.broken_words.is_empty()
        && report.failures.is_empty()
        && report.search_left == SearchLeft::Nothing
        && report.locales.iter().all(is_complete)
}

/// Report of a build with the same inputs, which changes nothing.
fn as_unchanged(report: &Report, newest: &Published) -> Report {
    let objects: u64 = newest
        .commit()
        .trees
        .values()
        .map(|tree| tree.objects)
        .sum();
    let locale = |locale: &LocaleReport| LocaleReport {
        updated: 0,
        reworded: 0,
        engine_calls: 0,
        characters_sent: 0,
        tokens: None,
        engine_tokens: BTreeMap::new(),
        price: None,
        engines: BTreeMap::new(),
        markup: Steps::default(),
        words: WordsBySource {
            memory: locale.words.memory + locale.words.engine,
            engine: 0,
            ..locale.words
        },
        ..locale.clone()
    };
    Report {
        created: false,
        written: 0,
        removed: 0,
        unchanged: objects,
        work: BuildWork {
            carried: report.work.rendered + report.work.carried,
            ..BuildWork::default()
        },
        locales: report.locales.iter().map(locale).collect(),
        run_id: None,
        page_words: BTreeMap::<Locale, _>::new(),
        rewritten: BTreeMap::new(),
        derived: DerivedRows::Unchanged,
        ..report.clone()
    }
}
