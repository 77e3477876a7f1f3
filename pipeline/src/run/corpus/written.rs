//! Versions that the author wrote: pages of the source in a language that is made here, too (R-S15).
//!
//! Such a page is the version of the page that it names, or whose path it has below the folder of its language. It keeps its words and,
//! on the same host, its address; Latimer makes the versions that nobody wrote. A page of the source that has the address of a
//! version and is in another language ends the build, because one of the two would be lost (R-S16).

use std::collections::BTreeMap;

use super::language_folders::LanguageFolders;
use super::singles::{LeftOut, Singles};
use crate::addresses::Addresses;
use crate::config::SiteConfig;
use crate::model::{Claimed, Claims, Locale, PagePath};
use crate::run::error::BuildError;
use crate::run::report::named::named;
use crate::run::source::claimed::made;

/// Versions that the author wrote, by locale and by the page whose versions they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenVersions {
    by_page: BTreeMap<Locale, BTreeMap<PagePath, WrittenVersion>>,
    /// Locale and page of each, by its path in the source.
    by_path: BTreeMap<PagePath, (Locale, PagePath)>,
}

/// A version that the author wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenVersion {
    /// Its path in the source.
    pub(crate) path: PagePath,
    /// Its path in its locale.
    pub(in crate::run) local: PagePath,
}

impl WrittenVersions {
    pub(in crate::run) fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// The version of a page that the author wrote in a locale.
    pub(crate) fn get(&self, locale: &Locale, page: &PagePath) -> Option<&WrittenVersion> {
        self.by_page.get(locale)?.get(page)
    }

    /// Locale and page of the version that a page of the source is.
    pub(crate) fn version_at(&self, path: &PagePath) -> Option<&(Locale, PagePath)> {
        self.by_path.get(path)
    }

    /// Locale and page of each version, by its path in the source.
    pub(in crate::run) fn by_path(&self) -> &BTreeMap<PagePath, (Locale, PagePath)> {
        &self.by_path
    }

    /// Versions of a locale, by page.
    pub(in crate::run) fn of(
        &self,
        locale: &Locale,
    ) -> impl Iterator<Item = (&PagePath, &WrittenVersion)> {
        self.by_page.get(locale).into_iter().flatten()
    }

    fn add(&mut self, locale: &Locale, page: PagePath, version: WrittenVersion) {
        self.by_path
            .insert(version.path.clone(), (locale.clone(), page.clone()));
        self.by_page
            .entry(locale.clone())
            .or_default()
            .insert(page, version);
    }

    /// The notice about them.
    pub(in crate::run) fn notice(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let counts: Vec<String> = self
            .by_page
            .iter()
            .map(|(locale, pages)| format!("{} in {locale}", pages.len()))
            .collect();
        let pages: Vec<String> = self
            .by_path
            .iter()
            .map(|(path, (_, page))| format!("{path} (of {page})"))
            .collect();
        Some(format!(
            "pages of the source that are written in a language of the site are its versions of other pages, with their own words \
             ({}): {}",
            counts.join(", "),
            named(&pages)
        ))
    }
}

/// Finds the versions that the author wrote among pages that are in another language.
///
/// `elsewhere` gets the pages whose version lies where none of Latimer's can: these lack one in that language.
pub(in crate::run) fn find(
    claims: &BTreeMap<PagePath, Claims>,
    singles: &Singles,
    site: &SiteConfig,
    addresses: &Addresses,
    elsewhere: &mut LeftOut,
) -> WrittenVersions {
    let folders = LanguageFolders::of(site);
    let mut written = WrittenVersions::default();
    let named_by = pages_that_name(claims, singles, site, addresses);
    for (path, language) in singles {
        let folder = folders.find(path);
        let of_folder = folder.as_ref().map(|(locale, _)| *locale);
        let locale = match (language, of_folder) {
            (Some(language), Some(own)) if own.same_language(language) => own,
            (Some(language), _) => {
                match made(site, language).filter(|locale| **locale != site.source_locale) {
                    Some(locale) => locale,
                    None => continue,
                }
            }
            (None, _) => continue,
        };
        if site.keep.names(path) {
            continue;
        }
        let local = folder
            .filter(|(own, _)| *own == locale)
            .map(|(_, local)| local);
        let named = names_source(claims.get(path), site, addresses);
        let named = named.filter(|page| is_translatable(page, singles, addresses));
        let named = named.or_else(|| named_by.get(&(locale, path)).map(|page| (*page).clone()));
        let page = match (named, &local) {
            (Some(named), _) => named,
            (None, Some(local)) => addresses.meant(local.clone()),
            (None, None) => continue,
        };
        if !is_translatable(&page, singles, addresses) {
            continue;
        }
        let local = local.or_else(|| folders.has_hosts().then(|| path.clone()));
        match local {
            Some(local) if written.get(locale, &page).is_none() => {
                written.add(
                    locale,
                    page,
                    WrittenVersion {
                        path: path.clone(),
                        local,
                    },
                );
            }
            Some(_) => {}
            None => {
                elsewhere.entry(locale.clone()).or_default().insert(page);
            }
        }
    }
    written
}

/// True for a page that has versions.
fn is_translatable(page: &PagePath, singles: &Singles, addresses: &Addresses) -> bool {
    addresses.is_page(page) && !singles.contains_key(page)
}

/// The page in the source language that a page names among its versions.
fn names_source(
    claims: Option<&Claims>,
    site: &SiteConfig,
    addresses: &Addresses,
) -> Option<PagePath> {
    claims?.alternates.iter().find_map(|(tag, claimed)| {
        let is_source = Locale::parse(tag).is_ok_and(|tag| tag.same_language(&site.source_locale));
        match claimed {
            Claimed::Page(page) if is_source => Some(addresses.meant(page.clone())),
            Claimed::Page(_) | Claimed::Own | Claimed::Elsewhere(_) => None,
        }
    })
}

/// The pages that name a single page as their version in a locale, by that locale and the single page.
fn pages_that_name<'c>(
    claims: &'c BTreeMap<PagePath, Claims>,
    singles: &'c Singles,
    site: &'c SiteConfig,
    addresses: &Addresses,
) -> BTreeMap<(&'c Locale, &'c PagePath), &'c PagePath> {
    let mut found = BTreeMap::new();
    for (page, claims) in claims
        .iter()
        .filter(|(page, _)| !singles.contains_key(*page))
    {
        for (tag, claimed) in &claims.alternates {
            let Claimed::Page(claimed) = claimed else {
                continue;
            };
            let Some(locale) = Locale::parse(tag).ok().and_then(|tag| made(site, &tag)) else {
                continue;
            };
            if let Some((single, _)) = singles.get_key_value(&addresses.meant(claimed.clone())) {
                found.entry((locale, single)).or_insert(page);
            }
        }
    }
    found
}

/// Finds pages of the source that have the address of a version. A page that the owner keeps takes its place, and so does a file or
/// a feed.
///
/// # Errors
/// [`BuildError::SharedAddress`] if another page of the source has the address of a version.
pub(super) fn settle_addresses<'p>(
    pages: impl Iterator<Item = &'p PagePath>,
    files: impl Iterator<Item = &'p PagePath>,
    site: &SiteConfig,
    (addresses, written): (&Addresses, &WrittenVersions),
    left_out: &mut LeftOut,
) -> Result<(), BuildError> {
    let folders = LanguageFolders::of(site);
    if folders.has_hosts() {
        return Ok(());
    }
    let mut shared = Vec::new();
    for path in pages {
        let Some((locale, local)) = folders.find(path) else {
            continue;
        };
        let page = addresses.meant(local);
        let is_left_out = left_out
            .get(locale)
            .is_some_and(|pages| pages.contains(&page));
        // A version that the author wrote has another address: there is one file at each.
        if !addresses.is_page(&page) || is_left_out || written.get(locale, &page).is_some() {
            continue;
        }
        if site.keep.names(path) {
            left_out.entry(locale.clone()).or_default().insert(page);
        } else {
            shared.push((path.clone(), locale.clone(), page));
        }
    }
    for (locale, pages) in &written.by_page {
        for (page, version) in pages
            .iter()
            .filter(|(page, version)| **page != version.local)
        {
            let other = addresses.meant(version.local.clone());
            let is_left_out = left_out
                .get(locale)
                .is_some_and(|pages| pages.contains(&other));
            if other != *page
                && addresses.is_page(&other)
                && !is_left_out
                && written.get(locale, &other).is_none()
            {
                shared.push((version.path.clone(), locale.clone(), other));
            }
        }
    }
    for path in files {
        if let Some((locale, local)) = folders.find(path) {
            left_out.entry(locale.clone()).or_default().insert(local);
        }
    }
    if shared.is_empty() {
        Ok(())
    } else {
        Err(BuildError::SharedAddress { shared })
    }
}
