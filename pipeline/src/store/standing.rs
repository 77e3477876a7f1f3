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

/// The form of a row. One in another form is no row.
const FORM: u8 = 1;

/// What a page holds, and what its words are in each locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingPage {
    /// Its texts in their order.
    pub texts: Box<[StandingText]>,
    /// Signs for its source.
    pub source: [u8; 32],
    /// Its words in each locale.
    pub words: Box<[(Locale, StandingWords)]>,
    /// What else there is to say of it; nothing where that is nothing.
    pub facts: Option<Box<StandingFacts>>,
}

/// What is to be said of a page beside its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StandingFacts {
    /// What it says of what scripts may be loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// Whether it sends its readers elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forwards: bool,
    /// Whether it asks not to be translated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refuses: bool,
    /// What is to be said where bytes make no sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// What is to be said where it is too much to look into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The host of its canonical address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The hosts of its links in full.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingWords {
    /// Words that people translated.
    pub person: u32,
    /// Words that the memory has.
    pub memory: u32,
    /// Words that need no translation.
    pub untouched: u32,
    /// Signs for the words, as the figures of pages have it.
    pub print: u32,
    /// Signs for the words and where they stand.
    pub key: [u8; 32],
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

impl StandingWords {
    fn write(self, row: &mut Vec<u8>) {
        let Self { person, memory, untouched, print, key } = self;
        [person, memory, untouched, print].into_iter().for_each(|number| row.extend(number.to_le_bytes()));
        row.extend(key);
    }

    fn read(row: &mut Cut<'_>) -> Option<Self> {
        let (person, memory, untouched) = (row.number()?, row.number()?, row.number()?);
        Some(Self { person, memory, untouched, print: row.number()?, key: row.array()? })
    }
}

/// A row that is read piece by piece.
struct Cut<'r>(&'r [u8]);

impl<'r> Cut<'r> {
    fn bytes(&mut self, count: usize) -> Option<&'r [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }
}

impl StandingPage {
    /// A row: how many texts there are, the texts, the form, what signs for the source, how many locales there are, each with the
    /// length of its tag, the tag and the words, and facts as JSON where there are any.
    fn read(row: &[u8], known: &mut BTreeSet<Locale>) -> Option<Self> {
        let mut row = Cut(row);
        let length = row.length()?.checked_mul(StandingText::LENGTH)?;
        let texts = row.bytes(length)?;
        let texts = texts.chunks_exact(StandingText::LENGTH).map(StandingText::read).collect::<Option<_>>()?;
        row.bytes(1).filter(|form| *form == [FORM])?;
        let source = row.array()?;
        let mut words = Vec::new();
        for _ in 0..row.length()? {
            let length = row.length()?;
            let locale = shared(std::str::from_utf8(row.bytes(length)?).ok()?, known)?;
            words.push((locale, StandingWords::read(&mut row)?));
        }
        let facts = if row.0.is_empty() { None } else { Some(serde_json::from_slice(row.0).ok()?) };
        Some(Self { texts, source, words: words.into(), facts })
    }

    fn write(&self) -> Result<Vec<u8>, Fault> {
        let Self { texts, source, words, facts } = self;
        let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
        let mut row = Vec::from(length(texts.len()));
        texts.iter().for_each(|text| text.write(&mut row));
        row.push(FORM);
        row.extend(source);
        row.extend(length(words.len()));
        for (locale, words) in words {
            row.extend(length(locale.as_str().len()));
            row.extend(locale.as_str().as_bytes());
            words.write(&mut row);
        }
        if let Some(facts) = facts {
            row.append(&mut json(facts)?);
        }
        Ok(row)
    }

    /// Its words in a locale.
    pub fn words(&self, locale: &Locale) -> Option<&StandingWords> {
        self.words.iter().find(|(known, _)| known == locale).map(|(_, words)| words)
    }
}

/// A locale, of those that many pages have.
fn shared(tag: &str, known: &mut BTreeSet<Locale>) -> Option<Locale> {
    if let Some(locale) = known.iter().find(|locale| locale.as_str() == tag) {
        return Some(locale.clone());
    }
    let locale = Locale::parse(tag).ok()?;
    known.insert(locale.clone());
    Some(locale)
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
            let (mut found, mut locales) = (BTreeMap::new(), BTreeSet::new());
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let page = StandingPage::read(value.value(), &mut locales);
                let parsed = PagePath::parse(key.value().1).ok().zip(page);
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
        let words = StandingWords { person: 1, memory: 2, untouched: 3, print: 4, key: [5; 32] };
        let facts = StandingFacts {
            policies: vec!["script-src 'none'".to_owned()],
            forwards: true,
            left: Some("too deep".to_owned()),
            hosts: vec!["example.com".to_owned()],
            ..StandingFacts::default()
        };
        StandingPage {
            texts: [StandingText { key: SegmentKey::from_bytes([text; 16]), print: u32::from(text) }; 3].into(),
            source: [6; 32],
            words: ["es", "ar"].map(|tag| (Locale::parse(tag).unwrap(), words)).into(),
            facts: (text != 2).then(|| Box::new(facts)),
        }
    }

    #[test]
    fn a_row_that_is_cut_off_or_of_another_form_is_no_row() {
        let row = page(1).write().ok().unwrap();
        let read = |row: &[u8]| StandingPage::read(row, &mut BTreeSet::new());
        assert_eq!(read(&row), Some(page(1)));
        // Without facts a row is whole, too.
        let whole = StandingPage { facts: None, ..page(1) };
        let cut = (0..row.len()).filter_map(|end| Some((end, read(&row[..end])?))).collect::<Vec<_>>();
        assert_eq!(cut, [(whole.write().ok().unwrap().len(), whole)]);
        let mut other = row;
        other[4 + 3 * StandingText::LENGTH] = FORM + 1;
        assert_eq!(read(&other), None);
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
