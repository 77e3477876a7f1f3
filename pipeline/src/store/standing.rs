//! What is known of pages that were read before, so that a build reads only what changed.
//!
//! It is derived and belongs to a ground: a key of all that a build reads beside the pages themselves. On another ground
//! nothing of it is true, and pages are read again. A row that nobody can read is no row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use redb::ReadableDatabase;
use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::rows::{after, json, of_site};
use super::tables::{GROUNDS, STANDING};
use super::{Place, Shelf, State, StoreError};
use crate::model::{Locale, PagePath, SegmentKey, SiteId};

/// What a page holds, and what its words are in each locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingPage {
    /// Its texts in their order.
    #[serde(skip)]
    pub texts: Vec<StandingText>,
    /// Signs for its source.
    pub source: String,
    /// What it says of what scripts may be loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// Whether it sends its readers elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forwards: bool,
    /// Whether it asks not to be translated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refuses: bool,
    /// What is to be said where bytes make no sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// What is to be said where it is too much to look into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The host of its canonical address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The hosts of its links in full.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Its words in each locale.
    pub words: BTreeMap<Locale, StandingWords>,
}

/// A text of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingText {
    /// Its key.
    pub key: SegmentKey,
    /// Signs for what its key does not: what its codes stand for, where it is there.
    pub print: u32,
}

/// How a page is translated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingWords {
    /// Words that people translated.
    pub person: usize,
    /// Words that the memory has.
    pub memory: usize,
    /// Words that need no translation.
    pub untouched: usize,
    /// Signs for the words, as the figures of pages have it.
    pub print: u32,
    /// Signs for the words and where they stand.
    pub key: String,
}

/// What is known of pages, set aside: together they name every text of a site.
#[derive(Debug)]
pub struct StandingPages {
    shelf: Shelf,
    rows: Vec<(PagePath, Place)>,
}

/// What a build found out about pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingChange {
    /// What it is true on.
    pub ground: String,
    /// Pages that were read.
    pub read: Arc<StandingPages>,
    /// Pages of which it is known already; all others are forgotten.
    pub stay: BTreeSet<PagePath>,
}

impl StandingText {
    const LENGTH: usize = 20;

    fn write(self, row: &mut Vec<u8>) {
        row.extend(self.key.as_bytes());
        row.extend(self.print.to_le_bytes());
    }

    fn read(row: &[u8]) -> Option<Self> {
        let (key, print) = row.split_first_chunk()?;
        Some(Self { key: SegmentKey::from_bytes(*key), print: u32::from_le_bytes(print.try_into().ok()?) })
    }
}

impl StandingPage {
    /// A row: how many texts there are, the texts, and the rest as JSON.
    fn read(row: &[u8]) -> Option<Self> {
        let (count, rest) = row.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*count)).ok()?.checked_mul(StandingText::LENGTH)?;
        let (texts, rest) = rest.split_at_checked(length)?;
        let texts = texts.chunks_exact(StandingText::LENGTH).map(StandingText::read).collect::<Option<_>>()?;
        Some(Self { texts, ..serde_json::from_slice(rest).ok()? })
    }

    fn write(&self) -> Result<Vec<u8>, Fault> {
        let mut row = Vec::from(u32::try_from(self.texts.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.texts.iter().for_each(|text| text.write(&mut row));
        row.append(&mut json(self)?);
        Ok(row)
    }
}

impl PartialEq for StandingPages {
    /// One shelf is as good as another.
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl Eq for StandingPages {}

impl StandingPages {
    /// None yet; what is known of them goes to a shelf.
    pub fn on(shelf: Shelf) -> Self {
        Self { shelf, rows: Vec::new() }
    }

    /// Adds a page. One that cannot be written down does not stand.
    pub fn add(&mut self, path: PagePath, page: &StandingPage) {
        if let Ok(row) = page.write() {
            self.rows.push((path, self.shelf.put(&row)));
        }
    }
}

impl State {
    /// What is known of a site's pages on a ground; nothing on another one.
    pub fn standing(
        &self,
        site: &SiteId,
        ground: &str,
    ) -> Result<Option<BTreeMap<PagePath, StandingPage>>, StoreError> {
        self.read("read what pages hold from", |database| {
            let transaction = database.begin_read()?;
            if transaction.open_table(GROUNDS)?.get(site.as_str())?.is_none_or(|known| known.value() != ground) {
                return Ok(None);
            }
            let table = transaction.open_table(STANDING)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let parsed = PagePath::parse(key.value().1).ok().zip(StandingPage::read(value.value()));
                found.extend(parsed);
            }
            Ok(Some(found))
        })
    }

    /// Keeps what a build found out about pages; without anything, nothing is known any more.
    pub fn keep_standing(&self, site: &SiteId, change: Option<&StandingChange>) -> Result<(), StoreError> {
        self.write("keep what pages hold in", |transaction| {
            let mut grounds = transaction.open_table(GROUNDS)?;
            let Some(StandingChange { ground, read, stay }) = change else {
                grounds.remove(site.as_str())?;
                return Ok(());
            };
            grounds.insert(site.as_str(), ground.as_str())?;
            let mut table = transaction.open_table(STANDING)?;
            table.retain_in(of_site(site, &after(site)), |(_, path), _| {
                PagePath::parse(path).is_ok_and(|path| stay.contains(&path))
            })?;
            for (path, place) in &read.rows {
                // A page that the disk does not give back is read again.
                let Some(row) = read.shelf.get(*place, |row| Some(row.to_vec())) else { continue };
                table.insert((site.as_str(), path.as_str()), row.as_slice())?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: u8) -> StandingPage {
        let words = StandingWords { person: 1, memory: 2, untouched: 3, print: 4, key: "5".to_owned() };
        StandingPage {
            texts: vec![StandingText { key: SegmentKey::from_bytes([text; 16]), print: u32::from(text) }; 3],
            source: "a".to_owned(),
            policies: vec!["script-src 'none'".to_owned()],
            forwards: true,
            refuses: false,
            broken: None,
            left: Some("too deep".to_owned()),
            host: None,
            hosts: vec!["example.com".to_owned()],
            words: BTreeMap::from([(Locale::parse("es").unwrap(), words)]),
        }
    }

    #[test]
    fn pages_are_known_on_their_ground_alone() {
        let (state, site) = (State::in_memory().unwrap(), SiteId::parse("site").unwrap());
        let path = |name: &str| PagePath::parse(name).unwrap();
        let change = |ground: &str, read: &[(&str, u8)], stay: &[&str]| StandingChange {
            ground: ground.to_owned(),
            read: Arc::new(read.iter().fold(StandingPages::on(state.shelf()), |mut pages, (name, text)| {
                pages.add(path(name), &page(*text));
                pages
            })),
            stay: stay.iter().map(|name| path(name)).collect(),
        };
        state.keep_standing(&site, Some(&change("one", &[("/a", 1), ("/b", 2)], &[]))).unwrap();
        let known = state.standing(&site, "one").unwrap().unwrap();
        assert_eq!(known, BTreeMap::from([(path("/a"), page(1)), (path("/b"), page(2))]));
        assert_eq!(state.standing(&site, "two").unwrap(), None);
        state.keep_standing(&site, Some(&change("two", &[("/c", 3)], &["/b"]))).unwrap();
        let known = state.standing(&site, "two").unwrap().unwrap();
        assert_eq!(known, BTreeMap::from([(path("/b"), page(2)), (path("/c"), page(3))]));
        state.keep_standing(&site, None).unwrap();
        assert_eq!(state.standing(&site, "two").unwrap(), None);
    }
}
