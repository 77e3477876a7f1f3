//! A site as an audit sees it: its pages, its sitemaps, and what is found at an address.
//!
//! Made once by [`super::folder`] or [`super::web`]; the rules only read it.

use std::collections::BTreeMap;

use url::Url;

use super::addresses::FolderAddresses;
use super::answer::AuditAnswer;
use super::details::{CachedPageFacts, Packed, TextsKey};
use super::style_facts::StyleSheet;
use super::tags::has_pseudo_region;
use crate::crawl::Sitemap;
use crate::model::Locale;
use crate::page::{PageFacts, StatedText};

/// A page.
#[derive(Debug)]
pub(super) struct AuditedPage {
    /// Its file, or its address.
    pub(super) name: String,
    pub(super) url: Url,
    /// Facts without links and texts.
    pub(super) facts: PageFacts,
    pub(super) details: Packed,
    /// Fingerprint of its texts.
    pub(super) texts: Option<TextsKey>,
    /// What HTTP headers say beside it.
    pub(super) header: Header,
    /// Target of its `<meta http-equiv=refresh>`, unless that is the page itself.
    refresh: Option<Url>,
    /// The language that it claims, where that is one.
    pub(super) locale: Option<Locale>,
}

/// What HTTP headers say beside a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) noindex: bool,
    pub(super) canonical: Vec<String>,
    /// Versions: language tag and address.
    pub(super) alternates: Vec<(String, String)>,
}

/// A sitemap.
#[derive(Debug)]
pub(super) struct SitemapFile {
    /// Its file, or its address.
    pub(super) name: String,
    pub(super) url: Url,
    pub(super) content: Sitemap,
}

/// A sitemap that somebody names and that cannot be had.
#[derive(Debug)]
pub(super) struct LostSitemap {
    /// Who names it.
    pub(super) name: String,
    pub(super) address: String,
    pub(super) reason: String,
}

/// How answers are found.
#[derive(Debug)]
pub(super) enum AuditAnswers {
    Folder(FolderAddresses),
    Web(BTreeMap<Url, AuditAnswer>),
}

/// A site.
#[derive(Debug)]
pub(super) struct AuditedSite {
    /// Sorted by name.
    pub(super) pages: Vec<AuditedPage>,
    pub(super) sitemaps: Vec<SitemapFile>,
    pub(super) lost_sitemaps: Vec<LostSitemap>,
    pub(super) answers: AuditAnswers,
    /// Style sheets of a folder; empty unless it has right-to-left pages.
    pub(super) sheets: Vec<StyleSheet>,
    /// The language from which the others are translated, where it can be told.
    pub(super) source: Option<Locale>,
}

impl AuditedPage {
    pub(super) fn new(name: String, url: Url, kept: CachedPageFacts, header: Header) -> Self {
        let CachedPageFacts {
            facts,
            details,
            refresh,
            texts,
        } = kept;
        let locale = facts
            .lang
            .as_ref()
            .and_then(|lang| Locale::parse(&lang.text).ok());
        let mut page = Self {
            name,
            url,
            facts,
            details,
            texts,
            header,
            refresh: None,
            locale,
        };
        page.refresh = refresh
            .and_then(|address| page.join(&address))
            .filter(|target| *target != page.url);
        page
    }

    /// Whether it is of a locale that is only for trying (`en-XA`), about which nothing is said.
    pub(super) fn is_pseudo(&self) -> bool {
        self.locale.as_ref().is_some_and(has_pseudo_region)
    }

    /// An address as it counts on this page.
    pub(super) fn join(&self, address: &str) -> Option<Url> {
        let base = self
            .facts
            .base
            .as_ref()
            .and_then(|base| self.url.join(base.trim()).ok());
        let mut url = base.as_ref().unwrap_or(&self.url).join(address).ok()?;
        url.set_fragment(None);
        matches!(url.scheme(), "http" | "https").then_some(url)
    }

    /// Every canonical address that it has, in its head and in its headers.
    pub(super) fn canonicals(&self) -> Vec<StatedText> {
        let header = self.header.canonical.iter().map(|address| StatedText {
            text: address.clone(),
            line: 0,
        });
        let all = self.facts.canonical.iter().cloned().chain(header);
        let mut distinct: Vec<StatedText> = Vec::new();
        for said in all {
            if let Some(url) = self.join(&said.text)
                && distinct.iter().all(|known| known.text != url.as_str())
            {
                distinct.push(StatedText {
                    text: url.to_string(),
                    ..said
                });
            }
        }
        distinct
    }

    pub(super) fn is_noindex(&self) -> bool {
        self.facts.noindex.is_some() || self.header.noindex
    }
}

impl AuditedSite {
    /// What is found at an address.
    pub(super) fn answer(&self, url: &Url) -> AuditAnswer {
        let answer = match &self.answers {
            AuditAnswers::Folder(addresses) => addresses.answer(url),
            AuditAnswers::Web(known) => web_answer(known, url),
        };
        match answer {
            AuditAnswer::Page(index) => {
                match self.pages.get(index).and_then(|page| page.refresh.as_ref()) {
                    Some(target) => AuditAnswer::Redirect(target.clone()),
                    None => AuditAnswer::Page(index),
                }
            }
            other => other,
        }
    }

    /// The page to which an address leads in the end.
    pub(super) fn resolve(&self, url: &Url) -> Option<usize> {
        const MOST: usize = 5;
        let mut url = url.clone();
        for _ in 0..MOST {
            match self.answer(&url) {
                AuditAnswer::Page(index) => return Some(index),
                AuditAnswer::Redirect(target) => url = target,
                AuditAnswer::File | AuditAnswer::Missing | AuditAnswer::Unknown => return None,
            }
        }
        None
    }

    /// The pages of which something is said: those that are not for trying and do not only lead elsewhere.
    pub(super) fn audited(&self) -> impl Iterator<Item = (usize, &AuditedPage)> {
        self.pages
            .iter()
            .enumerate()
            .filter(|(_, page)| !page.is_pseudo() && page.refresh.is_none())
    }

    pub(super) fn locale(&self, index: usize) -> Option<&Locale> {
        self.pages.get(index).and_then(|page| page.locale.as_ref())
    }

    /// An address as people know it: of a folder whose address is unknown, only the path.
    pub(super) fn show(&self, url: &Url) -> String {
        super::addresses::show(url)
    }
}

/// A query that was not asked for is that of the page without it.
fn web_answer(known: &BTreeMap<Url, AuditAnswer>, url: &Url) -> AuditAnswer {
    let exact = known.get(url).cloned();
    let without = || {
        let mut bare = url.clone();
        bare.set_query(None);
        known.get(&bare).cloned()
    };
    exact.or_else(without).unwrap_or(AuditAnswer::Unknown)
}
