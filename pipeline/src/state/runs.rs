//! Runs in the state: ordered, claimed one at a time by whoever works for a site, finished; and what each left.
//!
//! A run is safe to repeat, so one that was cut off goes back into the queue. What a finished run says about a locale
//! is kept apart from what callers said about it ([`super::SummaryRecord`]), so neither ever overwrites the other.

mod planned;
mod record;
mod told;

pub use planned::{Planned, PlannedEngine, PlannedLocale};
pub use record::{
    Cancelled, Idempotency, LocaleLeft, LocaleRun, OrderOutcome, RunFailure, RunKind, RunOrder,
    RunOrigin, RunRecord, RunStatus, Stage, StageCount, WordsByOrigin,
};

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use record::RememberedRequest;

use super::backend::{ReadableTable, WriteTable, WriteTransaction};
use super::fault::StateFault;
use super::rows::{after, json, of_site, parsed};
use super::tables::{IDEMPOTENCY, LOCALE_RUNS, RUNS};
use super::{State, StateError, pages};
use crate::model::{Locale, Moment, RunId, SiteId};
use crate::webhooks::WebhookEvent;

/// Runs of a site that are kept; the oldest finished ones go first.
const KEPT: usize = 200;
/// Builds of all its pages that are kept however old they are.
const KEPT_WHOLE: usize = 10;
/// Runs of a site that may wait.
const LONGEST_QUEUE: usize = 50;
/// Runs of a locale whose figures are kept.
const KEPT_FIGURES: usize = 1000;
/// Interruptions by the end of the process after which a run is not begun again by itself: it may be their cause.
const MOST_ATTEMPTS: u32 = 2;
/// How long an idempotency key is remembered.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);
/// Idempotency keys of a caller for a site that are remembered.
const KEPT_KEYS: usize = 1000;
/// Removed sites whose runs are kept.
const KEPT_REMOVED: usize = 50;

type RunsTable<'a> = WriteTable<'a, (&'static str, &'static str), &'static [u8]>;
type Used<'a> = WriteTable<'a, (&'static str, &'static str, &'static str), (u64, &'static [u8])>;

impl State {
    /// Orders a run, or joins an equal one that is not over; `answer` makes what the caller gets of the run and
    /// whether it is new. All of it is durable together.
    pub fn order_run(
        &self,
        site: &SiteId,
        run: RunRecord,
        promise: Option<Idempotency<'_>>,
        now: Moment,
        answer: impl FnOnce(&RunRecord, bool) -> Value,
    ) -> Result<OrderOutcome, StateError> {
        self.write("order a run in", |transaction| {
            let mut used = transaction.open_table(IDEMPOTENCY)?;
            used.retain(|_, (at, _)| Moment::of_millis(at) + REMEMBERED > now)?;
            if let Some(promise) = promise
                && let Some(before) = used.get((site.as_str(), promise.subject, promise.key))?
            {
                let row = || format!("idempotency key of {site}");
                let before: RememberedRequest = parsed(before.value().1, row)?;
                let same =
                    before.request == promise.fingerprint() || before.request == promise.request;
                return Ok(if same {
                    OrderOutcome::Before(before.answer)
                } else {
                    OrderOutcome::Conflict
                });
            }
            let mut table = transaction.open_table(RUNS)?;
            let Some((run, is_new)) = join_or_add(&mut table, site, run)? else {
                return Ok(OrderOutcome::Full);
            };
            let answer = answer(&run, is_new);
            if let Some(promise) = promise {
                forget_oldest_key(&mut used, site, promise.subject)?;
                let remembered = RememberedRequest {
                    request: promise.fingerprint(),
                    answer: answer.clone(),
                };
                used.insert(
                    (site.as_str(), promise.subject, promise.key),
                    (now.millis(), json(&remembered)?.as_slice()),
                )?;
            }
            Ok(OrderOutcome::Now(answer))
        })
    }

    /// Takes the next run of a site from the queue, now in progress; a plan is taken like a build. Rendering goes first: it
    /// is short, and somebody wants a language to be gone.
    pub fn claim_run(
        &self,
        site: &SiteId,
        kind: RunKind,
        now: Moment,
    ) -> Result<Option<RunRecord>, StateError> {
        self.write("claim a run in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            let mut waiting = all(&table, site)?;
            waiting.retain(|run| run.status == RunStatus::Queued);
            let has_render = waiting.iter().any(|run| run.order.kind == RunKind::Render);
            let is_render = kind == RunKind::Render;
            waiting.retain(|run| {
                (run.order.kind == RunKind::Render) == is_render && (is_render || !has_render)
            });
            waiting.sort_by_key(|run| run.id);
            let Some(mut run) = waiting.into_iter().next() else {
                return Ok(None);
            };
            run.begin(now);
            put(&mut table, site, &run)?;
            Ok(Some(run))
        })
    }

    /// What kind of run of a site is next; nothing where none waits.
    pub fn next_run(&self, site: &SiteId) -> Result<Option<RunKind>, StateError> {
        let waiting = self
            .runs(site)?
            .into_iter()
            .filter(|run| run.status == RunStatus::Queued);
        Ok(waiting
            .map(|run| run.order.kind)
            .max_by_key(|kind| *kind == RunKind::Render))
    }

    /// Cancels a run that waits.
    pub fn cancel_run(
        &self,
        site: &SiteId,
        id: RunId,
        now: Moment,
    ) -> Result<Cancelled, StateError> {
        self.write("cancel a run in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            let row = || format!("run {site} {id}");
            let run = table.get((site.as_str(), id.to_string().as_str()))?;
            let run = run
                .map(|value| parsed::<RunRecord>(value.value(), row))
                .transpose()?;
            let Some(mut run) = run else {
                return Ok(Cancelled::Unknown);
            };
            if run.is_over() {
                return Ok(Cancelled::Over);
            }
            if run.status != RunStatus::Queued {
                return Ok(Cancelled::Working);
            }
            run.status = RunStatus::Cancelled;
            run.finished = Some(now);
            put(&mut table, site, &run)?;
            forget_oldest(&mut table, site)?;
            self.outbox
                .tell(transaction, site, &told::ended(&run, &BTreeMap::new()), now)?;
            Ok(Cancelled::Now(Box::new(run)))
        })
    }

    /// Records a run that begins at once, outside the queue.
    pub fn begin_run(
        &self,
        site: &SiteId,
        order: RunOrder,
        now: Moment,
    ) -> Result<RunRecord, StateError> {
        self.write("begin a run in", |transaction| {
            let mut run = RunRecord::new(order.clone(), 0, now);
            run.begin(now);
            put(&mut transaction.open_table(RUNS)?, site, &run)?;
            Ok(run)
        })
    }

    /// Stores the outcome of a run and its figures for each locale, and deletes the oldest runs of the site beyond a limit. Queues
    /// webhook messages about the end of the run and about `events`, in the same transaction; sends nothing itself.
    pub fn finish_run(
        &self,
        site: &SiteId,
        run: &RunRecord,
        locales: &BTreeMap<Locale, LocaleLeft>,
        events: &[WebhookEvent],
    ) -> Result<(), StateError> {
        self.write("finish a run in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            put(&mut table, site, run)?;
            forget_oldest(&mut table, site)?;
            let mut table = transaction.open_table(LOCALE_RUNS)?;
            for (locale, left) in locales {
                let key = (site.as_str(), locale.as_str());
                let row = || format!("runs of {site} {locale}");
                let mut runs: Vec<LocaleRun> = table
                    .get(key)?
                    .map(|value| parsed(value.value(), row))
                    .transpose()?
                    .unwrap_or_default();
                runs.push(left.run.clone());
                runs.drain(..runs.len().saturating_sub(KEPT_FIGURES));
                table.insert(key, json(&runs)?.as_slice())?;
                if let Some(pages) = &left.pages {
                    pages::put(transaction, site, locale, pages)?;
                }
            }
            drop(table);
            let now = run.finished.unwrap_or_default();
            self.outbox
                .tell(transaction, site, &told::ended(run, locales), now)?;
            self.outbox.tell(transaction, site, events, now)
        })
    }

    /// Sees to runs that an earlier process left in progress: those of the API wait again, others failed.
    ///
    /// Only for whoever has just opened the state, before any run is begun.
    pub fn recover_runs(&self, site: &SiteId, now: Moment) -> Result<(), StateError> {
        self.write("recover runs in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            for mut run in all(&table, site)? {
                if run.status != RunStatus::InProgress {
                    continue;
                }
                if run.order.origin == RunOrigin::Api && run.attempts < MOST_ATTEMPTS {
                    run.status = RunStatus::Queued;
                } else {
                    run.status = RunStatus::Failed;
                    run.finished = Some(now);
                    run.failures.push(interrupted(&run));
                    self.outbox.tell(
                        transaction,
                        site,
                        &told::ended(&run, &BTreeMap::new()),
                        now,
                    )?;
                }
                put(&mut table, site, &run)?;
            }
            Ok(())
        })
    }

    /// Puts runs of the API that are in progress back into the queue, as if they had not begun: the disk was full, or the process
    /// ends in good order.
    ///
    /// Only for whoever works for the site, and while it works on nothing.
    pub fn release_runs(&self, site: &SiteId) -> Result<(), StateError> {
        self.write("release runs in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            for mut run in all(&table, site)? {
                if run.status == RunStatus::InProgress && run.order.origin == RunOrigin::Api {
                    run.status = RunStatus::Queued;
                    run.attempts = run.attempts.saturating_sub(1);
                    put(&mut table, site, &run)?;
                }
            }
            Ok(())
        })
    }

    /// Forgets the runs of all sites but these and the last ones that were removed.
    pub fn forget_runs_of_others(&self, known: &BTreeSet<String>) -> Result<(), StateError> {
        self.write("forget runs in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            let mut used = transaction.open_table(IDEMPOTENCY)?;
            let mut last = BTreeMap::new();
            for row in table.iter()? {
                let (key, _) = row?;
                let (site, run) = key.value();
                if !known.contains(site) {
                    last.insert(site.to_owned(), run.to_owned());
                }
            }
            // Ids of runs are in the order of time.
            let mut others: Vec<(String, String)> =
                last.into_iter().map(|(site, run)| (run, site)).collect();
            others.sort_unstable();
            for (_, site) in others.iter().rev().skip(KEPT_REMOVED) {
                let after = format!("{site}\0");
                table.retain_in((site.as_str(), "")..(after.as_str(), ""), |_, _| false)?;
                used.retain_in((site.as_str(), "", "")..(after.as_str(), "", ""), |_, _| {
                    false
                })?;
            }
            Ok(())
        })
    }

    /// The runs of a site, newest first.
    pub fn runs(&self, site: &SiteId) -> Result<Vec<RunRecord>, StateError> {
        self.read("read runs from", |transaction| {
            let mut runs = all(&transaction.open_table(RUNS)?, site)?;
            runs.reverse();
            Ok(runs)
        })
    }

    /// A run of a site.
    pub fn run(&self, site: &SiteId, id: RunId) -> Result<Option<RunRecord>, StateError> {
        self.read("read a run from", |transaction| {
            let table = transaction.open_table(RUNS)?;
            let value = table.get((site.as_str(), id.to_string().as_str()))?;
            value
                .map(|value| parsed(value.value(), || format!("run {site} {id}")))
                .transpose()
        })
    }

    /// What finished runs left in each locale of a site, oldest first.
    pub fn locale_runs(
        &self,
        site: &SiteId,
    ) -> Result<BTreeMap<Locale, Vec<LocaleRun>>, StateError> {
        self.read("read runs from", |transaction| {
            let table = transaction.open_table(LOCALE_RUNS)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("runs of {site} {}", key.value().1);
                let locale =
                    Locale::parse(key.value().1).map_err(|error| StateFault::row(row(), error))?;
                found.insert(locale, parsed(value.value(), row)?);
            }
            Ok(found)
        })
    }
}

/// An equal run that is not over, or this one, put into the queue; `None` where the queue is full.
pub(super) fn join_or_add(
    table: &mut RunsTable<'_>,
    site: &SiteId,
    run: RunRecord,
) -> Result<Option<(RunRecord, bool)>, StateFault> {
    let active: Vec<RunRecord> = all(table, site)?
        .into_iter()
        .filter(|run| !run.is_over())
        .collect();
    let waiting = active
        .iter()
        .filter(|run| run.status == RunStatus::Queued)
        .count();
    // What is rendered now may have begun before the latest switch, and what is published now before the newest deployment,
    // so only one that waits is joined.
    let begins_anew = matches!(run.order.kind, RunKind::Render | RunKind::Publish);
    let joins = |other: &RunRecord| {
        other.order == run.order && (!begins_anew || other.status == RunStatus::Queued)
    };
    if let Some(same) = active.into_iter().find(joins) {
        return Ok(Some((same, false)));
    }
    if waiting >= LONGEST_QUEUE {
        return Ok(None);
    }
    put(table, site, &run)?;
    Ok(Some((run, true)))
}

/// Cancels the runs of a site that wait.
pub(super) fn cancel_all(
    transaction: &WriteTransaction,
    site: &SiteId,
    now: Moment,
) -> Result<(), StateFault> {
    let mut table = transaction.open_table(RUNS)?;
    for mut run in all(&table, site)?
        .into_iter()
        .filter(|run| run.status == RunStatus::Queued)
    {
        run.status = RunStatus::Cancelled;
        run.finished = Some(now);
        put(&mut table, site, &run)?;
    }
    forget_oldest(&mut table, site)
}

/// Forgets the oldest runs that are over where there are too many.
fn forget_oldest(table: &mut RunsTable<'_>, site: &SiteId) -> Result<(), StateFault> {
    let over: Vec<_> = all(table, site)?
        .into_iter()
        .filter(RunRecord::is_over)
        .collect();
    let is_whole = |run: &&RunRecord| run.order.kind == RunKind::Build && run.order.pages.is_all();
    // By them a schedule knows what is due, however many runs for single pages came since.
    let whole: BTreeSet<RunId> = over
        .iter()
        .rev()
        .filter(is_whole)
        .take(KEPT_WHOLE)
        .map(|run| run.id)
        .collect();
    for old in over
        .iter()
        .take(over.len().saturating_sub(KEPT))
        .filter(|run| !whole.contains(&run.id))
    {
        table.remove((site.as_str(), old.id.to_string().as_str()))?;
    }
    Ok(())
}

/// Forgets the oldest keys of a caller for a site, so that there is room for one more.
fn forget_oldest_key(used: &mut Used<'_>, site: &SiteId, subject: &str) -> Result<(), StateFault> {
    let after = format!("{subject}\0");
    let mut known = Vec::new();
    for row in used.range((site.as_str(), subject, "")..(site.as_str(), after.as_str(), ""))? {
        let (key, value) = row?;
        known.push((value.value().0, key.value().2.to_owned()));
    }
    known.sort_unstable();
    for (_, key) in known
        .iter()
        .take((known.len() + 1).saturating_sub(KEPT_KEYS))
    {
        used.remove((site.as_str(), subject, key.as_str()))?;
    }
    Ok(())
}

/// Every run of a site, oldest first.
fn all(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    site: &SiteId,
) -> Result<Vec<RunRecord>, StateFault> {
    let mut runs = Vec::new();
    for row in table.range(of_site(site, &after(site)))? {
        let (key, value) = row?;
        runs.push(parsed(value.value(), || {
            format!("run {site} {}", key.value().1)
        })?);
    }
    Ok(runs)
}

fn put(table: &mut RunsTable<'_>, site: &SiteId, run: &RunRecord) -> Result<(), StateFault> {
    table.insert(
        (site.as_str(), run.id.to_string().as_str()),
        json(run)?.as_slice(),
    )?;
    Ok(())
}

fn interrupted(run: &RunRecord) -> RunFailure {
    let message = match run.order.origin {
        RunOrigin::CommandLine => "the process ended before the run did; order it again".to_owned(),
        RunOrigin::Api => format!(
            "the process ended {} times while this run was working, so it is not begun again by itself; look into the log of \
             the server for the cause, then order it again",
            run.attempts
        ),
    };
    RunFailure::of_site(Stage::Publish, "interrupted", message)
}
