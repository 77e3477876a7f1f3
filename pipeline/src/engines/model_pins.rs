//! The pins of a neural model: a small file beside it with its pair of languages, its origin and the SHA-256 of its files.
//!
//! The pair of a pinned model is the one in the pins, whatever its files are called. Names in the pins are plain names of
//! the model's own files, checked when they are read, so that nothing elsewhere is read or removed because of them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::model_parts::{code_in_name, is_part};
use crate::model::{LanguagePair, Locale};

/// The name of the file.
pub(crate) const FILE: &str = "pins.json";
/// Limit for such a file, in bytes.
const LARGEST: u64 = 1 << 16;

/// Hashes of a model's files when they were added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pins {
    /// The language translated from.
    pub(crate) source: Locale,
    /// The language translated into.
    pub(crate) target: Locale,
    /// The folder, archive, address or registry that they came from.
    pub(crate) from: String,
    /// The version in the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// The SHA-256 of the archive, if the files came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archive: Option<String>,
    /// The SHA-256 of each file by its name.
    pub(crate) files: BTreeMap<String, String>,
}

/// Says why pins cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PinsError {
    /// Input or output error.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The step that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Invalid content.
    #[error("cannot use {}: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The defect.
        reason: String,
    },
}

impl Pins {
    /// Reads the pins of a folder; `None` if it has none.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, PinsError> {
        let path = folder.join(FILE);
        let mut text = String::new();
        match File::open(&path).and_then(|open| open.take(LARGEST).read_to_string(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(PinsError::File {
                    action: "read",
                    path,
                    source,
                });
            }
        }
        match Self::parse(&text) {
            Ok(pins) => Ok(Some(pins)),
            Err(reason) => Err(PinsError::Invalid { path, reason }),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let pins: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Some(code) = pins.code() else {
            return Err("it names no model file".into());
        };
        match pins.files.keys().find(|name| !is_part(name, code)) {
            Some(name) => Err(format!("{name:?} is no file of the model {code}")),
            None => Ok(pins),
        }
    }

    /// Writes them; the same pins give the same bytes.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), PinsError> {
        let path = folder.join(FILE);
        let draft = folder.join(format!("{FILE}.new"));
        let text = serde_json::to_string_pretty(self).map_err(io::Error::from);
        let written = text
            .and_then(|text| fs::write(&draft, text + "\n"))
            .and_then(|()| fs::rename(&draft, &path));
        written.map_err(|source| PinsError::File {
            action: "write",
            path,
            source,
        })
    }

    /// The part of the files' names that stands for the pair.
    pub(crate) fn code(&self) -> Option<&str> {
        self.files.keys().find_map(|name| code_in_name(name))
    }

    /// The languages that the model translates between.
    pub(crate) fn pair(&self) -> LanguagePair {
        LanguagePair {
            from: self.source.clone(),
            to: self.target.clone(),
        }
    }
}
