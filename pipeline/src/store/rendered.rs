//! What the published versions of pages were made of: a key of everything that rendering read, and a print of what came of it.
//!
//! The rows are derived, and true whatever else happens: who made what is the site now, and whether the state is older than it,
//! is for the print to tell. Losing them costs time alone, so a row that nobody can read is no row.

use std::collections::{BTreeMap, HashMap};

use redb::ReadableDatabase;

use super::rows::after;
use super::tables::RENDERED;
use super::{State, StoreError};
use crate::model::{Locale, PagePath, SiteId};

/// How many bytes a key has, and a print.
const LENGTH: usize = 32;

/// A version of a page that was rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedRow {
    /// Signs for everything that rendering read.
    pub key: [u8; LENGTH],
    /// Signs for what came of it.
    pub print: [u8; LENGTH],
    /// The paths whose answers it read, by their marks.
    pub asked: Vec<u32>,
}

/// The versions of a site's pages, by locale.
pub type RenderedRows = BTreeMap<Locale, HashMap<PagePath, RenderedRow>>;

impl RenderedRow {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (key, rest) = bytes.split_first_chunk()?;
        let (print, rest) = rest.split_first_chunk()?;
        let (asked, rest) = rest.as_chunks();
        let asked = asked.iter().map(|mark| u32::from_le_bytes(*mark)).collect();
        rest.is_empty().then_some(Self { key: *key, print: *print, asked })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let Self { key, print, asked } = self;
        let asked = asked.iter().flat_map(|mark| mark.to_le_bytes());
        key.iter().chain(print).copied().chain(asked).collect()
    }
}

impl State {
    /// What the versions of a site's pages were made of.
    pub fn rendered(&self, site: &SiteId) -> Result<RenderedRows, StoreError> {
        self.read("read what pages were made of from", |database| {
            let table = database.begin_read()?.open_table(RENDERED)?;
            let mut found = RenderedRows::new();
            for row in table.range((site.as_str(), "", "")..(after(site).as_str(), "", ""))? {
                let (key, value) = row?;
                let (_, locale, path) = key.value();
                let parsed = (Locale::parse(locale), PagePath::parse(path), RenderedRow::read(value.value()));
                if let (Ok(locale), Ok(path), Some(row)) = parsed {
                    found.entry(locale).or_default().insert(path, row);
                }
            }
            Ok(found)
        })
    }

    /// Keeps what versions of pages were made of; those that are `gone` are forgotten.
    pub fn keep_rendered(
        &self,
        site: &SiteId,
        made: &RenderedRows,
        gone: &[(Locale, PagePath)],
    ) -> Result<(), StoreError> {
        self.write("keep what pages were made of in", |transaction| {
            let mut table = transaction.open_table(RENDERED)?;
            for (locale, path) in gone {
                table.remove((site.as_str(), locale.as_str(), path.as_str()))?;
            }
            for (locale, pages) in made {
                for (path, row) in pages {
                    table.insert((site.as_str(), locale.as_str(), path.as_str()), row.to_bytes().as_slice())?;
                }
            }
            Ok(())
        })
    }
}
