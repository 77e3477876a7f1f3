//! What a check says of a file that is not as its manifest says.

use std::fmt;

use super::{Encoding, ManifestEntry, Tree};

/// A file that is not as its manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The tree it belongs to.
    pub tree: Tree,
    /// The path it answers to.
    pub path: String,
    /// The compressed variant that is meant; `None` for the file itself.
    pub encoding: Option<Encoding>,
    /// What is wrong.
    pub flaw: FileFlaw,
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFlaw {
    /// It is not there.
    Missing,
    /// It has another length.
    Size,
    /// It has other bytes.
    Bytes,
}

impl fmt::Display for FileFlaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Missing => "is not there",
            Self::Size => "has another size",
            Self::Bytes => "has other bytes",
        })
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            tree,
            path,
            encoding,
            flaw,
        } = self;
        match encoding {
            None => write!(formatter, "{path} in {tree} {flaw}"),
            Some(encoding) => write!(
                formatter,
                "{path} in {tree}, compressed with {}, {flaw}",
                encoding.token()
            ),
        }
    }
}

pub(super) fn damage(
    tree: &Tree,
    entry: &ManifestEntry,
    encoding: Option<Encoding>,
    flaw: FileFlaw,
) -> Damage {
    Damage {
        tree: tree.clone(),
        path: entry.path.to_string(),
        encoding,
        flaw,
    }
}
