//! What the disk says of a file, so that one that did not change need not be read again.

use std::fs::Metadata;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{AddressForms, SourceKind};

/// What the disk says of a file. Where all of it is the same, so are the bytes: a copy that keeps the time of its last change
/// (`mtime`) cannot keep that of its last change of anything (`ctime`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStat {
    size: u64,
    /// Seconds and nanoseconds of its last change.
    written: (i64, i64),
    /// The same, of anything about it.
    changed: (i64, i64),
    inode: u64,
    device: u64,
}

/// A file of a folder whose bytes are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFile {
    /// What the disk said of it before it was read.
    pub stat: FileStat,
    /// blake3 of its bytes, in hexadecimal.
    pub hash: Arc<str>,
    /// What it is.
    pub kind: SourceKind,
    /// Whether it asks search engines to leave it out.
    pub noindex: bool,
    /// True for a fragment of HTML.
    pub fragment: bool,
    /// How it spells addresses.
    pub addresses: AddressForms,
}

impl FileStat {
    /// All that it is, as numbers, for whoever writes it down.
    pub fn to_numbers(self) -> [u64; 7] {
        let Self {
            size,
            written,
            changed,
            inode,
            device,
        } = self;
        let [a, b, c, d] = [written.0, written.1, changed.0, changed.1].map(i64::cast_unsigned);
        [size, a, b, c, d, inode, device]
    }

    /// What these numbers are.
    pub fn of_numbers([size, a, b, c, d, inode, device]: [u64; 7]) -> Self {
        let [a, b, c, d] = [a, b, c, d].map(u64::cast_signed);
        Self {
            size,
            written: (a, b),
            changed: (c, d),
            inode,
            device,
        }
    }

    /// What the disk says; nothing where a system does not say enough.
    #[cfg(unix)]
    pub fn of(file: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let written = (file.mtime(), file.mtime_nsec());
        let changed = (file.ctime(), file.ctime_nsec());
        Some(Self {
            size: file.size(),
            written,
            changed,
            inode: file.ino(),
            device: file.dev(),
        })
    }

    /// What the disk says; nothing where a system does not say enough.
    #[cfg(not(unix))]
    pub fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// Its length in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether nothing about it changed since a time.
    pub fn is_older_than(&self, time: SystemTime) -> bool {
        let time = time.duration_since(UNIX_EPOCH).ok();
        let time = time.and_then(|time| {
            Some((
                i64::try_from(time.as_secs()).ok()?,
                time.subsec_nanos().into(),
            ))
        });
        time.is_some_and(|time| self.written.max(self.changed) < time)
    }
}
