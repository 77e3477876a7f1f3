//! The memory of a site's locales: immutable files, each under the hash of its bytes, independent of deployments.
//!
//! What is in a file is `exchange`'s affair. Nothing here is ever changed in place, so builders cannot harm each other,
//! and a reader that lists the files reads what one builder after the other was paid for.

use std::time::SystemTime;

use bytes::Bytes;

use super::keys::SiteKeys;
use super::record::{damaged, hash};
use super::{Objects, StoreError};
use crate::model::{Locale, SiteId};

/// The ending of a file's name: compressed lines of JSON.
const ENDING: &str = ".jsonl.gz";

/// A file of a locale's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    /// Its name: the hash of its bytes, and an ending.
    pub name: String,
    /// Its length.
    pub size: u64,
    /// When it was written, by the store's clock.
    pub written: SystemTime,
}

/// Lists the files of a locale's memory, sorted by name.
pub async fn memory_files(
    objects: &Objects,
    site: &SiteId,
    locale: &Locale,
) -> Result<Vec<MemoryFile>, StoreError> {
    let (found, _) = objects.list_flat(&SiteKeys(site).memory(locale)?).await?;
    let file = |meta: &object_store::ObjectMeta| {
        let name = meta
            .location
            .filename()
            .filter(|name| name.ends_with(ENDING))?
            .to_owned();
        Some(MemoryFile {
            name,
            size: meta.size,
            written: meta.last_modified.into(),
        })
    };
    let mut files: Vec<MemoryFile> = found.iter().filter_map(file).collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

/// Lists the locales that have a memory.
pub async fn memory_locales(objects: &Objects, site: &SiteId) -> Result<Vec<Locale>, StoreError> {
    let (_, folders) = objects.list_flat(&SiteKeys(site).memories()?).await?;
    Ok(folders
        .iter()
        .filter_map(|folder| Locale::parse(folder.filename()?).ok())
        .collect())
}

/// Keeps a file, waits until the disk has it and gives its name; equal bytes have the same name.
pub async fn put_memory(
    objects: &Objects,
    site: &SiteId,
    locale: &Locale,
    bytes: Bytes,
) -> Result<String, StoreError> {
    let name = format!("{}{ENDING}", hash(&bytes));
    objects
        .put_durably(&SiteKeys(site).memory_file(locale, &name)?, bytes)
        .await?;
    Ok(name)
}

/// Reads a file; `None` where there is none.
///
/// # Errors
/// [`StoreError::Damaged`] when its bytes are not those that its name says.
pub async fn memory_file(
    objects: &Objects,
    site: &SiteId,
    locale: &Locale,
    name: &str,
) -> Result<Option<Bytes>, StoreError> {
    let key = SiteKeys(site).memory_file(locale, name)?;
    let Some(bytes) = objects.get(&key).await? else {
        return Ok(None);
    };
    if name.strip_suffix(ENDING) != Some(hash(&bytes).as_str()) {
        return Err(damaged(
            key.as_ref(),
            "its bytes are not those that its name says".to_owned(),
        ));
    }
    Ok(Some(bytes))
}

/// Removes files.
pub async fn remove_memory(
    objects: &Objects,
    site: &SiteId,
    locale: &Locale,
    names: &[String],
) -> Result<(), StoreError> {
    let keys = names
        .iter()
        .map(|name| SiteKeys(site).memory_file(locale, name));
    objects.delete(keys.collect::<Result<_, _>>()?).await
}
