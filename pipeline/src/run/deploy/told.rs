//! Telling a site's endpoints which deployments readers got.
//!
//! A deployment is the site from the moment its commit lies in the store, which other builders share. So what is told is what
//! the store has and the state has not told of, whoever made it and wherever its process ended: once each.

use futures::future::BoxFuture;
use std::collections::BTreeSet;

use crate::model::SiteId;
use crate::run::clock::now;
use crate::run::error::BuildError;
use crate::run::options::Stores;
use crate::state::State;
use crate::store::{self, Deployment, Published, ServingSwitch, StoreError, Tree};
use crate::webhooks::{Deployed, WebhookEvent};

/// Writes down the deployments of a site that its endpoints were not told of; gives the number of the newest one. What was
/// swept before it could be told of is not told.
///
/// # Errors
/// A [`BuildError`] when the store or the state cannot be read, or the state cannot be written.
pub fn tell_deployments<'a>(
    stores: &'a Stores,
    site: &'a SiteId,
) -> BoxFuture<'a, Result<u64, BuildError>> {
    Box::pin(async move {
        let id = site.clone();
        let read = move |state: &State| {
            let told = state.told_deployment(&id)?;
            Ok((told, !state.webhooks(&id)?.is_empty()))
        };
        let (told, has_endpoints) = stores.with_state(read).await?;
        let kept = store::deployments(&stores.objects, site).await?;
        let newest = kept.first().map_or(0, |newest| newest.commit.deployment);
        let mut news = Vec::new();
        if let Some(told) = told.filter(|told| has_endpoints && *told < newest) {
            let mut before = None;
            for deployment in kept.iter().rev() {
                let number = deployment.commit.deployment;
                // Only the last one that was told of is compared with.
                let is_before = kept.iter().all(|other| {
                    other.commit.deployment <= number || other.commit.deployment > told
                });
                if number <= told && !is_before {
                    continue;
                }
                let loaded =
                    match Published::load(&stores.objects, site, number, before.as_ref()).await {
                        // It was swept meanwhile, or nobody can tell what it was: those after it are told.
                        Err(StoreError::Unknown { .. } | StoreError::Damaged { .. }) => continue,
                        loaded => loaded?,
                    };
                if number > told {
                    news.push((number, event(deployment, &loaded, before.as_ref())));
                }
                before = Some(loaded);
            }
        }
        let id = site.clone();
        stores
            .with_state(move |state| state.tell_deployments(&id, news, newest, now()))
            .await?;
        Ok(newest)
    })
}

/// What a deployment is to whoever is told of it.
fn event(deployment: &Deployment, now: &Published, before: Option<&Published>) -> WebhookEvent {
    let commit = &deployment.commit;
    let mut objects = 0;
    let mut paths = BTreeSet::new();
    for tree in now.trees() {
        let old = before.and_then(|before| before.manifest(tree));
        let entries = now
            .manifest(tree)
            .into_iter()
            .flat_map(|manifest| manifest.objects.iter());
        for (name, entry) in entries {
            if old
                .and_then(|old| old.objects.get(name))
                .is_some_and(|old| old.hash == entry.hash)
            {
                continue;
            }
            objects += 1;
            if matches!(tree, Tree::Locale(_)) && entry.content_type.starts_with("text/html") {
                paths.insert(entry.path.to_string());
            }
        }
    }
    let on = commit
        .settings
        .locales
        .iter()
        .filter(|(_, switch)| **switch == ServingSwitch::On);
    let locales = on.map(|(locale, _)| locale.to_string()).collect();
    let deployed = Deployed::new(
        deployment.id.to_string(),
        commit.deployment,
        locales,
        objects,
        &paths,
    );
    match commit.rolled_back == Some(commit.deployment) {
        true => WebhookEvent::DeploymentRolledBack(deployed),
        false => WebhookEvent::DeploymentPublished(deployed),
    }
}
