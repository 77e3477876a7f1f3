//! Temporary folder for a new model, beside the models and invisible to the engine.
//!
//! A lock on a file in it says that its process lives. A folder without one is what a killed process left, and the next
//! process takes it over and empties it.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::{ModelsError, failed};
use crate::engines::model_files::DRAFT;

/// The name of the locked file.
const LOCK: &str = "lock";

/// A folder in which a model is made ready; it goes with this value.
#[derive(Debug)]
pub(super) struct ModelDraft {
    pub(super) folder: PathBuf,
    /// The models' folder, if it was made for this.
    made: Option<PathBuf>,
    /// Held until the folder is gone.
    _lock: File,
}

impl Drop for ModelDraft {
    fn drop(&mut self) {
        // The next process removes the rest.
        let _ = fs::remove_dir_all(&self.folder);
        if let Some(made) = &self.made {
            let _ = fs::remove_dir(made); // only if nothing was added
        }
    }
}

impl ModelDraft {
    /// Begins a draft for the model of a pair, which `code` stands for.
    pub(super) fn begin(models: &Path, code: &str) -> Result<Self, ModelsError> {
        let made = if models.exists() {
            None
        } else {
            Some(models.to_owned())
        };
        fs::create_dir_all(models).map_err(failed("create", models))?;
        let folder = models.join(format!("{DRAFT}adding-{code}"));
        fs::create_dir_all(&folder).map_err(failed("create", &folder))?;
        let path = folder.join(LOCK);
        let lock = File::create(&path).map_err(failed("create", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ModelsError::Busy { folder }),
            // A file system without locks: two at once would spoil each other's files, which the hashes show.
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path)(error)),
        }
        let draft = Self {
            folder,
            made,
            _lock: lock,
        };
        draft.empty()?;
        Ok(draft)
    }

    /// Removes what a killed process left.
    fn empty(&self) -> Result<(), ModelsError> {
        let entries = fs::read_dir(&self.folder).map_err(failed("read", &self.folder))?;
        for entry in entries {
            let path = entry.map_err(failed("read", &self.folder))?.path();
            if path.file_name().is_some_and(|name| name == LOCK) {
                continue;
            }
            let removed = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.map_err(failed("remove", &path))?;
        }
        Ok(())
    }

    /// A new folder in it.
    pub(super) fn new_folder(&self, name: &str) -> Result<PathBuf, ModelsError> {
        let folder = self.folder.join(name);
        fs::create_dir(&folder).map_err(failed("create", &folder))?;
        Ok(folder)
    }
}
