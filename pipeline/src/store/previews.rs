//! Pages of previews. A reader needs the id of a page, and a page expires. In a folder only the owner can read them,
//! because their names are their ids.

use bytes::Bytes;

use super::{Objects, StoreError, disk, keys};
use crate::model::PreviewId;

/// Keeps a preview's page and waits until the disk has it.
pub async fn put_preview(objects: &Objects, id: &PreviewId, html: Bytes) -> Result<(), StoreError> {
    let key = keys::preview(id)?;
    // Close the folder first: a file is readable by others while it is written.
    disk::make_private_folder(objects, &keys::previews()?).await?;
    objects.put_durably(&key, html).await?;
    disk::close_to_others(objects, &key).await
}

/// Reads a preview's page; `None` where there is none.
pub async fn preview(objects: &Objects, id: &PreviewId) -> Result<Option<Bytes>, StoreError> {
    objects.get(&keys::preview(id)?).await
}

/// Deletes the pages of previews.
pub async fn remove_previews(objects: &Objects, ids: &[PreviewId]) -> Result<(), StoreError> {
    objects
        .delete(ids.iter().map(keys::preview).collect::<Result<_, _>>()?)
        .await
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn pages_of_previews_are_their_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let objects = Objects::folder(folder.path()).unwrap();
        let previews = folder.path().join("_previews");
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        // The folder may be there with other rights.
        for is_there in [false, true] {
            if is_there {
                fs::set_permissions(&previews, Permissions::from_mode(0o755)).unwrap();
            }
            let id = PreviewId::new();
            put_preview(&objects, &id, Bytes::from_static(b"page"))
                .await
                .unwrap();
            assert_eq!(
                preview(&objects, &id).await.unwrap(),
                Some(Bytes::from_static(b"page"))
            );
            let file = objects.path(&keys::preview(&id).unwrap()).unwrap();
            assert_eq!((mode(&previews), mode(&file)), (0o700, 0o600), "{is_there}");
        }
    }
}
