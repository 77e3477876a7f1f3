//! Reads what the head of a page claims about addresses, before it is known which pages there are.

use url::Url;

use crate::addresses::{Addresses, Known, NamedAddress};
use crate::config::SiteConfig;
use crate::model::{Claimed, Claims, PagePath};
use crate::page::Page;

/// Reads the claims of pages.
pub(super) struct ClaimReader(Addresses);

impl ClaimReader {
    pub(super) fn of(site: &SiteConfig) -> Self {
        Self(Addresses::new(site, Known::default()))
    }

    /// The claims of a page. A canonical address that is the page's own is none.
    pub(super) fn read(&self, path: &PagePath, page: &Page) -> Claims {
        let canonical = page.canonical_claim().and_then(|written| self.claimed(path, page, written));
        let mut alternates = Vec::new();
        for (tag, written) in page.alternate_claims() {
            alternates.extend(self.claimed(path, page, written.clone()).map(|claimed| (tag.clone(), claimed)));
        }
        Claims { canonical: canonical.filter(|claimed| *claimed != Claimed::Own), alternates }
    }

    fn claimed(&self, path: &PagePath, page: &Page, written: String) -> Option<Claimed> {
        Some(match self.0.named(path, page.base(), &written)? {
            NamedAddress::OnSite(claimed) if is_same_page(&claimed, path) => Claimed::Own,
            NamedAddress::OnSite(claimed) => Claimed::Page(claimed),
            NamedAddress::Elsewhere(_) if Url::parse(&written).is_ok() => Claimed::Elsewhere(written),
            NamedAddress::Elsewhere(url) => Claimed::Elsewhere(url.into()),
        })
    }
}

/// Recognizes two spellings of one page: `/a/`, `/a`, `/a.html` and `/a/index.html`.
pub(super) fn is_same_page(one: &PagePath, other: &PagePath) -> bool {
    plain(one.as_str()) == plain(other.as_str())
}

fn plain(path: &str) -> &str {
    let path = match path.rsplit_once('/') {
        Some((folder, "index.html" | "index.htm")) => folder,
        _ => path,
    };
    let path = path.strip_suffix(".html").or_else(|| path.strip_suffix(".htm")).unwrap_or(path);
    path.trim_end_matches('/')
}
