//! The opened state: one database that a process owns, and how verbs read and write it.
//!
//! The verbs lie in the files beside this one, each with what it keeps. They go through `read` and `write`, which say of
//! a fault what was being done to which file, and count it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::backend::{
    BackendError, Database, DiskTrouble, ReadTransaction, ReadableTable, SmallDisk,
    WriteTransaction,
};
use super::commit_signal::{Mailing, Outbox};
use super::damage::{caught, refuse_what_is_no_file};
use super::error::failed;
use super::fault::StateFault;
use super::reopen::Reopening;
use super::subject_budgets::SubjectBudgets;
use super::tables::{META, PROBE, make_all};
use super::{StateError, holder, private};

/// The form of the whole file. A file with another one is refused.
pub(super) const FORM: u64 = 5;
/// As much as a batch of translations.
const PROBE_BYTES: usize = 256 << 10;
/// The longest wait for a state whose holder is gone.
const PATIENCE: Duration = Duration::from_secs(2);
/// Interval between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// The opened state. Dropping it lets the next process have it.
#[derive(Debug)]
pub struct State {
    pub(super) database: Reopening,
    pub(super) path: PathBuf,
    errors: Errors,
    _held: Option<holder::HolderNote>,
    pub(super) subject_budgets: SubjectBudgets,
    pub(super) outbox: Outbox,
    pub(super) mailing: Mailing,
}

/// Verbs that failed since the state was opened.
#[derive(Debug, Default)]
struct Errors {
    reading: AtomicU64,
    writing: AtomicU64,
}

impl State {
    /// Opens the state, made if it is not there; fails at once if another process has it. A state that a killed process leaves is
    /// waited for.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        if let Some(folder) = path.parent() {
            private::make_folder(folder).map_err(|source| StateError::Folder {
                path: folder.to_path_buf(),
                source,
            })?;
        }
        refuse_what_is_no_file(path)?;
        private::close_to_others(path);
        let create = || create(path);
        match caught(create).map_err(|reason| StateError::Damaged {
            path: path.to_path_buf(),
            reason,
        })? {
            Ok(database) => {
                let file = path.to_path_buf();
                // Whoever opens it again expects the file; a new one in its place would be an empty state.
                let database = Reopening::new(database, move || Database::open(&file));
                Self {
                    _held: Some(holder::HolderNote::write(path)),
                    ..Self::of(database, path.to_path_buf())
                }
                .ready()
            }
            Err(error) if error.is_held() => Err(StateError::Held {
                path: path.to_path_buf(),
                holder: holder::read(path),
            }),
            Err(source) => Err(failed("open", path)(source)),
        }
    }

    /// A state that lives as long as this value, for tests and for work that leaves nothing behind.
    pub fn in_memory() -> Result<Self, StateError> {
        Self::in_memory_of(Arc::new(AtomicU64::new(u64::MAX)))
    }

    /// The same with this much room in bytes, which may change while it is open.
    pub fn in_memory_of(room: Arc<AtomicU64>) -> Result<Self, StateError> {
        let path = PathBuf::from("memory");
        let disk = SmallDisk::new(room);
        let open = move || Database::in_memory(disk.clone());
        let database = open().map_err(failed("open", &path))?;
        Self::of(Reopening::new(database, open), path).ready()
    }

    fn of(database: Reopening, path: PathBuf) -> Self {
        let errors = Errors::default();
        let subject_budgets = SubjectBudgets::default();
        let outbox = Outbox::default();
        let mailing = Mailing::default();
        Self {
            database,
            path,
            errors,
            _held: None,
            subject_budgets,
            outbox,
            mailing,
        }
    }

    /// The file that it is in; nothing for one in memory.
    pub(super) fn file(&self) -> Option<&Path> {
        self._held.as_ref().map(|_| &*self.path)
    }

    /// Why nothing could be kept the last time, if the disk was the reason.
    pub fn trouble(&self) -> Option<DiskTrouble> {
        self.database.trouble()
    }

    /// How often reading and writing failed since the state was opened.
    pub fn errors(&self) -> (u64, u64) {
        (
            self.errors.reading.load(Ordering::Relaxed),
            self.errors.writing.load(Ordering::Relaxed),
        )
    }

    /// Looks whether there is room again: writes something, and takes it back.
    pub fn probe(&self) -> Result<(), StateError> {
        self.write("write to", |transaction| {
            transaction
                .open_table(PROBE)?
                .insert((), [0; PROBE_BYTES].as_slice())?;
            Ok(())
        })?;
        self.write("write to", |transaction| {
            Ok(transaction.delete_table(PROBE)?)
        })
    }

    /// Reads the whole file and says whether it is sound.
    pub fn check(&mut self) -> Result<bool, StateError> {
        self.alone("check", |database| Ok(database.check()?))
    }

    /// Makes every table, so that no reader finds one missing, and refuses a file of another version.
    fn ready(self) -> Result<Self, StateError> {
        let form = self.write("prepare", |transaction| {
            let mut meta = transaction.open_table(META)?;
            let form = meta.get("form")?.map(|form| form.value());
            if form.is_none() {
                meta.insert("form", FORM)?;
            }
            drop(meta);
            let form = form.unwrap_or(FORM);
            if form == FORM {
                make_all(transaction)?;
            }
            Ok(form)
        })?;
        if form < FORM {
            return Err(StateError::Older {
                path: self.path,
                form,
                known: FORM,
            });
        }
        if form > FORM {
            return Err(StateError::Newer {
                path: self.path,
                form,
                known: FORM,
            });
        }
        Ok(self)
    }

    /// Reads one snapshot; `what` completes "cannot … the state".
    pub(super) fn read<T>(
        &self,
        what: &'static str,
        work: impl FnOnce(&ReadTransaction) -> Result<T, StateFault>,
    ) -> Result<T, StateError> {
        let work = |database: &Database| {
            caught(|| database.read(work)).unwrap_or_else(|panic| Err(StateFault::Panic(panic)))
        };
        let done = self
            .database
            .read(work)
            .map_err(|fault| fault.while_doing(what, &self.path));
        self.errors
            .reading
            .fetch_add(u64::from(done.is_err()), Ordering::Relaxed);
        done
    }

    /// Does what needs the database alone; `what` completes "cannot … the state".
    pub(super) fn alone<T>(
        &mut self,
        what: &'static str,
        work: impl FnOnce(&mut Database) -> Result<T, StateFault>,
    ) -> Result<T, StateError> {
        let work = |database: &mut Database| {
            caught(|| work(database)).unwrap_or_else(|panic| Err(StateFault::Panic(panic)))
        };
        self.database
            .alone(work)
            .map_err(|fault| fault.while_doing(what, &self.path))
    }

    /// Writes in one transaction, which is on the disk when this returns; `what` completes "cannot … the state".
    pub(super) fn write<T>(
        &self,
        what: &'static str,
        work: impl FnOnce(&WriteTransaction) -> Result<T, StateFault>,
    ) -> Result<T, StateError> {
        let transact = |database: &Database| {
            caught(|| database.write(work)).unwrap_or_else(|panic| Err(StateFault::Panic(panic)))
        };
        let done = self
            .database
            .write(transact)
            .map_err(|fault| fault.while_doing(what, &self.path));
        self.errors
            .writing
            .fetch_add(u64::from(done.is_err()), Ordering::Relaxed);
        if done.is_ok() {
            self.outbox.signal.committed();
            self.mailing.signal.committed();
        }
        done
    }
}

/// Makes the database under another name, so that a process that is killed meanwhile leaves no half of one. Where that is not
/// possible, whoever opens it makes it in place.
fn make(path: &Path) -> Result<(), BackendError> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let Ok(made) = tempfile::Builder::new()
        .prefix(".state-")
        .tempfile_in(folder)
    else {
        return Ok(());
    };
    drop(Database::create(made.path())?);
    // Another process may have been faster; its database is as good.
    let _ = made.persist_noclobber(path);
    Ok(())
}

/// Opens or makes the database. Between fork and exec, a child of a killed process still holds the lock.
#[expect(
    clippy::disallowed_methods,
    reason = "the database's lock cannot be waited for"
)]
fn create(path: &Path) -> Result<Database, BackendError> {
    if path.symlink_metadata().is_err() {
        make(path)?;
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        match Database::create(path) {
            Err(error) if error.is_held() && holder::is_gone(path) && Instant::now() < deadline => {
                std::thread::sleep(PAUSE);
            }
            opened => return opened,
        }
    }
}
