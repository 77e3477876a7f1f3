//! An opened object store: a folder, memory or a bucket, with the few verbs that the rest of this room needs.
//!
//! On a disk every object is written to a file beside its place and renamed, so a reader sees the old bytes or the
//! new. What decides which deployment is the site goes through a second handle that also waits for the disk
//! (`fsync`); what a commit names is synchronized in one go before the commit is created.
//!
//! With a bucket every verb is patient ([`super::patience`]): what did not work is tried again as a whole, so each of
//! them may act twice and leaves the same.
//!
//! One file: the operations of one wrapper.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::prefix::PrefixStore;
use object_store::{
    Attributes, Error, GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt,
    ObjectStoreScheme, PutMode, PutOptions,
};
use tokio::sync::Mutex;
use url::Url;

use super::keys::SiteKeys;
use super::listed::{self, ListedObject, PIECE};
use super::patience::{GaveUp, Patience, spoken};
use super::quota::Quota;
use super::root::StoreRoot;
use super::settings::all_variants;
use super::{Encoding, StoreError, bucket};
use crate::causes;
use crate::model::SiteId;

/// How many objects are worked on at the same time.
pub(super) const PARALLEL: usize = 16;
/// How long to wait before what a store refused to create and does not have is created again.
const CREATE_PAUSES: [Duration; 6] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
];

/// What is written to see whether there is room; no site is called so.
const PROBE: &str = "_probe";
const PROBE_BYTES: usize = 256 << 10;

/// What lies at a key after the attempt to create it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Created {
    /// Our bytes; nothing was there before.
    New,
    /// Our bytes, from an earlier try whose answer was lost or from somebody who wrote the same.
    Same,
    /// Somebody else's bytes, which were there first.
    Other(Bytes),
}

/// An opened object store; cheap to clone.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    durable: Arc<dyn ObjectStore>,
    folder: Option<StoreRoot>,
    /// What a bucket needs and nothing else: a folder answers at once or never.
    pub(super) patience: Option<Patience>,
    /// Requests that failed for good, of all clones.
    errors: Arc<AtomicU64>,
    /// The compressed variants that files get.
    variants: Arc<BTreeSet<Encoding>>,
    /// Quota of the sources and pages of a site, if there is one.
    quota: Option<Arc<Quota>>,
}

impl Objects {
    /// Opens a store: a folder (made if it is not there), `file://`, `memory:///` or `s3://bucket/prefix`.
    ///
    /// Options are those of the `object_store` crate, such as `aws_endpoint`; secrets are options too, because
    /// nothing here reads the environment.
    pub fn open(location: &str, options: &BTreeMap<String, String>) -> Result<Self, StoreError> {
        let failed = |reason: String| StoreError::Open {
            location: location.to_owned(),
            reason,
        };
        let url = match Url::parse(location) {
            Ok(url) if location.contains("://") => url,
            _ => return Self::folder(Path::new(location)),
        };
        let (scheme, prefix) =
            ObjectStoreScheme::parse(&url).map_err(|error| failed(error.to_string()))?;
        match scheme {
            ObjectStoreScheme::Local => {
                let path = url
                    .to_file_path()
                    .map_err(|()| failed("this is no path of a folder".to_owned()))?;
                Self::folder(&path)
            }
            ObjectStoreScheme::Memory => Ok(Self::memory()),
            ObjectStoreScheme::AmazonS3 => {
                let bucket = bucket::open(&scheme, &url, options)
                    .map_err(|error| failed(error.to_string()))?;
                let store = Arc::new(PrefixStore::new(bucket, prefix));
                let patience = Some(Patience::new(location.to_owned()));
                Ok(Self {
                    durable: Arc::clone(&store) as _,
                    store,
                    folder: None,
                    patience,
                    errors: Arc::default(),
                    variants: Arc::new(all_variants()),
                    quota: None,
                })
            }
            ObjectStoreScheme::GoogleCloudStorage
            | ObjectStoreScheme::MicrosoftAzure
            | ObjectStoreScheme::Http
            | _ => Err(failed(format!(
                "this build has no support for {}:",
                url.scheme()
            ))),
        }
    }

    /// Opens a folder, made if it is not there.
    pub fn folder(path: &Path) -> Result<Self, StoreError> {
        let failed = |reason: String| StoreError::Open {
            location: path.display().to_string(),
            reason,
        };
        std::fs::create_dir_all(path).map_err(|error| failed(error.to_string()))?;
        let open = || {
            LocalFileSystem::new_with_prefix(path).map(|store| store.with_automatic_cleanup(true))
        };
        let store = open().map_err(|error| failed(error.to_string()))?;
        let durable = open()
            .map_err(|error| failed(error.to_string()))?
            .with_fsync(true);
        let folder = StoreRoot::open(path).map_err(|error| failed(error.to_string()))?;
        let store = Arc::new(store);
        let durable = Arc::new(durable);
        let folder = Some(folder);
        Ok(Self {
            store,
            durable,
            folder,
            patience: None,
            errors: Arc::default(),
            variants: Arc::new(all_variants()),
            quota: None,
        })
    }

    /// Opens an empty store in memory.
    pub fn memory() -> Self {
        let store = Arc::new(InMemory::new());
        Self {
            durable: Arc::clone(&store) as _,
            store,
            folder: None,
            patience: None,
            errors: Arc::default(),
            variants: Arc::new(all_variants()),
            quota: None,
        }
    }

    /// Uses a store that the caller has opened; like a bucket, it knows no locks, and what fails is tried again.
    pub fn over(store: Arc<dyn ObjectStore>) -> Self {
        let patience = Some(Patience::new(store.to_string()));
        Self {
            durable: Arc::clone(&store),
            store,
            folder: None,
            patience,
            errors: Arc::default(),
            variants: Arc::new(all_variants()),
            quota: None,
        }
    }

    /// The same store, waited for this long when it does not answer.
    #[must_use]
    pub fn with_patience(self, longest: Duration) -> Self {
        Self {
            patience: self.patience.map(|patience| patience.with_longest(longest)),
            ..self
        }
    }

    /// The same store, in which files get these compressed variants.
    #[must_use]
    pub fn with_variants(self, variants: BTreeSet<Encoding>) -> Self {
        Self {
            variants: Arc::new(variants),
            ..self
        }
    }

    /// The same store with a quota on the sources and pages of a site. The bytes that are stored already count.
    pub async fn within(&self, site: &SiteId, most: u64) -> Result<Self, StoreError> {
        let taken = self
            .list_into(
                &SiteKeys(site).site()?,
                |sum: &mut u64, listed: ListedObject| *sum += listed.size,
            )
            .await?;
        Ok(Self {
            quota: Some(Arc::new(Quota::new(most, taken))),
            ..self.clone()
        })
    }

    /// Writes what counts for the quota.
    pub(super) async fn put_within(&self, key: &Key, bytes: Bytes) -> Result<(), StoreError> {
        if let Some(quota) = &self.quota {
            quota.take(bytes.len())?;
        }
        self.put(key, bytes).await
    }

    /// The compressed variants that files get here.
    pub fn variants(&self) -> &Arc<BTreeSet<Encoding>> {
        &self.variants
    }

    /// The same store for those who answer readers, who do not wait long.
    #[must_use]
    pub fn for_readers(&self) -> Self {
        Self {
            patience: self.patience.as_ref().map(Patience::of_readers),
            ..self.clone()
        }
    }

    /// The same store; while somebody waits for it, `tell` gets a sentence about that now and then.
    #[must_use]
    pub fn telling(self, tell: fn(&str)) -> Self {
        if let Some(patience) = &self.patience {
            patience.telling(tell);
        }
        self
    }

    /// How often the store failed since it was opened, where trying again did not help or there was nothing to try.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Looks whether there is room in a folder: writes something, and takes it back. A bucket always has room.
    pub async fn probe(&self) -> Result<(), StoreError> {
        if self.folder.is_none() {
            return Ok(());
        }
        let key = Key::from(PROBE);
        let written = self.put(&key, Bytes::from_static(&[0; PROBE_BYTES])).await;
        self.delete(vec![key]).await?;
        written
    }

    /// Makes sure that the folder of a store is still the one that was opened. A bucket says so itself.
    ///
    /// # Errors
    /// [`StoreError::Gone`] when it is not.
    pub fn check(&self) -> Result<(), StoreError> {
        self.folder.as_ref().map_or(Ok(()), StoreRoot::check)
    }

    /// Whether this is a folder on a disk; there a live tree costs no space.
    pub fn is_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// The same store with every call going through `wrap`, for tests that let calls fail.
    #[cfg(test)]
    pub(super) fn wrapped(
        &self,
        wrap: impl Fn(Arc<dyn ObjectStore>) -> Arc<dyn ObjectStore>,
    ) -> Self {
        Self {
            store: wrap(Arc::clone(&self.store)),
            durable: wrap(Arc::clone(&self.durable)),
            ..self.clone()
        }
    }

    /// The file or folder on disk that a key stands for, if this store is a folder.
    pub(super) fn path(&self, key: &Key) -> Option<PathBuf> {
        self.folder
            .as_ref()
            .map(|folder| folder.path().join(key.as_ref()))
    }

    pub(super) async fn put(&self, key: &Key, bytes: Bytes) -> Result<(), StoreError> {
        self.attempt("write", key, || self.store.put(key, bytes.clone().into()))
            .await
            .map(drop)
    }

    /// Writes with attributes; returns the ETag.
    pub(super) async fn put_with(
        &self,
        key: &Key,
        bytes: Bytes,
        attributes: Attributes,
    ) -> Result<Option<String>, StoreError> {
        let options = || PutOptions {
            attributes: attributes.clone(),
            ..PutOptions::default()
        };
        let put = || self.store.put_opts(key, bytes.clone().into(), options());
        self.attempt("write", key, put).await.map(|put| put.e_tag)
    }

    /// Writes and waits until the disk has it.
    pub(super) async fn put_durably(&self, key: &Key, bytes: Bytes) -> Result<(), StoreError> {
        self.attempt("write", key, || self.durable.put(key, bytes.clone().into()))
            .await
            .map(drop)
    }

    /// Writes what must not exist yet, waits until the disk has it, and says what lies there then.
    ///
    /// A bucket may refuse although nothing is there (409, while another writes the same key), and may lose the answer
    /// of a try that worked. So after a refusal only the bytes that lie there tell what happened.
    pub(super) async fn create(&self, key: &Key, bytes: Bytes) -> Result<Created, StoreError> {
        let options = || PutOptions {
            mode: PutMode::Create,
            ..PutOptions::default()
        };
        let create = || async {
            match self
                .durable
                .put_opts(key, bytes.clone().into(), options())
                .await
            {
                Ok(_) => Ok(None),
                Err(refused @ (Error::AlreadyExists { .. } | Error::Precondition { .. })) => {
                    Ok(Some(refused))
                }
                Err(error) => Err(error),
            }
        };
        let mut pauses = CREATE_PAUSES.into_iter();
        loop {
            let Some(refused) = self.attempt("create", key, create).await? else {
                return Ok(Created::New);
            };
            match (self.get(key).await?, pauses.next()) {
                (Some(there), _) if there == bytes => return Ok(Created::Same),
                (Some(there), _) => return Ok(Created::Other(there)),
                (None, Some(pause)) => tokio::time::sleep(pause).await,
                (None, None) => return Err(self.failed("create", key, refused)),
            }
        }
    }

    /// Reads an object as a whole; `None` where there is none.
    pub(super) async fn get(&self, key: &Key) -> Result<Option<Bytes>, StoreError> {
        self.attempt("read", key, || async {
            absent(async { self.store.get(key).await?.bytes().await }.await)
        })
        .await
    }

    /// The beginning of an answer, without its bytes.
    pub(super) async fn start(
        &self,
        key: &Key,
        options: GetOptions,
    ) -> Result<Option<GetResult>, StoreError> {
        self.attempt("read", key, || async {
            absent(self.store.get_opts(key, options.clone()).await)
        })
        .await
    }

    pub(super) async fn exists(&self, key: &Key) -> Result<bool, StoreError> {
        let found = self.attempt("look for", key, || async {
            absent(self.store.head(key).await)
        });
        found.await.map(|found| found.is_some())
    }

    /// When an object was written.
    pub(super) async fn written(&self, key: &Key) -> Result<SystemTime, StoreError> {
        let found = self.attempt("look for", key, || self.store.head(key));
        found.await.map(|meta| meta.last_modified.into())
    }

    /// Everything below a folder, sorted.
    pub(super) async fn list(&self, folder: &Key) -> Result<Vec<ListedObject>, StoreError> {
        let mut found: Vec<ListedObject> = self.list_into(folder, Vec::push).await?;
        found.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        Ok(found)
    }

    /// What `add` makes of everything below a folder, in no order: of hundreds of thousands of objects mostly little is kept.
    pub(super) async fn list_into<T, F>(&self, folder: &Key, add: F) -> Result<T, StoreError>
    where
        T: Default + Send + 'static,
        F: Fn(&mut T, ListedObject) + Clone + Send + 'static,
    {
        if let Some(root) = &self.folder {
            self.check()?;
            let root = root.path().to_path_buf();
            let folder = folder.clone();
            let add = add.clone();
            let list = move || {
                let mut found = T::default();
                // What went wrong is said by the store.
                listed::list(&root, &folder, PIECE, |listed| add(&mut found, listed))
                    .unwrap_or(false)
                    .then_some(found)
            };
            if let Some(found) = tokio::task::spawn_blocking(list).await? {
                return Ok(found);
            }
        }
        let mut found = T::default();
        for ObjectMeta {
            location: key,
            size,
            last_modified,
            ..
        } in self.list_whole(folder).await?
        {
            add(
                &mut found,
                ListedObject {
                    key,
                    size,
                    written: last_modified.into(),
                },
            );
        }
        Ok(found)
    }

    /// The same with all that the store says of each.
    pub(super) async fn list_whole(&self, folder: &Key) -> Result<Vec<ObjectMeta>, StoreError> {
        let found = Mutex::default();
        self.attempt("list", folder, || self.list_more(folder, &found))
            .await?;
        let mut found = found.into_inner();
        found.sort_by(|one: &ObjectMeta, other: &ObjectMeta| one.location.cmp(&other.location));
        found.dedup_by(|one, other| one.location == other.location);
        Ok(found)
    }

    /// Lists on behind what was found: one fault in a long list does not cost the whole list.
    async fn list_more(&self, folder: &Key, found: &Mutex<Vec<ObjectMeta>>) -> Result<(), Error> {
        let mut found = found.lock().await;
        // There are buckets without an order.
        if !found.is_sorted_by(|one, other| one.location <= other.location) {
            found.clear();
        }
        let mut more = match found.last() {
            Some(last) => self.store.list_with_offset(Some(folder), &last.location),
            None => self.store.list(Some(folder)),
        };
        while let Some(meta) = more.try_next().await? {
            found.push(meta);
        }
        Ok(())
    }

    /// The objects and the folders right in a folder.
    pub(super) async fn list_flat(
        &self,
        folder: &Key,
    ) -> Result<(Vec<ObjectMeta>, Vec<Key>), StoreError> {
        let list = || async { absent(self.store.list_with_delimiter(Some(folder)).await) };
        let found = self.attempt("list", folder, list).await?;
        Ok(found
            .map(|found| (found.objects, found.common_prefixes))
            .unwrap_or_default())
    }

    /// Deletes objects; what is not there is deleted already.
    pub(super) async fn delete(&self, keys: Vec<Key>) -> Result<(), StoreError> {
        futures::stream::iter(keys)
            .map(|key| async move {
                let delete = || async { absent(self.store.delete(&key).await) };
                self.attempt("delete", &key, delete).await.map(drop)
            })
            .buffer_unordered(PARALLEL)
            .try_collect()
            .await
    }

    /// Makes `to` the same object as `from`: a hard link on a disk that can, otherwise a copy.
    pub(super) async fn link(&self, from: &Key, to: &Key) -> Result<(), StoreError> {
        let Some(folder) = &self.folder else {
            return self
                .attempt("copy", from, || self.store.copy(from, to))
                .await;
        };
        folder.check()?;
        match self.store.copy(from, to).await {
            Ok(()) => Ok(()),
            // A disk that has no hard links; what is wrong with the file itself is found by reading and writing it.
            Err(Error::Generic { .. }) => match self.get(from).await? {
                Some(bytes) => self.put(to, bytes).await,
                None => Err(gone(folder.path(), from)),
            },
            Err(refused) => Err(self.failed("copy", from, refused)),
        }
    }

    /// Makes a request, again and again where that may help.
    async fn attempt<T, F>(
        &self,
        doing: &'static str,
        key: &Key,
        mut request: impl FnMut() -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let Some(patience) = &self.patience else {
            self.check()?;
            return request()
                .await
                .map_err(|error| self.failed(doing, key, error));
        };
        match patience.attempt(request, bucket::judge).await {
            Ok(value) => Ok(value),
            Err(GaveUp::Answer(error)) => Err(self.failed(doing, key, error)),
            Err(GaveUp::Away { waited, cause }) => {
                self.errors.fetch_add(1, Ordering::Relaxed);
                Err(StoreError::Away {
                    store: patience.store().to_owned(),
                    waited: spoken(waited),
                    cause,
                })
            }
        }
    }

    fn failed(&self, doing: &'static str, key: &Key, source: Error) -> StoreError {
        self.errors.fetch_add(1, Ordering::Relaxed);
        let of_disk = self.path(key).zip(disk_error(&source));
        match (&self.patience, of_disk) {
            (Some(patience), _) => StoreError::Refused {
                doing,
                key: key.to_string(),
                store: patience.store().to_owned(),
                reason: bucket::explain(&source),
            },
            (None, Some((path, source))) => StoreError::Disk {
                doing,
                path,
                source,
            },
            (None, None) => StoreError::Store {
                doing,
                key: key.to_string(),
                source,
            },
        }
    }
}

fn absent<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What the system says of a file, such as that the disk is full.
fn disk_error(error: &Error) -> Option<std::io::Error> {
    let code = causes::of(error)
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .find_map(std::io::Error::raw_os_error);
    code.map(std::io::Error::from_raw_os_error)
}

fn gone(folder: &Path, key: &Key) -> StoreError {
    let path = folder.join(key.as_ref());
    StoreError::Disk {
        doing: "copy",
        path,
        source: std::io::ErrorKind::NotFound.into(),
    }
}
