//! The state's file, made as small as what it holds.
//!
//! Each table is written once more in the order of its keys, which packs its pages.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::fstatvfs;

use super::backend::{BackendError, RowKey, RowValue, TableDefinition, WriteTransaction};
use super::error::failed;
use super::fault::StateFault;
use super::tables::{TableVisitor, visit_all};
use super::{State, StateError};

impl State {
    /// Gives the room in the file back to the disk that nothing takes; the file's length in bytes, before and after. For a while
    /// it needs as much room again as the file has then.
    ///
    /// # Errors
    /// A [`StateError`] where the disk refused, above all for want of room; everything is there as before then.
    pub fn compact(mut self) -> Result<(u64, u64), StateError> {
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        let path = self.path.clone();
        let before = length(&path);
        // Pages that rotted would be written with a sum that fits them.
        if !self.check()? {
            return Err(StateError::Damaged {
                path,
                reason: "its pages are not what was written".to_owned(),
            });
        }
        self.pack()?;
        // The last that is written is written when it is closed.
        drop(self);
        Ok((before, length(&path)))
    }

    pub(super) fn pack(&mut self) -> Result<(), StateError> {
        // What nothing takes makes room for the copies.
        self.give_back()?;
        self.refuse_without_room()?;
        let packed = self.write("compact", |transaction| visit_all(&mut Packer(transaction)));
        // Also where that failed: what was written of the copies takes room.
        packed.and(self.give_back())
    }

    /// A disk that fills up on the way might keep what was written until then.
    fn refuse_without_room(&self) -> Result<(), StateError> {
        let Some(path) = self.file() else {
            return Ok(());
        };
        let room = || -> io::Result<(u64, u64)> {
            let file = File::open(path)?;
            let disk = fstatvfs(&file)?;
            Ok((
                file.metadata()?.len(),
                disk.f_bavail.saturating_mul(disk.f_frsize),
            ))
        };
        let full = match room() {
            Ok((length, free)) if free < length => io::ErrorKind::StorageFull.into(),
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        Err(failed("compact", path)(BackendError::of_disk(full)))
    }

    /// Cuts the file after what is taken.
    fn give_back(&mut self) -> Result<(), StateError> {
        self.alone("compact", |database| Ok(database.shrink()?))
    }
}

/// Writes tables in the order of their keys.
struct Packer<'t>(&'t WriteTransaction);

impl TableVisitor for Packer<'_> {
    fn visit<K: RowKey, V: RowValue>(
        &mut self,
        table: TableDefinition<K, V>,
    ) -> Result<(), StateFault> {
        Ok(self.0.pack(table)?)
    }
}
