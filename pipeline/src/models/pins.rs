//! The pins: a small file beside a model that says where its files came from and what their SHA-256 is.
//!
//! Names in it are plain names of the model's own files, checked when it is read, so that nothing is looked at or removed
//! elsewhere because of what somebody wrote there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ModelsError, failed};
use crate::engines::model_files::{code_of_model, is_part};

/// The name of the file.
pub(super) const FILE: &str = "pins.json";
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;
/// No such file is larger.
const LARGEST: u64 = 1 << 16;

/// What a model's files were when they were added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pins {
    /// The folder, archive or address that they came from.
    pub(super) from: String,
    /// The SHA-256 of the archive, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) archive: Option<String>,
    /// The SHA-256 of each file by its name.
    pub(super) files: BTreeMap<String, String>,
}

impl Pins {
    /// Reads the pins of a folder, where there are any.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, ModelsError> {
        let file = folder.join(FILE);
        let mut text = String::new();
        match File::open(&file).and_then(|open| open.take(LARGEST).read_to_string(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed("read", &file)(error)),
        }
        let wrong = |reason: String| ModelsError::Pins { file: file.clone(), reason };
        let pins: Self = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let code = pins.code().map(str::to_owned).ok_or_else(|| wrong("it names no model file".into()))?;
        match pins.files.keys().find(|name| !is_part(name, &code)) {
            Some(name) => Err(wrong(format!("{name:?} is no file of the model {code}"))),
            None => Ok(Some(pins)),
        }
    }

    /// Writes them; the same pins give the same bytes.
    pub(super) fn write(&self, folder: &Path) -> Result<(), ModelsError> {
        let file = folder.join(FILE);
        let text = serde_json::to_string_pretty(self).map_err(|error| failed("write", &file)(error.into()))?;
        let draft = folder.join(format!("{FILE}.new"));
        fs::write(&draft, text + "\n").and_then(|()| fs::rename(&draft, &file)).map_err(failed("write", &file))
    }

    /// The pair, as the names of files have it.
    pub(super) fn code(&self) -> Option<&str> {
        self.files.keys().find_map(|name| code_of_model(name))
    }
}

/// The SHA-256 of a file, and its size.
pub(super) fn sha256(file: &Path) -> Result<(String, u64), ModelsError> {
    let mut open = File::open(file).map_err(failed("read", file))?;
    let mut hasher = Sha256::new();
    let (mut piece, mut bytes) = (vec![0; PIECE], 0);
    loop {
        let read = open.read(&mut piece).map_err(failed("read", file))?;
        if read == 0 {
            let hash = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            return Ok((hash, bytes));
        }
        bytes += u64::try_from(read).unwrap_or_default();
        hasher.update(&piece[..read]);
    }
}
