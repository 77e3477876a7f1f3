//! Sweeping: what no kept deployment names is deleted.
//!
//! A marker says up to which deployment the store was swept, and is away while it is worked on. With it, only what the
//! dropped deployments named is looked at; without it, everything is.

use std::collections::BTreeSet;

use object_store::path::Path as Key;
use serde::{Deserialize, Serialize};

use super::commit::{decode, encode};
use super::draft::object_keys;
use super::keys::Keys;
use super::published::{numbers, read_commit, read_manifest};
use super::{Objects, PublishError, disk};
use crate::model::SiteId;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    deployment: u64,
}

/// Deletes deployments but the newest `keep` (at least one), everything that only they named, and what crashes left.
///
/// Commits go before the objects they name, so no commit is ever there without its objects.
pub async fn sweep(objects: &Objects, site: &SiteId, keep: usize) -> Result<(), PublishError> {
    let keys = Keys(site);
    let all = numbers(objects, site).await?;
    let (dropped, kept) = all.split_at(all.len().saturating_sub(keep.max(1)));
    let marker = keys.sweep_marker()?;
    let now = Marker { deployment: kept.last().copied().unwrap_or(0) };
    let before = objects.get(&marker).await?.and_then(|bytes| decode::<Marker>(&bytes, marker.as_ref()).ok());
    if before.as_ref() == Some(&now) && dropped.is_empty() {
        return Ok(());
    }
    if dropped.is_empty() && before.is_some() {
        return objects.put(&marker, encode(&now, marker.as_ref())?).await;
    }
    let live = keys.live_marker()?;
    let kept = named(objects, site, kept).await?;
    let gone = named(objects, site, dropped).await?;
    let looks_at_all = before.is_none() || gone.is_damaged;
    let extra: Vec<Key> = match looks_at_all {
        true => {
            let found = objects.list(&keys.deployments()?).await?.into_iter().map(|meta| meta.location);
            let memories = keys.memories()?;
            found.filter(|key| !kept.keys.contains(key) && *key != live && !key.prefix_matches(&memories)).collect()
        }
        false => gone.keys.difference(&kept.keys).cloned().collect(),
    };
    objects.delete(vec![marker.clone()]).await?;
    for number in dropped {
        objects.delete(vec![keys.commit(*number)?]).await?;
    }
    objects.delete(extra).await?;
    if looks_at_all {
        disk::remove_leftovers(objects, &keys.site()?).await?;
    }
    objects.put(&marker, encode(&now, marker.as_ref())?).await
}

/// What deployments name.
#[derive(Default)]
struct Named {
    keys: BTreeSet<Key>,
    /// Whether one of them cannot be read as a whole any more, so that what it named is not known.
    is_damaged: bool,
}

/// Everything that these deployments name, and their commits.
async fn named(objects: &Objects, site: &SiteId, numbers: &[u64]) -> Result<Named, PublishError> {
    let mut named = Named::default();
    for number in numbers {
        named.keys.insert(Keys(site).commit(*number)?);
        let commit = match read_commit(objects, site, *number).await {
            Err(PublishError::Damaged { .. }) => {
                named.is_damaged = true;
                continue;
            }
            commit => commit?,
        };
        if let Some(shard) = commit.sources {
            named.keys.insert(Keys(site).source_index(shard.deployment)?);
        }
        for (tree, shard) in commit.trees {
            if !named.keys.insert(Keys(site).manifest(shard.deployment, &tree)?) {
                continue;
            }
            match read_manifest(objects, site, &tree, &shard).await {
                Err(PublishError::Damaged { .. }) => named.is_damaged = true,
                manifest => {
                    for (name, entry) in &manifest?.objects {
                        named.keys.extend(object_keys(site, &tree, name, entry)?.into_iter().map(|(key, _)| key));
                    }
                }
            }
        }
    }
    Ok(named)
}
