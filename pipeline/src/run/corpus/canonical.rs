//! Canonical addresses that authors name (S1). A page that names another one is no page of its own to search engines: its
//! versions name that page's versions, and neither alternates nor sitemaps name them.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::addresses::Addresses;
use crate::model::{Claimed, Claims, PagePath, SourceKind};
use crate::run::report::named::named;
use crate::run::source::sources::Sources;
use crate::run::source::spelling::is_same_page;

/// Canonical address of a page that names another address than its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::run) enum Canonical {
    /// Another page of the site.
    Page(PagePath),
    /// An address outside of the site's pages, as the author wrote it.
    Elsewhere(String),
}

/// The canonical addresses of pages that name another address than their own.
pub(super) type Canonicals = BTreeMap<PagePath, Canonical>;

/// Hosts that most pages name together with their own path. They are the site itself, which was built for that address.
pub(super) fn own_origins(
    claims: &BTreeMap<PagePath, Claims>,
    sources: &Sources,
) -> BTreeSet<String> {
    let count = sources.of_kind(SourceKind::Page).count();
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for (path, claims) in claims {
        if let Some(Claimed::Elsewhere(address)) = &claims.canonical
            && let Some(url) = of_same_path(address, path)
        {
            *named.entry(url.origin().ascii_serialization()).or_default() += 1;
        }
    }
    named.retain(|_, pages| *pages * 2 > count);
    named.into_keys().collect()
}

/// An address on another host that has the path of a page.
fn of_same_path(address: &str, path: &PagePath) -> Option<Url> {
    Url::parse(address)
        .ok()
        .filter(|url| is_same_page(&PagePath::of_url(url), path))
}

/// Decides what the claims of pages mean, now that all pages are known. `own` are hosts that are the site itself; so is any host if
/// the site's own address is not known.
pub(in crate::run) fn decide(
    claims: &BTreeMap<PagePath, Claims>,
    own: &BTreeSet<String>,
    addresses: &Addresses,
) -> Canonicals {
    let mut found = Canonicals::new();
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
                } else if let Some(address) = addresses
                    .public()
                    .page(addresses.public().source_locale(), &target)
                {
                    found.insert(path.clone(), Canonical::Elsewhere(address));
                }
            }
            Some(Claimed::Elsewhere(address)) => {
                // The host may be the site's own as long as the public address is not known.
                let is_known = addresses.public().source_url().is_some();
                if of_same_path(address, path).is_some_and(|url| {
                    !is_known || own.contains(&url.origin().ascii_serialization())
                }) {
                    continue;
                }
                found.insert(path.clone(), Canonical::Elsewhere(address.clone()));
            }
        }
    }
    found
}

/// The notice that names such pages.
pub(in crate::run) fn notice(canonicals: &Canonicals) -> Option<String> {
    if canonicals.is_empty() {
        return None;
    }
    let paths: Vec<String> = canonicals.keys().map(ToString::to_string).collect();
    let who = match paths.len() {
        1 => "1 page names another address as its canonical one".to_owned(),
        several => format!("{several} pages name another address as their canonical one"),
    };
    Some(format!(
        "{who}, in every language, so no sitemap and no alternate link leads there: {}",
        named(&paths)
    ))
}
