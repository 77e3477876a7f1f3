//! Edits of people in the object store: every builder writes its own there, and takes those of others before it builds.
//!
//! A file is immutable compressed JSON, one line an edit after a line that names the files whose place it takes. Files come before the
//! note that they are there, so a builder that is killed in between takes its own file for one of another builder.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::{Deserialize, Serialize};

use crate::causes::chain;
use crate::counted::counted;
use crate::exchange::{RowLinesError, RowReader, RowWriter, check_form};
use crate::model::{Locale, SiteId};
use crate::run::context::{Build, blocking};
use crate::run::error::BuildError;
use crate::run::options::Stores;
use crate::state::{EditFiles, EditRecord, State};
use crate::store::{self, RowFile, RowKind, StoreError};

/// The form of a file; a newer one is not read.
const FORM: u32 = 1;
/// Files of a locale beyond which one file takes the place of all.
const MOST_FILES: usize = 16;
/// How often the files are listed again because another builder replaced them meanwhile.
const MOST_LISTS: usize = 3;

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct EditsHead {
    edits: u32,
    /// Files that hold no edit that this one lacks.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    replaces: BTreeSet<String>,
}

/// A file as it was read.
struct EditsFile {
    replaces: BTreeSet<String>,
    edits: Vec<EditRecord>,
}

/// Takes edits that the object store has and the state lacks, in these locales and in all that have some there. The notices say what
/// was taken, and what cannot be read.
pub(crate) async fn take_edits(
    stores: &Stores,
    site: &SiteId,
    locales: &[Locale],
) -> Result<(BTreeMap<Locale, usize>, Vec<String>), BuildError> {
    let mut taken = BTreeMap::new();
    let mut notices = Vec::new();
    let found = store::row_locales(&stores.objects, site, RowKind::Edits).await?;
    let mut all = BTreeSet::from_iter(found);
    let id = site.clone();
    let locales = locales.to_vec();
    let read = move |state: &State| {
        let mut known = Vec::new();
        for locale in locales {
            // Somebody may have deleted the files of the locale.
            if !state.edit_files(&id, &locale)?.files.is_empty() {
                known.push(locale);
            }
        }
        Ok(known)
    };
    all.extend(stores.with_state(read).await?);
    for locale in all {
        let edits = SharedEdits {
            stores,
            site,
            locale: &locale,
        };
        let count = edits.take(&mut notices).await?;
        if count > 0 {
            notices.push(format!(
                "{locale}: took the words that people wrote for {} elsewhere",
                counted(count, "text")
            ));
        }
        taken.insert(locale, count);
    }
    Ok((taken, notices))
}

/// The same in one language, without notices.
pub(crate) async fn take_edits_of(build: &Build<'_>, locale: &Locale) -> Result<(), BuildError> {
    let edits = SharedEdits {
        stores: build.stores,
        site: &build.site.id,
        locale,
    };
    edits.take(&mut Vec::new()).await.map(drop)
}

/// Takes edits of other builders before a build, and writes those of this one; edits that cannot be written now stay for the next
/// build. The notices say what happened.
pub(in crate::run) async fn share_edits(build: &Build<'_>) -> Result<Vec<String>, BuildError> {
    let id = &build.site.id;
    let (_, mut notices) = take_edits(build.stores, id, &build.site.locales).await?;
    for locale in &build.site.locales {
        if let Err(error) = write_edits(build.stores, id, locale).await {
            notices.push(format!(
                "{locale}: edits of people could not be written to the store, the next build does it: {}",
                chain(&error)
            ));
        }
    }
    Ok(notices)
}

/// Writes edits that the object store lacks.
///
/// # Errors
/// A [`BuildError`] if the state or the store fails.
pub async fn write_edits(
    stores: &Stores,
    site: &SiteId,
    locale: &Locale,
) -> Result<(), BuildError> {
    let edits = SharedEdits {
        stores,
        site,
        locale,
    };
    edits.write().await
}

/// Edits of a locale, here and in the object store.
#[derive(Clone, Copy, Debug)]
struct SharedEdits<'a> {
    stores: &'a Stores,
    site: &'a SiteId,
    locale: &'a Locale,
}

impl SharedEdits<'_> {
    async fn take(self, notices: &mut Vec<String>) -> Result<usize, BuildError> {
        let mut count = 0;
        for _ in 0..MOST_LISTS {
            let listed =
                store::row_files(&self.stores.objects, self.site, RowKind::Edits, self.locale)
                    .await?;
            let known = self.files().await?;
            let mut taken = BTreeMap::new();
            let mut edits = Vec::new();
            let mut is_whole = true;
            for file in &listed {
                if known.files.contains_key(&file.name) {
                    continue;
                }
                match self.read(file).await? {
                    Ok(Some(read)) => {
                        taken.insert(file.name.clone(), read.replaces);
                        edits.extend(read.edits);
                    }
                    // Another builder replaced it since it was listed.
                    Ok(None) => is_whole = false,
                    Err(problem) => notices.push(format!(
                        "{}: edits of people in {} cannot be read and are skipped: {problem}",
                        self.locale, file.name
                    )),
                }
            }
            if !taken.is_empty() {
                let site = self.site.clone();
                let locale = self.locale.clone();
                let take = move |state: &State| state.take_edits(&site, &locale, taken, edits);
                count += self.stores.with_state(take).await?;
            }
            if is_whole {
                self.forget_gone(&listed).await?;
                break;
            }
        }
        Ok(count)
    }

    /// Forgets files that are not there any more. If no other file has their edits, all edits are written again.
    async fn forget_gone(self, listed: &[RowFile]) -> Result<(), BuildError> {
        let mut known = self.files().await?;
        let covered: BTreeSet<String> = known.files.values().flatten().cloned().collect();
        let mut gone: BTreeSet<String> = known.files.keys().cloned().collect();
        for file in listed {
            gone.remove(&file.name);
        }
        if gone.is_empty() {
            return Ok(());
        }
        if !gone.is_subset(&covered) {
            known.written = 0;
        }
        known.files.retain(|name, _| !gone.contains(name));
        self.keep(known).await
    }

    async fn write(self) -> Result<(), BuildError> {
        let mut files = self.files().await?;
        let site = self.site.clone();
        let locale = self.locale.clone();
        let is_full = files.files.len() >= MOST_FILES;
        let after = if is_full { 0 } else { files.written };
        let written = files.written;
        let read = move |state: &State| {
            if state.people_revision(&site, &locale)? == written {
                return Ok(Vec::new());
            }
            state.edits_after(&site, &locale, after)
        };
        let edits = self.stores.with_state(read).await?;
        let Some((last, _)) = edits.last() else {
            return Ok(());
        };
        let last = *last;
        let mut replaces = BTreeSet::new();
        if is_full {
            replaces.extend(files.files.keys().cloned());
        }
        let head = EditsHead {
            edits: FORM,
            replaces: replaces.clone(),
        };
        let bytes = blocking(move || to_bytes(&head, &edits)).await?;
        let bytes = bytes.map_err(|error| BuildError::Broken(error.to_string()))?;
        let objects = &self.stores.objects;
        let put = store::put_row_file(
            objects,
            self.site,
            RowKind::Edits,
            self.locale,
            bytes.into(),
        );
        let name = put.await?;
        files.files.retain(|name, _| !replaces.contains(name));
        files.files.insert(name.clone(), replaces.clone());
        files.written = last;
        self.keep(files).await?;
        replaces.remove(&name);
        let old: Vec<String> = replaces.into_iter().collect();
        Ok(store::remove_row_files(objects, self.site, RowKind::Edits, self.locale, &old).await?)
    }

    /// Reads a file; `None` if it is gone.
    async fn read(self, file: &RowFile) -> Result<Result<Option<EditsFile>, String>, BuildError> {
        let objects = &self.stores.objects;
        let found = store::row_file(objects, self.site, RowKind::Edits, self.locale, &file.name);
        match found.await {
            Ok(Some(bytes)) => {
                let parsed = blocking(move || parse(&bytes)).await?;
                Ok(parsed.map(Some).map_err(|error| error.to_string()))
            }
            Ok(None) => Ok(Ok(None)),
            Err(error @ StoreError::Damaged { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    async fn files(self) -> Result<EditFiles, BuildError> {
        let site = self.site.clone();
        let locale = self.locale.clone();
        self.stores
            .with_state(move |state| state.edit_files(&site, &locale))
            .await
    }

    async fn keep(self, files: EditFiles) -> Result<(), BuildError> {
        let site = self.site.clone();
        let locale = self.locale.clone();
        self.stores
            .with_state(move |state| state.keep_edit_files(&site, &locale, &files))
            .await
    }
}

fn to_bytes(head: &EditsHead, edits: &[(u64, EditRecord)]) -> io::Result<Vec<u8>> {
    let mut lines = RowWriter::new(head)?;
    for (_, edit) in edits {
        lines.push(edit)?;
    }
    lines.finish()
}

fn parse(bytes: &[u8]) -> Result<EditsFile, RowLinesError> {
    let mut lines = RowReader::new(bytes);
    let head: EditsHead = lines.head()?;
    check_form(head.edits, FORM)?;
    let mut edits = Vec::new();
    while let Some(edit) = lines.next_row()? {
        edits.push(edit);
    }
    Ok(EditsFile {
        replaces: head.replaces,
        edits,
    })
}
