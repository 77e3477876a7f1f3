//! A state file that cannot be used: what is wrong with it, said as an error.
//!
//! The database checks its header when it opens a file, and pages when asked to; a page that was overwritten may also be
//! met later, and then it panics. Each of its calls goes through [`caught`], so such a panic is one more error.

use std::cell::Cell;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use super::StateError;
use super::error::is_denied;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Refuses what is no file that we may make or write, before the database says so in its own words.
pub(super) fn refuse_what_is_no_file(path: &Path) -> Result<(), StateError> {
    let path = path.to_path_buf();
    if path.is_dir() {
        return Err(StateError::Damaged {
            path,
            reason: "it is a folder".to_owned(),
        });
    }
    if path.symlink_metadata().is_ok() {
        return match File::options().read(true).write(true).open(&path) {
            Err(source) if is_denied(&source) => Err(StateError::Denied { path, source }),
            Ok(_) | Err(_) => Ok(()),
        };
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    match tempfile::tempfile_in(folder) {
        Err(source) if is_denied(&source) => Err(StateError::Unmade { path, source }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Converts a redb panic into an error without printing it.
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
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("the database broke off")
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    })
}
