//! Files that `init` writes, and the paths by which they name folders.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::exit::CommandFailure;

/// Creates a file; another one that appeared meanwhile is left alone.
pub(super) fn create(
    path: &Path,
    text: &str,
    is_there: impl FnOnce() -> CommandFailure,
) -> Result<(), CommandFailure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(is_there()),
        Err(error) => Err(CommandFailure::failed(format!(
            "cannot write {}: {error}",
            path.display()
        ))),
    }
}

/// Puts a text in the place of a file: wholly, or not at all.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), CommandFailure> {
    let replaced = std::fs::canonicalize(path).and_then(|path| {
        let mut draft = path.clone().into_os_string();
        draft.push(".new");
        let draft = PathBuf::from(draft);
        let mut file = std::fs::File::create(&draft)?;
        file.set_permissions(std::fs::metadata(&path)?.permissions())?;
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all());
        written
            .and_then(|()| std::fs::rename(&draft, &path))
            .inspect_err(|_| drop(std::fs::remove_file(&draft)))
    });
    replaced.map_err(|error| {
        CommandFailure::failed(format!("cannot write {}: {error}", path.display()))
    })
}

/// The whole path of the folder that holds a file.
pub(super) fn folder_of(path: &Path) -> std::io::Result<PathBuf> {
    std::fs::canonicalize(
        path.parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new(".")),
    )
}

/// The path from one folder to another, both absolute.
pub(super) fn relative(to: &Path, from: &Path) -> PathBuf {
    let shared = to
        .components()
        .zip(from.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = from
        .components()
        .skip(shared)
        .map(|_| std::path::Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(shared)).collect();
    if path.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        path
    }
}
