//! Runs: what they do and did, to look at, to follow and to stop.

use std::collections::BTreeMap;

use pipeline::state::{
    Cancelled, RunKind, RunOrigin, RunOutcome, RunRecord, RunStatus, RunWarning, Stage,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::accept::Suspect;
use super::line::ADMIN_READ;
use super::list::{List, Page};
use super::plan::Plan;
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::events::{self, Update};
use crate::http::time::Time;

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Run {
    run_id: String,
    status: Status,
    /// How it ended; absent until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// What else is worth knowing.
    warnings: Vec<Warning>,
    kind: Kind,
    origin: Origin,
    /// The subject of the token that ordered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ordered_by: Option<String>,
    queued_at: Time,
    /// Locales for which engines may be asked.
    target_langs: Vec<String>,
    /// How far each stage is: `crawl`, `extract`, `translate`, `render`, `publish`.
    stages: BTreeMap<StageName, Figures>,
    characters_sent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    deployment_id: Option<String>,
    failures: Vec<Failure>,
    /// Why part of the last accepted source stays published.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_suspect: Option<Suspect>,
    /// What a run of the kind `plan` counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
    started_at: Option<Time>,
    finished_at: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunStage")]
enum StageName {
    Crawl,
    Extract,
    Translate,
    Render,
    Publish,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunStatus")]
enum Status {
    Queued,
    InProgress,
    Completed,
    Failed,
    Cancelled,
}

/// How a run ended, as the exit code of the same build says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunOutcome")]
pub(super) enum Outcome {
    Ok,
    /// Done, but pages failed, were left out or stay in an older version, or translations were refused.
    Partial,
    /// There were words to translate, and not one of them is.
    NothingTranslated,
    /// Done, but the source looks wrong: what it lost stays published.
    SourceSuspect,
    /// A budget would have been exceeded; nothing was sent.
    OverBudget,
    /// It took longer than it may.
    TimedOut,
    Failed,
    Cancelled,
}

/// Something that is worth knowing.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RunWarning")]
struct Warning {
    code: String,
    message: String,
    /// The language that it is about; absent for the whole site.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_lang: Option<String>,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunKind")]
enum Kind {
    /// Crawls, translates and publishes.
    Build,
    /// Renders what is stored, as after a switch.
    Render,
    /// Counts what a build would send, and sends nothing.
    Plan,
    /// Brings a deployment to a host.
    Publish,
    /// Looks for what is wrong with the newest deployment.
    Audit,
}

/// Where a run was ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunOrigin")]
enum Origin {
    Api,
    CommandLine,
}

/// The last run that ended.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LastRun {
    run_id: String,
    kind: Kind,
    outcome: Outcome,
    finished_at: Time,
}

impl LastRun {
    /// The last run that ended, of runs that are sorted newest first.
    pub(super) fn of(runs: &[RunRecord]) -> Option<Self> {
        let run = runs
            .iter()
            .filter(|run| run.is_over())
            .max_by_key(|run| (run.finished, run.id))?;
        Some(Self {
            run_id: run.id.to_string(),
            kind: run.order.kind.into(),
            outcome: run.outcome()?.into(),
            finished_at: Time::kept(run.finished?),
        })
    }
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StageFigures")]
struct Figures {
    total: u64,
    done: u64,
    failed: u64,
}

/// Something that did not work.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RunFailure")]
struct Failure {
    /// The page, or `/` for the whole site.
    path: String,
    /// True if the failure is about the site, not about its home page.
    of_site: bool,
    stage: StageName,
    code: String,
    message: String,
}

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Run>>(),
    }
}

pub(super) fn schemas_of_one() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: schema_of_answer::<Run>(),
    }
}

pub(super) fn schemas_of_stream() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: events::schema(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let site = call.site()?.id.clone();
    let of = site.clone();
    let runs = call.state(move |state| state.runs(&of)).await?;
    Reply::ok(
        &page
            .cut(runs)
            .map(|run| Run::of(call.api.jobs().newest(&site, run), sees_prices(call))),
    )
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?.id.clone();
    let id = call.run_id()?;
    let of = site.clone();
    let run = call
        .state(move |state| state.run(&of, id))
        .await?
        .ok_or(ApiError::RunNotFound)?;
    Reply::ok(&Run::of(
        call.api.jobs().newest(&site, run),
        sees_prices(call),
    ))
}

pub(super) async fn stream(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let site = &call.site()?.id;
    let id = call.run_id()?;
    let changes = call.api.jobs().follow(site, id).await?;
    let describe = if sees_prices(call) {
        update::<true>
    } else {
        update::<false>
    };
    let changes = changes.ok_or(ApiError::RunNotFound)?;
    Ok(Reply::events(events::follow(
        changes,
        describe,
        &call.headers,
        call.seat()?,
    )))
}

pub(super) async fn cancel(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = &call.site()?.id;
    let id = call.run_id()?;
    match call.api.jobs().cancel(site, id).await? {
        Ok(run) => Reply::ok(&Run::of(run, sees_prices(call))),
        Err(Cancelled::Unknown) => Err(ApiError::RunNotFound),
        Err(Cancelled::Over | Cancelled::Now(_) | Cancelled::Working) => Err(ApiError::RunIsOver),
    }
}

/// A run as whoever follows it sees it, with prices or without.
fn update<const HAS_PRICES: bool>(run: &Option<RunRecord>) -> Update {
    let shown = run
        .clone()
        .and_then(|run| serde_json::to_value(Run::of(run, HAS_PRICES)).ok());
    Update {
        value: shown.unwrap_or_default(),
        end: run.as_ref().filter(|run| run.is_over()).map(|_| "complete"),
    }
}

fn sees_prices(call: &Call<'_>) -> bool {
    call.caller
        .as_ref()
        .is_some_and(|caller| caller.has(ADMIN_READ))
}

impl Run {
    /// The run as a caller sees it, with prices or without.
    fn of(run: RunRecord, has_prices: bool) -> Self {
        let stages = [
            Stage::Crawl,
            Stage::Extract,
            Stage::Translate,
            Stage::Render,
            Stage::Publish,
        ];
        let figures = |stage: Stage| {
            let count = run.stages.get(&stage).copied().unwrap_or_default();
            (
                stage.into(),
                Figures {
                    total: count.total,
                    done: count.done,
                    failed: count.failed,
                },
            )
        };
        let failure = |failure: &pipeline::state::RunFailure| Failure {
            path: failure.path.clone(),
            of_site: failure.is_of_site,
            stage: failure.stage.into(),
            code: failure.code.clone(),
            message: failure.message.clone(),
        };
        Self {
            run_id: run.id.to_string(),
            status: run.status.into(),
            outcome: run.outcome().map(Outcome::from),
            warnings: run.warnings.iter().map(Warning::from).collect(),
            kind: run.order.kind.into(),
            origin: run.order.origin.into(),
            ordered_by: run.ordered_by,
            queued_at: Time::kept(run.queued),
            target_langs: run.order.locales.iter().map(ToString::to_string).collect(),
            stages: stages.into_iter().map(figures).collect(),
            characters_sent: run.characters_sent,
            deployment_id: run.deployment.map(|id| id.to_string()),
            failures: run.failures.iter().map(failure).collect(),
            source_suspect: run.suspect.map(Suspect::from),
            plan: run.planned.map(|planned| Plan::of(&planned, has_prices)),
            started_at: run.started.map(Time::kept),
            finished_at: run.finished.map(Time::kept),
        }
    }
}

impl From<&RunWarning> for Warning {
    fn from(warning: &RunWarning) -> Self {
        Self {
            code: warning.code.clone(),
            message: warning.message.clone(),
            target_lang: warning.locale.as_ref().map(ToString::to_string),
        }
    }
}

impl From<RunOutcome> for Outcome {
    fn from(outcome: RunOutcome) -> Self {
        match outcome {
            RunOutcome::Ok => Self::Ok,
            RunOutcome::Partial => Self::Partial,
            RunOutcome::NothingTranslated => Self::NothingTranslated,
            RunOutcome::SourceSuspect => Self::SourceSuspect,
            RunOutcome::OverBudget => Self::OverBudget,
            RunOutcome::TimedOut => Self::TimedOut,
            RunOutcome::Failed => Self::Failed,
            RunOutcome::Cancelled => Self::Cancelled,
        }
    }
}

impl From<RunKind> for Kind {
    fn from(kind: RunKind) -> Self {
        match kind {
            RunKind::Build => Self::Build,
            RunKind::Render => Self::Render,
            RunKind::Plan => Self::Plan,
            RunKind::Publish => Self::Publish,
            RunKind::Audit => Self::Audit,
        }
    }
}

impl From<RunOrigin> for Origin {
    fn from(origin: RunOrigin) -> Self {
        match origin {
            RunOrigin::Api => Self::Api,
            RunOrigin::CommandLine => Self::CommandLine,
        }
    }
}

impl From<Stage> for StageName {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Crawl => Self::Crawl,
            Stage::Extract => Self::Extract,
            Stage::Translate => Self::Translate,
            Stage::Render => Self::Render,
            Stage::Publish => Self::Publish,
        }
    }
}

impl From<RunStatus> for Status {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Queued => Self::Queued,
            RunStatus::InProgress => Self::InProgress,
            RunStatus::Completed => Self::Completed,
            RunStatus::Failed => Self::Failed,
            RunStatus::Cancelled => Self::Cancelled,
        }
    }
}
