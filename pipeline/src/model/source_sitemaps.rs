//! What the sitemaps of a source say of its pages (R-S4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PagePath;

/// What sitemaps say of one page, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SitemapEntry {
    /// When the page changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lastmod: Option<Box<str>>,
    /// How often it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changefreq: Option<Box<str>>,
    /// Its weight among the pages of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Box<str>>,
    /// The addresses of its images.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Box<str>>,
    /// Its image, video and news elements, as XML with the usual prefixes.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub extensions: Box<str>,
    /// True if only news sitemaps name the page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_only_news: bool,
}

/// The sitemaps of a source: the pages that they name, and what they say of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceSitemaps {
    /// What is said of each page of the source.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub entries: BTreeMap<PagePath, SitemapEntry>,
    /// True if a sitemap that is no news sitemap names any page, of this site or another one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lists_pages: bool,
    /// True if a sitemap could not be read to its end, so that pages may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

impl SitemapEntry {
    /// Takes up what another sitemap says of the same page. What was said first stays.
    pub fn join(&mut self, other: Self) {
        self.lastmod = self.lastmod.take().or(other.lastmod);
        self.changefreq = self.changefreq.take().or(other.changefreq);
        self.priority = self.priority.take().or(other.priority);
        self.is_only_news &= other.is_only_news;
        if !self.extensions.contains(&*other.extensions) {
            self.extensions = format!("{}{}", self.extensions, other.extensions).into();
            self.images.extend(other.images);
        }
    }
}

impl SourceSitemaps {
    /// True if no sitemap was found.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Notes what a sitemap says of a page.
    pub fn note(&mut self, path: PagePath, entry: SitemapEntry) {
        match self.entries.get_mut(&path) {
            Some(known) => known.join(entry),
            None => drop(self.entries.insert(path, entry)),
        }
    }

    /// Takes up what earlier sitemaps said, for pages that were not read this time.
    pub fn complete(&mut self, earlier: Self) {
        self.is_partial = earlier.is_partial || !earlier.lists_pages;
        self.lists_pages |= earlier.lists_pages;
        for (path, entry) in earlier.entries {
            self.entries.entry(path).or_insert(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lastmod: &str, extensions: &str, is_only_news: bool) -> SitemapEntry {
        SitemapEntry {
            lastmod: Some(lastmod.into()),
            images: if extensions.is_empty() {
                Vec::new()
            } else {
                vec![extensions.into()]
            },
            extensions: extensions.into(),
            is_only_news,
            ..SitemapEntry::default()
        }
    }

    #[test]
    fn several_sitemaps_name_one_page_r_s4() {
        let path = PagePath::parse("/a").unwrap();
        let mut sitemaps = SourceSitemaps::default();
        for (lastmod, extensions, is_only_news) in
            [("1", "", true), ("2", "x", true), ("3", "x", false)]
        {
            sitemaps.note(path.clone(), entry(lastmod, extensions, is_only_news));
        }
        assert_eq!(sitemaps.entries[&path], entry("1", "x", false));
    }

    #[test]
    fn what_was_not_read_stays_as_it_was_known_r_s4() {
        let [a, b] = ["/a", "/b"].map(|path| PagePath::parse(path).unwrap());
        let known = |is_partial| SourceSitemaps {
            entries: [
                (a.clone(), entry("1", "", false)),
                (b.clone(), entry("1", "", false)),
            ]
            .into(),
            lists_pages: true,
            is_partial,
        };
        let read = || SourceSitemaps {
            entries: [(a.clone(), entry("2", "", false))].into(),
            lists_pages: true,
            is_partial: true,
        };
        for (earlier, lastmods, is_partial) in [
            (known(false), vec!["2", "1"], false),
            (known(true), vec!["2", "1"], true),
            (SourceSitemaps::default(), vec!["2"], true),
        ] {
            let mut sitemaps = read();
            sitemaps.complete(earlier);
            let said: Vec<&str> = sitemaps
                .entries
                .values()
                .filter_map(|entry| entry.lastmod.as_deref())
                .collect();
            assert_eq!((said, sitemaps.is_partial), (lastmods, is_partial));
        }
    }
}
