//! Where every page and file of a site is found, and how one refers to another (R-E2 to R-E5). Pure.
//!
//! A link in a localized page is left as it is written whenever it already leads to the right place. Otherwise it
//! is written anew: to the page in the same locale where that is published, to the source page where it is not,
//! and for files to where they were.

mod public;

pub use public::PublicAddresses;

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::config::{SiteConfig, Source};
use crate::model::{Locale, PageParameters, PagePath, Slugs};
use crate::page::Link;
use public::Base;

/// The addresses of one site.
#[derive(Clone, Debug)]
pub struct Addresses {
    public: PublicAddresses,
    /// Where the source pages refer to each other: origin and what stands before a path.
    home: Base,
    pages: BTreeSet<PagePath>,
    files: BTreeSet<PagePath>,
    redirects: BTreeMap<PagePath, PagePath>,
    published: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// The query parameters that name pages of their own.
    query: PageParameters,
    /// Whether the source is a folder, in which a static host looks for a page under several names.
    is_folder: bool,
}

/// What is known about a site after its crawl.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Pages of the source.
    pub pages: BTreeSet<PagePath>,
    /// Other files of the source.
    pub files: BTreeSet<PagePath>,
    /// Paths of the source that lead to others.
    pub redirects: BTreeMap<PagePath, PagePath>,
    /// Pages that exist in each locale that is on, by their paths in the source.
    pub published: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Paths that pages have of their own.
    pub slugs: Slugs,
}

impl Addresses {
    /// Brings together what the configuration says and what the crawl found.
    pub fn new(site: &SiteConfig, known: Known) -> Self {
        let source_url = site.source_url.as_deref();
        let (home, source_url) = match &site.source {
            // A crawled page's path is the whole path of its address.
            Source::Web(url) => {
                let origin = |url: &Url| url.origin().ascii_serialization();
                let public = source_url.and_then(|text| Url::parse(text).ok());
                (Base::of_url(&origin(url)), Some(origin(public.as_ref().unwrap_or(url))))
            }
            Source::Folder(_) => (source_url.map_or(Base::NOWHERE, Base::of_url), source_url.map(str::to_owned)),
        };
        let (pattern, aliases) = (site.url.clone(), site.aliases.clone());
        Self {
            public: PublicAddresses::new(pattern, aliases, site.source_locale.clone(), source_url.as_deref())
                .with_slugs(known.slugs),
            home,
            pages: known.pages,
            files: known.files,
            redirects: known.redirects,
            published: known.published,
            query: site.crawl.query.clone(),
            is_folder: matches!(site.source, Source::Folder(_)),
        }
    }

    /// A folder whose whole content, pages and files, is served at `/{target}/`.
    pub fn of_folder(source: &Locale, target: &Locale, content: BTreeSet<PagePath>) -> Self {
        Self {
            public: PublicAddresses::new(None, BTreeMap::new(), source.clone(), None),
            home: Base::NOWHERE,
            pages: content.clone(),
            files: BTreeSet::new(),
            redirects: BTreeMap::new(),
            published: [(target.clone(), content)].into(),
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
        self.published.get(locale).is_some_and(|pages| pages.contains(page))
    }

    /// The new address of a link in a localized page, or nothing where it is right as it is written.
    pub fn localize(&self, locale: &Locale, page: &PagePath, base: Option<&str>, link: &Link<'_>) -> Option<String> {
        let is_own_business = link.element == "link" && link.rel.iter().any(|rel| rel == "canonical");
        if link.address.is_empty() || is_own_business || (base.is_none() && link.address.starts_with('#')) {
            return None;
        }
        let resolve = |from: &Base, page: &PagePath| {
            let url = from.absolute(page.as_str())?;
            let url = base.map_or(Some(url.clone()), |base| url.join(base).ok())?;
            url.join(link.address).ok()
        };
        let meant = resolve(&self.home, page)?;
        let rest = self.on_site(&meant)?;
        if self.is_localized(locale, &rest) {
            return None;
        }
        let (rest, query) = match self.query_page(&meant, &rest) {
            Some(page) => (page, None),
            None => (rest, meant.query()),
        };
        let fragment = meant.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
        let (target, path) = self.target(locale, &rest, query.is_some());
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let wanted = format!("{path}{query}{fragment}");
        let now = resolve(&self.public.base(locale), &self.public.slugs().local(locale, page))?;
        if target.absolute(&wanted).is_some_and(|wanted| is_same(&wanted, &now)) {
            return None;
        }
        let in_full = link.in_full && Url::parse(link.address).is_ok();
        match target.absolute(&wanted).filter(|_| in_full && target.origin.is_some()) {
            Some(address) => Some(address.into()),
            None => Some(self.public.written(locale, &target, &wanted)),
        }
    }

    /// Whether a path has the locale's prefix already and leads to a page there: nothing of the source lies below it.
    fn is_localized(&self, locale: &Locale, path: &PagePath) -> bool {
        let prefix = self.public.base(locale).prefix;
        let rest = path.as_str().strip_prefix(&prefix).filter(|_| !prefix.is_empty());
        let page = rest.and_then(|rest| PagePath::parse(rest).ok());
        page.is_some_and(|page| match self.public.slugs().source(locale, &page) {
            Some(source) => self.is_published(locale, &source),
            None => {
                let page = self.as_served(page);
                self.is_published(locale, &page) && *self.public.slugs().local(locale, &page) == page
            }
        })
    }

    /// The page that the query of an address names, where that is one of its own (R-E9).
    fn query_page(&self, url: &Url, path: &PagePath) -> Option<PagePath> {
        let page = path.with_query(&self.query.kept(url.query()?)?);
        (self.pages.contains(&page) || self.redirects.contains_key(&page)).then_some(page)
    }

    /// The path of an address on this site, `None` for other sites and other schemes (R-E4).
    fn on_site(&self, url: &Url) -> Option<PagePath> {
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        let inside = |base: &Base| {
            let here = base.absolute("/")?;
            let rest = url.path().strip_prefix(base.prefix.as_str())?;
            (here.origin() == url.origin() && rest.starts_with('/')).then(|| PagePath::parse(rest).ok()).flatten()
        };
        inside(&self.home).or_else(|| inside(self.public.source()))
    }

    /// Where a path of the source shall lead a reader of `locale`.
    fn target(&self, locale: &Locale, path: &PagePath, has_query: bool) -> (Base, PagePath) {
        let path = self.meant(path.clone());
        if self.is_published(locale, &path) {
            return (self.public.base(locale), self.public.slugs().local(locale, &path).into_owned());
        }
        let base = if self.files.contains(&path) && (!has_query || is_static(&path)) {
            self.public.file_base(locale)
        } else {
            self.public.source().clone()
        };
        (base, path)
    }

    /// The page that a path of the source leads to, through redirects and other spellings.
    pub(crate) fn meant(&self, mut path: PagePath) -> PagePath {
        let mut hops = 0;
        while let Some(next) = self.redirects.get(&path).filter(|_| !self.pages.contains(&path) && hops < 10) {
            path = next.clone();
            hops += 1;
        }
        self.as_served(path)
    }

    /// The page that a host gives for a path that is spelled otherwise: `/a/index.html` is `/a/`, and in a folder
    /// `/a` is `/a/` or `/a.html`.
    fn as_served(&self, path: PagePath) -> PagePath {
        let known = |path: &PagePath| self.pages.contains(path) || self.files.contains(path);
        if known(&path) {
            return path;
        }
        let text = path.path();
        let folder = text.strip_suffix("index.html").filter(|folder| folder.ends_with('/')).map(str::to_owned);
        let bare = (self.is_folder && !text.ends_with('/')).then_some(text);
        let spellings = [folder, bare.map(|text| format!("{text}/")), bare.map(|text| format!("{text}.html"))];
        let meant = spellings.into_iter().flatten().filter_map(|text| PagePath::parse(&text).ok()).find(known);
        meant.unwrap_or(path)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn addresses(settings: &str) -> Addresses {
        let text = format!("[[site]]\nid = \"s\"\nsource_locale = \"en\"\nlocales = [\"es\", \"pt-BR\"]\n{settings}\n");
        let config = Config::parse(&text, std::path::Path::new("/x/latimer.toml"), &|_| None).unwrap();
        let path = |text: &str| PagePath::parse(text).unwrap();
        let pages: BTreeSet<PagePath> = ["/", "/a/", "/a/b/", "/old-only"].map(path).into();
        let mut in_spanish = pages.clone();
        in_spanish.remove(&path("/old-only"));
        let known = Known {
            files: ["/img/x.png", "/f.xml"].map(path).into(),
            redirects: [(path("/moved"), path("/a/"))].into(),
            published: [(Locale::parse("es").unwrap(), in_spanish)].into(),
            slugs: Slugs::default(),
            pages,
        };
        Addresses::new(&config.sites[0], known)
    }

    fn check(addresses: &Addresses, page: &str, base: Option<&str>, links: &[(&str, Option<&str>)]) {
        let page = PagePath::parse(page).unwrap();
        for (address, expected) in links {
            let link = Link { address, element: "a", rel: &[], in_full: false };
            let given = addresses.localize(&Locale::parse("es").unwrap(), &page, base, &link);
            assert_eq!(given.as_deref(), *expected, "{address} on {page}");
        }
    }

    #[test]
    fn links_follow_the_locale_r_e2() {
        let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
        check(
            &site,
            "/a/",
            None,
            &[
                ("b/", None),
                ("../", None),
                ("/", Some("/es/")),
                ("/a/b/?q=1#x", Some("/es/a/b/?q=1#x")),
                ("https://www.example.com/a/", Some("/es/a/")),
                ("//www.example.com/a/", Some("/es/a/")),
                ("../old-only", Some("/old-only")),
                ("/moved#m", Some("/es/a/#m")),
                ("../img/x.png", Some("/img/x.png")),
                ("/img/x.png?v=2", None),
                ("../index.html", Some("/es/")),
                ("/a/b/index.html#x", Some("/es/a/b/#x")),
                ("/a", Some("/es/a/")),
                ("/img/pic.php?id=1", None),
                ("/unknown", None),
                ("../unknown", Some("/unknown")),
            ],
        );
    }

    #[test]
    fn queries_that_name_pages_lead_to_them_r_e9() {
        let query = "[site.crawl]\nquery = [\"page\"]";
        let mut site = addresses(&format!("source = \"web\"\nurl = \"https://www.example.com/{{lang}}\"\n{query}"));
        let second = PagePath::parse("/a/?page=2").unwrap();
        site.pages.insert(second.clone());
        site.published.values_mut().for_each(|pages| pages.extend([second.clone()]));
        site.pages.insert(PagePath::parse("/a/?page=3").unwrap());
        check(
            &site,
            "/a/b/",
            None,
            &[
                ("../?page=2", None),
                ("/a/?page=2#x", Some("/es/a/?page=2#x")),
                ("../?utm=1&page=2", Some("/es/a/?page=2")),
                ("../?page=3", Some("/a/?page=3")),
                ("/a/?page=9&b", Some("/es/a/?page=9&b")),
                ("/a/?sort=x", Some("/es/a/?sort=x")),
            ],
        );
    }

    #[test]
    fn other_addresses_are_left_alone_r_e4() {
        let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
        let links = [
            "",
            "#part",
            "mailto:a@b.example",
            "tel:+1",
            "javascript:x()",
            "data:text/plain,x",
            "https://other.example/a/",
            "//other.example/a/",
            "http://user@www.example.com/a/",
            "about:blank",
        ];
        check(&site, "/a/", None, &links.map(|link| (link, None)));
    }

    #[test]
    fn a_base_counts_r_e3_f_56() {
        let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
        check(&site, "/a/", Some("/a/b/"), &[("#toc", Some("/es/a/b/#toc")), ("../", Some("/es/a/"))]);
    }

    #[test]
    fn files_never_get_the_locale_f_55() {
        let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
        let page = PagePath::parse("/a/").unwrap();
        for element in ["script", "link", "img", "use"] {
            let link = Link { address: "/img/x.png", element, rel: &["icon".to_owned()], in_full: false };
            assert_eq!(site.localize(&Locale::parse("es").unwrap(), &page, None, &link), None, "{element}");
        }
    }

    #[test]
    fn queries_and_triplets_stay_as_written_r_e5_f_52() {
        let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
        check(
            &site,
            "/a/",
            None,
            &[
                ("/avatar/?s=40&d=https%3A%2F%2Fx.example%2Fa.png", None),
                ("../avatar/?s=40&d=https%3A%2f", Some("/avatar/?s=40&d=https%3A%2f")),
                ("/a/b/?q=%b0%a1&r=%2f&&=#%C3%a4", Some("/es/a/b/?q=%b0%a1&r=%2f&&=#%C3%a4")),
                ("b/?x=a+b%20c", None),
            ],
        );
    }

    #[test]
    fn links_leave_the_folder_of_the_page_and_not_of_the_locale_f_58() {
        let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
        let links = [("../../old-only", Some("/old-only")), ("../../a/", None), ("../../../../a/", Some("/es/a/"))];
        check(&site, "/a/b/", None, &links);
        check(&site, "/a/b/", Some("/a/"), &[("../a/b/", Some("/es/a/b/")), ("/../a/", Some("/es/a/"))]);
    }

    #[test]
    fn a_locales_prefix_is_not_its_tag_f_59() {
        let settings = "source = \"web\"\nurl = \"https://www.example.com/{lang}\"\n\
                        [site.locale.es]\nalias = \"latam\"";
        let site = addresses(settings);
        check(&site, "/a/", None, &[("/a/b/", Some("/latam/a/b/")), ("b/", None), ("/img/x.png", None)]);
        let page = site.public().page(&Locale::parse("es").unwrap(), &PagePath::parse("/a/").unwrap());
        assert_eq!(page.as_deref(), Some("https://www.example.com/latam/a/"));
    }

    #[test]
    fn links_are_localized_once_f_60() {
        let es = Locale::parse("es").unwrap();
        let page = PagePath::parse("/a/").unwrap();
        for settings in [
            "source = \"web\"\nurl = \"https://www.example.com/{lang}\"",
            "source = \"web\"\nurl = \"https://www.example.com/{lang}\"\nsource_url = \"https://www.example.com\"",
            "source = \"web\"\nurl = \"https://{lang}.example.com\"",
            "source = \"https://www.example.com/\"\nurl = \"https://www.example.com/x/{lang}\"",
            "source = \"https://old.example.com/\"\nurl = \"https://{lang}.example.com\"",
            "source = \"https://old.example.com/\"",
        ] {
            let site = addresses(settings);
            let localize = |address: &str| {
                let link = Link { address, element: "a", rel: &[], in_full: false };
                site.localize(&es, &page, None, &link).unwrap_or_else(|| address.to_owned())
            };
            for address in ["/", "b/", "/a/b/?q=1#x", "../old-only", "/moved", "../img/x.png", "/f.xml", "/unknown"] {
                let once = localize(address);
                assert_eq!(localize(&once), once, "{address} with {settings}");
            }
        }
    }

    #[test]
    fn hosts_are_compared_as_browsers_compare_them_r_e4_r_e7() {
        let site = addresses(
            "source = \"web\"\nurl = \"https://www.bücher.example/{lang}\"\nsource_url = \"https://bücher.example\"",
        );
        check(
            &site,
            "/a/",
            None,
            &[
                ("https://BÜCHER.example:443/a/b/", Some("/es/a/b/")),
                ("https://xn--bcher-kva.example/a/b/#x", Some("/es/a/b/#x")),
                ("\\\\bücher.example\\a\\b\\", Some("/es/a/b/")),
                ("http://bücher.example/a/b/", None),
                ("https://bücher.example:8443/a/b/", None),
                ("https://bucher.example/a/b/", None),
            ],
        );
    }

    #[test]
    fn a_crawled_pages_path_is_its_whole_path() {
        let crawled = "source = \"https://old.example.com/docs/\"";
        for (settings, expected) in [
            (crawled.to_owned(), "https://old.example.com"),
            (format!("{crawled}\nsource_url = \"https://www.example.com/docs\""), "https://www.example.com"),
            (
                "source = \"docs\"\nsource_url = \"https://me.example.com/docs/\"".to_owned(),
                "https://me.example.com/docs",
            ),
        ] {
            assert_eq!(addresses(&settings).public().source_url().as_deref(), Some(expected), "{settings}");
        }
    }

    #[test]
    fn each_kind_of_pattern_has_its_addresses() {
        let host = addresses("source = \"web\"\nurl = \"https://{lang}.example.com\"");
        check(
            &host,
            "/a/",
            None,
            &[("/", None), ("/img/x.png", None), ("/old-only", Some("https://example.com/old-only"))],
        );
        let none = addresses("source = \"http://127.0.0.1:8000/\"");
        check(
            &none,
            "/a/",
            None,
            &[
                ("b/", None),
                ("/a/", Some("/es/a/")),
                ("../img/x.png", Some("/img/x.png")),
                ("/img/x.png", None),
                ("/old-only", Some("http://127.0.0.1:8000/old-only")),
            ],
        );
        let project = addresses("source = \"web\"\nurl = \"https://me.example.com/repo/{lang}\"");
        check(
            &project,
            "/a/",
            None,
            &[("/repo/", Some("/repo/es/")), ("/other/", None), ("../img/x.png", Some("/repo/img/x.png"))],
        );
    }
}
