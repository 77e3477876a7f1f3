//! Folders for the time that another program reads and writes them.

use std::path::{Path, PathBuf};

use uuid::Uuid;

/// A folder among the system's temporary ones, which is removed when it is dropped.
pub(crate) struct PassingFolder(PathBuf);

impl PassingFolder {
    /// Makes one that nobody had before, `latimer-KIND-…`.
    ///
    /// # Errors
    /// What the system says where it cannot be made.
    pub(crate) fn make(kind: &str) -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("latimer-{kind}-{}", Uuid::new_v4()));
        std::fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PassingFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
