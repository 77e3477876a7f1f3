//! Where an address leads, for those who do not ask over HTTP: read as the server reads a request.

use pipeline::model::{Locale, PagePath, SiteId};

use crate::public;
use crate::snapshot::Snapshot;
use crate::target::Target;

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

impl Snapshot {
    /// Where host and path of an address lead, if any site that is loaded has them.
    pub fn locate(&self, host: &str, path: &str, query: Option<&str>) -> Option<Located> {
        let target = Target { host: host.to_ascii_lowercase(), path: path.to_owned(), query: query.map(str::to_owned) };
        let (published, locale, rest) = public::placed(self.sites(), &target)?;
        let page = PagePath::parse(if rest.is_empty() { "/" } else { rest }).ok()?;
        let of_source = locale.and_then(|locale| published.settings().source_page(locale, &page));
        let page = of_source.unwrap_or(page);
        let page = query.map_or(page.clone(), |query| page.with_query(query));
        Some(Located { site: published.site().clone(), locale: locale.cloned(), page })
    }
}
