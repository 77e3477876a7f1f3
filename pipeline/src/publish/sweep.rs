//! Sweeping: what no kept deployment names is deleted.

use std::collections::BTreeSet;

use super::draft::object_keys;
use super::keys::Keys;
use super::published::{numbers, read_commit, read_manifest};
use super::{Objects, PublishError, disk};
use crate::model::SiteId;

/// Deletes deployments but the newest `keep` (at least one), everything that only they named, and what crashes left.
///
/// Commits go before the objects they name, so no commit is ever there without its objects.
pub async fn sweep(objects: &Objects, site: &SiteId, keep: usize) -> Result<(), PublishError> {
    let keys = Keys(site);
    let all = numbers(objects, site).await?;
    let (old, kept) = all.split_at(all.len().saturating_sub(keep.max(1)));
    let mut named = BTreeSet::from([keys.live_marker()?]);
    let mut seen = BTreeSet::new();
    for number in kept {
        named.insert(keys.commit(*number)?);
        for (tree, shard) in read_commit(objects, site, *number).await?.trees {
            let key = keys.manifest(shard.deployment, &tree)?;
            if !seen.insert(key.clone()) {
                continue;
            }
            for (name, entry) in &read_manifest(objects, site, &tree, &shard).await?.objects {
                named.extend(object_keys(site, &tree, name, entry)?.into_iter().map(|(key, _)| key));
            }
            named.insert(key);
        }
    }
    for number in old {
        objects.delete(vec![keys.commit(*number)?]).await?;
    }
    let found = objects.list(&keys.deployments()?).await?;
    let extra = found.into_iter().map(|meta| meta.location).filter(|key| !named.contains(key));
    objects.delete(extra.collect()).await?;
    disk::remove_leftovers(objects, &keys.site()?).await
}
