//! How much of each page is translated, as the last finished run of a locale counted it.
//!
//! One row a locale, written in the step that ends the run, so that a run and its figures are there together.

use std::collections::BTreeMap;

use redb::{ReadableDatabase, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::rows::{after, json, of_site, parsed};
use super::tables::PAGES;
use super::{State, StoreError};
use crate::model::{Locale, PagePath, SiteId};

/// The pages of a locale.
pub type PagesWords = BTreeMap<PagePath, PageWords>;

/// A page's words that need a translation, and those of them that have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Row", into = "Row")]
pub struct PageWords {
    /// Words that stand there in the locale's language.
    pub translated: u64,
    /// Words that need a translation.
    pub wanted: u64,
    /// Signs for the words that stand there; rows from before have none.
    pub print: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Row {
    Signed(u64, u64, u32),
    Counted(u64, u64),
}

impl PageWords {
    /// Whether nothing is left to translate.
    pub fn is_complete(self) -> bool {
        self.translated >= self.wanted
    }

    /// Whether the words of a page are the same, as far as both rows tell.
    pub fn are_the_same(self, before: Self) -> bool {
        let counts = |words: Self| (words.translated, words.wanted);
        match (self.print, before.print) {
            (Some(now), Some(then)) => now == then,
            (None, _) | (_, None) => counts(self) == counts(before),
        }
    }
}

impl From<Row> for PageWords {
    fn from(row: Row) -> Self {
        let (translated, wanted, print) = match row {
            Row::Signed(translated, wanted, print) => (translated, wanted, Some(print)),
            Row::Counted(translated, wanted) => (translated, wanted, None),
        };
        Self { translated, wanted, print }
    }
}

impl From<PageWords> for Row {
    fn from(words: PageWords) -> Self {
        match words.print {
            Some(print) => Self::Signed(words.translated, words.wanted, print),
            None => Self::Counted(words.translated, words.wanted),
        }
    }
}

impl State {
    /// How much of each page is translated, by locale; locales that no run finished yet are not there.
    pub fn page_words(&self, site: &SiteId) -> Result<BTreeMap<Locale, PagesWords>, StoreError> {
        self.read("read pages from", |database| {
            let table = database.begin_read()?.open_table(PAGES)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("pages of {site} {}", key.value().1);
                let locale = Locale::parse(key.value().1).map_err(|error| Fault::row(row(), error))?;
                found.insert(locale, parsed(value.value(), row)?);
            }
            Ok(found)
        })
    }
}

/// Keeps the figures of a locale's pages; what was there before is forgotten.
pub(super) fn put(
    transaction: &WriteTransaction,
    site: &SiteId,
    locale: &Locale,
    pages: &PagesWords,
) -> Result<(), Fault> {
    transaction.open_table(PAGES)?.insert((site.as_str(), locale.as_str()), json(pages)?.as_slice())?;
    Ok(())
}
