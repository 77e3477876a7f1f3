//! An object store whose n-th call fails: once, with its answer lost, or with every call after it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteFault {
    /// One call does nothing and fails.
    Once,
    /// One call works, but its caller is told that it failed.
    LostAnswer,
    /// The disk is full: from this call on nothing is written any more.
    Full,
    /// The process is killed: from this call on nothing happens any more.
    Dead,
}

/// Counts the calls of all stores it wraps.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    fault: WriteFault,
    at: usize,
    calls: Arc<AtomicUsize>,
}

impl Faults {
    pub(super) fn new(fault: WriteFault, at: usize) -> Self {
        Self {
            fault,
            at,
            calls: Arc::default(),
        }
    }

    pub(super) fn wrap(&self, store: Arc<dyn ObjectStore>) -> Arc<dyn ObjectStore> {
        Arc::new(Faulty {
            store,
            faults: self.clone(),
        })
    }

    pub(super) fn happened(&self) -> bool {
        self.calls.load(Ordering::SeqCst) >= self.at
    }

    /// Counts a call: `Ok(true)` if it shall act and then fail.
    fn call(&self) -> Result<bool> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        match self.fault {
            WriteFault::Once if call == self.at => Err(broken()),
            WriteFault::Dead if call >= self.at => Err(broken()),
            WriteFault::LostAnswer if call == self.at => Ok(true),
            WriteFault::Once | WriteFault::Dead | WriteFault::LostAnswer | WriteFault::Full => {
                Ok(false)
            }
        }
    }

    /// Counts a call that needs room.
    fn write(&self) -> Result<bool> {
        match self.call() {
            Ok(false) if self.fault == WriteFault::Full && self.happened() => Err(full()),
            other => other,
        }
    }
}

fn broken() -> Error {
    // Not `Generic`: that is how a disk without hard links answers.
    Error::PermissionDenied {
        path: String::new(),
        source: "a fault of the test".into(),
    }
}

/// What a folder says then.
fn full() -> Error {
    let source = std::io::Error::from_raw_os_error(28);
    Error::Generic {
        store: "LocalFileSystem",
        source: Box::new(source),
    }
}

fn answer<T>(lost: bool, result: Result<T>) -> Result<T> {
    if lost {
        result.and(Err(broken()))
    } else {
        result
    }
}

#[derive(Debug)]
struct Faulty {
    store: Arc<dyn ObjectStore>,
    faults: Faults,
}

impl fmt::Display for Faulty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "faulty {}", self.store)
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(
        &self,
        key: &Key,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let lost = self.faults.write()?;
        answer(lost, self.store.put_opts(key, payload, options).await)
    }

    async fn put_multipart_opts(
        &self,
        key: &Key,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let lost = self.faults.call()?;
        answer(lost, self.store.put_multipart_opts(key, options).await)
    }

    async fn get_opts(&self, key: &Key, options: GetOptions) -> Result<GetResult> {
        let lost = self.faults.call()?;
        answer(lost, self.store.get_opts(key, options).await)
    }

    fn delete_stream(
        &self,
        keys: BoxStream<'static, Result<Key>>,
    ) -> BoxStream<'static, Result<Key>> {
        let store = Arc::clone(&self.store);
        let faults = self.faults.clone();
        keys.and_then(move |key| {
            let store = Arc::clone(&store);
            let faults = faults.clone();
            async move {
                let lost = faults.call()?;
                let one = futures::stream::once(async move { Ok(key) }).boxed();
                let deleted = store.delete_stream(one).try_collect::<Vec<_>>().await;
                answer(lost, deleted.map(|mut keys| keys.remove(0)))
            }
        })
        .boxed()
    }

    fn list(&self, prefix: Option<&Key>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.faults.call() {
            Ok(false) => self.store.list(prefix),
            Ok(true) | Err(_) => futures::stream::once(async { Err(broken()) }).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Key>) -> Result<ListResult> {
        let lost = self.faults.call()?;
        answer(lost, self.store.list_with_delimiter(prefix).await)
    }

    async fn copy_opts(&self, from: &Key, to: &Key, options: CopyOptions) -> Result<()> {
        let lost = self.faults.write()?;
        answer(lost, self.store.copy_opts(from, to, options).await)
    }
}
