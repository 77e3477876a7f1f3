//! Which commits a site has, as one listing tells, and how the next one is created.

use std::collections::BTreeMap;
use std::time::SystemTime;

use uuid::Uuid;

use super::keys::{DAMAGED, DRAFT, DROPPED, SiteKeys};
use super::objects::Created;
use super::record::encode;
use super::{Commit, Objects, StoreError};
use crate::model::SiteId;

/// When each commit that is kept was created, none earlier than the one before it.
pub(super) type Times = BTreeMap<u64, SystemTime>;

/// What lies right in a site's folder of deployments.
#[derive(Debug, Default)]
pub(super) struct DeploymentListing {
    pub(super) commits: Times,
    /// Drafts that nobody finished, with the time of their mark.
    pub(super) drafts: BTreeMap<String, SystemTime>,
    /// Commits that were dropped while builders may still read what they name, with the time of that.
    pub(super) dropped: Times,
    /// Whether somebody wrote down which objects have wrong bytes.
    pub(super) notes_damage: bool,
}

impl DeploymentListing {
    /// A store that was copied may have lost the order of times, so it is made good here; one whose clock is ahead of
    /// ours would name the future.
    pub(super) async fn load(objects: &Objects, site: &SiteId) -> Result<Self, StoreError> {
        let (found, _) = objects.list_flat(&SiteKeys(site).deployments()?).await?;
        let mut listing = Self::default();
        let now = SystemTime::now();
        for meta in &found {
            let Some(name) = meta.location.filename() else {
                continue;
            };
            let written: SystemTime = meta.last_modified.into();
            let Some(stem) = name.strip_suffix(".json") else {
                continue;
            };
            if let Ok(number) = stem.parse() {
                listing.commits.insert(number, now.min(written));
            } else if let Some(draft) = stem.strip_prefix(DRAFT) {
                listing.drafts.insert(draft.to_owned(), written);
            } else if let Some(number) = stem
                .strip_prefix(DROPPED)
                .and_then(|number| number.parse().ok())
            {
                listing.dropped.insert(number, written);
            } else if name == DAMAGED {
                listing.notes_damage = true;
            }
        }
        let mut latest = SystemTime::UNIX_EPOCH;
        for time in listing.commits.values_mut() {
            latest = latest.max(*time);
            *time = latest;
        }
        Ok(listing)
    }

    /// The highest number that any commit has, whether it can be read or not.
    pub(super) fn newest(&self) -> u64 {
        self.commits
            .last_key_value()
            .map_or(0, |(number, _)| *number)
    }
}

/// The number of the newest deployment; `known` makes the usual answer, nothing new, one small request.
///
/// With `known`, a deployment is only noticed while its next one's commit is still kept; ask without it now and then.
pub async fn latest(
    objects: &Objects,
    site: &SiteId,
    known: Option<u64>,
) -> Result<Option<u64>, StoreError> {
    if let Some(known) = known
        && !objects.exists(&SiteKeys(site).commit(known + 1)?).await?
    {
        return Ok(Some(known));
    }
    Ok(Some(DeploymentListing::load(objects, site).await?.newest()).filter(|number| *number > 0))
}

/// Creates a commit, the step that makes a deployment the site.
pub(super) async fn create_commit(
    objects: &Objects,
    site: &SiteId,
    commit: &Commit,
) -> Result<(), StoreError> {
    let key = SiteKeys(site).commit(commit.deployment)?;
    let bytes = encode(commit, key.as_ref())?;
    // The draft in it tells whose it is, also where the answer to our own first try was lost.
    match objects.create(&key, bytes).await? {
        Created::New | Created::Same => Ok(()),
        Created::Other(_) => Err(StoreError::Overtaken {
            site: site.clone(),
            deployment: commit.deployment,
        }),
    }
}

/// A name for a draft that no other draft has.
pub(super) fn new_draft() -> String {
    Uuid::new_v4().simple().to_string()
}
