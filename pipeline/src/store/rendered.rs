//! What the published versions of pages were made of: a key of everything that rendering read, and a print of what came of it.
//!
//! The rows are derived, and true whatever else happens: who made what is the site now, and whether the state is older than it,
//! is for the print to tell. Losing them costs time alone, so a row that nobody can read is no row.

use std::collections::{BTreeMap, HashMap};

use redb::ReadableDatabase;

use super::rows::after;
use super::tables::RENDERED;
use super::{State, StoreError};
use crate::model::{Locale, PagePath, RenderCause, SiteId};

/// How many bytes a key has, and a print.
const LENGTH: usize = 32;
/// How many parts a key has.
const PARTS: usize = 5;

/// A version of a page that was rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedRow {
    /// Signs for everything that rendering read.
    pub key: [u8; LENGTH],
    /// Signs for what came of it.
    pub print: [u8; LENGTH],
    /// Sign for the parts of what rendering read: program, settings, source, words, what refers to other pages. They decide
    /// nothing; they say which part is another one.
    pub parts: [u32; PARTS],
    /// Why it was rendered.
    pub cause: RenderCause,
    /// The paths whose answers it read, by their marks.
    pub asked: Vec<u32>,
}

/// The versions of a site's pages, by locale.
pub type RenderedRows = BTreeMap<Locale, HashMap<PagePath, RenderedRow>>;

impl RenderedRow {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (key, rest) = bytes.split_first_chunk()?;
        let (print, rest) = rest.split_first_chunk()?;
        let (cause, rest) = rest.split_first()?;
        let (marks, rest) = rest.as_chunks();
        let mut marks = marks.iter().map(|mark| u32::from_le_bytes(*mark));
        let mut parts = [0; PARTS];
        for part in &mut parts {
            *part = marks.next()?;
        }
        let cause = RenderCause::of_number(*cause).filter(|_| rest.is_empty())?;
        Some(Self { key: *key, print: *print, parts, cause, asked: marks.collect() })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let Self { key, print, parts, cause, asked } = self;
        let marks = parts.iter().chain(asked).flat_map(|mark| mark.to_le_bytes());
        key.iter().chain(print).copied().chain([cause.number()]).chain(marks).collect()
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

    /// What one version of a page was made of, where that is known.
    pub fn rendered_version(
        &self,
        site: &SiteId,
        locale: &Locale,
        path: &PagePath,
    ) -> Result<Option<RenderedRow>, StoreError> {
        self.read("read what pages were made of from", |database| {
            let table = database.begin_read()?.open_table(RENDERED)?;
            let row = table.get((site.as_str(), locale.as_str(), path.as_str()))?;
            Ok(row.and_then(|row| RenderedRow::read(row.value())))
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
