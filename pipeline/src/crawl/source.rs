//! The source of a site: a folder is read, an address is crawled.

use std::io;
use std::path::Path;

use tokio::sync::mpsc::Sender;
use tokio::task::{JoinHandle, spawn_blocking};
use url::Url;

use super::folder::FolderListing;
use super::{CrawlError, CrawlOptions, Crawled, Resource, folder, web};
use crate::config::{OwnPaths, SourceLocation};
use crate::net::Fetcher;

/// A crawl that has begun with what needs to know nothing yet, so that what it needs to know can be read meanwhile: a folder is being
/// listed.
#[derive(Debug)]
pub struct StartedCrawl<'s>(StartedSource<'s>);

#[derive(Debug)]
enum StartedSource<'s> {
    Folder(&'s Path, JoinHandle<io::Result<FolderListing>>),
    Web(&'s Url),
}

/// Begins a crawl; `own` are files of a folder that are no part of the site. To be called within tokio.
pub fn begin(source: &SourceLocation, own: OwnPaths) -> StartedCrawl<'_> {
    StartedCrawl(match source {
        SourceLocation::Folder(folder) => {
            let root = folder.clone();
            StartedSource::Folder(
                folder,
                spawn_blocking(move || FolderListing::of(&root, own)),
            )
        }
        SourceLocation::Web(start) => StartedSource::Web(start),
    })
}

/// Crawls a site that no configuration names files of, and sends every page and file; dropping the future stops everything.
pub async fn crawl(
    source: &SourceLocation,
    options: &CrawlOptions,
    sink: Sender<Resource>,
) -> Result<Crawled, CrawlError> {
    begin(source, OwnPaths::default())
        .crawl(options, sink)
        .await
}

impl StartedCrawl<'_> {
    /// Goes on and sends every page and file; dropping the future stops everything.
    pub async fn crawl(
        self,
        options: &CrawlOptions,
        sink: Sender<Resource>,
    ) -> Result<Crawled, CrawlError> {
        match self.0 {
            StartedSource::Folder(folder, listing) => {
                folder::crawl(folder, listing, options, sink).await
            }
            StartedSource::Web(start) => {
                let fetcher = Fetcher::new(options.fetch.clone(), start)?;
                web::crawl(start, options, fetcher, sink).await
            }
        }
    }
}
