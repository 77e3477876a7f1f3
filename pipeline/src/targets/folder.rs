//! A target that is a folder: files replaced by renaming, or whole releases and a link that is switched.
//!
//! All of this blocks; callers put it on the blocking pool.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::TargetError;

/// Where files lie while they are written; no name of a page begins so.
const DRAFTS: &str = ".latimer-new";
const RELEASES: &str = "releases";
const CURRENT: &str = "current";

/// A folder of files.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    root: PathBuf,
}

/// A release that is being made.
#[derive(Debug)]
pub(super) struct Release {
    to: PathBuf,
    number: u64,
    /// The files.
    pub(super) folder: Folder,
}

impl Folder {
    /// Opens a folder, made if it is not there, and removes what was being written when somebody was killed.
    pub(super) fn open(root: &Path) -> Result<Self, TargetError> {
        let drafts = root.join(DRAFTS);
        match fs::remove_dir_all(&drafts) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("remove", &drafts)(error)),
            _ => {}
        }
        fs::create_dir_all(root).map_err(failed("make", root))?;
        Ok(Self { root: root.to_path_buf() })
    }

    /// Writes a file beside its place and puts it there in one step.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), TargetError> {
        let place = self.root.join(name);
        let draft = self.root.join(DRAFTS).join(blake3::hash(name.as_bytes()).to_hex().as_str());
        let folder = place.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        fs::create_dir_all(self.root.join(DRAFTS)).map_err(failed("make", &draft))?;
        fs::write(&draft, bytes).map_err(failed("write", &draft))?;
        fs::rename(&draft, &place).map_err(failed("write", &place))
    }

    /// Removes a file, and folders that are empty then.
    pub(super) fn remove(&self, name: &str) -> Result<(), TargetError> {
        let place = self.root.join(name);
        match fs::remove_file(&place) {
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(failed("remove", &place)(error));
            }
            _ => {}
        }
        for folder in place.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            // Refused by the disk unless the folder is empty.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Ends the work: nothing of ours stays beside the files.
    pub(super) fn close(&self) {
        // It is made anew when it is needed, and looked for at the beginning.
        let _ = fs::remove_dir_all(self.root.join(DRAFTS));
    }

    /// Every file with the hash of its bytes and its length.
    pub(super) fn list(&self) -> Result<BTreeMap<String, (String, u64)>, TargetError> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(failed("look through", &folder))?,
            };
            for entry in entries {
                let path = entry.map_err(failed("look through", &folder))?.path();
                let name = path.strip_prefix(&self.root).unwrap_or(&path).to_string_lossy().into_owned();
                if path.is_dir() && !path.is_symlink() {
                    if name != DRAFTS {
                        folders.push(path);
                    }
                    continue;
                }
                let bytes = fs::read(&path).map_err(failed("read", &path))?;
                let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                found.insert(name, (blake3::hash(&bytes).to_hex().to_string(), size));
            }
        }
        Ok(found)
    }
}

/// The folder that a link leads to; a folder that is not there is an empty one.
pub(super) fn current(to: &Path) -> Folder {
    Folder { root: to.join(CURRENT) }
}

impl Release {
    /// Begins a release that has these files of the current one already.
    pub(super) fn begin<'n>(to: &Path, unchanged: impl Iterator<Item = &'n String>) -> Result<Self, TargetError> {
        let all = to.join(RELEASES);
        fs::create_dir_all(&all).map_err(failed("make", &all))?;
        let numbers = numbers(&all)?;
        let shown = shown(to);
        // What was being made when somebody was killed was never shown to anybody.
        let last = shown.or(numbers.last().copied());
        for number in numbers.iter().filter(|number| last.is_some_and(|last| **number > last)) {
            remove(&all.join(number.to_string()))?;
        }
        let number = last.unwrap_or(0) + 1;
        let root = all.join(number.to_string());
        remove(&root)?;
        fs::create_dir_all(&root).map_err(failed("make", &root))?;
        let before = to.join(CURRENT);
        for name in unchanged {
            let place = root.join(name);
            let folder = place.parent().unwrap_or(&root);
            fs::create_dir_all(folder).map_err(failed("make", folder))?;
            let from = before.join(name);
            // A disk without links holds the bytes twice.
            fs::hard_link(&from, &place)
                .or_else(|_| fs::copy(&from, &place).map(drop))
                .map_err(failed("copy", &from))?;
        }
        Ok(Self { to: to.to_path_buf(), number, folder: Folder { root } })
    }

    /// Shows the release in one step, and removes all but the one that was shown before.
    pub(super) fn show(self) -> Result<(), TargetError> {
        self.folder.close();
        let before = shown(&self.to);
        let (link, draft) = (self.to.join(CURRENT), self.to.join(format!("{CURRENT}.new")));
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("remove", &draft)(error)),
            _ => {}
        }
        std::os::unix::fs::symlink(format!("{RELEASES}/{}", self.number), &draft).map_err(failed("make", &draft))?;
        fs::rename(&draft, &link).map_err(failed("switch", &link))?;
        let all = self.to.join(RELEASES);
        for number in numbers(&all)? {
            if number != self.number && Some(number) != before {
                remove(&all.join(number.to_string()))?;
            }
        }
        Ok(())
    }
}

/// The number of the release that is shown.
fn shown(to: &Path) -> Option<u64> {
    fs::read_link(to.join(CURRENT)).ok()?.file_name()?.to_str()?.parse().ok()
}

fn numbers(all: &Path) -> Result<Vec<u64>, TargetError> {
    let entries = fs::read_dir(all).map_err(failed("look through", all))?;
    let mut numbers: Vec<u64> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn remove(folder: &Path) -> Result<(), TargetError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", folder)(error)),
        _ => Ok(()),
    }
}

pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TargetError + use<> {
    let path = path.to_path_buf();
    move |source| TargetError::Disk { doing, path, source }
}
