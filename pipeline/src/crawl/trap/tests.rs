//! Patterns, sites without an end, and large ones that have one.

use std::collections::{BTreeSet, VecDeque};

use super::*;

fn path(text: &str) -> PagePath {
    PagePath::parse(text).unwrap()
}

#[test]
fn paths_of_one_kind_have_one_pattern() {
    for (text, wanted) in [
        ("/", None),
        ("/about/", None),
        ("/caf%C3%A9/", None),
        ("/cal/1", Some("/cal/#")),
        ("/cal/2026/11/22", Some("/cal/#")),
        ("/cal/2026-11-22/", Some("/cal/#/")),
        ("/docs/v1.2.3/page-4.html", Some("/docs/v#/page-#.html")),
        ("/list?page=2&sort=up", Some("/list?page=#&sort=up")),
        ("/a/a", Some("/a/…")),
        ("/a/a/a/a", Some("/a/…")),
        ("/x/a/b/a/b/a/b/", Some("/x/a/b/…/")),
        ("/a/b/a", None),
        ("/s/0123456789abcdef/about", Some("/s/*")),
        ("/s/7b0c6f3e-91a5-4f0e-8b1c-0d9a3c5e7f11/", Some("/s/*")),
        ("/decade/facade", None),
    ] {
        assert_eq!(pattern(&path(text)).as_deref(), wanted, "{text}");
    }
}

/// Walks a site as a crawl does; `links` gives what a page links to. Gives how many pages were taken, and the traps.
fn crawl(sitemap: &[String], links: impl Fn(&str) -> Vec<String>) -> (usize, Vec<String>) {
    const MOST: usize = 12_000;
    let mut watch = Watch::new(10_000);
    let mut queue = VecDeque::new();
    let mut seen = BTreeSet::new();
    let mut held = BTreeSet::new();
    for start in [&["/".to_owned()], sitemap].concat() {
        let id = watch.page(&path(&start));
        watch.named(id);
        seen.insert(path(&start));
        queue.push_back(path(&start));
    }
    let mut taken = 0;
    while let Some(page) = queue.pop_front() {
        if watch.holds(&page) {
            held.insert(page);
            continue;
        }
        taken += 1;
        assert!(taken < MOST, "the crawl does not end");
        let targets: Vec<PagePath> = links(page.as_str()).iter().map(|link| path(link)).collect();
        let ids: Vec<usize> = targets.iter().map(|target| watch.page(target)).collect();
        let from = watch.page(&page);
        watch.visited(from, true, &ids);
        queue.extend(
            targets
                .into_iter()
                .filter(|target| seen.insert(target.clone())),
        );
        let (free, still): (BTreeSet<_>, BTreeSet<_>) =
            held.into_iter().partition(|path| !watch.holds(path));
        held = still;
        queue.extend(free);
    }
    (
        taken,
        watch
            .traps(held.iter())
            .into_iter()
            .map(|trap| trap.pattern)
            .collect(),
    )
}

fn number(page: &str, prefix: &str) -> Option<u64> {
    page.strip_prefix(prefix)
        .and_then(|rest| rest.trim_end_matches('/').parse().ok())
}

/// Links from the home page, and from pages with a number, all of which have the same navigation.
fn numbered(
    prefix: &str,
    home: &[&str],
    links: impl Fn(u64) -> Vec<String>,
) -> impl Fn(&str) -> Vec<String> {
    let home: Vec<String> = home.iter().map(ToString::to_string).collect();
    move |page| {
        let own = number(page, prefix).map(&links).unwrap_or_default();
        let start = if page == "/" {
            home.clone()
        } else {
            Vec::new()
        };
        [own, start, vec!["/".to_owned(), "/about/".to_owned()]].concat()
    }
}

#[test]
fn endless_kinds_are_stopped() {
    let check = |name: &str, pattern: &str, links: &dyn Fn(&str) -> Vec<String>| {
        let (taken, traps) = crawl(&[], links);
        assert_eq!(traps, [pattern], "{name}: {taken} pages");
        assert!(taken < 2_000, "{name}: {taken} pages were taken");
    };
    let next = |n: u64| vec![format!("/cal/{}", n + 1), format!("/cal/{}", n - 1)];
    check(
        "next and previous",
        "/cal/#",
        &numbered("/cal/", &["/cal/5000"], next),
    );
    let next = |n: u64| vec![format!("/list?page={}", n + 1)];
    check(
        "a query",
        "/list?page=#",
        &numbered("/list?page=", &["/list?page=1"], next),
    );
    let next = |n: u64| {
        (n < 300)
            .then(|| format!("/page/{}", n + 1))
            .into_iter()
            .collect()
    };
    check(
        "a list that leads nowhere",
        "/page/#",
        &numbered("/page/", &["/page/2"], next),
    );
    check("longer numbers", "/cal/#", &|page| match page {
        "/" => vec!["/cal/1".to_owned(), "/about/".to_owned()],
        "/about/" => Vec::new(),
        _ => vec![format!("{page}1"), format!("{page}2"), "/".to_owned()],
    });
    check("repeated folders", "/a/…/", &|page| match page {
        "/about/" => Vec::new(),
        _ => vec![format!("{page}a/"), "/about/".to_owned()],
    });
    check("session ids", "/s/*", &|page| {
        let fresh = |name: &str| {
            format!(
                "/s/{}/{name}",
                blake3::hash(format!("{page}{name}").as_bytes()).to_hex()
            )
        };
        ["about", "shop", "help"].map(fresh).into()
    });
    check("months and their days", "/cal/#", &|page| {
        let numbers: Vec<u64> = page
            .split('/')
            .filter_map(|part| part.parse().ok())
            .collect();
        match numbers[..] {
            [] => vec!["/about/".to_owned(), "/cal/2026/11".to_owned()],
            [year, 12] => vec![format!("/cal/{}/1", year + 1), format!("/cal/{year}/12/24")],
            [year, month] => (1..=28)
                .map(|day| format!("/cal/{year}/{month}/{day}"))
                .chain([format!("/cal/{year}/{}", month + 1)])
                .collect(),
            _ => vec![page.rsplit_once('/').unwrap().0.to_owned()],
        }
    });
}

#[test]
fn large_sites_are_taken_whole() {
    let all = |prefix: &'static str, numbers: std::ops::RangeInclusive<u64>| {
        numbers.map(move |n| format!("{prefix}{n}"))
    };
    let check =
        |name: &str, sitemap: &[String], pages: usize, links: &dyn Fn(&str) -> Vec<String>| {
            assert_eq!(crawl(sitemap, links), (pages, Vec::new()), "{name}");
        };
    check("an index", &[], 10_001, &|page| {
        if page == "/" {
            all("/p/", 1..=10_000).collect()
        } else {
            Vec::new()
        }
    });
    let chain = |n: u64| {
        (n < 10_000)
            .then(|| format!("/p/{}", n + 1))
            .into_iter()
            .collect::<Vec<_>>()
    };
    let sitemap: Vec<String> = all("/p/", 1..=10_000).collect();
    check("a sitemap", &sitemap, 10_002, &numbered("/p/", &[], chain));
    let ten = |n: u64| {
        (1..=10)
            .map(|step| format!("/p/{}", (n * 10 + step) % 10_000))
            .collect::<Vec<_>>()
    };
    check(
        "links among each other",
        &[],
        10_002,
        &numbered("/p/", &["/p/0"], ten),
    );
    let posts = |n: u64| {
        let next = (n < 300).then(|| format!("/page/{}", n + 1));
        (0..10)
            .map(|post| format!("/post-{n}-{post}/"))
            .chain(next)
            .collect::<Vec<_>>()
    };
    check(
        "a list of posts",
        &[],
        299 * 10 + 299 + 2,
        &numbered("/page/", &["/page/2"], posts),
    );
    // The sitemap knows the posts, not the list.
    let sitemap: Vec<String> = (2..=300)
        .flat_map(|n| (0..10).map(move |post| format!("/post-{n}-{post}/")))
        .collect();
    check(
        "a list of known posts",
        &sitemap,
        299 * 10 + 299 + 2,
        &numbered("/page/", &["/page/2"], posts),
    );
}

#[test]
fn what_a_trap_holds_back_is_taken_when_another_page_links_to_it() {
    let links = |page: &str| match number(page, "/n/") {
        Some(n) if n < 100 => vec![format!("/n/{}", n + 1)],
        Some(_) => Vec::new(),
        None if page == "/" => vec!["/n/1".to_owned(), "/a/".to_owned()],
        // A row of pages that is longer than that of the numbers.
        None if page.len() < 80 => vec![format!("{}a/", page.trim_end_matches('/'))],
        None => (1..=100).map(|n| format!("/n/{n}")).collect(),
    };
    let (taken, traps) = crawl(&[], links);
    assert_eq!((taken, traps), (1 + 100 + 78, Vec::new()));
}
