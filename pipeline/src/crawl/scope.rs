//! What belongs to a crawl: pure decisions about links and addresses.

use std::borrow::Cow;

use url::Url;

use super::robots::Robots;
use super::room::LONGEST_ADDRESS;
use super::{CrawlOptions, media};
use crate::config::PathFilter;
use crate::model::{PageParameters, PagePath, same_site, without_session};
use crate::page::FoundLink;

/// What a link asks for; HTML that a page embeds as a picture or script is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LinkRole {
    Page,
    File,
}

/// What is decided about an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScopeVerdict {
    /// It is fetched.
    Take(FetchTarget),
    /// The filter or robots.txt keeps it out.
    Excluded(PagePath),
    /// It is elsewhere, or our own output.
    Outside,
}

/// An address to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FetchTarget {
    /// The query that a link to a page has and the page is not told by.
    pub(super) dropped: Option<Box<str>>,
    pub(super) path: PagePath,
    pub(super) url: Url,
    pub(super) role: LinkRole,
}

/// The bounds of a crawl.
#[derive(Clone, Debug)]
pub(super) struct CrawlScope {
    /// Address at which the crawl began.
    start: Url,
    /// The public address of what is crawled there; links may name it.
    public: Option<Url>,
    directory: String,
    filter: PathFilter,
    translated: Vec<String>,
    versions: Vec<String>,
    query: PageParameters,
    robots: Robots,
    /// Style sheets for right-to-left languages are asked for.
    pub(super) asks_for_rtl: bool,
}

impl CrawlScope {
    pub(super) fn new(start: &Url, options: &CrawlOptions, robots: Robots) -> Self {
        Self {
            start: start.clone(),
            public: options
                .public
                .clone()
                .filter(|public| !same_site(public, start)),
            directory: PagePath::of_url(start).directory().to_owned(),
            filter: options.filter.clone(),
            translated: options.translated.clone(),
            versions: options.versions.clone(),
            query: options.query.clone(),
            robots,
            asks_for_rtl: options.asks_for_rtl,
        }
    }

    /// The path of what an address asks for: a page's with the parameters that name it.
    pub(super) fn path(&self, url: &Url, role: LinkRole) -> PagePath {
        match role {
            LinkRole::Page => self.query.page(url),
            // Files may differ by their queries alone (R-S10).
            LinkRole::File => match url.query().filter(|query| !query.is_empty()) {
                Some(query) => PagePath::of_url(url).with_query(query),
                None => PagePath::of_url(url),
            },
        }
    }

    /// The address on the crawled host of what has another spelling of the site's host, or its public address. Other addresses stay as
    /// they are.
    pub(super) fn here<'u>(&self, url: &'u Url) -> Cow<'u, Url> {
        if url.origin() == self.start.origin() || !self.is_spelling_of_the_site(url) {
            return Cow::Borrowed(url);
        }
        let mut here = self.start.clone();
        here.set_path(url.path());
        here.set_query(url.query());
        here.set_fragment(url.fragment());
        Cow::Owned(here)
    }

    /// True if the host of an address is the crawled one or the public one, with another scheme or with `www.`.
    fn is_spelling_of_the_site(&self, url: &Url) -> bool {
        same_site(url, &self.start)
            || self
                .public
                .as_ref()
                .is_some_and(|public| same_site(url, public))
    }

    /// True if a language menu may lead to a path although our output lies on another host.
    pub(super) fn may_be_version(&self, path: &PagePath) -> bool {
        is_translated(path, &self.versions)
    }

    /// Decides about an address. Pages are fetched with what of their query names them, files with all of it.
    pub(super) fn judge(&self, url: &Url, role: LinkRole) -> ScopeVerdict {
        let has_user = !url.username().is_empty() || url.password().is_some();
        let url = &*self.here(url);
        let own = url.origin() == self.start.origin() && !has_user;
        let path = PagePath::of_url(url);
        if !own
            || url.as_str().len() > LONGEST_ADDRESS
            || path.path().starts_with("//")
            || path.path().starts_with(OF_THE_NETWORK)
            || is_translated(&path, &self.translated)
        {
            return ScopeVerdict::Outside;
        }
        let role = if media::is_file_name(path.path()) {
            LinkRole::File
        } else {
            role
        };
        if role == LinkRole::Page && !path.path().starts_with(&self.directory) {
            return ScopeVerdict::Outside;
        }
        let path = self.path(url, role);
        let mut url = url.clone();
        url.set_fragment(None);
        if let Cow::Owned(path) = without_session(url.path()) {
            url.set_path(&path);
        }
        let mut dropped = None;
        if role == LinkRole::Page {
            dropped = url
                .query()
                .filter(|query| !query.is_empty() && path.query().is_none())
                .map(Box::from);
            url.set_query(path.query());
        }
        let filtered = match role {
            LinkRole::Page => self.filter.allows_page(&path),
            LinkRole::File => self.filter.allows_file(&path),
        };
        if filtered && self.robots_allow(&url) {
            ScopeVerdict::Take(FetchTarget {
                path,
                url,
                role,
                dropped,
            })
        } else {
            ScopeVerdict::Excluded(path)
        }
    }

    /// The address at which the crawl began.
    pub(super) fn start(&self) -> &Url {
        &self.start
    }

    pub(super) fn robots_allow(&self, url: &Url) -> bool {
        self.robots
            .allows(&url[url::Position::BeforePath..url::Position::AfterQuery])
    }

    /// The robots.txt of the site.
    pub(super) fn robots_text(&self) -> &str {
        &self.robots.text
    }

    pub(super) fn allows_page(&self, path: &PagePath) -> bool {
        self.filter.allows_page(path)
    }
}

/// Paths that belong to the network in front of a site (Cloudflare): scripts, and addresses of mail that readers' browsers decode.
const OF_THE_NETWORK: &str = "/cdn-cgi/";

/// `rel` words of a `<link>` that name a page.
const PAGE_RELS: [&str; 13] = [
    "alternate",
    "amphtml",
    "author",
    "canonical",
    "contents",
    "first",
    "help",
    "index",
    "last",
    "license",
    "next",
    "prev",
    "previous",
];

/// `rel` words of a `<link>` that name a file the page needs.
const FILE_RELS: [&str; 12] = [
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "apple-touch-startup-image",
    "fluid-icon",
    "icon",
    "image_src",
    "manifest",
    "mask-icon",
    "modulepreload",
    "preload",
    "search",
    "stylesheet",
];

/// What a link asks for, or nothing where it is not to be followed.
pub(super) fn role(link: &FoundLink) -> Option<LinkRole> {
    let rel = |words: &[&str]| link.rel.iter().any(|word| words.contains(&word.as_str()));
    if link.address.is_empty() || link.address.starts_with('#') {
        return None;
    }
    match (link.element.as_str(), link.attribute.as_str()) {
        (_, "ping" | "cite" | "action" | "formaction" | "manifest") => None,
        // Statements for programs name pages; it is the pages' own links that lead to them.
        (_, "id" | "pattern") => None,
        (_, "url") => names_file(&link.address).then_some(LinkRole::File),
        (_, "file") => (!names_page(&link.address)).then_some(LinkRole::File),
        (_, "style") => Some(LinkRole::File),
        (_, "module") => (!link.address.ends_with('/')).then_some(LinkRole::File),
        (_, "possible") => role_by_name(&link.address),
        ("a" | "area", _) => (!rel(&["nofollow"])).then_some(LinkRole::Page),
        ("link", "imagesrcset") => Some(LinkRole::File),
        ("link", _) if rel(&FILE_RELS) => Some(LinkRole::File),
        ("link", _) if rel(&PAGE_RELS) => Some(LinkRole::Page),
        // Pages that may be opened next are linked, too.
        ("link", _) if rel(&["prefetch"]) => names_file(&link.address).then_some(LinkRole::File),
        ("link", _) => None,
        ("iframe" | "frame" | "meta" | "object" | "embed" | "turbo-frame", _)
        | (_, "hx-get" | "data-hx-get" | "data-include" | "w3-include-html") => {
            Some(LinkRole::Page)
        }
        // Scripts put what these name into the page.
        (element, attribute) if element.contains('-') || attribute.starts_with("data-") => {
            Some(role_by_name(&link.address).unwrap_or(LinkRole::File))
        }
        _ => Some(LinkRole::File),
    }
}

/// The role of an address by its ending. `None` if the ending tells none.
pub(super) fn role_by_name(address: &str) -> Option<LinkRole> {
    if names_page(address) {
        return Some(LinkRole::Page);
    }
    names_file(address).then_some(LinkRole::File)
}

/// True if the ending of an address says that it is certainly no page.
fn names_file(address: &str) -> bool {
    media::is_file_name(path_of(address))
}

/// True if the ending of an address says that it is a page.
fn names_page(address: &str) -> bool {
    media::by_ending(path_of(address)).is_some_and(media::is_page)
}

/// The path of an address as it is written. Empty if the address is nothing but a host.
fn path_of(address: &str) -> &str {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let rest = address.split_once("//").map(|(_, rest)| rest);
    match rest {
        Some(rest) => rest
            .find('/')
            .and_then(|at| rest.get(at..))
            .unwrap_or_default(),
        None => address,
    }
}

/// Whether a path belongs to our own output.
pub(crate) fn is_translated(path: &PagePath, prefixes: &[String]) -> bool {
    prefixes.iter().any(|prefix| {
        let prefix = prefix.trim_end_matches('/');
        !prefix.is_empty()
            && path
                .path()
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::LinkRole::{File, Page};
    use super::*;
    use crate::page;

    fn scope(start: &str) -> CrawlScope {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /docs/private/", "Latimer");
        let filter = PathFilter::new(&[], &["/docs/internal/**".to_owned()]).unwrap();
        let query = PageParameters::new(["id".to_owned(), "p".to_owned()]);
        let options = CrawlOptions {
            filter,
            translated: vec!["/docs/es/".to_owned()],
            query,
            ..CrawlOptions::default()
        };
        CrawlScope::new(&Url::parse(start).unwrap(), &options, robots)
    }

    #[test]
    fn addresses_are_judged_r_e7_r_e9_r_e11() {
        let scope = scope("https://h.example/docs/start.html");
        let take = |path: &str, query: &str, role| {
            (Some((path.to_owned(), query.to_owned(), role)), false)
        };
        let outside = (None, false);
        let excluded = (None, true);
        for (address, role, verdict) in [
            (
                "https://h.example/docs/a.html#x",
                Page,
                take("/docs/a.html", "", Page),
            ),
            (
                "https://H.EXAMPLE:443/docs/./b/../a?page=2",
                Page,
                take("/docs/a", "", Page),
            ),
            (
                "https://h.example/docs/a?p=2&x&id=1",
                Page,
                take("/docs/a?id=1&p=2", "id=1&p=2", Page),
            ),
            (
                "https://h.example/docs/a.pdf?p=2",
                Page,
                take("/docs/a.pdf?p=2", "p=2", File),
            ),
            (
                "https://h.example/docs/%7euser/",
                Page,
                take("/docs/~user/", "", Page),
            ),
            (
                "https://h.example/docs/a.pdf",
                Page,
                take("/docs/a.pdf", "", File),
            ),
            (
                "https://h.example/get/a.zip",
                Page,
                take("/get/a.zip", "", File),
            ),
            (
                "https://h.example/css/a.css?v=3",
                File,
                take("/css/a.css?v=3", "v=3", File),
            ),
            ("https://h.example/about", Page, outside.clone()),
            ("https://h.example/docs", Page, outside.clone()),
            (
                "http://www.h.example/docs/a",
                Page,
                take("/docs/a", "", Page),
            ),
            ("https://h.example:8443/docs/a", Page, outside.clone()),
            ("https://other.example/docs/a.css", File, outside.clone()),
            ("https://me:pw@h.example/docs/a", Page, outside.clone()),
            ("https://h.example/docs/es/a", Page, outside.clone()),
            ("https://h.example/docs/es", Page, outside),
            (
                "https://h.example/docs/esel",
                Page,
                take("/docs/esel", "", Page),
            ),
            ("https://h.example/docs/internal/a", Page, excluded.clone()),
            ("https://h.example/docs/private/a.css", File, excluded),
        ] {
            let url = Url::parse(address).unwrap();
            let given = match scope.judge(&url, role) {
                ScopeVerdict::Take(target) => {
                    let query = target.url.query().unwrap_or_default().to_owned();
                    (
                        Some((target.path.as_str().to_owned(), query, target.role)),
                        false,
                    )
                }
                ScopeVerdict::Excluded(_) => (None, true),
                ScopeVerdict::Outside => (None, false),
            };
            assert_eq!(given, verdict, "{address}");
        }
    }

    #[test]
    fn links_have_roles_r_e1_r_e4_r_e11_r_s6_r_s22() {
        for (html, wanted) in [
            ("<a href=/a>", Some(Page)),
            ("<area href=/a>", Some(Page)),
            ("<a rel='noopener nofollow' href=/a>", None),
            ("<a href='#x'>", None),
            ("<iframe src=/a>", Some(Page)),
            ("<meta http-equiv=refresh content='0; url=/a'>", Some(Page)),
            ("<link rel=next href=/a>", Some(Page)),
            ("<link rel=canonical href=/a>", Some(Page)),
            ("<link rel='shortcut icon' href=/a>", Some(File)),
            ("<link rel='alternate stylesheet' href=/a>", Some(File)),
            ("<link rel=preconnect href=/a>", None),
            ("<form action=/a>", None),
            ("<img srcset='/a 2x'>", Some(File)),
            ("<video poster=/a></video>", Some(File)),
            ("<object data=/a></object>", Some(Page)),
            ("<p style='background:url(/a)'>", Some(File)),
            ("<a style='background:url(/a)'>", Some(File)),
            ("<script src=/a></script>", Some(File)),
            (
                "<script type='application/ld+json'>{\"url\":\"/a\"}</script>",
                None,
            ),
            (
                "<script type='application/ld+json'>{\"hasMenu\":\"/menu.pdf?v=2\"}</script>",
                Some(File),
            ),
            (
                "<script type='application/ld+json'>{\"url\":\"https://h.com\"}</script>",
                None,
            ),
            (
                "<script type='application/ld+json'>{\"image\":\"/photo?id=3\"}</script>",
                Some(File),
            ),
            (
                "<script type='application/ld+json'>{\"image\":\"/photo.html\"}</script>",
                None,
            ),
            (
                "<script type='application/ld+json'>{\"@id\":\"https://h/a.png\"}</script>",
                None,
            ),
            ("<meta property=og:image content=/og>", Some(File)),
            ("<meta property=og:video content=/player/1>", None),
            ("<meta property=og:url content=/a.pdf>", None),
            ("<link itemprop=image href=/a>", Some(File)),
            ("<link rel=prefetch href=/a>", None),
            ("<link rel=prefetch href=/a.json>", Some(File)),
            ("<link rel=modulepreload href=/a>", Some(File)),
            ("<link rel=alternate media=print href=/a>", Some(Page)),
            ("<iframe data-src=/a.html></iframe>", Some(Page)),
            ("<div data-src=/a.html>", Some(Page)),
            ("<x-y src=/a.json>", Some(File)),
            ("<script type=module>import '/a.js'</script>", Some(File)),
            ("<script>fetch('/a.html')</script>", Some(Page)),
            ("<script>fetch('/a')</script>", None),
            (
                "<script type=importmap>{\"imports\":{\"a\":\"/a/\"}}</script>",
                None,
            ),
            (
                "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"/a\"]}]}</script>",
                None,
            ),
            ("<link itemprop=url href=/a>", None),
        ] {
            let links = page::find_links(page::PageFormat::Html, html.as_bytes(), None).links;
            assert_eq!(links.first().and_then(role), wanted, "{html}: {links:?}");
        }
    }
}
