//! Parts of pages: fragments of HTML, which scripts put into pages, and pages that others only show in frames.
//!
//! Fragments get words and links of a language, and nothing that only a page has: no head, no switcher, and no mention in sitemaps and
//! alternate links. Framed pages get no switcher. Both are pages like all others if a link opens them (R-S19).

use std::collections::{BTreeMap, BTreeSet};

use super::facts::CorpusFacts;
use crate::model::{PagePath, SourceKind};
use crate::run::source::sources::Sources;
use crate::run::source::spelling::plain;

/// Pages that are parts of others.
#[derive(Clone, Debug, Default)]
pub(in crate::run) struct PageParts {
    pub(in crate::run) fragments: BTreeSet<PagePath>,
    pub(in crate::run) framed: BTreeSet<PagePath>,
    /// All of them by the spelling that spellings of an address have in common.
    by_spelling: BTreeMap<String, PagePath>,
}

impl PageParts {
    /// Pages that are parts as long as no link opens them. The home page is none, and neither is a page that a sitemap of a crawled
    /// site names.
    ///
    /// `page` gives the path of this site that an address on a page names.
    pub(in crate::run) fn candidates(
        sources: &Sources,
        page: impl Fn(&PagePath, &str) -> Option<PagePath>,
    ) -> Self {
        let mut parts = Self::default();
        let mut frames = BTreeSet::new();
        for (path, record) in sources.of_kind(SourceKind::Page) {
            if record.fragment && !sources.sitemaps.entries.contains_key(path) {
                parts.fragments.insert(path.clone());
            }
            let framed = record.frames.iter().filter_map(|frame| page(path, frame));
            frames.extend(framed.map(|framed| plain(framed.as_str()).to_owned()));
        }
        if !frames.is_empty() {
            let pages = sources.of_kind(SourceKind::Page).map(|(path, _)| path);
            parts.framed.extend(
                pages
                    .filter(|path| frames.contains(plain(path.as_str())))
                    .cloned(),
            );
        }
        let home = PagePath::of_file("index.html");
        parts.fragments.remove(&home);
        parts.framed.remove(&home);
        let all = parts.fragments.iter().chain(&parts.framed);
        parts.by_spelling = all
            .map(|path| (plain(path.as_str()).to_owned(), path.clone()))
            .collect();
        parts
    }

    pub(in crate::run) fn is_empty(&self) -> bool {
        self.by_spelling.is_empty()
    }

    /// The part that an address names in any spelling.
    pub(in crate::run) fn find(&self, named: &PagePath) -> Option<&PagePath> {
        self.by_spelling.get(plain(named.as_str()))
    }

    /// Takes out what the links of a page open.
    pub(in crate::run) fn open(&mut self, facts: &CorpusFacts) {
        for opened in &facts.opens {
            self.fragments.remove(opened);
            self.framed.remove(opened);
        }
    }
}
