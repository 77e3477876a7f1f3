//! A bucket in memory: what was put on it yesterday can be told, and the answer of one write can be lost.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// More than a day, the time for which a sweep leaves things alone.
const AGE: Duration = Duration::from_secs(25 * 3600);

/// A bucket; clones are the same one.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    store: Arc<InMemory>,
    notes: Arc<Mutex<Notes>>,
}

#[derive(Clone, Debug, Default)]
struct Notes {
    /// What was written a day ago and not since.
    old: HashSet<Key>,
    /// Writes until the one whose answer is lost.
    until_lost: Option<usize>,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            notes: Arc::default(),
        }
    }

    /// Another bucket with the same things on it, all of them a day old.
    pub(crate) async fn a_day_later(&self) -> Self {
        let old = self
            .store
            .list(None)
            .map_ok(|meta| meta.location)
            .try_collect()
            .await
            .expect("it lists");
        let notes = Notes {
            old,
            until_lost: None,
        };
        Self {
            store: Arc::new(self.store.fork()),
            notes: Arc::new(Mutex::new(notes)),
        }
    }

    /// Lets one write, after so many others, happen without an answer.
    pub(crate) fn lose_answer_after(&self, writes: usize) {
        self.notes.lock().unwrap().until_lost = Some(writes);
    }

    fn written<T>(&self, key: &Key, answer: Result<T>) -> Result<T> {
        let mut notes = self.notes.lock().unwrap();
        if answer.is_ok() {
            notes.old.remove(key);
        }
        let is_lost = notes.until_lost == Some(0);
        notes.until_lost = notes.until_lost.and_then(|writes| writes.checked_sub(1));
        if is_lost { Err(lost()) } else { answer }
    }

    fn dated(&self, meta: ObjectMeta) -> ObjectMeta {
        let is_old = self.notes.lock().unwrap().old.contains(&meta.location);
        ObjectMeta {
            last_modified: if is_old {
                meta.last_modified - AGE
            } else {
                meta.last_modified
            },
            ..meta
        }
    }
}

fn lost() -> Error {
    Error::Generic {
        store: "shelf",
        source: "the answer was lost".into(),
    }
}

impl fmt::Display for Shelf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("shelf")
    }
}

#[async_trait]
impl ObjectStore for Shelf {
    async fn put_opts(
        &self,
        key: &Key,
        bytes: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let answer = self.store.put_opts(key, bytes, options).await;
        self.written(key, answer)
    }

    async fn put_multipart_opts(
        &self,
        _: &Key,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(Error::NotImplemented {
            operation: "put_multipart".to_owned(),
            implementer: "shelf".to_owned(),
        })
    }

    async fn get_opts(&self, key: &Key, options: GetOptions) -> Result<GetResult> {
        let found = self.store.get_opts(key, options).await?;
        let meta = self.dated(found.meta.clone());
        Ok(GetResult { meta, ..found })
    }

    fn delete_stream(
        &self,
        keys: BoxStream<'static, Result<Key>>,
    ) -> BoxStream<'static, Result<Key>> {
        let shelf = self.clone();
        let deleted = self.store.delete_stream(keys);
        deleted
            .map(move |key| key.and_then(|key| shelf.written(&key.clone(), Ok(key))))
            .boxed()
    }

    fn list(&self, prefix: Option<&Key>) -> BoxStream<'static, Result<ObjectMeta>> {
        let shelf = self.clone();
        self.store
            .list(prefix)
            .map_ok(move |meta| shelf.dated(meta))
            .boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Key>) -> Result<ListResult> {
        let found = self.store.list_with_delimiter(prefix).await?;
        Ok(ListResult {
            objects: found
                .objects
                .into_iter()
                .map(|meta| self.dated(meta))
                .collect(),
            ..found
        })
    }

    async fn copy_opts(&self, from: &Key, to: &Key, options: CopyOptions) -> Result<()> {
        let answer = self.store.copy_opts(from, to, options).await;
        self.written(to, answer)
    }
}
