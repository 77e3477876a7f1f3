//! The SHA-256 of files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{ModelsError, failed};

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// The SHA-256 of a file, and its size.
pub(super) fn sha256(file: &Path) -> Result<(String, u64), ModelsError> {
    let mut open = File::open(file).map_err(failed("read", file))?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut bytes = 0;
    loop {
        let read = open.read(&mut piece).map_err(failed("read", file))?;
        if read == 0 {
            let hash = hasher
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            return Ok((hash, bytes));
        }
        bytes += u64::try_from(read).unwrap_or_default();
        hasher.update(&piece[..read]);
    }
}
