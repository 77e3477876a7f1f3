//! What the sitemaps of the source mean for ours: which pages they list, and what they say of them (R-S4).

use std::collections::BTreeMap;

use crate::counted::counted;
use crate::model::{PagePath, SitemapEntry};
use crate::site_files::SitemapSaid;

/// Sitemaps that name less than one in so many pages are taken to be unfinished.
const FEWEST: usize = 4;

/// What the sitemaps of the source say of its pages.
#[derive(Debug, Default)]
pub(in crate::run) struct SitemapEntries {
    entries: BTreeMap<PagePath, SitemapEntry>,
    /// True if pages that the sitemaps do not name are in none of ours.
    leaves_out: bool,
    /// How many of how many pages the sitemaps name, if they are too few.
    too_few: Option<(usize, usize)>,
}

impl SitemapEntries {
    /// The listing of sitemaps with these entries. They leave nothing out until [`Self::hold`] finds that they name enough pages.
    pub(in crate::run) fn new(entries: BTreeMap<PagePath, SitemapEntry>) -> Self {
        Self {
            entries,
            ..Self::default()
        }
    }

    /// Takes pages out that the sitemaps do not name, unless these name too few of `pages`, which search engines may find. News
    /// sitemaps name the latest pages alone, so they do not count.
    pub(in crate::run) fn hold<'p>(&mut self, pages: impl Iterator<Item = &'p PagePath>) {
        let mut named = 0;
        let mut all = 0;
        for path in pages {
            all += 1;
            named += usize::from(
                self.entries
                    .get(path)
                    .is_some_and(|entry| !entry.is_only_news),
            );
        }
        self.leaves_out = named > 0 && named * FEWEST >= all;
        self.too_few = (named * FEWEST < all).then_some((named, all));
    }

    /// True if a page belongs into our sitemaps.
    pub(in crate::run) fn lists(&self, path: &PagePath) -> bool {
        !self.leaves_out || self.entries.contains_key(path)
    }

    /// What a sitemap says of a page, or of a version of it: news are in one language, and captions too.
    pub(in crate::run) fn said(&self, path: &PagePath, is_source: bool) -> SitemapSaid {
        match self.entries.get(path) {
            None => SitemapSaid::default(),
            Some(entry) if is_source => SitemapSaid {
                lastmod: entry.lastmod.clone(),
                changefreq: entry.changefreq.clone(),
                priority: entry.priority.clone(),
                extensions: entry.extensions.clone(),
            },
            Some(entry) => SitemapSaid {
                lastmod: entry.lastmod.clone(),
                extensions: SitemapSaid::images(&entry.images),
                ..SitemapSaid::default()
            },
        }
    }

    /// What an owner has to know about the sitemaps.
    pub(in crate::run) fn notice(&self) -> Option<String> {
        let (named, pages) = self.too_few?;
        Some(format!(
            "the site's own sitemaps name {named} of {} that search engines may find, so ours list all of them; list every page \
             that they shall find, and the others will be left out",
            counted(pages, "page")
        ))
    }
}
