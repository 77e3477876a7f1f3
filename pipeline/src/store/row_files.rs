//! Files of rows that builders share: the memory of a site's locales, and the edits of people. Each file is immutable, lies under the
//! hash of its bytes, and is independent of deployments.
//!
//! Only `exchange` and `run` know the contents. Since no file is changed in place, builders cannot harm each other, and a reader that
//! lists the files reads what each builder wrote.

use std::time::SystemTime;

use bytes::Bytes;

use super::keys::{RowKind, SiteKeys};
use super::record::{damaged, hash};
use super::{Objects, StoreError};
use crate::model::{Locale, SiteId};

/// The ending of a file's name: compressed lines of JSON.
const ENDING: &str = ".jsonl.gz";

/// A file of rows of a locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFile {
    /// Its name: the hash of its bytes, and an ending.
    pub name: String,
    /// Its length.
    pub size: u64,
    /// When it was written, by the store's clock.
    pub written: SystemTime,
}

/// Lists the files of a locale, sorted by name.
pub async fn row_files(
    objects: &Objects,
    site: &SiteId,
    kind: RowKind,
    locale: &Locale,
) -> Result<Vec<RowFile>, StoreError> {
    let (found, _) = objects
        .list_flat(&SiteKeys(site).rows(kind, locale)?)
        .await?;
    let file = |meta: &object_store::ObjectMeta| {
        let name = meta
            .location
            .filename()
            .filter(|name| name.ends_with(ENDING))?
            .to_owned();
        Some(RowFile {
            name,
            size: meta.size,
            written: meta.last_modified.into(),
        })
    };
    let mut files: Vec<RowFile> = found.iter().filter_map(file).collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

/// Lists the locales that have files.
pub async fn row_locales(
    objects: &Objects,
    site: &SiteId,
    kind: RowKind,
) -> Result<Vec<Locale>, StoreError> {
    let (_, folders) = objects.list_flat(&SiteKeys(site).row_folder(kind)?).await?;
    Ok(folders
        .iter()
        .filter_map(|folder| Locale::parse(folder.filename()?).ok())
        .collect())
}

/// Keeps a file, waits until the disk has it and gives its name; equal bytes have the same name.
pub async fn put_row_file(
    objects: &Objects,
    site: &SiteId,
    kind: RowKind,
    locale: &Locale,
    bytes: Bytes,
) -> Result<String, StoreError> {
    let name = format!("{}{ENDING}", hash(&bytes));
    objects
        .put_durably(&SiteKeys(site).row_file(kind, locale, &name)?, bytes)
        .await?;
    Ok(name)
}

/// Reads a file; `None` where there is none.
///
/// # Errors
/// [`StoreError::Damaged`] when its bytes are not those that its name says.
pub async fn row_file(
    objects: &Objects,
    site: &SiteId,
    kind: RowKind,
    locale: &Locale,
    name: &str,
) -> Result<Option<Bytes>, StoreError> {
    let key = SiteKeys(site).row_file(kind, locale, name)?;
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
pub async fn remove_row_files(
    objects: &Objects,
    site: &SiteId,
    kind: RowKind,
    locale: &Locale,
    names: &[String],
) -> Result<(), StoreError> {
    let keys = names
        .iter()
        .map(|name| SiteKeys(site).row_file(kind, locale, name));
    objects.delete(keys.collect::<Result<_, _>>()?).await
}
