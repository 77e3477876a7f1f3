//! The records of a deployment: its commit, what it was made of, and how they name what lies under its hash.
//!
//! They hold no clock and are written sorted, so equal content gives equal bytes. A commit alone holds chance: the id of the
//! draft that became it, by which a builder knows its own commit from another's.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::is_zero;
use super::{ServingSettings, Tree};
use crate::model::{Locale, PagePath, SourceRecord, SourceRecords, SourceSitemaps};

/// The format of commits and manifests; any other is refused.
pub(super) const FORMAT: u32 = 3;

/// What makes a deployment the site: its trees and how they are served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The format of this record.
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
    /// True if a run made it that only rendered: words of people or switches changed. Of several in a row, a sweep keeps the newest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rendered: bool,
    /// How the files are served.
    pub settings: ServingSettings,
    /// Where each tree's manifest lies.
    pub trees: BTreeMap<Tree, Shard>,
    /// Name of the [`SourceIndex`]; `None` for a deployment without sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Shard>,
}

/// What a deployment was made of, so that it can be made again without the state that knew it.
///
/// Its records hold no validators: those change while the bytes stay the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIndex {
    /// The source as the build took it.
    pub records: SourceRecords,
    /// Pages that a locale has in an older version than that, with the source of that version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<Locale, SourceRecords>,
    /// Pages that a locale has as they were, because making them anew failed, with the deployment in which each was up
    /// to date for the last time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub up_to_date: BTreeMap<Locale, BTreeMap<PagePath, u64>>,
    /// What the source has for its own server (`.htaccess`), by name. It is no file of the site: nothing serves it, and a host
    /// alone that reads such files is told.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
    /// What the sitemaps of a crawled source say of its pages.
    #[serde(default, skip_serializing_if = "SourceSitemaps::is_empty")]
    pub sitemaps: SourceSitemaps,
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
    /// The draft that keeps this copy of it apart, see [`super::ManifestEntry::copy`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

impl Commit {
    /// Whether both make the same site: trees, settings and sources are equal, whoever made them and when.
    pub fn is_same_site(&self, other: &Self) -> bool {
        let Self {
            format,
            trees,
            settings,
            sources,
            ..
        } = self;
        *format == other.format
            && *trees == other.trees
            && *settings == other.settings
            && *sources == other.sources
    }
}

impl SourceIndex {
    /// An index of these records, without their validators.
    pub fn of<'r>(
        records: impl IntoIterator<Item = (&'r PagePath, &'r Arc<SourceRecord>)>,
    ) -> Self {
        let plain = |(path, record): (&PagePath, &Arc<SourceRecord>)| {
            (path.clone(), SourceRecord::plain(record))
        };
        Self {
            records: records.into_iter().map(plain).collect(),
            ..Self::default()
        }
    }

    /// The names of the fetched bytes that are needed to make the deployment again.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let kept = self.kept.values().flat_map(BTreeMap::values);
        self.records
            .values()
            .chain(kept)
            .flat_map(|record| record.names())
    }
}
