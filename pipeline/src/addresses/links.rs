//! Where links lead: what a page of the source writes, and what the same page of a locale has to write. Pure.

use std::borrow::Cow;

use url::Url;

use super::public::Base;
use super::{Addresses, Asked, NamedAddress};
use crate::model::{Locale, PagePath};
use crate::page::Link;

/// Answers for the links of one page, and takes note of the paths that were asked for.
pub struct Links<'a> {
    of: &'a Addresses,
    asked: Asked,
}

impl<'a> Links<'a> {
    pub(super) fn new(of: &'a Addresses) -> Self {
        Self { of, asked: Asked::default() }
    }

    /// The paths that were asked for.
    pub fn into_asked(self) -> Asked {
        self.asked
    }

    fn is_page(&self, path: &PagePath) -> bool {
        self.asked.note(path);
        self.of.pages.contains(path)
    }

    fn is_file(&self, path: &PagePath) -> bool {
        self.asked.note(path);
        self.of.files.contains(path)
    }

    fn redirect(&self, path: &PagePath) -> Option<&'a PagePath> {
        self.asked.note(path);
        self.of.redirects.get(path)
    }

    fn is_published(&self, locale: &Locale, path: &PagePath) -> bool {
        self.asked.note(path);
        self.of.is_published(locale, path)
    }

    fn local<'p>(&self, locale: &Locale, path: &'p PagePath) -> Cow<'p, PagePath> {
        self.asked.note(path);
        self.of.public.slugs().local(locale, path)
    }

    fn source(&self, locale: &Locale, local: &PagePath) -> Option<PagePath> {
        self.asked.note(local);
        self.of.public.slugs().source(locale, local)
    }

    /// The new address of a link in a localized page, or nothing where it is right as it is written.
    pub fn localize(&self, locale: &Locale, page: &PagePath, base: Option<&str>, link: &Link<'_>) -> Option<String> {
        if is_own_business(base, link) {
            return None;
        }
        let meant = resolve(&self.of.home, page, base, link)?;
        let rest = self.on_site(&meant)?;
        if self.is_localized(locale, &rest) {
            return None;
        }
        let now = resolve(&self.of.public.base(locale), &self.local(locale, page), base, link)?;
        self.led(locale, (&meant, rest), &now, link)
    }

    /// The same for a link in a page that was localized before: it may lead to a page that is gone from the locale, or
    /// to the source of one that is new there.
    pub fn relocalize(&self, locale: &Locale, page: &PagePath, base: Option<&str>, link: &Link<'_>) -> Option<String> {
        if is_own_business(base, link) {
            return None;
        }
        let own = self.of.public.base(locale);
        let now = resolve(&own, &self.local(locale, page), base, link)?;
        let rest = match inside(&own, &now) {
            Some(local) => self.source(locale, &local).unwrap_or(local),
            None => inside(self.of.public.source(), &now)?,
        };
        self.led(locale, (&now, rest), &now, link)
    }

    /// The address of what a link means, which is `rest` on the site; nothing where it leads there `now`.
    fn led(&self, locale: &Locale, (meant, rest): (&Url, PagePath), now: &Url, link: &Link<'_>) -> Option<String> {
        // The page's own link to itself in the source language goes on leading there.
        let is_home = link.hreflang.is_some_and(|tag| {
            Locale::parse(tag.trim()).is_ok_and(|tag| tag.same_language(self.of.public.source_locale()))
        });
        let (rest, query) = match self.query_page(meant, &rest) {
            Some(page) => (page, None),
            None => (rest, meant.query()),
        };
        let fragment = meant.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
        let (target, path) = match is_home {
            true => (self.of.public.source().clone(), self.as_served(rest)),
            false => self.target(locale, &rest, query.is_some()),
        };
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let wanted = format!("{path}{query}{fragment}");
        if target.absolute(&wanted).is_some_and(|wanted| is_same(&wanted, now)) {
            return None;
        }
        let in_full = link.in_full && Url::parse(link.address).is_ok();
        match target.absolute(&wanted).filter(|_| in_full && target.origin.is_some()) {
            Some(address) => Some(address.into()),
            None => Some(self.of.public.written(locale, &target, &wanted)),
        }
    }

    /// Where an address that a source page names leads.
    pub(super) fn named(&self, page: &PagePath, base: Option<&str>, address: &str) -> Option<NamedAddress> {
        let url = join(&self.of.home, page, base, address)?;
        let Some(path) = self.on_site(&url) else { return Some(NamedAddress::Elsewhere(url)) };
        let query = url.query().and_then(|query| self.of.query.kept(query));
        Some(NamedAddress::OnSite(query.map_or_else(|| path.clone(), |query| path.with_query(&query))))
    }

    /// Whether a path has the locale's prefix already and leads to a page there: nothing of the source lies below it.
    fn is_localized(&self, locale: &Locale, path: &PagePath) -> bool {
        let prefix = self.of.public.base(locale).prefix;
        let rest = path.as_str().strip_prefix(&prefix).filter(|_| !prefix.is_empty());
        let page = rest.and_then(|rest| PagePath::parse(rest).ok());
        page.is_some_and(|page| match self.source(locale, &page) {
            Some(source) => self.is_published(locale, &source),
            None => {
                let page = self.as_served(page);
                self.is_published(locale, &page) && *self.local(locale, &page) == page
            }
        })
    }

    /// The page that the query of an address names, where that is one of its own (R-E9).
    fn query_page(&self, url: &Url, path: &PagePath) -> Option<PagePath> {
        let page = path.with_query(&self.of.query.kept(url.query()?)?);
        (self.is_page(&page) || self.redirect(&page).is_some()).then_some(page)
    }

    /// The path of an address on this site, `None` for other sites and other schemes (R-E4).
    fn on_site(&self, url: &Url) -> Option<PagePath> {
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        inside(&self.of.home, url).or_else(|| inside(self.of.public.source(), url))
    }

    /// Where a path of the source shall lead a reader of `locale`.
    fn target(&self, locale: &Locale, path: &PagePath, has_query: bool) -> (Base, PagePath) {
        let path = self.meant(path.clone());
        if self.is_published(locale, &path) {
            return (self.of.public.base(locale), self.local(locale, &path).into_owned());
        }
        let base = if self.is_file(&path) && (!has_query || is_static(&path)) {
            self.of.public.file_base(locale)
        } else {
            self.of.public.source().clone()
        };
        (base, path)
    }

    /// The page that a path of the source leads to, through redirects and other spellings.
    pub(super) fn meant(&self, mut path: PagePath) -> PagePath {
        let mut hops = 0;
        while let Some(next) = self.redirect(&path).filter(|_| !self.is_page(&path) && hops < 10) {
            path = next.clone();
            hops += 1;
        }
        self.as_served(path)
    }

    /// The page that a host gives for a path that is spelled otherwise: `/a/index.html` is `/a/`, and in a folder
    /// `/a` is `/a/` or `/a.html`.
    fn as_served(&self, path: PagePath) -> PagePath {
        let known = |path: &PagePath| self.is_page(path) || self.is_file(path);
        if known(&path) {
            return path;
        }
        let text = path.path();
        let folder = text.strip_suffix("index.html").filter(|folder| folder.ends_with('/')).map(str::to_owned);
        let bare = (self.of.is_folder && !text.ends_with('/')).then_some(text);
        let spellings = [folder, bare.map(|text| format!("{text}/")), bare.map(|text| format!("{text}.html"))];
        let meant = spellings.into_iter().flatten().filter_map(|text| PagePath::parse(&text).ok()).find(known);
        meant.unwrap_or(path)
    }
}

/// Whether a link says something about its own page only.
fn is_own_business(base: Option<&str>, link: &Link<'_>) -> bool {
    let is_canonical = link.element == "link" && link.rel.iter().any(|rel| rel == "canonical");
    link.address.is_empty() || is_canonical || (base.is_none() && link.address.starts_with('#'))
}

/// Where a link leads from a page at `from`, which may have a `<base>`.
fn resolve(from: &Base, page: &PagePath, base: Option<&str>, link: &Link<'_>) -> Option<Url> {
    join(from, page, base, link.address)
}

fn join(from: &Base, page: &PagePath, base: Option<&str>, address: &str) -> Option<Url> {
    let url = from.absolute(page.as_str())?;
    let url = base.map_or(Some(url.clone()), |base| url.join(base).ok())?;
    url.join(address).ok()
}

/// The path of an address below a base, queries left out.
fn inside(base: &Base, url: &Url) -> Option<PagePath> {
    let here = base.absolute("/")?;
    let rest = url.path().strip_prefix(base.prefix.as_str())?;
    (here.origin() == url.origin() && rest.starts_with('/')).then(|| PagePath::parse(rest).ok()).flatten()
}

/// Whether two addresses are the same, however they are encoded.
fn is_same(one: &Url, other: &Url) -> bool {
    let tail = |url: &Url| (url.query().map(str::to_owned), url.fragment().map(str::to_owned));
    one.origin() == other.origin() && PagePath::of_url(one) == PagePath::of_url(other) && tail(one) == tail(other)
}

/// Whether a query after this name only tells caches apart; on anything else it may choose what is answered.
fn is_static(path: &PagePath) -> bool {
    const STATIC: [&str; 31] = [
        "avif",
        "bmp",
        "css",
        "csv",
        "eot",
        "gif",
        "ico",
        "jpeg",
        "jpg",
        "js",
        "json",
        "map",
        "mjs",
        "mp3",
        "mp4",
        "ogg",
        "otf",
        "pdf",
        "png",
        "svg",
        "ttf",
        "txt",
        "wasm",
        "wav",
        "webm",
        "webmanifest",
        "webp",
        "woff",
        "woff2",
        "xml",
        "zip",
    ];
    path.path().rsplit_once('.').is_some_and(|(_, ending)| STATIC.contains(&ending.to_ascii_lowercase().as_str()))
}
