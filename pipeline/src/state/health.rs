//! How a state file is, without keeping it open, and setting one aside that cannot be used.

use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{State, StateError, holder};

/// How a state file is.
#[derive(Debug)]
pub enum StateHealth {
    /// There is none, or one without a byte in it: the next run makes it.
    Missing,
    /// It can be read from the first page to the last.
    Sound,
    /// It cannot be used; the error says why, and what to do.
    Unusable(StateError),
}

impl State {
    /// Looks at a state file, all of it; [`StateError::Held`] where another process has it.
    pub fn health(path: &Path) -> Result<StateHealth, StateError> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(StateHealth::Missing),
            Ok(file) if file.is_file() && file.len() == 0 => return Ok(StateHealth::Missing),
            Ok(_) | Err(_) => {}
        }
        let checked = Self::open(path).and_then(|mut state| state.check());
        match checked {
            Ok(true) => Ok(StateHealth::Sound),
            Ok(false) => {
                let reason = "its pages do not agree with each other".to_owned();
                Ok(StateHealth::Unusable(StateError::Damaged {
                    path: path.to_owned(),
                    reason,
                }))
            }
            Err(error @ StateError::Held { .. }) => Err(error),
            Err(error) => Ok(StateHealth::Unusable(error)),
        }
    }

    /// Renames a state file, so that a new one can take its place; gives its new name, nothing where there is none.
    pub fn set_aside(path: &Path) -> Result<Option<PathBuf>, StateError> {
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
            Err(source) => Err(StateError::Aside {
                path: path.to_owned(),
                source,
            }),
        }
    }
}

/// Refuses what another process has open, whatever state the file is in.
fn refuse_held(path: &Path) -> Result<(), StateError> {
    // What cannot be opened is nobody's.
    let Ok(file) = File::options().read(true).write(true).open(path) else {
        return Ok(());
    };
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(StateError::Held {
            path: path.to_owned(),
            holder: holder::read(path),
        }),
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(()),
    }
}
