//! The source site, from the web or from a folder, as a stream of pages and files.
//!
//! [`crawl`] sends every page and file into a bounded channel and ends with what happened beside them. A slow
//! reader slows the crawl down and loses nothing; a page or file that cannot be had is reported and the rest goes
//! on. What is sent, redirected, failed and left out is the same in every crawl of the same site, also where
//! `max_pages` cuts it off (breadth first, in the order of the pages' links); only the order of sending varies.
//!
//! It does not parse beyond links, does not follow queries (`/list?page=2` is `/list`, R-E9), and keeps nothing.

mod collector;
mod css;
mod echo;
mod entry;
mod error;
mod folder;
mod found;
mod frontier;
mod known;
mod lastmod;
mod media;
mod options;
mod preflight;
mod programs;
mod proof;
mod queries;
mod robots;
mod room;
mod scope;
mod script_links;
mod secret_files;
mod sitemap;
mod sitemap_details;
mod source;
mod spared;
mod survey;
mod trap;
mod visit;
mod web;

pub use error::CrawlError;
pub(crate) use folder::{FolderFile, FolderFiles, files_of, page_of};
pub use found::{
    CrawlFailure, CrawlRedirect, Crawled, Lastmods, Resource, Unfollowed, UnreadFile, Withheld,
    WithheldBecause,
};
pub use known::{KnownAnswers, KnownBytes};
pub(crate) use media::{by_ending, format_of, format_of_page, is_page, looks_like_page};
pub use options::{CrawlOptions, SitemapUse};
pub(crate) use proof::is_proof;
pub(crate) use robots::{Robots, normalized, rule_matches};
pub(crate) use room::AddressBudget;
pub(crate) use scope::is_translated;
pub(crate) use sitemap::{
    ListedPage, MOST_SITEMAPS, Sitemap, SitemapItem, collect as collect_sitemap, read_entries,
};
pub use source::{StartedCrawl, begin, crawl};
pub(crate) use survey::{SurveyReply, SurveyedPage, Surveyor, names_file};
pub use trap::Trap;
