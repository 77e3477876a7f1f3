//! What refers to what: which page exists in which locale, where it is found, and which versions of it name each other.
//!
//! Heads, sitemaps, switchers, headers and links all ask here, so they name the same pages (law 4).
//!
//! One file: the tables of one site, which refer to each other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::canonical::Canonical;
use super::context;
use super::context::Build;
use super::documents;
use super::extract::Corpus;
use super::kept::Kept;
use super::known_versions::KnownVersions;
use super::listing::Listing;
use super::live;
use super::live::LiveSite;
use super::locale_files::{LocaleFiles, own_files_of};
use super::other_files::OtherFiles;
use super::query_files;
use super::rtl;
use super::search;
use super::search_tags::SearchTags;
use super::slug_checks::{check_free, notice_of_unknown};
use super::sources::Sources;
use super::texts::Texts;
use super::words::Words;
use crate::addresses::{Addresses, Known, NamedAddress};
use crate::config::{Missing, SiteConfig};
use crate::crawl::Robots;
use crate::exchange::{Slug, SlugFile, SlugsError};
use crate::model::{Locale, PagePath, Slugs, assign_names};
use crate::site_files::{self, SitemapPage, SwitcherLink, Templates};
use crate::state::{PageWords, PagesWords, SourceKind, SourceRecord};
use crate::store::Published;

/// Says to search engines which version is for readers of no other language.
const X_DEFAULT: &str = "x-default";

/// Paths that pages had before, by locale, with their paths in the source.
type Former = BTreeMap<Locale, BTreeMap<PagePath, PagePath>>;

/// Paths that pages have in locales.
pub(super) struct Paths {
    slugs: Slugs,
    former: Former,
}

/// What is known of the pages to be made before they have words.
pub(super) struct Outline {
    pub(super) templates: Templates,
    pub(super) paths: Paths,
    /// What is known of the versions that were made before.
    pub(super) carry: KnownVersions,
    /// Files that languages have of their own.
    pub(super) locale_files: LocaleFiles,
}

/// What rendering knows about the whole site.
pub(super) struct Site<'a> {
    pub(super) corpus: &'a Corpus,
    pub(super) addresses: Addresses,
    pub(super) templates: Templates,
    pub(super) texts: Vec<Texts>,
    /// Pages and documents that stay in their last version.
    pub(super) kept: Kept,
    /// What the live script gets.
    pub(super) live: LiveSite,
    /// What is known of the versions that were made before.
    pub(super) carry: KnownVersions,
    /// Pages that are translated, by locale that is on; the source locale too where it has public addresses.
    pub(super) translated: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Tags of these locales in alternate links.
    tags: SearchTags,
    x_default: Option<Locale>,
    /// The names of pages and documents in the trees of locales, by their paths in the source.
    names: BTreeMap<PagePath, Arc<str>>,
    /// The same for locales in which pages have paths of their own.
    own_names: BTreeMap<Locale, BTreeMap<PagePath, Arc<str>>>,
    /// Paths that pages had before.
    pub(super) former: Former,
    /// What the source's own sitemaps say of its pages.
    pub(super) listing: Listing,
    pub(super) style: String,
    /// Files that languages have of their own.
    pub(super) locale_files: LocaleFiles,
    /// The bytes of files that take the place of others.
    pub(super) other_files: OtherFiles,
}

/// What a locale has of the site's pages.
#[derive(Default)]
pub(super) struct LocaleFigures {
    /// Words of all pages.
    pub(super) words: Words,
    /// Pages that exist in it.
    pub(super) pages: usize,
    /// Pages among them that have words in its language.
    pub(super) with_words: usize,
    /// Pages of the source that do not exist in it.
    pub(super) missing: usize,
    /// How much of each page of the source is translated.
    pub(super) by_page: PagesWords,
}

/// Works out which page exists in which locale and under which name.
#[expect(
    clippy::too_many_lines,
    reason = "builds the tables of references in order"
)]
pub(super) fn survey<'c>(
    build: &Build<'_>,
    outline: Outline,
    sources: &Sources,
    corpus: &'c Corpus,
    (texts, kept, previous): (Vec<Texts>, Kept, Option<&Published>),
) -> (Site<'c>, BTreeMap<Locale, LocaleFigures>) {
    let Outline {
        templates,
        paths: Paths { slugs, former },
        carry,
        locale_files,
    } = outline;
    let mut translated = BTreeMap::new();
    let mut figures = BTreeMap::new();
    for texts in &texts {
        let (pages, of_locale) = translated_pages(build.site, corpus, texts, (&kept, previous));
        translated.insert(texts.locale.clone(), pages);
        figures.insert(texts.locale.clone(), of_locale);
    }
    let readable = |path: &&PagePath| !corpus.unreadable.contains(*path);
    // A source elsewhere has its own pages, whatever became of our copies.
    let is_there = |path: &&PagePath| {
        !context::publishes_source(build.site)
            || readable(path)
            || kept.has(&build.site.source_locale, path)
    };
    let pages: BTreeSet<PagePath> = corpus.pages.keys().filter(is_there).cloned().collect();
    let mut published = translated.clone();
    let mut untranslated: BTreeMap<Locale, BTreeSet<PagePath>> = BTreeMap::new();
    for texts in &texts {
        let reachable = published.entry(texts.locale.clone()).or_default();
        if build.site.missing == Missing::Notice {
            let pages = corpus
                .pages_to_translate(&texts.locale)
                .map(|(path, _)| path);
            let copies: BTreeSet<PagePath> = pages
                .filter(|path| readable(path) && !reachable.contains(*path))
                .cloned()
                .collect();
            reachable.extend(copies.iter().cloned());
            untranslated.insert(texts.locale.clone(), copies);
        }
        let pages = corpus
            .pages_to_translate(&texts.locale)
            .map(|(path, _)| path);
        reachable.extend(pages.filter(|path| kept.has(&texts.locale, path)).cloned());
        reachable.extend(documents::translated_documents(
            build.site, corpus, texts, &kept,
        ));
        reachable.extend(search::index_files(
            build.site,
            sources,
            corpus,
            &texts.locale,
        ));
    }
    translated.insert(build.site.source_locale.clone(), pages.clone());
    let own_names = texts
        .iter()
        .map(|texts| &texts.locale)
        .filter(|locale| slugs.of(locale).next().is_some());
    let own_files = texts.iter().map(|texts| &texts.locale);
    let known = Known {
        rtl_sheets: rtl::sheets_of_site(build.site, sources),
        own_files: own_files
            .map(|locale| own_files_of(&locale_files, locale, (&published, &slugs)))
            .collect(),
        files: sources.files().map(|(path, _)| path.clone()).collect(),
        redirects: sources
            .redirects
            .iter()
            .map(|(from, redirect)| (from.clone(), redirect.to.clone()))
            .collect(),
        published,
        untranslated,
        pages,
        written: corpus.written.by_path().clone(),
        query_files: query_files::published_paths(sources),
        slugs: slugs.clone(),
    };
    let addresses = Addresses::new(build.site, known);
    let site = Site {
        corpus,
        live: live::live_site(build, corpus, &texts, &addresses),
        carry: carry.among(&addresses),
        names: names(
            corpus,
            context::publishes_source(build.site),
            PagePath::clone,
        ),
        own_names: own_names
            .map(|locale| {
                (
                    locale.clone(),
                    names(corpus, context::publishes_source(build.site), |path| {
                        slugs.file(locale, path).into_owned()
                    }),
                )
            })
            .collect(),
        former,
        listing: Listing::default(),
        x_default: build.site.x_default.clone(),
        addresses,
        templates,
        texts,
        kept,
        tags: SearchTags::new(translated.keys()),
        translated,
        style: site_files::switcher_style().0,
        locale_files,
        other_files: OtherFiles::default(),
    };
    (site, figures)
}

/// The pages of which enough is translated, and those that stay although it is not.
fn translated_pages(
    config: &SiteConfig,
    corpus: &Corpus,
    texts: &Texts,
    (kept, previous): (&Kept, Option<&Published>),
) -> (BTreeSet<PagePath>, LocaleFigures) {
    let mut pages = Vec::new();
    let mut by_page = Vec::new();
    let mut figures = LocaleFigures::default();
    for (path, indices) in corpus.pages_of(&texts.locale) {
        if corpus.written.get(&texts.locale, path).is_some() {
            let words = Words {
                person: corpus.words_of(texts, path).total(),
                ..Words::default()
            };
            figures.words.add(words);
            by_page.push((path.clone(), words.into()));
            pages.push(path.clone());
            figures.with_words += 1;
            continue;
        }
        if let Some(cached) = corpus.cached_words(&texts.locale, path) {
            // Nothing of it is untranslated.
            let words = Words::from(cached);
            figures.words.add(words);
            by_page.push((
                path.clone(),
                PageWords {
                    print: Some(cached.print),
                    ..words.into()
                },
            ));
            pages.push(path.clone());
            figures.with_words += usize::from(words.translated() > 0);
            continue;
        }
        let words = live::lasting_words(config, corpus, texts, path, &corpus.shown(path));
        // What scripts put in decides only where there is nothing else: finding more must not take a page away.
        let indices = indices.to_vec();
        let own = if indices.is_empty() {
            words
        } else {
            live::lasting_words(config, corpus, texts, path, &indices)
        };
        // What is published stays; what does not last decides for new pages alone.
        let stood = || previous.is_some_and(|site| site.has_words(&texts.locale, path));
        let stays = || live::unlasting(config, corpus, &texts.locale, path).is_some() && stood();
        figures.words.add(words);
        let page_words = PageWords {
            print: Some(texts.print(&indices)),
            ..words.into()
        };
        by_page.push((path.clone(), page_words));
        let is_enough = !corpus.unreadable.contains(path) && own.share() >= config.min_translated;
        if is_enough || kept.has_words(&texts.locale, path) || stays() {
            pages.push(path.clone());
            figures.with_words +=
                usize::from(words.translated() > 0 || kept.has_words(&texts.locale, path));
        }
    }
    figures.pages = pages.len();
    figures.missing = corpus.pages_of(&texts.locale).count() - pages.len();
    // Trees that are made at once have no gaps.
    figures.by_page = by_page.into_iter().collect();
    (pages.into_iter().collect(), figures)
}

/// What the file of a locale's paths says, and its name.
fn slug_file(site: &SiteConfig, locale: &Locale) -> Result<Option<(String, SlugFile)>, SlugsError> {
    let file = site.slugs.as_ref().map(|file| file.path(locale));
    file.map(|file| Ok((file.display().to_string(), SlugFile::open(&file)?)))
        .transpose()
}

/// Reads the files of paths, so that a wrong one is said before anything is fetched or paid for.
pub(super) fn check_slug_files(site: &SiteConfig) -> Result<(), SlugsError> {
    site.locales
        .iter()
        .try_for_each(|locale| slug_file(site, locale).map(drop))
}

/// The paths that pages have of their own, and those that they had before: by the site's files, and by the
/// deployment that is the site now. Beside them stands what is wrong with the files.
pub(super) fn published_paths(
    site: &SiteConfig,
    corpus: &Corpus,
    previous: Option<&Published>,
) -> Result<(Paths, Vec<String>), SlugsError> {
    let pages: BTreeSet<PagePath> = corpus.pages.keys().cloned().collect();
    let before = previous.map(Published::settings);
    let mut former = before
        .map(|settings| settings.former.clone())
        .unwrap_or_default();
    let mut slugs = corpus.slugs(site);
    let mut notices = Vec::new();
    for locale in &site.locales {
        if let Some(settings) = before {
            let paths = settings
                .slugs
                .of(locale)
                .map(|(source, local)| (local.clone(), source.clone()));
            former.entry(locale.clone()).or_default().extend(paths);
        }
        let Some((
            name,
            SlugFile {
                current,
                former: older,
            },
        )) = slug_file(site, locale)?
        else {
            continue;
        };
        let (known, unknown): (Vec<Slug>, Vec<Slug>) = current
            .into_iter()
            .partition(|slug| pages.contains(&slug.source));
        notices.extend(notice_of_unknown(&name, &unknown));
        check_free(&name, &known, &pages)?;
        known
            .into_iter()
            .for_each(|slug| slugs.insert(locale, slug.source, slug.local));
        former
            .entry(locale.clone())
            .or_default()
            .extend(older.into_iter().map(|slug| (slug.local, slug.source)));
    }
    for locale in &site.locales {
        for (page, version) in corpus.written.of(locale) {
            // Keeps the spelling of the source, where some pages keep their file ending.
            let is_spelled = *slugs.local(&site.source_locale, &version.path) != version.path;
            let local = if is_spelled {
                slugs.spelling().public(&version.local)
            } else {
                Cow::Borrowed(&version.local)
            };
            slugs.insert(locale, page.clone(), local.into_owned());
        }
    }
    for (locale, paths) in &mut former {
        let is_taken = |local: &PagePath| {
            slugs.source(locale, local).is_some()
                || (pages.contains(local) && *slugs.local(locale, local) == *local)
        };
        paths.retain(|local, _| !is_taken(local));
    }
    former.retain(|locale, paths| !paths.is_empty() && site.locales.contains(locale));
    Ok((Paths { slugs, former }, notices))
}

impl Site<'_> {
    pub(super) fn is_translated(&self, locale: &Locale, path: &PagePath) -> bool {
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
    pub(super) fn alternates(&self, own: &Locale, path: &PagePath) -> Vec<(String, String)> {
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
    pub(super) fn name(&self, locale: &Locale, path: &PagePath) -> Arc<str> {
        let names = self.own_names.get(locale).unwrap_or(&self.names);
        names.get(path).map_or_else(|| "".into(), Arc::clone)
    }

    /// The path of a page in a locale.
    pub(super) fn local(&self, locale: &Locale, path: &PagePath) -> PagePath {
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
    pub(super) fn switcher_links(&self, current: &Locale, path: &PagePath) -> Vec<SwitcherLink> {
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
    pub(super) fn policies_beside<'p>(
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
    pub(super) fn served_policies(&self, locale: &Locale, path: &PagePath) -> Vec<&str> {
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
    pub(super) fn is_indexable(&self, path: &PagePath, sources: &Sources) -> bool {
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

/// The names of pages and documents by the paths of their files in a locale. The files of a folder keep their names, whatever these
/// are (R-S21).
fn names(
    corpus: &Corpus,
    is_folder: bool,
    file: impl Fn(&PagePath) -> PagePath,
) -> BTreeMap<PagePath, Arc<str>> {
    let mut all: Vec<(&PagePath, PagePath, bool)> = Vec::new();
    for path in corpus.pages.keys() {
        let own = file(path);
        let keeps_name = is_folder && own == *path;
        all.push((path, own, !keeps_name));
    }
    all.extend(
        corpus
            .documents
            .keys()
            .map(|path| (path, path.clone(), false)),
    );
    let assigned = assign_names(all.iter().map(|(_, file, html)| (file, *html)));
    let mut names = BTreeMap::new();
    for (path, file, _) in &all {
        if let Some(name) = assigned.get(file) {
            names.insert((*path).clone(), name.as_str().into());
        }
    }
    names
}
