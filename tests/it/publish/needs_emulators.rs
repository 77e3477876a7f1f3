//! The emulators of Netlify, Cloudflare Pages, Firebase Hosting and Azure Static Web Apps answer as `latimer serve` does,
//! with the files that publishing wrote for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::emulator::Emulator;
use super::names::{ODD_NAMES, addresses, named};
use super::needs_hosts::crawled_site;
use super::parity::{Seen, ask, paths, told};
use super::{URL, site};
use crate::support::Site;
use crate::support::web::Server;

mod by_rule;

const HOST: &str = "www.example.com";
const HOSTS: [&str; 4] = ["netlify", "cloudflare-pages", "firebase", "azure-swa"];

fn target(host: &str) -> String {
    format!(
        "[publish.{host}]\nkind = \"folder\"\nhost = \"{host}\"\nlayout = \"plain\"\nto = \"www/{host}\"\n"
    )
}

/// What differs by the nature of a host, by how its sentence in the host's row begins.
const SPELLINGS: &str = "other spellings of an address";
const SLASH: &str =
    "of two pages whose addresses differ in a slash at the end or in the ending alone";
const FROM_SPELLINGS: &str = "other spellings of an address that redirects or is gone";
const SHARED: &str = "files that all languages share";
const ONE_404: &str = "one page for what is not found";
const NO_404: &str = "a language without a page for what is not found";
const OUR_404: &str = "where the site has no page for what is not found";
const TYPES: &str = "media types are the host's own";
const STATUS: &str = "307 and 308 may be answered as 302";
const QUERY: &str = "queries may be lost";
const CODED: &str = "an address that encodes what needs no encoding";
const AT_ITSELF: &str = "the page for what is not found answers 404";
const FOLDER_404: &str = "where the site lies below a folder";
const ODD: &str = "an address with two slashes";

/// What differs at an emulator, and not at its host.
const FAULTS: [(&str, &str); 5] = [
    // Its documentation says that it does.
    ("azure-swa", NO_ENDING),
    ("cloudflare-pages", BELOW_A_FILE),
    ("cloudflare-pages", RAW),
    ("azure-swa", HEAD),
    // It shows the page that its configuration names only where that lies at the root.
    ("azure-swa", FOLDER_404),
];
const HEAD: &str = "the emulator answers 404 to HEAD";
const NO_ENDING: &str = "the emulator does not find a page without the ending of its name";
const RAW: &str = "the emulator's redirects to its own spellings are not encoded";
const BELOW_A_FILE: &str = "the emulator answers 502 for what seems to lie below a file";

/// One address, at both.
struct Pair<'p> {
    path: &'p str,
    /// The host name.
    name: &'p str,
    ours: &'p str,
    theirs: &'p str,
    expected: Seen,
    seen: Seen,
}

impl Pair<'_> {
    /// What differs, by name; what has none is described.
    fn differs(&self) -> Vec<String> {
        let Self {
            path,
            expected,
            seen,
            ..
        } = self;
        let named = |name: &str| vec![name.to_owned()];
        let (asked, _) = path.split_once('?').unwrap_or((path, ""));
        let is_spelling = |other: &Option<String>| {
            other
                .as_deref()
                .is_some_and(|other| decoded(&stem(other)) == decoded(&stem(asked)))
        };
        if path.contains("//") {
            return named(ODD);
        }
        let is_redirect = |seen: &Seen| (301..=308).contains(&seen.status);
        match (expected.status, seen.status) {
            (200 | 404 | 410, status)
                if status == expected.status && seen.body == expected.body =>
            {
                named(TYPES)
            }
            (_, 308)
                if seen
                    .location
                    .as_ref()
                    .is_some_and(|to| to.contains(char::REPLACEMENT_CHARACTER)) =>
            {
                named(RAW)
            }
            (307 | 404, 200 | 308) if stem(asked) == "/404" && self.names_our_404() => {
                named(OUR_404)
            }
            (404, 404)
                if path.starts_with("/shop/") && !seen.body.starts_with(b"<!doctype html>") =>
            {
                named(FOLDER_404)
            }
            (307 | 308, 404) if path.contains("%6") && !is_spelling(&expected.location) => {
                named(CODED)
            }
            (200 | 308, 308 | 502) if self.leads_uncoded(asked) => named(RAW),
            (_, 502) if self.is_below_a_file(asked) => named(BELOW_A_FILE),
            (404, 404) | (410, 410) if self.has_no_page() => named(NO_404),
            (404, 404) if self.is_page_of_source_or_none() => named(ONE_404),
            (200, 301 | 308 | 404) if asked.ends_with("/404.html") && self.is_shown_for_404() => {
                named(AT_ITSELF)
            }
            _ if self.is_one_of_two(asked) => named(SLASH),
            (200, 404) if self.is_found_at(&with_few_coded(asked)) => named(CODED),
            (200, 404) if self.is_found_at(&format!("{asked}.html")) => named(NO_ENDING),
            (200, 404) if self.is_shared(asked) => named(SHARED),
            _ if is_redirect(expected) && is_redirect(seen) && !is_spelling(&expected.location) => {
                self.moved()
            }
            (200 | 307 | 308, 200 | 301 | 302 | 307 | 308 | 410) if self.leads_to_the_same() => {
                named(SPELLINGS)
            }
            (308, 404) if is_spelling(&expected.location) => named(SPELLINGS),
            (307 | 308 | 410, 404) if self.another_spelling_is_told(asked) => named(FROM_SPELLINGS),
            (404, 301..=308) if self.another_spelling_leads_there(asked) => named(FROM_SPELLINGS),
            _ => vec![format!(
                "{path}: {:?} instead of {:?}",
                told(seen),
                told(expected)
            )],
        }
    }

    /// How two redirects differ.
    fn moved(&self) -> Vec<String> {
        let mut found = Vec::new();
        match (self.expected.status, self.seen.status) {
            (expected, status) if expected == status => {}
            (307 | 308, 302) => found.push(STATUS.to_owned()),
            (expected, status) => {
                found.push(format!("{}: {status} instead of {expected}", self.path))
            }
        }
        if place(&self.expected) != place(&self.seen) {
            found.push(format!(
                "{}: {:?} instead of {:?}",
                self.path,
                told(&self.seen),
                told(&self.expected)
            ));
        } else if self.expected.location != self.seen.location {
            found.push(QUERY.to_owned());
        }
        found
    }

    /// Whether what a redirect to this address's spelling would say is lost where it is not encoded: a header holds no letters beyond
    /// those of Latin-1, and no space at its end.
    fn leads_uncoded(&self, asked: &str) -> bool {
        let spelling = String::from_utf8(decoded(&stem(asked))).unwrap();
        match &self.seen.location {
            Some(to) => *to != spelling && to == spelling.trim_end(),
            None => spelling.chars().any(|c| u32::from(c) > 0xff),
        }
    }

    /// True if the host shows this page for what is not found, perhaps in its own spelling.
    fn is_shown_for_404(&self) -> bool {
        let at = self.seen.location.as_deref();
        let shown = at.map_or_else(
            || self.seen.clone(),
            |at| ask(self.theirs, self.name, "GET", at, ""),
        );
        shown.status == 404 && shown.body == self.expected.body
    }

    /// True if our server has two pages at the spellings of an address, and the host shows one of them.
    fn is_one_of_two(&self, asked: &str) -> bool {
        let all = spellings(asked).filter(|path| path.starts_with('/'));
        let found = all
            .map(|path| ask(self.ours, self.name, "GET", &path, ""))
            .filter(|seen| seen.status == 200);
        let pages: BTreeSet<Vec<u8>> = found.map(|seen| seen.body).collect();
        let to = self.seen.location.as_deref();
        let shown = to.map_or_else(
            || self.seen.clone(),
            |to| ask(self.theirs, self.name, "GET", to, ""),
        );
        pages.len() > 1 && pages.contains(&shown.body)
    }

    /// Whether the host has what was asked for at another address.
    fn is_found_at(&self, path: &str) -> bool {
        let mut found = ask(self.theirs, self.name, "GET", path, "");
        // Its own spelling of a page.
        if let Some(to) = found
            .location
            .clone()
            .filter(|to| format!("{to}.html") == path)
        {
            found = ask(self.theirs, self.name, "GET", &to, "");
        }
        found.status == 200 && found.body == self.expected.body
    }

    fn is_below_a_file(&self, asked: &str) -> bool {
        let above = asked
            .strip_suffix("/index.html")
            .or_else(|| asked.strip_suffix('/'));
        above.is_some_and(|above| ask(self.ours, self.name, "GET", above, "").status == 200)
    }

    /// Whether our server says it in words of its own.
    fn has_no_page(&self) -> bool {
        self.expected
            .content_type
            .as_deref()
            .is_none_or(|kind| kind.starts_with("text/plain"))
    }

    /// Whether this is the source language's page, or that has none.
    fn is_page_of_source_or_none(&self) -> bool {
        let base = if self.path.starts_with("/shop") {
            "/shop"
        } else {
            ""
        };
        let page = ask(self.ours, self.name, "GET", &format!("{base}/404.html"), "");
        page.status == 404 || page.body == self.seen.body
    }

    /// Whether this is the page that publishing wrote, or leads to it.
    fn names_our_404(&self) -> bool {
        let nothing = ask(self.theirs, self.name, "GET", "/nowhere/at/all", "");
        let page = self
            .seen
            .location
            .as_ref()
            .map(|to| ask(self.theirs, self.name, "GET", to, "").body);
        nothing.status == 404 && page.as_ref().unwrap_or(&self.seen.body) == &nothing.body
    }

    /// Whether the same file is there without the language before it.
    fn is_shared(&self, asked: &str) -> bool {
        let (base, rest) = asked
            .strip_prefix("/shop")
            .map_or(("", asked), |rest| ("/shop", rest));
        let own = rest[1..]
            .split_once('/')
            .map(|(_, rest)| format!("{base}/{rest}"));
        own.is_some_and(|own| self.is_found_at(&own))
    }

    fn leads_to_the_same(&self) -> bool {
        let end = |address: &str, seen: &Seen| {
            let mut seen = seen.clone();
            for _ in 0..4 {
                let Some(to) = seen.location.clone() else {
                    break;
                };
                seen = ask(address, self.name, "GET", &to.replace(' ', "%20"), "");
            }
            (
                seen.status,
                if seen.status == 200 {
                    seen.body
                } else {
                    Vec::new()
                },
            )
        };
        end(self.ours, &self.expected) == end(self.theirs, &self.seen)
    }

    fn another_spelling_is_told(&self, asked: &str) -> bool {
        let to = place(&self.expected);
        spellings(asked).any(|spelling| {
            let other = ask(self.theirs, self.name, "GET", &spelling, "");
            place(&other) == to && (to.is_some() || other.status == self.expected.status)
        })
    }

    /// Whether our server leads another spelling of this address to where the host leads this one.
    fn another_spelling_leads_there(&self, asked: &str) -> bool {
        let leads = |spelling: String| place(&ask(self.ours, self.name, "GET", &spelling, ""));
        let to = place(&self.seen);
        to.is_some() && spellings(asked).any(|spelling| leads(spelling) == to)
    }
}

/// Where an answer leads, without the query.
fn place(seen: &Seen) -> Option<String> {
    let to = seen.location.as_deref()?;
    Some(to.split('?').next().unwrap_or(to).to_owned())
}

/// The addresses that differ from one in its ending alone.
fn spellings(asked: &str) -> impl Iterator<Item = String> + use<> {
    let stem = stem(asked);
    ["/", "", ".html", "/index.html"]
        .into_iter()
        .map(move |ending| format!("{stem}{ending}"))
}

fn decoded(path: &str) -> Vec<u8> {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    bytes
}

/// A path as most write it: what may stand in one is not encoded.
fn with_few_coded(path: &str) -> String {
    let mut text = path.to_owned();
    for plain in ":@&=+$,;!()*'~".chars() {
        text = text.replace(&format!("%{:02X}", u32::from(plain)), &plain.to_string());
    }
    text
}

/// An address without what its spellings differ in.
fn stem(path: &str) -> String {
    let path = path.split('?').next().unwrap_or(path);
    let stem = ["/index.html", ".html", "/"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending))
        .unwrap_or(path);
    stem.to_owned()
}

/// Media types are the same in any letters.
fn normal(mut seen: Seen) -> Seen {
    seen.content_type = seen
        .content_type
        .map(|kind| kind.to_lowercase().replace("; ", ";"));
    seen
}

/// Asks `latimer serve` and the emulator for every path; what differs must be in the host's row, by name, or is given.
fn compare(
    (host, name): (&str, &str),
    site: &Site,
    theirs: &Emulator,
    ours: &Server,
    paths: &BTreeSet<String>,
) -> (usize, Vec<String>) {
    let row = site
        .run(&["publish", host, "--quiet", "--dry-run", "--json"])
        .json()["publish"]["differs"]
        .clone();
    let is_named = |name: &String| {
        let in_row = row
            .as_array()
            .unwrap()
            .iter()
            .any(|sentence| sentence.as_str().unwrap().starts_with(name.as_str()));
        in_row || FAULTS.contains(&(host, name.as_str()))
    };
    let (mut found, mut asked): (BTreeMap<String, usize>, usize) = (BTreeMap::new(), 0);
    for (number, path) in paths.iter().enumerate() {
        asked += 1;
        let expected = normal(ask(&ours.address, name, "GET", path, ""));
        let seen = normal(ask(&theirs.address, name, "GET", path, ""));
        if number % 8 == 0 {
            asked += 1;
            let head = normal(ask(&theirs.address, name, "HEAD", path, ""));
            if head.status == 404 && seen.status == 200 {
                *found.entry(HEAD.to_owned()).or_default() += 1;
            } else {
                assert_eq!(
                    told(&head),
                    told(&Seen {
                        body: Vec::new(),
                        ..seen.clone()
                    }),
                    "{host}: HEAD {path}"
                );
            }
        }
        if seen != expected {
            let pair = Pair {
                path,
                name,
                ours: &ours.address,
                theirs: &theirs.address,
                expected,
                seen,
            };
            pair.differs()
                .into_iter()
                .for_each(|name| *found.entry(name).or_default() += 1);
        }
    }
    println!("{host}: {asked} requests; {found:#?}");
    let unnamed = found
        .into_keys()
        .filter(|name| !is_named(name))
        .map(|name| format!("{host}: {name}"));
    (asked, unnamed.collect())
}

/// Builds a site, publishes it for each of the hosts and compares all of its addresses.
fn check(site: &Site, hosts: &[&str], base: &str, labels: &[&str]) {
    site.build(&[], 0);
    let paths = paths(site, base, labels);
    assert!(paths.len() > 130, "{} paths", paths.len());
    check_paths(site, hosts, &paths, 200);
}

/// Compares addresses, by at least so many requests for each host.
fn check_paths(site: &Site, hosts: &[&str], paths: &BTreeSet<String>, least: usize) {
    let ours = Server::start(site.folder());
    let mut lost = Vec::new();
    for host in hosts {
        let ran = site.run(&["publish", host, "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let theirs = Emulator::start(host, &site.path(&format!("www/{host}")));
        let (asked, unnamed) = compare((host, HOST), site, &theirs, &ours, paths);
        assert!(asked > least, "{asked} requests");
        lost.extend(unnamed);
    }
    assert!(lost.is_empty(), "{} differ: {lost:#?}", lost.len());
}

fn all_targets() -> String {
    HOSTS.map(target).concat()
}

/// The characters that names of files may not have there.
fn refused(host: &str) -> &'static [char] {
    match host {
        // Where a rule meets the name of a file with a percent sign, the emulator ends with an error; it does not find one with a
        // semicolon.
        "netlify" => &['#', '?', '%', ';'],
        "cloudflare-pages" | "azure-swa" => &['#', '?', '%'],
        "firebase" => &['#', '?'],
        _ => &[],
    }
}

const LABELS: [&str; 4] = ["", "/es", "/fr", "/br"];

/// The site without spaces in its names, which Netlify's list cannot hold.
fn without_spaces(site: Site) -> Site {
    fs::remove_file(site.path("source/docs/a b.html")).unwrap();
    fs::rename(
        site.path("source/docs/tarta de maíz.html"),
        site.path("source/docs/maíz.html"),
    )
    .unwrap();
    site
}

mod nightly {
    use super::*;

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own() {
        check(&site(URL, &all_targets()), &HOSTS[1..], "", &LABELS);
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn netlify_answers_like_our_own_also_where_pages_are_gone() {
        check(
            &without_spaces(site(URL, &target("netlify"))),
            &HOSTS[..1],
            "",
            &LABELS,
        );
        let keys = format!("{URL}\nmissing = \"gone\"");
        check(
            &without_spaces(site(&keys, &target("netlify"))),
            &HOSTS[..1],
            "",
            &LABELS,
        );
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own_below_a_folder() {
        let keys = "url = \"https://www.example.com/shop/{lang}\"";
        check(
            &without_spaces(site(keys, &all_targets())),
            &HOSTS,
            "/shop",
            &LABELS,
        );
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own_where_each_language_has_a_host() {
        let site = without_spaces(site("url = \"https://{lang}.example.com\"", &all_targets()));
        site.build(&[], 0);
        let ours = Server::start(site.folder());
        for host in HOSTS {
            let ran = site.run(&["publish", host, "--quiet"]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            for label in ["en", "es", "br"] {
                let name = if label == "en" {
                    "example.com".to_owned()
                } else {
                    format!("{label}.example.com")
                };
                let theirs = Emulator::start(host, &site.path(&format!("www/{host}/{label}")));
                let (asked, lost) = compare(
                    (host, &name),
                    &site,
                    &theirs,
                    &ours,
                    &paths(&site, "", &[""]),
                );
                assert!(
                    asked > 100 && lost.is_empty(),
                    "{asked} requests, {} differ: {lost:#?}",
                    lost.len()
                );
            }
        }
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own_for_a_crawled_site() {
        let (site, _origin) = crawled_site("", &all_targets());
        site.build(&[], 0);
        // It has fewer addresses than the others.
        check_paths(&site, &HOSTS, &paths(&site, "", &["", "/es"]), 150);
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_by_lists_of_the_site_and_by_ours() {
        let hosts = &HOSTS[..2];
        let site = without_spaces(site(
            URL,
            &hosts.iter().map(|host| target(host)).collect::<String>(),
        ));
        site.write(
            "source/_redirects",
            "# Since 2019\n/was /plain.html 301\n/blog/* /news/:splat 301\n",
        );
        site.write("source/_headers", "/plain.html\n  X-Of: theirs\n");
        site.build(&[], 0);
        let mut paths = paths(&site, "", &LABELS);
        // The lists themselves are the host's.
        paths.retain(|path| !path.contains("/_redirects") && !path.contains("/_headers"));
        check_paths(&site, hosts, &paths, 200);
        for host in hosts {
            let theirs = Emulator::start(host, &site.path(&format!("www/{host}")));
            for (from, to) in [
                ("/was", "/plain.html"),
                ("/blog/one.html", "/news/one.html"),
            ] {
                let seen = ask(&theirs.address, HOST, "GET", from, "");
                assert_eq!(
                    (seen.status, seen.location.as_deref()),
                    (301, Some(to)),
                    "{host} {from}"
                );
            }
        }
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own_for_odd_names_and_without_a_404_page() {
        for host in HOSTS {
            let mut names: Vec<&str> = ODD_NAMES
                .into_iter()
                .filter(|name| !name.contains(refused(host)))
                .collect();
            if host == "netlify" {
                // Names that differ in case alone are one there.
                names.retain(|name| *name != "About.html");
            }
            let site = named(&names, &target(host));
            let more = [
                "/nowhere",
                "/nowhere/",
                "/es/nowhere/at/all",
                "/nowhere.html",
            ]
            .map(str::to_owned);
            check_paths(
                &site,
                &[host],
                &addresses(&names).into_iter().chain(more).collect(),
                90,
            );
        }
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn cloudflare_loses_the_names_that_are_refused_there() {
        let (host, names) = ("cloudflare-pages", ["a#b.html", "what?.html", "%41.html"]);
        let site = named(&["plain.html"], &target(host));
        assert_eq!(site.run(&["publish", host, "--quiet"]).code, 0);
        for name in names {
            // As if they had not been refused.
            site.write(&format!("www/{host}/{name}"), name);
        }
        let theirs = Emulator::start(host, &site.path(&format!("www/{host}")));
        let get = |path: &str| ask(&theirs.address, HOST, "GET", path, "");
        for (path, to) in [
            ("/a%23b.html", "/a#b"),
            ("/what%3F.html", "/what?"),
            ("/%2541.html", "/%41"),
        ] {
            let seen = get(path);
            assert_eq!(
                (seen.status, seen.location.as_deref()),
                (308, Some(to)),
                "{path}"
            );
            // What a browser asks for then.
            let asked = to.split('#').next().unwrap();
            assert!(
                !names.iter().any(|name| get(asked).body == name.as_bytes()),
                "{asked}"
            );
        }
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own_for_the_bakery() {
        let site = Site::fixture("bakery");
        let text = site.read("latimer.toml");
        let text = text
            .replace("\"bakery\"", "\"site\"")
            .replace("heronandrye.example", "example.com");
        site.write("latimer.toml", &format!("{text}{}", all_targets()));
        check(&site, &HOSTS, "", &["", "/es", "/ar", "/ja"]);
    }
}
