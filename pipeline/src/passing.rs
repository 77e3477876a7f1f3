//! Folders for the time that another program reads and writes them.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// Makes folders that are their owner's alone, whatever lies in them: pages that are not published yet, profiles of browsers.
pub(crate) fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// A folder among the system's temporary ones, its owner's alone, which is removed when it is dropped.
pub(crate) struct PassingFolder(PathBuf);

impl PassingFolder {
    /// Makes one that nobody had before, `latimer-KIND-…`.
    ///
    /// # Errors
    /// What the system says where it cannot be made.
    pub(crate) fn make(kind: &str) -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("latimer-{kind}-{}", Uuid::new_v4()));
        private_folder().create(&folder)?;
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_for_other_programs_are_their_owners_alone() {
        let folder = PassingFolder::make("test").unwrap();
        let mode = std::fs::metadata(folder.path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
