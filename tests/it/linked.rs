//! Every link of every language of a site with links of all kinds (`fixtures/linked`), followed on `latimer serve`: no circle, no
//! failure, and no address that the source's own site answers and ours does not (R-S7, R-S14, R-S15, R-S17, R-S19).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};
use url::Url;

use crate::support::origin::{Origin, Said};
use crate::support::pages::{addresses, attribute};
use crate::support::web::{Response, Server, get_from};
use crate::support::{MARKING, Site, copy, files, repository};

const PATH: &str = "https://www.example.com/{lang}";
const HOST: &str = "https://{lang}.example.com";
/// Languages that the site is made in.
const LOCALES: [&str; 2] = ["es", "fr"];
/// A link of the source that leads nowhere.
const GONE: &str = "/gone";

/// An answer of the source's own site.
#[derive(Debug, PartialEq)]
enum Answer {
    /// The file of this name.
    File(String),
    Moved(String),
    Missing,
}

/// Answers as hosts do that serve `about.html` for `/about`.
fn source_answer(names: &BTreeSet<String>, path: &str) -> Answer {
    let name = path
        .split('?')
        .next()
        .unwrap_or_default()
        .trim_start_matches('/');
    let stem = name.trim_end_matches('/');
    let index = if stem.is_empty() {
        "index.html".to_owned()
    } else {
        format!("{stem}/index.html")
    };
    let page = format!("{stem}.html");
    let is_folder = name.is_empty() || name.ends_with('/');
    match () {
        () if names.contains(name) => Answer::File(name.to_owned()),
        () if is_folder && names.contains(&index) => Answer::File(index),
        () if stem == "index" || stem.ends_with("/index") => Answer::Missing,
        () if names.contains(&page) && is_folder => Answer::Moved(format!("/{stem}")),
        () if names.contains(&page) => Answer::File(page),
        () if names.contains(&index) => Answer::Moved(format!("/{stem}/")),
        () => Answer::Missing,
    }
}

fn source() -> PathBuf {
    repository().join("fixtures/linked")
}

fn names() -> BTreeSet<String> {
    files(&source()).into_keys().collect()
}

/// The media type of a file.
fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain",
        Some("xml") => "text/xml",
        _ => "text/html; charset=utf-8",
    }
}

/// The source's own site, for a crawl.
fn origin() -> Origin {
    let names = names();
    Origin::start(move |path| match source_answer(&names, path) {
        Answer::Moved(to) => Said::redirect(&to),
        Answer::Missing => Said::status(404),
        Answer::File(name) => Said::of_type(
            media_type(&name),
            std::fs::read_to_string(source().join(&name)).unwrap(),
        ),
    })
}

/// The same for a reader.
fn source_response(names: &BTreeSet<String>, path: &str) -> Response {
    let (status, header, body) = match source_answer(names, path) {
        Answer::Moved(to) => (302, ("location", to), Vec::new()),
        Answer::Missing => (404, ("content-type", "text/plain".to_owned()), Vec::new()),
        Answer::File(name) => {
            let body = std::fs::read(source().join(&name)).unwrap();
            (200, ("content-type", media_type(&name).to_owned()), body)
        }
    };
    Response {
        status,
        headers: BTreeMap::from([(header.0.to_owned(), header.1)]),
        body,
    }
}

/// A site from the folder, with or without canonical addresses that tell the spelling.
fn folder_site(url: &str, addresses: &str, has_canonicals: bool) -> Site {
    let site = Site::new(&keys(url, addresses), &[]);
    copy(&source(), &site.path("source"), &|_| true);
    if !has_canonicals {
        for name in names()
            .into_iter()
            .filter(|name| name.ends_with(".html") || name == "sitemap.xml")
        {
            let text = site.read(&format!("source/{name}"));
            let lines = text
                .lines()
                .filter(|line| !line.contains("canonical") && !line.contains("<loc>"));
            site.write(
                &format!("source/{name}"),
                &lines.map(|line| format!("{line}\n")).collect::<String>(),
            );
        }
    }
    site
}

fn keys(url: &str, addresses: &str) -> String {
    format!(
        "url = \"{url}\"\nsource_url = \"https://www.example.com\"\nlocales = [\"es\", \"fr\"]\nengine = \"marking\"\n\
         addresses = \"{addresses}\"\n{MARKING}"
    )
}

/// A site that is crawled from a server.
fn crawled_site(url: &str, addresses: &str, origin: &Origin) -> Site {
    let site = Site::new("", &[]);
    let keys = keys(url, addresses);
    site.write(
        "latimer.toml",
        &format!(
            "[[site]]\nid = \"site\"\nsource = {:?}\nsource_locale = \"en\"\n{keys}\n[site.crawl]\nallow_private = true\n",
            origin.address
        ),
    );
    site
}

/// The site as a reader sees it: hosts by name, answered by one server, and by the source's own site if it is crawled.
struct Reader {
    server: Server,
    /// Files of the source's own site.
    crawled: Option<BTreeSet<String>>,
    /// Bases of the languages, without a slash.
    bases: BTreeMap<String, String>,
}

/// Addresses that were followed: those of pages, and those without an answer, with the page that names them.
#[derive(Default)]
struct Walk {
    pages: BTreeMap<Url, Response>,
    missing: BTreeMap<Url, Url>,
}

impl Reader {
    fn new(site: &Site, url: &str, is_crawled: bool) -> Self {
        let mut bases = BTreeMap::from([("en".to_owned(), "https://www.example.com".to_owned())]);
        for locale in LOCALES {
            bases.insert(locale.to_owned(), url.replace("{lang}", locale));
        }
        let crawled = if is_crawled { Some(names()) } else { None };
        Self {
            server: Server::start(site.folder()),
            crawled,
            bases,
        }
    }

    fn is_here(&self, url: &Url) -> bool {
        url.scheme() == "https"
            && self
                .bases
                .values()
                .any(|base| Url::parse(base).unwrap().host() == url.host())
    }

    /// The path of an address below that of a language which the site is made in.
    fn path_in_language<'u>(&self, url: &'u Url) -> Option<&'u str> {
        let bases = LOCALES.iter().map(|locale| self.bases[*locale].as_str());
        let mut paths = bases.filter_map(|base| url.as_str().strip_prefix(base));
        paths.find(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn ask(&self, url: &Url) -> Response {
        let path = url[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
        match &self.crawled {
            Some(names)
                if self.path_in_language(url).is_none() && !path.starts_with("/_latimer/") =>
            {
                source_response(names, &path)
            }
            _ => get_from(&self.server.address, url.host_str().unwrap(), &path),
        }
    }

    /// Follows redirects to the answer at their end. Panics at a circle and at an error of the server.
    fn follow(&self, from: &Url) -> (Url, Response) {
        let mut url = from.clone();
        let mut seen = Vec::new();
        loop {
            let answer = self.ask(&url);
            assert!(answer.status < 500, "{url}: {}", answer.status);
            let Some(to) = answer.headers.get("location") else {
                return (url, answer);
            };
            seen.push(url.clone());
            url = url.join(to).unwrap();
            assert!(
                !seen.contains(&url) && seen.len() < 4,
                "{seen:?} lead to {url}"
            );
        }
    }

    /// Follows every link from some pages on.
    fn walk(&self, starts: Vec<Url>) -> Walk {
        let mut walk = Walk::default();
        let mut known: BTreeSet<Url> = starts.iter().cloned().collect();
        let mut open: Vec<(Url, Url)> = starts
            .into_iter()
            .map(|start| (start.clone(), start))
            .collect();
        while let Some((url, from)) = open.pop() {
            let (at, answer) = self.follow(&url);
            if answer.status != 200 {
                walk.missing.insert(url, from);
                continue;
            }
            let is_map = at.path().ends_with("sitemap.xml");
            let named = match answer.is_html() {
                true => addresses(&at, answer.text()),
                false if is_map => answer
                    .text()
                    .split("<loc>")
                    .skip(1)
                    .filter_map(loc)
                    .collect(),
                false => BTreeSet::new(),
            };
            for mut link in named.into_iter().filter(|link| self.is_here(link)) {
                link.set_fragment(None);
                if known.insert(link.clone()) {
                    open.push((link, at.clone()));
                }
            }
            if answer.is_html() {
                walk.pages.insert(at, answer);
            }
        }
        walk
    }

    /// The path that an address has in the source.
    fn source_path(&self, url: &Url) -> String {
        let path = self.path_in_language(url).unwrap_or(url.path());
        path.split('?').next().unwrap_or_default().to_owned()
    }
}

fn loc(entry: &str) -> Option<Url> {
    Url::parse(entry.split('<').next()?).ok()
}

/// Every spelling of the address of a page that a host may answer.
fn spellings(name: &str) -> BTreeSet<String> {
    let stem = name.strip_suffix(".html").unwrap();
    let folder = stem
        .strip_suffix("index")
        .map(|folder| folder.trim_end_matches('/'));
    let mut spellings = BTreeSet::from([format!("/{name}"), format!("/{stem}")]);
    match folder {
        Some(folder) => spellings.extend([
            format!("/{folder}"),
            format!("/{folder}/").replace("//", "/"),
        ]),
        None => spellings.extend([format!("/{stem}/"), format!("/{stem}/index.html")]),
    }
    spellings
}

/// Follows every link of a site that is built, and every spelling of its pages.
fn check(reader: &Reader, report: &Value, place: &str) {
    let names = names();
    let mut starts: Vec<Url> = reader
        .bases
        .values()
        .map(|base| Url::parse(&format!("{base}/")).unwrap())
        .collect();
    starts.extend(
        reader
            .bases
            .values()
            .filter_map(|base| Url::parse(&format!("{base}/sitemap.xml")).ok()),
    );
    let walk = reader.walk(starts);
    for (missing, from) in &walk.missing {
        let path = reader.source_path(missing);
        let is_map = path.ends_with("sitemap.xml");
        // The origin has no Spanish pages, and its own pages are not ours to change.
        let is_of_origin = reader.crawled.is_some() && reader.path_in_language(missing).is_none();
        let is_missing = is_of_origin && source_answer(&names, &path) == Answer::Missing;
        assert!(
            is_map || is_missing || path == GONE,
            "{place}: {missing}, which {from} names: {}",
            report["notices"]
        );
    }
    let languages: BTreeSet<_> = walk
        .pages
        .values()
        .filter_map(|answer| attribute(answer.text(), "html", "lang"))
        .collect();
    assert_eq!(
        languages,
        ["de", "en", "es", "fr"].map(str::to_owned).into(),
        "{place}"
    );
    assert!(walk.pages.len() > 40, "{place}: {} pages", walk.pages.len());
    let pages = names
        .iter()
        .filter(|name| name.ends_with(".html") && !name.starts_with("de/") && *name != "404.html");
    let pages = pages.filter(|name| {
        !["es/", "google", "parts/"]
            .iter()
            .any(|start| name.starts_with(start))
    });
    for name in pages {
        for path in spellings(name) {
            for (locale, base) in &reader.bases {
                let asked = Url::parse(&format!("{base}{path}")).unwrap();
                let (at, answer) = reader.follow(&asked);
                let is_answered = source_answer(&names, &path) != Answer::Missing;
                assert!(
                    answer.status == 200 || !is_answered,
                    "{place}: {asked}: {} at {at}",
                    answer.status
                );
                let lang = attribute(&String::from_utf8_lossy(&answer.body), "html", "lang");
                assert!(
                    answer.status != 200 || lang.as_ref() == Some(locale),
                    "{place}: {asked} is in {lang:?} at {at}"
                );
            }
        }
    }
}

#[test]
fn every_link_of_a_folder_leads_somewhere_in_each_spelling_of_addresses_r_s7() {
    for url in [PATH, HOST] {
        for (addresses, has_canonicals) in [
            ("auto", true),
            ("auto", false),
            ("pretty", true),
            ("pretty", false),
            ("file", true),
            ("file", false),
        ] {
            let site = folder_site(url, addresses, has_canonicals);
            let report = site.build(&[], 0);
            let reader = Reader::new(&site, url, false);
            check(
                &reader,
                &report,
                &format!("{url} {addresses} {has_canonicals}"),
            );
        }
    }
}

#[test]
fn every_link_of_a_crawled_site_leads_somewhere_in_each_spelling_of_addresses_r_s7() {
    let origin = origin();
    for url in [PATH, HOST] {
        for addresses in ["auto", "pretty", "file"] {
            let site = crawled_site(url, addresses, &origin);
            // The menu leads to `/es/`, which is ours and no page that the source lacks.
            let report = site.build(&[], 6);
            let failures = report["failures"].as_array().unwrap();
            assert_eq!(
                failures
                    .iter()
                    .map(|failure| &failure["path"])
                    .collect::<Vec<_>>(),
                [&json!(GONE)],
                "{url}"
            );
            let reader = Reader::new(&site, url, true);
            check(&reader, &report, &format!("crawled: {url} {addresses}"));
        }
    }
}

/// The errors that an audit finds, but for the link that leads nowhere in the source, too.
fn errors(site: &Site, folder: &str, arguments: &[&str]) -> Vec<String> {
    let report = site
        .run(&[&["audit", folder, "--json"], arguments].concat())
        .json();
    let findings = report["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("{report}"));
    let errors = findings
        .iter()
        .filter(|finding| finding["severity"] == "error");
    let errors = errors.map(|finding| {
        format!(
            "{}: {} {}",
            finding["page"], finding["rule"], finding["message"]
        )
    });
    errors
        .filter(|error| !error.contains("/gone, where there is nothing"))
        .collect()
}

#[test]
fn the_audit_finds_no_error_in_any_version_but_dead_links_of_the_source() {
    for url in [PATH, HOST] {
        for (addresses, has_canonicals) in [
            ("auto", true),
            ("auto", false),
            ("pretty", false),
            ("file", true),
        ] {
            let site = folder_site(url, addresses, has_canonicals);
            site.build(&[], 0);
            // Alternates that do not name each other, and entries for versions that the source does not have.
            assert!(errors(&site, "source", &[]).len() > 2);
            for arguments in [&[][..], &["--source", "source"]] {
                let found = errors(&site, "dist/site", arguments);
                assert_eq!(
                    found,
                    Vec::<String>::new(),
                    "{url} {addresses} {has_canonicals} {arguments:?}"
                );
            }
        }
    }
}
