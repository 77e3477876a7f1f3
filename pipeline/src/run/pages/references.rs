//! What refers to what: which page exists in which locale, where it is found, and which versions of it name each other.
//!
//! Heads, sitemaps, switchers, headers and links all ask here, so they name the same pages (law 4).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::kept_versions::KeptVersions;
use super::listing::SitemapEntries;
use super::live::LiveSite;
use super::locale_files::LocaleFiles;
use super::other_files::OtherFiles;
use super::paths::{FormerPaths, PagePaths};
use crate::addresses::{Addresses, NamedAddress};
use crate::config::SiteConfig;
use crate::crawl::Robots;
use crate::model::{Locale, PagePath};
use crate::run::context;
use crate::run::corpus::canonical::Canonical;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::search_tags::SearchTags;
use crate::run::memo::known_versions::KnownVersions;
use crate::run::source::sources::Sources;
use crate::run::words::texts::LocaleTexts;
use crate::site_files::{self, SitemapPage, SwitcherLink, Templates};
use crate::state::{SourceKind, SourceRecord};

/// Says to search engines which version is for readers of no other language.
const X_DEFAULT: &str = "x-default";

/// What is known of the pages to be made before they have words.
pub(in crate::run) struct SiteOutline {
    pub(in crate::run) templates: Templates,
    pub(in crate::run) paths: PagePaths,
    /// What is known of the versions that were made before.
    pub(in crate::run) carry: KnownVersions,
    /// Files that languages have of their own.
    pub(in crate::run) locale_files: LocaleFiles,
}

/// What rendering knows about the whole site.
pub(in crate::run) struct SiteContext<'a> {
    pub(in crate::run) corpus: &'a Corpus,
    pub(in crate::run) addresses: Addresses,
    pub(in crate::run) templates: Templates,
    pub(in crate::run) texts: Vec<LocaleTexts>,
    /// Pages and documents that stay in their last version.
    pub(in crate::run) kept: KeptVersions,
    /// What the live script gets.
    pub(in crate::run) live: LiveSite,
    /// What is known of the versions that were made before.
    pub(in crate::run) carry: KnownVersions,
    /// Pages that are translated, by locale that is on; the source locale too where it has public addresses.
    pub(in crate::run) translated: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Tags of these locales in alternate links.
    pub(super) tags: SearchTags,
    pub(super) x_default: Option<Locale>,
    /// The names of pages and documents in the trees of locales, by their paths in the source.
    pub(super) names: BTreeMap<PagePath, Arc<str>>,
    /// The same for locales in which pages have paths of their own.
    pub(super) own_names: BTreeMap<Locale, BTreeMap<PagePath, Arc<str>>>,
    /// Paths that pages had before.
    pub(in crate::run) former: FormerPaths,
    /// What the source's own sitemaps say of its pages.
    pub(in crate::run) listing: SitemapEntries,
    pub(in crate::run) style: String,
    /// Files that languages have of their own.
    pub(in crate::run) locale_files: LocaleFiles,
    /// The bytes of files that take the place of others.
    pub(super) other_files: OtherFiles,
}

impl SiteContext<'_> {
    pub(in crate::run) fn is_translated(&self, locale: &Locale, path: &PagePath) -> bool {
        self.translated
            .get(locale)
            .is_some_and(|pages| pages.contains(path))
    }

    /// What is known of versions, without all else.
    pub(super) fn into_carry(self) -> KnownVersions {
        self.carry
    }

    /// Whether nothing refers to a page: it is the one for what is not found, a fragment, or sends its readers elsewhere (R-C4).
    fn is_passed_over(&self, path: &PagePath) -> bool {
        site_files::is_error_page(path)
            || self.corpus.forwarding.contains(path)
            || self.corpus.parts.fragments.contains(path)
    }

    /// The canonical address of a version of a page whose author names another one.
    pub(super) fn canonical_address(
        &self,
        canonical: &Canonical,
        locale: &Locale,
    ) -> Option<String> {
        match canonical {
            Canonical::Page(target) => self
                .addresses
                .public()
                .page(self.locale_of(target, locale), target),
            Canonical::Elsewhere(address) => Some(address.clone()),
        }
    }

    /// The canonical link of a version on a site whose public address is not known. `None` if it stays as written.
    pub(super) fn canonical_reference(
        &self,
        from: &Locale,
        to: &Locale,
        path: &PagePath,
    ) -> Option<String> {
        let public = self.addresses.public();
        match self.corpus.canonicals.get(path) {
            Some(Canonical::Page(target)) => {
                Some(public.reference(from, self.locale_of(target, to), target))
            }
            Some(Canonical::Elsewhere(_)) => None,
            None => Some(public.reference(from, to, path)),
        }
    }

    /// The wanted locale if a page is translated into it, else that of the source.
    fn locale_of<'l>(&'l self, page: &PagePath, wanted: &'l Locale) -> &'l Locale {
        if self.is_translated(wanted, page) {
            wanted
        } else {
            self.addresses.public().source_locale()
        }
    }

    /// Tag and public address of every version that a version of a page names. A locale without a tag of its own names none (R-S18).
    pub(in crate::run) fn alternates(
        &self,
        own: &Locale,
        path: &PagePath,
    ) -> Vec<(String, String)> {
        if self.tags.get(own).is_some() {
            self.versions_with_tags(path)
        } else {
            Vec::new()
        }
    }

    /// Tag and public address of every version of a page that search engines may know.
    fn versions_with_tags(&self, path: &PagePath) -> Vec<(String, String)> {
        if self.is_passed_over(path) || self.corpus.canonicals.contains_key(path) {
            return Vec::new();
        }
        // A page without versions names those of the page that it belongs to.
        let path = match (
            self.corpus.singles.contains_key(path),
            self.corpus.clusters.get(path),
        ) {
            (true, Some(page))
                if !self.is_passed_over(page) && !self.corpus.canonicals.contains_key(page) =>
            {
                page
            }
            (true, _) => return Vec::new(),
            (false, _) => path,
        };
        let address = |locale: &Locale| self.addresses.public().page(locale, path);
        let versions = self
            .translated
            .iter()
            .filter(|(locale, pages)| !locale.is_pseudo() && pages.contains(path));
        let tagged = versions
            .filter_map(|(locale, _)| Some((self.tags.get(locale)?.to_owned(), address(locale)?)));
        let default = self
            .x_default
            .iter()
            .filter(|locale| self.is_translated(locale, path));
        let default = default.filter_map(|locale| Some((X_DEFAULT.to_owned(), address(locale)?)));
        let foreign = self
            .corpus
            .foreign_versions
            .get(path)
            .into_iter()
            .flatten()
            .cloned();
        tagged.chain(foreign).chain(default).collect()
    }

    /// The header by which a file that is no page names its versions (R-C1), where it has several.
    pub(super) fn link_header(&self, own: &Locale, path: &PagePath) -> Option<String> {
        let addresses = self.addresses.public();
        let has = |locale: &&Locale| {
            *locale == addresses.source_locale() || self.addresses.is_published(locale, path)
        };
        let version = |locale| Some((self.tags.get(locale)?, addresses.page(locale, path)?));
        let versions: Vec<(&str, String)> = self
            .public_locales()
            .filter(has)
            .filter_map(version)
            .collect();
        self.tags.get(own)?;
        let canonical = addresses.page(own, path).filter(|_| versions.len() > 1)?;
        Some(site_files::link_header(&canonical, &versions))
    }

    /// The header of a file that is published as it is: a document names its versions, any other file the canonical address that
    /// its server named (R-S1).
    pub(super) fn link_header_of_file(
        &self,
        path: &PagePath,
        record: &SourceRecord,
    ) -> Option<String> {
        let source = self.addresses.public().source_locale();
        match record.kind {
            SourceKind::Document if record.noindex => None,
            SourceKind::Document => self.link_header(source, path),
            SourceKind::Page | SourceKind::File => {
                let [written] = record.links.as_ref()?.canonical.as_slice() else {
                    return None;
                };
                let address = match self.addresses.named(path, None, written)? {
                    NamedAddress::OnSite(named) => self
                        .addresses
                        .public()
                        .page(source, &self.addresses.meant(named))?,
                    NamedAddress::Elsewhere(url) => url.into(),
                };
                Some(site_files::link_header(&address, &[]))
            }
        }
    }

    /// The name of a page or document in the tree of a locale.
    pub(in crate::run) fn name(&self, locale: &Locale, path: &PagePath) -> Arc<str> {
        let names = self.own_names.get(locale).unwrap_or(&self.names);
        names.get(path).map_or_else(|| "".into(), Arc::clone)
    }

    /// The path of a page in a locale.
    pub(in crate::run) fn local(&self, locale: &Locale, path: &PagePath) -> PagePath {
        self.addresses
            .public()
            .slugs()
            .local(locale, path)
            .into_owned()
    }

    /// Notices about locales that search engines cannot tell from another one.
    pub(super) fn notices_of_tags(&self) -> impl Iterator<Item = String> {
        self.translated
            .keys()
            .filter_map(|locale| self.tags.notice(locale))
    }

    /// The locales with public pages that search engines may know, the source's own among them only where it is ours.
    pub(super) fn public_locales(&self) -> impl Iterator<Item = &Locale> {
        self.translated.keys().filter(|locale| !locale.is_pseudo())
    }

    /// The entries of a page's switcher: every language that is public, and the page's own.
    pub(in crate::run) fn switcher_links(
        &self,
        current: &Locale,
        path: &PagePath,
    ) -> Vec<SwitcherLink> {
        let has_page = |locale: &Locale, page: &PagePath| {
            locale == current && page == path || self.is_translated(locale, page)
        };
        site_files::switcher_links(
            self.addresses.public(),
            self.translated.keys(),
            has_page,
            current,
            path,
        )
    }

    /// Whether no policy of a version forbids event handlers: neither one of the page itself nor one that a host sends.
    pub(super) fn permits_handlers<'p>(
        &self,
        locale: &Locale,
        path: &PagePath,
        mut own: impl Iterator<Item = &'p String>,
    ) -> bool {
        let served = self.served_policies(locale, path);
        !own.any(|policy| site_files::forbids_handlers(policy))
            && !served.into_iter().any(site_files::forbids_handlers)
    }

    /// The policies that come with a version, beside those in its head.
    pub(in crate::run) fn policies_beside<'p>(
        &'p self,
        locale: &Locale,
        path: &PagePath,
        record: &'p SourceRecord,
    ) -> Vec<&'p str> {
        record
            .policies
            .iter()
            .map(String::as_str)
            .chain(self.served_policies(locale, path))
            .collect()
    }

    /// The policies that the source's own files make a host send with a version.
    pub(in crate::run) fn served_policies(&self, locale: &Locale, path: &PagePath) -> Vec<&str> {
        self.corpus
            .served_policies
            .of(&self.addresses.public().path(locale, path))
    }

    /// The versions of every page that search engines may know, by its path in the source.
    pub(super) fn alternates_by_path<'s>(
        &'s self,
        sources: &'s Sources,
    ) -> impl Iterator<Item = (&'s PagePath, Vec<(String, String)>)> {
        let indexed = |path: &&PagePath| {
            sources
                .records
                .get(*path)
                .is_some_and(|record| !record.noindex)
        };
        self.corpus
            .pages
            .keys()
            .filter(indexed)
            .map(|path| (path, self.versions_with_tags(path)))
    }

    /// True if the page itself does not keep search engines from listing it, whatever robots.txt says.
    pub(in crate::run) fn is_indexable(&self, path: &PagePath, sources: &Sources) -> bool {
        !self.is_passed_over(path)
            && !self.corpus.canonicals.contains_key(path)
            && sources
                .records
                .get(path)
                .is_some_and(|record| !record.noindex)
    }

    /// One by one: all at once are much, where a site is large.
    pub(super) fn sitemap_pages(
        &self,
        locale: &Locale,
        sources: &Sources,
        robots: Option<&Robots>,
    ) -> impl Iterator<Item = SitemapPage> {
        let is_source = locale == self.addresses.public().source_locale();
        let pages = self.translated.get(locale).into_iter().flatten();
        let pages =
            pages.filter(move |path| self.is_indexable(path, sources) && self.listing.lists(path));
        let page = move |path: &PagePath| {
            let address = self.addresses.public().page(locale, path)?;
            let path_there = self.addresses.public().path(locale, path);
            if robots.is_some_and(|robots| !robots.allows(&path_there)) {
                return None;
            }
            let said = self.listing.said(path, is_source);
            Some(SitemapPage {
                address,
                alternates: self.alternates(locale, path),
                said,
            })
        };
        pages.filter_map(page)
    }
}

/// The locales with a sitemap.
pub(in crate::run) fn listed<'s>(
    config: &SiteConfig,
    site: &'s SiteContext<'_>,
) -> impl Iterator<Item = &'s Locale> {
    let ours =
        |locale: &&Locale| context::publishes_source(config) || **locale != config.source_locale;
    site.public_locales().filter(ours)
}
