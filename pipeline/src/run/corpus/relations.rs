//! Relations of pages, decided when all of them are known: canonical addresses, versions in other languages, and which page has a
//! version in which language.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::Corpus;
use super::indices::Indices;
use super::text_set::TextSet;
use super::{canonical, elsewhere, foreign_versions, singles, written};
use crate::addresses::{Addresses, CrawledSite};
use crate::config::{SiteConfig, SourceLocation};
use crate::model::{Claims, Locale, PagePath, Slugs};
use crate::run::error::BuildError;
use crate::run::source::address_spelling::AddressSpelling;
use crate::run::source::sources::Sources;
use crate::run::words::texts::LocaleTexts;
use crate::run::words::word_counts::WordsBySource;
use crate::state::SourceKind;

impl Corpus {
    /// Decides what the claims of pages mean.
    ///
    /// # Errors
    /// [`BuildError::SharedAddress`] if a page of the source has the address of a version of another page.
    pub(super) fn relate(
        &mut self,
        claims: &BTreeMap<PagePath, Claims>,
        site: &SiteConfig,
        sources: &Sources,
    ) -> Result<(), BuildError> {
        let sitemaps = match &site.source {
            SourceLocation::Folder(_) => &self.sitemaps,
            SourceLocation::Web(_) => &sources.sitemaps,
        };
        self.spelling = AddressSpelling::decide(site, sources, sitemaps);
        self.notices.extend(self.spelling.notice.clone());
        self.notices
            .extend(self.spelling.notice_of_home(site, sources));
        let addresses = addresses(site, sources, self.slugs(site));
        for (locale, filter) in &site.excluded_in {
            let pages: BTreeSet<PagePath> = self
                .pages
                .keys()
                .filter(|page| filter.excludes(page))
                .cloned()
                .collect();
            self.left_out.insert(locale.clone(), pages);
        }
        self.written = written::find(claims, &self.singles, site, &addresses, &mut self.left_out);
        for path in self.written.by_path().keys() {
            self.singles.remove(path);
            self.pages.remove(path);
        }
        self.notices.extend(self.written.notice());
        let others = self
            .singles
            .iter()
            .filter(|(path, _)| !site.keep.names(path));
        let others = others.filter_map(|(path, language)| Some((path, language.as_ref()?)));
        self.notices.extend(elsewhere::notice(&others.collect()));
        let pages = self.pages.keys();
        let documents = self.documents.keys();
        written::settle_addresses(
            pages,
            documents,
            site,
            (&addresses, &self.written),
            &mut self.left_out,
        )?;
        let own_origins = canonical::own_origins(claims, sources);
        self.canonicals = canonical::decide(claims, &own_origins, &addresses);
        self.notices.extend(canonical::notice(&self.canonicals));
        let foreign =
            foreign_versions::decide(claims, site, (&addresses, &self.singles), &own_origins);
        self.foreign_versions = foreign.versions;
        self.notices.extend(foreign.notices);
        self.clusters = singles::join(
            claims,
            &self.singles,
            &mut self.foreign_versions,
            site,
            (&addresses, &self.left_out),
            sources,
        );
        Ok(())
    }

    /// The paths of pages in addresses, before pages get paths of their own.
    pub(in crate::run) fn slugs(&self, site: &SiteConfig) -> Slugs {
        self.spelling.slugs(site)
    }

    /// Pages that a locale has a version of, if enough is translated, with their texts.
    pub(in crate::run) fn pages_of(
        &self,
        locale: &Locale,
    ) -> impl Iterator<Item = (&PagePath, &Indices)> {
        self.pages.iter().filter(move |(path, _)| {
            !self.singles.contains_key(*path) && !self.is_left_out(locale, path)
        })
    }

    /// Pages of a locale that need words; versions that the author wrote need none.
    pub(in crate::run) fn pages_to_translate(
        &self,
        locale: &Locale,
    ) -> impl Iterator<Item = (&PagePath, &Indices)> {
        self.pages_of(locale)
            .filter(|(path, _)| self.written.get(locale, path).is_none())
    }

    /// The words of a page by origin.
    pub(in crate::run) fn words_of(&self, texts: &LocaleTexts, path: &PagePath) -> WordsBySource {
        match self.cached_words(&texts.locale, path) {
            Some(cached) => WordsBySource::from(cached),
            None => texts.words(self, &self.indices(path)),
        }
    }

    /// True if nobody needs words for a page or document in a locale: it is left out there, or its author wrote the version.
    pub(crate) fn needs_no_words(&self, locale: &Locale, path: &PagePath) -> bool {
        self.is_left_out(locale, path) || self.written.get(locale, path).is_some()
    }

    /// True if a locale lacks a page or document, whatever is translated.
    pub(crate) fn is_left_out(&self, locale: &Locale, path: &PagePath) -> bool {
        self.left_out
            .get(locale)
            .is_some_and(|paths| paths.contains(path))
    }

    /// The texts that a locale needs no words for, because they stand only where nobody reads them in that language.
    pub(crate) fn unneeded_texts(&self, locale: &Locale) -> TextSet {
        let is_all = self.left_out.get(locale).is_none_or(BTreeSet::is_empty)
            && self.written.of(locale).next().is_none();
        if is_all {
            return TextSet::default();
        }
        let mut needed = TextSet::default();
        let mut unneeded = TextSet::default();
        for (path, indices) in self.places() {
            let texts = if self.needs_no_words(locale, path) {
                &mut unneeded
            } else {
                &mut needed
            };
            texts.extend(
                indices
                    .iter()
                    .filter_map(|index| usize::try_from(index).ok()),
            );
        }
        // Cached pages want all words.
        let read = &self.cached_texts.read;
        unneeded
            .iter()
            .filter(|index| !needed.contains(*index) && !read.contains(*index))
            .collect()
    }
}

/// The addresses of the source, before it is known which versions there are.
fn addresses(site: &SiteConfig, sources: &Sources, slugs: Slugs) -> Addresses {
    let pages = sources
        .of_kind(SourceKind::Page)
        .map(|(path, _)| path.clone())
        .collect();
    let redirects = sources
        .redirects
        .iter()
        .map(|(from, redirect)| (from.clone(), redirect.to.clone()))
        .collect();
    Addresses::new(
        site,
        CrawledSite {
            pages,
            redirects,
            slugs,
            ..CrawledSite::default()
        },
    )
}
