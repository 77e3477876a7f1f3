//! Keys: one value that signs for everything that a step of a build reads.

use std::fs;
use std::panic::Location;
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
    #[track_caller]
    pub(super) fn add(&mut self, part: &[u8]) {
        if inputs::count(Location::caller()) {
            self.0.update(&part.len().to_le_bytes());
            self.0.update(part);
        }
    }

    #[track_caller]
    pub(super) fn add_debug(&mut self, part: &impl std::fmt::Debug) {
        self.add(format!("{part:?}").as_bytes());
    }

    #[track_caller]
    pub(super) fn add_json(&mut self, part: &impl Serialize) -> Result<(), RunError> {
        let text = serde_json::to_vec(part).map_err(|error| RunError::Broken(error.to_string()))?;
        self.add(&text);
        Ok(())
    }

    /// The bytes of a file, or that there is none.
    #[track_caller]
    pub(super) fn add_file(&mut self, path: &Path) {
        self.add_debug(&path);
        match fs::read(path) {
            Ok(bytes) => self.add(&bytes),
            Err(error) => self.add_debug(&error.kind()),
        }
    }

    /// The files of a folder: their bytes, or what the disk says of those that are too large to be read for this.
    #[track_caller]
    pub(super) fn add_folder(&mut self, folder: &Path, look: fn(&mut Self, &Path)) {
        if inputs::count(Location::caller()) {
            self.add_folder_to(folder, DEPTH, look);
        }
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
    #[track_caller]
    pub(super) fn add_stat(&mut self, path: &Path) {
        let stat = fs::metadata(path).map(|found| {
            let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (found.len(), changed)
        });
        self.add_debug(&(path, stat.map_err(|error| error.kind())));
    }

    /// The program, by what the disk says of its file.
    #[track_caller]
    pub(super) fn add_program(&mut self) {
        self.add(env!("CARGO_PKG_VERSION").as_bytes());
        // Where there is such a name, it is that of the running program after another one took its place.
        let running = Path::new("/proc/self/exe");
        match std::env::current_exe() {
            Ok(program) if !running.exists() => self.add_stat(&program),
            Ok(_) | Err(_) => self.add_stat(running),
        }
        if cfg!(debug_assertions) {
            self.add(inputs::program().as_bytes());
        }
    }

    pub(super) fn bytes(&self) -> [u8; 32] {
        self.0.finalize().into()
    }

    pub(super) fn hex(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// The inputs of keys, by the places that add them, so that a test can leave some out and see what that does. Programs that are made
/// for use have none of this.
#[doc(hidden)]
pub mod inputs {
    use std::collections::BTreeSet;
    use std::panic::Location;
    use std::sync::{Mutex, PoisonError};

    static SEEN: Mutex<BTreeSet<Input>> = Mutex::new(BTreeSet::new());
    static LEFT_OUT: Mutex<BTreeSet<Input>> = Mutex::new(BTreeSet::new());
    static PROGRAM: Mutex<String> = Mutex::new(String::new());

    /// A file, a line and a column.
    pub type Input = (&'static str, u32, u32);

    /// Whether an input counts; it does, unless a test left it out.
    pub(super) fn count(place: &'static Location<'_>) -> bool {
        if !cfg!(debug_assertions) {
            return true;
        }
        let input = (place.file(), place.line(), place.column());
        SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(input);
        !LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner).contains(&input)
    }

    /// The inputs that keys had so far.
    pub fn seen() -> BTreeSet<Input> {
        SEEN.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Leaves these inputs out from now on, and no others.
    pub fn leave_out(inputs: BTreeSet<Input>) {
        *LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner) = inputs;
    }

    pub(super) fn program() -> String {
        PROGRAM.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has keys be those of another program from now on.
    pub fn run_as(program: &str) {
        *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = program.to_owned();
    }
}
