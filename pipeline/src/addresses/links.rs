//! Where links lead: what a page of the source writes, and what the same page of a locale has to write. Pure.
//!
//! One file: one decision with its cases.

use std::borrow::Cow;

use url::Url;

use super::public::{LinkTarget, PublicBase};
use super::{Addresses, NamedAddress, PathQueries};
use crate::model::{FileForm, Locale, PagePath, same_site, without_session};
use crate::page::{LinkKind, PageLink};

/// Answers for the links of one page, and takes note of the paths that were asked for.
pub struct Links<'a> {
    pub(super) of: &'a Addresses,
    asked: PathQueries,
}

impl<'a> Links<'a> {
    pub(super) fn new(of: &'a Addresses) -> Self {
        Self {
            of,
            asked: PathQueries::default(),
        }
    }

    /// The paths that were asked for.
    pub fn into_asked(self) -> PathQueries {
        self.asked
    }

    pub(super) fn note(&self, path: &PagePath) {
        self.asked.note(path);
    }

    pub(super) fn is_page(&self, path: &PagePath) -> bool {
        self.asked.note(path);
        self.of.pages.contains(path)
    }

    pub(super) fn is_file(&self, path: &PagePath) -> bool {
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

    /// Locale and page of the version that the author wrote at a path of the source, if it is published.
    pub(super) fn author_version(&self, path: &PagePath) -> Option<(&'a Locale, &'a PagePath)> {
        self.asked.note(path);
        let (locale, page) = self.of.written.get(path)?;
        self.is_published(locale, page).then_some((locale, page))
    }

    pub(super) fn local<'p>(&self, locale: &Locale, path: &'p PagePath) -> Cow<'p, PagePath> {
        let slugs = self.of.public.slugs();
        match self.author_version(path) {
            Some((of, page)) if of == locale => Cow::Owned(slugs.local(locale, page).into_owned()),
            Some(_) | None => slugs.local(locale, path),
        }
    }

    pub(super) fn source(&self, locale: &Locale, local: &PagePath) -> Option<PagePath> {
        self.asked.note(local);
        self.of.public.slugs().source(locale, local)
    }

    /// The new address of a link in a localized page, or nothing where it is right as it is written.
    pub fn localize(
        &self,
        locale: &Locale,
        page: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> Option<String> {
        match link.kind {
            LinkKind::Identifier => return self.published_identifier(link.address),
            LinkKind::Module => return self.module(locale, page, base, link),
            LinkKind::Possible if !self.names_something(page, base, link) => return None,
            LinkKind::Pattern => return self.pattern(locale, link.address),
            LinkKind::Possible | LinkKind::Plain => {}
        }
        let is_language_link = link.language.is_some() && !link.address.starts_with('#');
        if is_own_business(base, link) && !is_language_link {
            return None;
        }
        let meant = resolve(&self.of.home, page, base, link)?;
        if let Some(target) = link
            .language
            .and_then(|tag| self.switched((locale, page), &meant, tag))
        {
            let now = resolve(
                &self.of.public.base(locale),
                &self.local(locale, page),
                base,
                link,
            )?;
            return self.written(locale, &target, &now, link);
        }
        let Some(rest) = self.on_site(&meant) else {
            return self.shared(locale, link);
        };
        if self.is_localized(locale, &rest) {
            return None;
        }
        let now = resolve(
            &self.of.public.base(locale),
            &self.local(locale, page),
            base,
            link,
        )?;
        self.led(locale, (&meant, rest), &now, link)
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
        if is_own_business(base, link) || !matches!(link.kind, LinkKind::Plain | LinkKind::Possible)
        {
            return None;
        }
        let own = self.of.public.base(locale);
        let now = resolve(&own, &self.local(locale, page), base, link)?;
        if let Some(target) = link
            .language
            .and_then(|tag| self.switched((locale, page), &now, tag))
        {
            return self.written(locale, &target, &now, link);
        }
        let rest = match inside(&own, &now) {
            Some(local) => self.source(locale, &local).unwrap_or(local),
            None => inside(self.of.public.source(), &now)?,
        };
        let rest = self.without_language(locale, rest);
        // A style sheet keeps its `integrity`, so it stays the one that it is.
        self.led(locale, (&now, rest), &now, &PageLink { rel: &[], ..*link })
    }

    /// The new address of a module, or of a folder of modules: pages of the same path are not meant (R-S22).
    fn module(
        &self,
        locale: &Locale,
        page: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> Option<String> {
        let meant = resolve(&self.of.home, page, base, link)?;
        let rest = self.on_site(&meant)?;
        let is_folder = rest.path().ends_with('/');
        if !is_folder && !self.is_file(&rest) {
            return None;
        }
        let now = resolve(
            &self.of.public.base(locale),
            &self.local(locale, page),
            base,
            link,
        )?;
        let query = meant
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        let (base, path) = match is_folder {
            true => (self.of.public.file_base(locale), rest),
            false => self.file(locale, rest, link),
        };
        let target = LinkTarget {
            base,
            path: format!("{path}{query}"),
        };
        self.written(locale, &target, &now, link)
    }

    /// A pattern of paths that holds for a language, too: `/cart/*` becomes `{/es}?/cart/*` (URLPattern). One that begins with a
    /// wildcard does already, and so does one that counts from the page.
    fn pattern(&self, locale: &Locale, pattern: &str) -> Option<String> {
        let source = &self.of.public.source().prefix;
        let rest = pattern.strip_prefix(source.as_str())?;
        let is_literal = rest
            .strip_prefix('/')?
            .starts_with(|first: char| first.is_alphanumeric() || "-_.~%".contains(first));
        let prefix = self.of.public.base(locale).prefix;
        let own = prefix.strip_prefix(source.as_str())?;
        if !is_literal || own.is_empty() {
            return None;
        }
        Some(format!("{source}{{{own}}}?{rest}"))
    }

    /// True if the site has a page or a file at an address.
    fn names_something(&self, page: &PagePath, base: Option<&str>, link: &PageLink<'_>) -> bool {
        let path = resolve(&self.of.home, page, base, link).and_then(|meant| self.on_site(&meant));
        path.is_some_and(|path| {
            let path = self.meant(path);
            self.is_page(&path) || self.is_file(&path)
        })
    }

    /// An identifier that names the host that was crawled, under the public host: it is the same in every language (R-S6).
    fn published_identifier(&self, address: &str) -> Option<String> {
        let crawled = self.of.home.origin.as_ref()?;
        let public = self.of.public.source().origin.as_ref()?;
        let rest = address.strip_prefix(crawled.as_str())?;
        let is_whole = rest.is_empty() || rest.starts_with(['/', '?', '#']);
        (crawled != public && is_whole).then(|| format!("{public}{rest}"))
    }

    /// The address of what a link means, which is `rest` on the site; nothing where it leads there `now`.
    fn led(
        &self,
        locale: &Locale,
        (meant, rest): (&Url, PagePath),
        now: &Url,
        link: &PageLink<'_>,
    ) -> Option<String> {
        if let Some(path) = self.file_by_query(meant, &rest) {
            let fragment = meant
                .fragment()
                .map(|fragment| format!("#{fragment}"))
                .unwrap_or_default();
            let target = LinkTarget {
                base: self.of.public.file_base(locale),
                path: format!("{path}{fragment}"),
            };
            return self.written(locale, &target, now, link);
        }
        let (rest, query) = match self.query_page(meant, &rest) {
            Some(page) => (page, None),
            None => (rest, meant.query()),
        };
        let fragment = meant
            .fragment()
            .map(|fragment| format!("#{fragment}"))
            .unwrap_or_default();
        let (base, path) = self.target(locale, &rest, query.is_some(), link);
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{path}{query}{fragment}");
        self.written(locale, &LinkTarget { base, path }, now, link)
    }

    /// The published path of a file that an address names by its query (R-S10).
    fn file_by_query(&self, url: &Url, path: &PagePath) -> Option<&'a PagePath> {
        let path = path.with_query(url.query()?);
        // The next build may find such a file where there is none now.
        self.asked.note(&path);
        self.of.query_files.get(&path)
    }

    /// The new address of a link to `target`; `None` if the link leads there `now`.
    pub(super) fn written(
        &self,
        locale: &Locale,
        target: &LinkTarget,
        now: &Url,
        link: &PageLink<'_>,
    ) -> Option<String> {
        let LinkTarget { base, path } = target;
        if base
            .absolute(path)
            .is_some_and(|wanted| is_same(&wanted, now))
        {
            return None;
        }
        let in_full = link.in_full && Url::parse(link.address).is_ok();
        match base
            .absolute(path)
            .filter(|_| in_full && base.origin.is_some())
        {
            Some(address) => Some(address.into()),
            None => Some(self.of.public.written(locale, base, path)),
        }
    }

    /// True if a link of a localized page leads to a page in the same language.
    pub fn leads_to_version(
        &self,
        locale: &Locale,
        page: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> bool {
        let Some(meant) = resolve(&self.of.home, page, base, link) else {
            return false;
        };
        let Some(rest) = self.on_site(&meant) else {
            return false;
        };
        let path = self
            .query_page(&meant, &rest)
            .unwrap_or_else(|| rest.clone());
        self.is_localized(locale, &rest) || self.has_words(locale, &self.meant(path))
    }

    /// True if a page exists in the words of a language, and not in those of the source with a notice.
    pub(super) fn has_words(&self, locale: &Locale, page: &PagePath) -> bool {
        let is_copy = self
            .of
            .untranslated
            .get(locale)
            .is_some_and(|pages| pages.contains(page));
        self.is_published(locale, page) && !is_copy
    }

    /// Resolves an address that a source page names.
    pub(super) fn named(
        &self,
        page: &PagePath,
        base: Option<&str>,
        address: &str,
    ) -> Option<NamedAddress> {
        let url = join(&self.of.home, page, base, address)?;
        let Some(path) = self.on_site(&url) else {
            return Some(NamedAddress::Elsewhere(url));
        };
        let query = url.query().and_then(|query| self.of.query.kept(query));
        Some(NamedAddress::OnSite(query.map_or_else(
            || path.clone(),
            |query| path.with_query(&query),
        )))
    }

    /// Whether a path has the locale's prefix already and leads to a page there: nothing of the source lies below it.
    fn is_localized(&self, locale: &Locale, path: &PagePath) -> bool {
        let prefix = self.of.public.base(locale).prefix;
        let rest = path
            .as_str()
            .strip_prefix(&prefix)
            .filter(|_| !prefix.is_empty());
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
    pub(super) fn query_page(&self, url: &Url, path: &PagePath) -> Option<PagePath> {
        let page = path.with_query(&self.of.query.kept(url.query()?)?);
        (self.is_page(&page) || self.redirect(&page).is_some()).then_some(page)
    }

    /// The path of an address on this site, `None` for other sites and other schemes (R-E4).
    pub(super) fn on_site(&self, url: &Url) -> Option<PagePath> {
        if !matches!(url.scheme(), "http" | "https")
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return None;
        }
        inside(&self.of.home, url).or_else(|| inside(self.of.public.source(), url))
    }

    /// Where a path of the source shall lead a reader of `locale`.
    fn target(
        &self,
        locale: &Locale,
        path: &PagePath,
        has_query: bool,
        link: &PageLink<'_>,
    ) -> (PublicBase, PagePath) {
        let path = self.meant(path.clone());
        if self.is_published(locale, &path) {
            return (
                self.of.public.base(locale),
                self.local(locale, &path).into_owned(),
            );
        }
        if let Some((locale, page)) = self.author_version(&path) {
            return (
                self.of.public.base(locale),
                self.local(locale, page).into_owned(),
            );
        }
        if let Some((locale, page)) = self.in_language_folder(&path) {
            return (
                self.of.public.base(locale),
                self.local(locale, &page).into_owned(),
            );
        }
        let is_file = self.is_file(&path) || self.has_own(locale, &path);
        if is_file && (!has_query || is_static(&path)) {
            return self.file(locale, path, link);
        }
        let public = &self.of.public;
        let spelled = if self.is_page(&path) {
            self.local(public.source_locale(), &path).into_owned()
        } else {
            path
        };
        (public.source().clone(), spelled)
    }

    /// Locale and page of the version that a path means whose first folder is called like a language: links of versions that the author
    /// wrote lead to others there (R-S15). `None` if the source has the path itself.
    fn in_language_folder(&self, path: &PagePath) -> Option<(&'a Locale, PagePath)> {
        let (folder, rest) = path.as_str().strip_prefix('/')?.split_once('/')?;
        let public = &self.of.public;
        let locale = self.of.published.keys().find(|locale| {
            public.label(locale).eq_ignore_ascii_case(folder)
                || locale.as_str().eq_ignore_ascii_case(folder)
        })?;
        if self.is_page(path) || self.is_file(path) {
            return None;
        }
        let local = PagePath::parse(&format!("/{rest}")).ok()?;
        let page = self
            .source(locale, &local)
            .unwrap_or_else(|| self.meant(local));
        self.is_published(locale, &page).then_some((locale, page))
    }

    /// The page that a path of the source leads to, through redirects and other spellings.
    pub(super) fn meant(&self, mut path: PagePath) -> PagePath {
        let mut hops = 0;
        while let Some(next) = self
            .redirect(&path)
            .filter(|_| !self.is_page(&path) && hops < 10)
        {
            path = next.clone();
            hops += 1;
        }
        self.as_served(path)
    }

    /// The page that a host gives for a path that is spelled otherwise: `/a/index.html` is `/a/`. In a folder, and where the site itself
    /// leaves endings out, `/a` is `/a/` or `/a.html`, and `/a/` may be `/a.html`.
    fn as_served(&self, path: PagePath) -> PagePath {
        let known = |path: &PagePath| {
            self.is_page(path) || self.is_file(path) || self.author_version(path).is_some()
        };
        if known(&path) {
            return path;
        }
        let text = path.path();
        let folder = text
            .strip_suffix("index.html")
            .filter(|folder| folder.ends_with('/'))
            .map(str::to_owned);
        let spelling = self.of.public.slugs().spelling();
        let is_loose = self.of.is_folder || !spelling.is_default();
        let bare = if is_loose && !text.ends_with('/') {
            Some(text)
        } else {
            None
        };
        let slash = text
            .strip_suffix('/')
            .filter(|_| spelling.files == FileForm::Slash);
        let spellings = [
            folder,
            bare.map(|text| format!("{text}/")),
            bare.map(|text| format!("{text}.html")),
            slash.map(|text| format!("{text}.html")),
        ];
        let slugs = self.of.public.slugs();
        for spelled in std::iter::once(path.clone()).chain(
            spellings
                .into_iter()
                .flatten()
                .filter_map(|text| PagePath::parse(&text).ok()),
        ) {
            if known(&spelled) {
                return spelled;
            }
            if let Some(index) = slugs.index_of(&spelled) {
                return index.clone();
            }
        }
        path
    }
}

/// Whether a link says something about its own page only.
fn is_own_business(base: Option<&str>, link: &PageLink<'_>) -> bool {
    let is_canonical = link.element == "link" && link.rel.iter().any(|rel| rel == "canonical");
    is_canonical || (base.is_none() && (link.address.is_empty() || link.address.starts_with('#')))
}

/// Where a link leads from a page at `from`, which may have a `<base>`.
pub(super) fn resolve(
    from: &PublicBase,
    page: &PagePath,
    base: Option<&str>,
    link: &PageLink<'_>,
) -> Option<Url> {
    join(from, page, base, link.address)
}

pub(super) fn join(
    from: &PublicBase,
    page: &PagePath,
    base: Option<&str>,
    address: &str,
) -> Option<Url> {
    let url = from.absolute(page.as_str())?;
    let url = base.map_or(Some(url.clone()), |base| url.join(base).ok())?;
    url.join(address).ok()
}

/// The path of an address below a base, queries left out.
pub(super) fn inside(base: &PublicBase, url: &Url) -> Option<PagePath> {
    let here = base.absolute("/")?;
    let rest = url.path().strip_prefix(base.prefix.as_str())?;
    (same_site(&here, url) && rest.starts_with('/'))
        .then(|| PagePath::parse(&without_session(rest)).ok())
        .flatten()
}

/// Whether two addresses are the same, however they are encoded.
fn is_same(one: &Url, other: &Url) -> bool {
    let tail = |url: &Url| {
        (
            url.query().map(str::to_owned),
            url.fragment().map(str::to_owned),
        )
    };
    one.origin() == other.origin()
        && PagePath::of_url(one) == PagePath::of_url(other)
        && tail(one) == tail(other)
}

/// Whether a query after this name only tells caches apart; on anything else it may choose what is answered.
pub(super) fn is_static(path: &PagePath) -> bool {
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
    path.path()
        .rsplit_once('.')
        .is_some_and(|(_, ending)| STATIC.contains(&ending.to_ascii_lowercase().as_str()))
}
