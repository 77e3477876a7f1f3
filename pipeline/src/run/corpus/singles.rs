//! Pages without versions (S14): those that the owner keeps by `keep`, and those in another language than the source. They are
//! published once, at their own addresses, as they are. Only their alternate links change, because versions have to name each other.

use std::collections::{BTreeMap, BTreeSet};

use super::foreign_versions::ForeignVersions;
use crate::addresses::Addresses;
use crate::config::SiteConfig;
use crate::model::{Claimed, Claims, Locale, PagePath};
use crate::run::report::named::named;
use crate::run::source::sources::Sources;

/// Pages without versions, with their languages, as far as these are known.
pub(crate) type Singles = BTreeMap<PagePath, Option<Locale>>;

/// Pages that a locale lacks, because the owner leaves them out or the author's own version is elsewhere.
pub(super) type LeftOut = BTreeMap<Locale, BTreeSet<PagePath>>;

/// Finds the page whose versions each single page belongs to: the one that it names, or that names it. A page that does not name
/// the single page gets its version.
pub(in crate::run) fn join(
    claims: &BTreeMap<PagePath, Claims>,
    singles: &Singles,
    foreign: &mut ForeignVersions,
    site: &SiteConfig,
    (addresses, left_out): (&Addresses, &LeftOut),
    sources: &Sources,
) -> BTreeMap<PagePath, PagePath> {
    let mut clusters = BTreeMap::new();
    if singles.is_empty() {
        return clusters;
    }
    for (path, claims) in claims {
        for (_, claimed) in &claims.alternates {
            let Claimed::Page(named) = claimed else {
                continue;
            };
            let named = addresses.meant(named.clone());
            match (singles.contains_key(path), singles.contains_key(&named)) {
                (true, false) if is_listed(sources, &named) => {
                    clusters.entry(path.clone()).or_insert(named);
                }
                (false, true) if is_listed(sources, path) => {
                    clusters.entry(named).or_insert_with(|| path.clone());
                }
                (true | false, true | false) => {}
            }
        }
    }
    let public = addresses.public();
    for (single, page) in &clusters {
        let Some(language) = singles.get(single).and_then(Option::as_ref) else {
            continue;
        };
        let Some(address) = public.page(public.source_locale(), single) else {
            continue;
        };
        let versions = foreign.entry(page.clone()).or_default();
        let is_named = versions
            .iter()
            .any(|(tag, _)| Locale::parse(tag).is_ok_and(|tag| tag == *language));
        let is_made = site.locales.contains(language)
            && !left_out
                .get(language)
                .is_some_and(|pages| pages.contains(page));
        if !is_named && site.source_locale != *language && !is_made {
            versions.push((language.search_tag(), address));
        }
    }
    clusters
}

/// True for a page that search engines may list.
fn is_listed(sources: &Sources, page: &PagePath) -> bool {
    sources
        .records
        .get(page)
        .is_some_and(|record| !record.noindex)
}

/// The notice about pages with links to what `exclude` leaves out, each with such a link.
pub(super) fn notice_of_excluded(pages: &[String]) -> Option<String> {
    (!pages.is_empty()).then(|| {
        format!(
            "links lead to pages that `exclude` leaves out, so readers find nothing there: {}; `keep` publishes pages as they are",
            named(pages)
        )
    })
}
