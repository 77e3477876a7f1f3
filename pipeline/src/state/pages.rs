//! How much of each page is translated, as the last finished run of a locale counted it.
//!
//! A row for each page and locale, written in the step that ends the run, so that a run and its figures are there together; those
//! that stay as they were are not written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::backend::{ReadableTable, WriteTransaction};
use super::fault::StateFault;
use super::rows::{after, json, of_site, parsed};
use super::tables::PAGE_WORDS;
use super::{State, StateError};
use crate::model::{Locale, PagePath, SiteId};

/// The pages of a locale.
pub type PagesWords = BTreeMap<PagePath, PageWords>;

/// Words of a page by who translated them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PageRow", into = "PageRow")]
pub struct PageWords {
    /// Words that people translated.
    pub people: u64,
    /// Words that engines translated.
    pub machine: u64,
    /// Words that need a translation.
    pub wanted: u64,
    /// Texts for which a person's words wait.
    pub to_review: u64,
    /// Fingerprint of the words that stand there; a page that a person wrote whole has none.
    pub print: Option<u32>,
}

/// Words of people and engines, those wanted, texts to review, and the fingerprint.
type PageRow = (u64, u64, u64, u64, Option<u32>);

impl PageWords {
    /// Words that stand there in the locale's language.
    pub fn translated(self) -> u64 {
        self.people + self.machine
    }

    /// True if nothing is left to translate.
    pub fn is_complete(self) -> bool {
        self.translated() >= self.wanted
    }

    /// True if the words of a page are the same, as far as both rows tell.
    pub fn are_the_same(self, before: Self) -> bool {
        match (self.print, before.print) {
            (Some(now), Some(then)) => now == then,
            (None, _) | (_, None) => {
                self.translated() == before.translated() && self.wanted == before.wanted
            }
        }
    }
}

impl From<PageRow> for PageWords {
    fn from((people, machine, wanted, to_review, print): PageRow) -> Self {
        Self {
            people,
            machine,
            wanted,
            to_review,
            print,
        }
    }
}

impl From<PageWords> for PageRow {
    fn from(words: PageWords) -> Self {
        let PageWords {
            people,
            machine,
            wanted,
            to_review,
            print,
        } = words;
        (people, machine, wanted, to_review, print)
    }
}

impl State {
    /// How much of each page is translated, by locale; locales that no run finished yet are not there.
    pub fn page_words(&self, site: &SiteId) -> Result<BTreeMap<Locale, PagesWords>, StateError> {
        self.read("read pages from", |transaction| {
            let mut found = BTreeMap::<Locale, PagesWords>::new();
            let mut last: Option<(Locale, PagesWords)> = None;
            for row in transaction
                .open_table(PAGE_WORDS)?
                .range(of_site(site, &after(site)))?
            {
                let (key, value) = row?;
                let name = key.value().1;
                let row = || named(site, key.value().1);
                let (tag, path) = name.split_at(name.find('/').unwrap_or(name.len()));
                let path = PagePath::parse(path).map_err(|error| StateFault::row(row(), error))?;
                let words = parsed(value.value(), row)?;
                match &mut last {
                    Some((locale, pages)) if locale.as_str() == tag => {
                        pages.insert(path, words);
                    }
                    _ => {
                        let locale =
                            Locale::parse(tag).map_err(|error| StateFault::row(row(), error))?;
                        found.extend(last.replace((locale, [(path, words)].into())));
                    }
                }
            }
            found.extend(last);
            Ok(found)
        })
    }

    /// The same of some pages of a locale.
    pub fn words_of_pages<'p>(
        &self,
        site: &SiteId,
        locale: &Locale,
        pages: impl IntoIterator<Item = &'p PagePath>,
    ) -> Result<PagesWords, StateError> {
        self.read("read pages from", |transaction| {
            let table = transaction.open_table(PAGE_WORDS)?;
            let mut found = PagesWords::new();
            for path in pages {
                let name = name(locale, path);
                let row = table.get((site.as_str(), name.as_str()))?;
                if let Some(row) = row {
                    found.insert(path.clone(), parsed(row.value(), || named(site, &name))?);
                }
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
) -> Result<(), StateFault> {
    let mut table = transaction.open_table(PAGE_WORDS)?;
    // What sorts right after a slash ends the rows of a locale.
    let first = format!("{locale}/");
    let end = format!("{locale}0");
    let mut gone = Vec::new();
    let mut new = Vec::new();
    let mut pages = pages.iter().peekable();
    for row in table.range((site.as_str(), first.as_str())..(site.as_str(), end.as_str()))? {
        let (key, value) = row?;
        let name = key.value().1;
        let path = name.get(locale.as_str().len()..).unwrap_or_default();
        while let Some(page) = pages.next_if(|(other, _)| other.as_str() < path) {
            new.push((page.0, json(page.1)?));
        }
        match pages.next_if(|(other, _)| other.as_str() == path) {
            Some((path, words)) => {
                let row = json(words)?;
                new.extend((row != value.value()).then_some((path, row)));
            }
            None => gone.push(name.to_owned()),
        }
    }
    for name in gone {
        table.remove((site.as_str(), name.as_str()))?;
    }
    for (path, row) in new {
        table.insert((site.as_str(), name(locale, path).as_str()), row.as_slice())?;
    }
    for (path, words) in pages {
        table.insert(
            (site.as_str(), name(locale, path).as_str()),
            json(words)?.as_slice(),
        )?;
    }
    Ok(())
}

/// A path starts with a slash, and no locale has one.
fn name(locale: &Locale, path: &PagePath) -> String {
    format!("{locale}{path}")
}

fn named(site: &SiteId, row: &str) -> String {
    format!("pages of {site} {row}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(all: &[(&str, u64)]) -> PagesWords {
        let words = |count| PageWords {
            people: count,
            machine: 1,
            wanted: 9,
            to_review: 2,
            print: Some(7),
        };
        all.iter()
            .map(|(path, count)| (PagePath::parse(path).unwrap(), words(*count)))
            .collect()
    }

    #[test]
    fn pages_of_a_locale_are_those_of_its_last_run() {
        let state = State::in_memory().unwrap();
        let site = SiteId::parse("site").unwrap();
        let locale = |tag: &str| Locale::parse(tag).unwrap();
        let put = |tag: &str, pages: &PagesWords| {
            state
                .write("keep pages in", |transaction| {
                    super::put(transaction, &site, &locale(tag), pages)
                })
                .unwrap();
        };
        let of = |tag: &str, paths: &[&str]| {
            let paths: Vec<PagePath> = paths
                .iter()
                .map(|path| PagePath::parse(path).unwrap())
                .collect();
            state.words_of_pages(&site, &locale(tag), &paths).unwrap()
        };
        // Locales whose names begin alike, and paths that sort around those that stay.
        let mexican = pages(&[("/", 5), ("/0", 6)]);
        put("es-MX", &mexican);
        let runs = [
            pages(&[("/a", 1), ("/b", 2), ("/c", 3)]),
            pages(&[("/", 1), ("/a", 1), ("/c", 4), ("/d", 5), ("/e", 6)]),
            pages(&[("/c", 4)]),
            pages(&[]),
        ];
        for run in runs {
            put("es", &run);
            assert_eq!(of("es", &["/a", "/c", "/old"]), {
                let is_asked = |path: &&PagePath| matches!(path.as_str(), "/a" | "/c");
                run.keys()
                    .filter(is_asked)
                    .map(|path| (path.clone(), run[path]))
                    .collect()
            });
            let mut all = BTreeMap::from([(locale("es-MX"), mexican.clone())]);
            all.extend((!run.is_empty()).then(|| (locale("es"), run)));
            assert_eq!(state.page_words(&site).unwrap(), all);
        }
    }
}
