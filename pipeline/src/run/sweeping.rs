//! Sweeping of fetched bytes: what no deployment that is kept and not this run is made of is deleted.
//!
//! Several builders may work on one store, each with a state of its own, so what this one's state knows decides nothing
//! alone. What another builder has just put is named by nobody yet, so only what is old goes, or what is there while
//! nobody else works.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use super::context::{Build, blocking};
use super::error::RunError;
use super::sources::Sources;
use crate::publish::{self, Commit, Lock, Objects, PublishError, Published, SourceIndex, StoredSource};
use crate::store::SourceRecord;

/// For so long bytes that nobody names stay; no build takes longer.
const GRACE: Duration = Duration::from_secs(24 * 60 * 60);
/// For so long a build relies on bytes that nobody names: when they are swept, it has ended.
pub(super) const RELIABLE: Duration = Duration::from_secs(12 * 60 * 60);

impl Build<'_> {
    /// Removes fetched bytes that nobody needs any more.
    pub(super) async fn sweep_sources(&self, sources: &Sources) -> Result<(), RunError> {
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        let known = blocking(move || state.sources(&id)).await??;
        let known: BTreeSet<&str> =
            known.values().chain(sources.records.values()).flat_map(SourceRecord::names).collect();
        let alone = Lock::only(&self.stores.objects, &self.site.id).await?;
        if alone.is_some() {
            publish::remove_unfinished_sources(&self.stores.objects, &self.site.id).await?;
        }
        let stored = publish::sources(&self.stores.objects, &self.site.id).await?;
        let deployments = match publish::deployments(&self.stores.objects, &self.site.id).await {
            // Nobody knows what it is made of.
            Err(PublishError::Damaged { .. }) => return Ok(()),
            deployments => deployments?,
        };
        let written = stored.iter().map(|source| source.written);
        // The store's clock counts, which says at least as much.
        let now = written.chain(deployments.iter().map(|deployment| deployment.created)).max();
        let is_due = |source: &StoredSource| alone.is_some() || is_old(source, now);
        let old = stored.iter().filter(|source| is_due(source) && !known.contains(source.name.as_str()));
        let mut unknown: BTreeSet<&str> = old.map(|source| source.name.as_str()).collect();
        for deployment in deployments {
            if unknown.is_empty() {
                break;
            }
            let commit = &deployment.commit;
            match self.names(commit).await? {
                Some(named) => unknown.retain(|name| !named.contains(*name)),
                None if commit.sources.is_some() => return Ok(()),
                None => {}
            }
        }
        for name in unknown {
            publish::remove_source(&self.stores.objects, &self.site.id, name).await?;
        }
        Ok(())
    }

    /// The names of the bytes that a deployment is made of, where that can be told.
    pub(super) async fn names(&self, commit: &Commit) -> Result<Option<BTreeSet<String>>, RunError> {
        match publish::source_index(&self.stores.objects, &self.site.id, commit).await {
            Err(PublishError::Damaged { .. }) => Ok(None),
            index => Ok(index?.map(|index| index.names().map(str::to_owned).collect())),
        }
    }
}

/// What a deployment is made of, where that can be told.
pub(crate) async fn made_of(objects: &Objects, published: &Published) -> Result<Option<SourceIndex>, RunError> {
    match published.source_index(objects).await {
        Err(PublishError::Damaged { .. }) => Ok(None),
        index => Ok(index?),
    }
}

fn is_old(source: &StoredSource, now: Option<SystemTime>) -> bool {
    now.and_then(|now| now.duration_since(source.written).ok()).is_some_and(|age| age > GRACE)
}
