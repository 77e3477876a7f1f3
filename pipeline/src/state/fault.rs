//! What goes wrong inside a transaction, before it is known what was being done.

use std::fmt::Display;
use std::path::Path;

use super::backend::BackendError;
use super::error::failed;
use super::{StateError, holder};

/// What went wrong.
pub(super) enum StateFault {
    Database(BackendError),
    Row {
        row: String,
        reason: String,
    },
    /// The database panicked, because pages are not what they were.
    Panic(String),
}

impl StateFault {
    pub(super) fn row(row: String, reason: impl Display) -> Self {
        Self::Row {
            row,
            reason: reason.to_string(),
        }
    }

    pub(super) fn while_doing(self, doing: &'static str, path: &Path) -> StateError {
        match self {
            Self::Database(error) if error.is_held() => StateError::Held {
                path: path.to_path_buf(),
                holder: holder::read(path),
            },
            Self::Database(error) => failed(doing, path)(error),
            Self::Row { row, reason } => StateError::Row {
                path: path.to_path_buf(),
                row,
                reason,
            },
            Self::Panic(reason) => StateError::Damaged {
                path: path.to_path_buf(),
                reason,
            },
        }
    }
}

impl From<BackendError> for StateFault {
    fn from(error: BackendError) -> Self {
        Self::Database(error)
    }
}
