//! Fetched pages and files, kept as they came, so that a page can be made again without its site.
//!
//! Remove names that are gone before writing new ones: a disk cannot hold both `a` and `a/b`.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use object_store::path::Path as Key;

use super::keys::SiteKeys;
use super::listed::ListedObject;
use super::{Objects, StoreError, disk};
use crate::model::SiteId;

/// What was fetched, as the store lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSource {
    /// Its name.
    pub name: Arc<str>,
    /// Its length.
    pub size: u64,
    /// When it was written, by the store's clock.
    pub written: SystemTime,
}

/// Keeps what was fetched under an object name.
pub async fn put_source(
    objects: &Objects,
    site: &SiteId,
    name: &str,
    bytes: Bytes,
) -> Result<(), StoreError> {
    objects
        .put_within(&SiteKeys(site).source(name)?, bytes)
        .await
}

/// Reads what was fetched; `None` where there is nothing under this name.
pub async fn source(
    objects: &Objects,
    site: &SiteId,
    name: &str,
) -> Result<Option<Bytes>, StoreError> {
    objects.get(&SiteKeys(site).source(name)?).await
}

/// Forgets what was fetched.
pub async fn remove_source(objects: &Objects, site: &SiteId, name: &str) -> Result<(), StoreError> {
    objects.delete(vec![SiteKeys(site).source(name)?]).await
}

/// Removes what was being written when a crash came; only for who has the site alone.
pub async fn remove_unfinished_sources(objects: &Objects, site: &SiteId) -> Result<(), StoreError> {
    disk::remove_leftovers(objects, &SiteKeys(site).sources()?).await
}

/// Lists all that was fetched, sorted by name.
pub async fn sources(objects: &Objects, site: &SiteId) -> Result<Vec<StoredSource>, StoreError> {
    let folder = SiteKeys(site).sources()?;
    let prefix = format!("{folder}/");
    let stored = |ListedObject { key, size, written }| {
        let name = Key::as_ref(&key).strip_prefix(&prefix)?.into();
        Some(StoredSource {
            name,
            size,
            written,
        })
    };
    Ok(objects
        .list(&folder)
        .await?
        .into_iter()
        .filter_map(stored)
        .collect())
}
