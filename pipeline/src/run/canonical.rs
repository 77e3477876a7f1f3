//! Canonical addresses that authors name (S1). A page that names another one is no page of its own to search engines: its
//! versions name that page's versions, and neither alternates nor sitemaps name them.

use std::collections::BTreeMap;

use url::Url;

use super::named::named;
use super::sources::Sources;
use super::spelling::is_same_page;
use crate::addresses::Addresses;
use crate::model::{Claimed, Claims, PagePath, SourceKind};

/// Canonical address of a page that names another address than its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Canonical {
    /// Another page of the site.
    Page(PagePath),
    /// An address outside of the site's pages, as the author wrote it.
    Elsewhere(String),
}

/// The canonical addresses of pages that name another address than their own.
pub(super) type Canonicals = BTreeMap<PagePath, Canonical>;

/// Decides what the claims of pages mean, now that all pages are known.
///
/// A host that most pages name together with their own path is the site itself: it was built for that address. So is any such
/// host if the site's own address is not known.
pub(super) fn decide(claims: &BTreeMap<PagePath, Claims>, sources: &Sources, addresses: &Addresses) -> Canonicals {
    let count = sources.of_kind(SourceKind::Page).count();
    let mut found = Canonicals::new();
    let mut spellings: BTreeMap<String, Vec<PagePath>> = BTreeMap::new();
    for (path, claims) in claims {
        match &claims.canonical {
            None | Some(Claimed::Own) => {}
            Some(Claimed::Page(claimed)) => {
                let target = addresses.meant(claimed.clone());
                if target == *path {
                    continue;
                }
                if addresses.is_page(&target) {
                    found.insert(path.clone(), Canonical::Page(target));
                } else if let Some(address) = addresses.public().page(addresses.public().source_locale(), &target) {
                    found.insert(path.clone(), Canonical::Elsewhere(address));
                }
            }
            Some(Claimed::Elsewhere(address)) => {
                let url = Url::parse(address).ok().filter(|url| is_same_page(&PagePath::of_url(url), path));
                // The host may be the site's own as long as the public address is not known.
                if url.is_some() && addresses.public().source_url().is_none() {
                    continue;
                }
                found.insert(path.clone(), Canonical::Elsewhere(address.clone()));
                if let Some(url) = url {
                    spellings.entry(url.origin().ascii_serialization()).or_default().push(path.clone());
                }
            }
        }
    }
    for paths in spellings.into_values().filter(|paths| paths.len() * 2 > count) {
        for path in paths {
            found.remove(&path);
        }
    }
    found
}

/// The notice that names such pages.
pub(super) fn notice(canonicals: &Canonicals) -> Option<String> {
    if canonicals.is_empty() {
        return None;
    }
    let paths: Vec<String> = canonicals.keys().map(ToString::to_string).collect();
    let who = match paths.len() {
        1 => "1 page names another address as its canonical one".to_owned(),
        several => format!("{several} pages name another address as their canonical one"),
    };
    Some(format!("{who}, in every language, so no sitemap and no alternate link leads there: {}", named(&paths)))
}
