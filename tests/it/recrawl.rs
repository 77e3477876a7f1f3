//! Crawling a site of the web again: servers are asked whether anything changed, and what did not comes from the store.

use std::fs;

use serde_json::Value;

use crate::support::origin::{Origin, Said, site};
use crate::support::{Site, files};

/// Three pages, each found only through the one before it, and a style sheet. `edition` is part of the last page.
fn pages(edition: u32) -> impl Fn(&str) -> (Said, String) + Clone {
    let page = |text: &str, link: &str| {
        format!("<html lang=en><title>{text}</title><p>{text}</p><a href={link}>More</a>")
    };
    move |path| match path {
        "/" => (
            Said::page(page("Home", "/a") + "<link rel=stylesheet href=/site.css>"),
            "home".into(),
        ),
        "/a" => (Said::page(page("We bake", "/b")), "a".into()),
        "/b" => (
            Said::page(page(&format!("Edition {edition} of bread"), "/")),
            format!("b{edition}"),
        ),
        "/site.css" => (Said::css("p { color: red }"), "css".into()),
        _ => (Said::status(404), "none".into()),
    }
}

/// With ETags, as every server has them for its files.
fn tagged(edition: u32) -> impl Fn(&str) -> Said + Clone {
    let pages = pages(edition);
    move |path| {
        let (said, tag) = pages(path);
        said.with(&format!("ETag: \"{tag}\""))
    }
}

/// Builds; gives what the report says of the work, and what was asked for pages and files.
fn build(site: &Site, origin: &Origin, arguments: &[&str]) -> (Value, Vec<(String, u16)>) {
    origin.asked();
    let ran = site.run(&[&["build", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut asked = origin.asked();
    // What is asked before anything is known of the site.
    asked.retain(|(path, _)| {
        !["/", "/robots.txt", "/sitemap.xml", "/sitemap_index.xml"].contains(&&**path)
    });
    (ran.json()["sites"][0].clone(), asked)
}

/// Which edition of the last page readers get.
fn edition(site: &Site) -> char {
    let page = site.read("dist/site/es/b.html");
    let (_, title) = page.split_once("<title>").unwrap();
    title.chars().find(char::is_ascii_digit).unwrap()
}

fn all(statuses: [u16; 3]) -> Vec<(String, u16)> {
    ["/a", "/b", "/site.css"]
        .map(str::to_owned)
        .into_iter()
        .zip(statuses)
        .collect()
}

#[test]
fn what_did_not_change_is_not_fetched_and_is_there_all_the_same() {
    let origin = Origin::start(tagged(1));
    let site = site(&origin, "");
    assert_eq!(build(&site, &origin, &[]).1, all([200; 3]));
    let published = site.objects();
    let (report, asked) = build(&site, &origin, &[]);
    assert_eq!(asked, all([304; 3]));
    assert_eq!(
        (report["pages"].as_u64(), report["written"].as_u64()),
        (Some(3), Some(0)),
        "{report}"
    );
    assert_eq!(site.objects(), published);
    origin.answer(tagged(2));
    let (_, asked) = build(&site, &origin, &[]);
    assert_eq!(
        asked,
        all([304, 200, 304]),
        "the last page is found through one that did not change"
    );
    assert_eq!(edition(&site), '2');
    assert_eq!(build(&site, &origin, &[]).1, all([304; 3]));
}

#[test]
fn everything_is_fetched_where_that_is_wanted_or_nothing_else_is_sure() {
    // A server that says that nothing changed although something did.
    let lying = |edition: u32| {
        let pages = pages(edition);
        move |path: &str| pages(path).0.with("ETag: \"always\"")
    };
    let origin = Origin::start(lying(1));
    let trusting = site(&origin, "");
    let wary = site(&origin, "changed = \"all\"\n");
    build(&trusting, &origin, &[]);
    build(&wary, &origin, &[]);
    origin.answer(lying(2));
    assert_eq!(build(&trusting, &origin, &[]).1, all([304; 3]));
    assert_eq!(build(&wary, &origin, &[]).1, all([200; 3]));
    assert_eq!((edition(&trusting), edition(&wary)), ('1', '2'));
    assert_eq!(build(&trusting, &origin, &["--rebuild"]).1, all([200; 3]));
    assert_eq!(build(&trusting, &origin, &[]).1, all([304; 3]));
    assert_eq!(
        edition(&trusting),
        '2',
        "what was fetched last is what did not change"
    );
    wary.edit("latimer.toml", "changed = \"all\"\n", "");
    assert_eq!(
        build(&wary, &origin, &[]).1,
        all([200; 3]),
        "nobody kept what was said to whoever asked for all"
    );
    // Bytes that are not there any more, or not as they were.
    let stored = |site: &Site| -> Vec<_> {
        let all = files(&site.path("dist/site/_sources"));
        let inner = all
            .into_iter()
            .filter(|(_, bytes)| !String::from_utf8_lossy(bytes).contains("Home"));
        inner
            .map(|(name, _)| site.path("dist/site/_sources").join(name))
            .collect()
    };
    stored(&trusting)
        .iter()
        .for_each(|file| fs::write(file, "x".repeat(fs::read(file).unwrap().len())).unwrap());
    let (_, asked) = build(&trusting, &origin, &[]);
    assert!(
        all([200; 3]).iter().all(|answer| asked.contains(answer)),
        "{asked:?}"
    );
    assert_eq!(build(&trusting, &origin, &[]).1, all([304; 3]));
    assert_eq!(edition(&trusting), '2');
}

/// Dates are whole seconds: what changed in the second in which it was sent may change again in it.
#[test]
fn dates_count_only_where_they_can_tell() {
    let dated = |edition: u32, changed: &'static str| {
        let pages = pages(edition);
        let lines = format!(
            "Date: Wed, 25 Nov 2026 10:00:09 GMT\r\nLast-Modified: Wed, 25 Nov 2026 {changed} GMT"
        );
        move |path: &str| pages(path).0.with(&lines)
    };
    let origin = Origin::start(dated(1, "10:00:09"));
    let site = site(&origin, "");
    build(&site, &origin, &[]);
    origin.answer(dated(2, "10:00:09"));
    assert_eq!(build(&site, &origin, &[]).1, all([200; 3]));
    assert_eq!(edition(&site), '2');
    origin.answer(dated(3, "10:00:01"));
    build(&site, &origin, &[]);
    assert_eq!(build(&site, &origin, &[]).1, all([304; 3]));
    assert_eq!(edition(&site), '3');
}

/// What a server says beside "nothing changed" counts (RFC 9110, section 15.4.5).
#[test]
fn headers_that_come_with_nothing_changed_count() {
    let origin = Origin::start(tagged(1));
    let site = site(&origin, "");
    build(&site, &origin, &[]);
    assert!(site.read("dist/site/es/sitemap.xml").contains("/es/b<"));
    let pages = tagged(1);
    origin.answer(move |path| match path {
        "/b" => pages(path).with("X-Robots-Tag: noindex"),
        _ => pages(path),
    });
    let (_, asked) = build(&site, &origin, &[]);
    assert_eq!(asked, all([304; 3]));
    assert!(
        !site.read("dist/site/es/sitemap.xml").contains("/es/b<"),
        "who asks not to be listed is in no sitemap"
    );
}

/// What a server says of all pages alike, it says of the start page, which is fetched whole each time.
#[test]
fn a_server_that_was_configured_anew_is_asked_for_everything() {
    let origin = Origin::start(tagged(1));
    let site = site(&origin, "");
    build(&site, &origin, &[]);
    let pages = tagged(1);
    origin.answer(move |path| pages(path).with("Content-Security-Policy: script-src 'none'"));
    assert_eq!(build(&site, &origin, &[]).1, all([200; 3]));
    assert_eq!(build(&site, &origin, &[]).1, all([304; 3]));
}

#[test]
fn a_page_that_fails_once_is_still_known_after_that() {
    let origin = Origin::start(tagged(1));
    let site = site(&origin, "");
    build(&site, &origin, &[]);
    let pages = tagged(1);
    origin.answer(move |path| {
        if path == "/b" {
            Said::status(403)
        } else {
            pages(path)
        }
    });
    origin.asked();
    assert_eq!(site.run(&["build"]).code, 6);
    assert!(origin.asked().contains(&("/b".to_owned(), 403)));
    origin.answer(tagged(1));
    assert_eq!(build(&site, &origin, &[]).1, all([304; 3]));
}
