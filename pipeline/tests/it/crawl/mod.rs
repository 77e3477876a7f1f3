//! Crawls of loopback sites, friendly and hostile, and of folders.

mod folder;
mod hostile;
pub(crate) mod origin;
mod scripts;
mod secret_headers;
mod site;

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::mpsc;

use pipeline::config::SourceLocation;
use pipeline::crawl::{CrawlError, CrawlOptions, Crawled, Resource, crawl};
use pipeline::model::SourceKind;
use pipeline::net::FetchOptions;

/// Options for loopback sites: private addresses allowed, patience of a test.
fn options() -> CrawlOptions {
    CrawlOptions {
        fetch: FetchOptions {
            allow_private: true,
            first_byte_timeout: Duration::from_millis(400),
            total_timeout: Duration::from_millis(800),
            retry_pause: Duration::from_millis(1),
            ..FetchOptions::default()
        },
        ..CrawlOptions::default()
    }
}

/// Crawls and collects; a resource that is sent twice fails the test.
async fn collect(
    source: &SourceLocation,
    options: &CrawlOptions,
) -> (Result<Crawled, CrawlError>, BTreeMap<String, Resource>) {
    let (sink, mut resources) = mpsc::channel::<Resource>(2);
    let reader = tokio::spawn(async move {
        let mut taken = BTreeMap::new();
        while let Some(resource) = resources.recv().await {
            let path = resource.path.to_string();
            assert!(
                taken.insert(path.clone(), resource).is_none(),
                "{path} was sent twice"
            );
        }
        taken
    });
    let crawled = crawl(source, options, sink).await;
    (crawled, reader.await.unwrap())
}

/// What was taken, as `page /path` and `file /path`.
fn names(taken: &BTreeMap<String, Resource>) -> Vec<String> {
    let name = |resource: &Resource| match resource.kind {
        SourceKind::Page => format!("page {}", resource.path),
        SourceKind::Document => format!("document {}", resource.path),
        SourceKind::File => format!("file {}", resource.path),
    };
    taken.values().map(name).collect()
}
