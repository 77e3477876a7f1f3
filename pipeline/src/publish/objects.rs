//! An opened object store: a folder, memory or a bucket, with the few verbs that the rest of this room needs.
//!
//! On a disk every object is written to a file beside its place and renamed, so a reader sees the old bytes or the
//! new. What decides which deployment is the site goes through a second handle that also waits for the disk
//! (`fsync`); what a commit names is synchronized in one go before the commit is created.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::prefix::PrefixStore;
use object_store::{
    Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, ObjectStoreScheme, PutMode, PutOptions,
    RetryConfig,
};
use url::Url;

use super::PublishError;

/// How many objects are worked on at the same time.
pub(super) const PARALLEL: usize = 16;
/// Total time for one request to a bucket, repeats included.
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);

/// The bytes of an object as they arrive.
pub type ByteStream = BoxStream<'static, std::io::Result<Bytes>>;

/// An opened object store; cheap to clone.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    durable: Arc<dyn ObjectStore>,
    folder: Option<PathBuf>,
}

impl Objects {
    /// Opens a store: a folder (made if it is not there), `file://`, `memory:///` or `s3://bucket/prefix`.
    ///
    /// Options are those of the `object_store` crate, such as `aws_endpoint`; secrets are options too, because
    /// nothing here reads the environment.
    pub fn open(location: &str, options: &BTreeMap<String, String>) -> Result<Self, PublishError> {
        let failed = |reason: String| PublishError::Open { location: location.to_owned(), reason };
        let url = match Url::parse(location) {
            Ok(url) if location.contains("://") => url,
            _ => return Self::folder(Path::new(location)),
        };
        let (scheme, prefix) = ObjectStoreScheme::parse(&url).map_err(|error| failed(error.to_string()))?;
        match scheme {
            ObjectStoreScheme::Local => {
                let path = url.to_file_path().map_err(|()| failed("this is no path of a folder".to_owned()))?;
                Self::folder(&path)
            }
            ObjectStoreScheme::Memory => Ok(Self::memory()),
            ObjectStoreScheme::AmazonS3 => {
                let bucket = bucket(&url, options).map_err(|error| failed(error.to_string()))?;
                let store = Arc::new(PrefixStore::new(bucket, prefix));
                Ok(Self { durable: Arc::clone(&store) as _, store, folder: None })
            }
            ObjectStoreScheme::GoogleCloudStorage | ObjectStoreScheme::MicrosoftAzure | ObjectStoreScheme::Http | _ => {
                Err(failed(format!("this build has no support for {}:", url.scheme())))
            }
        }
    }

    /// Opens a folder, made if it is not there.
    pub fn folder(path: &Path) -> Result<Self, PublishError> {
        let failed = |reason: String| PublishError::Open { location: path.display().to_string(), reason };
        std::fs::create_dir_all(path).map_err(|error| failed(error.to_string()))?;
        let open = || LocalFileSystem::new_with_prefix(path).map(|store| store.with_automatic_cleanup(true));
        let store = open().map_err(|error| failed(error.to_string()))?;
        let durable = open().map_err(|error| failed(error.to_string()))?.with_fsync(true);
        let folder = std::fs::canonicalize(path).map_err(|error| failed(error.to_string()))?;
        Ok(Self { store: Arc::new(store), durable: Arc::new(durable), folder: Some(folder) })
    }

    /// Opens an empty store in memory.
    pub fn memory() -> Self {
        let store = Arc::new(InMemory::new());
        Self { durable: Arc::clone(&store) as _, store, folder: None }
    }

    /// Whether this is a folder on a disk; there a live tree costs no space.
    pub fn is_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// The same store with every call going through `wrap`, for tests that let calls fail.
    #[cfg(test)]
    pub(super) fn wrapped(&self, wrap: impl Fn(Arc<dyn ObjectStore>) -> Arc<dyn ObjectStore>) -> Self {
        Self {
            store: wrap(Arc::clone(&self.store)),
            durable: wrap(Arc::clone(&self.durable)),
            folder: self.folder.clone(),
        }
    }

    /// The file or folder on disk that a key stands for, if this store is a folder.
    pub(super) fn path(&self, key: &Key) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(key.as_ref()))
    }

    pub(super) async fn put(&self, key: &Key, bytes: Bytes) -> Result<(), PublishError> {
        self.store.put(key, bytes.into()).await.map(drop).map_err(failed("write", key))
    }

    /// Writes and waits until the disk has it.
    pub(super) async fn put_durably(&self, key: &Key, bytes: Bytes) -> Result<(), PublishError> {
        self.durable.put(key, bytes.into()).await.map(drop).map_err(failed("write", key))
    }

    /// Writes what must not exist yet and waits until the disk has it; says whether it did.
    pub(super) async fn create(&self, key: &Key, bytes: Bytes) -> Result<bool, PublishError> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.durable.put_opts(key, bytes.into(), options).await {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(source) => Err(failed("create", key)(source)),
        }
    }

    /// Reads an object; `None` where there is none.
    pub(super) async fn get(&self, key: &Key) -> Result<Option<Bytes>, PublishError> {
        let result = async { self.store.get(key).await?.bytes().await };
        match result.await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(source) => Err(failed("read", key)(source)),
        }
    }

    /// Opens an object, or a part of it, for reading piece by piece; `None` where there is none.
    pub(super) async fn stream(&self, key: &Key, part: Option<Range<u64>>) -> Result<Option<ByteStream>, PublishError> {
        let options = GetOptions { range: part.map(GetRange::Bounded), ..GetOptions::default() };
        match self.store.get_opts(key, options).await {
            Ok(found) => Ok(Some(found.into_stream().map_err(std::io::Error::from).boxed())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(source) => Err(failed("read", key)(source)),
        }
    }

    pub(super) async fn exists(&self, key: &Key) -> Result<bool, PublishError> {
        match self.store.head(key).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(source) => Err(failed("look for", key)(source)),
        }
    }

    /// When an object was written.
    pub(super) async fn written(&self, key: &Key) -> Result<SystemTime, PublishError> {
        self.store.head(key).await.map(|meta| meta.last_modified.into()).map_err(failed("look for", key))
    }

    /// Everything below a folder, sorted.
    pub(super) async fn list(&self, folder: &Key) -> Result<Vec<ObjectMeta>, PublishError> {
        let mut found: Vec<ObjectMeta> =
            self.store.list(Some(folder)).try_collect().await.map_err(failed("list", folder))?;
        found.sort_by(|one, other| one.location.cmp(&other.location));
        Ok(found)
    }

    /// The objects and the folders right in a folder.
    pub(super) async fn list_flat(&self, folder: &Key) -> Result<(Vec<ObjectMeta>, Vec<Key>), PublishError> {
        match self.store.list_with_delimiter(Some(folder)).await {
            Ok(found) => Ok((found.objects, found.common_prefixes)),
            Err(Error::NotFound { .. }) => Ok((Vec::new(), Vec::new())),
            Err(source) => Err(failed("list", folder)(source)),
        }
    }

    /// Deletes objects; what is not there is deleted already.
    pub(super) async fn delete(&self, keys: Vec<Key>) -> Result<(), PublishError> {
        futures::stream::iter(keys)
            .map(|key| async move {
                match self.store.delete(&key).await {
                    Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                    Err(source) => Err(failed("delete", &key)(source)),
                }
            })
            .buffer_unordered(PARALLEL)
            .try_collect()
            .await
    }

    /// Makes `to` the same object as `from`: a hard link on a disk that can, otherwise a copy.
    pub(super) async fn link(&self, from: &Key, to: &Key) -> Result<(), PublishError> {
        let refused = match self.store.copy(from, to).await {
            Ok(()) => return Ok(()),
            Err(source) => source,
        };
        match (self.folder.is_some(), &refused) {
            (true, Error::Generic { .. }) => match self.get(from).await? {
                Some(bytes) => self.put(to, bytes).await,
                None => Err(failed("copy", from)(refused)),
            },
            _ => Err(failed("copy", from)(refused)),
        }
    }
}

fn bucket(url: &Url, options: &BTreeMap<String, String>) -> Result<impl ObjectStore + use<>, Error> {
    let retry = RetryConfig { max_retries: 8, retry_timeout: RETRY_TIMEOUT, ..RetryConfig::default() };
    let mut builder = AmazonS3Builder::new().with_url(url.as_str()).with_retry(retry);
    for (name, value) in options {
        let name: AmazonS3ConfigKey = name.to_ascii_lowercase().parse()?;
        builder = builder.with_config(name, value);
    }
    builder.build()
}

fn failed(doing: &'static str, key: &Key) -> impl FnOnce(Error) -> PublishError + use<> {
    let key = key.to_string();
    move |source| PublishError::Store { doing, key, source }
}
