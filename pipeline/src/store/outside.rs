//! A bucket of somebody else's website: files with what is said about them. Nothing of ours lies there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::{
    Attribute, Attributes, ObjectStoreScheme, path::Path as Key, prefix::PrefixStore,
};
use url::Url;

use super::keys::key;
use super::{Encoding, Objects, StoreError, bucket};

/// What is put and removed to see whether one may.
const PROBE: &str = "_latimer/doctor";

/// An opened bucket; cheap to clone.
#[derive(Clone, Debug)]
pub struct Outside {
    /// What lies below the prefix.
    objects: Objects,
    /// The whole bucket, and the prefix in it.
    whole: Objects,
    prefix: Key,
}

/// What is said about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAttributes {
    /// Its media type.
    pub content_type: String,
    /// How long caches may keep it.
    pub cache: String,
    /// Its language, if it is one's.
    pub language: Option<String>,
    /// The compression of its bytes.
    pub encoding: Option<Encoding>,
}

/// A file as the bucket lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketFile {
    /// Its length in bytes.
    pub size: u64,
    /// By what the bucket knows its bytes.
    pub etag: Option<String>,
}

impl Outside {
    /// Opens `s3://`, `gs://` or `az://` with the options of the `object_store` crate; waits this long for it when it does
    /// not answer.
    ///
    /// # Errors
    /// [`StoreError::Open`] when the options are wrong.
    pub fn open(
        url: &Url,
        options: &BTreeMap<String, String>,
        patience: Duration,
    ) -> Result<Self, StoreError> {
        let failed = |error: object_store::Error| StoreError::Open {
            location: url.to_string(),
            reason: error.to_string(),
        };
        let (scheme, prefix) =
            ObjectStoreScheme::parse(url).map_err(|error| failed(error.into()))?;
        let store = bucket::open(&scheme, url, options).map_err(failed)?;
        let inside = Arc::new(PrefixStore::new(Arc::clone(&store), prefix.clone()));
        let objects = Objects::over(inside).with_patience(patience);
        Ok(Self {
            objects,
            whole: Objects::over(store).with_patience(patience),
            prefix,
        })
    }

    /// Writes a file; gives by what the bucket knows its bytes.
    ///
    /// # Errors
    /// A [`StoreError`] when the bucket refuses, or does not answer for long.
    pub async fn put(
        &self,
        name: &str,
        bytes: Bytes,
        about: &FileAttributes,
    ) -> Result<Option<String>, StoreError> {
        let mut attributes = Attributes::new();
        attributes.insert(Attribute::ContentType, about.content_type.clone().into());
        attributes.insert(Attribute::CacheControl, about.cache.clone().into());
        if let Some(language) = &about.language {
            attributes.insert(Attribute::ContentLanguage, language.clone().into());
        }
        if let Some(encoding) = about.encoding {
            attributes.insert(Attribute::ContentEncoding, encoding.token().into());
        }
        self.objects.put_with(&key(name)?, bytes, attributes).await
    }

    /// Puts a small file there and removes it.
    ///
    /// # Errors
    /// A [`StoreError`] when the bucket refuses, or does not answer for long.
    pub async fn try_out(&self) -> Result<(), StoreError> {
        let content_type = "text/plain".to_owned();
        let cache = "no-store".to_owned();
        let about = FileAttributes {
            content_type,
            cache,
            language: None,
            encoding: None,
        };
        self.put(PROBE, Bytes::from_static(b"latimer doctor\n"), &about)
            .await?;
        self.delete(&[PROBE.to_owned()]).await
    }

    /// Deletes files; what is not there is deleted already.
    ///
    /// # Errors
    /// A [`StoreError`] when the bucket refuses, or does not answer for long.
    pub async fn delete(&self, names: &[String]) -> Result<(), StoreError> {
        self.objects
            .delete(
                names
                    .iter()
                    .map(|name| key(name))
                    .collect::<Result<_, _>>()?,
            )
            .await
    }

    /// What a file says, if it is there.
    ///
    /// # Errors
    /// A [`StoreError`] when the bucket refuses, or does not answer for long.
    pub async fn read(&self, name: &str) -> Result<Option<Bytes>, StoreError> {
        self.objects.get(&key(name)?).await
    }

    /// The folders of the bucket that this one lies in, from the root on; the root is an empty name.
    pub fn folders_around(&self) -> Vec<String> {
        let prefix = self.prefix.as_ref();
        let above = prefix
            .match_indices('/')
            .map(|(at, _)| prefix[..at].to_owned());
        let root = (!prefix.is_empty()).then(String::new);
        root.into_iter().chain(above).collect()
    }

    /// What a file of a folder says that this one lies in.
    ///
    /// # Errors
    /// A [`StoreError`] when the bucket refuses, or does not answer for long.
    pub async fn read_around(&self, folder: &str, name: &str) -> Result<Option<Bytes>, StoreError> {
        let name = if folder.is_empty() {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        };
        self.whole.get(&key(&name)?).await
    }

    /// Everything that lies there, by name.
    ///
    /// # Errors
    /// A [`StoreError`] when the bucket refuses, or does not answer for long.
    pub async fn list(&self) -> Result<BTreeMap<String, BucketFile>, StoreError> {
        let found = self.objects.list_whole(&Key::default()).await?;
        let listed = |meta: object_store::ObjectMeta| {
            (
                meta.location.to_string(),
                BucketFile {
                    size: meta.size,
                    etag: meta.e_tag,
                },
            )
        };
        Ok(found.into_iter().map(listed).collect())
    }
}
