//! `sites.deployments.list`: the deployments of a site that are kept.

use pipeline::publish::{self, Deployment, Published, Switch};
use schemars::JsonSchema;
use serde::Serialize;

use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::error::ApiError;
use crate::form::schema_of_answer;
use crate::time::Time;

/// A deployment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Deployment")]
struct Item {
    deployment_id: String,
    created_at: Time,
    /// How many files it names; most of them an earlier deployment wrote.
    objects: u64,
    /// The languages that are served with it.
    locales: Vec<String>,
    /// Whether readers get it.
    active: bool,
}

pub(super) fn schemas() -> Schemas {
    Schemas { query: Some(Page::schema()), body: None, answer: schema_of_answer::<List<Item>>() }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let site = call.site()?;
    let kept = publish::deployments(&call.app.objects, &site.id).await?;
    let active = call.app.snapshot().published(&site.id).map(|published| Published::deployment(published));
    Reply::ok(&page.cut(kept).map(|deployment| item(&deployment, active)))
}

fn item(deployment: &Deployment, active: Option<u64>) -> Item {
    let commit = &deployment.commit;
    let on = commit.settings.locales.iter().filter(|(_, switch)| **switch == Switch::On);
    Item {
        deployment_id: deployment.id.to_string(),
        created_at: Time::of(deployment.created),
        objects: commit.trees.values().map(|tree| tree.objects).sum(),
        locales: on.map(|(locale, _)| locale.to_string()).collect(),
        active: active == Some(commit.deployment),
    }
}
