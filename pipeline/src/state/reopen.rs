//! The database, opened again where it must be: after one read or write that the disk refused, it refuses everything.
//!
//! What the disk refused fails, and whoever comes next opens the database anew while others wait. So reads go on while
//! a disk is full, and writes work as soon as there is room. For the moment in between the file belongs to nobody: if
//! another process takes it then, every verb says so until that process ends.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use super::backend::{BackendError, Database, DiskTrouble};
use super::fault::StateFault;

type OpenDatabase = Box<dyn Fn() -> Result<Database, BackendError> + Send + Sync>;

/// A database that is opened again.
pub(super) struct Reopening {
    open: OpenDatabase,
    /// Absent only where it could not be opened again.
    database: RwLock<Option<Database>>,
    /// Whether the database refuses everything from now on.
    is_broken: AtomicBool,
    /// Why the last write failed, if the disk was the reason.
    trouble: Mutex<Option<DiskTrouble>>,
}

impl Reopening {
    /// Holds a database; `open` opens it again and never makes a new one.
    pub(super) fn new(
        database: Database,
        open: impl Fn() -> Result<Database, BackendError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            open: Box::new(open),
            database: RwLock::new(Some(database)),
            is_broken: AtomicBool::new(false),
            trouble: Mutex::default(),
        }
    }

    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StateFault>,
    ) -> Result<T, StateFault> {
        let result = self
            .opened()
            .and_then(|opened| opened.as_ref().map_or_else(|| Err(closed()), work));
        if result.as_ref().is_err_and(|fault| of(fault).is_some()) {
            self.is_broken.store(true, Ordering::Release);
        }
        result
    }

    /// The same for work that writes; what becomes of it is remembered.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StateFault>,
    ) -> Result<T, StateFault> {
        let result = self.read(work);
        match &result {
            Ok(_) => *self.trouble_now() = None,
            Err(fault) => {
                if let Some(trouble) = of(fault) {
                    *self.trouble_now() = Some(trouble);
                }
            }
        }
        result
    }

    /// Why nothing could be written the last time, if the disk was the reason.
    pub(super) fn trouble(&self) -> Option<DiskTrouble> {
        *self.trouble_now()
    }

    /// The same as [`Self::read`] for work that needs the database alone.
    pub(super) fn alone<T>(
        &mut self,
        work: impl FnOnce(&mut Database) -> Result<T, StateFault>,
    ) -> Result<T, StateFault> {
        drop(self.opened()?);
        let database = self
            .database
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut();
        let result = database.map_or_else(|| Err(closed()), work);
        if result.as_ref().is_err_and(|fault| of(fault).is_some()) {
            self.is_broken.store(true, Ordering::Release);
        }
        result
    }

    /// Behaves from now on as after a read or write that the disk refused.
    #[cfg(test)]
    pub(super) fn fail(&self) {
        self.is_broken.store(true, Ordering::Release);
    }

    fn opened(&self) -> Result<RwLockReadGuard<'_, Option<Database>>, StateFault> {
        if self.is_broken.load(Ordering::Acquire) {
            let mut database = self
                .database
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            // Somebody else may have opened it while this one waited.
            if self.is_broken.load(Ordering::Acquire) {
                // Closed first, because a file has one owner at a time.
                *database = None;
                *database = Some((self.open)()?);
                self.is_broken.store(false, Ordering::Release);
            }
        }
        Ok(self.database.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn trouble_now(&self) -> MutexGuard<'_, Option<DiskTrouble>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of(fault: &StateFault) -> Option<DiskTrouble> {
    match fault {
        StateFault::Database(error) => error.trouble(),
        StateFault::Row { .. } | StateFault::Panic(_) => None,
    }
}

fn closed() -> StateFault {
    BackendError::closed().into()
}

impl fmt::Debug for Reopening {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Reopening")
            .field("trouble", &self.trouble())
            .finish_non_exhaustive()
    }
}
