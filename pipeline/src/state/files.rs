//! What the disk said of files whose bytes are known: those of a site's folder, and those that lie fetched in the object store.
//!
//! The rows are derived, and true whatever else happens. Losing them costs time alone, so a row that nobody can read is no row.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{after, of_site};
use super::tables::{FILES, INTACT};
use super::{State, StateError};
use crate::model::{AddressForms, FileStat, PagePath, SeenFile, SiteId, SourceKind};

/// Fetched bytes by name: when they were written, in nanoseconds since 1970, and their length.
pub type IntactSources = BTreeMap<String, (u64, u64)>;

/// Identity of a reader of files: the fingerprint of everything beside the bytes that decides what a file is.
pub type FileReader = [u8; 32];

/// A row: the reader, what the disk said, what the file is, how it spells addresses, and the hash of its bytes. One of another length is no row.
const ROW: usize = 32 + 7 * 8 + 3 + AddressForms::LENGTH + 32;

fn row(reader: &FileReader, file: &SeenFile) -> Option<Vec<u8>> {
    let SeenFile {
        stat,
        hash,
        kind,
        noindex,
        fragment,
        addresses,
    } = file;
    let hash = blake3::Hash::from_hex(hash.as_bytes()).ok()?;
    let kind = match kind {
        SourceKind::Page => 0,
        SourceKind::Document => 1,
        SourceKind::File => 2,
    };
    let mut row = Vec::with_capacity(ROW);
    row.extend(reader);
    stat.to_numbers()
        .iter()
        .for_each(|number| row.extend(number.to_le_bytes()));
    row.extend([kind, u8::from(*noindex), u8::from(*fragment)]);
    row.extend(addresses.to_bytes());
    row.extend(hash.as_bytes());
    Some(row)
}

fn file(row: &[u8], reader: &FileReader) -> Option<SeenFile> {
    let row: &[u8; ROW] = row.try_into().ok()?;
    let (_, row) = row
        .split_first_chunk::<32>()
        .filter(|(by, _)| *by == reader)?;
    let (numbers, row) = row
        .as_chunks::<8>()
        .0
        .split_first_chunk::<7>()
        .zip(row.get(7 * 8..))?;
    let (&[kind, noindex, fragment], row) = row.split_first_chunk()?;
    let (addresses, hash) = row.split_first_chunk()?;
    let addresses = AddressForms::of_bytes(addresses)?;
    let kind = match kind {
        0 => SourceKind::Page,
        1 => SourceKind::Document,
        2 => SourceKind::File,
        _ => return None,
    };
    let stat = FileStat::of_numbers(numbers.0.map(u64::from_le_bytes));
    let hash = blake3::Hash::from_bytes(hash.try_into().ok()?);
    let hash = (*hash.to_hex()).into();
    Some(SeenFile {
        stat,
        hash,
        kind,
        noindex: noindex != 0,
        fragment: fragment != 0,
        addresses,
    })
}

impl State {
    /// The files of a site's folder that this reader knows.
    pub fn seen_files(
        &self,
        site: &SiteId,
        reader: &FileReader,
    ) -> Result<BTreeMap<PagePath, SeenFile>, StateError> {
        self.read("read what is known of files from", |transaction| {
            let table = transaction.open_table(FILES)?;
            let mut found = BTreeMap::new();
            for entry in table.range(of_site(site, &after(site)))? {
                let (key, value) = entry?;
                found.extend(
                    PagePath::parse(key.value().1)
                        .ok()
                        .zip(file(value.value(), reader)),
                );
            }
            Ok(found)
        })
    }

    /// Keeps what is known of the files of a site's folder: those that were read, and those that stay as they are. All others are
    /// forgotten.
    pub fn keep_seen_files(
        &self,
        site: &SiteId,
        reader: &FileReader,
        read: &BTreeMap<PagePath, SeenFile>,
        stay: &BTreeMap<PagePath, SeenFile>,
    ) -> Result<(), StateError> {
        self.write("keep what is known of files in", |transaction| {
            let mut table = transaction.open_table(FILES)?;
            table.retain_in(of_site(site, &after(site)), |(_, path), _| {
                stay.contains_key(path)
            })?;
            for (path, file) in read {
                if let Some(row) = row(reader, file) {
                    table.insert((site.as_str(), path.as_str()), row.as_slice())?;
                }
            }
            Ok(())
        })
    }

    /// Fetched bytes that were right when they were last read.
    pub fn intact_sources(&self, site: &SiteId) -> Result<IntactSources, StateError> {
        self.read("read which fetched bytes are right from", |transaction| {
            let table = transaction.open_table(INTACT)?;
            let mut found = IntactSources::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                found.insert(key.value().1.to_owned(), value.value());
            }
            Ok(found)
        })
    }

    /// Keeps which fetched bytes were right, beside those of which it is known, and forgets others.
    pub fn change_intact_sources(
        &self,
        site: &SiteId,
        right: &IntactSources,
        gone: &BTreeSet<String>,
    ) -> Result<(), StateError> {
        self.write("keep which fetched bytes are right in", |transaction| {
            let mut table = transaction.open_table(INTACT)?;
            for name in gone {
                table.remove((site.as_str(), name.as_str()))?;
            }
            for (name, known) in right {
                table.insert((site.as_str(), name.as_str()), known)?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_from_its_row_by_its_reader_alone() {
        let stat = FileStat::of_numbers([u64::MAX, 1, 2, (-3_i64).cast_unsigned(), 4, 5, 6]);
        for (kind, noindex) in [
            (SourceKind::Page, false),
            (SourceKind::Page, true),
            (SourceKind::Document, false),
            (SourceKind::File, true),
        ] {
            let mut addresses = AddressForms::default();
            addresses.note_link(&PagePath::of_file("index.html"), "/about");
            let hash = (*blake3::hash(b"bread").to_hex()).into();
            let seen = SeenFile {
                stat,
                hash,
                kind,
                noindex,
                fragment: noindex,
                addresses,
            };
            let row = row(&[7; 32], &seen).unwrap();
            assert_eq!(file(&row, &[7; 32]), Some(seen));
            assert_eq!(file(&row, &[8; 32]), None);
            assert_eq!(file(&row[1..], &[7; 32]), None);
        }
        assert_eq!(
            stat.to_numbers(),
            [u64::MAX, 1, 2, (-3_i64).cast_unsigned(), 4, 5, 6]
        );
        assert_eq!(
            file(br#"{"reader":"","stat":{}}"#, &[7; 32]),
            None,
            "a row of an older program"
        );
    }
}
