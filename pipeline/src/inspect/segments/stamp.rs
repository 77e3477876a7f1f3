//! Stamps: by them an index tells whether it is current.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::index::SegmentsRevision;
use crate::config::SiteConfig;
use crate::model::Locale;
use crate::run::corpus::stored_texts::sources_hash;
use crate::run::{BuildError, Stores};
use crate::state::State;
use crate::store::Published;

/// Stamp of the texts of a site: the sources of the deployment, and the revision of the rows in the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceStamp {
    sources: Option<String>,
    revision: u64,
}

/// Stamp of the words of a locale: its files, and the changes of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocaleStamp {
    pub(super) files: Vec<Option<FileStamp>>,
    pub(super) changes: u64,
    /// The revision of people's words in the state.
    pub(super) people: u64,
}

/// Length, inode, and times of the last change of a file, in seconds and nanoseconds.
type FileStamp = (u64, u64, [i64; 4]);

impl SourceStamp {
    pub(super) fn of(published: &Published, revision: u64) -> Self {
        Self {
            sources: sources_hash(published).map(str::to_owned),
            revision,
        }
    }

    /// The stamp of the rows that the state has now; `None` if they are of another deployment.
    pub(super) async fn read(
        site: &SiteConfig,
        stores: &Stores,
        published: &Published,
    ) -> Result<Option<Self>, BuildError> {
        let id = site.id.clone();
        let record = stores
            .with_state(move |state| state.text_record(&id))
            .await?;
        let hash = sources_hash(published);
        let record = record.filter(|record| Some(record.sources.as_str()) == hash);
        Ok(record.map(|record| Self::of(published, record.revision)))
    }
}

impl LocaleStamp {
    /// True if nothing but people's words in the state differs.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        self.files == other.files && self.changes == other.changes && self.people < other.people
    }

    /// The revision of segments that were made from this, and from the texts of a site.
    pub(super) fn revision(&self, source: &SourceStamp) -> SegmentsRevision {
        let inputs = format!("{:?}", (source, &self.files, self.changes));
        let hash = blake3::hash(inputs.as_bytes());
        SegmentsRevision {
            people: self.people,
            inputs: hash
                .as_bytes()
                .first_chunk()
                .map_or(0, |bytes| u64::from_le_bytes(*bytes)),
        }
    }

    /// True if the files did not change between two stamps.
    pub(super) fn has_files_of(&self, other: &Self) -> bool {
        self.files == other.files
    }

    pub(super) async fn read(
        site: &SiteConfig,
        stores: &Stores,
        locale: &Locale,
    ) -> Result<Self, BuildError> {
        let id = site.id.clone();
        let tag = locale.clone();
        let read = move |state: &State| {
            let changes = state.memory_ledger(&id, &tag)?.changes;
            Ok((changes, state.people_revision(&id, &tag)?))
        };
        let (changes, people) = stores.with_state(read).await?;
        let of_locale = [&site.translations, &site.memory].into_iter().flatten();
        let mut files: Vec<_> = of_locale.map(|file| stamp(&file.path(locale))).collect();
        files.extend(site.glossary.as_deref().map(stamp));
        Ok(Self {
            files,
            changes,
            people,
        })
    }
}

fn stamp(file: &Path) -> Option<FileStamp> {
    let found = fs::metadata(file).ok()?;
    let times = [
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
    ];
    Some((found.len(), found.ino(), times))
}
