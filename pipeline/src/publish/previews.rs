//! Pages of previews: each alone, seen by whoever knows its id, gone when its time is over.

use bytes::Bytes;

use super::{Objects, PublishError, keys};
use crate::model::PreviewId;

/// Keeps a preview's page and waits until the disk has it.
pub async fn put_preview(objects: &Objects, id: &PreviewId, html: Bytes) -> Result<(), PublishError> {
    objects.put_durably(&keys::preview(id)?, html).await
}

/// Reads a preview's page; `None` where there is none.
pub async fn preview(objects: &Objects, id: &PreviewId) -> Result<Option<Bytes>, PublishError> {
    objects.get(&keys::preview(id)?).await
}

/// Deletes the pages of previews.
pub async fn remove_previews(objects: &Objects, ids: &[PreviewId]) -> Result<(), PublishError> {
    objects.delete(ids.iter().map(keys::preview).collect::<Result<_, _>>()?).await
}
