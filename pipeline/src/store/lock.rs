//! Locks of a folder: builders share one, and a sweep that has it alone may delete at once.
//!
//! A process that ends, however it ends, gives its locks back. A bucket has no locks, and neither have some network
//! disks: there a sweep goes by the age of things instead.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::keys::SiteKeys;
use super::{Objects, StoreError};
use crate::model::SiteId;

/// What builders share.
const BUILDERS: &str = ".lock";
/// What one sweep has at a time, before it asks for the other.
const SWEEP: &str = ".sweep.lock";
/// What one projection of the live tree has at a time.
const LIVE: &str = ".live.lock";

/// A lock that is held until this is dropped; nothing where the store has no locks.
#[derive(Debug)]
pub struct Lock {
    held: Option<File>,
    /// Given back last.
    _sweep: Option<File>,
}

/// Whether others work on the site.
#[derive(Debug)]
pub(super) enum Company {
    /// Nobody else does, until the lock is dropped.
    Alone(Lock),
    /// Somebody does.
    Others,
    /// Nobody can say.
    Unknown,
}

impl Lock {
    /// Shares the site with other builders; waits while a sweep has it alone.
    ///
    /// # Errors
    /// A [`StoreError`] when the folder refuses.
    pub async fn share(objects: &Objects, site: &SiteId) -> Result<Self, StoreError> {
        Self::wait(objects, site, BUILDERS, File::lock_shared).await
    }

    /// Waits for the right to project the live tree.
    pub(super) async fn live(objects: &Objects, site: &SiteId) -> Result<Self, StoreError> {
        Self::wait(objects, site, LIVE, File::lock).await
    }

    /// Whether anything is held: then no sweep deletes what nobody names.
    pub(super) fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// Has the site alone, if that can be had at once; `None` while others work, and where the store has no locks.
    ///
    /// # Errors
    /// A [`StoreError`] when the folder refuses.
    pub async fn only(objects: &Objects, site: &SiteId) -> Result<Option<Self>, StoreError> {
        match Self::alone(objects, site).await? {
            Company::Alone(lock) => Ok(Some(lock)),
            Company::Others | Company::Unknown => Ok(None),
        }
    }

    /// Makes of a shared lock, if that can be had at once, one that has the site alone; says whether it did.
    ///
    /// No sweep gets in between: it would need the other lock, which is asked for first.
    pub(super) async fn rise(
        &mut self,
        objects: &Objects,
        site: &SiteId,
    ) -> Result<bool, StoreError> {
        let paths = (path(objects, site, SWEEP)?, path(objects, site, BUILDERS)?);
        let ((Some(sweep), Some(builders)), Some(held)) = (paths, self.held.take()) else {
            return Ok(false);
        };
        let rise = move || -> Result<(Self, bool), StoreError> {
            let Some(LockAttempt::Held(sweep)) = attempt(&sweep)? else {
                return Ok((
                    Self {
                        held: Some(held),
                        _sweep: None,
                    },
                    false,
                ));
            };
            let is_alone = match held.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(error)) => return Err(failed(&builders, error)),
            };
            if !is_alone {
                // What could not be had took what was there.
                held.lock_shared()
                    .map_err(|error| failed(&builders, error))?;
            }
            Ok((
                Self {
                    held: Some(held),
                    _sweep: is_alone.then_some(sweep),
                },
                is_alone,
            ))
        };
        let (lock, is_alone) = tokio::task::spawn_blocking(rise).await??;
        *self = lock;
        Ok(is_alone)
    }

    /// Shares again what it has alone.
    pub(super) async fn sink(
        &mut self,
        objects: &Objects,
        site: &SiteId,
    ) -> Result<(), StoreError> {
        let Some((held, builders)) = self.held.take().zip(path(objects, site, BUILDERS)?) else {
            return Ok(());
        };
        let share = move || {
            held.lock_shared()
                .map(|()| held)
                .map_err(|error| failed(&builders, error))
        };
        self.held = Some(tokio::task::spawn_blocking(share).await??);
        self._sweep = None;
        Ok(())
    }

    /// Tries to have the site alone.
    pub(super) async fn alone(objects: &Objects, site: &SiteId) -> Result<Company, StoreError> {
        let paths = (path(objects, site, SWEEP)?, path(objects, site, BUILDERS)?);
        let (Some(sweep), Some(builders)) = paths else {
            return Ok(Company::Unknown);
        };
        let attempt = move || -> Result<Company, StoreError> {
            let (Some(sweep), Some(builders)) = (attempt(&sweep)?, attempt(&builders)?) else {
                return Ok(Company::Unknown);
            };
            match (sweep, builders) {
                (LockAttempt::Held(sweep), LockAttempt::Held(held)) => Ok(Company::Alone(Self {
                    held: Some(held),
                    _sweep: Some(sweep),
                })),
                (
                    LockAttempt::Held(_) | LockAttempt::Taken,
                    LockAttempt::Held(_) | LockAttempt::Taken,
                ) => Ok(Company::Others),
            }
        };
        tokio::task::spawn_blocking(attempt).await?
    }

    async fn wait(
        objects: &Objects,
        site: &SiteId,
        name: &str,
        lock: fn(&File) -> io::Result<()>,
    ) -> Result<Self, StoreError> {
        let Some(path) = path(objects, site, name)? else {
            return Ok(Self {
                held: None,
                _sweep: None,
            });
        };
        let wait = move || match open(&path).and_then(|file| lock(&file).map(|()| file)) {
            Ok(file) => Ok(Self {
                held: Some(file),
                _sweep: None,
            }),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Self {
                held: None,
                _sweep: None,
            }),
            Err(error) => Err(failed(&path, error)),
        };
        tokio::task::spawn_blocking(wait).await?
    }
}

pub(super) enum LockAttempt {
    Held(File),
    Taken,
}

/// Tries to have a lock alone; `None` where there are no locks.
pub(super) fn attempt(path: &Path) -> Result<Option<LockAttempt>, StoreError> {
    let file = open(path).map_err(|error| failed(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(LockAttempt::Held(file))),
        Err(TryLockError::WouldBlock) => Ok(Some(LockAttempt::Taken)),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(path, error)),
    }
}

fn path(objects: &Objects, site: &SiteId, name: &str) -> Result<Option<PathBuf>, StoreError> {
    objects.check()?;
    Ok(objects.path(&SiteKeys(site).lock(name)?))
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
}

fn failed(path: &Path, source: io::Error) -> StoreError {
    StoreError::Disk {
        doing: "lock",
        path: path.to_path_buf(),
        source,
    }
}
