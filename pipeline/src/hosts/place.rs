//! What an address of a site answers: the law that `latimer serve` follows and every other host is held to. Pure.
//!
//! A page has one address, the path its source site gave it. The spellings that lead to the same file on a static
//! host (`/about`, `/about/`, `/about.html`, `/about/index.html`) redirect to it (308). A path in a locale is looked
//! up in the locale's tree, then among the shared files, so a script that builds an address relative to its page
//! finds its files.

use crate::model::{Locale, PagePath};
use crate::site_files::ERROR_PAGES;
use crate::store::{Addressing, ManifestEntry, Missing, Published, Tree};

/// The page's one address is another.
pub const CANONICAL: u16 = 308;
/// The page is, for the time being, only there in the source language.
pub const SOURCE: u16 = 307;

/// The addresses of one language of a site.
#[derive(Clone, Copy, Debug)]
pub struct LanguageAddresses<'a> {
    /// The deployment.
    pub published: &'a Published,
    /// The locale; `None` where the source language is read.
    pub locale: Option<&'a Locale>,
    /// What stands before a source page's own path, if source pages are read from this host.
    pub source_base: Option<&'a str>,
    /// The host, as it was asked for; empty where nobody knows.
    pub host: &'a str,
}

/// A published file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The tree it lies in.
    pub tree: &'a Tree,
    /// Its name there.
    pub name: &'a str,
    /// Its record.
    pub entry: &'a ManifestEntry,
}

/// What an address leads to.
#[derive(Clone, Debug)]
pub enum HostAnswer<'a> {
    /// A file.
    File(File<'a>),
    /// Another path of this place, with the status that says so.
    Moved(String, u16),
    /// The page in the source language, at this address ([`SOURCE`]).
    Source(String),
    /// Nothing, and the page that says so, if there is one.
    NotFound(Option<File<'a>>),
    /// A page that this locale does not have, and the page that says so, if there is one.
    Gone(Option<File<'a>>),
}

impl<'a> LanguageAddresses<'a> {
    /// What a path of this place answers, as [`PagePath`] writes it and without what stands before it; with its query.
    pub fn answer(&self, path: &str, query: Option<&str>) -> HostAnswer<'a> {
        if let Some(file) = self.file(path, query) {
            return HostAnswer::File(file);
        }
        if self.is_on() {
            if let Some(path) = other_spelling(path, |path| self.lookup(path).is_some()) {
                return HostAnswer::Moved(path, CANONICAL);
            }
            if let Some(path) = self.own_path(path) {
                return HostAnswer::Moved(path.to_string(), CANONICAL);
            }
            let from = PagePath::parse(path)
                .ok()
                .filter(|from| from.as_str() == path);
            if let Some(to) = from.and_then(|from| self.published.settings().redirects.get(&from)) {
                return HostAnswer::Moved(self.local(&to.to).to_string(), to.status);
            }
            if let Some(address) = self.written_version(path) {
                return HostAnswer::Source(address);
            }
        }
        self.at_source(path).unwrap_or_else(|| self.missing(path))
    }

    /// The answer of the source to an address below the prefix of this locale, where the source may have pages of its own (R-S16).
    /// `None` if it has none there.
    fn at_source(&self, path: &str) -> Option<HostAnswer<'a>> {
        let locale = self.locale?;
        let source_base = self.source_base?;
        let settings = self.published.settings();
        let base = match self.published.addressing() {
            Some(Addressing::Path { base, .. }) => base.as_str(),
            Some(Addressing::Host { .. }) => return None,
            None => "",
        };
        let prefix = format!("{base}/{}", settings.label(locale));
        let below = prefix
            .strip_prefix(source_base)
            .filter(|below| below.starts_with('/'))?;
        let source = LanguageAddresses {
            locale: None,
            ..*self
        };
        match source.answer(&format!("{below}{path}"), None) {
            HostAnswer::File(file) => Some(HostAnswer::File(file)),
            HostAnswer::Moved(to, status) => {
                let to = to.strip_prefix(below).filter(|to| to.starts_with('/'))?;
                Some(HostAnswer::Moved(to.to_owned(), status))
            }
            HostAnswer::Source(_) | HostAnswer::NotFound(_) | HostAnswer::Gone(_) => None,
        }
    }

    /// True if this place has a file at a path, or knows where it is now.
    pub fn has(&self, path: &str) -> bool {
        matches!(
            self.answer(path, None),
            HostAnswer::File(_) | HostAnswer::Moved(..)
        )
    }

    /// The page for what is not found here.
    pub fn error_page(&self) -> Option<File<'a>> {
        ERROR_PAGES.iter().find_map(|path| self.lookup(path))
    }

    fn is_on(&self) -> bool {
        self.locale
            .is_none_or(|locale| self.published.settings().is_on(locale))
    }

    /// The trees of this place, the one that goes first in front.
    fn trees(&self) -> impl Iterator<Item = &'a Tree> + use<'a> {
        let own = self
            .locale
            .unwrap_or(&self.published.settings().source_locale);
        let on = self.is_on();
        let is_own =
            move |tree: &&Tree| on && matches!(tree, Tree::Locale(locale) if locale == own);
        let published = self.published;
        published
            .trees()
            .filter(is_own)
            .chain(published.trees().filter(|tree| **tree == Tree::Shared))
    }

    fn file(&self, path: &str, query: Option<&str>) -> Option<File<'a>> {
        // Other parameters count for nothing, in any order.
        let named = query.and_then(|query| self.published.settings().parameters.kept(query));
        let page = named.map(|query| format!("{path}?{query}"));
        let found = page.as_ref().and_then(|page| self.lookup(page));
        // A page of its own that is not here is another than the page without its query.
        let is_other = || page.as_ref().is_some_and(|page| self.is_known(page));
        found.or_else(|| if is_other() { None } else { self.lookup(path) })
    }

    fn lookup(&self, path: &str) -> Option<File<'a>> {
        let published = self.published;
        self.trees().find_map(|tree| {
            let (name, entry) = published.find(tree, path)?;
            Some(File { tree, name, entry })
        })
    }

    /// The path of a source page here.
    fn local(&self, page: &PagePath) -> PagePath {
        let settings = self.published.settings();
        settings
            .slugs
            .local(self.locale.unwrap_or(&settings.source_locale), page)
            .into_owned()
    }

    /// The source page that a path here stands for, now or before.
    fn source_page(&self, path: &str) -> Option<PagePath> {
        self.published
            .settings()
            .source_page(self.locale?, &PagePath::parse(path).ok()?)
    }

    /// The path that a page has of its own here, where it was asked for by the source's or by an earlier one.
    fn own_path(&self, path: &str) -> Option<PagePath> {
        let own = |asked: &str| {
            let source = self
                .source_page(asked)
                .or_else(|| PagePath::parse(asked).ok())?;
            let local = self.local(&source);
            (local.as_str() != path && self.lookup(local.as_str()).is_some()).then_some(local)
        };
        own(path).or_else(|| own(&other_spelling(path, |path| own(path).is_some())?))
    }

    /// The address of a version that the author wrote at this path of the source, on the host of its language (R-S15).
    fn written_version(&self, path: &str) -> Option<String> {
        let settings = self.published.settings();
        let source = PagePath::parse(path)
            .ok()
            .filter(|_| self.locale.is_none())?;
        let (locale, page) = settings
            .written
            .get(&source)
            .filter(|(locale, _)| settings.is_on(locale))?;
        settings.address(locale, &settings.slugs.local(locale, page))
    }

    /// The answer where this place has no such file: by the site's rule for a page that exists elsewhere, otherwise
    /// the locale's own page for what is not found.
    fn missing(&self, path: &str) -> HostAnswer<'a> {
        let page = match self
            .source_page(path)
            .filter(|page| self.is_known(page.as_str()))
        {
            Some(page) => Some(page.to_string()),
            None if self.is_known(path) => Some(path.to_owned()),
            None => other_spelling(path, |path| self.is_known(path)),
        };
        let page = page.filter(|page| self.locale.is_none() || !self.is_left_out(page));
        match (page, self.published.settings().missing) {
            (Some(page), Missing::Source307) => match self.source_address(&page) {
                Some(location) => HostAnswer::Source(location),
                None => HostAnswer::NotFound(self.error_page()),
            },
            (Some(_), Missing::Gone) if self.locale.is_some() => {
                HostAnswer::Gone(self.error_page())
            }
            (
                Some(_) | None,
                Missing::Source307 | Missing::Gone | Missing::NotFound | Missing::Notice,
            ) => HostAnswer::NotFound(self.error_page()),
        }
    }

    /// True for a page of the source that no locale has a version of, or this one lacks for good.
    fn is_left_out(&self, path: &str) -> bool {
        let settings = self.published.settings();
        let left_out = self.locale.and_then(|locale| settings.left_out.get(locale));
        let is_spelled = |page: &PagePath| {
            *settings.slugs.local(&settings.source_locale, page).as_str() == *path
        };
        let pages = std::iter::once(path.to_owned())
            .chain(spellings(path))
            .filter_map(|page| PagePath::parse(&page).ok());
        pages
            .filter(|page| page.as_str() == path || is_spelled(page))
            .any(|page| {
                settings.singles.contains(&page)
                    || left_out.is_some_and(|pages| pages.contains(&page))
            })
    }

    /// Whether the source site has this page, as far as a deployment tells.
    fn is_known(&self, path: &str) -> bool {
        let page = PagePath::parse(path)
            .ok()
            .filter(|page| page.as_str() == path);
        let locales = self
            .published
            .trees()
            .filter(|tree| matches!(tree, Tree::Locale(_)));
        locales
            .filter_map(|tree| Some((tree, self.published.manifest(tree)?)))
            .any(|(tree, manifest)| {
                let has = |page: &PagePath| {
                    self.published.page(tree, page).is_some() || manifest.missing.contains(page)
                };
                page.as_ref()
                    .map_or_else(|| self.published.find(tree, path).is_some(), has)
            })
    }

    /// Where the source language's page is, if that is not here.
    fn source_address(&self, page: &str) -> Option<String> {
        let settings = self.published.settings();
        let source = Tree::Locale(settings.source_locale.clone());
        let spelled = PagePath::parse(page).ok().map(|page| {
            settings
                .slugs
                .local(&settings.source_locale, &page)
                .to_string()
        });
        let page = spelled.as_deref().unwrap_or(page);
        let published_here = self.published.find(&source, page).is_some();
        if let Some(base) = self
            .source_base
            .filter(|_| published_here && self.locale.is_some())
        {
            return Some(format!("{base}{page}"));
        }
        let url = settings.source_url.as_deref()?;
        let host = host_and_path(url)?.0;
        (self.locale.is_some() || host != self.host).then(|| format!("{url}{page}"))
    }
}

/// The spellings of a path that lead to the same file on a static host.
pub(super) fn spellings(path: &str) -> impl Iterator<Item = String> + use<> {
    let stem = ["/index.html", "/", ".html"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending));
    let stem = stem.unwrap_or(path).to_owned();
    ["/", "", ".html", "/index.html"]
        .iter()
        .map(move |ending| format!("{stem}{ending}"))
}

/// The path of the page that is meant by another spelling of it.
fn other_spelling(asked: &str, is_page: impl Fn(&str) -> bool) -> Option<String> {
    spellings(asked).find(|path| path != asked && path.starts_with('/') && is_page(path))
}

/// Host and path of a URL, without a slash at its end.
pub fn host_and_path(url: &str) -> Option<(&str, &str)> {
    let (_, rest) = url.trim_end_matches('/').split_once("://")?;
    Some(rest.find('/').map_or((rest, ""), |at| rest.split_at(at)))
}
