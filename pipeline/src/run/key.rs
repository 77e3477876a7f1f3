//! Keys: one value that signs for everything that a step of a build reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use blake3::Hasher;
use serde::Serialize;

use super::error::RunError;

/// How deep the folders of models and templates are looked into.
const DEPTH: usize = 4;

/// A key in the making; each part is told from the next.
#[derive(Default)]
pub(super) struct Key(Hasher);

impl Key {
    pub(super) fn add(&mut self, part: &[u8]) {
        self.0.update(&part.len().to_le_bytes());
        self.0.update(part);
    }

    pub(super) fn add_debug(&mut self, part: &impl std::fmt::Debug) {
        self.add(format!("{part:?}").as_bytes());
    }

    pub(super) fn add_json(&mut self, part: &impl Serialize) -> Result<(), RunError> {
        let text = serde_json::to_vec(part).map_err(|error| RunError::Broken(error.to_string()))?;
        self.add(&text);
        Ok(())
    }

    /// The bytes of a file, or that there is none.
    pub(super) fn add_file(&mut self, path: &Path) {
        self.add_debug(&path);
        match fs::read(path) {
            Ok(bytes) => self.add(&bytes),
            Err(error) => self.add_debug(&error.kind()),
        }
    }

    /// The files of a folder: their bytes, or what the disk says of those that are too large to be read for this.
    pub(super) fn add_folder(&mut self, folder: &Path, look: fn(&mut Self, &Path)) {
        self.add_folder_to(folder, DEPTH, look);
    }

    fn add_folder_to(&mut self, folder: &Path, depth: usize, look: fn(&mut Self, &Path)) {
        let Ok(entries) = fs::read_dir(folder) else { return self.add(b"none") };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            match path.is_dir() && depth > 0 {
                true => self.add_folder_to(&path, depth - 1, look),
                false => look(self, &path),
            }
        }
    }

    /// What the disk says of a file.
    pub(super) fn add_stat(&mut self, path: &Path) {
        let stat = fs::metadata(path).map(|found| {
            let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (found.len(), changed)
        });
        self.add_debug(&(path, stat.map_err(|error| error.kind())));
    }

    /// The program, by what the disk says of its file.
    pub(super) fn add_program(&mut self) {
        self.add(env!("CARGO_PKG_VERSION").as_bytes());
        self.add_stat(Path::new("/proc/self/exe"));
    }

    pub(super) fn bytes(&self) -> [u8; 32] {
        self.0.finalize().into()
    }

    pub(super) fn hex(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}
