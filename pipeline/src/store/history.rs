//! The deployments of a site that are kept: listed, and brought back.

use futures::future::BoxFuture;
use std::time::SystemTime;

use super::identity::derive;
use super::listing::{DeploymentListing, create_commit, new_draft};
use super::lock::Lock;
use super::reading::read_commit;
use super::{Commit, Objects, Published, StoreError};
use crate::model::{DeploymentId, SiteId};

/// How often a rollback asks for the next number, where others are faster.
const TRIES: usize = 5;

/// A line of the list of deployments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Its commit.
    pub commit: Commit,
    /// The id by which the interface names it.
    pub id: DeploymentId,
    /// When its commit was created.
    pub created: SystemTime,
}

/// Lists the deployments that are kept and can be read, newest first.
pub fn deployments<'a>(
    objects: &'a Objects,
    site: &'a SiteId,
) -> BoxFuture<'a, Result<Vec<Deployment>, StoreError>> {
    Box::pin(async move {
        let mut found = Vec::new();
        for (number, created) in DeploymentListing::load(objects, site)
            .await?
            .commits
            .into_iter()
            .rev()
        {
            match read_commit(objects, site, number).await {
                // It was swept meanwhile, or nobody can tell what it was.
                Err(StoreError::Unknown { .. } | StoreError::Damaged { .. }) => {}
                commit => found.push(Deployment {
                    commit: commit?,
                    id: derive(site, number, created),
                    created,
                }),
            }
        }
        Ok(found)
    })
}

/// Makes an earlier deployment the site again, as a new deployment that names its files; gives the new number.
///
/// # Errors
/// A [`StoreError`] when there is no such deployment, or when the store failed.
pub fn roll_back<'a>(
    objects: &'a Objects,
    site: &'a SiteId,
    to: u64,
) -> BoxFuture<'a, Result<u64, StoreError>> {
    Box::pin(async move {
        let _lock = Lock::share(objects, site).await?;
        let old = Published::load(objects, site, to, None).await?;
        let mut tries = 0;
        loop {
            let newest = Published::standing(objects, site, Some(&old)).await?;
            let fence = newest
                .published
                .as_ref()
                .map_or(0, |newest| newest.commit().fence);
            let number = newest.newest + 1;
            let commit = Commit {
                deployment: number,
                draft: new_draft(),
                fence: fence.max(old.commit().fence),
                restores: Some(to),
                rolled_back: Some(number),
                rendered: false,
                ..old.commit().clone()
            };
            tries += 1;
            match create_commit(objects, site, &commit).await {
                Err(StoreError::Overtaken { .. }) if tries < TRIES => {}
                created => return created.map(|()| number),
            }
        }
    })
}
