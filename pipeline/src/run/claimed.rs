//! Reads what the head of a page claims about addresses, before it is known which pages there are.

use url::Url;

use crate::addresses::{Addresses, Known, NamedAddress};
use crate::config::SiteConfig;
use crate::model::{Claimed, Claims, LinkHeader, PagePath};
use crate::page::Page;

/// Reads the claims of pages.
pub(super) struct ClaimReader(Addresses);

impl ClaimReader {
    pub(super) fn of(site: &SiteConfig) -> Self {
        Self(Addresses::new(site, Known::default()))
    }

    /// The claims of a page and of the `Link` headers that came with it. A canonical address that is the page's own is none.
    pub(super) fn read(&self, path: &PagePath, page: &Page, header: Option<&LinkHeader>) -> Claims {
        let base = page.base();
        let none = LinkHeader::default();
        let header = header.unwrap_or(&none);
        let mut alternates = Vec::new();
        for (tag, written) in page.alternate_claims() {
            alternates.extend(self.claimed(path, base, written).map(|claimed| (tag.clone(), claimed)));
        }
        // Addresses in headers count from the page itself (RFC 8288, section 3.2).
        for (tag, written) in &header.alternates {
            alternates.extend(self.claimed(path, None, written).map(|claimed| (tag.clone(), claimed)));
        }
        let in_head = page.canonical_claims().iter().map(|written| self.claimed(path, base, written));
        let in_header = header.canonical.iter().map(|written| self.claimed(path, None, written));
        let canonical = only(in_head.chain(in_header));
        Claims { canonical: canonical.filter(|claimed| *claimed != Claimed::Own), alternates }
    }

    fn claimed(&self, path: &PagePath, base: Option<&str>, written: &str) -> Option<Claimed> {
        if written.is_empty() {
            return None;
        }
        Some(match self.0.named(path, base, written)? {
            NamedAddress::OnSite(claimed) if is_same_page(&claimed, path) => Claimed::Own,
            NamedAddress::OnSite(claimed) => Claimed::Page(claimed),
            NamedAddress::Elsewhere(_) if Url::parse(written).is_ok() => Claimed::Elsewhere(written.to_owned()),
            NamedAddress::Elsewhere(url) => Claimed::Elsewhere(url.into()),
        })
    }
}

/// The address that all canonical links name. Search engines go by none of several.
fn only(mut claims: impl Iterator<Item = Option<Claimed>>) -> Option<Claimed> {
    let first = claims.next()??;
    claims.all(|claim| claim.as_ref() == Some(&first)).then_some(first)
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
