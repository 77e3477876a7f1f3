//! How to crawl: how much, how fast, and which paths.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use url::Url;

use super::KnownAnswers;
use crate::config::PathFilter;
use crate::model::{PageParameters, PagePath, SeenFile, SitemapTrust};
use crate::net::FetchOptions;

/// How to crawl.
#[derive(Clone, Debug)]
pub struct CrawlOptions {
    /// How to fetch one address; for a folder only `max_page_bytes` counts, and only for pages.
    pub fetch: FetchOptions,
    /// The most pages that are taken.
    pub max_pages: usize,
    /// How many addresses are fetched at a time.
    pub concurrency: usize,
    /// The pause between the starts of two fetches.
    pub delay: Duration,
    /// Which paths take part.
    pub filter: PathFilter,
    /// Path prefixes such as `/es/` under which our own output is published; never taken in.
    pub translated: Vec<String>,
    /// Path prefixes of languages to which a language menu may lead although our output lies on another host. A page that is not
    /// there is no failure.
    pub versions: Vec<String>,
    /// Query parameters that name pages of their own.
    pub query: PageParameters,
    /// Files of a folder whose bytes are known: what did not change since is not read.
    pub seen: BTreeMap<PagePath, SeenFile>,
    /// What servers said of what is known.
    pub known: KnownAnswers,
    /// The public address of the site; sitemaps name pages by it although another host is crawled.
    pub public: Option<Url>,
    /// How far sitemaps are relied on; nothing where nobody asks what they say of changes.
    pub sitemaps: Option<SitemapUse>,
    /// A language of the site is written from right to left: style sheets for it are asked for beside the others.
    pub asks_for_rtl: bool,
    /// Files that changed later may change once more without a sign: the clocks of file systems are coarse. git has the same for
    /// files that are as new as its index ("racy").
    pub settled: SystemTime,
}

/// How far what sitemaps say of changes is relied on.
#[derive(Clone, Debug)]
pub struct SitemapUse {
    /// What earlier crawls found.
    pub trust: SitemapTrust,
    /// When this crawl began.
    pub begun: SystemTime,
}

impl Default for CrawlOptions {
    fn default() -> Self {
        Self {
            fetch: FetchOptions::default(),
            max_pages: 10_000,
            concurrency: 8,
            delay: Duration::ZERO,
            filter: PathFilter::default(),
            translated: Vec::new(),
            versions: Vec::new(),
            query: PageParameters::default(),
            seen: BTreeMap::new(),
            known: KnownAnswers::default(),
            public: None,
            sitemaps: None,
            asks_for_rtl: false,
            settled: SystemTime::UNIX_EPOCH,
        }
    }
}
