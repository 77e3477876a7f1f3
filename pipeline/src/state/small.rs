//! A state in memory with little room: what a disk that fills up looks like to the database.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::StorageBackend;
use redb::backends::InMemoryBackend;

/// Bytes in memory; what lies beyond `room` and was never written is refused, as a full disk refuses it. Clones are the
/// same bytes.
#[derive(Clone, Debug)]
pub(super) struct SmallDisk {
    bytes: Arc<InMemoryBackend>,
    room: Arc<AtomicU64>,
    /// The end of what was written, which a full disk lets one write again.
    taken: Arc<AtomicU64>,
}

impl SmallDisk {
    pub(super) fn new(room: Arc<AtomicU64>) -> Self {
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
