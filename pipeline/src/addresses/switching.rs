//! Targets of language links (R-S17). An entry of a site's own language menu leads to the version of a page in the language that
//! the entry names. Pure.

use url::Url;

use super::links::{Links, inside, is_static, resolve};
use super::public::LinkTarget;
use super::{Addresses, PublicAddresses};
use crate::model::{Locale, PagePath};
use crate::page::PageLink;

/// Leading segments of a path that may be the tag of a language: `/docs/v2/es/`.
const DEEPEST: usize = 3;

/// A path without the tag of a language.
struct Untagged {
    path: PagePath,
    is_page: bool,
}

impl Addresses {
    /// The locale that a tag of a language menu means: `es-ES` is `es`.
    fn meant_locale(&self, tag: &Locale) -> Option<&Locale> {
        let source = std::iter::once(self.public.source_locale());
        let locales: Vec<&Locale> = source
            .chain(self.published.keys())
            .filter(|locale| !locale.is_pseudo())
            .collect();
        let same =
            |is_it: &dyn Fn(&Locale) -> bool| locales.iter().copied().find(|locale| is_it(locale));
        same(&|locale| locale == tag)
            .or_else(|| same(&|locale| locale.is_likely(tag)))
            .or_else(|| {
                same(&|locale| locale.language() == locale.as_str() && locale.same_language(tag))
            })
            .or_else(|| same(&|locale| locale.same_language(tag)))
    }
}

impl Links<'_> {
    /// The new address of a language link on a page of the source; `None` if it stays as it is written. A link to the source
    /// language does.
    pub fn switch(
        &self,
        page: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> Option<String> {
        let source = self.of.public.source_locale();
        let tag = link.language?;
        if link.address.starts_with('#') || self.of.meant_locale(tag)? == source {
            return None;
        }
        let url = resolve(&self.of.home, page, base, link)?;
        let target = self.switched((source, page), &url, tag)?;
        self.written(
            source,
            &target,
            &resolve(self.of.public.source(), page, base, link)?,
            link,
        )
    }

    /// The target of a language link on a page of `locale`, whose address resolves to `url`. `None` if it is an ordinary link: the
    /// site is not made in that language, or the address is that of a file or of another site.
    pub(super) fn switched(
        &self,
        (locale, page): (&Locale, &PagePath),
        url: &Url,
        tag: &Locale,
    ) -> Option<LinkTarget> {
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let wanted = self.of.meant_locale(tag)?;
        let source = self.of.public.source_locale();
        let written = self
            .on_site(url)
            .map(|path| self.query_page(url, &path).unwrap_or(path));
        let local = inside(&self.of.public.base(wanted), url).filter(|_| wanted != source);
        if written.is_none() && local.is_none() {
            return None;
        }
        let meant = written.as_ref().map(|path| self.meant(path.clone()));
        if let Some((of, named)) = meant.as_ref().and_then(|path| self.author_version(path))
            && of == wanted
        {
            return self.version((locale, page), wanted, named, &tail(url, named));
        }
        let meant = meant.filter(|path| self.is_page(path));
        let untagged = written
            .as_ref()
            .and_then(|path| self.untagged(path, wanted));
        if let Some(meant) = meant
            .as_ref()
            .filter(|_| wanted != source && untagged.is_some())
        {
            // The author has a page in that language there.
            return Some(LinkTarget {
                base: self.of.public.source().clone(),
                path: format!("{meant}{}", tail(url, meant)),
            });
        }
        let local = local.map(|path| self.meant(self.source(wanted, &path).unwrap_or(path)));
        let local = local.filter(|path| self.is_page(path));
        let untagged = untagged
            .filter(|untagged| untagged.is_page)
            .map(|untagged| untagged.path);
        match meant.or(untagged).or(local) {
            Some(named) => self.version((locale, page), wanted, &named, &tail(url, &named)),
            None if written.is_some_and(|path| self.is_file(&path) || is_static(&path)) => None,
            None => self.version((locale, page), wanted, page, ""),
        }
    }

    /// The version of a page in a language; the home page if the language lacks it, as in our own switchers.
    fn version(
        &self,
        (locale, own): (&Locale, &PagePath),
        wanted: &Locale,
        page: &PagePath,
        tail: &str,
    ) -> Option<LinkTarget> {
        let base = self.of.public.base(wanted);
        if wanted == self.of.public.source_locale() {
            return Some(LinkTarget {
                base,
                path: format!("{}{tail}", self.local(wanted, page)),
            });
        }
        if self.has_words(wanted, page) || (locale == wanted && page == own) {
            return Some(LinkTarget {
                base,
                path: format!("{}{tail}", self.local(wanted, page)),
            });
        }
        let home = PagePath::of_file("index.html");
        self.has_words(wanted, &home).then(|| LinkTarget {
            base,
            path: self.local(wanted, &home).to_string(),
        })
    }

    /// A path without the tag of a language, which may be a folder (`/es/about/`) or a part of the name (`/about.es.html`).
    fn untagged(&self, path: &PagePath, wanted: &Locale) -> Option<Untagged> {
        let is_tag = |text: &str| is_tag(&self.of.public, text, wanted) || self.means(text, wanted);
        let text = path.path();
        let mut found = None;
        let mut at = 1;
        for segment in text.split('/').skip(1).take(DEEPEST) {
            let end = at + segment.len();
            if is_tag(segment) {
                let rest = text.get(end..).unwrap_or_default();
                let rest = if rest.is_empty() { "/" } else { rest };
                let before = text.get(..at - 1).unwrap_or_default();
                found = self.best(found, &format!("{before}{rest}"), wanted);
            }
            at = end + 1;
        }
        let (folder, name) = text.rsplit_once('/')?;
        for (cut, mark) in name.match_indices(['.', '-', '_']) {
            let rest = name.get(cut + mark.len()..).unwrap_or_default();
            let tagged = rest.split('.').next().unwrap_or_default();
            if cut > 0 && is_tag(tagged) {
                let stem = name.get(..cut).unwrap_or_default();
                let ending = rest.get(tagged.len()..).unwrap_or_default();
                found = self.best(found, &format!("{folder}/{stem}{ending}"), wanted);
            }
        }
        found
    }

    /// Keeps the first path that is a page, or else the first one.
    fn best(&self, found: Option<Untagged>, text: &str, wanted: &Locale) -> Option<Untagged> {
        if found.as_ref().is_some_and(|found| found.is_page) {
            return found;
        }
        let Ok(path) = PagePath::parse(text) else {
            return found;
        };
        let path = self.meant(self.source(wanted, &path).unwrap_or(path));
        let is_page = self.is_page(&path);
        if is_page || found.is_none() {
            Some(Untagged { path, is_page })
        } else {
            found
        }
    }

    /// True if a text is a tag by which a language menu means a locale.
    fn means(&self, text: &str, wanted: &Locale) -> bool {
        if !(2..=11).contains(&text.len()) {
            return false;
        }
        let tag = Locale::parse(&text.replace('_', "-"));
        tag.is_ok_and(|tag| self.of.meant_locale(&tag) == Some(wanted))
    }
}

/// True if a text is what the addresses of a locale have in place of its tag.
fn is_tag(public: &PublicAddresses, text: &str, wanted: &Locale) -> bool {
    wanted != public.source_locale() && public.label(wanted).eq_ignore_ascii_case(text)
}

/// Query and fragment of an address, without what says the language and without a query that is part of the page's path.
fn tail(url: &Url, page: &PagePath) -> String {
    const NAMES: [&str; 7] = ["hl", "l", "lang", "language", "lng", "locale", "setlang"];
    let mut tail = String::new();
    let query = url
        .query()
        .filter(|_| page.query().is_none())
        .unwrap_or_default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let name = pair.split('=').next().unwrap_or_default();
        if !NAMES.contains(&name) {
            tail.push(if tail.is_empty() { '?' } else { '&' });
            tail.push_str(pair);
        }
    }
    if let Some(fragment) = url.fragment() {
        tail.push('#');
        tail.push_str(fragment);
    }
    tail
}
