//! Commits and what they name, read from the store and checked: a form that is known, and the bytes that were named.

use object_store::path::Path as Key;
use serde::de::DeserializeOwned;

use super::commit::FORMAT;
use super::keys::Keys;
use super::record::{damaged, decode, hash};
use super::{Commit, Manifest, Objects, PublishError, Shard, Tree};
use crate::model::SiteId;
use crate::threads::on_thread;

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
    on_thread(move || {
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
