//! Trouble with the disk under a database; it may pass.

/// Trouble with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskTrouble {
    /// The disk is full.
    NoRoom,
    /// The disk refuses, or another process took the file.
    Unusable,
}
