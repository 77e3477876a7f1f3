//! Rules for crawlers (R-S3), statements to them (R-S5) and the spellings of addresses (R-S7), asked of each emulator.

use std::collections::BTreeSet;

use super::{Emulator, HOST, HOSTS, all_targets, check_paths};
use crate::publish::parity::{Seen, ask, ask_with_head, header, paths, told};
use crate::publish::{URL, published};
use crate::support::origin::{Origin, Said};
use crate::support::web::Server;
use crate::support::{MARKING, Site, copy, repository};

/// The linked site in three languages, at one host or at a host for each language.
fn linked(keys: &str) -> Site {
    let keys = format!("locales = [\"es\", \"fr\"]\nengine = \"marking\"\n{keys}\n");
    let site = Site::new(&format!("{keys}{MARKING}{}", all_targets()), &[]);
    copy(
        &repository().join("fixtures/linked"),
        &site.path("source"),
        &|_| true,
    );
    site.build(&[], 0);
    site
}

/// The paths of the pages that the sitemaps of a site name for a host.
fn listed(site: &Site, trees: &[&str], host: &str) -> BTreeSet<String> {
    let start = format!("<loc>https://{host}");
    let maps = trees
        .iter()
        .map(|tree| site.read(&format!("dist/site/{tree}/sitemap.xml")));
    maps.flat_map(|map| {
        let found = map
            .split(&start)
            .skip(1)
            .filter_map(|rest| rest.split_once("</loc>"));
        found.map(|(path, _)| path.to_owned()).collect::<Vec<_>>()
    })
    .collect()
}

/// An answer at the end of its redirects, and how many there were.
fn followed(address: &str, path: &str) -> (Seen, usize) {
    let mut seen = ask(address, HOST, "GET", path, "");
    for steps in 0..5 {
        let Some(to) = seen.location.clone().filter(|to| to.starts_with('/')) else {
            return (seen, steps);
        };
        seen = ask(address, HOST, "GET", &to, "");
    }
    panic!("{path} leads on and on: {:?}", told(&seen))
}

mod nightly {
    use super::*;

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_answer_each_spelling_of_addresses_and_have_the_rules_for_crawlers_r_s3_r_s7() {
        for addresses in ["pretty", "file"] {
            let site = linked(&format!("addresses = \"{addresses}\"\n{URL}"));
            let pages = listed(&site, &["en", "es", "fr"], HOST);
            assert!(pages.len() > 20 && pages.contains("/es/docs/"), "{pages:?}");
            let ours = Server::start(site.folder());
            let mut lost = Vec::new();
            for host in HOSTS {
                published(&site, &[host]);
                let theirs = Emulator::start(host, &site.path(&format!("www/{host}")));
                for page in &pages {
                    let expected = ask(&ours.address, HOST, "GET", page, "");
                    assert_eq!(expected.status, 200, "{page}");
                    let (mut seen, steps) = followed(&theirs.address, page);
                    if host == "azure-swa" && seen.status == 404 {
                        // A fault of the emulator: it does not find a page without its ending.
                        seen = ask(&theirs.address, HOST, "GET", &format!("{page}.html"), "");
                    }
                    // This host answers in its own spelling alone.
                    let most = usize::from(host == "cloudflare-pages" && page.ends_with(".html"));
                    if steps != most || seen.body != expected.body {
                        lost.push(format!(
                            "{host}, {addresses}: {page}: {steps} {:?}",
                            told(&seen)
                        ));
                    }
                }
                let rules =
                    String::from_utf8(ask(&theirs.address, HOST, "GET", "/robots.txt", "").body)
                        .unwrap();
                for path in ["/parts/", "/es/parts/", "/fr/parts/"] {
                    assert!(
                        rules.contains(&format!("Disallow: {path}\n")),
                        "{host}: {rules}"
                    );
                }
            }
            // Of the two pages at `/press` and `/press/`, these show one.
            lost.retain(|said| !said.contains("/press"));
            assert!(lost.is_empty(), "{lost:#?}");
            check_paths(&site, &HOSTS, &paths(&site, "", &["", "/es", "/fr"]), 200);
        }
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn emulators_have_the_rules_for_crawlers_of_each_language_r_s3() {
        let site =
            linked("url = \"https://{lang}.example.com\"\nsource_url = \"https://en.example.com\"");
        for host in HOSTS {
            published(&site, &[host]);
            for tree in ["en", "es"] {
                let theirs = Emulator::start(host, &site.path(&format!("www/{host}/{tree}")));
                let name = format!("{tree}.example.com");
                let seen = ask(&theirs.address, &name, "GET", "/robots.txt", "");
                let rules = String::from_utf8(seen.body).unwrap();
                let has = |line: &str| rules.lines().filter(|other| *other == line).count() == 1;
                let map = format!("Sitemap: https://{name}/sitemap.xml");
                assert!(
                    seen.status == 200 && has("Disallow: /parts/") && has(&map),
                    "{host}: {rules}"
                );
                assert!(!rules.contains("/es/parts/"), "{host}: {rules}");
            }
        }
    }

    #[test]
    #[ignore = "needs the hosts' emulators"]
    fn statements_to_crawlers_are_sent_by_each_emulator_r_s5() {
        let (site, _origin) = stated();
        let mut lost = Vec::new();
        site.build(&[], 0);
        let ours = Server::start(site.folder());
        for host in HOSTS {
            published(&site, &[host]);
            let theirs = Emulator::start(host, &site.path(&format!("www/{host}")));
            for (path, said) in STATED {
                let path = format!("/es{path}");
                let (expected, head) = ask_with_head(&ours.address, HOST, "GET", &path, "");
                let found = header(&head, "x-robots-tag");
                assert_eq!(
                    (expected.status, found),
                    (200, *said),
                    "latimer serve: {path}"
                );
                let (mut seen, mut head) = ask_with_head(&theirs.address, HOST, "GET", &path, "");
                if let Some(to) = &seen.location {
                    (seen, head) = ask_with_head(&theirs.address, HOST, "GET", to, "");
                }
                // This host takes no headers for single files.
                let expected = said.filter(|_| host != "azure-swa");
                // A fault of the emulator: it compares the names of files with the paths that headers are for.
                let is_compared = host != "netlify" || path.ends_with(".html");
                let found = header(&head, "x-robots-tag");
                if is_compared && found != expected {
                    lost.push(format!("{host}: {path}: {} {found:?}", seen.status));
                }
            }
            let file = site.read(&format!("www/{host}/es/about.html"));
            assert!(file.contains("noindex"), "{host}: {file}");
        }
        assert!(lost.is_empty(), "{lost:#?}");
    }
}

/// Paths of a crawled site, and what their headers say to crawlers.
const STATED: &[(&str, Option<&str>)] = &[
    ("/", Some("noindex")),
    ("/about", Some("noindex, nofollow")),
    ("/team/", Some("googlebot: noindex")),
    ("/team/ana", None),
    ("/ma%C3%ADz", Some("none")),
    ("/bread.html", Some("otherbot: noindex")),
];

fn stated() -> (Site, Origin) {
    let origin = Origin::start(|path| {
        let Some((path, said)) = STATED.iter().find(|(known, _)| *known == path) else {
            return Said::status(404);
        };
        let links: String = STATED
            .iter()
            .map(|(path, _)| format!("<a href={path}>{path}</a> "))
            .collect();
        let answer = Said::page(format!(
            "<!doctype html><html lang=en><head><title>Bread</title></head><body><p>Bread {path} {links}"
        ));
        match said {
            Some(said) => answer.with(&format!("X-Robots-Tag: {said}")),
            None => answer,
        }
    });
    let site = Site::new("", &[]);
    let keys = format!(
        "[[site]]\nid = \"site\"\nsource = \"{}\"\nsource_url = \"https://{HOST}\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
         engine = \"marking\"\n{URL}\n[site.crawl]\nallow_private = true\n{MARKING}{}",
        origin.address,
        all_targets()
    );
    site.write("latimer.toml", &keys);
    (site, origin)
}
