//! How records lie in the store: one line of JSON, named or checked by the hash of its bytes.

use std::io;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ContentHash, StoreError};

/// The hash of a record as others name it.
pub(super) fn hash(bytes: &[u8]) -> String {
    ContentHash::of(bytes).to_string()
}

/// Writes a record: one line of JSON, sorted.
pub(super) fn encode<T: Serialize>(record: &T, key: &str) -> Result<Bytes, StoreError> {
    let failed = |error: serde_json::Error| damaged(key, error.to_string());
    // A list of a large site has megabytes, and takes their room three times where it has to grow.
    let mut length = Length(1);
    serde_json::to_writer(&mut length, record).map_err(failed)?;
    let mut bytes = Vec::with_capacity(length.0);
    serde_json::to_writer(&mut bytes, record).map_err(failed)?;
    bytes.push(b'\n');
    Ok(bytes.into())
}

/// Counts what is written.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a record.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8], key: &str) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| damaged(key, error.to_string()))
}

pub(super) fn damaged(key: &str, reason: String) -> StoreError {
    StoreError::Damaged {
        key: key.to_owned(),
        reason,
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}
