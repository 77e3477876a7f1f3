//! The records of a deployment: its commit, and one manifest per tree.
//!
//! They hold no clock and are written sorted, so equal content gives equal bytes. A manifest that did not change is
//! not written again; the commit names the deployment that wrote it.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{PublishError, Settings, Tree};
use crate::model::{Locale, PagePath, SourceRecord};

/// The form of commits and manifests; a newer one is refused.
pub(super) const FORMAT: u32 = 1;

/// What makes a deployment the site: its trees and how they are served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The form of this record.
    pub format: u32,
    /// The deployment's number, counted from 1.
    pub deployment: u64,
    /// The deployment that this one brought back, if it is a rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restores: Option<u64>,
    /// The newest deployment, up to this one, that brought an earlier one back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back: Option<u64>,
    /// How the files are served.
    pub settings: Settings,
    /// Where each tree's manifest lies.
    pub trees: BTreeMap<Tree, Shard>,
    /// Where the [`SourceIndex`] lies; deployments of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Shard>,
}

/// What a deployment was made of, so that it can be made again without the state that knew it.
///
/// Its records hold no validators: those change while the bytes stay the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIndex {
    /// The source as the build took it.
    pub records: BTreeMap<PagePath, SourceRecord>,
    /// Pages that a locale has in an older version than that, with the source of that version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<Locale, BTreeMap<PagePath, SourceRecord>>,
    /// Pages that a locale has as they were, because making them anew failed, with the deployment in which each was up
    /// to date for the last time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub up_to_date: BTreeMap<Locale, BTreeMap<PagePath, u64>>,
}

/// Names a manifest, or a source index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The deployment that wrote it.
    pub deployment: u64,
    /// The hash of its bytes.
    pub hash: String,
    /// How many files it names.
    pub objects: u64,
}

/// The files of one tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The files, by name.
    pub objects: BTreeMap<String, Entry>,
    /// Pages that the source site has and this tree lacks, or has only with a notice that they are not translated.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub missing: BTreeSet<PagePath>,
}

/// One published file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The deployment that wrote it.
    pub deployment: u64,
    /// The deployment that brought it back, where it had been away since it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// blake3 of its bytes, in hexadecimal.
    pub hash: String,
    /// Its length.
    pub size: u64,
    /// Its media type, as it is sent.
    pub content_type: String,
    /// Compressed variants beside it, with their lengths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub encodings: BTreeMap<Encoding, u64>,
    /// The path it answers to.
    pub path: PagePath,
    /// The address it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether search engines are asked to leave it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noindex: bool,
    /// The HTTP `Link` header that it is sent with (RFC 8288).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A compression in which files are stored beside the plain bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Brotli (RFC 7932).
    Brotli,
    /// gzip (RFC 1952).
    Gzip,
}

impl Encoding {
    /// The ending of a variant's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }

    /// The name in HTTP's `Content-Encoding`.
    pub fn token(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}

impl SourceIndex {
    /// An index of these records, without their validators.
    pub fn of<'r>(records: impl IntoIterator<Item = (&'r PagePath, &'r SourceRecord)>) -> Self {
        let plain = |(path, record): (&PagePath, &SourceRecord)| (path.clone(), record.without_validators());
        Self { records: records.into_iter().map(plain).collect(), ..Self::default() }
    }

    /// The names of the fetched bytes that are needed to make the deployment again.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let kept = self.kept.values().flat_map(BTreeMap::values);
        self.records.values().chain(kept).map(|record| record.name.as_str())
    }
}

impl Manifest {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.missing.is_empty()
    }
}

/// The hash by which content is compared and named: blake3 in hexadecimal.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Writes a record: one line of JSON, sorted.
pub(super) fn encode<T: Serialize>(record: &T, key: &str) -> Result<Bytes, PublishError> {
    let mut bytes = serde_json::to_vec(record).map_err(|error| damaged(key, error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes.into())
}

/// Reads a record.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8], key: &str) -> Result<T, PublishError> {
    serde_json::from_slice(bytes).map_err(|error| damaged(key, error.to_string()))
}

pub(super) fn damaged(key: &str, reason: String) -> PublishError {
    PublishError::Damaged { key: key.to_owned(), reason }
}
