//! The source of a site: a folder is read, an address is crawled.

use tokio::sync::mpsc::Sender;

use super::{CrawlError, CrawlOptions, Crawled, Resource, folder, web};
use crate::config::Source;
use crate::net::Fetcher;

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
