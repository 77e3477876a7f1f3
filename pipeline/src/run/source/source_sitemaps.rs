//! Reads the sitemaps of the source for ours: those of a crawl are known, those of a folder are files of it (R-S4).

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use bytes::Bytes;

use super::sources::{self, Sources};
use crate::addresses::{Addresses, CrawledSite, NamedAddress};
use crate::crawl::{MOST_SITEMAPS, Robots, SitemapItem, read_entries};
use crate::model::{PagePath, SitemapEntry, SourceSitemaps};
use crate::run::context::{self, Build, blocking};
use crate::run::error::BuildError;

const ROBOTS: &str = "robots.txt";

/// What one sitemap of a folder lists.
#[derive(Default)]
struct FolderSitemap {
    pages: Vec<(String, SitemapEntry)>,
    sitemaps: Vec<String>,
    is_broken: bool,
}

/// What the sitemaps of a folder say: the usual one, those that robots.txt names, and those that these name.
pub(in crate::run) async fn sitemaps_of_folder(
    build: &Build<'_>,
    sources: &Sources,
) -> Result<SourceSitemaps, BuildError> {
    let robots = source_robots(build, sources)
        .await?
        .map(|text| Robots::parse(&text, ""))
        .unwrap_or_default();
    let addresses = Addresses::new(build.site, CrawledSite::default());
    let root = PagePath::of_file("index.html");
    let mut waiting: VecDeque<PagePath> = robots
        .sitemaps
        .iter()
        .filter_map(|address| path_of(&addresses, &root, address))
        .collect();
    waiting.push_back(PagePath::of_file("sitemap.xml"));
    let mut seen = BTreeSet::new();
    let mut said = SourceSitemaps::default();
    while let Some(path) = waiting.pop_front() {
        if seen.len() >= MOST_SITEMAPS || !seen.insert(path.clone()) {
            continue;
        }
        let Some(record) = sources.records.get(&path) else {
            continue;
        };
        let Some(bytes) = sources::read_source(build, record).await? else {
            said.is_partial = true;
            continue;
        };
        let FolderSitemap {
            pages,
            sitemaps,
            is_broken,
        } = blocking(move || FolderSitemap::read(&bytes)).await?;
        said.is_partial |= is_broken;
        waiting.extend(
            sitemaps
                .iter()
                .filter_map(|address| path_of(&addresses, &path, address)),
        );
        for (address, entry) in pages {
            said.lists_pages |= !entry.is_only_news;
            if let Some(page) = path_of(&addresses, &path, &address) {
                said.note(page, entry);
            }
        }
    }
    Ok(said)
}

impl FolderSitemap {
    fn read(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        let broken = read_entries(bytes, |item| {
            match item {
                SitemapItem::Page(page) => {
                    found.pages.push((page.address.clone(), page.into_entry()))
                }
                SitemapItem::Sitemap(address) => found.sitemaps.push(address),
            }
            ControlFlow::Continue(())
        });
        found.is_broken = broken.is_some();
        found
    }
}

/// The path in a folder of an address that a sitemap or robots.txt names. A sitemap names pages of the host that it lies on, whatever
/// that is called.
fn path_of(addresses: &Addresses, from: &PagePath, address: &str) -> Option<PagePath> {
    match addresses.named(from, None, address)? {
        NamedAddress::OnSite(path) => Some(path),
        NamedAddress::Elsewhere(url) => Some(PagePath::of_url(&url)),
    }
}

/// The robots.txt of the source. `None` if its bytes are missing.
pub(in crate::run) async fn source_robots(
    build: &Build<'_>,
    sources: &Sources,
) -> Result<Option<Bytes>, BuildError> {
    if !context::publishes_source(build.site) {
        return Ok(Some(
            sources
                .rules
                .get(ROBOTS)
                .map(|text| Bytes::from(text.clone()))
                .unwrap_or_default(),
        ));
    }
    match sources.records.get(&PagePath::of_file(ROBOTS)) {
        Some(record) => sources::read_source(build, record).await,
        None => Ok(Some(Bytes::new())),
    }
}
