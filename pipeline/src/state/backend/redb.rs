//! redb: one file that one process owns. No other file of the library names the crate.
//!
//! Commits are two-phase, because rows hold other people's text, and leave the file quick to open after a crash.

use std::borrow::Borrow;
use std::io;
use std::ops::{Bound, RangeBounds};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::backends::InMemoryBackend;
use redb::{AccessGuard, ReadableDatabase, StorageBackend};

use super::trouble::DiskTrouble;
use crate::causes::is_full;

/// Bytes of the file that redb keeps in memory, beside the system's own cache.
const CACHE_BYTES: usize = 16 << 20;
/// Name of a table while it is packed.
const PACKED: &str = "packed";

/// An error of the database.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BackendError(Box<redb::Error>);

impl<E: Into<redb::Error>> From<E> for BackendError {
    fn from(error: E) -> Self {
        Self(Box::new(error.into()))
    }
}

impl BackendError {
    /// The error of a disk.
    pub(in crate::state) fn of_disk(error: io::Error) -> Self {
        redb::Error::Io(error).into()
    }

    /// The error of a database that refuses everything, after the disk refused a read or write.
    pub(in crate::state) fn closed() -> Self {
        redb::Error::PreviousIo.into()
    }

    /// True if another process has the file.
    pub(in crate::state) fn is_held(&self) -> bool {
        matches!(*self.0, redb::Error::DatabaseAlreadyOpen)
    }

    /// Trouble with the disk; `None` if the error has another reason.
    pub(in crate::state) fn trouble(&self) -> Option<DiskTrouble> {
        match &*self.0 {
            redb::Error::Io(error) if is_full(error) => Some(DiskTrouble::NoRoom),
            redb::Error::Io(_)
            | redb::Error::PreviousIo
            | redb::Error::DatabaseAlreadyOpen
            | redb::Error::DatabaseClosed => Some(DiskTrouble::Unusable),
            _ => None,
        }
    }

    /// The damage of the file; `None` if the error is about the disk or the caller.
    pub(in crate::state) fn damage(&self) -> Option<String> {
        use io::ErrorKind::{InvalidData, UnexpectedEof};
        match &*self.0 {
            redb::Error::Corrupted(reason) => Some(reason.clone()),
            redb::Error::Io(error) if matches!(error.kind(), InvalidData | UnexpectedEof) => {
                Some(error.to_string())
            }
            error @ (redb::Error::UnorderedKey
            | redb::Error::UpgradeRequired(_)
            | redb::Error::TableTypeMismatch { .. }
            | redb::Error::TableIsMultimap(_)
            | redb::Error::TypeDefinitionChanged { .. }) => Some(error.to_string()),
            _ => None,
        }
    }
}

/// An opened database.
pub(in crate::state) struct Database(redb::Database);

impl Database {
    /// Opens a file, which must exist.
    pub(in crate::state) fn open(path: &Path) -> Result<Self, BackendError> {
        Ok(Self(builder().open(path)?))
    }

    /// Opens a file, or creates it.
    pub(in crate::state) fn create(path: &Path) -> Result<Self, BackendError> {
        Ok(Self(builder().create(path)?))
    }

    /// A database in memory.
    pub(in crate::state) fn in_memory(disk: SmallDisk) -> Result<Self, BackendError> {
        Ok(Self(builder().create_with_backend(disk)?))
    }

    /// Reads one snapshot.
    pub(in crate::state) fn read<T, E: From<BackendError>>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let transaction = self.0.begin_read().map_err(BackendError::from)?;
        work(&ReadTransaction(transaction))
    }

    /// Writes in one transaction, which is on the disk when this returns; an error of `work` undoes it.
    pub(in crate::state) fn write<T, E: From<BackendError>>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut transaction = self.0.begin_write().map_err(BackendError::from)?;
        transaction.set_two_phase_commit(true);
        transaction.set_quick_repair(true);
        let transaction = WriteTransaction(transaction);
        let result = work(&transaction)?;
        transaction.0.commit().map_err(BackendError::from)?;
        Ok(result)
    }

    /// Reads the whole file; returns `true` if it is sound.
    pub(in crate::state) fn check(&mut self) -> Result<bool, BackendError> {
        Ok(self.0.check_integrity()?)
    }

    /// Cuts the file behind its last used page.
    pub(in crate::state) fn shrink(&mut self) -> Result<(), BackendError> {
        // Repeat: a pass may make room for the next.
        while self.0.compact()? {}
        Ok(())
    }
}

fn builder() -> redb::Builder {
    let mut builder = redb::Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    builder
}

/// Type of a key. Rows are in the order of their keys.
pub(in crate::state) trait RowKey: redb::Key + 'static {}

impl<K: redb::Key + 'static> RowKey for K {}

/// Type of a value.
pub(in crate::state) trait RowValue: redb::Value + 'static {}

impl<V: redb::Value + 'static> RowValue for V {}

/// Name of a table, with the types of its rows.
pub(in crate::state) struct TableDefinition<K: RowKey, V: RowValue>(
    redb::TableDefinition<'static, K, V>,
);

impl<K: RowKey, V: RowValue> TableDefinition<K, V> {
    pub(in crate::state) const fn new(name: &'static str) -> Self {
        Self(redb::TableDefinition::new(name))
    }
}

impl<K: RowKey, V: RowValue> Clone for TableDefinition<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: RowKey, V: RowValue> Copy for TableDefinition<K, V> {}

/// A snapshot.
pub(in crate::state) struct ReadTransaction(redb::ReadTransaction);

impl ReadTransaction {
    pub(in crate::state) fn open_table<K: RowKey, V: RowValue>(
        &self,
        table: TableDefinition<K, V>,
    ) -> Result<ReadTable<K, V>, BackendError> {
        Ok(ReadTable(self.0.open_table(table.0)?))
    }
}

/// A transaction that writes.
pub(in crate::state) struct WriteTransaction(redb::WriteTransaction);

impl WriteTransaction {
    /// Opens a table, which is created if it is missing. A table can be open once at a time.
    pub(in crate::state) fn open_table<K: RowKey, V: RowValue>(
        &self,
        table: TableDefinition<K, V>,
    ) -> Result<WriteTable<'_, K, V>, BackendError> {
        Ok(WriteTable(self.0.open_table(table.0)?))
    }

    pub(in crate::state) fn delete_table<K: RowKey, V: RowValue>(
        &self,
        table: TableDefinition<K, V>,
    ) -> Result<(), BackendError> {
        self.0.delete_table(table.0)?;
        Ok(())
    }

    /// Writes a table anew in the order of its keys. Rows that came in no order fill two thirds of their pages, and redb's own
    /// compaction moves pages but does not fill them.
    pub(in crate::state) fn pack<K: RowKey, V: RowValue>(
        &self,
        table: TableDefinition<K, V>,
    ) -> Result<(), BackendError> {
        let packed = redb::TableDefinition::<K, V>::new(PACKED);
        {
            let rows = self.0.open_table(table.0)?;
            let mut fresh = self.0.open_table(packed)?;
            let mut end = fresh.upper_bound_mut(Bound::<K::SelfType<'_>>::Unbounded)?;
            for row in redb::ReadableTable::iter(&rows)? {
                let (key, value) = row?;
                end.insert_before(key.value(), value.value())?;
            }
            end.close()?;
        }
        self.0.delete_table(table.0)?;
        self.0.rename_table(packed, table.0)?;
        Ok(())
    }
}

/// A key or a value as the database holds it.
pub(in crate::state) struct ValueGuard<'a, V: RowValue>(AccessGuard<'a, V>);

impl<V: RowValue> ValueGuard<'_, V> {
    pub(in crate::state) fn value(&self) -> V::SelfType<'_> {
        self.0.value()
    }
}

/// Rows in the order of their keys.
pub(in crate::state) struct Range<'a, K: RowKey, V: RowValue>(redb::Range<'a, K, V>);

impl<'a, K: RowKey, V: RowValue> Range<'a, K, V> {
    fn row(
        row: Result<(AccessGuard<'a, K>, AccessGuard<'a, V>), redb::StorageError>,
    ) -> Result<(ValueGuard<'a, K>, ValueGuard<'a, V>), BackendError> {
        let (key, value) = row?;
        Ok((ValueGuard(key), ValueGuard(value)))
    }
}

impl<'a, K: RowKey, V: RowValue> Iterator for Range<'a, K, V> {
    type Item = Result<(ValueGuard<'a, K>, ValueGuard<'a, V>), BackendError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Self::row)
    }
}

impl<K: RowKey, V: RowValue> DoubleEndedIterator for Range<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(Self::row)
    }
}

/// Reading verbs of tables, in a read transaction or a write transaction.
pub(in crate::state) trait ReadableTable<K: RowKey, V: RowValue> {
    fn get<'k>(
        &self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<Option<ValueGuard<'_, V>>, BackendError>;

    fn range<'k, KR: Borrow<K::SelfType<'k>> + 'k>(
        &self,
        range: impl RangeBounds<KR> + 'k,
    ) -> Result<Range<'_, K, V>, BackendError>;

    /// Returns all rows.
    fn iter(&self) -> Result<Range<'_, K, V>, BackendError>;
}

/// A table of a snapshot. Its rows keep the snapshot open, also after the table is dropped.
pub(in crate::state) struct ReadTable<K: RowKey, V: RowValue>(redb::ReadOnlyTable<K, V>);

impl<K: RowKey, V: RowValue> ReadTable<K, V> {
    pub(in crate::state) fn get<'k>(
        &self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<Option<ValueGuard<'static, V>>, BackendError> {
        Ok(self.0.get(key)?.map(ValueGuard))
    }

    pub(in crate::state) fn range<'k, KR: Borrow<K::SelfType<'k>> + 'k>(
        &self,
        range: impl RangeBounds<KR> + 'k,
    ) -> Result<Range<'static, K, V>, BackendError> {
        Ok(Range(self.0.range(range)?))
    }
}

impl<K: RowKey, V: RowValue> ReadableTable<K, V> for ReadTable<K, V> {
    fn get<'k>(
        &self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<Option<ValueGuard<'_, V>>, BackendError> {
        Self::get(self, key)
    }

    fn range<'k, KR: Borrow<K::SelfType<'k>> + 'k>(
        &self,
        range: impl RangeBounds<KR> + 'k,
    ) -> Result<Range<'_, K, V>, BackendError> {
        Self::range(self, range)
    }

    fn iter(&self) -> Result<Range<'_, K, V>, BackendError> {
        Ok(Range(redb::ReadableTable::iter(&self.0)?))
    }
}

/// A table that is written.
pub(in crate::state) struct WriteTable<'t, K: RowKey, V: RowValue>(redb::Table<'t, K, V>);

impl<K: RowKey, V: RowValue> WriteTable<'_, K, V> {
    /// Writes a row over an earlier one with its key.
    pub(in crate::state) fn insert<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), BackendError> {
        self.0.insert(key, value)?;
        Ok(())
    }

    /// Removes a row, if it is there.
    pub(in crate::state) fn remove<'k>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<(), BackendError> {
        self.0.remove(key)?;
        Ok(())
    }

    /// Removes a row and returns its value.
    pub(in crate::state) fn take<'k>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<Option<ValueGuard<'_, V>>, BackendError> {
        Ok(self.0.remove(key)?.map(ValueGuard))
    }

    /// Removes the rows for which `stays` returns `false`.
    pub(in crate::state) fn retain(
        &mut self,
        stays: impl for<'f> FnMut(K::SelfType<'f>, V::SelfType<'f>) -> bool,
    ) -> Result<(), BackendError> {
        Ok(self.0.retain(stays)?)
    }

    /// Removes the rows of a range for which `stays` returns `false`.
    pub(in crate::state) fn retain_in<'k, KR: Borrow<K::SelfType<'k>> + 'k>(
        &mut self,
        range: impl RangeBounds<KR> + 'k,
        stays: impl for<'f> FnMut(K::SelfType<'f>, V::SelfType<'f>) -> bool,
    ) -> Result<(), BackendError> {
        Ok(self.0.retain_in(range, stays)?)
    }
}

impl<V: RowValue> WriteTable<'_, u64, V> {
    /// The highest key; `None` if the table is empty.
    pub(in crate::state) fn last(&self) -> Result<Option<u64>, BackendError> {
        let last = redb::ReadableTable::last(&self.0)?;
        Ok(last.map(|(key, _)| key.value()))
    }
}

impl<K: RowKey, V: RowValue> ReadableTable<K, V> for WriteTable<'_, K, V> {
    fn get<'k>(
        &self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<Option<ValueGuard<'_, V>>, BackendError> {
        Ok(redb::ReadableTable::get(&self.0, key)?.map(ValueGuard))
    }

    fn range<'k, KR: Borrow<K::SelfType<'k>> + 'k>(
        &self,
        range: impl RangeBounds<KR> + 'k,
    ) -> Result<Range<'_, K, V>, BackendError> {
        Ok(Range(redb::ReadableTable::range(&self.0, range)?))
    }

    fn iter(&self) -> Result<Range<'_, K, V>, BackendError> {
        Ok(Range(redb::ReadableTable::iter(&self.0)?))
    }
}

/// Bytes in memory; what lies beyond `room` and was never written is refused, as a full disk refuses it. Clones are the
/// same bytes.
#[derive(Clone, Debug)]
pub(in crate::state) struct SmallDisk {
    bytes: Arc<InMemoryBackend>,
    room: Arc<AtomicU64>,
    /// The end of what was written, which a full disk lets one write again.
    taken: Arc<AtomicU64>,
}

impl SmallDisk {
    pub(in crate::state) fn new(room: Arc<AtomicU64>) -> Self {
        Self {
            bytes: Arc::new(InMemoryBackend::new()),
            room,
            taken: Arc::default(),
        }
    }

    /// A disk gives out its room when something is written, not when a file is made longer.
    fn take(&self, end: u64) -> io::Result<()> {
        if end
            > self
                .taken
                .load(Ordering::Acquire)
                .max(self.room.load(Ordering::Acquire))
        {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.taken.fetch_max(end, Ordering::AcqRel);
        Ok(())
    }
}

impl StorageBackend for SmallDisk {
    fn len(&self) -> Result<u64, io::Error> {
        self.bytes.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.bytes.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.bytes.set_len(len)
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.bytes.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
        self.take(offset.saturating_add(length))?;
        self.bytes.write(offset, data)
    }
}

#[cfg(test)]
impl<K: RowKey, V: RowValue> ReadTable<K, V> {
    /// Share of its pages that rows fill, in percent.
    pub(in crate::state) fn fullness(&self) -> Result<u64, BackendError> {
        let stats = redb::ReadableTableMetadata::stats(&self.0)?;
        let bytes = stats.stored_bytes() + stats.metadata_bytes();
        let pages = stats.leaf_pages() + stats.branch_pages();
        Ok(100 * bytes / pages / 4096)
    }
}
