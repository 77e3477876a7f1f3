//! Cache of the text of published pages, from which search indexes are generated.
//!
//! A row has the fingerprint of the version that it was extracted from, so the builder ignores outdated rows. A lost row costs one
//! parse of the page.

use std::collections::HashMap;

use super::rows::after;
use super::tables::{SEARCH, SEARCH_MADE};
use super::{SpillFile, SpillSpan, State, StateError};
use crate::model::{Locale, PagePath, SiteId};

/// Length of a fingerprint in bytes.
const PRINT: usize = 32;

/// New rows of a build, spilled to a temporary file.
#[derive(Debug, Default)]
pub struct SearchRows {
    spill: SpillFile,
    places: HashMap<(Locale, PagePath), SpillSpan>,
}

/// Changes to a site's rows.
#[derive(Debug)]
pub struct SearchChange {
    /// New rows.
    pub rows: SearchRows,
    /// Versions that are no longer published.
    pub gone: Vec<(Locale, PagePath)>,
    /// Fingerprints of the indexes of each language.
    pub made: Vec<(Locale, SearchMade)>,
    /// Languages of the site; rows of all others are deleted.
    pub locales: Vec<Locale>,
}

/// Fingerprints of the indexes of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchMade {
    /// Fingerprint of the inputs.
    pub of: [u8; PRINT],
    /// Fingerprint of the files. A rollback may publish files of other inputs.
    pub to: [u8; PRINT],
}

impl SearchRows {
    /// An empty set that spills to `spill`.
    pub fn on(spill: SpillFile) -> Self {
        Self {
            spill,
            ..Self::default()
        }
    }

    /// Adds a row: the fingerprint of a version and its text.
    pub fn add(&mut self, locale: &Locale, path: &PagePath, print: &[u8; PRINT], said: &[u8]) {
        let mut row = Vec::with_capacity(PRINT + said.len());
        row.extend(print);
        row.extend(said);
        let place = self.spill.put(&row);
        self.places.insert((locale.clone(), path.clone()), place);
    }

    /// True if the build made a row for this version.
    pub fn has(&self, locale: &Locale, path: &PagePath) -> bool {
        self.places.contains_key(&(locale.clone(), path.clone()))
    }

    /// Reads the text of a row.
    pub fn get<T>(
        &self,
        locale: &Locale,
        path: &PagePath,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        let place = self.places.get(&(locale.clone(), path.clone()))?;
        self.spill.get(*place, |row| read(row.get(PRINT..)?))
    }

    /// Checks that every row was readable.
    ///
    /// # Errors
    /// [`StateError::SpillFile`] where the disk did not give something back.
    pub fn check(&self) -> Result<(), StateError> {
        self.spill.check()
    }
}

impl State {
    /// Fingerprints of the cached rows of a language.
    pub fn search_prints(
        &self,
        site: &SiteId,
        locale: &Locale,
    ) -> Result<HashMap<PagePath, [u8; PRINT]>, StateError> {
        self.read("read what pages say from", |transaction| {
            let table = transaction.open_table(SEARCH)?;
            let mut prints = HashMap::new();
            let behind = format!("{}\0", locale.as_str());
            for row in table
                .range((site.as_str(), locale.as_str(), "")..(site.as_str(), behind.as_str(), ""))?
            {
                let (key, row) = row?;
                if let (Ok(path), Some(print)) =
                    (PagePath::parse(key.value().2), row.value().first_chunk())
                {
                    prints.insert(path, *print);
                }
            }
            Ok(prints)
        })
    }

    /// Reads the text of a cached row.
    pub fn search_row<T>(
        &self,
        site: &SiteId,
        locale: &Locale,
        path: &PagePath,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, StateError> {
        self.read("read what pages say from", |transaction| {
            let table = transaction.open_table(SEARCH)?;
            let row = table.get((site.as_str(), locale.as_str(), path.as_str()))?;
            Ok(row.and_then(|row| read(row.value().get(PRINT..)?)))
        })
    }

    /// Fingerprints of the indexes that the last build made for a language.
    pub fn search_made(
        &self,
        site: &SiteId,
        locale: &Locale,
    ) -> Result<Option<SearchMade>, StateError> {
        self.read(
            "read what search indexes were made of from",
            |transaction| {
                let table = transaction.open_table(SEARCH_MADE)?;
                let row = table.get((site.as_str(), locale.as_str()))?;
                Ok(row.and_then(|row| {
                    let (of, to) = row.value().split_first_chunk()?;
                    Some(SearchMade {
                        of: *of,
                        to: to.try_into().ok()?,
                    })
                }))
            },
        )
    }

    /// Stores a build's rows; `None` deletes all rows of the site.
    pub fn keep_search(
        &self,
        site: &SiteId,
        change: Option<&SearchChange>,
    ) -> Result<(), StateError> {
        let known = self.read(
            "read what search indexes were made of from",
            |transaction| {
                let table = transaction.open_table(SEARCH_MADE)?;
                let rows = table.range((site.as_str(), "")..(after(site).as_str(), ""))?;
                rows.map(|row| Ok(row?.0.value().1.to_owned()))
                    .collect::<Result<Vec<String>, _>>()
            },
        )?;
        if change.is_none() && known.is_empty() {
            return Ok(());
        }
        self.write("keep what pages say in", |transaction| {
            let mut table = transaction.open_table(SEARCH)?;
            let mut indexes = transaction.open_table(SEARCH_MADE)?;
            let Some(SearchChange {
                rows,
                gone,
                made,
                locales,
            }) = change
            else {
                table.retain_in(
                    (site.as_str(), "", "")..(after(site).as_str(), "", ""),
                    |_, _| false,
                )?;
                indexes.retain_in((site.as_str(), "")..(after(site).as_str(), ""), |_, _| {
                    false
                })?;
                return Ok(());
            };
            for locale in known
                .iter()
                .filter(|known| !locales.iter().any(|locale| locale.as_str() == **known))
            {
                let behind = format!("{locale}\0");
                let own =
                    (site.as_str(), locale.as_str(), "")..(site.as_str(), behind.as_str(), "");
                table.retain_in(own, |_, _| false)?;
                indexes.remove((site.as_str(), locale.as_str()))?;
            }
            for (locale, path) in gone {
                table.remove((site.as_str(), locale.as_str(), path.as_str()))?;
            }
            for ((locale, path), place) in &rows.places {
                let Some(row) = rows.spill.get(*place, |row| Some(row.to_vec())) else {
                    continue;
                };
                table.insert(
                    (site.as_str(), locale.as_str(), path.as_str()),
                    row.as_slice(),
                )?;
            }
            for (locale, SearchMade { of, to }) in made {
                indexes.insert((site.as_str(), locale.as_str()), [*of, *to].as_flattened())?;
            }
            Ok(())
        })
    }
}
