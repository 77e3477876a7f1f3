//! Trouble with the disk under a database, often temporary.

/// Trouble with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskTrouble {
    /// The disk is full.
    NoRoom,
    /// The disk refuses, or another process took the file.
    Unusable,
}
