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
use differences::{FAULTS, HEAD, Pair};

mod by_rule;
mod differences;

const HOST: &str = "www.example.com";
const HOSTS: [&str; 4] = ["netlify", "cloudflare-pages", "firebase", "azure-swa"];

fn target(host: &str) -> String {
    format!(
        "[publish.{host}]\nkind = \"folder\"\nhost = \"{host}\"\nlayout = \"plain\"\nto = \"www/{host}\"\n"
    )
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
        let host = "cloudflare-pages";
        let names = ["a#b.html", "what?.html", "%41.html"];
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
