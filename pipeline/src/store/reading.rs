//! Commits and what they name, read from the store and checked: a form that is known, and the bytes that were named.

use std::cmp::Ordering;
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as Key;
use serde::de::DeserializeOwned;

use super::commit::FORMAT;
use super::keys::SiteKeys;
use super::manifest::{KnownParts, ManifestFiles, ManifestPart, PartName, StoredManifest};
use super::objects::PARALLEL;
use super::record::{self, damaged, decode};
use super::{Commit, Manifest, Objects, Shard, StoreError, Tree};
use crate::model::SiteId;
use crate::threads::on_thread;

/// What is read of a commit before anything else.
#[derive(serde::Deserialize)]
struct CommitFormat {
    format: u32,
}

pub(super) async fn read_commit(
    objects: &Objects,
    site: &SiteId,
    number: u64,
) -> Result<Commit, StoreError> {
    let unknown = || StoreError::Unknown {
        site: site.clone(),
        deployment: number,
    };
    read_commit_at(objects, SiteKeys(site).commit(number)?)
        .await?
        .ok_or_else(unknown)
}

/// Reads a commit where it lies; `None` where there is nothing.
pub(super) async fn read_commit_at(
    objects: &Objects,
    key: Key,
) -> Result<Option<Commit>, StoreError> {
    let Some(bytes) = objects.get(&key).await? else {
        return Ok(None);
    };
    let CommitFormat { format } = decode(&bytes, key.as_ref())?;
    match format.cmp(&FORMAT) {
        Ordering::Less => Err(StoreError::Older {
            key: key.to_string(),
            form: format,
        }),
        Ordering::Equal => decode(&bytes, key.as_ref()).map(Some),
        Ordering::Greater => Err(StoreError::Newer {
            key: key.to_string(),
            form: format,
        }),
    }
}

/// Reads a tree's manifest, but the parts that are known.
pub(super) async fn read_manifest(
    objects: &Objects,
    site: &SiteId,
    tree: &Tree,
    shard: &Shard,
    known: &KnownParts,
) -> Result<Manifest, StoreError> {
    let key = SiteKeys(site).record(shard)?;
    let StoredManifest { parts, missing } = read_record(objects, key, &shard.hash).await?;
    let parts = parts
        .into_iter()
        .map(|place| read_part(objects, site, tree, place, known));
    let parts = stream::iter(parts).buffered(PARALLEL).try_collect().await?;
    Ok(Manifest {
        objects: ManifestFiles::of(parts),
        missing,
    })
}

/// Reads where the parts of a manifest lie.
pub(super) async fn read_places(
    objects: &Objects,
    site: &SiteId,
    shard: &Shard,
) -> Result<Vec<PartName>, StoreError> {
    let stored: StoredManifest =
        read_record(objects, SiteKeys(site).record(shard)?, &shard.hash).await?;
    Ok(stored.parts)
}

/// Reads a part, unless it is known.
pub(super) async fn read_part(
    objects: &Objects,
    site: &SiteId,
    tree: &Tree,
    place: PartName,
    known: &KnownParts,
) -> Result<Arc<ManifestPart>, StoreError> {
    if let Some(known) = known.get(&place) {
        return Ok(Arc::clone(known));
    }
    let key = SiteKeys(site).shard(&place.hash, place.copy.as_deref())?;
    let files = read_record(objects, key, &place.hash).await?;
    Ok(Arc::new(known.part(tree, place, files)))
}

/// Reads what lies under the hash of its bytes, and checks that it is that.
pub(super) async fn read_record<T: DeserializeOwned + Send + 'static>(
    objects: &Objects,
    key: Key,
    hash: &str,
) -> Result<T, StoreError> {
    let bytes = read_checked(objects, &key, hash).await?;
    // A large site's manifest takes a while to parse.
    on_thread(move || decode(&bytes, key.as_ref())).await?
}

/// Reads bytes under their hash, and checks that they are those.
pub(super) async fn read_checked(
    objects: &Objects,
    key: &Key,
    hash: &str,
) -> Result<Bytes, StoreError> {
    let bytes = objects.get(key).await?.ok_or_else(|| gone(key))?;
    let read = bytes.clone();
    let expected = hash.to_owned();
    match on_thread(move || record::hash(&read) == expected).await? {
        true => Ok(bytes),
        false => Err(damaged(
            key.as_ref(),
            "its bytes are not those the commit names".to_owned(),
        )),
    }
}

pub(super) fn gone(key: &Key) -> StoreError {
    damaged(key.as_ref(), "it is not there".to_owned())
}
