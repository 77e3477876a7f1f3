//! A target that is a folder: files replaced by renaming, or whole releases and a link that is switched.
//!
//! All of this blocks; callers put it on the blocking pool.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::error::TargetError;
use super::mark::MARK;

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
    /// A folder as it is, which may not be there.
    pub(super) fn at(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    /// Opens a folder, made if it is not there, and removes what was being written when somebody was killed.
    pub(super) fn open(root: &Path) -> Result<Self, TargetError> {
        let drafts = root.join(DRAFTS);
        match fs::remove_dir_all(&drafts) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("remove", &drafts)(error));
            }
            _ => {}
        }
        fs::create_dir_all(root).map_err(failed("make", root))?;
        Ok(Self {
            root: root.to_path_buf(),
        })
    }

    /// Writes a file beside its place and puts it there in one step.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), TargetError> {
        let place = self.place(name)?;
        let draft = self
            .root
            .join(DRAFTS)
            .join(blake3::hash(name.as_bytes()).to_hex().as_str());
        let folder = place.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        fs::create_dir_all(self.root.join(DRAFTS)).map_err(failed("make", &draft))?;
        fs::write(&draft, bytes).map_err(failed("write", &draft))?;
        fs::rename(&draft, &place).map_err(failed("write", &place))
    }

    /// The place of a name, if no link on the way leads out of the folder. The file itself may be one: it is replaced.
    fn place(&self, name: &str) -> Result<PathBuf, TargetError> {
        let place = inside(&self.root, name)?;
        for folder in place
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != self.root)
        {
            if fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()) {
                return Err(TargetError::Link {
                    path: folder.to_path_buf(),
                });
            }
        }
        Ok(place)
    }

    /// Refuses names that a link leads out of the folder.
    pub(super) fn check_links<'n>(
        &self,
        names: impl Iterator<Item = &'n String>,
    ) -> Result<(), TargetError> {
        let folders: BTreeSet<&str> = names
            .filter_map(|name| Some(name.rsplit_once('/')?.0))
            .collect();
        folders
            .into_iter()
            .try_for_each(|folder| self.place(&format!("{folder}/file")).map(drop))
    }

    /// Removes a file, and folders that are empty then.
    pub(super) fn remove(&self, name: &str) -> Result<(), TargetError> {
        let place = self.place(name)?;
        match fs::remove_file(&place) {
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(failed("remove", &place)(error));
            }
            _ => {}
        }
        for folder in place
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != self.root)
        {
            // Refused by the disk unless the folder is empty.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Ends the work: the disk has all of it, and nothing of ours stays beside the files.
    pub(super) fn close(&self) -> Result<(), TargetError> {
        // It is made anew when it is needed, and looked for at the beginning.
        let _ = fs::remove_dir_all(self.root.join(DRAFTS));
        synced(&self.root)
    }

    /// Every file with the hash of its bytes and its length. Links are no files.
    pub(super) fn list(&self) -> Result<BTreeMap<String, (String, u64)>, TargetError> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(failed("look through", &folder))?,
            };
            for entry in entries {
                let entry = entry.map_err(failed("look through", &folder))?;
                let path = entry.path();
                let kind = entry.file_type().map_err(failed("look through", &folder))?;
                let name = path
                    .strip_prefix(&self.root)
                    .unwrap_or(&path)
                    .to_string_lossy()
                    .into_owned();
                if kind.is_dir() && name != DRAFTS {
                    folders.push(path);
                } else if kind.is_file() {
                    found.insert(name, hashed(&path).map_err(failed("read", &path))?);
                }
            }
        }
        Ok(found)
    }
}

/// The hash of a file's bytes and its length.
fn hashed(path: &Path) -> io::Result<(String, u64)> {
    let mut hasher = blake3::Hasher::new();
    let size = io::copy(&mut fs::File::open(path)?, &mut hasher)?;
    Ok((hasher.finalize().to_hex().to_string(), size))
}

/// The place of a name below a folder, which no name leads out of.
fn inside(root: &Path, name: &str) -> Result<PathBuf, TargetError> {
    let is_plain = !name.is_empty()
        && Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
    let place = root.join(name);
    let refused = || {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "its name leads out of the folder",
        )
    };
    if is_plain {
        Ok(place)
    } else {
        Err(failed("write", &place)(refused()))
    }
}

/// Whether names that differ in case alone are one where a folder is, or will be.
pub(super) fn folds_case(folder: &Path) -> bool {
    let Some(there) = folder.ancestors().find(|there| there.is_dir()) else {
        return false;
    };
    let probe = format!(".latimer-case-{}", std::process::id());
    let lies =
        fs::write(there.join(&probe), "").is_ok() && there.join(probe.to_uppercase()).exists();
    // Where it could not be written there is none.
    let _ = fs::remove_file(there.join(&probe));
    lies
}

/// Waits until the disk that a folder is on has what was written there.
fn synced(root: &Path) -> Result<(), TargetError> {
    let folder = fs::File::open(root).map_err(failed("open", root))?;
    #[cfg(target_os = "linux")]
    let done = rustix::fs::syncfs(&folder).map_err(io::Error::from);
    #[cfg(not(target_os = "linux"))]
    let done = folder.sync_all();
    done.map_err(failed("write", root))
}

/// The folder that a link leads to; a folder that is not there is an empty one.
pub(super) fn current(to: &Path) -> Folder {
    Folder::at(&to.join(CURRENT))
}

/// Looks whether the releases in a folder are a target's own; where there are none, it may make some.
pub(super) fn is_free(to: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(), TargetError> {
    match fs::read_to_string(to.join(MARK)) {
        Ok(there) if is_ours(&there) => Ok(()),
        Ok(there) => {
            let by = there.trim_end().to_owned();
            Err(TargetError::Claimed {
                path: to.to_path_buf(),
                what: "releases",
                by,
            })
        }
        Err(_) if fs::symlink_metadata(to.join(CURRENT)).is_ok() || to.join(RELEASES).exists() => {
            Err(TargetError::Foreign {
                path: to.to_path_buf(),
                what: "releases",
            })
        }
        Err(_) => Ok(()),
    }
}

impl Release {
    /// Begins a release, with a mark that says whose it is, that has these files of the current one already.
    pub(super) fn begin<'n>(
        to: &Path,
        says: &str,
        unchanged: impl Iterator<Item = &'n String>,
    ) -> Result<Self, TargetError> {
        let all = to.join(RELEASES);
        let mark = to.join(MARK);
        fs::create_dir_all(to).map_err(failed("make", to))?;
        if fs::symlink_metadata(&mark).is_ok_and(|found| found.is_symlink()) {
            fs::remove_file(&mark).map_err(failed("remove", &mark))?;
        }
        fs::write(&mark, says).map_err(failed("write", &mark))?;
        fs::create_dir_all(&all).map_err(failed("make", &all))?;
        let numbers = numbers(&all)?;
        let shown = shown(to);
        // What was being made when somebody was killed was never shown to anybody.
        let last = shown.or(numbers.last().copied());
        for number in numbers
            .iter()
            .filter(|number| last.is_some_and(|last| **number > last))
        {
            remove(&all.join(number.to_string()))?;
        }
        let number = last.unwrap_or(0) + 1;
        let root = all.join(number.to_string());
        remove(&root)?;
        fs::create_dir_all(&root).map_err(failed("make", &root))?;
        let before = to.join(CURRENT);
        for name in unchanged {
            let place = inside(&root, name)?;
            let folder = place.parent().unwrap_or(&root);
            fs::create_dir_all(folder).map_err(failed("make", folder))?;
            let from = before.join(name);
            // A disk without links holds the bytes twice.
            fs::hard_link(&from, &place)
                .or_else(|_| fs::copy(&from, &place).map(drop))
                .map_err(failed("copy", &from))?;
        }
        Ok(Self {
            to: to.to_path_buf(),
            number,
            folder: Folder { root },
        })
    }

    /// Shows the release in one step, and removes all but the one that was shown before.
    pub(super) fn show(self) -> Result<(), TargetError> {
        self.folder.close()?;
        let before = shown(&self.to);
        let link = self.to.join(CURRENT);
        let draft = self.to.join(format!("{CURRENT}.new"));
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("remove", &draft)(error));
            }
            _ => {}
        }
        std::os::unix::fs::symlink(format!("{RELEASES}/{}", self.number), &draft)
            .map_err(failed("make", &draft))?;
        fs::rename(&draft, &link).map_err(failed("switch", &link))?;
        synced(&self.to)?;
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
    fs::read_link(to.join(CURRENT))
        .ok()?
        .file_name()?
        .to_str()?
        .parse()
        .ok()
}

fn numbers(all: &Path) -> Result<Vec<u64>, TargetError> {
    let entries = fs::read_dir(all).map_err(failed("look through", all))?;
    let mut numbers: Vec<u64> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn remove(folder: &Path) -> Result<(), TargetError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed("remove", folder)(error))
        }
        _ => Ok(()),
    }
}

pub(super) fn failed(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> TargetError + use<> {
    let path = path.to_path_buf();
    move |source| TargetError::Disk {
        doing,
        path,
        source,
    }
}
