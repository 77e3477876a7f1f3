//! Where files go: a folder on this machine, or a bucket.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::error::TargetError;
use super::folder::Folder;
use crate::store::{FileAttributes, Outside};

/// Where files go.
#[derive(Clone, Debug)]
pub(super) enum TargetPlace {
    Folder(Folder),
    Bucket(Box<Outside>),
}

impl TargetPlace {
    /// Writes a file; gives by what the place knows its bytes, if it says so.
    pub(super) async fn put(
        &self,
        name: &str,
        bytes: Bytes,
        about: &FileAttributes,
    ) -> Result<Option<String>, TargetError> {
        match self {
            Self::Bucket(bucket) => Ok(bucket.put(name, bytes, about).await?),
            Self::Folder(folder) => {
                let name = name.to_owned();
                in_folder(folder, move |folder| folder.put(&name, &bytes)).await?;
                Ok(None)
            }
        }
    }

    /// Removes files; what is not there is removed already.
    pub(super) async fn remove(&self, names: &[String]) -> Result<(), TargetError> {
        match self {
            Self::Bucket(bucket) => Ok(bucket.delete(names).await?),
            Self::Folder(folder) => {
                let names = names.to_vec();
                in_folder(folder, move |folder| {
                    names.iter().try_for_each(|name| folder.remove(name))
                })
                .await
            }
        }
    }

    /// Everything that lies there, with the hash of its bytes, or with the bucket's word for them.
    pub(super) async fn list(&self) -> Result<BTreeMap<String, Option<String>>, TargetError> {
        match self {
            Self::Bucket(bucket) => Ok(bucket
                .list()
                .await?
                .into_iter()
                .map(|(name, listed)| (name, listed.etag))
                .collect()),
            Self::Folder(folder) => {
                let found = in_folder(folder, Folder::list).await?;
                Ok(found
                    .into_iter()
                    .map(|(name, (hash, _))| (name, Some(hash)))
                    .collect())
            }
        }
    }

    /// Ends the work: what was written stays, whatever happens to the machine.
    pub(super) async fn close(&self) -> Result<(), TargetError> {
        match self {
            Self::Bucket(_) => Ok(()),
            Self::Folder(folder) => in_folder(folder, Folder::close).await,
        }
    }
}

/// Does something with the files of a folder where waiting for the disk harms nobody.
async fn in_folder<T: Send + 'static>(
    folder: &Folder,
    work: impl FnOnce(&Folder) -> Result<T, TargetError> + Send + 'static,
) -> Result<T, TargetError> {
    let folder = folder.clone();
    tokio::task::spawn_blocking(move || work(&folder)).await?
}

/// Does something with a path where waiting for the disk harms nobody.
pub(super) async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&Path) -> Result<T, TargetError> + Send + 'static,
) -> Result<T, TargetError> {
    let path = path.to_path_buf();
    tokio::task::spawn_blocking(move || work(&path)).await?
}

/// The name of a file beside a folder: `FOLDER.NAME`.
pub(super) fn beside(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.components().collect::<PathBuf>().into_os_string();
    path.push(".");
    path.push(name);
    path.into()
}
