//! Where a previewed page is read: from the source of the site it belongs to, or from where its address leads.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use url::Url;

use super::Previewer;
use super::fault::{PreviewFault, broken, fault};
use crate::config::{SiteConfig, SourceLocation};
use crate::crawl;
use crate::model::{Locale, PagePath, web_address};
use crate::net::{self, FetchError, FetchOptions, Fetched, Fetcher};
use crate::page::{Page, PageFormat};
use crate::run::headers;
use crate::state::PreviewCode;

/// A page.
pub(super) struct PreviewPage {
    pub(super) html: Bytes,
    /// How it is written.
    pub(super) format: PageFormat,
    pub(super) charset: Option<String>,
    /// Against which its links count.
    pub(super) url: Url,
    /// The site it belongs to.
    pub(super) site: Option<Arc<SiteConfig>>,
}

impl PreviewPage {
    /// Looks into the page; to be dropped soon.
    pub(super) fn page(&self, locale: &Locale) -> Page {
        let rules = self
            .site
            .as_ref()
            .map(|site| site.rules.clone())
            .unwrap_or_default();
        Page::parse_as(
            self.format,
            &self.html,
            self.charset.as_deref(),
            locale,
            &rules,
        )
    }
}

/// The host of a page's address, as names are compared; empty where there is none.
pub fn host_of(address: &str) -> String {
    let url = Url::parse(address).ok();
    url.and_then(|url| {
        url.host_str()
            .map(|host| host.trim_end_matches('.').to_owned())
    })
    .unwrap_or_default()
}

/// Where a page of a site is read.
enum PageSource {
    /// In the site's folder.
    File(PathBuf, PagePath),
    /// At this address of the site's source.
    Address(Url),
}

/// The site of these whose page an address is, by what can be told without asking anybody.
pub fn own_site<'s>(sites: &'s [Arc<SiteConfig>], address: &str) -> Option<&'s SiteConfig> {
    let url = Url::parse(address).ok()?;
    own(sites, &url).map(|(site, _)| site.as_ref())
}

fn own<'s>(sites: &'s [Arc<SiteConfig>], url: &Url) -> Option<(&'s Arc<SiteConfig>, PageSource)> {
    sites
        .iter()
        .filter(|site| site.enabled)
        .find_map(|site| Some((site, place_on(site, url)?)))
}

impl Previewer {
    /// Finds a page by its address; a page of one of these sites is read from the site's source.
    pub(super) async fn find(
        &self,
        sites: &[Arc<SiteConfig>],
        address: &str,
    ) -> Result<PreviewPage, PreviewFault> {
        let url = web_address(address)
            .map_err(|error| fault(PreviewCode::InvalidUrl, format!("it {error}")))?;
        let (url, site) = match own(sites, &url) {
            Some((site, PageSource::File(folder, path))) => {
                return read(site, folder, path, url).await;
            }
            Some((site, PageSource::Address(url))) => (url, Some(site)),
            None => (url, None),
        };
        let (fetched, site) = self.follow(url, site).await?;
        let is_page = match &fetched.content_type {
            Some(kind) => crawl::is_page(kind),
            None => crawl::looks_like_page(&fetched.body),
        };
        if !is_page {
            return Err(fault(
                PreviewCode::RenderFailed,
                "the address leads to no HTML page",
            ));
        }
        let format = crawl::format_of_page(fetched.content_type.as_deref().unwrap_or_default());
        Ok(PreviewPage {
            html: fetched.body,
            format,
            charset: fetched.charset,
            url: fetched.url,
            site,
        })
    }

    /// Fetches an address and those that it redirects to; each is checked by itself. What a site has and allows counts
    /// for its own pages: whatever they lead to is a stranger's page, and it tells which of both the last one was.
    async fn follow(
        &self,
        mut url: Url,
        site: Option<&Arc<SiteConfig>>,
    ) -> Result<(Fetched, Option<Arc<SiteConfig>>), PreviewFault> {
        let usual = self.usual(&url)?;
        let own = match site.map(|site| (site, &site.source)) {
            Some((site, SourceLocation::Web(source))) => {
                Some((site, source, Fetcher::new(self.as_of(site)?, source)?))
            }
            Some((_, SourceLocation::Folder(_))) | None => None,
        };
        for _ in 0..=self.fetch.max_redirects {
            let own = own
                .as_ref()
                .filter(|(site, source, _)| page_at(site, source, &url).is_some());
            let fetcher = match own {
                Some((.., fetcher)) => fetcher,
                None => {
                    self.check_host(&url)?;
                    usual
                }
            };
            let mut fetched = fetcher.fetch(&url).await?;
            match fetched.location.take() {
                Some(next) => url = next,
                None => return Ok((fetched, own.map(|(site, ..)| Arc::clone(site)))),
            }
        }
        Err(FetchError::TooManyRedirects(self.fetch.max_redirects).into())
    }

    fn usual(&self, url: &Url) -> Result<&Fetcher, PreviewFault> {
        if let Some(usual) = self.usual.get() {
            return Ok(usual);
        }
        let made = Fetcher::new(self.fetch.clone(), url)?;
        Ok(self.usual.get_or_init(|| made))
    }

    fn check_host(&self, url: &Url) -> Result<(), PreviewFault> {
        let host = url.host_str().unwrap_or_default();
        if self.settings().allow_hosts.allows(host) {
            return Ok(());
        }
        Err(fault(
            PreviewCode::BlockedHost,
            format!("{host} is not in allow_hosts of [preview]"),
        ))
    }

    /// How a site's own pages are fetched.
    fn as_of(&self, site: &SiteConfig) -> Result<FetchOptions, PreviewFault> {
        let headers =
            headers(&site.crawl).map_err(|error| fault(PreviewCode::Unknown, error.to_string()))?;
        Ok(FetchOptions {
            max_page_bytes: site.crawl.max_page_bytes,
            user_agent: site.crawl.user_agent.clone(),
            allow_private: site.crawl.allow_private,
            headers,
            ..self.fetch.clone()
        })
    }
}

/// Reads a page from the folder of a site.
async fn read(
    site: &Arc<SiteConfig>,
    folder: PathBuf,
    path: PagePath,
    url: Url,
) -> Result<PreviewPage, PreviewFault> {
    let of = Arc::clone(site);
    let read = move || {
        let own = of.own_files.resolve(&of.locales);
        crawl::page_of(&folder, &own, &path, of.crawl.max_page_bytes)
    };
    match tokio::task::spawn_blocking(read).await.map_err(broken)? {
        Some(Ok(page)) => {
            let format = crawl::format_of_page(&page.content_type);
            Ok(PreviewPage {
                html: page.body,
                format,
                charset: page.charset,
                url,
                site: Some(Arc::clone(site)),
            })
        }
        Some(Err(failure)) if failure.code == "page_too_large" => {
            Err(fault(PreviewCode::PageTooLarge, failure.reason))
        }
        Some(Err(failure)) => Err(fault(PreviewCode::RenderFailed, failure.reason)),
        None => Err(fault(
            PreviewCode::RenderFailed,
            "the site has no such page",
        )),
    }
}

/// Where a page of a site is read, if the address, the public one or that of the source, is that of one.
fn place_on(site: &SiteConfig, url: &Url) -> Option<PageSource> {
    let public = site
        .source_url
        .as_deref()
        .and_then(|text| Url::parse(text).ok());
    match &site.source {
        SourceLocation::Web(source) => {
            // A crawled page's path is the whole path of its address.
            let mut there = source.clone();
            there.set_path(url.path());
            there.set_query(url.query());
            let is_own = [Some(source.origin()), public.map(|public| public.origin())]
                .contains(&Some(url.origin()));
            let page = page_at(site, source, &there).filter(|_| is_own)?;
            there.set_query(page.query());
            Some(PageSource::Address(there))
        }
        SourceLocation::Folder(folder) => {
            let public = public.filter(|public| public.origin() == url.origin())?;
            let rest = url
                .path()
                .strip_prefix(public.path().trim_end_matches('/'))?;
            let path = rest
                .starts_with('/')
                .then(|| PagePath::parse(rest).ok())??;
            site.paths
                .allows_page(&path)
                .then(|| PageSource::File(folder.clone(), path))
        }
    }
}

/// The page that an address of a site's source is, if the site publishes it or would.
fn page_at(site: &SiteConfig, source: &Url, url: &Url) -> Option<PagePath> {
    let page = site.crawl.query.page(url);
    let is_own = net::is_below(source, url)
        && !page.path().starts_with("//")
        && site.paths.allows_page(&page);
    is_own.then_some(page)
}
