//! The one error of the configuration: where, what, and what to do.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Says what is wrong with the configuration, where it stands and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    file: PathBuf,
    place: Option<(usize, usize)>,
    message: String,
}

impl ConfigError {
    pub(super) fn at(file: &Path, text: &str, span: &Range<usize>, message: String) -> Self {
        Self {
            file: file.to_path_buf(),
            place: Some(line_and_column(text, span.start)),
            message,
        }
    }

    pub(super) fn elsewhere(file: &Path, message: String) -> Self {
        Self {
            file: file.to_path_buf(),
            place: None,
            message,
        }
    }

    /// Line and column, both from 1; absent when the environment is wrong rather than the file.
    pub fn place(&self) -> Option<(usize, usize)> {
        self.place
    }

    /// File and line, without what is wrong.
    pub(super) fn place_in_file(&self) -> String {
        match self.place {
            Some((line, _)) => format!("{}:{line}", self.file.display()),
            None => self.file.display().to_string(),
        }
    }

    /// What is wrong and what to do, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(
                formatter,
                "{}:{line}:{column}: {}",
                self.file.display(),
                self.message
            ),
            None => formatter.write_str(&self.message),
        }
    }
}

impl std::error::Error for ConfigError {}

/// Counts lines and characters (not bytes) from 1, as editors do.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}
