//! The emulators of Netlify, Cloudflare Pages, Firebase Hosting and Azure Static Web Apps answer as `latimer serve` does,
//! with the files that publishing wrote for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::needs_hosts::crawled_site;
use super::parity::{Seen, ask, paths, told};
use super::{URL, site};
use crate::support::api::{free_address, pause};
use crate::support::web::{PATIENCE, Server};
use crate::support::{Site, copy, tool};

const HOST: &str = "www.example.com";
const HOSTS: [&str; 4] = ["netlify", "cloudflare-pages", "firebase", "azure-swa"];

/// The emulator of a host, with all that it starts; ends with this value.
struct Emulator {
    child: Child,
    address: String,
    folder: TempDir,
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // They start programs of their own; what is not in the group knows the same home.
        let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status();
        let home = format!("HOME={}", self.folder.path().display());
        for process in fs::read_dir("/proc").unwrap().flatten() {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes()) {
                let _ = Command::new("kill").arg("-KILL").arg(process.file_name()).status();
            }
        }
        let _ = self.child.wait();
    }
}

impl Emulator {
    /// Starts the emulator of a host on a published folder.
    fn start(host: &str, published: &Path) -> Self {
        // They do not look into folders whose names begin with a dot, as those of tests do.
        let folder = tempfile::Builder::new().prefix("latimer-emulator").tempdir().unwrap();
        let (address, own) = (free_address(), folder.path());
        copy(published, &own.join("site"), &|_| true);
        let root = own.join("site").display().to_string();
        let port = address.rsplit(':').next().unwrap().to_owned();
        let (program, arguments): (&str, Vec<String>) = match host {
            "netlify" => {
                let words = "dev --offline --no-open --internal-disable-edge-functions --framework #static --port";
                ("netlify", words.split(' ').map(str::to_owned).chain([port, "--dir".to_owned(), root]).collect())
            }
            "cloudflare-pages" => {
                let words = format!(
                    "pages dev {root} --ip 127.0.0.1 --port {port} --inspector-port 0 --compatibility-date 2025-01-01"
                );
                ("wrangler", words.split(' ').map(str::to_owned).collect())
            }
            "firebase" => {
                fs::write(own.join("firebase.json"), firebase_config(&root, &port).to_string()).unwrap();
                let words = "emulators:start --only hosting --project demo-latimer";
                ("firebase", words.split(' ').map(str::to_owned).collect())
            }
            _ => ("swa", ["start", &root, "--host", "127.0.0.1", "--port", &port].map(str::to_owned).to_vec()),
        };
        let mut command =
            Command::new(tool("LATIMER_TEST_EMULATORS").join(host).join("node_modules/.bin").join(program));
        command.args(arguments).current_dir(own).env("HOME", own).env("XDG_CONFIG_HOME", own).env("CI", "1");
        command.env("WRANGLER_SEND_METRICS", "false").env("DO_NOT_TRACK", "1").env("NO_UPDATE_NOTIFIER", "1");
        let said = fs::File::create(own.join("said")).unwrap();
        command.stdin(Stdio::null()).stdout(said.try_clone().unwrap()).stderr(said).process_group(0);
        let emulator = Self { child: command.spawn().unwrap(), address, folder };
        let deadline = Instant::now() + PATIENCE;
        while !emulator.is_ready() {
            assert!(Instant::now() < deadline, "{host}: {}", emulator.said());
            pause(Duration::from_millis(200));
        }
        emulator
    }

    fn is_ready(&self) -> bool {
        TcpStream::connect(&self.address).is_ok()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.path().join("said")).unwrap()
    }
}

/// What publishing wrote for Firebase, and where its emulator listens.
fn firebase_config(root: &str, port: &str) -> Value {
    let text = fs::read_to_string(format!("{root}/firebase.json")).unwrap();
    let mut config: Value = serde_json::from_str(&text).unwrap();
    config["hosting"]["public"] = "site".into();
    let other = || free_address().rsplit(':').next().unwrap().parse::<u16>().unwrap();
    let at = |port: u16| json!({ "host": "127.0.0.1", "port": port });
    config["emulators"] = json!({
        "hosting": at(port.parse().unwrap()), "hub": at(other()), "logging": at(other()), "ui": { "enabled": false }
    });
    config
}

fn target(host: &str) -> String {
    format!("[publish.{host}]\nkind = \"folder\"\nhost = \"{host}\"\nlayout = \"plain\"\nto = \"www/{host}\"\n")
}

/// What differs by the nature of a host, by how its sentence in the host's row begins.
const SPELLINGS: &str = "other spellings of an address";
const FROM_SPELLINGS: &str = "other spellings of an address that redirects or is gone";
const SHARED: &str = "files that all languages share";
const ONE_404: &str = "one page for what is not found";
const NO_404: &str = "a language without a page for what is not found";
const TYPES: &str = "media types are the host's own";
const STATUS: &str = "307 and 308 may be answered as 302";
const QUERY: &str = "queries may be lost";
const CODED: &str = "an address that encodes what needs no encoding";
const AT_ITSELF: &str = "the page for what is not found answers 404";
const FOLDER_404: &str = "where the site lies below a folder";
const ODD: &str = "an address with two slashes";

/// What differs at an emulator, and not at its host.
const FAULTS: [(&str, &str); 4] = [
    ("cloudflare-pages", BELOW_A_FILE),
    ("cloudflare-pages", RAW),
    ("azure-swa", HEAD),
    // It shows the page that its configuration names only where that lies at the root.
    ("azure-swa", FOLDER_404),
];
const HEAD: &str = "the emulator answers 404 to HEAD";
const RAW: &str = "the emulator's redirects to its own spellings do not encode what is no ASCII";
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
        let Self { path, expected, seen, .. } = self;
        let named = |name: &str| vec![name.to_owned()];
        let (asked, _) = path.split_once('?').unwrap_or((path, ""));
        let is_spelling = |other: &Option<String>| other.as_deref().is_some_and(|other| stem(other) == stem(asked));
        if path.contains("//") {
            return named(ODD);
        }
        let is_redirect = |seen: &Seen| (301..=308).contains(&seen.status);
        match (expected.status, seen.status) {
            (200 | 404 | 410, status) if status == expected.status && seen.body == expected.body => named(TYPES),
            (_, 308) if seen.location.as_ref().is_some_and(|to| to.contains(char::REPLACEMENT_CHARACTER)) => named(RAW),
            (404, 404) if path.starts_with("/shop/") && !seen.body.starts_with(b"<!doctype html>") => named(FOLDER_404),
            (307 | 308, 404) if path.contains("%6") => named(CODED),
            (_, 502) if self.is_below_a_file(asked) => named(BELOW_A_FILE),
            (404, 404) | (410, 410) if self.has_no_page() => named(NO_404),
            (404, 404) if self.is_page_of_source() => named(ONE_404),
            (200, 404) if asked.ends_with("/404.html") && seen.body == expected.body => named(AT_ITSELF),
            (200, 404) if self.is_shared(asked) => named(SHARED),
            _ if is_redirect(expected) && is_redirect(seen) && !is_spelling(&expected.location) => self.moved(),
            (200 | 307 | 308, 200 | 301 | 302 | 307 | 308 | 410) if self.leads_to_the_same() => named(SPELLINGS),
            (308, 404) if is_spelling(&expected.location) => named(SPELLINGS),
            (307 | 308 | 410, 404) if self.another_spelling_is_told(asked) => named(FROM_SPELLINGS),
            _ => vec![format!("{path}: {:?} instead of {:?}", told(seen), told(expected))],
        }
    }

    /// How two redirects differ.
    fn moved(&self) -> Vec<String> {
        let bare = |seen: &Seen| seen.location.as_deref().map(|to| to.split('?').next().unwrap_or(to).to_owned());
        let mut found = Vec::new();
        match (self.expected.status, self.seen.status) {
            (expected, status) if expected == status => {}
            (307 | 308, 302) => found.push(STATUS.to_owned()),
            (expected, status) => found.push(format!("{}: {status} instead of {expected}", self.path)),
        }
        if bare(&self.expected) != bare(&self.seen) {
            found.push(format!("{}: {:?} instead of {:?}", self.path, told(&self.seen), told(&self.expected)));
        } else if self.expected.location != self.seen.location {
            found.push(QUERY.to_owned());
        }
        found
    }

    fn is_below_a_file(&self, asked: &str) -> bool {
        let above = asked.strip_suffix("/index.html").or_else(|| asked.strip_suffix('/'));
        above.is_some_and(|above| ask(self.ours, self.name, "GET", above, "").status == 200)
    }

    /// Whether our server says it in words of its own.
    fn has_no_page(&self) -> bool {
        self.expected.content_type.as_deref().is_none_or(|kind| kind.starts_with("text/plain"))
    }

    fn is_page_of_source(&self) -> bool {
        let base = if self.path.starts_with("/shop") { "/shop" } else { "" };
        ask(self.ours, self.name, "GET", &format!("{base}/404.html"), "").body == self.seen.body
    }

    /// Whether the same file is there without the language before it.
    fn is_shared(&self, asked: &str) -> bool {
        let (base, rest) = asked.strip_prefix("/shop").map_or(("", asked), |rest| ("/shop", rest));
        let own = rest[1..].split_once('/').map(|(_, rest)| format!("{base}/{rest}"));
        own.is_some_and(|own| ask(self.theirs, self.name, "GET", &own, "").body == self.expected.body)
    }

    fn leads_to_the_same(&self) -> bool {
        let end = |address: &str, seen: &Seen| {
            let mut seen = seen.clone();
            for _ in 0..4 {
                let Some(to) = seen.location.clone() else { break };
                seen = ask(address, self.name, "GET", &to.replace(' ', "%20"), "");
            }
            (seen.status, if seen.status == 200 { seen.body } else { Vec::new() })
        };
        end(self.ours, &self.expected) == end(self.theirs, &self.seen)
    }

    fn another_spelling_is_told(&self, asked: &str) -> bool {
        let to = self.expected.location.as_deref().map(|to| to.split('?').next().unwrap_or(to));
        ["/", "", ".html", "/index.html"].iter().any(|ending| {
            let other = ask(self.theirs, self.name, "GET", &format!("{}{ending}", stem(asked)), "");
            other.location.as_deref() == to && (to.is_some() || other.status == self.expected.status)
        })
    }
}

/// An address without what its spellings differ in.
fn stem(path: &str) -> String {
    let path = path.split('?').next().unwrap_or(path);
    let stem = ["/index.html", ".html", "/"].iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path);
    stem.to_owned()
}

/// Media types are the same in any letters.
fn normal(mut seen: Seen) -> Seen {
    seen.content_type = seen.content_type.map(|kind| kind.to_lowercase().replace("; ", ";"));
    seen
}

/// Asks `latimer serve` and the emulator for every path; what differs must be in the host's row, by name.
fn compare(
    (host, name): (&str, &str),
    site: &Site,
    theirs: &Emulator,
    ours: &Server,
    paths: &BTreeSet<String>,
) -> usize {
    let row = site.run(&["publish", host, "--quiet", "--dry-run", "--json"]).json()["publish"]["differs"].clone();
    let is_named = |name: &String| {
        let in_row =
            row.as_array().unwrap().iter().any(|sentence| sentence.as_str().unwrap().starts_with(name.as_str()));
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
                assert_eq!(told(&head), told(&Seen { body: Vec::new(), ..seen.clone() }), "{host}: HEAD {path}");
            }
        }
        if seen != expected {
            let pair = Pair { path, name, ours: &ours.address, theirs: &theirs.address, expected, seen };
            pair.differs().into_iter().for_each(|name| *found.entry(name).or_default() += 1);
        }
    }
    println!("{host}: {asked} requests; {found:#?}");
    let unnamed: Vec<&String> = found.keys().filter(|name| !is_named(name)).collect();
    assert!(unnamed.is_empty(), "{host}: {} differ\n{:#?}", unnamed.len(), &unnamed[..unnamed.len().min(20)]);
    asked
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
    for host in hosts {
        let ran = site.run(&["publish", host, "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let theirs = Emulator::start(host, &site.path(&format!("www/{host}")));
        let asked = compare((host, HOST), site, &theirs, &ours, paths);
        assert!(asked > least, "{asked} requests");
    }
}

fn all_targets() -> String {
    HOSTS.map(target).concat()
}

const LABELS: [&str; 4] = ["", "/es", "/fr", "/br"];

/// The site without spaces in its names, which Netlify's list cannot hold.
fn without_spaces(site: Site) -> Site {
    fs::remove_file(site.path("source/docs/a b.html")).unwrap();
    fs::rename(site.path("source/docs/tarta de maíz.html"), site.path("source/docs/maíz.html")).unwrap();
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
        check(&without_spaces(site(URL, &target("netlify"))), &HOSTS[..1], "", &LABELS);
        let keys = format!("{URL}\nmissing = \"gone\"");
        check(&without_spaces(site(&keys, &target("netlify"))), &HOSTS[..1], "", &LABELS);
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own_below_a_folder() {
        let keys = "url = \"https://www.example.com/shop/{lang}\"";
        check(&without_spaces(site(keys, &all_targets())), &HOSTS, "/shop", &LABELS);
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
                let name = if label == "en" { "example.com".to_owned() } else { format!("{label}.example.com") };
                let theirs = Emulator::start(host, &site.path(&format!("www/{host}/{label}")));
                let asked = compare((host, &name), &site, &theirs, &ours, &paths(&site, "", &[""]));
                assert!(asked > 100, "{asked} requests");
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
        let site = without_spaces(site(URL, &hosts.iter().map(|host| target(host)).collect::<String>()));
        site.write("source/_redirects", "# Since 2019\n/was /plain.html 301\n/blog/* /news/:splat 301\n");
        site.write("source/_headers", "/plain.html\n  X-Of: theirs\n");
        site.build(&[], 0);
        let mut paths = paths(&site, "", &LABELS);
        // The lists themselves are the host's.
        paths.retain(|path| !path.contains("/_redirects") && !path.contains("/_headers"));
        check_paths(&site, hosts, &paths, 200);
        for host in hosts {
            let theirs = Emulator::start(host, &site.path(&format!("www/{host}")));
            for (from, to) in [("/was", "/plain.html"), ("/blog/one.html", "/news/one.html")] {
                let seen = ask(&theirs.address, HOST, "GET", from, "");
                assert_eq!((seen.status, seen.location.as_deref()), (301, Some(to)), "{host} {from}");
            }
        }
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_like_our_own_for_the_bakery() {
        let site = Site::fixture("bakery");
        let text = site.read("latimer.toml");
        let text = text.replace("\"bakery\"", "\"site\"").replace("heronandrye.example", "example.com");
        site.write("latimer.toml", &format!("{text}{}", all_targets()));
        check(&site, &HOSTS, "", &["", "/es", "/ar", "/ja"]);
    }
}
