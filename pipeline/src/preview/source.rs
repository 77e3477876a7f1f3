//! Where a previewed page is read: from the source of the site it belongs to, or from where its address leads.

use std::sync::Arc;

use bytes::Bytes;
use url::Url;

use super::Previewer;
use super::fault::{PreviewFault, broken, fault};
use crate::config::{SiteConfig, Source};
use crate::crawl::{self, FetchOptions, Fetched, Fetcher};
use crate::model::PagePath;
use crate::run::headers;
use crate::store::PreviewCode;

/// A page.
pub(super) struct Found {
    pub(super) html: Bytes,
    pub(super) charset: Option<String>,
    /// Against which its links count.
    pub(super) url: Url,
    /// The site it belongs to.
    pub(super) site: Option<Arc<SiteConfig>>,
}

impl Previewer {
    /// Finds a page by its address.
    pub(super) async fn find(&self, sites: &[Arc<SiteConfig>], address: &str) -> Result<Found, PreviewFault> {
        let mut url = Url::parse(address).map_err(|error| fault(PreviewCode::InvalidUrl, error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return Err(fault(PreviewCode::InvalidUrl, "it is no http: or https: address, or it holds a password"));
        }
        let own = sites.iter().filter(|site| site.enabled).find_map(|site| Some((site, path_on(site, &url)?)));
        if let Some((site, path)) = &own
            && let Source::Folder(folder) = &site.source
        {
            let (folder, path, limit) = (folder.clone(), path.clone(), site.crawl.max_page_bytes);
            let read = tokio::task::spawn_blocking(move || crawl::page_of(&folder, &path, limit)).await;
            return match read.map_err(broken)? {
                Some(Ok(page)) => {
                    Ok(Found { html: page.body, charset: page.charset, url, site: Some(Arc::clone(site)) })
                }
                Some(Err(failure)) if failure.code == "page_too_large" => {
                    Err(fault(PreviewCode::PageTooLarge, failure.reason))
                }
                Some(Err(failure)) => Err(fault(PreviewCode::RenderFailed, failure.reason)),
                None => Err(fault(PreviewCode::RenderFailed, "the site has no such page")),
            };
        }
        if let Some((site, _)) = &own
            && let Source::Web(source) = &site.source
        {
            let query = url.query().map(str::to_owned);
            url = source.join(url.path()).map_err(|error| fault(PreviewCode::InvalidUrl, error.to_string()))?;
            url.set_query(query.as_deref());
        }
        let site = own.map(|(site, _)| Arc::clone(site));
        let fetched = self.follow(url, site.as_deref()).await?;
        let is_page = match &fetched.content_type {
            Some(kind) => crawl::is_page(kind),
            None => crawl::looks_like_page(&fetched.body),
        };
        if !is_page {
            return Err(fault(PreviewCode::RenderFailed, "the address leads to no HTML page"));
        }
        Ok(Found { html: fetched.body, charset: fetched.charset, url: fetched.url, site })
    }

    /// Fetches an address and those that it redirects to; each is checked by itself.
    async fn follow(&self, mut url: Url, site: Option<&SiteConfig>) -> Result<Fetched, PreviewFault> {
        let usual = self.usual(&url)?;
        let own = match site.map(|site| (site, &site.source)) {
            Some((site, Source::Web(source))) => Some((source.origin(), Fetcher::new(self.as_of(site)?, source)?)),
            Some((_, Source::Folder(_))) | None => None,
        };
        for _ in 0..=self.fetch.max_redirects {
            // What a site allows, it allows for its own origin.
            let fetcher = match &own {
                Some((origin, fetcher)) if *origin == url.origin() => fetcher,
                Some(_) | None => {
                    self.check_host(&url)?;
                    usual
                }
            };
            let mut fetched = fetcher.fetch(&url).await?;
            match fetched.location.take() {
                Some(next) => url = next,
                None => return Ok(fetched),
            }
        }
        Err(crawl::FetchError::TooManyRedirects(self.fetch.max_redirects).into())
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
        if self.settings.allow_hosts.allows(host) {
            return Ok(());
        }
        Err(fault(PreviewCode::BlockedHost, format!("{host} is not in allow_hosts of [preview]")))
    }

    /// How a site's own pages are fetched.
    fn as_of(&self, site: &SiteConfig) -> Result<FetchOptions, PreviewFault> {
        let headers = headers(&site.crawl).map_err(|error| fault(PreviewCode::Unknown, error.to_string()))?;
        Ok(FetchOptions {
            max_page_bytes: site.crawl.max_page_bytes,
            user_agent: site.crawl.user_agent.clone(),
            allow_private: site.crawl.allow_private,
            headers,
            ..self.fetch.clone()
        })
    }
}

/// The path of an address on a site, if it is one of the site's pages.
fn path_on(site: &SiteConfig, url: &Url) -> Option<PagePath> {
    let public = site.source_url.as_deref().and_then(|text| Url::parse(text).ok());
    let path = match &site.source {
        // A crawled page's path is the whole path of its address.
        Source::Web(source) => {
            let origins = [Some(source.origin()), public.map(|public| public.origin())];
            origins.contains(&Some(url.origin())).then(|| PagePath::of_url(url))
        }
        Source::Folder(_) => {
            let public = public.filter(|public| public.origin() == url.origin())?;
            let rest = url.path().strip_prefix(public.path().trim_end_matches('/'))?;
            rest.starts_with('/').then(|| PagePath::parse(rest).ok())?
        }
    };
    path.filter(|path| site.paths.allows_page(path))
}
