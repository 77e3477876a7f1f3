//! Reads the sitemaps of the source for ours: those of a crawl are known, those of a folder are files of it (R-S4).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use url::Url;

use super::context::{Build, blocking};
use super::error::RunError;
use super::listing::Listing;
use super::put_robots;
use super::references::Site;
use super::sources;
use super::sources::Sources;
use crate::addresses::{Addresses, Known, NamedAddress};
use crate::config::Source;
use crate::crawl::{Item, MOST_SITEMAPS, Robots, read_entries};
use crate::model::{PagePath, SitemapEntry, SourceSitemaps};

/// What one sitemap of a folder lists.
#[derive(Default)]
struct FolderSitemap {
    pages: Vec<(String, SitemapEntry)>,
    sitemaps: Vec<String>,
    is_broken: bool,
}

/// Reads what the sitemaps of the source say of its pages.
pub(super) async fn listing(
    build: &Build<'_>,
    site: &Site<'_>,
    sources: &Sources,
) -> Result<Listing, RunError> {
    if build.site.url.is_none() {
        return Ok(Listing::default());
    }
    let robots = put_robots::source_robots(build, sources)
        .await?
        .map(|text| Robots::parse(&text, ""))
        .unwrap_or_default();
    let said = match &build.site.source {
        Source::Web(start) => {
            let mut said = sources.sitemaps.clone();
            let public = site.addresses.public().source_url();
            let public = public
                .as_deref()
                .and_then(|address| Url::parse(address).ok());
            publish_origin(&mut said, start, public.as_ref());
            said
        }
        Source::Folder(_) => site.corpus.sitemaps.clone(),
    };
    let mut entries: BTreeMap<PagePath, SitemapEntry> = BTreeMap::new();
    for (path, entry) in said.entries {
        let page = site.addresses.meant(path);
        if !site.addresses.is_page(&page) {
            continue;
        }
        match entries.get_mut(&page) {
            Some(known) => known.join(entry),
            None => drop(entries.insert(page, entry)),
        }
    }
    let mut listing = Listing::new(entries);
    if said.lists_pages && !said.is_partial {
        let public = site.addresses.public();
        let source = public.source_locale();
        let pages = site.translated.get(source).into_iter().flatten();
        listing.hold(pages.filter(|path| {
            site.is_indexable(path, sources) && robots.allows(&public.path(source, path))
        }));
    }
    Ok(listing)
}

/// What the sitemaps of a folder say: the usual one, those that robots.txt names, and those that these name.
pub(super) async fn sitemaps_of_folder(
    build: &Build<'_>,
    sources: &Sources,
) -> Result<SourceSitemaps, RunError> {
    let robots = put_robots::source_robots(build, sources)
        .await?
        .map(|text| Robots::parse(&text, ""))
        .unwrap_or_default();
    let addresses = Addresses::new(build.site, Known::default());
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
                Item::Page(page) => found.pages.push((page.address.clone(), page.into_entry())),
                Item::Sitemap(address) => found.sitemaps.push(address),
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

/// Writes addresses of the host that was crawled as those of the public one.
fn publish_origin(said: &mut SourceSitemaps, crawled: &Url, public: Option<&Url>) {
    let Some(public) = public.filter(|public| public.origin() != crawled.origin()) else {
        return;
    };
    let from = crawled.origin().ascii_serialization();
    let to = public.origin().ascii_serialization();
    for entry in said.entries.values_mut() {
        for image in &mut entry.images {
            if let Some(path) = image
                .strip_prefix(&*from)
                .filter(|path| path.starts_with('/'))
            {
                *image = format!("{to}{path}").into();
            }
        }
        // Texts of elements have no white space around them.
        if entry.extensions.contains(&*from) {
            entry.extensions = entry
                .extensions
                .replace(&format!(">{from}/"), &format!(">{to}/"))
                .into();
        }
    }
}
