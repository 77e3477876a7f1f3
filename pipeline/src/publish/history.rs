//! The commits of a site: listed, read, created, and brought back.

use std::collections::BTreeMap;
use std::time::SystemTime;

use object_store::path::Path as Key;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::commit::{FORMAT, damaged, decode, encode, hash};
use super::identity::derive;
use super::keys::{DAMAGED, DRAFT, DROPPED, Keys};
use super::lock::Lock;
use super::objects::Created;
use super::{Commit, Manifest, Objects, PublishError, Published, Shard, Tree};
use crate::model::{DeploymentId, SiteId};

/// How often a rollback asks for the next number, where others are faster.
const TRIES: usize = 5;

/// When each commit that is kept was created, none earlier than the one before it.
pub(super) type Times = BTreeMap<u64, SystemTime>;

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

/// What lies right in a site's folder of deployments.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) commits: Times,
    /// Drafts that nobody finished, with the time of their mark.
    pub(super) drafts: BTreeMap<String, SystemTime>,
    /// Commits that were dropped while builders may still read what they name, with the time of that.
    pub(super) dropped: Times,
    /// Whether somebody wrote down which objects have wrong bytes.
    pub(super) notes_damage: bool,
    /// The folders in it.
    pub(super) folders: Vec<Key>,
}

impl Listing {
    /// A store that was copied may have lost the order of times, so it is made good here; one whose clock is ahead of
    /// ours would name the future.
    pub(super) async fn load(objects: &Objects, site: &SiteId) -> Result<Self, PublishError> {
        let (found, folders) = objects.list_flat(&Keys(site).deployments()?).await?;
        let mut listing = Self { folders, ..Self::default() };
        let now = SystemTime::now();
        for meta in &found {
            let Some(name) = meta.location.filename() else { continue };
            let written: SystemTime = meta.last_modified.into();
            let Some(stem) = name.strip_suffix(".json") else { continue };
            if let Ok(number) = stem.parse() {
                listing.commits.insert(number, now.min(written));
            } else if let Some(draft) = stem.strip_prefix(DRAFT) {
                listing.drafts.insert(draft.to_owned(), written);
            } else if let Some(number) = stem.strip_prefix(DROPPED).and_then(|number| number.parse().ok()) {
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
        self.commits.last_key_value().map_or(0, |(number, _)| *number)
    }
}

/// The number of the newest deployment; `known` makes the usual answer, nothing new, one small request.
///
/// With `known`, a deployment is only noticed while its next one's commit is still kept; ask without it now and then.
pub async fn latest(objects: &Objects, site: &SiteId, known: Option<u64>) -> Result<Option<u64>, PublishError> {
    if let Some(known) = known
        && !objects.exists(&Keys(site).commit(known + 1)?).await?
    {
        return Ok(Some(known));
    }
    Ok(Some(Listing::load(objects, site).await?.newest()).filter(|number| *number > 0))
}

/// Lists the deployments that are kept and can be read, newest first.
pub async fn deployments(objects: &Objects, site: &SiteId) -> Result<Vec<Deployment>, PublishError> {
    let mut found = Vec::new();
    for (number, created) in Listing::load(objects, site).await?.commits.into_iter().rev() {
        match read_commit(objects, site, number).await {
            // It was swept meanwhile, or nobody can tell what it was.
            Err(PublishError::Unknown { .. } | PublishError::Damaged { .. }) => {}
            commit => found.push(Deployment { commit: commit?, id: derive(site, number, created), created }),
        }
    }
    Ok(found)
}

/// Makes an earlier deployment the site again, as a new deployment that names its files; gives the new number.
///
/// # Errors
/// A [`PublishError`] when there is no such deployment, or when the store failed.
pub async fn roll_back(objects: &Objects, site: &SiteId, to: u64) -> Result<u64, PublishError> {
    let _lock = Lock::share(objects, site).await?;
    let old = Published::load(objects, site, to, None).await?;
    let mut tries = 0;
    loop {
        let newest = Published::standing(objects, site, Some(&old)).await?;
        let fence = newest.published.as_ref().map_or(0, |newest| newest.commit().fence);
        let number = newest.newest + 1;
        let commit = Commit {
            deployment: number,
            draft: new_draft(),
            fence: fence.max(old.commit().fence),
            restores: Some(to),
            rolled_back: Some(number),
            ..old.commit().clone()
        };
        tries += 1;
        match create_commit(objects, site, &commit).await {
            Err(PublishError::Overtaken { .. }) if tries < TRIES => {}
            created => return created.map(|()| number),
        }
    }
}

/// Creates a commit, the step that makes a deployment the site.
pub(super) async fn create_commit(objects: &Objects, site: &SiteId, commit: &Commit) -> Result<(), PublishError> {
    let key = Keys(site).commit(commit.deployment)?;
    let bytes = encode(commit, key.as_ref())?;
    // The draft in it tells whose it is, also where the answer to our own first try was lost.
    match objects.create(&key, bytes).await? {
        Created::New | Created::Same => Ok(()),
        Created::Other(_) => Err(PublishError::Overtaken { site: site.clone(), deployment: commit.deployment }),
    }
}

/// A name for a draft that no other draft has.
pub(super) fn new_draft() -> String {
    Uuid::new_v4().simple().to_string()
}

/// What is read of a commit before anything else.
#[derive(serde::Deserialize)]
struct Form {
    format: u32,
}

pub(super) async fn read_commit(objects: &Objects, site: &SiteId, number: u64) -> Result<Commit, PublishError> {
    let unknown = || PublishError::Unknown { site: site.clone(), deployment: number };
    read_commit_at(objects, Keys(site).commit(number)?).await?.ok_or_else(unknown)
}

/// Reads a commit where it lies; `None` where there is nothing.
pub(super) async fn read_commit_at(objects: &Objects, key: Key) -> Result<Option<Commit>, PublishError> {
    let Some(bytes) = objects.get(&key).await? else { return Ok(None) };
    let Form { format } = decode(&bytes, key.as_ref())?;
    if format > FORMAT {
        return Err(PublishError::Newer { key: key.to_string(), form: format });
    }
    decode(&bytes, key.as_ref()).map(Some)
}

pub(super) async fn read_manifest(
    objects: &Objects,
    site: &SiteId,
    form: u32,
    tree: &Tree,
    shard: &Shard,
) -> Result<Manifest, PublishError> {
    read_record(objects, Keys(site).manifest(form, tree, shard)?, shard).await
}

/// Reads what a shard names, and checks that it is that.
pub(super) async fn read_record<T: DeserializeOwned + Send + 'static>(
    objects: &Objects,
    key: Key,
    shard: &Shard,
) -> Result<T, PublishError> {
    let bytes = objects.get(&key).await?.ok_or_else(|| gone(&key))?;
    let expected = shard.hash.clone();
    // A large site's manifest takes a while to parse.
    tokio::task::spawn_blocking(move || {
        if hash(&bytes) != expected {
            return Err(damaged(key.as_ref(), "its bytes are not those the commit names".to_owned()));
        }
        decode(&bytes, key.as_ref())
    })
    .await?
}

pub(super) fn gone(key: &Key) -> PublishError {
    damaged(key.as_ref(), "it is not there".to_owned())
}
