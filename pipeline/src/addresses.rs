//! Where every page and file of a site is found, and how one refers to another (R-E2 to R-E5). Pure.
//!
//! A link in a localized page is left as it is written whenever it already leads to the right place. Otherwise it
//! is written anew: to the page in the same locale where that is published, to the source page where it is not,
//! and for files to where they were.

mod asked;
mod copies;
mod language_files;
mod links;
mod owners;
mod programs;
mod public;
mod sharing;
mod switching;

pub use asked::{PathAnswers, PathQueries, Signature};
pub use copies::FileCopy;
pub use language_files::OtherFile;
pub use links::Links;
pub use owners::{AddressClaim, Owner, Owners};
pub use public::PublicAddresses;

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::config::{SiteConfig, SourceLocation};
use crate::model::{LanguagePair, Locale, PageParameters, PagePath, Slugs};
use crate::page::PageLink;
use public::PublicBase;

/// The addresses of one site.
#[derive(Clone, Debug)]
pub struct Addresses {
    public: PublicAddresses,
    /// Where the source pages refer to each other: origin and what stands before a path.
    home: PublicBase,
    pages: BTreeSet<PagePath>,
    files: BTreeSet<PagePath>,
    redirects: BTreeMap<PagePath, PagePath>,
    published: BTreeMap<Locale, BTreeSet<PagePath>>,
    untranslated: BTreeMap<Locale, BTreeSet<PagePath>>,
    written: BTreeMap<PagePath, (Locale, PagePath)>,
    query_files: BTreeMap<PagePath, PagePath>,
    own_files: BTreeMap<Locale, BTreeMap<PagePath, String>>,
    rtl_sheets: BTreeMap<PagePath, String>,
    /// The query parameters that name pages of their own.
    query: PageParameters,
    /// Whether the source is a folder, in which a static host looks for a page under several names.
    is_folder: bool,
}

/// An address that a source page names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedAddress {
    /// A path of the site, with the query if it names a page of its own.
    OnSite(PagePath),
    /// An address outside of the site, in full.
    Elsewhere(Url),
}

/// What is known about a site after its crawl.
#[derive(Clone, Debug, Default)]
pub struct CrawledSite {
    /// Pages of the source.
    pub pages: BTreeSet<PagePath>,
    /// Other files of the source.
    pub files: BTreeSet<PagePath>,
    /// Paths of the source that lead to others.
    pub redirects: BTreeMap<PagePath, PagePath>,
    /// Pages that exist in each locale that is on, by their paths in the source.
    pub published: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Pages among them that are there in the words of the source.
    pub untranslated: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Versions that the author wrote, by their paths in the source, with locale and page.
    pub written: BTreeMap<PagePath, (Locale, PagePath)>,
    /// Files that only their queries tell apart, with the paths at which they are published.
    pub query_files: BTreeMap<PagePath, PagePath>,
    /// Files that a language has of its own in its tree, with hashes of their bytes.
    pub own_files: BTreeMap<Locale, BTreeMap<PagePath, String>>,
    /// Style sheets of the source for right-to-left languages, with hashes of their bytes.
    pub rtl_sheets: BTreeMap<PagePath, String>,
    /// Paths that pages have of their own.
    pub slugs: Slugs,
}

impl Addresses {
    /// Brings together what the configuration says and what the crawl found.
    pub fn new(site: &SiteConfig, known: CrawledSite) -> Self {
        Self {
            public: PublicAddresses::of_site(site).with_slugs(known.slugs),
            home: match &site.source {
                SourceLocation::Web(url) => PublicBase::of_url(&url.origin().ascii_serialization()),
                SourceLocation::Folder(_) => site
                    .source_url
                    .as_deref()
                    .map_or(PublicBase::NOWHERE, PublicBase::of_url),
            },
            pages: known.pages,
            files: known.files,
            redirects: known.redirects,
            published: known.published,
            untranslated: known.untranslated,
            written: known.written,
            query_files: known.query_files,
            own_files: known.own_files,
            rtl_sheets: known.rtl_sheets,
            query: site.crawl.query.clone(),
            is_folder: matches!(site.source, SourceLocation::Folder(_)),
        }
    }

    /// A folder whose whole content, pages and files, is served at `/{to}/`.
    pub fn of_folder(pair: LanguagePair<&Locale>, content: BTreeSet<PagePath>) -> Self {
        Self {
            public: PublicAddresses::new(None, BTreeMap::new(), pair.from.clone(), None),
            home: PublicBase::NOWHERE,
            pages: content.clone(),
            files: BTreeSet::new(),
            redirects: BTreeMap::new(),
            published: [(pair.to.clone(), content)].into(),
            untranslated: BTreeMap::new(),
            written: BTreeMap::new(),
            query_files: BTreeMap::new(),
            own_files: BTreeMap::new(),
            rtl_sheets: BTreeMap::new(),
            query: PageParameters::default(),
            is_folder: true,
        }
    }

    /// Where readers find the pages.
    pub fn public(&self) -> &PublicAddresses {
        &self.public
    }

    /// Whether a page exists in a locale that is on.
    pub fn is_published(&self, locale: &Locale, page: &PagePath) -> bool {
        self.published
            .get(locale)
            .is_some_and(|pages| pages.contains(page))
    }

    /// The new address of a link in a localized page, or nothing where it is right as it is written.
    pub fn localize(
        &self,
        locale: &Locale,
        page: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> Option<String> {
        self.links().localize(locale, page, base, link)
    }

    /// The same for a link in a source of a media type: of a program it counts from its folder.
    pub fn localize_in(
        &self,
        content_type: &str,
        locale: &Locale,
        source: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> Option<String> {
        let address = self.localize(locale, source, base, link)?;
        match content_type.ends_with("/javascript") {
            true => programs::beside(&self.public.path(locale, source), link.address, address),
            false => Some(address),
        }
    }

    /// The same for a link in a page that was localized before: it may lead to a page that is gone from the locale, or
    /// to the source of one that is new there.
    pub fn relocalize(
        &self,
        locale: &Locale,
        page: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> Option<String> {
        self.links().relocalize(locale, page, base, link)
    }

    /// The page that a path of the source leads to, through redirects and other spellings.
    pub(crate) fn meant(&self, path: PagePath) -> PagePath {
        self.links().meant(path)
    }

    /// Resolves an address that a source page names; `None` if it is no address.
    pub(crate) fn named(
        &self,
        page: &PagePath,
        base: Option<&str>,
        address: &str,
    ) -> Option<NamedAddress> {
        self.links().named(page, base, address)
    }

    /// The file of the source whose bytes a language shows at a path: one of its own that lies beside it, or that of the path.
    pub(crate) fn file_of(&self, locale: &Locale, path: &PagePath) -> PagePath {
        self.links()
            .beside(locale, path)
            .unwrap_or_else(|| path.clone())
    }

    /// True if the source has this page.
    pub(crate) fn is_page(&self, path: &PagePath) -> bool {
        self.pages.contains(path)
    }

    /// Answers for the links of one page, and takes note of what was asked.
    pub fn links(&self) -> Links<'_> {
        Links::new(self)
    }

    /// Fingerprint of all that is known of paths.
    pub fn sign(&self) -> [u8; 32] {
        let Self {
            public,
            pages,
            files,
            redirects,
            published,
            untranslated,
            written,
            query_files,
            own_files,
            ..
        } = self;
        let mut all = Signature::default();
        all.add_all("pages", pages);
        all.add_all("files", files);
        redirects
            .iter()
            .for_each(|(path, to)| all.add(&["redirect", path.as_str(), to.as_str()]));
        published
            .iter()
            .for_each(|(locale, pages)| all.add_all(locale.as_str(), pages));
        untranslated
            .iter()
            .for_each(|(locale, pages)| all.add_all(&format!("untranslated {locale}"), pages));
        for (path, published) in query_files {
            all.add(&["query", path.as_str(), published.as_str()]);
        }
        for (path, (locale, page)) in written {
            all.add(&["written", path.as_str(), locale.as_str(), page.as_str()]);
        }
        for (locale, files) in own_files {
            all.add(&["own files", locale.as_str()]);
            files
                .iter()
                .for_each(|(path, hash)| all.add(&[path.as_str(), hash]));
        }
        self.rtl_sheets
            .iter()
            .for_each(|(path, hash)| all.add(&["sheet", path.as_str(), hash]));
        all.add(&["spelling", &format!("{:?}", public.slugs().spelling())]);
        for (folder, index) in public.slugs().indexes() {
            all.add(&["index", folder.as_str(), index.as_str()]);
        }
        for (locale, source, local) in public.slugs().all() {
            all.add(&["slug", locale.as_str(), source.as_str(), local.as_str()]);
        }
        all.value()
    }

    /// What is known of every path, to tell whether what was asked of some would be answered as before.
    pub fn answers(&self) -> PathAnswers {
        let Self {
            public,
            pages,
            files,
            redirects,
            published,
            untranslated,
            written,
            query_files,
            own_files,
            ..
        } = self;
        let mut answers = PathAnswers::default();
        pages.iter().for_each(|path| answers.add(path, &["page"]));
        files.iter().for_each(|path| answers.add(path, &["file"]));
        redirects
            .iter()
            .for_each(|(path, to)| answers.add(path, &["redirect", to.as_str()]));
        for (locale, pages) in published {
            pages
                .iter()
                .for_each(|path| answers.add(path, &["published", locale.as_str()]));
        }
        for (locale, pages) in untranslated {
            pages
                .iter()
                .for_each(|path| answers.add(path, &["untranslated", locale.as_str()]));
        }
        for (folder, index) in public.slugs().indexes() {
            answers.add(folder, &["index", index.as_str()]);
            answers.add(index, &["index of", folder.as_str()]);
        }
        for (path, published) in query_files {
            answers.add(path, &["query", published.as_str()]);
        }
        for (path, (locale, page)) in written {
            answers.add(path, &["written", locale.as_str(), page.as_str()]);
        }
        self.rtl_sheets
            .iter()
            .for_each(|(path, hash)| answers.add(path, &["sheet", hash]));
        for (locale, files) in own_files {
            files
                .iter()
                .for_each(|(path, hash)| answers.add(path, &["own file", locale.as_str(), hash]));
        }
        for (locale, source, local) in public.slugs().all() {
            answers.add(source, &["local", locale.as_str(), local.as_str()]);
            answers.add(local, &["source", locale.as_str(), source.as_str()]);
        }
        answers
    }
}

#[cfg(test)]
mod tests;
