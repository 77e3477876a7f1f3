//! The source site, from the web or from a folder, as a stream of pages and files.
//!
//! [`crawl`] sends every page and file into a bounded channel and ends with what happened beside them. A slow
//! reader slows the crawl down and loses nothing; a page or file that cannot be had is reported and the rest goes
//! on. What is sent, redirected, failed and left out is the same in every crawl of the same site, also where
//! `max_pages` cuts it off (breadth first, in the order of the pages' links); only the order of sending varies.
//!
//! It does not parse beyond links, does not follow queries (`/list?page=2` is `/list`, R-E9), and keeps nothing.

pub mod address;
mod answer;
mod css;
mod decode;
mod download;
mod fetch;
mod fetch_error;
mod folder;
mod frontier;
mod gate;
mod media;
mod preflight;
mod retry;
mod robots;
mod scope;
mod sitemap;
mod survey;
mod trap;
mod visit;
mod web;

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::Sender;

use crate::config::{PathFilter, Source};
use crate::model::{PageParameters, PagePath};

pub use address::{Lookup, LookupFunction};
pub use answer::Fetched;
pub use download::download;
pub use fetch::{FetchOptions, Fetcher};
pub use fetch_error::FetchError;
pub(crate) use folder::page_of;
pub(crate) use media::{by_ending, is_page, looks_like_page};
pub(crate) use retry::retry_after;
pub(crate) use robots::Robots;
pub(crate) use scope::{is_below, is_translated};
pub(crate) use sitemap::{Listed, Sitemap, parse as parse_sitemap};
pub(crate) use survey::{Reply, Surveyor, names_file};
pub use trap::Trap;

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

/// What a resource is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// HTML that is localized.
    Page,
    /// A feed or web manifest: a file that is localized too.
    Document,
    /// Anything else; it is copied as it is.
    File,
}

/// A page or file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its path; a query is not part of it.
    pub path: PagePath,
    /// Page or file.
    pub kind: Kind,
    /// The media type in lower case, without parameters.
    pub content_type: String,
    /// The charset that the HTTP header declared.
    pub charset: Option<String>,
    /// The content, decompressed, otherwise as it was sent.
    pub body: Bytes,
    /// Whether a header or the page itself asks search engines to leave it out.
    pub noindex: bool,
    /// The ETag, as sent.
    pub etag: Option<String>,
    /// The Last-Modified date, as sent.
    pub last_modified: Option<String>,
}

/// A path that leads to another one on the same site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Redirect {
    /// The path that was asked for.
    pub from: PagePath,
    /// The path that the origin named instead.
    pub to: PagePath,
    /// The origin's status.
    pub status: u16,
}

/// A path that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// The path.
    pub path: PagePath,
    /// A stable code, such as `http_status` or `timeout`.
    pub code: &'static str,
    /// The reason as a sentence.
    pub reason: String,
}

/// What a crawl found beside pages and files; lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crawled {
    /// How many pages were sent.
    pub pages: usize,
    /// How many files were sent, documents among them.
    pub files: usize,
    /// Redirects that stay on the site.
    pub redirects: Vec<Redirect>,
    /// What could not be had, page or file.
    pub failures: Vec<Failure>,
    /// How many paths the filter, robots.txt or a redirect that leaves the site kept out.
    pub excluded: usize,
    /// Whether pages were left out because of `max_pages`, or files because there are very many.
    pub truncated: bool,
    /// Kinds of pages that led to nothing but more of their kind, and of which the rest was left out.
    pub traps: Vec<Trap>,
}

/// Says why nothing at all could be crawled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The start page cannot be had, and nothing else was found.
    #[error("cannot crawl {url}: {reason} ({code}); check that the address opens in a browser on this machine")]
    Unreachable {
        /// The start page.
        url: String,
        /// The failure's code.
        code: &'static str,
        /// The failure's reason.
        reason: String,
    },
    /// robots.txt does not let us in.
    #[error("cannot crawl {url}: robots.txt of the site forbids it to {agent:?}; allow it there, or change user_agent")]
    Forbidden {
        /// The start page.
        url: String,
        /// Our User-Agent.
        agent: String,
    },
    /// Without an answer for robots.txt a site counts as forbidden (RFC 9309 section 2.3.1.4).
    #[error(
        "cannot crawl {url}: {reason}; while robots.txt fails the whole site counts as forbidden, so try again later"
    )]
    RobotsFailed {
        /// The address of robots.txt.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The start page redirects to another site.
    #[error(
        "cannot crawl {from}: it redirects to another site, {to}; if that is intended, use that address as the source"
    )]
    Moved {
        /// The start page.
        from: String,
        /// Where it leads.
        to: String,
    },
    /// The start page was reached, but neither it nor any other page or file belongs to the crawl.
    #[error(
        "crawled {source_name} and found nothing to take: {excluded} paths are left out; check include, exclude and robots.txt"
    )]
    Nothing {
        /// The address or folder.
        source_name: String,
        /// How many paths were left out.
        excluded: usize,
    },
    /// The folder cannot be read.
    #[error("cannot read the folder {}: {reason}; check the path and its permissions", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The HTTP client cannot be set up as configured.
    #[error(transparent)]
    Fetcher(#[from] FetchError),
    /// Whoever takes the pages has gone.
    #[error("the crawl was stopped because nobody takes its pages any more")]
    Stopped,
    /// The scheduler ended before everything was fetched; a defect, and never silent.
    #[error("the crawl ended with {left} addresses not fetched; this is a defect in Latimer, please report it")]
    Unfinished {
        /// How many addresses are left.
        left: usize,
    },
}

/// Crawls a site and sends every page and file; dropping the future stops everything.
pub async fn crawl(source: &Source, options: &CrawlOptions, sink: Sender<Resource>) -> Result<Crawled, CrawlError> {
    match source {
        Source::Folder(folder) => folder::crawl(folder, options, sink).await,
        Source::Web(start) => {
            let fetcher = Fetcher::new(options.fetch.clone(), start)?;
            web::crawl(start, options, fetcher, sink).await
        }
    }
}

impl Crawled {
    /// Whether a path is of a kind of which the rest was left out: that it was not found says nothing about it.
    pub fn is_trapped(&self, path: &PagePath) -> bool {
        self.traps.iter().any(|trap| trap.matches(path))
    }

    /// Puts the lists in order, whatever the order in which things happened.
    fn sorted(mut self) -> Self {
        self.redirects.sort();
        self.redirects.dedup();
        self.failures.sort();
        self.failures.dedup();
        self
    }
}
