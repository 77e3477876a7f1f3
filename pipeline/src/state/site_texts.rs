//! Texts of each site as its last build read them, so that lists and searches need not read pages.
//!
//! The rows are derived. They belong to the sources of one deployment, which their record names; a caller that finds another
//! deployment reads the pages instead.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::rows::{after, json, of_site, parsed};
use super::tables::{PAGE_TEXTS, SITE_TEXTS, TEXT_RECORDS};
use super::{SpillFile, SpillSpan, State, StateError};
use crate::model::{Locale, PagePath, SegmentKey, SiteId};
use crate::page::{LocaleFilter, Segment};

/// Facts about all texts of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRecord {
    /// Hash of the source index of the deployment that was made of these texts.
    pub sources: String,
    /// Number of changes to the rows.
    #[serde(default)]
    pub revision: u64,
    /// Names that are kept in every language, each with whether it counts only as a whole text.
    pub names: Vec<(String, bool)>,
    /// Pages that need no words in a locale.
    pub needless: BTreeMap<Locale, BTreeSet<PagePath>>,
}

/// Texts that a build read, for the state.
#[derive(Debug, PartialEq, Eq)]
pub struct TextChange {
    /// The record of all texts.
    pub record: TextRecord,
    /// Texts that were read, in a spill file.
    pub read: ReadTexts,
    /// Paths that have texts, whether they were read or not.
    pub standing: BTreeSet<PagePath>,
    /// True if all pages were read, so that no other text stands anywhere.
    pub is_whole: bool,
}

/// Texts of pages that were read, set aside.
#[derive(Debug)]
pub struct ReadTexts {
    spill: SpillFile,
    texts: Vec<(SegmentKey, SpillSpan)>,
    pages: Vec<(PagePath, SpillSpan)>,
}

impl PartialEq for ReadTexts {
    /// Compares rows only: a spill file holds no facts of its own.
    fn eq(&self, other: &Self) -> bool {
        (&self.texts, &self.pages) == (&other.texts, &other.pages)
    }
}

impl Eq for ReadTexts {}

impl ReadTexts {
    /// No texts yet; their rows go to a spill file.
    pub fn on(spill: SpillFile) -> Self {
        Self {
            spill,
            texts: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// Adds a text.
    pub fn add_text(&mut self, key: SegmentKey, segment: &Segment) {
        let row = self.spill.put(&text_row(segment));
        self.texts.push((key, row));
    }

    /// Adds the texts of a page, in their order.
    pub fn add_page(&mut self, path: PagePath, keys: impl Iterator<Item = SegmentKey>) {
        let mut row = Vec::new();
        for key in keys {
            row.extend(key.as_bytes());
        }
        self.pages.push((path, self.spill.put(&row)));
    }
}

/// A row: the length of the locale filter, the filter, and the packed segment, without what differs from page to page.
fn text_row(segment: &Segment) -> Vec<u8> {
    let segment = Segment {
        origin: "".into(),
        keeps_nodes: false,
        ..segment.clone()
    };
    let filter = segment.filter.as_ref().map(|filter| filter.pack());
    let filter = filter.unwrap_or_default();
    let mut row = Vec::new();
    row.extend(u32::try_from(filter.len()).unwrap_or(0).to_le_bytes());
    row.extend(filter.as_bytes());
    segment.pack(&mut row);
    row
}

fn text_of(row: &[u8]) -> Option<Segment> {
    let (length, rest) = row.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (filter, packed) = rest.split_at_checked(length)?;
    let mut segment = Segment::unpack(packed)?;
    if !filter.is_empty() {
        segment.filter = LocaleFilter::unpack(std::str::from_utf8(filter).ok()?);
    }
    Some(segment)
}

impl State {
    /// The record of a site's texts; `None` before the first build.
    pub fn text_record(&self, site: &SiteId) -> Result<Option<TextRecord>, StateError> {
        self.read("read the texts of a site from", |transaction| {
            let table = transaction.open_table(TEXT_RECORDS)?;
            let row = table.get(site.as_str())?;
            row.map(|row| parsed(row.value(), || format!("texts of {site}")))
                .transpose()
        })
    }

    /// Calls `each` with every page and its texts, in the order of paths; a text comes as a segment where it stands for the
    /// first time. Returns `false` if a row cannot be read or is missing.
    pub fn site_texts(
        &self,
        site: &SiteId,
        mut each: impl FnMut(PagePath, Vec<(SegmentKey, Option<Segment>)>),
    ) -> Result<bool, StateError> {
        self.read("read the texts of a site from", |transaction| {
            let pages = transaction.open_table(PAGE_TEXTS)?;
            let texts = transaction.open_table(SITE_TEXTS)?;
            let mut known = HashSet::new();
            for row in pages.range(of_site(site, &after(site)))? {
                let (at, row) = row?;
                let Ok(path) = PagePath::parse(at.value().1) else {
                    return Ok(false);
                };
                let mut found = Vec::new();
                for key in row.value().as_chunks().0 {
                    let mut segment = None;
                    if known.insert(*key) {
                        let text = texts.get((site.as_str(), key))?;
                        segment = text.and_then(|text| text_of(text.value()));
                        if segment.is_none() {
                            return Ok(false);
                        }
                    }
                    found.push((SegmentKey::from_bytes(*key), segment));
                }
                each(path, found);
            }
            Ok(true)
        })
    }

    /// A text of a site.
    pub fn site_text(&self, site: &SiteId, key: SegmentKey) -> Result<Option<Segment>, StateError> {
        self.read("read the texts of a site from", |transaction| {
            let table = transaction.open_table(SITE_TEXTS)?;
            let row = table.get((site.as_str(), key.as_bytes()))?;
            Ok(row.and_then(|row| text_of(row.value())))
        })
    }

    /// Texts of a page in their order.
    pub fn page_texts(
        &self,
        site: &SiteId,
        path: &PagePath,
    ) -> Result<Vec<SegmentKey>, StateError> {
        self.read("read the texts of a site from", |transaction| {
            let table = transaction.open_table(PAGE_TEXTS)?;
            let row = table.get((site.as_str(), path.as_str()))?;
            let Some(row) = row else {
                return Ok(Vec::new());
            };
            let keys = row.value().as_chunks().0.iter();
            Ok(keys.map(|key| SegmentKey::from_bytes(*key)).collect())
        })
    }

    /// Pages with one of these texts.
    pub fn pages_with(
        &self,
        site: &SiteId,
        texts: &HashSet<SegmentKey>,
    ) -> Result<Vec<PagePath>, StateError> {
        self.read("read the texts of a site from", |transaction| {
            let table = transaction.open_table(PAGE_TEXTS)?;
            let mut pages = Vec::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (at, row) = row?;
                let mut keys = row.value().as_chunks().0.iter();
                if keys.any(|key| texts.contains(&SegmentKey::from_bytes(*key))) {
                    pages.extend(PagePath::parse(at.value().1).ok());
                }
            }
            Ok(pages)
        })
    }

    /// Keeps the texts that a build read, and those of pages that it did not need to read.
    pub fn keep_site_texts(&self, site: &SiteId, change: &TextChange) -> Result<(), StateError> {
        let TextChange {
            record,
            read,
            standing,
            is_whole,
        } = change;
        self.write("keep the texts of a site in", |transaction| {
            let mut records = transaction.open_table(TEXT_RECORDS)?;
            let mut pages = transaction.open_table(PAGE_TEXTS)?;
            let mut texts = transaction.open_table(SITE_TEXTS)?;
            let mut revision = 1;
            if let Some(row) = records.get(site.as_str())? {
                let known: TextRecord = parsed(row.value(), || format!("texts of {site}"))?;
                revision += known.revision;
            }
            // Without a record the rows count as missing, so the pages are read.
            let mut is_lost = false;
            for (key, span) in &read.texts {
                let at = (site.as_str(), key.as_bytes());
                let Some(row) = read.spill.get(*span, |row| Some(row.to_vec())) else {
                    is_lost = true;
                    continue;
                };
                let is_known = texts.get(at)?.is_some_and(|known| known.value() == row);
                if !is_known {
                    texts.insert(at, row.as_slice())?;
                }
            }
            for (path, span) in &read.pages {
                let at = (site.as_str(), path.as_str());
                let Some(row) = read.spill.get(*span, |row| Some(row.to_vec())) else {
                    is_lost = true;
                    continue;
                };
                let is_known = pages.get(at)?.is_some_and(|known| known.value() == row);
                if !is_known {
                    pages.insert(at, row.as_slice())?;
                }
            }
            let standing: HashSet<&str> = standing.iter().map(PagePath::as_str).collect();
            pages.retain_in(of_site(site, &after(site)), |(_, path), _| {
                standing.contains(path)
            })?;
            if *is_whole {
                let keys: HashSet<&[u8; 16]> =
                    read.texts.iter().map(|(key, _)| key.as_bytes()).collect();
                let all = (site.as_str(), &[0; 16])..=(site.as_str(), &[0xff; 16]);
                texts.retain_in(all, |(_, key), _| keys.contains(key))?;
            }
            if is_lost {
                records.remove(site.as_str())?;
                return Ok(());
            }
            let record = TextRecord {
                revision,
                ..record.clone()
            };
            records.insert(site.as_str(), json(&record)?.as_slice())?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    fn site() -> SiteId {
        SiteId::parse("site").unwrap()
    }

    fn path(path: &str) -> PagePath {
        PagePath::of_file(path)
    }

    /// Adds a page of HTML and gives the keys of its texts.
    fn add(read: &mut ReadTexts, at: &str, html: &str) -> Vec<SegmentKey> {
        let source = Locale::parse("en").unwrap();
        let page = Page::parse(html.as_bytes(), None, &source);
        let mut keys = Vec::new();
        for segment in page.segments() {
            read.add_text(segment.key(&source), &segment);
            keys.push(segment.key(&source));
        }
        read.add_page(path(at), keys.iter().copied());
        keys
    }

    fn change(read: ReadTexts, standing: &[&str], is_whole: bool) -> TextChange {
        TextChange {
            record: TextRecord::default(),
            read,
            standing: standing.iter().map(|page| path(page)).collect(),
            is_whole,
        }
    }

    /// Pages with the plain texts that stand there for the first time, and the number of their texts.
    fn known(state: &State) -> Vec<(String, Vec<String>, usize)> {
        let mut found = Vec::new();
        let is_read = state.site_texts(&site(), |path, texts| {
            let new = texts.iter().flat_map(|(_, text)| text);
            let new = new.map(|text| text.text.text().to_owned()).collect();
            found.push((path.to_string(), new, texts.len()));
        });
        assert!(is_read.unwrap());
        found
    }

    #[test]
    fn texts_of_pages_that_were_not_read_stay_and_others_go() {
        let state = State::in_memory().unwrap();
        let mut read = ReadTexts::on(state.spill_file());
        let shared = add(
            &mut read,
            "a.html",
            "<p>One<p its-locale-filter-list=fr>Two",
        )[0];
        add(&mut read, "b.html", "<p>One<p>Three");
        state
            .keep_site_texts(&site(), &change(read, &["a.html", "b.html"], true))
            .unwrap();
        let row = |page: &str, new: &[&str], all| {
            let new = new.iter().map(ToString::to_string).collect();
            (page.to_owned(), new, all)
        };
        assert_eq!(
            known(&state),
            [
                row("/a.html", &["One", "Two"], 2),
                row("/b.html", &["Three"], 2)
            ]
        );
        let filter = state.page_texts(&site(), &path("a.html")).unwrap()[1];
        let filter = state.site_text(&site(), filter).unwrap().unwrap().filter;
        assert!(!filter.unwrap().admits(&Locale::parse("de").unwrap()));

        // One page was read again, and one is gone.
        let mut read = ReadTexts::on(state.spill_file());
        add(&mut read, "a.html", "<p>Four");
        state
            .keep_site_texts(&site(), &change(read, &["a.html", "b.html"], false))
            .unwrap();
        assert_eq!(
            known(&state),
            [
                row("/a.html", &["Four"], 1),
                row("/b.html", &["One", "Three"], 2)
            ]
        );
        let mut read = ReadTexts::on(state.spill_file());
        add(&mut read, "a.html", "<p>Four");
        state
            .keep_site_texts(&site(), &change(read, &["a.html"], true))
            .unwrap();
        assert_eq!(known(&state), [row("/a.html", &["Four"], 1)]);
        assert_eq!(state.site_text(&site(), shared).unwrap(), None);
        assert_eq!(state.text_record(&site()).unwrap().unwrap().revision, 3);
    }
}
