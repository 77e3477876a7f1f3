//! Fetched pages and files, kept as they came, so that a page can be made again without its site.
//!
//! Remove names that are gone before writing new ones: a disk cannot hold both `a` and `a/b`.

use bytes::Bytes;

use super::keys::Keys;
use super::{Objects, PublishError};
use crate::model::SiteId;

/// Keeps what was fetched under an object name.
pub async fn put_source(objects: &Objects, site: &SiteId, name: &str, bytes: Bytes) -> Result<(), PublishError> {
    objects.put(&Keys(site).source(name)?, bytes).await
}

/// Reads what was fetched; `None` where there is nothing under this name.
pub async fn source(objects: &Objects, site: &SiteId, name: &str) -> Result<Option<Bytes>, PublishError> {
    objects.get(&Keys(site).source(name)?).await
}

/// Forgets what was fetched.
pub async fn remove_source(objects: &Objects, site: &SiteId, name: &str) -> Result<(), PublishError> {
    objects.delete(vec![Keys(site).source(name)?]).await
}

/// The names of all that was fetched, sorted.
pub async fn sources(objects: &Objects, site: &SiteId) -> Result<Vec<String>, PublishError> {
    let folder = Keys(site).sources()?;
    let found = objects.list(&folder).await?;
    let prefix = format!("{folder}/");
    Ok(found.iter().filter_map(|meta| meta.location.as_ref().strip_prefix(&prefix).map(str::to_owned)).collect())
}
