//! Runs in the state: ordered, claimed one at a time by whoever works for a site, finished; and what each left.
//!
//! A run is safe to repeat, so one that was cut off goes back into the queue. What a finished run says about a locale
//! is kept apart from what callers said about it ([`super::SummaryRecord`]), so neither ever overwrites the other.

use std::collections::{BTreeMap, BTreeSet};

use redb::{ReadableTable, TableDefinition};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::doing::Fault;
use super::{PagesWords, State, StoreError, after, json, of_site, pages, parsed};
use crate::model::{DeploymentId, Locale, RunId, Selection, SiteId, SourceSuspect};

/// (site, run id) → [`RunRecord`] as JSON.
pub(super) const RUNS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("run_records");
/// (site, locale) → the [`LocaleRun`]s of the locale as JSON, oldest first.
pub(super) const LOCALE_RUNS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("locale_runs");
/// (site, subject, idempotency key) → when it was used, and [`Remembered`] as JSON.
pub(super) const IDEMPOTENCY: TableDefinition<'_, (&str, &str, &str), (u64, &[u8])> =
    TableDefinition::new("idempotency");

/// Runs of a site that are kept; the oldest finished ones go first.
const KEPT: usize = 200;
/// Runs of a site that may wait.
const LONGEST_QUEUE: usize = 50;
/// Runs of a locale whose figures are kept.
const KEPT_FIGURES: usize = 1000;
/// How often a run that is cut off is begun again; one that takes the process down with it is not begun for ever.
const MOST_ATTEMPTS: u32 = 3;
/// How long an idempotency key is remembered, in milliseconds.
const REMEMBERED: u64 = 24 * 60 * 60 * 1000;

/// What a run is to do. Equal orders are one run while it waits or works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOrder {
    /// What kind of work.
    pub kind: RunKind,
    /// Who wants it, which decides what happens when it is cut off.
    pub origin: RunOrigin,
    /// The locales for which engines may be asked; empty means all.
    pub locales: BTreeSet<Locale>,
    /// The pages that may change.
    pub pages: Selection,
    /// Whether engines are asked again for what they translated before.
    pub force: bool,
    /// A run that found its source suspect, and whose source is meant to be so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<RunId>,
}

/// A kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Crawls, translates and publishes.
    Build,
    /// Renders and publishes what is stored, as after a locale was switched; neither crawls nor asks engines.
    Render,
}

/// Who ordered a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOrigin {
    /// A caller of the API: a run that is cut off is begun again when the server starts.
    Api,
    /// Somebody at the command line, who sees that it was cut off.
    CommandLine,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Waits for its turn.
    Queued,
    /// Works.
    InProgress,
    /// Ended, with a deployment; single pages may have failed.
    Completed,
    /// Ended without a deployment; the previous one stays.
    Failed,
    /// Stopped by somebody.
    Cancelled,
}

/// A part of a run's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Pages and files are fetched.
    Crawl,
    /// Pages are read for their texts.
    Extract,
    /// Texts are translated.
    Translate,
    /// Pages are rendered.
    Render,
    /// Objects become the site.
    Publish,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many there are to do, as far as is known.
    pub total: u64,
    /// How many are done.
    pub done: u64,
    /// How many failed.
    pub failed: u64,
}

/// Something that did not work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailure {
    /// The page, or `/` for the whole site.
    pub path: String,
    /// The stage in which it failed.
    pub stage: Stage,
    /// The kind of failure, for programs.
    pub code: String,
    /// The failure, for people.
    pub message: String,
}

impl RunFailure {
    /// The code of a run that left pages out because of `max_pages`.
    pub const TRUNCATED: &'static str = "max_pages";
}

/// A run, from its order to its end. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its name.
    pub id: RunId,
    /// What it is to do.
    pub order: RunOrder,
    /// Where it stands.
    pub status: RunStatus,
    /// How often it was begun.
    pub attempts: u32,
    /// Pages that were known and meant when it was ordered.
    pub selected: u64,
    /// When it was ordered.
    pub queued: u64,
    /// When it was begun, the last time.
    pub started: Option<u64>,
    /// When it ended.
    pub finished: Option<u64>,
    /// How far each stage came.
    pub stages: BTreeMap<Stage, Count>,
    /// Characters sent to engines.
    pub characters_sent: u64,
    /// The deployment that was the site afterwards.
    pub deployment: Option<DeploymentId>,
    /// What did not work.
    pub failures: Vec<RunFailure>,
    /// What made its source suspect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspect: Option<SourceSuspect>,
}

/// What a finished run left in a locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocaleRun {
    /// The run.
    pub run: RunId,
    /// When it ended.
    pub at: u64,
    /// Pages that exist in the locale.
    pub pages: u64,
    /// Pages of the locale that this run made or changed.
    pub updated: u64,
    /// Whether it made a deployment.
    pub deployed: bool,
    /// Words of all pages by origin: person, memory, engine, untranslated.
    pub words: [u64; 4],
    /// Characters sent to engines.
    pub characters_sent: u64,
    /// Texts and pages that failed.
    pub failures: u64,
}

/// All that a finished run left in a locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocaleLeft {
    /// Its figures.
    pub run: LocaleRun,
    /// How much of each page is translated.
    pub pages: PagesWords,
}

/// A caller's promise that a request is the same one, with what it was answered.
#[derive(Clone, Copy, Debug)]
pub struct Idempotency<'a> {
    /// Who promises.
    pub subject: &'a str,
    /// The caller's key.
    pub key: &'a str,
    /// What was asked, in a form that is equal for equal requests.
    pub request: &'a str,
}

impl Idempotency<'_> {
    fn fingerprint(&self) -> String {
        blake3::hash(self.request.as_bytes()).to_hex().to_string()
    }
}

#[derive(Serialize, Deserialize)]
struct Remembered {
    /// The hash of the request; records from before hold the request itself.
    request: String,
    answer: Value,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ordered {
    /// Done now: the answer was made of the run, which is new or an equal one that waits or works already.
    Now(Value),
    /// The same request was answered before; this is that answer.
    Before(Value),
    /// The key stands for another request.
    Conflict,
    /// Too many runs wait already.
    Full,
}

/// What became of the wish to stop a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// There is no such run.
    Unknown,
    /// It was over already.
    Over,
    /// It waited, and is cancelled now.
    Now(Box<RunRecord>),
    /// It is worked on; whoever does that must be told.
    Working,
}

impl RunRecord {
    /// A run that nobody began yet.
    pub fn new(order: RunOrder, selected: u64, now: u64) -> Self {
        Self {
            id: RunId::new(),
            order,
            status: RunStatus::Queued,
            attempts: 0,
            selected,
            queued: now,
            started: None,
            finished: None,
            stages: BTreeMap::new(),
            characters_sent: 0,
            deployment: None,
            failures: Vec::new(),
            suspect: None,
        }
    }

    fn begin(&mut self, now: u64) {
        self.status = RunStatus::InProgress;
        self.attempts += 1;
        self.started = Some(now);
    }

    /// Whether it neither waits nor works any more.
    pub fn is_over(&self) -> bool {
        self.finished.is_some()
    }
}

type Table<'a> = redb::Table<'a, (&'static str, &'static str), &'static [u8]>;

impl State {
    /// Orders a run, or joins an equal one that is not over; `answer` makes what the caller gets of the run and
    /// whether it is new. All of it is durable together.
    pub fn order_run(
        &self,
        site: &SiteId,
        run: RunRecord,
        promise: Option<Idempotency<'_>>,
        now: u64,
        answer: impl FnOnce(&RunRecord, bool) -> Value,
    ) -> Result<Ordered, StoreError> {
        self.write("order a run in", |transaction| {
            let mut used = transaction.open_table(IDEMPOTENCY)?;
            used.retain(|_, (at, _)| at + REMEMBERED > now)?;
            if let Some(promise) = promise
                && let Some(before) = used.get((site.as_str(), promise.subject, promise.key))?
            {
                let row = || format!("idempotency key of {site}");
                let before: Remembered = parsed(before.value().1, row)?;
                let same = before.request == promise.fingerprint() || before.request == promise.request;
                return Ok(if same { Ordered::Before(before.answer) } else { Ordered::Conflict });
            }
            let mut table = transaction.open_table(RUNS)?;
            let Some((run, is_new)) = join_or_add(&mut table, site, run)? else { return Ok(Ordered::Full) };
            let answer = answer(&run, is_new);
            if let Some(promise) = promise {
                let remembered = Remembered { request: promise.fingerprint(), answer: answer.clone() };
                used.insert((site.as_str(), promise.subject, promise.key), (now, json(&remembered)?.as_slice()))?;
            }
            Ok(Ordered::Now(answer))
        })
    }

    /// Takes the next run of a site from the queue, now in progress. Rendering goes first: it is short, and somebody
    /// wants a language to be gone.
    pub fn claim_run(&self, site: &SiteId, now: u64) -> Result<Option<RunRecord>, StoreError> {
        self.write("claim a run in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            let mut waiting = all(&table, site)?;
            waiting.retain(|run| run.status == RunStatus::Queued);
            waiting.sort_by_key(|run| (run.order.kind == RunKind::Build, run.id));
            let Some(mut run) = waiting.into_iter().next() else { return Ok(None) };
            run.begin(now);
            put(&mut table, site, &run)?;
            Ok(Some(run))
        })
    }

    /// Cancels a run that waits.
    pub fn cancel_run(&self, site: &SiteId, id: RunId, now: u64) -> Result<Cancelled, StoreError> {
        self.write("cancel a run in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            let row = || format!("run {site} {id}");
            let run = table.get((site.as_str(), id.to_string().as_str()))?;
            let run = run.map(|value| parsed::<RunRecord>(value.value(), row)).transpose()?;
            let Some(mut run) = run else { return Ok(Cancelled::Unknown) };
            if run.is_over() {
                return Ok(Cancelled::Over);
            }
            if run.status != RunStatus::Queued {
                return Ok(Cancelled::Working);
            }
            run.status = RunStatus::Cancelled;
            run.finished = Some(now);
            put(&mut table, site, &run)?;
            Ok(Cancelled::Now(Box::new(run)))
        })
    }

    /// Records a run that begins at once, outside the queue.
    pub fn begin_run(&self, site: &SiteId, order: RunOrder, now: u64) -> Result<RunRecord, StoreError> {
        self.write("begin a run in", |transaction| {
            let mut run = RunRecord::new(order.clone(), 0, now);
            run.begin(now);
            put(&mut transaction.open_table(RUNS)?, site, &run)?;
            Ok(run)
        })
    }

    /// Records how a run ended and what it left in each locale; the oldest runs are forgotten.
    pub fn finish_run(
        &self,
        site: &SiteId,
        run: &RunRecord,
        locales: &BTreeMap<Locale, LocaleLeft>,
    ) -> Result<(), StoreError> {
        self.write("finish a run in", |transaction| {
            let mut table = transaction.open_table(RUNS)?;
            put(&mut table, site, run)?;
            let over: Vec<_> = all(&table, site)?.into_iter().filter(RunRecord::is_over).collect();
            for old in over.iter().take(over.len().saturating_sub(KEPT)) {
                table.remove((site.as_str(), old.id.to_string().as_str()))?;
            }
            let mut table = transaction.open_table(LOCALE_RUNS)?;
            for (locale, left) in locales {
                let key = (site.as_str(), locale.as_str());
                let row = || format!("runs of {site} {locale}");
                let mut runs: Vec<LocaleRun> =
                    table.get(key)?.map(|value| parsed(value.value(), row)).transpose()?.unwrap_or_default();
                runs.push(left.run);
                runs.drain(..runs.len().saturating_sub(KEPT_FIGURES));
                table.insert(key, json(&runs)?.as_slice())?;
                pages::put(transaction, site, locale, &left.pages)?;
            }
            Ok(())
        })
    }

    /// Sees to runs that an earlier process left in progress: those of the API wait again, others failed.
    ///
    /// Only for whoever has just opened the state, before any run is begun.
    pub fn recover_runs(&self, site: &SiteId, now: u64) -> Result<(), StoreError> {
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
                    run.failures.push(interrupted());
                }
                put(&mut table, site, &run)?;
            }
            Ok(())
        })
    }

    /// Puts runs of the API that are in progress back into the queue, as if they had not begun: the disk was full.
    ///
    /// Only for whoever works for the site, and while it works on nothing.
    pub fn release_runs(&self, site: &SiteId) -> Result<(), StoreError> {
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

    /// The runs of a site, newest first.
    pub fn runs(&self, site: &SiteId) -> Result<Vec<RunRecord>, StoreError> {
        self.read("read runs from", |database| {
            let mut runs = all(&redb::ReadableDatabase::begin_read(database)?.open_table(RUNS)?, site)?;
            runs.reverse();
            Ok(runs)
        })
    }

    /// A run of a site.
    pub fn run(&self, site: &SiteId, id: RunId) -> Result<Option<RunRecord>, StoreError> {
        self.read("read a run from", |database| {
            let table = redb::ReadableDatabase::begin_read(database)?.open_table(RUNS)?;
            let value = table.get((site.as_str(), id.to_string().as_str()))?;
            value.map(|value| parsed(value.value(), || format!("run {site} {id}"))).transpose()
        })
    }

    /// What finished runs left in each locale of a site, oldest first.
    pub fn locale_runs(&self, site: &SiteId) -> Result<BTreeMap<Locale, Vec<LocaleRun>>, StoreError> {
        self.read("read runs from", |database| {
            let table = redb::ReadableDatabase::begin_read(database)?.open_table(LOCALE_RUNS)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("runs of {site} {}", key.value().1);
                let locale = Locale::parse(key.value().1).map_err(|error| Fault::row(row(), error))?;
                found.insert(locale, parsed(value.value(), row)?);
            }
            Ok(found)
        })
    }
}

/// An equal run that is not over, or this one, put into the queue; `None` where the queue is full.
pub(super) fn join_or_add(
    table: &mut Table<'_>,
    site: &SiteId,
    run: RunRecord,
) -> Result<Option<(RunRecord, bool)>, Fault> {
    let active: Vec<RunRecord> = all(table, site)?.into_iter().filter(|run| !run.is_over()).collect();
    let waiting = active.iter().filter(|run| run.status == RunStatus::Queued).count();
    // What is rendered now may have begun before the latest switch, so only a render that waits is joined.
    let joins = |other: &RunRecord| {
        other.order == run.order && (run.order.kind == RunKind::Build || other.status == RunStatus::Queued)
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
pub(super) fn cancel_all(transaction: &redb::WriteTransaction, site: &SiteId, now: u64) -> Result<(), Fault> {
    let mut table = transaction.open_table(RUNS)?;
    for mut run in all(&table, site)?.into_iter().filter(|run| run.status == RunStatus::Queued) {
        run.status = RunStatus::Cancelled;
        run.finished = Some(now);
        put(&mut table, site, &run)?;
    }
    Ok(())
}

/// Every run of a site, oldest first.
fn all(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    site: &SiteId,
) -> Result<Vec<RunRecord>, Fault> {
    let mut runs = Vec::new();
    for row in table.range(of_site(site, &after(site)))? {
        let (key, value) = row?;
        runs.push(parsed(value.value(), || format!("run {site} {}", key.value().1))?);
    }
    Ok(runs)
}

fn put(table: &mut Table<'_>, site: &SiteId, run: &RunRecord) -> Result<(), Fault> {
    table.insert((site.as_str(), run.id.to_string().as_str()), json(run)?.as_slice())?;
    Ok(())
}

fn interrupted() -> RunFailure {
    RunFailure {
        path: "/".to_owned(),
        stage: Stage::Publish,
        code: "interrupted".to_owned(),
        message: "the process ended before the run did; order it again".to_owned(),
    }
}
