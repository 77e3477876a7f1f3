//! What the published versions of pages were made of: a key of everything that rendering read, and a print of what came of it.
//!
//! The rows are derived, and true whatever else happens: who made what is the site now, and whether the state is older than it,
//! is for the print to tell. Losing them costs time alone, so a row that nobody can read is no row.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::rows::{after, json};
use super::tables::{RENDERED, VERSIONS_RECORD};
use super::{State, StateError};
use crate::model::{DeploymentId, Locale, PagePath, RenderCause, SiteId};

/// How many bytes a key has, and a print.
const LENGTH: usize = 32;
/// How many parts a key has.
const PARTS: usize = 5;

/// A version of a page that was rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedRow {
    /// Fingerprint of everything that rendering read.
    pub key: [u8; LENGTH],
    /// Fingerprint of what came of it.
    pub print: [u8; LENGTH],
    /// Sign for the parts of what rendering read: program, settings, source, words, what refers to other pages. They decide
    /// nothing; they say which part is another one.
    pub parts: [u32; PARTS],
    /// Why it was rendered.
    pub cause: RenderCause,
    /// Name of the file that the version brings along in the tree of shared files; `None` if it brings none.
    pub file: Option<String>,
    /// The paths whose answers it read, by their marks.
    pub asked: Vec<u32>,
}

/// That the rows of a site are those of all its published versions, made under one outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionsRecord {
    /// Fingerprint of all that versions asked of other pages.
    pub outline: [u8; LENGTH],
    /// The deployment of which they are.
    pub deployment: DeploymentId,
    /// Pages whose versions have to be compared: some are rendered each time, or bring a file along.
    pub compared: BTreeSet<PagePath>,
    /// Files that list all pages, by the tree of a locale, or that which all share, and their names.
    pub lists: Vec<(Option<Locale>, String)>,
}

/// The versions of a site's pages, by locale.
pub type RenderedRows = BTreeMap<Locale, HashMap<PagePath, RenderedRow>>;

impl RenderedRow {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (key, rest) = bytes.split_first_chunk()?;
        let (print, rest) = rest.split_first_chunk()?;
        let (cause, rest) = rest.split_first()?;
        let (length, rest) = rest.split_first()?;
        let (file, rest) = rest.split_at_checked(usize::from(*length))?;
        let file = String::from_utf8(file.to_vec()).ok()?;
        let (marks, rest) = rest.as_chunks();
        let mut marks = marks.iter().map(|mark| u32::from_le_bytes(*mark));
        let mut parts = [0; PARTS];
        for part in &mut parts {
            *part = marks.next()?;
        }
        let cause = RenderCause::of_number(*cause).filter(|_| rest.is_empty())?;
        let file = (!file.is_empty()).then_some(file);
        Some(Self {
            key: *key,
            print: *print,
            parts,
            cause,
            file,
            asked: marks.collect(),
        })
    }

    /// As it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self {
            key,
            print,
            parts,
            cause,
            file,
            asked,
        } = self;
        let file = file.as_deref().unwrap_or_default().as_bytes();
        let mut bytes = Vec::new();
        bytes.extend(key);
        bytes.extend(print);
        bytes.push(cause.number());
        // Names of our files are short; without its length, the row reads as damaged.
        bytes.push(u8::try_from(file.len()).unwrap_or(u8::MAX));
        bytes.extend(file);
        for mark in parts.iter().chain(asked) {
            bytes.extend(mark.to_le_bytes());
        }
        bytes
    }
}

impl State {
    /// What the versions of a site's pages were made of.
    pub fn rendered(&self, site: &SiteId) -> Result<RenderedRows, StateError> {
        self.read("read what pages were made of from", |transaction| {
            let table = transaction.open_table(RENDERED)?;
            let mut found = RenderedRows::new();
            for row in table.range((site.as_str(), "", "")..(after(site).as_str(), "", ""))? {
                let (key, value) = row?;
                let (_, locale, path) = key.value();
                let parsed = (
                    Locale::parse(locale),
                    PagePath::parse(path),
                    RenderedRow::read(value.value()),
                );
                if let (Ok(locale), Ok(path), Some(row)) = parsed {
                    found.entry(locale).or_default().insert(path, row);
                }
            }
            Ok(found)
        })
    }

    /// What the versions of some pages were made of.
    pub fn rendered_of(
        &self,
        site: &SiteId,
        locales: &[Locale],
        pages: &[PagePath],
    ) -> Result<RenderedRows, StateError> {
        self.read("read what pages were made of from", |transaction| {
            let table = transaction.open_table(RENDERED)?;
            let mut found = RenderedRows::new();
            for locale in locales {
                for path in pages {
                    let row = table.get((site.as_str(), locale.as_str(), path.as_str()))?;
                    if let Some(row) = row.and_then(|row| RenderedRow::read(row.value())) {
                        found
                            .entry(locale.clone())
                            .or_default()
                            .insert(path.clone(), row);
                    }
                }
            }
            Ok(found)
        })
    }

    /// Under which outline all rows are; nothing where they have to be compared one by one.
    pub fn versions_record(&self, site: &SiteId) -> Result<Option<VersionsRecord>, StateError> {
        self.read("read what pages were made of from", |transaction| {
            let table = transaction.open_table(VERSIONS_RECORD)?;
            let row = table.get(site.as_str())?;
            Ok(row.and_then(|row| serde_json::from_slice(row.value()).ok()))
        })
    }

    /// What one version of a page was made of, where that is known.
    pub fn rendered_version(
        &self,
        site: &SiteId,
        locale: &Locale,
        path: &PagePath,
    ) -> Result<Option<RenderedRow>, StateError> {
        self.read("read what pages were made of from", |transaction| {
            let table = transaction.open_table(RENDERED)?;
            let row = table.get((site.as_str(), locale.as_str(), path.as_str()))?;
            Ok(row.and_then(|row| RenderedRow::read(row.value())))
        })
    }

    /// Keeps what versions of pages were made of, each [as bytes](RenderedRow::to_bytes); those that are `gone` are forgotten, all that were known where it is nothing. `record` is called after them; its record says that they are those of all
    /// published versions.
    pub fn keep_rendered<'m>(
        &self,
        site: &SiteId,
        made: impl Iterator<Item = (&'m Locale, &'m PagePath, Vec<u8>)>,
        gone: Option<&[(Locale, PagePath)]>,
        record: impl FnOnce() -> Option<VersionsRecord>,
    ) -> Result<(), StateError> {
        self.write("keep what pages were made of in", |transaction| {
            let mut table = transaction.open_table(RENDERED)?;
            if gone.is_none() {
                table.retain_in(
                    (site.as_str(), "", "")..(after(site).as_str(), "", ""),
                    |_, _| false,
                )?;
            }
            for (locale, path) in gone.unwrap_or_default() {
                table.remove((site.as_str(), locale.as_str(), path.as_str()))?;
            }
            for (locale, path, row) in made {
                table.insert(
                    (site.as_str(), locale.as_str(), path.as_str()),
                    row.as_slice(),
                )?;
            }
            let mut table = transaction.open_table(VERSIONS_RECORD)?;
            match record() {
                Some(record) => drop(table.insert(site.as_str(), json(&record)?.as_slice())?),
                None => drop(table.remove(site.as_str())?),
            }
            Ok(())
        })
    }
}
