//! What published pages say, for the search indexes of their languages, so that a build need not read all pages for them.
//!
//! The rows are derived. Each names the version that it was made of, so one that is too old is no row, and losing them costs time
//! alone. A language that has no index has none.

use std::collections::HashMap;

use redb::ReadableDatabase;

use super::rows::after;
use super::tables::{SEARCH, SEARCH_MADE};
use super::{Place, Shelf, State, StoreError};
use crate::model::{Locale, PagePath, SiteId};

/// How many bytes a print has.
const PRINT: usize = 32;

/// Rows that a build makes, set aside until it ends.
#[derive(Debug, Default)]
pub struct SearchRows {
    shelf: Shelf,
    places: HashMap<(Locale, PagePath), Place>,
}

/// What changes of a site's rows.
#[derive(Debug)]
pub struct SearchChange {
    /// New rows.
    pub rows: SearchRows,
    /// Versions that are there no longer.
    pub gone: Vec<(Locale, PagePath)>,
    /// For each language, what its indexes are made of and came to.
    pub made: Vec<(Locale, SearchMade)>,
    /// The languages of the site; nothing is kept of others.
    pub locales: Vec<Locale>,
}

/// Prints of the indexes of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchMade {
    /// Signs for all that they are made of.
    pub of: [u8; PRINT],
    /// Signs for what came of it: an earlier deployment may be brought back.
    pub to: [u8; PRINT],
}

impl SearchRows {
    /// None yet; they go to a shelf.
    pub fn on(shelf: Shelf) -> Self {
        Self { shelf, ..Self::default() }
    }

    /// Adds what a version says that has a print.
    pub fn add(&mut self, locale: &Locale, path: &PagePath, print: &[u8; PRINT], said: &[u8]) {
        let mut row = Vec::with_capacity(PRINT + said.len());
        row.extend(print);
        row.extend(said);
        let place = self.shelf.put(&row);
        self.places.insert((locale.clone(), path.clone()), place);
    }

    /// Whether the build made a row for this version.
    pub fn has(&self, locale: &Locale, path: &PagePath) -> bool {
        self.places.contains_key(&(locale.clone(), path.clone()))
    }

    /// What a version says.
    pub fn get<T>(&self, locale: &Locale, path: &PagePath, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let place = self.places.get(&(locale.clone(), path.clone()))?;
        self.shelf.get(*place, |row| read(row.get(PRINT..)?))
    }

    /// Whether everything that was asked for was there.
    ///
    /// # Errors
    /// [`StoreError::Shelf`] where the disk did not give something back.
    pub fn check(&self) -> Result<(), StoreError> {
        self.shelf.check()
    }
}

impl State {
    /// The versions of a language of which it is known what they say, with their prints.
    pub fn search_prints(&self, site: &SiteId, locale: &Locale) -> Result<HashMap<PagePath, [u8; PRINT]>, StoreError> {
        self.read("read what pages say from", |database| {
            let table = database.begin_read()?.open_table(SEARCH)?;
            let mut prints = HashMap::new();
            let behind = format!("{}\0", locale.as_str());
            for row in table.range((site.as_str(), locale.as_str(), "")..(site.as_str(), behind.as_str(), ""))? {
                let (key, row) = row?;
                if let (Ok(path), Some(print)) = (PagePath::parse(key.value().2), row.value().first_chunk()) {
                    prints.insert(path, *print);
                }
            }
            Ok(prints)
        })
    }

    /// What a version says, as it was kept.
    pub fn search_row<T>(
        &self,
        site: &SiteId,
        locale: &Locale,
        path: &PagePath,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        self.read("read what pages say from", |database| {
            let table = database.begin_read()?.open_table(SEARCH)?;
            let row = table.get((site.as_str(), locale.as_str(), path.as_str()))?;
            Ok(row.and_then(|row| read(row.value().get(PRINT..)?)))
        })
    }

    /// What the indexes of a language were made of last, and what came of it.
    pub fn search_made(&self, site: &SiteId, locale: &Locale) -> Result<Option<SearchMade>, StoreError> {
        self.read("read what search indexes were made of from", |database| {
            let table = database.begin_read()?.open_table(SEARCH_MADE)?;
            let row = table.get((site.as_str(), locale.as_str()))?;
            Ok(row.and_then(|row| {
                let (of, to) = row.value().split_first_chunk()?;
                Some(SearchMade { of: *of, to: to.try_into().ok()? })
            }))
        })
    }

    /// Stores a build's rows; `None` deletes all rows of the site.
    pub fn keep_search(&self, site: &SiteId, change: Option<&SearchChange>) -> Result<(), StoreError> {
        let known = self.read("read what search indexes were made of from", |database| {
            let table = database.begin_read()?.open_table(SEARCH_MADE)?;
            let rows = table.range((site.as_str(), "")..(after(site).as_str(), ""))?;
            rows.map(|row| Ok(row?.0.value().1.to_owned())).collect::<Result<Vec<String>, _>>()
        })?;
        if change.is_none() && known.is_empty() {
            return Ok(());
        }
        self.write("keep what pages say in", |transaction| {
            let (mut table, mut indexes) = (transaction.open_table(SEARCH)?, transaction.open_table(SEARCH_MADE)?);
            let Some(SearchChange { rows, gone, made, locales }) = change else {
                table.retain_in((site.as_str(), "", "")..(after(site).as_str(), "", ""), |_, _| false)?;
                indexes.retain_in((site.as_str(), "")..(after(site).as_str(), ""), |_, _| false)?;
                return Ok(());
            };
            for locale in known.iter().filter(|known| !locales.iter().any(|locale| locale.as_str() == **known)) {
                let behind = format!("{locale}\0");
                let own = (site.as_str(), locale.as_str(), "")..(site.as_str(), behind.as_str(), "");
                table.retain_in(own, |_, _| false)?;
                indexes.remove((site.as_str(), locale.as_str()))?;
            }
            for (locale, path) in gone {
                table.remove((site.as_str(), locale.as_str(), path.as_str()))?;
            }
            for ((locale, path), place) in &rows.places {
                let Some(row) = rows.shelf.get(*place, |row| Some(row.to_vec())) else { continue };
                table.insert((site.as_str(), locale.as_str(), path.as_str()), row.as_slice())?;
            }
            for (locale, SearchMade { of, to }) in made {
                indexes.insert((site.as_str(), locale.as_str()), [*of, *to].as_flattened())?;
            }
            Ok(())
        })
    }
}
