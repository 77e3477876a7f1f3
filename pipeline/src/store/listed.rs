//! What lies in a folder of a store on a disk, listed without the store's own detours: that one looks up each file from the root
//! again, several times, which is most of what a build of a large site costs that changes nothing. Several threads ask the disk.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use object_store::path::Path as Key;

/// So many files are looked at as one piece of work,
pub(super) const PIECE: usize = 512;
/// of so many folders at most: one stays open as long as somebody has files of it to look at.
const FOLDERS: usize = 8;
/// The most threads that look at files.
const THREADS: usize = 4;

/// An object as a listing tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedObject {
    /// Where it lies.
    pub(super) key: Key,
    /// Its length.
    pub(super) size: u64,
    /// When it was written, by the store's clock.
    pub(super) written: SystemTime,
}

/// Files, each with the key of its folder.
type ListedFiles = Vec<(Arc<str>, DirEntry)>;

/// Gives each object below a folder of a disk to `add`, in no order; threads take `piece_size` files at a time. Says whether it could: where links lie there, or names that are
/// no keys, only the store itself can judge.
pub(super) fn list(
    root: &Path,
    folder: &Key,
    piece_size: usize,
    mut add: impl FnMut(ListedObject),
) -> io::Result<bool> {
    let (sender, pieces) = mpsc::sync_channel::<ListedFiles>(THREADS);
    let (finder, found) = mpsc::channel::<io::Result<Option<Vec<ListedObject>>>>();
    let pieces = Arc::new(Mutex::new(pieces));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism()
            .map_or(1, usize::from)
            .min(THREADS)
        {
            let pieces = Arc::clone(&pieces);
            let finder = finder.clone();
            let look = move || {
                while let Some(piece) = next(&pieces) {
                    // Nobody waits any more where something went wrong.
                    let _ = finder.send(look_at(piece));
                }
            };
            // Where the system has no more of them, those that there are do the work.
            if thread::Builder::new().spawn_scoped(scope, look).is_err() {
                break;
            }
        }
        drop((pieces, finder));
        let mut add_all = |listed: io::Result<Option<Vec<ListedObject>>>| {
            let listed = listed?;
            let is_good = listed.is_some();
            listed.into_iter().flatten().for_each(&mut add);
            io::Result::Ok(is_good)
        };
        let mut piece = ListedFiles::new();
        let mut open = 0;
        let mut folders = vec![Arc::<str>::from(folder.as_ref())];
        while let Some(name) = folders.pop() {
            let entries = match fs::read_dir(root.join(&*name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            let mut entries = entries.peekable();
            open += 1;
            while let Some(entry) = entries.next() {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    let Some(key) = key_of(&name, &entry) else {
                        return Ok(false);
                    };
                    folders.push(key.into());
                } else {
                    piece.push((Arc::clone(&name), entry));
                }
                let is_full =
                    piece.len() == piece_size || open >= FOLDERS && entries.peek().is_none();
                if !is_full {
                    continue;
                }
                open = 0;
                // Where nobody takes it, there is no thread, or one panicked, which the scope says.
                if sender.send(std::mem::take(&mut piece)).is_err() {
                    return Ok(false);
                }
                for listed in found.try_iter() {
                    if !add_all(listed)? {
                        return Ok(false);
                    }
                }
            }
        }
        drop(sender);
        for listed in [look_at(piece)].into_iter().chain(found) {
            if !add_all(listed)? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

/// The next piece of work; nothing where there is no more.
fn next(pieces: &Mutex<Receiver<ListedFiles>>) -> Option<ListedFiles> {
    pieces
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv()
        .ok()
}

/// What the disk says of files that are there; nothing where only the store can judge one of them.
fn look_at(piece: ListedFiles) -> io::Result<Option<Vec<ListedObject>>> {
    let mut found = Vec::with_capacity(piece.len());
    for (folder, entry) in piece {
        let Some(key) = key_of(&folder, &entry)
            .filter(|_| !entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        else {
            return Ok(None);
        };
        // As the store does it, without looking each up from the root again.
        if is_leftover(Path::new(&entry.file_name())) {
            continue;
        }
        let stat = match entry.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            stat => stat?,
        };
        let Ok(key) = Key::parse(&key) else {
            return Ok(None);
        };
        found.push(ListedObject {
            key,
            size: stat.len(),
            written: stat.modified()?,
        });
    }
    Ok(Some(found))
}

/// The key of what lies in a folder; nothing where its name is no text.
fn key_of(folder: &str, entry: &DirEntry) -> Option<String> {
    let name = entry.file_name();
    let name = name.to_str()?;
    Some(if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    })
}

/// Whether `object_store` would hide this file from a listing: it is one that it was still writing.
pub(super) fn is_leftover(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let digits = name
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    digits > 0 && name[..name.len() - digits].ends_with(b"#")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn listed(root: &Path) -> io::Result<Option<BTreeMap<String, u64>>> {
        let mut found = BTreeMap::new();
        let can = list(root, &Key::from("site"), 2, |listed| {
            found.insert(listed.key.to_string(), listed.size);
        })?;
        Ok(can.then_some(found))
    }

    #[test]
    fn all_threads_together_find_each_object_once() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            listed(folder.path()).unwrap(),
            Some(BTreeMap::new()),
            "a folder that is not there"
        );
        let mut expected = BTreeMap::new();
        for number in 0..50_u64 {
            let key = format!(
                "site/{}/{}{number}",
                number % 7,
                "deep/".repeat(usize::try_from(number % 3).unwrap())
            );
            let file = folder.path().join(&key);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, vec![b'x'; usize::try_from(number).unwrap()]).unwrap();
            fs::write(
                folder
                    .path()
                    .join(format!("site/{}/being-written#{number}", number % 7)),
                "",
            )
            .unwrap();
            expected.insert(key, number);
        }
        assert_eq!(listed(folder.path()).unwrap(), Some(expected));
    }

    #[cfg(unix)]
    #[test]
    fn what_only_the_store_can_judge_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("site/a")).unwrap();
        for number in 0..9 {
            fs::write(folder.path().join(format!("site/a/{number}")), "").unwrap();
        }
        std::os::unix::fs::symlink(
            folder.path().join("site/a/0"),
            folder.path().join("site/a/link"),
        )
        .unwrap();
        assert_eq!(listed(folder.path()).unwrap(), None);
    }
}
