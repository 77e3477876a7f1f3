//! How to crawl: how much, how fast, and which paths.

use std::time::Duration;

use crate::config::PathFilter;
use crate::model::PageParameters;
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
    /// Query parameters that name pages of their own.
    pub query: PageParameters,
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
            query: PageParameters::default(),
        }
    }
}
