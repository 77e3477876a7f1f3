//! Whether a deployment is whole: every file that its manifests name is there, variants too, with its size and, where
//! one looks closer, with its bytes. Only looks: the next build writes anew what is damaged.

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};

use super::damage::damage;
use super::inventory::Inventory;
use super::keys::SiteKeys;
use super::variants::unpacked;
use super::{
    ContentHash, Damage, Encoding, FileFlaw, ManifestEntry, Objects, Published, StoreError, Tree,
    Variant,
};
use crate::threads::on_thread;

/// How many files are read at the same time; readers go first.
const PARALLEL: usize = 4;

impl Published {
    /// Checks that every file is there with its size; lists the store and reads no file.
    ///
    /// # Errors
    /// A [`StoreError`] when the store cannot say.
    pub async fn check_sizes(&self, objects: &Objects) -> Result<Vec<Damage>, StoreError> {
        Ok(Inventory::take(objects, self.site(), false)
            .await?
            .damage(self))
    }

    /// Reads every file and looks whether its bytes are those that were published.
    pub async fn check_bytes(&self, objects: &Objects) -> Result<Vec<Damage>, StoreError> {
        let checks: Vec<_> = self
            .files()
            .map(|(tree, name, entry)| self.check_file(objects, tree, name, entry))
            .collect();
        stream::iter(checks).buffered(PARALLEL).try_concat().await
    }

    /// The same for one file, counted through all trees; a number beyond the last begins again with the first.
    pub async fn check_nth(
        &self,
        objects: &Objects,
        number: usize,
    ) -> Result<Vec<Damage>, StoreError> {
        let count = self.files().count().max(1);
        match self.files().nth(number % count) {
            Some((tree, name, entry)) => self.check_file(objects, tree, name, entry).await,
            None => Ok(Vec::new()),
        }
    }

    async fn check_file(
        &self,
        objects: &Objects,
        tree: &Tree,
        name: &str,
        entry: &ManifestEntry,
    ) -> Result<Vec<Damage>, StoreError> {
        let mut found = Vec::new();
        for (encoding, size) in entry.parts() {
            let bytes = objects
                .get(&SiteKeys(self.site()).part(tree, name, entry, encoding)?)
                .await?;
            let expected = entry.clone();
            // Unpacking and hashing take a while.
            let look = move || {
                bytes.map_or(Some(FileFlaw::Missing), |bytes| {
                    flaw(&bytes, size, encoding, &expected)
                })
            };
            let flaw = on_thread(look).await?;
            found.extend(flaw.map(|flaw| damage(tree, entry, encoding, flaw)));
        }
        Ok(found)
    }
}

fn flaw(
    bytes: &Bytes,
    size: u64,
    encoding: Option<Encoding>,
    expected: &ManifestEntry,
) -> Option<FileFlaw> {
    if u64::try_from(bytes.len()) != Ok(size) {
        return Some(FileFlaw::Size);
    }
    let is_right = match encoding.map(|encoding| (encoding, expected.encodings.get(encoding))) {
        None => ContentHash::of(bytes) == expected.hash,
        Some((_, Some(Variant { hash: expected, .. }))) => ContentHash::of(bytes) == *expected,
        Some((encoding, _)) => unpacked(bytes, encoding, expected.size)
            .is_ok_and(|plain| ContentHash::of(&plain) == expected.hash),
    };
    (!is_right).then_some(FileFlaw::Bytes)
}
