//! A look at a store before anything depends on it.

use bytes::Bytes;
use object_store::path::Path as Key;

use super::{Objects, StoreError};

/// Name of the object that is asked for, written and removed; no site is called so.
const PROBE: &str = "_doctor";

/// Access that a store grants.
#[derive(Debug)]
pub enum StoreAccess {
    /// Read and write.
    Whole,
    /// Read, but not write, and the answer that said so. That is enough for a server of pages.
    Reading(StoreError),
}

impl Objects {
    /// Asks for an object that is not there, writes it and removes it.
    ///
    /// # Errors
    /// A [`StoreError`] when the store cannot be read or does not answer.
    pub async fn try_out(&self) -> Result<StoreAccess, StoreError> {
        let key = Key::from(PROBE);
        self.get(&key).await?;
        match self
            .put(&key, Bytes::from_static(b"latimer doctor\n"))
            .await
        {
            Ok(()) => self.delete(vec![key]).await.map(|()| StoreAccess::Whole),
            Err(refused @ StoreError::Refused { .. }) => Ok(StoreAccess::Reading(refused)),
            Err(error) => Err(error),
        }
    }
}
