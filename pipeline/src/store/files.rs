//! What the disk said of files whose bytes are known: those of a site's folder, and those that lie fetched in the object store.
//!
//! The rows are derived, and true whatever else happens. Losing them costs time alone, so a row that nobody can read is no row.

use std::collections::BTreeMap;

use redb::ReadableDatabase;
use serde::{Deserialize, Serialize};

use super::rows::{after, json, of_site};
use super::tables::{FILES, INTACT};
use super::{State, StoreError};
use crate::model::{PagePath, SeenFile, SiteId};

/// Fetched bytes by name: when they were written, in nanoseconds since 1970, and their length.
pub type IntactSources = BTreeMap<String, (u64, u64)>;

/// A file of a folder, and who read it.
#[derive(Serialize, Deserialize)]
struct FileRow {
    /// Signs for everything beside the bytes by which it was decided what the file is.
    reader: String,
    #[serde(flatten)]
    file: SeenFile,
}

impl State {
    /// The files of a site's folder that this reader knows.
    pub fn seen_files(&self, site: &SiteId, reader: &str) -> Result<BTreeMap<PagePath, SeenFile>, StoreError> {
        self.read("read what is known of files from", |database| {
            let table = database.begin_read()?.open_table(FILES)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = serde_json::from_slice::<FileRow>(value.value()).ok().filter(|row| row.reader == reader);
                found.extend(PagePath::parse(key.value().1).ok().zip(row.map(|row| row.file)));
            }
            Ok(found)
        })
    }

    /// Keeps what is known of the files of a site's folder: those that were read, and those that stay as they are. All others are
    /// forgotten.
    pub fn keep_seen_files(
        &self,
        site: &SiteId,
        reader: &str,
        read: &BTreeMap<PagePath, SeenFile>,
        stay: &BTreeMap<PagePath, SeenFile>,
    ) -> Result<(), StoreError> {
        self.write("keep what is known of files in", |transaction| {
            let mut table = transaction.open_table(FILES)?;
            table.retain_in(of_site(site, &after(site)), |(_, path), _| {
                PagePath::parse(path).is_ok_and(|path| stay.contains_key(&path))
            })?;
            for (path, file) in read {
                let row = FileRow { reader: reader.to_owned(), file: file.clone() };
                table.insert((site.as_str(), path.as_str()), json(&row)?.as_slice())?;
            }
            Ok(())
        })
    }

    /// Fetched bytes that were right when they were last read.
    pub fn intact_sources(&self, site: &SiteId) -> Result<IntactSources, StoreError> {
        self.read("read which fetched bytes are right from", |database| {
            let table = database.begin_read()?.open_table(INTACT)?;
            let mut found = IntactSources::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                found.insert(key.value().1.to_owned(), value.value());
            }
            Ok(found)
        })
    }

    /// Keeps which fetched bytes were right; those that are not among them any more are forgotten.
    pub fn keep_intact_sources(&self, site: &SiteId, intact: &IntactSources) -> Result<(), StoreError> {
        self.write("keep which fetched bytes are right in", |transaction| {
            let mut table = transaction.open_table(INTACT)?;
            let mut rows: BTreeMap<&str, (u64, u64)> =
                intact.iter().map(|(name, known)| (name.as_str(), *known)).collect();
            // Of many few change.
            table.retain_in(of_site(site, &after(site)), |(_, name), known| {
                let is_same = rows.get(name) == Some(&known);
                is_same && rows.remove(name).is_some()
            })?;
            for (name, known) in rows {
                table.insert((site.as_str(), name), known)?;
            }
            Ok(())
        })
    }
}
