//! The records of a deployment: its commit, and one manifest per tree.
//!
//! They hold no clock and are written sorted, so equal content gives equal bytes. Manifests lie under the hash of their
//! bytes, so one that did not change is not written again. A commit alone holds chance: the id of the draft that became
//! it, by which a builder knows its own commit from another's.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::record::is_zero;
use super::{Settings, Tree};
use crate::model::{Locale, PagePath, SourceRecord};

/// The form of commits and manifests; a newer one is refused.
pub(super) const FORMAT: u32 = 2;

/// What makes a deployment the site: its trees and how they are served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The form of this record.
    pub format: u32,
    /// The deployment's number, counted from 1.
    pub deployment: u64,
    /// The draft that became this deployment; two builders never have the same.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub draft: String,
    /// Never lower than that of an earlier deployment: readers pass over one that is.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fence: u64,
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
    /// What the source has for its own server (`.htaccess`), by name. It is no file of the site: nothing serves it, and a host
    /// alone that reads such files is told.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
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
    /// The draft that keeps this copy of it apart, see [`Entry::copy`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
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
    /// The draft that keeps this copy of the bytes apart: the key of the bytes alone was old and named by nobody, so that
    /// a sweep may be about to delete it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// Its length.
    pub size: u64,
    /// Its media type, as it is sent.
    pub content_type: String,
    /// Its compressed variants.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub encodings: BTreeMap<Encoding, Variant>,
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

/// A file's bytes, compressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RecordedVariant")]
pub struct Variant {
    /// blake3 of the compressed bytes, in hexadecimal; deployments of the first form have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The draft that keeps this copy of them apart, see [`Entry::copy`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// Their length.
    pub size: u64,
}

/// A variant as manifests have it; the first form has its length alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum RecordedVariant {
    Length(u64),
    Whole { hash: Option<String>, copy: Option<String>, size: u64 },
}

impl From<RecordedVariant> for Variant {
    fn from(recorded: RecordedVariant) -> Self {
        match recorded {
            RecordedVariant::Length(size) => Self { hash: None, copy: None, size },
            RecordedVariant::Whole { hash, copy, size } => Self { hash, copy, size },
        }
    }
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

impl Commit {
    /// Whether both make the same site: trees, settings and sources are equal, whoever made them and when.
    pub fn is_same_site(&self, other: &Self) -> bool {
        let Self { format, trees, settings, sources, .. } = self;
        *format == other.format && *trees == other.trees && *settings == other.settings && *sources == other.sources
    }
}

impl Entry {
    /// The file and its variants, with their lengths.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Option<Encoding>, u64)> {
        let variants = self.encodings.iter().map(|(encoding, variant)| (Some(*encoding), variant.size));
        std::iter::once((None, self.size)).chain(variants)
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
        self.records.values().chain(kept).flat_map(SourceRecord::names)
    }
}

impl Manifest {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.missing.is_empty()
    }
}
