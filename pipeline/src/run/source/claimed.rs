//! Reads what the head of a page claims about addresses, before it is known which pages there are.

use std::collections::BTreeSet;

use url::Url;

use super::spelling::is_same_page;
use crate::addresses::{Addresses, CrawledSite, NamedAddress};
use crate::config::SiteConfig;
use crate::model::{Claimed, Claims, LinkHeader, Locale, PagePath, SourceRecords};
use crate::page::Page;
use crate::run::corpus::language_folders::LanguageFolders;
use crate::run::corpus::parts::PageParts;

/// Reads the claims of pages.
pub(in crate::run) struct ClaimReader<'s> {
    site: &'s SiteConfig,
    bases: Addresses,
    folders: LanguageFolders<'s>,
}

impl<'s> ClaimReader<'s> {
    pub(in crate::run) fn of(site: &'s SiteConfig) -> Self {
        Self {
            site,
            bases: Addresses::new(site, CrawledSite::default()),
            folders: LanguageFolders::of(site),
        }
    }

    /// The locale in whose folder a page lies.
    pub(in crate::run) fn folder_of(&self, path: &PagePath) -> Option<&'s Locale> {
        self.folders.find(path).map(|(locale, _)| locale)
    }

    /// The claims of a page and of the `Link` headers that came with it. A canonical address that is the page's own is none. Of a page
    /// without versions, all versions that it names count.
    pub(in crate::run) fn read(
        &self,
        path: &PagePath,
        page: &Page,
        header: Option<&LinkHeader>,
        is_single: bool,
    ) -> Claims {
        let base = page.base();
        let none = LinkHeader::default();
        let header = header.unwrap_or(&none);
        let mut alternates = Vec::new();
        for (tag, written) in page.alternate_claims() {
            alternates.extend(self.version(path, base, (tag, written), is_single));
        }
        // Addresses in headers count from the page itself (RFC 8288, section 3.2).
        for (tag, written) in &header.alternates {
            alternates.extend(self.version(path, None, (tag, written), is_single));
        }
        let in_head = page
            .canonical_claims()
            .iter()
            .map(|written| self.claimed(path, base, written));
        let in_header = header
            .canonical
            .iter()
            .map(|written| self.claimed(path, None, written));
        let canonical = only(in_head.chain(in_header));
        Claims {
            canonical: canonical.filter(|claimed| *claimed != Claimed::Own),
            alternates,
        }
    }

    /// The parts of pages that the links of a page open.
    pub(in crate::run) fn opened(
        &self,
        path: &PagePath,
        page: &Page,
        parts: &PageParts,
    ) -> Vec<PagePath> {
        if parts.is_empty() {
            return Vec::new();
        }
        let mut opened = BTreeSet::new();
        for written in page.opens() {
            let target = self.bases.named(path, page.base(), written);
            if let Some(NamedAddress::OnSite(target)) = target {
                opened.extend(parts.find(&target).cloned());
            }
        }
        opened.into_iter().collect()
    }

    /// A page that a link opens and `exclude` leaves out.
    pub(in crate::run) fn excluded(
        &self,
        path: &PagePath,
        page: &Page,
        records: &SourceRecords,
    ) -> Option<PagePath> {
        if self.site.paths.written().1.is_empty() {
            return None;
        }
        page.opens().find_map(
            |written| match self.bases.named(path, page.base(), written)? {
                NamedAddress::OnSite(target)
                    if !records.contains_key(&target) && self.site.paths.excludes(&target) =>
                {
                    Some(target)
                }
                NamedAddress::OnSite(_) | NamedAddress::Elsewhere(_) => None,
            },
        )
    }

    /// The path of this site that an address on a page without `<base>` names.
    pub(in crate::run) fn page(&self, path: &PagePath, written: &str) -> Option<PagePath> {
        match self.bases.named(path, None, written)? {
            NamedAddress::OnSite(target) => Some(target),
            NamedAddress::Elsewhere(_) => None,
        }
    }

    /// The claim of an alternate link. `None` if it names a version in a language of the site at the address where Latimer looks for
    /// one: most pages of multilingual sites have several, so keeping them would only take memory.
    fn version(
        &self,
        path: &PagePath,
        base: Option<&str>,
        (tag, written): (&str, &str),
        is_single: bool,
    ) -> Option<(String, Claimed)> {
        let claimed = self.claimed(path, base, written)?;
        let is_ours =
            !is_single && Locale::parse(tag).is_ok_and(|locale| made(self.site, &locale).is_some());
        let is_expected = match &claimed {
            Claimed::Own => true,
            Claimed::Page(claimed) => self
                .folders
                .find(claimed)
                .is_some_and(|(_, local)| is_same_page(&local, path)),
            Claimed::Elsewhere(_) => false,
        };
        if is_ours && is_expected {
            return None;
        }
        Some((tag.to_owned(), claimed))
    }

    fn claimed(&self, path: &PagePath, base: Option<&str>, written: &str) -> Option<Claimed> {
        if written.is_empty() {
            return None;
        }
        Some(match self.bases.named(path, base, written)? {
            NamedAddress::OnSite(claimed) if is_same_page(&claimed, path) => Claimed::Own,
            NamedAddress::OnSite(claimed) => Claimed::Page(claimed),
            // A manual that was made for a package names `file:///usr/share/doc/…`.
            NamedAddress::Elsewhere(url) if !matches!(url.scheme(), "http" | "https") => {
                return None;
            }
            NamedAddress::Elsewhere(_) if Url::parse(written).is_ok() => {
                Claimed::Elsewhere(written.to_owned())
            }
            NamedAddress::Elsewhere(url) => Claimed::Elsewhere(url.into()),
        })
    }
}

/// The locale of this site that a tag names, if Latimer makes it.
pub(in crate::run) fn made<'s>(site: &'s SiteConfig, locale: &Locale) -> Option<&'s Locale> {
    let mut own = std::iter::once(&site.source_locale).chain(&site.locales);
    own.find(|own| *own == locale || own.search_tag().eq_ignore_ascii_case(locale.as_str()))
}

/// The address that all canonical links name. Search engines go by none of several.
fn only(mut claims: impl Iterator<Item = Option<Claimed>>) -> Option<Claimed> {
    let first = claims.next()??;
    claims
        .all(|claim| claim.as_ref() == Some(&first))
        .then_some(first)
}
