//! Refusing a place that another site has, or that lies in one or around one.
//!
//! A store that remembers a place believes that; one that does not looks for the mark there, in the folders around it, and in
//! those below.

use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::error::TargetError;
use super::mark::{MARK, is_ours};
use super::place::blocking;
use super::work::Publishing;
use crate::config::{FolderLayout, PublishTo};
use crate::store::{Outside, StoreError, TargetRecord};

impl Publishing<'_> {
    /// Refuses a place that another site has, or that lies in one or around one.
    pub(super) async fn claim(&self, record: &TargetRecord) -> Result<(), TargetError> {
        let url = self.published.settings().url.as_deref();
        let is_known = record.objects.contains_key(MARK);
        match &self.target.to {
            PublishTo::Folder { folder, layout } => {
                let is_new = record.objects.is_empty();
                let is_plain = *layout == FolderLayout::Plain;
                let (own, around, below) =
                    blocking(folder, move |folder| Ok(marks(folder, is_new && is_plain))).await?;
                let own =
                    own.filter(|said| is_plain && !is_known && !is_ours(said, self.target, url));
                claimed(own.map(|said| (folder.clone(), said)).or(around).or(below))
            }
            // What a dry run says must not need the bucket.
            PublishTo::Bucket { .. }
                if is_known || self.options.dry_run && !self.options.verify =>
            {
                Ok(())
            }
            PublishTo::Bucket {
                url: place,
                options,
                ..
            } => {
                let bucket = Outside::open(place, options, self.options.patience)?;
                let path = |name: &str| {
                    PathBuf::from(format!("{}/{name}", place.as_str().trim_end_matches('/')))
                };
                let own =
                    seen(bucket.read(MARK).await)?.filter(|said| !is_ours(said, self.target, url));
                let mut found = own.map(|said| (path(""), said));
                for above in bucket.folders_around() {
                    if found.is_none() {
                        found = seen(bucket.read_around(&above, MARK).await)?
                            .map(|said| (PathBuf::from(above), said));
                    }
                }
                if found.is_none() && record.objects.is_empty() {
                    let there = match bucket.list().await {
                        Err(StoreError::Refused { .. }) => Default::default(),
                        there => there?,
                    };
                    if let Some(name) = there.keys().find(|name| is_below(name)) {
                        found = seen(bucket.read(name).await)?.map(|said| (path(name), said));
                    }
                }
                claimed(found)
            }
            // Its folder is ours alone, and what the host has the host knows.
            PublishTo::Command { .. } => Ok(()),
        }
    }

    /// Refuses to delete what another target has below this place.
    pub(super) fn spare(&self, foreign: &[String]) -> Result<(), TargetError> {
        let below = foreign.iter().find(|name| is_below(name));
        claimed(below.map(|name| {
            (
                PathBuf::from(name),
                format!("another target ({name} says whose)"),
            )
        }))
    }
}

fn claimed(found: Option<(PathBuf, String)>) -> Result<(), TargetError> {
    found.map_or(Ok(()), |(path, said)| {
        Err(TargetError::Claimed {
            path,
            what: "files",
            by: said.trim_end().to_owned(),
        })
    })
}

fn is_below(name: &str) -> bool {
    name.strip_suffix(MARK)
        .is_some_and(|folder| folder.ends_with('/'))
}

/// What a mark in a bucket says. Who may not look there is not told, and finds out when something is put.
fn seen(read: Result<Option<Bytes>, StoreError>) -> Result<Option<String>, TargetError> {
    match read {
        Ok(bytes) => Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
        Err(StoreError::Refused { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

type FoundClaim = Option<(PathBuf, String)>;

/// What the mark of a folder says, and one around it, and one below where that is looked for.
fn marks(folder: &Path, looks_below: bool) -> (Option<String>, FoundClaim, FoundClaim) {
    let said = |folder: &Path| std::fs::read_to_string(folder.join(MARK)).ok();
    let whole = std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    let whole = whole.unwrap_or_else(|_| folder.to_path_buf());
    let around = whole
        .ancestors()
        .skip(1)
        .find_map(|above| Some((above.to_path_buf(), said(above)?)));
    let mut below = None;
    let mut folders = vec![whole.clone()];
    while let Some(next) = folders.pop().filter(|_| looks_below && below.is_none()) {
        let inside = std::fs::read_dir(&next).into_iter().flatten().flatten();
        folders.extend(
            inside
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
        below = said(&next)
            .filter(|_| next != whole)
            .map(|said| (next, said));
    }
    (said(&whole), around, below)
}
