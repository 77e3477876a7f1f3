//! What can go wrong with the state, each said with what was being done and to which file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::backend::{BackendError, DiskTrouble};

/// Why an action on the state failed.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Another process has it.
    #[error(
        "the state {path} is in use by {holder}; stop it, or go through it with --server URL",
        path = path.display()
    )]
    Held {
        /// The file.
        path: PathBuf,
        /// Who has it, as far as that is known.
        holder: String,
    },
    /// A newer version of Latimer wrote it.
    #[error(
        "the state {path} was written by a newer version of Latimer (form {form}, this one knows {known}); update \
         Latimer, or go on without what only the state has: `latimer state rebuild`",
        path = path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The form it has.
        form: u64,
        /// The form this version knows.
        known: u64,
    },
    /// An older version of Latimer wrote it.
    #[error(
        "the state {path} was written by an older version of Latimer (form {form}, this one knows {known}); run `latimer \
         state rebuild`, which sets it aside and makes a new one from the store",
        path = path.display()
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// The form it has.
        form: u64,
        /// The form this version knows.
        known: u64,
    },
    /// The file is no state, or not a whole one.
    #[error(
        "the state {path} is damaged: {reason}; run `latimer state rebuild`, which sets it aside and makes a new one from \
         the store",
        path = path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// We may not read and write it.
    #[error(
        "cannot open the state {path}: {source}; let the user that runs latimer read and write it, or run \
         `latimer state rebuild`, which sets it aside and makes a new one from the store",
        path = path.display()
    )]
    Denied {
        /// The file.
        path: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// There is none, and it cannot be made.
    #[error("cannot make the state {path}: {source}{}", remedy(source), path = path.display())]
    Unmade {
        /// The file.
        path: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// It cannot be renamed.
    #[error("cannot set the state {path} aside: {source}; move it away by hand", path = path.display())]
    Aside {
        /// The file.
        path: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// The folder for it cannot be made.
    #[error("cannot make the folder {path}: {source}{}", remedy(source), path = path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// What a run set aside cannot be read again.
    #[error(
        "cannot read again what this run set aside in a file beside the state, in {folder}: {source}; nothing was published, \
         and what was translated is kept: mend the disk, or let `state` in [store] name a file elsewhere, and build again",
        folder = folder.display()
    )]
    SpillFile {
        /// The folder that the file is in.
        folder: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// The database refused or failed.
    #[error("cannot {doing} the state {path}: {source}", path = path.display())]
    Database {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the database says.
        source: BackendError,
    },
    /// A row is not what this version writes.
    #[error(
        "the state {path} has a row that makes no sense, {row}: {reason}; run `latimer state rebuild`, which sets the \
         file aside and makes a new one from the store",
        path = path.display()
    )]
    Row {
        /// The file.
        path: PathBuf,
        /// Which row.
        row: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl StateError {
    /// Whether the disk was the reason, and how.
    pub fn trouble(&self) -> Option<DiskTrouble> {
        match self {
            Self::Database { source, .. } => source.trouble(),
            Self::Held { .. } | Self::SpillFile { .. } => Some(DiskTrouble::Unusable),
            Self::Newer { .. }
            | Self::Older { .. }
            | Self::Damaged { .. }
            | Self::Denied { .. }
            | Self::Unmade { .. }
            | Self::Aside { .. }
            | Self::Folder { .. }
            | Self::Row { .. } => None,
        }
    }
}

/// What to do where we may not make something.
fn remedy(source: &std::io::Error) -> &'static str {
    match is_denied(source) {
        true => {
            "; let the user that runs latimer write in the folder above it, or let `state` in [store] name a file \
             elsewhere"
        }
        false => "",
    }
}

/// Whether the disk would do it for somebody else, or elsewhere.
pub(super) fn is_denied(source: &std::io::Error) -> bool {
    matches!(
        source.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// Adds to an error of the database what was being done to which file.
pub(super) fn failed(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(BackendError) -> StateError + use<> {
    let path = path.to_path_buf();
    move |source| match source.damage() {
        Some(reason) => StateError::Damaged { path, reason },
        None => StateError::Database {
            doing,
            path,
            source,
        },
    }
}
