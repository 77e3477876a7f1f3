//! What a folder on a disk needs and no other store: waiting for the disk, and removing what a crash left.
//!
//! All of this blocks; callers put it on the blocking pool. Where the store is no folder there is nothing to do.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use object_store::path::Path as Key;

use super::listed::is_leftover;
use super::{Objects, StoreError};
use crate::passing::private_folder;

/// How many files are synchronized at the same time; the disk groups them into few writes of its journal.
const THREADS: usize = 8;

/// Waits until the disk holds some objects, and the names of the folders above them. `slice` gives some of their keys each time
/// that it is asked, and none in the end: a large site has hundreds of thousands.
pub(super) async fn sync(
    objects: &Objects,
    mut slice: impl FnMut() -> Result<Vec<Key>, StoreError>,
) -> Result<(), StoreError> {
    let Some(root) = objects.path(&Key::default()) else {
        return Ok(());
    };
    if cfg!(not(unix)) {
        return Ok(());
    }
    let mut folders = BTreeSet::new();
    loop {
        let keys = slice()?;
        if keys.is_empty() {
            break;
        }
        let files: Vec<PathBuf> = keys.iter().filter_map(|key| objects.path(key)).collect();
        for file in &files {
            for above in file
                .ancestors()
                .skip(1)
                .take_while(|above| above.starts_with(&root))
            {
                // Above a folder that is known, all are.
                if !folders.insert(above.to_path_buf()) {
                    break;
                }
            }
        }
        tokio::task::spawn_blocking(move || sync_all(&files)).await??;
    }
    // Names after what they name.
    sync_folders(folders.into_iter().collect()).await
}

/// Waits until the disk holds the names in these folders.
pub(super) async fn sync_folders(folders: Vec<PathBuf>) -> Result<(), StoreError> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    tokio::task::spawn_blocking(move || sync_all(&folders)).await?
}

/// Removes files that were being written when a crash came (`name#1`), and folders left empty.
pub(super) async fn remove_leftovers(objects: &Objects, folder: &Key) -> Result<(), StoreError> {
    let Some(path) = objects.path(folder) else {
        return Ok(());
    };
    tokio::task::spawn_blocking(move || {
        let found = walk(&path, is_leftover).map_err(failed("look through", &path))?;
        for entry in &found {
            if entry.is_dir() {
                // Refused by the disk unless the folder is empty, which is what is wanted.
                let _ = fs::remove_dir(entry);
            } else {
                fs::remove_file(entry).map_err(failed("delete", entry))?;
            }
        }
        Ok(())
    })
    .await?
}

/// The same right in a folder, without the folders below it.
pub(super) async fn remove_leftover_files(
    objects: &Objects,
    folder: &Key,
) -> Result<(), StoreError> {
    let Some(path) = objects.path(folder) else {
        return Ok(());
    };
    tokio::task::spawn_blocking(move || {
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(failed("look through", &path))?,
        };
        for entry in entries {
            let file = entry.map_err(failed("look through", &path))?.path();
            if is_leftover(&file) {
                fs::remove_file(&file).map_err(failed("delete", &file))?;
            }
        }
        Ok(())
    })
    .await?
}

/// Makes a folder of the store for its owner alone, or takes the rights of others away from it.
pub(super) async fn make_private_folder(objects: &Objects, folder: &Key) -> Result<(), StoreError> {
    let Some(folder) = objects.path(folder) else {
        return Ok(());
    };
    tokio::task::spawn_blocking(move || match private_folder().create(&folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            set_mode(&folder, 0o700);
            Ok(())
        }
        made => made.map_err(failed("make", &folder)),
    })
    .await?
}

/// Takes the rights of others away from the file of an object.
pub(super) async fn close_to_others(objects: &Objects, key: &Key) -> Result<(), StoreError> {
    let Some(file) = objects.path(key) else {
        return Ok(());
    };
    Ok(tokio::task::spawn_blocking(move || set_mode(&file, 0o600)).await?)
}

/// Sets the rights of a file or folder if they are others. A process that does not own it cannot, and works with it as it is.
fn set_mode(path: &Path, mode: u32) {
    let Ok(found) = fs::metadata(path) else {
        return;
    };
    if found.permissions().mode() & 0o777 != mode {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }
}

/// Wanted files and folders below and with `path`, each folder after what is in it. Symbolic links are not followed.
fn walk(path: &Path, wanted: fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        found.push(folder);
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && wanted(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.reverse();
    Ok(found)
}

fn sync_all(paths: &[PathBuf]) -> Result<(), StoreError> {
    let share = paths.len().div_ceil(THREADS).max(1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = paths
            .chunks(share)
            .map(|paths| scope.spawn(move || sync_each(paths)))
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| {
                Err(failed("synchronize", Path::new(""))(io::Error::other(
                    "cut off",
                )))
            })
        })
    })
}

fn sync_each(paths: &[PathBuf]) -> Result<(), StoreError> {
    for path in paths {
        match fs::File::open(path).and_then(|file| file.sync_all()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => result.map_err(failed("synchronize", path))?,
        }
    }
    Ok(())
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_path_buf();
    move |source| StoreError::Disk {
        doing,
        path,
        source,
    }
}
