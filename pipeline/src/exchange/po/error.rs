//! What can be wrong with a PO file.

use std::io;
use std::path::PathBuf;

/// Says what is wrong with a PO file, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum PoError {
    /// A line that is no PO.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file's name as it was given.
        file: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The file is there and cannot be read.
    #[error("cannot read the translations in {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
