//! A registry of models on the web, or a folder with what was fetched from one.
//!
//! Mozilla's is the default: the collection of Remote Settings that Firefox takes its models from. A mirror is a file of
//! records and, below the same address, the attachments at their locations. A folder holds the same.

use futures::future::BoxFuture;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use url::Url;

use super::hash::sha256;
use super::records::{AvailableModel, ModelRecord, Registry};
use super::unpack::unpack;
use super::{ModelsError, failed};
use crate::model::without_user;
use crate::net::{DownloadProgress, Downloader};

/// Mozilla's records.
const RECORDS: &str = "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records";
/// Mozilla's attachments.
const ATTACHMENTS: &str = "https://firefox-settings-attachments.cdn.mozilla.net/";
/// The licence of Mozilla's models.
const LICENSE: &str = "MPL-2.0";
/// The largest answer with records, in bytes; Mozilla's has a twentieth of it.
const LARGEST_RECORDS: u64 = 16 << 20;
/// Bytes that stay free on the disk.
const SPARE: u64 = 4 << 20;

/// The name of a file of records in a folder.
pub const RECORDS_FILE: &str = "records.json";

/// The addresses of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryAddress {
    /// The records.
    pub records: Url,
    /// The folder of the attachments; it ends with a slash.
    pub attachments: Url,
    /// True if both may lie in a private network.
    pub allow_private: bool,
}

impl Default for RegistryAddress {
    fn default() -> Self {
        Self {
            records: constant(RECORDS),
            attachments: constant(ATTACHMENTS),
            allow_private: false,
        }
    }
}

#[expect(clippy::expect_used, reason = "the constants are addresses")]
fn constant(address: &str) -> Url {
    Url::parse(address).expect("the constants are addresses")
}

impl RegistryAddress {
    /// A mirror, whose attachments lie beside its records.
    pub fn mirror(records: Url) -> Self {
        let mut attachments = records.clone();
        attachments.set_query(None);
        attachments.set_fragment(None);
        let path = records.path();
        attachments.set_path(&path[..path.rfind('/').map_or(0, |slash| slash + 1)]);
        Self {
            records,
            attachments,
            allow_private: false,
        }
    }

    /// The same, which may lie in a private network if `allow_private` says so.
    pub fn allowing(self, allow_private: bool) -> Self {
        Self {
            allow_private: self.allow_private || allow_private,
            ..self
        }
    }

    /// The licence of a model, if it is known.
    pub fn license(&self, model: &AvailableModel) -> Option<String> {
        match &model.license {
            Some(license) => Some(license.clone()),
            None if self.records.as_str() == RECORDS => Some(LICENSE.to_owned()),
            None => None,
        }
    }

    /// The address of a file.
    ///
    /// # Errors
    /// A [`ModelsError`] if its location leads to another host or is none.
    pub fn file(&self, record: &ModelRecord) -> Result<Url, ModelsError> {
        let location = &record.attachment.location;
        let url = self.attachments.join(location).ok();
        url.filter(|url| url.as_str().starts_with(self.attachments.as_str()))
            .ok_or_else(|| {
                let reason = format!(
                    "the location {location:?} of {} is not below {}",
                    record.name, self.attachments
                );
                ModelsError::Records {
                    from: self.name(),
                    reason,
                }
            })
    }

    /// Its name in messages and pins, without a password.
    fn name(&self) -> String {
        let mut url = self.records.clone();
        url.set_query(None);
        without_user(url.as_str()).into_owned()
    }

    /// Asks which models there are.
    ///
    /// # Errors
    /// A [`ModelsError`] that says why there is no answer.
    pub fn ask<'a>(
        &'a self,
        downloader: &'a Downloader,
    ) -> BoxFuture<'a, Result<Registry, ModelsError>> {
        Box::pin(async move {
            let bytes = downloader.bytes(&self.records, LARGEST_RECORDS).await;
            let bytes = bytes.map_err(|source| ModelsError::Registry {
                from: self.name(),
                source,
            })?;
            Registry::parse(&bytes).map_err(|reason| ModelsError::Records {
                from: self.name(),
                reason,
            })
        })
    }
}

/// Source of the files of a registry's models.
#[derive(Clone, Debug)]
pub enum Supplier {
    /// The registry itself.
    Web {
        /// Its addresses.
        address: RegistryAddress,
        /// The client.
        downloader: Arc<Downloader>,
    },
    /// A folder into which somebody fetched them.
    Folder(PathBuf),
}

/// Reads the records in a folder; `None` if it has no such file.
///
/// # Errors
/// A [`ModelsError`] if they cannot be read.
pub fn registry_in(folder: &Path) -> Result<Option<Registry>, ModelsError> {
    let file = folder.join(RECORDS_FILE);
    let bytes = match fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read", &file)(error)),
    };
    let registry = Registry::parse(&bytes);
    registry.map(Some).map_err(|reason| ModelsError::Records {
        from: file.display().to_string(),
        reason,
    })
}

impl Supplier {
    /// Its name in messages and pins.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Web { address, .. } => address.name(),
            Self::Folder(folder) => folder.display().to_string(),
        }
    }

    /// Downloads the files of a model into a folder, without unpacking them.
    pub(super) async fn bring(
        &self,
        model: &AvailableModel,
        into: &Path,
        progress: &DownloadProgress<'_>,
    ) -> Result<(), ModelsError> {
        let Self::Web {
            address,
            downloader,
        } = self
        else {
            return Ok(());
        };
        let total = model.download_size();
        let mut before = 0;
        for (record, file) in model.files.iter().zip(brought(model, into)) {
            let url = address.file(record)?;
            let size = record.attachment.size;
            let fetched = downloader
                .resumed(&url, &file, size, &|came, _| {
                    progress(before + came, Some(total))
                })
                .await;
            fetched.map_err(|source| ModelsError::Registry {
                from: url.to_string(),
                source,
            })?;
            before += size;
        }
        Ok(())
    }

    /// Unpacks the files that were brought, and checks each before and after.
    pub(super) fn take(
        &self,
        model: &AvailableModel,
        from: &Path,
        into: &Path,
    ) -> Result<(), ModelsError> {
        let code = model.code();
        for (record, brought) in model.files.iter().zip(brought(model, from)) {
            let packed = match self {
                Self::Web { .. } => {
                    check(
                        record,
                        &self.name(),
                        &record.attachment.hash,
                        sha256(&brought)?,
                    )?;
                    brought
                }
                Self::Folder(folder) => find(folder, record)?,
            };
            let target = into.join(record.file_name(&code));
            let open = File::open(&packed).map_err(failed("read", &packed))?;
            unpack(open, &target, record.decompressed_size).map_err(|reason| {
                ModelsError::Packed {
                    name: record.name.clone(),
                    from: self.name(),
                    reason,
                }
            })?;
            check(
                record,
                &self.name(),
                &record.decompressed_hash,
                sha256(&target)?,
            )?;
        }
        Ok(())
    }
}

/// Paths of the fetched files of a model.
fn brought(model: &AvailableModel, folder: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = folder.to_owned();
    (0..model.files.len()).map(move |number| folder.join(format!("attachment-{number}")))
}

/// Refuses a file that is not the one in the record.
fn check(
    record: &ModelRecord,
    from: &str,
    wanted: &str,
    (found, _): (String, u64),
) -> Result<(), ModelsError> {
    match found == wanted {
        true => Ok(()),
        false => Err(ModelsError::WrongFile {
            name: record.name.clone(),
            from: from.to_owned(),
            found,
            wanted: wanted.to_owned(),
        }),
    }
}

/// The file of a record in a folder: by its name, compressed or not, or at its location.
fn find(folder: &Path, record: &ModelRecord) -> Result<PathBuf, ModelsError> {
    let location = &record.attachment.location;
    let last = location.rsplit('/').next().unwrap_or_default();
    let names = [
        format!("{}.zst", record.name),
        format!("{}.gz", record.name),
        record.name.clone(),
        last.to_owned(),
    ];
    for name in names.iter().chain([location]) {
        let file = folder.join(name);
        if is_below(name) && file.is_file() {
            return Ok(file);
        }
    }
    Err(ModelsError::NotThere {
        name: record.name.clone(),
        folder: folder.to_owned(),
        address: location.clone(),
    })
}

/// True for a path that leads into the folder that it counts from.
fn is_below(location: &str) -> bool {
    let mut parts = Path::new(location).components();
    parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Refuses models for which the disk has no room.
pub(super) fn check_space(folder: &Path, needed: u64) -> Result<(), ModelsError> {
    let there = folder
        .ancestors()
        .find(|folder| folder.is_dir())
        .unwrap_or(Path::new("."));
    let there = if there.as_os_str().is_empty() {
        Path::new(".")
    } else {
        there
    };
    // A file system that does not say how much is free is tried all the same.
    let Ok(disk) = rustix::fs::statvfs(there) else {
        return Ok(());
    };
    has_room(folder, needed, disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn has_room(folder: &Path, needed: u64, free: u64) -> Result<(), ModelsError> {
    let needed = needed.saturating_add(SPARE);
    match needed <= free {
        true => Ok(()),
        false => Err(ModelsError::NoRoom {
            folder: folder.to_owned(),
            needed,
            free,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_has_its_files_beside_its_records() {
        for (records, attachments) in [
            (
                "https://m.example/models/records.json",
                "https://m.example/models/",
            ),
            ("https://m.example/records?x=1#y", "https://m.example/"),
            ("https://m.example/", "https://m.example/"),
        ] {
            let address = RegistryAddress::mirror(Url::parse(records).unwrap());
            assert_eq!(address.attachments.as_str(), attachments);
        }
    }

    #[test]
    fn a_disk_without_room_is_said_before_anything_is_fetched() {
        let folder = Path::new("models");
        assert!(has_room(folder, 30 << 20, 40 << 20).is_ok());
        let error = has_room(folder, 30 << 20, 30 << 20)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "the models need 34 MiB in models, and 30 MiB are free; nothing was fetched"
        );
        let there = tempfile::tempdir().unwrap();
        assert!(check_space(&there.path().join("not/there"), u64::MAX).is_err());
    }

    #[test]
    fn only_locations_below_the_folder_are_looked_at() {
        for (location, expected) in [
            ("main/models/x.zst", true),
            ("x.zst", true),
            ("../x.zst", false),
            ("/etc/passwd", false),
            ("main/../../x", false),
        ] {
            assert_eq!(is_below(location), expected, "{location}");
        }
    }
}
