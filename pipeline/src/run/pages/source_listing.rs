//! Listing of the pages of a site by the sitemaps of its source.

use std::collections::BTreeMap;

use url::Url;

use super::listing::SitemapEntries;
use super::references::SiteContext;
use crate::config::SourceLocation;
use crate::crawl::Robots;
use crate::model::{PagePath, SitemapEntry, SourceSitemaps};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::source::source_sitemaps::{self};
use crate::run::source::sources::Sources;

/// Reads what the sitemaps of the source say of its pages.
pub(in crate::run) async fn listing(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
) -> Result<SitemapEntries, BuildError> {
    if build.site.url.is_none() {
        return Ok(SitemapEntries::default());
    }
    let robots = source_sitemaps::source_robots(build, sources)
        .await?
        .map(|text| Robots::parse(&text, ""))
        .unwrap_or_default();
    let said = match &build.site.source {
        SourceLocation::Web(start) => {
            let mut said = sources.sitemaps.clone();
            let public = site.addresses.public().source_url();
            let public = public
                .as_deref()
                .and_then(|address| Url::parse(address).ok());
            publish_origin(&mut said, start, public.as_ref());
            said
        }
        SourceLocation::Folder(_) => site.corpus.sitemaps.clone(),
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
    let mut listing = SitemapEntries::new(entries);
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

/// Writes addresses of the host that was crawled as those of the public one.
pub(in crate::run) fn publish_origin(
    said: &mut SourceSitemaps,
    crawled: &Url,
    public: Option<&Url>,
) {
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
