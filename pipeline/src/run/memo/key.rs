//! Keys: fingerprints of all inputs of a step of a build.

use std::collections::BTreeSet;
use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use blake3::Hasher;
use serde::Serialize;

use crate::run::error::BuildError;

/// Maximum depth of model and template folders.
const DEPTH: usize = 4;

/// Inputs of the keys of a build. A test records them, omits one at a time, and expects a wrong build.
#[derive(Clone, Debug, Default)]
pub struct KeyInputs(Option<Arc<Mutex<WatchedKey>>>);

/// A line of the code that adds an input: file, line and column.
pub type KeyInput = (&'static str, u32, u32);

#[derive(Debug, Default)]
struct WatchedKey {
    seen: BTreeSet<KeyInput>,
    left_out: BTreeSet<KeyInput>,
    program: String,
}

impl KeyInputs {
    /// Inputs that a test watches; clones share the record.
    pub fn watched() -> Self {
        Self(Some(Arc::default()))
    }

    /// The inputs of all keys so far.
    pub fn seen(&self) -> BTreeSet<KeyInput> {
        self.watch(|watched| watched.seen.clone())
            .unwrap_or_default()
    }

    /// Leaves these inputs out from now on, and no others.
    pub fn leave_out(&self, inputs: BTreeSet<KeyInput>) {
        self.watch(|watched| watched.left_out = inputs);
    }

    /// Computes keys as if another program ran; an empty name means this program.
    pub fn run_as(&self, program: &str) {
        self.watch(|watched| program.clone_into(&mut watched.program));
    }

    fn watch<T>(&self, act: impl FnOnce(&mut WatchedKey) -> T) -> Option<T> {
        let watched = self.0.as_ref()?;
        Some(act(&mut watched
            .lock()
            .unwrap_or_else(PoisonError::into_inner)))
    }

    /// A key without parts.
    pub(in crate::run) fn key(&self) -> KeyBuilder {
        KeyBuilder {
            hasher: Hasher::new(),
            inputs: self.clone(),
        }
    }

    /// False if a test leaves this input out.
    fn counts(&self, place: &'static Location<'_>) -> bool {
        let counts = self.watch(|watched| {
            let input = (place.file(), place.line(), place.column());
            watched.seen.insert(input);
            !watched.left_out.contains(&input)
        });
        counts.unwrap_or(true)
    }
}

/// Builder of a key. Each part is prefixed with its length, so parts cannot run together.
pub(in crate::run) struct KeyBuilder {
    hasher: Hasher,
    inputs: KeyInputs,
}

impl KeyBuilder {
    #[track_caller]
    pub(in crate::run) fn add(&mut self, part: &[u8]) {
        if self.inputs.counts(Location::caller()) {
            self.hasher.update(&part.len().to_le_bytes());
            self.hasher.update(part);
        }
    }

    #[track_caller]
    pub(in crate::run) fn add_debug(&mut self, part: &impl std::fmt::Debug) {
        self.add(format!("{part:?}").as_bytes());
    }

    #[track_caller]
    pub(super) fn add_json(&mut self, part: &impl Serialize) -> Result<(), BuildError> {
        let text =
            serde_json::to_vec(part).map_err(|error| BuildError::Broken(error.to_string()))?;
        self.add(&text);
        Ok(())
    }

    /// The bytes of a file, or that there is none.
    #[track_caller]
    pub(in crate::run) fn add_file(&mut self, path: &Path) {
        self.add_debug(&path);
        match fs::read(path) {
            Ok(bytes) => self.add(&bytes),
            Err(error) => self.add_debug(&error.kind()),
        }
    }

    /// Adds every file of a folder with `look`: the bytes, or the metadata if files are large.
    #[track_caller]
    pub(super) fn add_folder(&mut self, folder: &Path, look: fn(&mut Self, &Path)) {
        if self.inputs.counts(Location::caller()) {
            self.add_folder_to(folder, DEPTH, look);
        }
    }

    fn add_folder_to(&mut self, folder: &Path, depth: usize, look: fn(&mut Self, &Path)) {
        let Ok(entries) = fs::read_dir(folder) else {
            return self.add(b"none");
        };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        paths.sort();
        for path in paths {
            match path.is_dir() && depth > 0 {
                true => self.add_folder_to(&path, depth - 1, look),
                false => look(self, &path),
            }
        }
    }

    /// Adds size and modification time of a file.
    #[track_caller]
    pub(super) fn add_stat(&mut self, path: &Path) {
        let stat = fs::metadata(path).map(|found| {
            let changed = found
                .modified()
                .ok()
                .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (found.len(), changed)
        });
        self.add_debug(&(path, stat.map_err(|error| error.kind())));
    }

    /// Adds the program: its version and the metadata of its executable.
    #[track_caller]
    pub(in crate::run) fn add_program(&mut self) {
        self.add(env!("CARGO_PKG_VERSION").as_bytes());
        // On Linux, this path names the running program even after an update replaced its file.
        let running = Path::new("/proc/self/exe");
        match std::env::current_exe() {
            Ok(program) if !running.exists() => self.add_stat(&program),
            Ok(_) | Err(_) => self.add_stat(running),
        }
        if let Some(program) = self.inputs.watch(|watched| watched.program.clone()) {
            self.add(program.as_bytes());
        }
    }

    pub(in crate::run) fn bytes(&self) -> [u8; 32] {
        self.hasher.finalize().into()
    }

    pub(in crate::run) fn hex(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}
