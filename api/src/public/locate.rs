//! Where an address leads, for those who do not ask over HTTP: read as the server reads a request.

use pipeline::config::{SiteConfig, SourceLocation};
use pipeline::model::{Locale, PagePath, PathError, SiteId, without_user};
use url::Url;

use super::resolve::placed;
use super::snapshot::Snapshot;
use crate::http::target::HttpTarget;

/// Where an address leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The site.
    pub site: SiteId,
    /// The locale; `None` where the source language is read.
    pub locale: Option<Locale>,
    /// The page's own path, as the address spells it.
    pub page: PagePath,
}

/// Says why an address leads to no page of a site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no address at all.
    #[error("{text}: {source}")]
    Url {
        /// What was written.
        text: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
    /// It leads elsewhere.
    #[error("{text} is not an address of {site}")]
    Elsewhere {
        /// What was written.
        text: String,
        /// The site that was meant.
        site: SiteId,
    },
    /// Its path is none of a page.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl Snapshot {
    /// The site and locale of a host and page, if a loaded site has them.
    pub fn locate(&self, host: &str, page: &PagePath) -> Option<Located> {
        let host = host.to_ascii_lowercase();
        let query = page.query();
        let target = HttpTarget {
            host,
            path: page.path().to_owned(),
            query: query.map(str::to_owned),
        };
        let (published, locale, rest) = placed(self.sites(), &target)?;
        let page = PagePath::parse(if rest.is_empty() { "/" } else { rest }).ok()?;
        let of_source = locale.and_then(|locale| published.settings().source_page(locale, &page));
        let page = of_source.unwrap_or(page);
        let page = query.map_or(page.clone(), |query| page.with_query(query));
        Some(Located {
            site: published.site().clone(),
            locale: locale.cloned(),
            page,
        })
    }

    /// Where a public address leads.
    pub fn locate_url(&self, url: &Url) -> Option<Located> {
        let host = url.host_str().unwrap_or_default();
        let host = url
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        self.locate(&host, &page_of(url))
    }

    /// The page of a site that somebody means by its address, in public, at its source or at `latimer serve`, or by its path.
    ///
    /// # Errors
    /// An [`AddressError`] that says what is wrong with the address.
    pub fn meant(&self, site: &SiteConfig, text: &str) -> Result<Located, AddressError> {
        let served = |page: &PagePath| self.locate(&format!("{}.localhost", site.id), page);
        if text.contains("://") {
            let shown = without_user(text);
            let url = Url::parse(text).map_err(|source| AddressError::Url {
                text: shown.to_string(),
                source,
            })?;
            let public = self.locate_url(&url).filter(|found| found.site == site.id);
            let found = public
                .or_else(|| at_source(site, &url))
                .or_else(|| served(&page_of(&url)));
            return found.ok_or_else(|| AddressError::Elsewhere {
                text: shown.into_owned(),
                site: site.id.clone(),
            });
        }
        let path = format!("/{}", text.trim_start_matches('/'));
        let page = PagePath::parse(path.split('#').next().unwrap_or_default())?;
        let unserved = || Located {
            site: site.id.clone(),
            locale: None,
            page: page.clone(),
        };
        Ok(served(&page).unwrap_or_else(unserved))
    }
}

/// The page that an address names, with its query.
fn page_of(url: &Url) -> PagePath {
    let page = PagePath::of_url(url);
    url.query()
        .map_or_else(|| page.clone(), |query| page.with_query(query))
}

/// A page at the address from which a site is crawled.
pub fn at_source(site: &SiteConfig, url: &Url) -> Option<Located> {
    let is_source = match &site.source {
        SourceLocation::Web(source) => source.origin() == url.origin(),
        SourceLocation::Folder(_) => false,
    };
    is_source.then(|| Located {
        site: site.id.clone(),
        locale: None,
        page: PagePath::of_url(url),
    })
}
