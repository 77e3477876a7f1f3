//! Facts about pages that earlier builds read, so that a build reads only changed pages.
//!
//! The rows are derived, and belong to an environment: the fingerprint of everything that a build reads beside the pages. Rows of
//! another environment are ignored, and pages are read again. An unreadable row counts as missing.
//!
//! One file: the row format with its only reader and writer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::cached_locales::{CachedLocale, CachedRemark};
use super::cached_mixed::{self, MixedTexts};
use super::cut::{RowCursor, length};
use super::fault::StateFault;
use super::rows::{after, json, of_site};
use super::tables::{CACHED_LOCALES, CACHED_MIXED, CACHED_PAGES, CACHED_TEXTS, ENVIRONMENTS};
use super::{SpillFile, SpillSpan, State, StateError};
use crate::model::{Claims, Locale, NameClue, PagePath, SegmentKey, SiteId};
use crate::page::{Framework, Rendering};

/// Format version of a row. Rows of other versions are ignored.
const FORM: u8 = 5;

/// Facts about a page other than its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedPage {
    /// Fingerprint of its source.
    pub source: [u8; 32],
    /// Its words in each locale.
    pub words: Box<[(Locale, CachedWords)]>,
    /// Its clues to names of the site.
    pub names: Box<[NameClue]>,
    /// Further facts; `None` if all are default.
    pub facts: Option<Box<CachedFacts>>,
}

/// What is to be said of a page beside its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CachedFacts {
    /// Its policies (Content-Security-Policy), as far as they are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// Drawing by scripts; `None` for a static page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn: Option<CachedDrawing>,
    /// Whether it sends its readers elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forwards: bool,
    /// The addresses that its head names.
    #[serde(skip_serializing_if = "Claims::is_empty")]
    pub claims: Claims,
    /// A page that a link of it opens and `exclude` leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads_out: Option<PagePath>,
    /// The language that it claims, if the owner keeps it as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Locale>,
    /// Fragments and framed pages that its links open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opens: Vec<PagePath>,
    /// True if it has texts whose codes or filters differ between places.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mixed: bool,
    /// Whether it asks not to be translated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refuses: bool,
    /// True if the page has letters in elements of their own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub letters: bool,
    /// True if the page lacks the element that `switcher.placement` names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lacks_switcher: bool,
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

/// Drawing of a page by scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedDrawing {
    /// Source of its words: the HTML, or scripts.
    pub rendering: Rendering,
    /// The framework; `None` if nothing on the page shows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<Framework>,
    /// An upper bound of what the page adds to the words that all pages of a language share, in bytes.
    pub shared_bytes: u64,
}

/// A text of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedText {
    /// Its key.
    pub key: SegmentKey,
    /// Fingerprint of what the key leaves out: its codes and its locale filter. [`MIXED`](Self::MIXED) if these differ between
    /// pages.
    pub print: u32,
}

/// How a page is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedWords {
    /// Words that people translated.
    pub person: u32,
    /// Words that the memory has.
    pub memory: u32,
    /// Words that need no translation.
    pub untouched: u32,
    /// Texts for which a person's words wait.
    pub to_review: u32,
    /// Fingerprint of the words, as the figures of pages have it.
    pub print: u32,
    /// Fingerprint of the words and where they stand.
    pub key: [u8; 32],
}

/// What is known of a site's pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CachedRows {
    /// Cached pages.
    pub pages: BTreeMap<PagePath, CachedPage>,
    /// Pages with outdated rows.
    pub gone: GonePages,
    /// How many different texts all of these have.
    pub texts: u64,
    /// Fingerprint of the site's names with which these texts were translated.
    pub names: String,
    /// What is known of each locale.
    pub locales: Vec<CachedLocale>,
    /// Texts whose codes differ between pages.
    pub mixed: MixedTexts,
    /// Revisions of people's words that these rows were made with, as [`CacheChange::people`] has them.
    pub people: String,
    /// Source texts, in the notation, of which people changed the words since then; pages with them are gone.
    pub edited: BTreeSet<String>,
}

/// Pages of which something is known that is true no longer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GonePages {
    /// Their paths.
    pub paths: BTreeSet<String>,
    /// An upper bound of what they added to the words that all pages of a language share, in bytes.
    pub shared_bytes: u64,
    /// The environment of these rows, with the number of distinct texts.
    known: String,
}

/// What is known of pages, set aside: together they name every text of a site.
#[derive(Debug)]
pub struct CachedPages {
    spill: SpillFile,
    /// Where each page's row is, and its texts.
    rows: Vec<(PagePath, SpillSpan, SpillSpan)>,
}

/// Changes of one build to the cached rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheChange {
    /// The environment of the rows.
    pub environment: String,
    /// Pages that were read.
    pub read: Arc<CachedPages>,
    /// Pages of which nothing is known any more, those excepted that were read; everything where it is nothing.
    pub gone: Option<GonePages>,
    /// Number of distinct texts on all cached pages.
    pub texts: u64,
    /// Fingerprint of the site's names, in letters and digits.
    pub names: String,
    /// What is known of each locale, in the order of the pages' words.
    pub locales: Vec<CachedLocale>,
    /// Texts whose codes differ between pages.
    pub mixed: MixedTexts,
    /// Revision of people's words in the state for each locale, without spaces.
    pub people: String,
}

impl GonePages {
    /// Adds a page; `None` if nobody can read what was known of it.
    pub fn add(&mut self, path: String, page: Option<&CachedPage>) {
        let shared = page.map_or(u64::MAX, CachedPage::shared_bytes);
        self.shared_bytes = self.shared_bytes.saturating_add(shared);
        self.paths.insert(path);
    }
}

/// The place of a text on a cached page.
#[derive(Clone, Copy, Debug)]
pub struct TextPlace<'p> {
    /// The page.
    pub page: &'p PagePath,
    /// The place among the texts of the page.
    pub place: u32,
}

impl CachedText {
    const LENGTH: usize = 20;

    /// Fingerprint of a text without codes and filter.
    pub const PLAIN: u32 = 0;

    /// Fingerprint of a text whose codes or filter differ between places.
    pub const MIXED: u32 = u32::MAX;

    /// False if the text is there for all languages on every page.
    pub fn may_have_filter(self) -> bool {
        ![Self::PLAIN, Self::MIXED].contains(&self.print)
    }

    fn write(self, row: &mut Vec<u8>) {
        row.extend(self.key.as_bytes());
        row.extend(self.print.to_le_bytes());
    }

    fn read(row: &[u8]) -> Option<Self> {
        let (key, print) = row.split_first_chunk()?;
        Some(Self {
            key: SegmentKey::from_bytes(*key),
            print: u32::from_le_bytes(print.try_into().ok()?),
        })
    }
}

impl CachedWords {
    fn write(self, row: &mut Vec<u8>) {
        let Self {
            person,
            memory,
            untouched,
            to_review,
            print,
            key,
        } = self;
        [person, memory, untouched, to_review, print]
            .into_iter()
            .for_each(|number| row.extend(number.to_le_bytes()));
        row.extend(key);
    }

    fn read(row: &mut RowCursor<'_>) -> Option<Self> {
        let person = row.number()?;
        let memory = row.number()?;
        let untouched = row.number()?;
        let to_review = row.number()?;
        Some(Self {
            person,
            memory,
            untouched,
            to_review,
            print: row.number()?,
            key: row.array()?,
        })
    }
}

impl CachedPage {
    /// A row: the form, the fingerprint of the source, how many locales there are, each with the length of its tag, the tag and the
    /// words, clues to names in the same way, and facts as JSON where there are any.
    fn read(row: &[u8], known: &mut BTreeSet<Locale>) -> Option<Self> {
        let mut row = RowCursor(row);
        row.bytes(1).filter(|form| *form == [FORM])?;
        let source = row.array()?;
        let mut words = Vec::new();
        for _ in 0..row.length()? {
            let length = row.length()?;
            let locale = shared(std::str::from_utf8(row.bytes(length)?).ok()?, known)?;
            words.push((locale, CachedWords::read(&mut row)?));
        }
        let mut names = Vec::new();
        for _ in 0..row.length()? {
            let length = row.length()?;
            let name = std::str::from_utf8(row.bytes(length)?).ok()?.into();
            let [places] = row.array()?;
            let inside = u16::from_le_bytes(row.array()?);
            names.push(NameClue {
                name,
                places,
                inside,
                lower: u16::from_le_bytes(row.array()?),
            });
        }
        let facts = if row.0.is_empty() {
            None
        } else {
            Some(serde_json::from_slice(row.0).ok()?)
        };
        Some(Self {
            source,
            words: words.into(),
            names: names.into(),
            facts,
        })
    }

    fn write(&self) -> Result<Vec<u8>, StateFault> {
        let Self {
            source,
            words,
            names,
            facts,
        } = self;
        let mut row = vec![FORM];
        row.extend(source);
        row.extend(length(words.len()));
        for (locale, words) in words {
            row.extend(length(locale.as_str().len()));
            row.extend(locale.as_str().as_bytes());
            words.write(&mut row);
        }
        row.extend(length(names.len()));
        for NameClue {
            name,
            places,
            inside,
            lower,
        } in names
        {
            row.extend(length(name.len()));
            row.extend(name.as_bytes());
            row.push(*places);
            row.extend(inside.to_le_bytes());
            row.extend(lower.to_le_bytes());
        }
        if let Some(facts) = facts {
            row.append(&mut json(facts)?);
        }
        Ok(row)
    }

    /// True if it has texts whose codes or filters differ between places.
    pub fn is_mixed(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.mixed)
    }

    /// An upper bound of what it adds to the words that all pages of a language share, in bytes.
    pub fn shared_bytes(&self) -> u64 {
        let drawn = self.facts.as_ref().and_then(|facts| facts.drawn);
        drawn.map_or(0, |drawn| drawn.shared_bytes)
    }

    /// Its words in a locale.
    pub fn words(&self, locale: &Locale) -> Option<&CachedWords> {
        self.words
            .iter()
            .find(|(known, _)| known == locale)
            .map(|(_, words)| words)
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

impl PartialEq for CachedPages {
    /// Compares rows only: a spill file holds no facts of its own.
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl Eq for CachedPages {}

impl CachedPages {
    /// No pages yet; their rows go to a spill file.
    pub fn on(spill: SpillFile) -> Self {
        Self {
            spill,
            rows: Vec::new(),
        }
    }

    /// Adds a page with its texts in their order, and what checks noticed in them, in that order too. Returns `false` if the
    /// page cannot be serialized; the page is then not cached.
    pub fn add(
        &mut self,
        path: PagePath,
        page: &CachedPage,
        texts: &[CachedText],
        noticed: &[CachedRemark],
    ) -> bool {
        let Some((row, count)) = page.write().ok().zip(u32::try_from(texts.len()).ok()) else {
            return false;
        };
        let length = 4 + texts.len() * CachedText::LENGTH + noticed.len() * CachedRemark::LENGTH;
        let mut named = Vec::with_capacity(length);
        named.extend(count.to_le_bytes());
        texts.iter().for_each(|text| text.write(&mut named));
        noticed.iter().for_each(|checks| checks.write(&mut named));
        self.rows
            .push((path, self.spill.put(&row), self.spill.put(&named)));
        true
    }
}

impl State {
    /// Facts about a site's pages in an environment; `None` for another environment.
    pub fn cached_pages(
        &self,
        site: &SiteId,
        environment: &str,
        stands: impl Fn(&PagePath, &CachedPage) -> bool,
    ) -> Result<Option<CachedRows>, StateError> {
        self.read("read what pages hold from", |transaction| {
            let known = transaction
                .open_table(ENVIRONMENTS)?
                .get(site.as_str())?
                .map(|known| known.value().to_owned());
            let Some(known) = known else { return Ok(None) };
            let texts = known
                .split_once(' ')
                .filter(|(found, _)| *found == environment);
            let Some((texts, rest)) = texts.and_then(|(_, rest)| rest.split_once(' ')) else {
                return Ok(None);
            };
            let Some((names, people)) = rest.split_once(' ') else {
                return Ok(None);
            };
            let Ok(texts) = texts.parse() else {
                return Ok(None);
            };
            let names = names.to_owned();
            let people = people.to_owned();
            let table = transaction.open_table(CACHED_PAGES)?;
            let known_of_locales = transaction.open_table(CACHED_LOCALES)?.get(site.as_str())?;
            let known_of_locales =
                known_of_locales.and_then(|row| serde_json::from_slice(row.value()).ok());
            let Some(known_of_locales) = known_of_locales else {
                return Ok(None);
            };
            let mixed = transaction.open_table(CACHED_MIXED)?.get(site.as_str())?;
            let Some(mixed) = mixed.and_then(|row| cached_mixed::read(row.value())) else {
                return Ok(None);
            };
            let gone = GonePages {
                known,
                ..GonePages::default()
            };
            let mut rows = CachedRows {
                pages: BTreeMap::new(),
                gone,
                texts,
                names,
                locales: known_of_locales,
                mixed,
                people,
                edited: BTreeSet::new(),
            };
            let mut locales = BTreeSet::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let path = key.value().1;
                let page = PagePath::parse(path)
                    .ok()
                    .zip(CachedPage::read(value.value(), &mut locales));
                match page {
                    Some((path, page)) if stands(&path, &page) => {
                        drop(rows.pages.insert(path, page))
                    }
                    known => rows
                        .gone
                        .add(path.to_owned(), known.as_ref().map(|(_, page)| page)),
                }
            }
            Ok(Some(rows))
        })
    }

    /// Calls `each` with every known text of the gone pages, then `rest` with every text of the other pages, in the order of
    /// pages. Returns the number of other pages; `None` if a row cannot be read.
    pub fn cached_texts(
        &self,
        site: &SiteId,
        gone: &BTreeSet<String>,
        mut each: impl FnMut(CachedText, &[CachedRemark]),
        mut rest: impl FnMut(TextPlace<'_>, CachedText, &[CachedRemark]),
    ) -> Result<Option<usize>, StateError> {
        self.read("read the texts of pages from", |transaction| {
            let table = transaction.open_table(CACHED_TEXTS)?;
            for path in gone {
                let texts = table.get((site.as_str(), path.as_str()))?;
                let mut each = |_, text, noticed: &[_]| each(text, noticed);
                if texts.is_none_or(|texts| !read_texts(texts.value(), &mut each)) {
                    return Ok(None);
                }
            }
            let mut pages = 0;
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                if gone.contains(key.value().1) {
                    continue;
                }
                let Ok(path) = PagePath::parse(key.value().1) else {
                    return Ok(None);
                };
                let mut rest = |place, text, noticed: &[_]| {
                    let page = &path;
                    rest(TextPlace { page, place }, text, noticed);
                };
                if !read_texts(value.value(), &mut rest) {
                    return Ok(None);
                }
                pages += 1;
            }
            Ok(Some(pages))
        })
    }

    /// Keeps what a build found out about pages; without anything, nothing is known any more.
    pub fn keep_cached_pages(
        &self,
        site: &SiteId,
        change: Option<&CacheChange>,
    ) -> Result<(), StateError> {
        self.write("keep what pages hold in", |transaction| {
            let mut environments = transaction.open_table(ENVIRONMENTS)?;
            let Some(CacheChange {
                environment,
                read,
                gone,
                texts,
                names,
                locales,
                mixed,
                people,
            }) = change
            else {
                environments.remove(site.as_str())?;
                return Ok(());
            };
            let mut named = transaction.open_table(CACHED_TEXTS)?;
            let mut unwritten = false;
            let mut table = transaction.open_table(CACHED_PAGES)?;
            // Where others wrote rows meanwhile, nobody knows what they come to.
            let known = environments
                .get(site.as_str())?
                .map(|known| known.value().to_owned());
            if gone
                .as_ref()
                .is_some_and(|gone| known.as_ref() != Some(&gone.known))
            {
                environments.remove(site.as_str())?;
                return Ok(());
            }
            match gone {
                Some(gone) => {
                    for path in &gone.paths {
                        table.remove((site.as_str(), path.as_str()))?;
                        named.remove((site.as_str(), path.as_str()))?;
                    }
                }
                None => {
                    table.retain_in(of_site(site, &after(site)), |_, _| false)?;
                    named.retain_in(of_site(site, &after(site)), |_, _| false)?;
                }
            }
            for (path, page, texts) in &read.rows {
                let [page, texts] =
                    [page, texts].map(|place| read.spill.get(*place, |row| Some(row.to_vec())));
                let Some((page, texts)) = page.zip(texts) else {
                    unwritten = true;
                    continue;
                };
                table.insert((site.as_str(), path.as_str()), page.as_slice())?;
                named.insert((site.as_str(), path.as_str()), texts.as_slice())?;
            }
            // Of pages that the disk does not give back the texts were counted.
            if unwritten {
                environments.remove(site.as_str())?;
            } else {
                for (table, row) in [
                    (CACHED_LOCALES, json(locales)?),
                    (CACHED_MIXED, cached_mixed::write(mixed)),
                ] {
                    let mut table = transaction.open_table(table)?;
                    let is_same = table
                        .get(site.as_str())?
                        .is_some_and(|known| known.value() == row);
                    if !is_same {
                        table.insert(site.as_str(), row.as_slice())?;
                    }
                }
                environments.insert(
                    site.as_str(),
                    format!("{environment} {texts} {names} {people}").as_str(),
                )?;
            }
            Ok(())
        })
    }
}

/// Reads the texts of a page with their places and the remarks of checks. Returns `false` if the row is damaged.
fn read_texts(row: &[u8], each: &mut impl FnMut(u32, CachedText, &[CachedRemark])) -> bool {
    let mut row = RowCursor(row);
    let texts = row
        .length()
        .and_then(|count| row.bytes(count.checked_mul(CachedText::LENGTH)?));
    let Some(texts) = texts else { return false };
    let (noticed, rest) = row.0.as_chunks::<{ CachedRemark::LENGTH }>();
    if !rest.is_empty() {
        return false;
    }
    let noticed: Vec<CachedRemark> = noticed
        .iter()
        .map(|checks| CachedRemark::read(*checks))
        .collect();
    let mut noticed = noticed.as_slice();
    for (place, text) in (0..).zip(texts.as_chunks::<{ CachedText::LENGTH }>().0) {
        let own = noticed.partition_point(|checks| checks.text <= place);
        let (own, others) = noticed.split_at(own);
        noticed = others;
        CachedText::read(text)
            .into_iter()
            .for_each(|text| each(place, text, own));
    }
    noticed.is_empty()
}

#[cfg(test)]
mod tests;
