//! The folder of a store, which somebody may take away while a process has it open: a disk that is unmounted, a folder
//! that is renamed. What is gone is said, and never made again: readers of the real one would see nothing of that, and the
//! pages that it holds would count as lost.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::StoreError;

/// A folder as it was when it was opened.
#[derive(Clone, Debug)]
pub(super) struct StoreRoot {
    path: PathBuf,
    identity: FolderIdentity,
}

/// What stays the same as long as it is the same folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FolderIdentity {
    device: u64,
    inode: u64,
}

impl StoreRoot {
    /// Takes hold of a folder that is there.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let identity = FolderIdentity::of(&path)?;
        Ok(Self { path, identity })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that it is still there.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let gone = |found| StoreError::Gone {
            folder: self.path.clone(),
            found,
        };
        match FolderIdentity::of(&self.path) {
            Ok(found) if found == self.identity => Ok(()),
            Ok(_) => Err(gone("another folder lies there now")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(gone("it is not there any more"))
            }
            // What is wrong with it is said by whatever is done with it.
            Err(_) => Ok(()),
        }
    }
}

impl FolderIdentity {
    fn of(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path)?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }
}
