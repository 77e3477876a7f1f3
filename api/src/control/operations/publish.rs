//! `sites.publish.*`: the hosts that a site is brought to, what would change there, and runs that do it.

use std::sync::LazyLock;

use pipeline::config::{PublishConfig, PublishTo};
use pipeline::model::DeploymentId;
use pipeline::run::BuildError;
use pipeline::state::{RunOrder, RunRecord};
use pipeline::store;
use pipeline::targets::{self, ChangeKind, PublishOptions, PublishReport, TargetError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{List, Page};
use super::ordered::{OrderedRun, ordered};
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;

/// Changes that an answer names; the others are counted.
const NAMED: usize = 100;

/// Which deployment is meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Query {
    /// One that is kept; the newest without it.
    #[serde(default)]
    #[schemars(pattern("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"))]
    deployment_id: Option<String>,
}

/// A host that the site is brought to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PublishTarget")]
struct Target {
    name: String,
    /// The kind of host, such as `nginx`.
    host: String,
    kind: Kind,
    /// Whether each run that makes a deployment brings it there.
    after_run: bool,
}

/// How files get to a host.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PublishKind")]
enum Kind {
    Folder,
    Bucket,
    /// A program that gets a folder.
    Command,
}

/// What publishing would change.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PublishDifference")]
struct Difference {
    target: Target,
    /// Why the host cannot take the site; nothing else is known then.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
}

/// What publishing would do, by what is remembered of the target.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PublishPlan")]
struct Plan {
    deployment_id: String,
    /// Its number.
    deployment: u64,
    /// The number of the deployment that lies there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<u64>,
    /// Files that would be sent.
    sent: usize,
    bytes: u64,
    removed: usize,
    unchanged: usize,
    /// The first 100 changes, in the order in which they would be made.
    changes: Vec<Change>,
    /// What the host does otherwise than this server, by its nature.
    differs: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PublishChange")]
struct Change {
    #[schemars(extend("enum" = ["added", "replaced", "removed"]))]
    change: &'static str,
    name: String,
}

static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<OrderedRun>(),
    }
}

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Target>>(),
    }
}

pub(super) fn schemas_of_difference() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<Difference>(),
    }
}

/// Puts a run into the queue that brings a deployment to a host.
pub(super) async fn trigger(call: &Call<'_>) -> Result<Reply, ApiError> {
    let deployment = deployment(call).await?;
    let site = call.site()?.id.clone();
    let target = target(call)?;
    let order = RunOrder::publishing(target.name.to_string(), deployment);
    ordered(call, &site, RunRecord::new(order, 0, call.now().to_keep())).await
}

pub(super) fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let targets = call.api.jobs().targets(&call.site()?.id);
    Reply::ok(&page.cut(targets).map(|target| Target::of(&target)))
}

/// Works out what publishing would change; nothing is sent.
pub(super) async fn difference(call: &Call<'_>) -> Result<Reply, ApiError> {
    let deployment = deployment(call).await?;
    let target = target(call)?;
    let now = call.now().to_keep();
    let patience = call.api.settings().config.store.patience;
    let who = call.caller()?.subject.clone();
    let of = Target::of(&target);
    let planned = call.reading(move |runtime, stores, _| {
        let newest = PublishOptions::newest(who, now, patience);
        let options = PublishOptions {
            dry_run: true,
            deployment: deployment.map(|id| id.to_string()),
            ..newest
        };
        runtime.block_on(targets::publish(
            &target,
            &stores.objects,
            &options,
            &|_, _| (),
        ))
    });
    let (refused, plan) = match planned.await? {
        Ok(report) => (None, Some(Plan::of(report))),
        Err(
            error @ (TargetError::Cannot(_)
            | TargetError::ManyTrees { .. }
            | TargetError::Claimed { .. }),
        ) => (Some(error.to_string()), None),
        Err(TargetError::NothingBuilt(_)) => return Err(ApiError::NotPublished),
        Err(error) => return Err(BuildError::from(error).into()),
    };
    Reply::ok(&Difference {
        target: of,
        refused,
        plan,
    })
}

fn target(call: &Call<'_>) -> Result<PublishConfig, ApiError> {
    let known = call
        .api
        .jobs()
        .target(&call.site()?.id, &call.target()?.to_string());
    known.ok_or(ApiError::TargetNotFound)
}

/// The deployment that is asked for, which must be one that is kept.
async fn deployment(call: &Call<'_>) -> Result<Option<DeploymentId>, ApiError> {
    let Some(asked) = QUERY.query(call.query.as_deref())?.deployment_id else {
        return Ok(None);
    };
    let id = DeploymentId::parse(&asked).ok_or(ApiError::DeploymentNotFound)?;
    let kept = store::deployments(call.app.objects(), &call.site()?.id).await?;
    let is_kept = kept.iter().any(|deployment| deployment.id == id);
    if is_kept {
        Ok(Some(id))
    } else {
        Err(ApiError::DeploymentNotFound)
    }
}

impl Target {
    fn of(target: &PublishConfig) -> Self {
        Self {
            name: target.name.to_string(),
            host: target.host.to_string(),
            kind: match target.to {
                PublishTo::Folder { .. } => Kind::Folder,
                PublishTo::Bucket { .. } => Kind::Bucket,
                PublishTo::Command { .. } => Kind::Command,
            },
            after_run: target.after_run,
        }
    }
}

impl Plan {
    fn of(report: PublishReport) -> Self {
        let change = |change: targets::TargetChange| Change {
            change: match change.change {
                ChangeKind::Added => "added",
                ChangeKind::Replaced => "replaced",
                ChangeKind::Removed => "removed",
            },
            name: change.name,
        };
        Self {
            deployment_id: report.deployment_id,
            deployment: report.deployment,
            published: report.before,
            sent: report.sent,
            bytes: report.bytes,
            removed: report.removed,
            unchanged: report.unchanged,
            changes: report.changes.into_iter().take(NAMED).map(change).collect(),
            differs: report.differs,
        }
    }
}
