//! Spill file for data of one run that may exceed memory: a buffer while it is small, then an unnamed file beside the state.
//! The file disappears with the process, even after a crash.
//!
//! Not a table of the state: a spill file ends with the run, and a transaction costs more than the data.

use std::borrow::Cow;
use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::fs::fstatvfs;
use uuid::Uuid;

use super::{State, StateError};

/// Bytes that are in memory as long as there is no file.
const IN_MEMORY: usize = 1 << 20;

/// Buffer size between two writes to the file. It is small because a run has several spill files.
const BETWEEN: usize = 1 << 17;

/// Bytes that are read of the file at once, where less is asked for: mostly what follows is asked for next.
const WINDOW: usize = 1 << 12;

/// Bytes that stay free on the disk.
const LEFT: u64 = 64 << 20;

/// Range of bytes in a spill file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpillSpan {
    /// Its first byte.
    pub at: u64,
    /// Its bytes.
    pub length: u32,
}

/// Bytes that are read by their place.
#[derive(Debug, Default)]
pub struct SpillFile {
    /// Where the file may be; nowhere for a state in memory.
    folder: Option<PathBuf>,
    /// True after a write to the disk failed.
    is_full: bool,
    file: Option<File>,
    /// The bytes in the file.
    written: u64,
    /// Those that follow them.
    recent: Vec<u8>,
    window: Mutex<Window>,
    /// Why the file could not be read.
    trouble: OnceLock<io::Error>,
}

/// What was read of the file last.
#[derive(Debug, Default)]
struct Window {
    at: u64,
    bytes: Vec<u8>,
    /// Whether some of it is to be written: what is written over is mostly followed by what is written over next.
    is_changed: bool,
}

impl Window {
    /// Reads what stands from a byte on, where the file has so many from there; at least a length.
    fn read(&mut self, file: &File, at: u64, length: usize, most: usize) -> io::Result<()> {
        self.write(file)?;
        self.at = at;
        self.bytes.resize(most.min(WINDOW.max(length)), 0);
        file.read_exact_at(&mut self.bytes, at)
            .inspect_err(|_| self.bytes.clear())
    }

    /// Writes what was changed.
    fn write(&mut self, file: &File) -> io::Result<()> {
        if self.is_changed {
            file.write_all_at(&self.bytes, self.at)?;
            self.is_changed = false;
        }
        Ok(())
    }

    /// So many bytes from one on, where it has all of them.
    fn bytes(&mut self, at: u64, length: usize) -> Option<&mut [u8]> {
        let at = at
            .checked_sub(self.at)
            .and_then(|at| usize::try_from(at).ok())?;
        self.bytes.get_mut(at..)?.get_mut(..length)
    }
}

impl State {
    /// Opens an empty spill file beside the state.
    pub fn spill_file(&self) -> SpillFile {
        let folder = self.file().map(|file| match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            Some(_) | None => PathBuf::from("."),
        });
        SpillFile {
            folder,
            ..SpillFile::default()
        }
    }
}

impl SpillFile {
    /// Sets something aside. What does not fit on the disk stays in memory.
    pub fn put(&mut self, bytes: &[u8]) -> SpillSpan {
        let most = if self.file.is_some() {
            BETWEEN
        } else {
            IN_MEMORY
        };
        if self.recent.len() + bytes.len() > most && !self.is_full {
            self.is_full = self.write().is_err();
        }
        let place = SpillSpan {
            at: self.written + self.recent.len() as u64,
            length: u32::try_from(bytes.len()).unwrap_or(0),
        };
        self.recent.extend_from_slice(bytes);
        place
    }

    /// What stands in a place, as `read` makes it of the bytes. Nothing where the disk does not give them back as they were,
    /// which [`check`](Self::check) tells of.
    pub fn get<T>(&self, place: SpillSpan, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let found = self.bytes(place).and_then(|bytes| read(&bytes));
        if found.is_none() {
            // The first trouble tells enough.
            let _ = self.trouble.set(io::ErrorKind::InvalidData.into());
        }
        found
    }

    fn bytes(&self, place: SpillSpan) -> Option<Cow<'_, [u8]>> {
        let length = place.length as usize;
        if place.at < self.written {
            let mut bytes = vec![0; length];
            return self.read(place.at, &mut bytes).then(|| bytes.into());
        }
        self.recent
            .get(self.recent_at(place.at)?..)?
            .get(..length)
            .map(Cow::Borrowed)
    }

    /// Fills `into` with what stands from a byte on; says whether so much is there. What was put on it at once or one right after
    /// the other may be read together.
    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> bool {
        let in_file = usize::try_from(self.written.saturating_sub(at))
            .unwrap_or(usize::MAX)
            .min(into.len());
        let (written, recent) = into.split_at_mut(in_file);
        if in_file > 0
            && let Err(error) = self.read_file(at, written)
        {
            // The first trouble tells enough.
            let _ = self.trouble.set(error);
            return false;
        }
        let found = self
            .recent_at(at.max(self.written))
            .and_then(|at| self.recent.get(at..)?.get(..recent.len()));
        found.is_some_and(|found| {
            recent.copy_from_slice(found);
            true
        })
    }

    /// Reads from the file, and what follows there with it.
    fn read_file(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if window.bytes(at, into.len()).is_none() {
            window.write(file)?;
            // What follows may be unreadable alone.
            if into.len() >= WINDOW || window.read(file, at, into.len(), self.follow(at)).is_err() {
                drop(window);
                return file.read_exact_at(into, at);
            }
        }
        let found = window
            .bytes(at, into.len())
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        into.copy_from_slice(found);
        Ok(())
    }

    /// How many bytes the file has from one on.
    fn follow(&self, at: u64) -> usize {
        usize::try_from(self.written.saturating_sub(at)).unwrap_or(usize::MAX)
    }

    /// Writes over what stands from a byte on, all of which was put there at once.
    pub(super) fn replace(&mut self, at: u64, bytes: &[u8]) {
        if let Err(error) = self.try_replace(at, bytes) {
            let _ = self.trouble.set(error);
        }
    }

    fn try_replace(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let follow = self.follow(at);
        let place = match &self.file {
            Some(file) if at < self.written => {
                let window = self
                    .window
                    .get_mut()
                    .unwrap_or_else(PoisonError::into_inner);
                if window.bytes(at, bytes.len()).is_none() {
                    window.read(file, at, bytes.len(), follow)?;
                }
                window.is_changed = true;
                window.bytes(at, bytes.len())
            }
            _ => self
                .recent_at(at)
                .and_then(|at| self.recent.get_mut(at..)?.get_mut(..bytes.len())),
        };
        place
            .ok_or(io::ErrorKind::UnexpectedEof)?
            .copy_from_slice(bytes);
        Ok(())
    }

    /// Where among the bytes that are not in the file a byte stands.
    fn recent_at(&self, at: u64) -> Option<usize> {
        at.checked_sub(self.written)
            .and_then(|at| usize::try_from(at).ok())
    }

    /// Whether everything that was asked for was there.
    ///
    /// # Errors
    /// [`StateError::SpillFile`] where the disk did not give something back.
    pub fn check(&self) -> Result<(), StateError> {
        let Some(trouble) = self.trouble.get() else {
            return Ok(());
        };
        let source = trouble
            .raw_os_error()
            .map_or_else(|| trouble.kind().into(), io::Error::from_raw_os_error);
        Err(StateError::SpillFile {
            folder: self.folder.clone().unwrap_or_default(),
            source,
        })
    }

    /// Brings what is in memory to the file.
    fn write(&mut self) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(nameless(folder)?),
        };
        // Leave space for the state.
        let disk = fstatvfs(&*file)?;
        if disk.f_bavail.saturating_mul(disk.f_frsize) < LEFT {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.write_all_at(&self.recent, self.written)
            .inspect_err(|_| drop(file.set_len(self.written)))?;
        self.written += self.recent.len() as u64;
        self.recent.clear();
        self.recent.shrink_to(BETWEEN);
        Ok(())
    }
}

/// A file in a folder that nobody else can open.
fn nameless(folder: &Path) -> io::Result<File> {
    let path = folder.join(format!(".latimer-{}.run", Uuid::new_v4()));
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> impl Iterator<Item = Vec<u8>> {
        (0..3000_u32).map(|number| {
            number
                .to_le_bytes()
                .repeat(usize::try_from(number % 700).unwrap())
        })
    }

    fn is_whole(spill: &SpillFile, places: &[SpillSpan]) -> bool {
        places
            .iter()
            .zip(texts())
            .all(|(place, text)| spill.get(*place, |bytes| Some(bytes == text)) == Some(true))
            && spill.check().is_ok()
    }

    #[test]
    fn what_is_set_aside_comes_back_from_a_file_without_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(&folder.path().join("state.redb")).unwrap();
        let mut spill = state.spill_file();
        let places: Vec<SpillSpan> = texts().map(|text| spill.put(&text)).collect();
        assert!(is_whole(&spill, &places));
        assert!(
            spill.written > 2 << 20 && spill.recent.len() <= IN_MEMORY,
            "{} {}",
            spill.written,
            spill.recent.len()
        );
        let names: Vec<String> = folder
            .path()
            .read_dir()
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(
            names.iter().all(|name| name.starts_with("state.redb")),
            "{names:?}"
        );
    }

    #[test]
    fn where_no_file_can_be_made_memory_has_to_do() {
        let mut spill = SpillFile {
            folder: Some("/nowhere/at/all".into()),
            ..SpillFile::default()
        };
        let places: Vec<SpillSpan> = texts().map(|text| spill.put(&text)).collect();
        assert!(is_whole(&spill, &places));
    }

    #[test]
    fn bytes_that_make_no_sense_are_told_of() {
        let mut spill = SpillFile::default();
        let place = spill.put(b"text");
        assert_eq!(spill.get(place, |bytes| Some(bytes.len())), Some(4));
        assert!(spill.check().is_ok());
        assert_eq!(spill.get(place, |_| None::<()>), None);
        assert!(spill.check().is_err());
    }

    #[test]
    fn a_disk_that_gives_nothing_back_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = SpillFile {
            folder: Some(folder.path().into()),
            ..SpillFile::default()
        };
        let places: Vec<SpillSpan> = texts().map(|text| spill.put(&text)).collect();
        spill.file.as_ref().unwrap().set_len(100).unwrap();
        assert!(spill.get(places[1000], |bytes| Some(bytes.len())).is_none());
        let said = spill.check().unwrap_err().to_string();
        assert!(
            said.contains("nothing was published")
                && said.contains(&*folder.path().to_string_lossy()),
            "{said}"
        );
    }
}
