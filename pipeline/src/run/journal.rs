//! A run and its record: what was ordered, how far it came and what it left, whatever its end.

mod failures;
mod planned;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, LocalBoxFuture};

use crate::config::{PublishConfig, SiteConfig};
use crate::model::{DeploymentId, Locale, PagePath, SiteId};
use crate::run::build::build;
use crate::run::clock::{month, now};
use crate::run::context::blocking;
use crate::run::error::BuildError;
use crate::run::memory::store_files::Memory;
use crate::run::options::{BuildOptions, BuildProgress, BuildStep, Stores, Trust};
use crate::run::plan::plan;
use crate::run::report::build_report::{LocaleReport, Report};
use crate::run::report::derived_rows::DerivedRows;
use crate::run::words::word_counts::number;
use crate::state::{
    LocaleLeft, LocaleRun, PagesWords, RunFailure, RunKind, RunOutcome, RunRecord, RunStatus,
    Stage, StageCount, StateError,
};
use crate::store::StoreError;
use crate::targets::{self, PublishOptions, TargetError};
use crate::webhooks::{BudgetExceeded, ReviewNeeded, WebhookEvent};

/// A run that was done and is not recorded yet.
#[derive(Debug)]
pub struct Performed {
    /// The run, as it ended.
    pub run: RunRecord,
    /// What the build said.
    pub outcome: Result<Report, BuildError>,
    locales: BTreeMap<Locale, LocaleLeft>,
    /// What else its end is to the endpoints of the site.
    events: Vec<WebhookEvent>,
    /// Derived rows for the state.
    derived: DerivedRows,
}

/// Does what a run was ordered to do; `watch` sees the run as it goes on.
///
/// `options` says how; which locales and pages, and whether to crawl, the order says.
#[expect(
    clippy::too_many_lines,
    reason = "the kinds of runs and what each records"
)]
pub fn perform<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    mut run: RunRecord,
    options: &'a BuildOptions,
    progress: &'a BuildProgress<'a>,
    watch: &'a (dyn Fn(&RunRecord) + Send + Sync),
) -> LocalBoxFuture<'a, Performed> {
    Box::pin(async move {
        let options = BuildOptions {
            locales: run.order.locales.iter().cloned().collect(),
            pages: run.order.pages.clone(),
            force: run.order.force,
            offline: options.offline || run.order.kind == RunKind::Render,
            trust: run
                .order
                .accept
                .map_or(options.trust, |accepted| Trust::Accepted {
                    run: accepted,
                    by: run.id,
                }),
            must_publish: options.must_publish || run.order.kind == RunKind::Render,
            ..options.clone()
        };
        let tally = Mutex::new(StageTally::default());
        let step = |step: &BuildStep<'_>| {
            progress(step);
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            tally.count(step);
            watch(&RunRecord {
                stages: tally.stages(),
                ..run.clone()
            });
        };
        let bounded = match within_quota(site, stores).await {
            Ok(bounded) => bounded,
            Err(error) => return Performed::ended(run, Err(error.into())),
        };
        let stores = bounded.as_ref().unwrap_or(stores);
        if run.order.kind == RunKind::Plan {
            let outcome = plan(site, stores, &options, &step).await;
            run.stages = tally
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .stages();
            let outcome = outcome.map(|plan| planned::record(&mut run, &plan));
            return Performed::ended(run, outcome);
        }
        let mut outcome = build(site, stores, &options, &step).await;
        run.stages = tally
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .stages();
        run.finished = Some(now());
        let mut locales = BTreeMap::new();
        let mut events = Vec::new();
        let mut derived = DerivedRows::Unchanged;
        match &mut outcome {
            Ok(report) => {
                derived = std::mem::take(&mut report.derived);
                report.run_id = Some(run.id);
                report.outcome = report.outcome_of(run.order.kind);
                report.warnings = report.warnings_of(run.order.kind);
                let rewritten = std::mem::take(&mut report.rewritten);
                let mut reworded = reworded(stores, &site.id, Arc::new(rewritten), report).await;
                for locale in &mut report.locales {
                    locale.reworded = reworded.remove(&locale.locale).unwrap_or(locale.reworded);
                }
                report.notices.extend(
                    report
                        .source_suspect
                        .as_ref()
                        .map(|suspect| suspect.notice(Some(run.id))),
                );
                complete(&mut run, report);
                let mut pages = std::mem::take(&mut report.page_words);
                let mut of = |locale: &LocaleReport| {
                    let pages = pages.remove(&locale.locale);
                    (
                        locale.locale.clone(),
                        LocaleLeft {
                            run: left(&run, report, locale),
                            total: number(locale.pages + locale.missing),
                            pages,
                        },
                    )
                };
                locales = report.locales.iter().map(&mut of).collect();
                events = report
                    .locales
                    .iter()
                    .filter_map(|locale| to_review(&run, locale))
                    .collect();
            }
            Err(error) => {
                run.status = RunStatus::Failed;
                run.outcome = Some(error.outcome());
                run.failures.push(failures::of_error(error));
            }
        }
        if run.outcome == Some(RunOutcome::OverBudget) {
            events.push(over_budget(site, stores, &run).await);
        }
        Performed {
            run,
            outcome,
            locales,
            events,
            derived,
        }
    })
}

/// Does what a run of the kind [`RunKind::Publish`] was ordered to do; `watch` sees the run as it goes on.
pub fn deliver<'a>(
    site: &'a SiteId,
    target: Option<&'a PublishConfig>,
    stores: &'a Stores,
    mut run: RunRecord,
    patience: Duration,
    watch: &'a (dyn Fn(&RunRecord) + Send + Sync),
) -> LocalBoxFuture<'a, Performed> {
    Box::pin(async move {
        let newest = PublishOptions::newest(
            format!("run {} of `latimer serve`", run.id),
            now(),
            patience,
        );
        let options = PublishOptions {
            deployment: run.order.deployment.map(|id| id.to_string()),
            ..newest
        };
        let count = |done: usize, total| StageCount {
            total: number(total),
            done: number(done),
            failed: 0,
        };
        let began = run.clone();
        let step = |done, total| {
            watch(&RunRecord {
                stages: BTreeMap::from([(Stage::Publish, count(done, total))]),
                ..began.clone()
            });
        };
        let outcome = match target {
            Some(target) => targets::publish(target, &stores.objects, &options, &step).await,
            None => Err(TargetError::NoTarget(
                run.order.target.clone().unwrap_or_default(),
            )),
        };
        let outcome = outcome.map_err(BuildError::from).map(|published| {
            run.deployment = DeploymentId::parse(&published.deployment_id);
            run.stages
                .insert(Stage::Publish, count(published.sent, published.sent));
            Report::new(site)
        });
        Performed::ended(run, outcome)
    })
}

impl Performed {
    /// A run of a kind that leaves nothing in the languages of its site, at its end.
    pub(super) fn ended(mut run: RunRecord, outcome: Result<Report, BuildError>) -> Self {
        run.finished = Some(now());
        match &outcome {
            Ok(report) => {
                run.status = RunStatus::Completed;
                run.outcome = Some(report.outcome);
            }
            Err(error) => {
                run.status = RunStatus::Failed;
                run.outcome = Some(error.outcome());
                run.failures.push(failures::of_error(error));
            }
        }
        Self {
            run,
            outcome,
            locales: BTreeMap::new(),
            events: Vec::new(),
            derived: DerivedRows::Unchanged,
        }
    }

    /// Records how the run ended; gives what the build said.
    ///
    /// # Errors
    /// The [`BuildError`] of the build, or that of the database.
    pub fn record<'a>(
        self,
        stores: &'a Stores,
        site: &'a SiteId,
    ) -> BoxFuture<'a, Result<Report, BuildError>> {
        Box::pin(async move {
            finish(stores, site, self.run, self.locales, self.events).await?;
            let state = stores.state.clone();
            let site = site.clone();
            let _ = blocking(move || self.derived.keep(&state, &site)).await;
            self.outcome
        })
    }
}

/// Records that a run ended before its work did.
///
/// # Errors
/// A [`BuildError`] when the database failed.
pub async fn stopped(
    stores: &Stores,
    site: &SiteId,
    mut run: RunRecord,
    outcome: RunOutcome,
    failure: Option<RunFailure>,
) -> Result<RunRecord, BuildError> {
    run.status = match outcome {
        RunOutcome::Cancelled | RunOutcome::TimedOut => RunStatus::Cancelled,
        RunOutcome::Ok
        | RunOutcome::Partial
        | RunOutcome::SourceSuspect
        | RunOutcome::NothingTranslated
        | RunOutcome::OverBudget
        | RunOutcome::Failed => RunStatus::Failed,
    };
    run.outcome = Some(outcome);
    run.finished = Some(now());
    run.failures.extend(failure);
    write_paid(stores, site).await;
    finish(stores, site, run.clone(), BTreeMap::new(), Vec::new()).await?;
    Ok(run)
}

/// Writes what was paid for into the object store; what fails is written by the next run.
async fn write_paid(stores: &Stores, site: &SiteId) {
    let id = site.clone();
    let locales = stores
        .with_state(move |state| state.locales_with_unwritten(&id))
        .await;
    let Ok(locales) = locales else { return };
    for locale in &locales {
        let _ = Memory {
            stores,
            site,
            locale,
        }
        .write()
        .await;
    }
}

async fn finish(
    stores: &Stores,
    site: &SiteId,
    run: RunRecord,
    locales: BTreeMap<Locale, LocaleLeft>,
    events: Vec<WebhookEvent>,
) -> Result<(), BuildError> {
    let site = site.clone();
    stores
        .with_state(move |state| state.finish_run(&site, &run, &locales, &events))
        .await
}

/// How far each stage is, in all its locales together.
#[derive(Debug, Default)]
struct StageTally(BTreeMap<(Stage, Option<Locale>), (usize, usize)>);

impl StageTally {
    fn count(&mut self, step: &BuildStep<'_>) {
        let total = step.total.unwrap_or(step.done);
        self.0
            .insert((step.stage, step.locale.cloned()), (step.done, total));
    }

    fn stages(&self) -> BTreeMap<Stage, StageCount> {
        let mut stages: BTreeMap<Stage, StageCount> = BTreeMap::new();
        for ((stage, _), (done, total)) in &self.0 {
            let count = stages.entry(*stage).or_default();
            count.done += number(*done);
            count.total += number(*total);
        }
        stages
    }
}

/// Fills the record of a run that made a report.
fn complete(run: &mut RunRecord, report: &Report) {
    run.status = RunStatus::Completed;
    run.outcome = Some(report.outcome);
    run.warnings.clone_from(&report.warnings);
    run.deployment = (report.deployment > 0).then_some(report.deployment_id);
    run.characters_sent = report
        .locales
        .iter()
        .map(|locale| locale.characters_sent)
        .sum();
    run.suspect = report.source_suspect.clone();
    run.failures.extend(failures::of_report(report));
    let crawl = number(report.failures.len() + usize::from(report.source_suspect.is_some()));
    let translate = number(
        report
            .locales
            .iter()
            .map(|locale| locale.refusals + locale.unavailable)
            .sum(),
    );
    for (stage, failed) in [(Stage::Crawl, crawl), (Stage::Translate, translate)] {
        if let Some(count) = run.stages.get_mut(&stage) {
            count.failed = failed;
            count.done =
                count
                    .done
                    .saturating_sub(if stage == Stage::Translate { failed } else { 0 });
            count.total = count.total.max(count.done + failed);
        }
    }
    let objects = report.written + report.unchanged;
    run.stages.insert(
        Stage::Publish,
        StageCount {
            total: objects,
            done: objects,
            failed: 0,
        },
    );
}

/// Counts the pages whose words changed, by locale; nothing where no file changed. A page that only names another language now has the words it had. Where the
/// state cannot be read, every page counts whose file changed.
async fn reworded(
    stores: &Stores,
    site: &SiteId,
    rewritten: Arc<BTreeMap<Locale, BTreeSet<PagePath>>>,
    report: &Report,
) -> BTreeMap<Locale, usize> {
    if rewritten.is_empty() {
        return BTreeMap::new();
    }
    let state = stores.state.clone();
    let id = site.clone();
    let changed = Arc::clone(&rewritten);
    let known = move || {
        let of = |(locale, paths)| {
            Ok((
                Locale::clone(locale),
                state.words_of_pages(&id, locale, paths)?,
            ))
        };
        changed
            .iter()
            .map(of)
            .collect::<Result<BTreeMap<_, _>, StateError>>()
    };
    let before = blocking(known)
        .await
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default();
    let none = PagesWords::default();
    let count = |locale: &LocaleReport| {
        let now = report.page_words.get(&locale.locale).unwrap_or(&none);
        let before = before.get(&locale.locale).unwrap_or(&none);
        let is_kept = |path: &PagePath| locale.kept_pages.iter().any(|kept| kept.path == *path);
        let is_new = |path: &&PagePath| {
            let now = now.get(*path);
            let before = before.get(*path);
            let speaks = now.is_some_and(|now| now.translated() > 0);
            speaks
                && !now
                    .zip(before)
                    .is_some_and(|(now, before)| now.are_the_same(*before))
        };
        let pages = rewritten.get(&locale.locale).into_iter().flatten();
        let pages = pages.filter(is_new).filter(|path| !is_kept(path)).count();
        (locale.locale.clone(), pages)
    };
    report.locales.iter().map(count).collect()
}

/// What a run left in a locale.
fn left(run: &RunRecord, report: &Report, locale: &LocaleReport) -> LocaleRun {
    let words = &locale.words;
    LocaleRun {
        run: run.id,
        at: run.finished.unwrap_or_default(),
        pages: number(locale.with_words),
        updated: number(locale.reworded),
        deployed: report.created,
        words: [words.person, words.memory, words.engine, words.untranslated]
            .map(number)
            .into(),
        to_review: number(locale.to_review),
        edits: report
            .edits
            .get(&locale.locale)
            .copied()
            .unwrap_or_default(),
        characters_sent: locale.characters_sent,
        tokens: locale.engine_tokens.clone(),
        route: locale.route.clone(),
        failures: number(locale.refusals + report.failures.len()),
    }
}

/// What a run left to review in a locale.
fn to_review(run: &RunRecord, locale: &LocaleReport) -> Option<WebhookEvent> {
    let machine = locale.engines.values().sum();
    ReviewNeeded::of(
        run.id.to_string(),
        &locale.locale,
        number(locale.outdated),
        machine,
    )
    .map(WebhookEvent::ReviewNeeded)
}

/// That a run would have cost more than it may.
async fn over_budget(site: &SiteConfig, stores: &Stores, run: &RunRecord) -> WebhookEvent {
    let id = site.id.clone();
    let spent = stores
        .with_state(move |state| state.spent(&id, month()))
        .await
        .unwrap_or_default();
    let limit = site.max_chars_per_month;
    let run_id = run.id.to_string();
    WebhookEvent::BudgetExceeded(BudgetExceeded {
        month: month().to_string(),
        limit,
        spent,
        run_id,
    })
}

/// The stores, in which a site with a quota takes no more than that.
async fn within_quota(site: &SiteConfig, stores: &Stores) -> Result<Option<Stores>, StoreError> {
    let Some(most) = site.max_bytes else {
        return Ok(None);
    };
    Ok(Some(Stores {
        objects: stores.objects.within(&site.id, most).await?,
        ..stores.clone()
    }))
}
