//! Takes the files of a pair's model out of a folder or an archive.
//!
//! Only files with the names of a model's are taken, by the last part of their names: no path of an archive is ever
//! used as one, links are passed over, and sizes are bounded, those of what is unpacked too. Files as Mozilla's mirrors
//! have them, each compressed with gzip or zstd, are unpacked on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::unpack::unpack;
use super::{ModelsError, failed};
use crate::engines::model_files::{LARGEST, files_below};
use crate::engines::model_names::serves;
use crate::engines::model_parts::{code_of_model, is_part, languages};
use crate::model::{LanguagePair, Locale};

/// Most bytes of the name of an entry, and of what a PAX header says besides.
const LONGEST_NAME: u64 = 64 << 10;
/// The most bytes that a compressed archive may unpack to, taken or not.
const LARGEST_ARCHIVE: u64 = 16 << 30;
/// The most files of models for one pair that are taken.
const MOST: usize = 64;

/// Files that were taken: each folder of the origin has a folder of its own here.
pub(super) struct UnpackedFiles<'a> {
    pair: LanguagePair<&'a Locale>,
    /// The archive or folder, for messages.
    from: String,
    into: &'a Path,
    folders: BTreeMap<String, PathBuf>,
    count: usize,
    /// The pairs that there are models for.
    pub(super) others: BTreeSet<String>,
}

impl<'a> UnpackedFiles<'a> {
    pub(super) fn new(pair: LanguagePair<&'a Locale>, from: &str, into: &'a Path) -> Self {
        let folders = BTreeMap::new();
        let others = BTreeSet::new();
        Self {
            pair,
            from: from.to_owned(),
            into,
            folders,
            count: 0,
            others,
        }
    }

    /// The folder of the origin that became a folder here.
    pub(super) fn origin(&self, folder: &Path) -> String {
        let found = self
            .folders
            .iter()
            .find(|(_, taken)| *taken == folder)
            .map(|(origin, _)| origin.as_str());
        found
            .filter(|origin| !origin.is_empty())
            .unwrap_or(".")
            .to_owned()
    }

    /// Takes what is below a folder.
    pub(super) fn take_folder(&mut self, folder: &Path) -> Result<(), ModelsError> {
        for file in files_below(folder) {
            let Ok(Some(name)) = file.strip_prefix(folder).map(Path::to_str) else {
                continue;
            };
            if let Some(target) = self.target(name)? {
                let open = File::open(&file).map_err(failed("read", &file))?;
                self.copy(name, open, &target)?;
            }
        }
        Ok(())
    }

    /// Takes what is in an archive, whatever its name says that it is.
    pub(super) fn take_archive(&mut self, archive: &Path) -> Result<(), ModelsError> {
        let mut file = File::open(archive).map_err(failed("read", archive))?;
        let mut head = Vec::new();
        let read = file
            .by_ref()
            .take(512)
            .read_to_end(&mut head)
            .and_then(|_| file.seek(SeekFrom::Start(0)));
        read.map_err(failed("read", archive))?;
        let file = BufReader::new(file);
        match head.as_slice() {
            [b'P', b'K', ..] => self.take_zip(file),
            [0x1f, 0x8b, ..] => self.take_tar(MultiGzDecoder::new(file)),
            tar if tar.get(257..262) == Some(b"ustar") => self.take_tar(file),
            _ => Err(self.broken("it is none")),
        }
    }

    fn take_zip(&mut self, file: BufReader<File>) -> Result<(), ModelsError> {
        let mut archive = zip::ZipArchive::new(file).map_err(|error| self.broken(error))?;
        for index in 0..archive.len() {
            // Raw: what is not taken may be compressed in ways that we do not know.
            let entry = archive
                .by_index_raw(index)
                .map_err(|error| self.broken(error))?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let is_file = entry.is_file() && !entry.is_symlink();
            drop(entry);
            if let Some(target) = if is_file { self.target(&name)? } else { None } {
                let entry = archive
                    .by_index(index)
                    .map_err(|error| self.broken(error))?;
                self.copy(&name, entry, &target)?;
            }
        }
        Ok(())
    }

    fn take_tar(&mut self, file: impl Read) -> Result<(), ModelsError> {
        let mut archive = tar::Archive::new(file.take(LARGEST_ARCHIVE));
        // Raw: otherwise names of any length are read into memory.
        let entries = archive
            .entries()
            .map_err(|error| self.broken(error))?
            .raw(true);
        let mut long_name = None;
        for entry in entries {
            let mut entry = entry.map_err(|error| self.broken(error))?;
            let kind = entry.header().entry_type();
            if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
                let mut text = Vec::new();
                entry
                    .by_ref()
                    .take(LONGEST_NAME)
                    .read_to_end(&mut text)
                    .map_err(|error| self.broken(error))?;
                long_name = name_in(&text, kind.is_pax_local_extensions()).or(long_name);
                continue;
            }
            let short = String::from_utf8_lossy(&entry.header().path_bytes()).into_owned();
            let name = long_name.take().unwrap_or(short);
            if !kind.is_file() {
                continue;
            }
            if let Some(target) = self.target(&name)? {
                self.copy(&name, entry, &target)?;
            }
        }
        Ok(())
    }

    /// Where a file goes, if it is one of the model's and not there yet.
    fn target(&mut self, path: &str) -> Result<Option<PathBuf>, ModelsError> {
        let (folder, name) = path.rsplit_once(['/', '\\']).unwrap_or(("", path));
        let name = name
            .strip_suffix(".gz")
            .or_else(|| name.strip_suffix(".zst"))
            .unwrap_or(name);
        if let Some(pair) = code_of_model(name).and_then(languages) {
            self.others.insert(pair.hyphenated());
        }
        let is_wanted = |code: &str| {
            languages(code)
                .is_some_and(|pair| serves(pair.as_ref(), self.pair) && is_part(name, code))
        };
        // The code of the pair is a part of the name, whichever way it is spelled.
        if !name.split('.').any(is_wanted) {
            return Ok(None);
        }
        let next = self.into.join(self.folders.len().to_string());
        let folder = self.folders.entry(folder.to_owned()).or_insert(next);
        fs::create_dir_all(&folder).map_err(failed("create", folder))?;
        let target = folder.join(name);
        self.count += 1;
        if self.count > MOST {
            return Err(self.broken(format!(
                "it has more than {MOST} files of models for one pair"
            )));
        }
        Ok((!target.exists()).then_some(target))
    }

    fn copy(&self, name: &str, entry: impl Read, target: &Path) -> Result<(), ModelsError> {
        let unpacked = unpack(entry, target, LARGEST);
        unpacked.map_err(|reason| ModelsError::Packed {
            name: name.to_owned(),
            from: self.from.clone(),
            reason,
        })
    }

    fn broken(&self, reason: impl ToString) -> ModelsError {
        ModelsError::Archive {
            from: self.from.clone(),
            reason: reason.to_string(),
        }
    }
}

/// The name that an entry before another gives it: all of its text, or the `path` of a PAX header.
fn name_in(text: &[u8], is_pax: bool) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    if !is_pax {
        return Some(text.trim_end_matches('\0').to_owned());
    }
    // Each line is its length, a space, and key=value.
    let mut lines = text
        .lines()
        .rev()
        .filter_map(|line| line.split_once(' ')?.1.split_once('='));
    lines
        .find(|(key, _)| *key == "path")
        .map(|(_, path)| path.to_owned())
}
