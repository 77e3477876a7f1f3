//! The published bakery as a reader walks it: every link of every language is followed, from each home page on.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::support::Site;
use crate::support::pages::{addresses, attribute, attributes};
use crate::support::web::{Response, Server};

/// Prefix and language of each tree.
const TREES: [(&str, &str); 5] = [
    ("", "en"),
    ("/es", "es"),
    ("/ar", "ar"),
    ("/ja", "ja"),
    ("/en-XA", "en-XA"),
];
const PUBLIC: [&str; 4] = ["ar", "en", "es", "ja"];
const PAGES: usize = 14;

/// What is found from the home pages on, and from where it was reached first.
#[derive(Default)]
struct Walk {
    answers: BTreeMap<String, Response>,
    broken: BTreeSet<(String, String)>,
}

/// Every address on this host that a page makes a browser ask for.
fn links(page: &str, html: &str) -> BTreeSet<String> {
    let page = Url::parse("http://localhost").unwrap().join(page).unwrap();
    let here = addresses(&page, html)
        .into_iter()
        .filter(|link| link.host_str() == Some("localhost"));
    here.filter(|link| link.scheme() == "http")
        .map(|link| link.path().to_owned())
        .collect()
}

/// Follows redirects on this host; gives where it ended.
fn follow(server: &Server, path: &str) -> (String, Response) {
    let mut path = path.to_owned();
    for _ in 0..5 {
        let answer = server.get(&path);
        match answer.headers.get("location") {
            Some(to) => path = to.clone(),
            None => return (path, answer),
        }
    }
    panic!("{path} redirects without end");
}

fn walk(server: &Server, homes: &[String]) -> Walk {
    let mut walk = Walk::default();
    let mut open: Vec<(String, String)> = homes
        .iter()
        .map(|home| (home.clone(), String::new()))
        .collect();
    let mut known = BTreeSet::new();
    while let Some((path, from)) = open.pop() {
        if !known.insert(path.clone()) {
            continue;
        }
        let (at, answer) = follow(server, &path);
        if answer.status != 200 {
            walk.broken.insert((from, path));
        } else if walk.answers.insert(at.clone(), answer.clone()).is_none() && answer.is_html() {
            open.extend(
                links(&at, answer.text())
                    .into_iter()
                    .map(|link| (link, at.clone())),
            );
        }
    }
    walk
}

fn tree_of(path: &str) -> (&'static str, &'static str) {
    let below = |prefix: &str| {
        path.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    TREES
        .into_iter()
        .skip(1)
        .find(|(prefix, _)| below(prefix))
        .unwrap_or(TREES[0])
}

fn homes() -> Vec<String> {
    TREES
        .iter()
        .map(|(prefix, _)| format!("{prefix}/"))
        .collect()
}

fn pages(walk: &Walk) -> impl Iterator<Item = (&String, &str)> {
    walk.answers
        .iter()
        .filter(|(_, answer)| answer.is_html())
        .map(|(path, answer)| (path, answer.text()))
}

/// A bakery that is built and served, and everything that can be reached there.
fn bakery() -> (Site, Server, Walk) {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    let walk = walk(&server, &homes());
    (site, server, walk)
}

#[test]
fn every_link_and_every_file_of_every_language_is_there() {
    let (_, _, walk) = bakery();
    assert_eq!(walk.broken, BTreeSet::new());
    for (prefix, language) in TREES {
        let found: Vec<&String> = pages(&walk)
            .map(|(path, _)| path)
            .filter(|path| tree_of(path).0 == prefix)
            .collect();
        // Nothing links to the page for what is not found.
        assert_eq!(found.len(), PAGES - 1, "{language}: {found:?}");
    }
    assert!(
        walk.answers
            .keys()
            .any(|path| path.starts_with("/_latimer/switcher."))
    );
    for file in [
        "/css/style.css",
        "/favicon.svg",
        "/images/hero.svg",
        "/feed.xml",
        "/files/menu.txt",
    ] {
        assert!(walk.answers.contains_key(file), "{file}");
    }
}

#[test]
fn feeds_and_manifests_are_served_in_every_language_as_what_they_are_r_c9() {
    let (_, _, walk) = bakery();
    for (prefix, language) in TREES {
        for (name, content_type) in [
            ("feed.xml", "application/xml"),
            ("site.webmanifest", "application/manifest+json"),
        ] {
            let answer = &walk.answers[&format!("{prefix}/{name}")];
            assert_eq!(answer.headers["content-type"], content_type, "{language}");
            assert!(
                answer.text().contains(&format!("\"lang\": \"{language}\"")) || name == "feed.xml",
                "{language}"
            );
            assert!(
                answer.text().contains(&format!("<language>{language}<")) || name != "feed.xml",
                "{language}"
            );
        }
    }
}

#[test]
fn every_page_is_in_the_language_of_its_address_r_b7_r_c1() {
    let (_, _, walk) = bakery();
    for (path, html) in pages(&walk) {
        let (_, language) = tree_of(path);
        assert_eq!(
            attribute(html, "html", "lang").as_deref(),
            Some(language),
            "{path}"
        );
        let said = walk.answers[path].headers.get("content-language");
        assert_eq!(said.map(String::as_str), Some(language), "{path}");
        assert_eq!(
            walk.answers[path].headers.get("link"),
            None,
            "{path}: alternates are in the head"
        );
    }
}

#[test]
fn links_stay_in_the_language_and_the_switcher_leads_to_the_same_page_in_the_others() {
    let (_, _, walk) = bakery();
    for (path, html) in pages(&walk) {
        let (prefix, language) = tree_of(path);
        for link in attributes(html, "body a[href^='/']:not(.latimer-switcher a)", "href") {
            let target = link.split(['#', '?']).next().unwrap();
            let is_page = walk.answers.get(target).is_some_and(Response::is_html);
            assert!(
                !is_page || tree_of(target).0 == prefix,
                "{path} leads to {link}"
            );
        }
        let page = &path[prefix.len()..];
        let tags = attributes(html, ".latimer-switcher a", "hreflang");
        let found: BTreeMap<_, _> = tags
            .into_iter()
            .zip(attributes(html, ".latimer-switcher a", "href"))
            .collect();
        let offered = TREES
            .iter()
            .filter(|(_, tag)| PUBLIC.contains(tag) || *tag == language);
        let expected = offered
            .map(|(prefix, tag)| ((*tag).to_owned(), format!("{prefix}{page}")))
            .collect();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn a_page_that_a_language_lacks_is_linked_in_the_source_language() {
    let keys = "locales = [\"es\"]\nengine = \"fx\"\ntranslations = \"{lang}.po\"";
    let there = "<p>Fresh bread</p><a href=\"/menu.html\">1</a><a href=\"gone.html\">2</a>";
    let site = Site::new(
        keys,
        &[
            ("index.html", there),
            ("menu.html", "<p>Nobody translated this</p>"),
        ],
    );
    site.write("es.po", "msgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    let walk = walk(&server, &["/es/".into()]);
    let found: Vec<&String> = walk
        .answers
        .keys()
        .filter(|path| !path.starts_with("/_latimer/"))
        .collect();
    assert_eq!(found, ["/", "/es/", "/menu.html"]);
    // A link that leads nowhere in the source is the source's affair; nobody invents a page for it.
    let broken: BTreeSet<&str> = walk
        .broken
        .iter()
        .map(|(_, to)| to.rsplit('/').next().unwrap())
        .collect();
    assert_eq!(broken, BTreeSet::from(["gone.html"]));
}

#[test]
fn what_is_not_there_is_answered_in_the_readers_language() {
    let (_site, server, _) = bakery();
    for (prefix, language) in TREES {
        let answer = server.get(&format!("{prefix}/no-such-page/"));
        assert_eq!(answer.status, 404);
        assert_eq!(
            attribute(answer.text(), "html", "lang").as_deref(),
            Some(language)
        );
    }
}

#[test]
fn pages_that_call_another_host_their_own_are_said_with_their_links() {
    let page = "<link rel=canonical href=https://www.old.example/a><p>Bread</p><a href=https://www.old.example/b>More</a>\
                <a href=//www.old.example/>Home</a><a href=/c>Here</a><link rel=stylesheet href=https://www.old.example/s.css>";
    let build = |url: &str| {
        let keys = format!("locales = [\"en-XA\"]\nengine = \"pseudo\"\n{url}");
        let site = Site::new(
            &keys,
            &[("a.html", page), ("c.html", page), ("d.html", "<p>Rye</p>")],
        );
        site.build(&[], 0)["notices"].to_string()
    };
    let said = "2 pages name www.old.example as their public address (canonical), and 4 links to it lead out of every language";
    let other = build("url = \"https://www.new.example/{lang}\"");
    assert!(
        other.contains(said) && other.contains("but `url` is at www.new.example"),
        "{other}"
    );
    let none = build("");
    assert!(
        none.contains(said) && none.contains("set it to \\\"https://www.old.example/{lang}\\\""),
        "{none}"
    );
    for own in [
        "url = \"https://www.old.example/{lang}\"",
        "url = \"https://{lang}.old.example\"\nsource_url = \"https://www.old.example\"",
    ] {
        let notices = build(own);
        assert!(!notices.contains("lead out of every language"), "{notices}");
    }
}
