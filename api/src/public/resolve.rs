//! Host and path → file: which site, which tree, which file, or where to go instead. Pure.
//!
//! A page has one address, the path its source site gave it. The spellings that lead to the same file on a static
//! host (`/about`, `/about/`, `/about.html`, `/about/index.html`) redirect to it (308). A path in a locale is looked
//! up in the locale's tree, then among the shared files, so a script that builds an address relative to its page
//! finds its files. On a loopback host pages lie where the URL pattern puts them, with and without its base path.

use hyper::header::{CACHE_CONTROL, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};
use pipeline::model::{Locale, PagePath};
use pipeline::publish::{Entry, Missing, Published, Tree};
use pipeline::site_files::ERROR_PAGES;

use super::place::{self, Place, Placed};
use super::snapshot::Site;
use crate::Body;
use crate::http::error::Refusal;
use crate::http::target::Target;

/// What a request for a public page leads to.
#[derive(Debug)]
pub(crate) enum Answer<'a> {
    /// A published file.
    File(Found<'a>),
    /// Another address.
    Redirect(Redirect),
    /// Nothing.
    NotFound,
    /// A page that this locale does not have.
    Gone,
}

/// A published file, and how it answers.
#[derive(Clone, Debug)]
pub(crate) struct Found<'a> {
    pub(crate) published: &'a Published,
    pub(crate) tree: &'a Tree,
    pub(crate) name: &'a str,
    pub(crate) entry: &'a Entry,
    /// 200, or the status of an error that this page is shown for.
    pub(crate) status: StatusCode,
}

/// Another address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) location: String,
    pub(crate) status: u16,
}

/// The page's one address is another.
const CANONICAL: u16 = 308;
/// The page is, for the time being, only there in the source language.
const SOURCE: u16 = 307;

/// Finds what a request leads to.
pub(crate) fn resolve<'a>(sites: &'a [Site], target: &'a Target) -> Answer<'a> {
    let place = match place::of(sites, target) {
        Some(Placed::At(place)) => place,
        Some(Placed::Elsewhere(location)) => {
            return Answer::Redirect(Redirect { location: target.with_query(location), status: CANONICAL });
        }
        None => return Answer::NotFound,
    };
    if place.rest.is_empty() {
        let location = target.with_query(format!("{}/", place.prefix));
        return Answer::Redirect(Redirect { location, status: CANONICAL });
    }
    let redirect = |path: &str, status| {
        Answer::Redirect(Redirect { location: target.with_query(format!("{}{path}", place.prefix)), status })
    };
    if let Some(found) = place.file(target) {
        return Answer::File(found);
    }
    if place.is_on() {
        if let Some(path) = place.other_spelling(|path| place.lookup(path).is_some()) {
            return redirect(&path, CANONICAL);
        }
        if let Some(path) = place.own_path() {
            return redirect(path.as_str(), CANONICAL);
        }
        let redirects = &place.published.settings().redirects;
        if let Some((_, to)) = redirects.iter().find(|(from, _)| from.as_str() == place.rest) {
            return redirect(place.local(&to.to).as_str(), to.status);
        }
    }
    place.missing(target)
}

/// The site, the locale and the page's own path that a target names, whether there is such a page or not.
pub(crate) fn placed<'a>(
    sites: &'a [Site],
    target: &'a Target,
) -> Option<(&'a Published, Option<&'a Locale>, &'a str)> {
    match place::of(sites, target)? {
        Placed::At(place) => Some((place.published, place.locale, place.rest)),
        Placed::Elsewhere(_) => None,
    }
}

impl<'a> Place<'a> {
    fn is_on(&self) -> bool {
        self.locale.is_none_or(|locale| self.published.settings().is_on(locale))
    }

    /// The trees of this place, the one that goes first in front.
    fn trees(&self) -> impl Iterator<Item = &'a Tree> + use<'a> {
        let own = self.locale.unwrap_or(&self.published.settings().source_locale);
        let on = self.is_on();
        let is_own = move |tree: &&Tree| on && matches!(tree, Tree::Locale(locale) if locale == own);
        let published = self.published;
        published.trees().filter(is_own).chain(published.trees().filter(|tree| **tree == Tree::Shared))
    }

    fn file(&self, target: &Target) -> Option<Found<'a>> {
        let page = target.query.as_ref().map(|query| format!("{}?{query}", self.rest));
        let found = page.as_ref().and_then(|page| self.lookup(page));
        // A page of its own that is not here is another than the page without its query.
        let is_other = || page.as_ref().is_some_and(|page| self.is_known(page));
        found.or_else(|| if is_other() { None } else { self.lookup(self.rest) })
    }

    fn lookup(&self, path: &str) -> Option<Found<'a>> {
        let published = self.published;
        self.trees().find_map(|tree| {
            let (name, entry) = published.find(tree, path)?;
            Some(Found { published, tree, name, entry, status: StatusCode::OK })
        })
    }

    /// The path of the page that is meant by another spelling of it.
    fn other_spelling(&self, is_page: impl Fn(&str) -> bool) -> Option<String> {
        let stem = ["/index.html", "/", ".html"].iter().find_map(|ending| self.rest.strip_suffix(ending));
        let stem = stem.unwrap_or(self.rest);
        ["/", "", ".html", "/index.html"]
            .iter()
            .map(|ending| format!("{stem}{ending}"))
            .find(|path| path != self.rest && path.starts_with('/') && is_page(path))
    }

    /// The path of a source page here.
    fn local(&self, page: &PagePath) -> PagePath {
        let slugs = &self.published.settings().slugs;
        self.locale.map_or_else(|| page.clone(), |locale| slugs.local(locale, page).into_owned())
    }

    /// The source page that a path here stands for, now or before.
    fn source_page(&self, path: &str) -> Option<PagePath> {
        self.published.settings().source_page(self.locale?, &PagePath::parse(path).ok()?)
    }

    /// The path that a page has of its own here, where it was asked for by the source's or by an earlier one.
    fn own_path(&self) -> Option<PagePath> {
        let own = |path: &str| {
            let source = self.source_page(path).or_else(|| PagePath::parse(path).ok())?;
            let local = self.local(&source);
            (local.as_str() != self.rest && self.lookup(local.as_str()).is_some()).then_some(local)
        };
        own(self.rest).or_else(|| own(&self.other_spelling(|path| own(path).is_some())?))
    }

    /// The answer where this place has no such file: by the site's rule for a page that exists elsewhere, otherwise
    /// the locale's own page for what is not found.
    fn missing(&self, target: &Target) -> Answer<'a> {
        let page = match self.source_page(self.rest).filter(|page| self.is_known(page.as_str())) {
            Some(page) => Some(page.to_string()),
            None if self.is_known(self.rest) => Some(self.rest.to_owned()),
            None => self.other_spelling(|path| self.is_known(path)),
        };
        match (page, self.published.settings().missing) {
            (Some(page), Missing::Source307) => match self.source_address(&page, target) {
                Some(location) => Answer::Redirect(Redirect { location: target.with_query(location), status: SOURCE }),
                None => self.error_page(Refusal::NotFound),
            },
            (Some(_), Missing::Gone) if self.locale.is_some() => self.error_page(Refusal::Gone),
            (Some(_) | None, Missing::Source307 | Missing::Gone | Missing::NotFound | Missing::Notice) => {
                self.error_page(Refusal::NotFound)
            }
        }
    }

    /// Whether the source site has this page, as far as a deployment tells.
    fn is_known(&self, path: &str) -> bool {
        let page = PagePath::parse(path).ok().filter(|page| page.as_str() == path);
        let locales = self.published.trees().filter(|tree| matches!(tree, Tree::Locale(_)));
        locales.filter_map(|tree| Some((tree, self.published.manifest(tree)?))).any(|(tree, manifest)| {
            let has = |page: &PagePath| self.published.page(tree, page).is_some() || manifest.missing.contains(page);
            page.as_ref().map_or_else(|| self.published.find(tree, path).is_some(), has)
        })
    }

    /// Where the source language's page is, if that is not here.
    fn source_address(&self, page: &str, target: &Target) -> Option<String> {
        let settings = self.published.settings();
        let source = Tree::Locale(settings.source_locale.clone());
        let published_here = self.published.find(&source, page).is_some();
        if let Some(base) = self.source_base.filter(|_| published_here && self.locale.is_some()) {
            return Some(format!("{base}{page}"));
        }
        let url = settings.source_url.as_deref()?;
        let host = place::host_and_path(url)?.0;
        (self.locale.is_some() || host != target.host).then(|| format!("{url}{page}"))
    }

    fn error_page(&self, refusal: Refusal) -> Answer<'a> {
        let page = ERROR_PAGES.iter().find_map(|path| self.lookup(path));
        match page {
            Some(page) => Answer::File(Found { status: refusal.status(), ..page }),
            None if refusal == Refusal::Gone => Answer::Gone,
            None => Answer::NotFound,
        }
    }
}

impl Found<'_> {
    /// The language of the file, if it is one's.
    pub(crate) fn locale(&self) -> Option<&Locale> {
        match self.tree {
            Tree::Locale(locale) => Some(locale),
            Tree::Shared => None,
        }
    }
}

impl Redirect {
    /// The answer a reader gets. A page that is missing may be there at any moment, so nobody keeps that answer.
    pub(crate) fn response(self) -> Response<Body> {
        let Ok(location) = HeaderValue::try_from(self.location) else { return Refusal::NotFound.response() };
        let mut response = Response::new(Body::Left(http_body_util::Full::default()));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::TEMPORARY_REDIRECT);
        let cache = if self.status == SOURCE { "no-store" } else { "public, max-age=60" };
        response.headers_mut().insert(LOCATION, location);
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        response
    }
}
