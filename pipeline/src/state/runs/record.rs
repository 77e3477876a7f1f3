//! What is kept of a run, and what whoever orders or stops one is told.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::{PagesWords, RunOutcome, RunWarning};
use crate::engines::TokenUsage;
use crate::model::{DeploymentId, Locale, Moment, PagePath, PageSelection, RunId, SourceSuspect};

use super::planned::Planned;

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
    pub pages: PageSelection,
    /// Whether engines are asked again for what they translated before.
    pub force: bool,
    /// A run that found its source suspect, and whose source is meant to be so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<RunId>,
    /// The target of publishing that a run of the kind [`RunKind::Publish`] is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The deployment that it brings there; without one, the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deployment: Option<DeploymentId>,
}

impl RunOrder {
    /// An order for all locales and pages.
    pub fn of(kind: RunKind, origin: RunOrigin) -> Self {
        Self {
            kind,
            origin,
            locales: BTreeSet::new(),
            pages: PageSelection::default(),
            force: false,
            accept: None,
            target: None,
            deployment: None,
        }
    }

    /// An order to bring a deployment to a target, the newest one or this.
    pub fn publishing(target: String, deployment: Option<DeploymentId>) -> Self {
        Self {
            target: Some(target),
            deployment,
            ..Self::of(RunKind::Publish, RunOrigin::Api)
        }
    }
}

/// A kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Crawls, translates and publishes.
    Build,
    /// Renders and publishes what is stored, as after a locale was switched; neither crawls nor asks engines.
    Render,
    /// Counts what a build would send and what that costs; sends and publishes nothing.
    Plan,
    /// Brings a deployment to a host.
    Publish,
    /// Looks for what is wrong with the newest deployment.
    Audit,
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
pub struct StageCount {
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
    /// The page; `/` for the site.
    pub path: String,
    /// True if the failure is about the site, not about its home page.
    pub is_of_site: bool,
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

    /// A failure of the site.
    pub fn of_site(stage: Stage, code: &str, message: String) -> Self {
        Self {
            path: "/".to_owned(),
            is_of_site: true,
            stage,
            code: code.to_owned(),
            message,
        }
    }

    /// A failure of a page.
    pub fn of_page(path: &PagePath, stage: Stage, code: &str, message: String) -> Self {
        Self {
            path: path.to_string(),
            is_of_site: false,
            stage,
            code: code.to_owned(),
            message,
        }
    }
}

/// A run, from its order to its end.
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
    pub queued: Moment,
    /// When it was begun, the last time.
    pub started: Option<Moment>,
    /// When it ended.
    pub finished: Option<Moment>,
    /// How far each stage came.
    pub stages: BTreeMap<Stage, StageCount>,
    /// Characters sent to engines.
    pub characters_sent: u64,
    /// The deployment that was the site afterwards.
    pub deployment: Option<DeploymentId>,
    /// What did not work.
    pub failures: Vec<RunFailure>,
    /// What made its source suspect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspect: Option<SourceSuspect>,
    /// How it ended; [`RunRecord::outcome`] knows it also of records from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<RunOutcome>,
    /// What its owner should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<RunWarning>,
    /// The subject of the token with which it was ordered first; orders that joined it leave no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordered_by: Option<String>,
    /// What a run of the kind [`RunKind::Plan`] counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Planned>,
}

/// What a finished run left in a locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocaleRun {
    /// The run.
    pub run: RunId,
    /// When it ended.
    pub at: Moment,
    /// Pages that have words in the locale's language.
    pub pages: u64,
    /// Those of them whose words this run changed.
    pub updated: u64,
    /// Whether it made a deployment.
    pub deployed: bool,
    /// Words of all pages by where their translation comes from.
    pub words: WordsByOrigin,
    /// Texts for which a person's words wait.
    pub to_review: u64,
    /// The revision of people's words that it took.
    pub edits: u64,
    /// Characters sent to engines.
    pub characters_sent: u64,
    /// Tokens as services counted them, by the engine's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tokens: BTreeMap<String, TokenUsage>,
    /// Fingerprints of the engines that were asked, in their order; empty if no engine had the languages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub route: String,
    /// Texts and pages that failed.
    pub failures: u64,
}

/// Words by where their translation comes from; stored as a list of the four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 4]", into = "[u64; 4]")]
pub struct WordsByOrigin {
    /// People.
    pub person: u64,
    /// The memory: engines, in an earlier run.
    pub memory: u64,
    /// Engines, in that run.
    pub engine: u64,
    /// Nobody: they stay in the source language.
    pub untranslated: u64,
}

impl From<[u64; 4]> for WordsByOrigin {
    fn from([person, memory, engine, untranslated]: [u64; 4]) -> Self {
        Self {
            person,
            memory,
            engine,
            untranslated,
        }
    }
}

impl From<WordsByOrigin> for [u64; 4] {
    fn from(words: WordsByOrigin) -> Self {
        [words.person, words.memory, words.engine, words.untranslated]
    }
}

/// All that a finished run left in a locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocaleLeft {
    /// Its figures.
    pub run: LocaleRun,
    /// Pages of the source.
    pub total: u64,
    /// How much of each page is translated; nothing where that is as it was.
    pub pages: Option<PagesWords>,
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
    pub(super) fn fingerprint(&self) -> String {
        blake3::hash(self.request.as_bytes()).to_hex().to_string()
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct RememberedRequest {
    /// The hash of the request; records from before hold the request itself.
    pub(super) request: String,
    pub(super) answer: Value,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderOutcome {
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
    pub fn new(order: RunOrder, selected: u64, now: Moment) -> Self {
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
            outcome: None,
            warnings: Vec::new(),
            ordered_by: None,
            planned: None,
        }
    }

    /// The same run, ordered by the subject of a token.
    pub fn ordered_by(self, subject: &str) -> Self {
        Self {
            ordered_by: Some(subject.to_owned()),
            ..self
        }
    }

    pub(super) fn begin(&mut self, now: Moment) {
        self.status = RunStatus::InProgress;
        self.attempts += 1;
        self.started = Some(now);
    }

    /// Whether it neither waits nor works any more.
    pub fn is_over(&self) -> bool {
        self.finished.is_some()
    }

    /// How the run ended; nothing while it waits or works. Of records from before there were outcomes, their end tells.
    pub fn outcome(&self) -> Option<RunOutcome> {
        let from_before = match self.status {
            RunStatus::Queued | RunStatus::InProgress => return None,
            RunStatus::Completed if self.suspect.is_some() => RunOutcome::SourceSuspect,
            RunStatus::Completed if !self.failures.is_empty() => RunOutcome::Partial,
            RunStatus::Completed => RunOutcome::Ok,
            RunStatus::Failed
                if self
                    .failures
                    .iter()
                    .any(|failure| failure.code == "over_budget") =>
            {
                RunOutcome::OverBudget
            }
            RunStatus::Failed => RunOutcome::Failed,
            RunStatus::Cancelled => RunOutcome::Cancelled,
        };
        Some(self.outcome.unwrap_or(from_before))
    }
}
