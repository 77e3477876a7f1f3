//! A state file that cannot be used: what is wrong with it, said as an error, and setting it aside.
//!
//! The database checks its header when it opens a file, and pages when asked to; a page that was overwritten may also be
//! met later, and then it panics. Each of its calls goes through [`caught`], so such a panic is one more error.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::Once;

use super::error::is_denied;
use super::{State, StoreError, holder, private};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// How a state file is.
#[derive(Debug)]
pub enum Health {
    /// There is none, or one without a byte in it: the next run makes it.
    Missing,
    /// It can be read from the first page to the last.
    Sound,
    /// It cannot be used; the error says why, and what to do.
    Unusable(StoreError),
}

impl State {
    /// Looks at a state file, all of it; [`StoreError::Held`] where another process has it.
    pub fn health(path: &Path) -> Result<Health, StoreError> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Health::Missing),
            Ok(file) if file.is_file() && file.len() == 0 => return Ok(Health::Missing),
            Ok(_) | Err(_) => {}
        }
        let checked = Self::open(path).and_then(|mut state| state.check());
        match checked {
            Ok(true) => Ok(Health::Sound),
            Ok(false) => {
                let reason = "its pages do not agree with each other".to_owned();
                Ok(Health::Unusable(StoreError::Damaged { path: path.to_owned(), reason }))
            }
            Err(error @ StoreError::Held { .. }) => Err(error),
            Err(error) => Ok(Health::Unusable(error)),
        }
    }

    /// Renames a state file, so that a new one can take its place; gives its new name, nothing where there is none.
    pub fn set_aside(path: &Path) -> Result<Option<PathBuf>, StoreError> {
        refuse_held(path)?;
        let aside = (1..)
            .map(|number: u32| {
                let mut name = OsString::from(path);
                name.push(format!(".aside-{number}"));
                PathBuf::from(name)
            })
            .find(|name| name.symlink_metadata().is_err())
            .unwrap_or_default();
        match std::fs::rename(path, &aside) {
            Ok(()) => Ok(Some(aside)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Aside { path: path.to_owned(), source }),
        }
    }
}

/// Refuses what another process has open, whatever state the file is in.
fn refuse_held(path: &Path) -> Result<(), StoreError> {
    // What cannot be opened is nobody's.
    let Ok(file) = File::options().read(true).write(true).open(path) else { return Ok(()) };
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(StoreError::Held { path: path.to_owned(), holder: holder::read(path) })
        }
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(()),
    }
}

/// Refuses what is no file that we may make or write, before the database says so in its own words.
pub(super) fn refuse_what_is_no_file(path: &Path) -> Result<(), StoreError> {
    let path = path.to_path_buf();
    if path.is_dir() {
        return Err(StoreError::Damaged { path, reason: "it is a folder".to_owned() });
    }
    let is_there = path.symlink_metadata().is_ok();
    // An empty file is what the database makes first.
    match private::made_private(File::options().read(true).write(true).create(true).truncate(false)).open(&path) {
        Err(source) if is_denied(&source) && is_there => Err(StoreError::Denied { path, source }),
        Err(source) if is_denied(&source) => Err(StoreError::Unmade { path, source }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Does what calls the database; a panic of it is what it says, and nobody else hears of it.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("the database broke off").lines().next().unwrap_or_default().to_owned()
    })
}
