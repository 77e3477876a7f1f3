//! What can be wrong with a PO file.

use std::io;
use std::path::{Path, PathBuf};

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

impl PoError {
    /// The error without folders of the server, for callers of the API: the translator of the file may be one of them.
    pub(crate) fn without_folder(&self) -> String {
        match self {
            Self::Line {
                file,
                line,
                problem,
            } => format!("{}:{line}: {problem}", file_name(Path::new(file))),
            Self::Read { path, source } => {
                format!(
                    "{}: it cannot be read ({}); see that the server may read it",
                    file_name(path),
                    source.kind()
                )
            }
        }
    }
}

/// The name of a file without its folders.
fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}
