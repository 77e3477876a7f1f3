//! `sites.deployments.*`: the deployments of a site that are kept, and going back to one of them.

use pipeline::store::{self, Deployment, Published, ServingSwitch};
use schemars::JsonSchema;
use serde::Serialize;

use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::control::form::schema_of_answer;
use crate::http::error::ApiError;
use crate::http::time::Time;

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
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Item>>(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let site = call.site()?;
    let kept = store::deployments(call.app.objects(), &site.id).await?;
    let active = call
        .app
        .snapshot()
        .published(&site.id)
        .map(|published| Published::deployment(published));
    Reply::ok(&page.cut(kept).map(|deployment| item(&deployment, active)))
}

pub(super) fn schemas_of_one() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Item>(),
        ..Schemas::default()
    }
}

/// Makes an earlier deployment the site again. Languages that were switched off since stay off, and a build that works now
/// publishes nothing.
pub(super) async fn activate(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = &call.site()?.id;
    let objects = call.app.objects();
    let wanted = call.deployment_id()?;
    let kept = store::deployments(objects, site).await?;
    let old = kept
        .iter()
        .find(|deployment| deployment.id == wanted)
        .ok_or(ApiError::DeploymentNotFound)?;
    let is_newest = kept.first().is_some_and(|newest| newest.id == wanted);
    let number = old.commit.deployment;
    let number = match is_newest {
        true => number,
        false => match store::roll_back(objects, site, number).await {
            Ok(number) => number,
            // It may have been swept since it was found.
            Err(error) => {
                let kept = store::deployments(objects, site).await?;
                let is_there = kept.iter().any(|deployment| deployment.id == wanted);
                return Err(if is_there {
                    error.into()
                } else {
                    ApiError::DeploymentNotFound
                });
            }
        },
    };
    call.app.load().await?;
    let kept = store::deployments(objects, site).await?;
    let now = kept
        .iter()
        .find(|deployment| deployment.commit.deployment == number);
    let active = call
        .app
        .snapshot()
        .published(site)
        .map(|published| Published::deployment(published));
    Reply::ok(&item(now.ok_or(ApiError::DeploymentNotFound)?, active))
}

fn item(deployment: &Deployment, active: Option<u64>) -> Item {
    let commit = &deployment.commit;
    let on = commit
        .settings
        .locales
        .iter()
        .filter(|(_, switch)| **switch == ServingSwitch::On);
    Item {
        deployment_id: deployment.id.to_string(),
        created_at: Time::of(deployment.created),
        objects: commit.trees.values().map(|tree| tree.objects).sum(),
        locales: on.map(|(locale, _)| locale.to_string()).collect(),
        active: active == Some(commit.deployment),
    }
}
