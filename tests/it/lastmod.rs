//! Sitemaps that say when pages changed (`lastmod`): one that proved right spares questions, and one that is wrong is found out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::Site;
use crate::support::origin::{Origin, Said, site};

/// A page of the source's sitemap: its path, what the sitemap says of its last change, and its edition.
type Pages = BTreeMap<String, (&'static str, u32)>;

/// So many pages that nothing but the sitemap leads to.
fn pages(count: u32, lastmod: &'static str) -> Pages {
    (0..count)
        .map(|number| (format!("/{number}"), (lastmod, 1)))
        .collect()
}

fn sitemap(pages: &Pages) -> String {
    let entry = |(path, (lastmod, _)): (&String, &(&str, u32))| {
        let lastmod = if lastmod.is_empty() {
            String::new()
        } else {
            format!("<lastmod>{lastmod}</lastmod>")
        };
        format!("<url><loc>{path}</loc>{lastmod}</url>")
    };
    format!(
        "<urlset>{}</urlset>",
        pages.iter().map(entry).collect::<String>()
    )
}

/// A server that has them, without ETags and dates as most programs that make pages.
fn plain(pages: &Pages) -> impl Fn(&str) -> Said + Clone + use<> {
    let pages = pages.clone();
    move |path| match (path, pages.get(path)) {
        ("/", _) => Said::page("<html lang=en><title>Home</title><p>We bake"),
        ("/sitemap.xml", _) => Said::xml(sitemap(&pages)),
        (_, Some((_, edition))) => {
            let number = &path[1..];
            Said::page(format!(
                "<html lang=en><title>Bread {number}</title><p>Bread {number}, edition {edition}</p>"
            ))
        }
        _ => Said::status(404),
    }
}

/// The same with ETags.
fn tagged(pages: &Pages) -> impl Fn(&str) -> Said + Clone + use<> {
    let plain = plain(pages);
    let pages = pages.clone();
    move |path| match pages.get(path) {
        Some((_, edition)) => plain(path).with(&format!("ETag: \"{edition}\"")),
        None => plain(path),
    }
}

/// What a build asked for beside what is asked before anything is known of the site, with the statuses; and its report.
fn build(
    site: &Site,
    origin: &Origin,
    arguments: &[&str],
    code: i32,
) -> (BTreeMap<String, u16>, Value) {
    origin.asked();
    let ran = site.run(&[&["build", "--json"], arguments].concat());
    assert_eq!(ran.code, code, "{}", ran.stderr);
    let asked = origin.asked();
    let is_of_site =
        |(path, _): &(String, u16)| !["/", "/robots.txt", "/sitemap.xml"].contains(&&**path);
    let pages: Vec<_> = asked
        .iter()
        .filter(|asked| is_of_site(asked))
        .cloned()
        .collect();
    let by_path: BTreeMap<_, _> = pages.iter().cloned().collect();
    assert!(
        asked.len() - pages.len() <= 3,
        "start page, robots.txt and sitemap once each: {asked:?}"
    );
    (by_path, ran.json()["sites"][0].clone())
}

fn asked(site: &Site, origin: &Origin) -> BTreeMap<String, u16> {
    build(site, origin, &[], 0).0
}

/// Builds until the sitemap has proved right: none of these builds passes a page over.
fn prove(site: &Site, origin: &Origin, pages: &Pages) {
    for round in 0..3 {
        let asked = asked(site, origin);
        assert!(
            pages.keys().all(|page| asked.contains_key(page)),
            "crawl {round}: {asked:?}"
        );
    }
}

fn notices(report: &Value) -> Vec<String> {
    let notices = report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| notice.as_str().unwrap().to_owned());
    notices
        .filter(|notice| notice.contains("`lastmod`"))
        .collect()
}

fn has_edition(site: &Site, page: &str, edition: u32) -> bool {
    site.read(&format!("dist/site/es{page}.html"))
        .contains(&edition.to_string())
}

#[test]
fn a_sitemap_that_proved_right_spares_questions() {
    let mut pages = pages(120, "2026-01-05T10:00:00+00:00");
    let origin = Origin::start(plain(&pages));
    let site = site(&origin, "");
    prove(&site, &origin, &pages);
    let published = site.objects();
    let mut seen = BTreeSet::new();
    for _ in 0..3 {
        let (asked, report) = build(&site, &origin, &[], 0);
        assert_eq!(asked.len(), 5, "{asked:?}");
        assert_eq!(
            (report["pages"].as_u64(), report["written"].as_u64()),
            (Some(121), Some(0)),
            "{report}"
        );
        seen.extend(asked.into_keys());
    }
    assert_eq!(seen.len(), 15, "others each time");
    assert_eq!(site.objects(), published);
    let next = pages
        .keys()
        .find(|page| !seen.contains(*page))
        .cloned()
        .unwrap();
    pages.insert(next.clone(), ("2026-01-06T10:00:00+00:00", 200));
    pages.insert("/new".to_owned(), ("2026-01-06T10:00:00+00:00", 1));
    pages.remove(seen.first().unwrap());
    origin.answer(plain(&pages));
    let (asked, report) = build(&site, &origin, &[], 0);
    assert!(
        asked.len() <= 7 && asked.contains_key(&next) && asked.contains_key("/new"),
        "{asked:?}"
    );
    assert_eq!(
        (report["pages"].as_u64(), notices(&report)),
        (Some(121), Vec::new())
    );
    assert!(has_edition(&site, &next, 200) && site.path("dist/site/es/new.html").exists());
    assert!(
        !site
            .path(&format!("dist/site/es{}.html", seen.first().unwrap()))
            .exists()
    );
}

#[test]
fn a_sitemap_that_is_wrong_is_found_out_by_the_same_crawl() {
    let before = pages(40, "2026-01-05T10:00:00Z");
    let after: Pages = before
        .iter()
        .map(|(path, (lastmod, _))| (path.clone(), (*lastmod, 200)))
        .collect();
    let origin = Origin::start(tagged(&before));
    let site = site(&origin, "");
    prove(&site, &origin, &before);
    assert_eq!(
        asked(&site, &origin).into_values().collect::<Vec<_>>(),
        [304; 5]
    );
    origin.answer(tagged(&after));
    let (asked_then, report) = build(&site, &origin, &[], 0);
    assert_eq!(asked_then.len(), 40);
    let notices_then = notices(&report);
    assert!(
        notices_then.len() == 1 && notices_then[0].contains("and 3"),
        "{notices_then:?}"
    );
    assert!(after.keys().all(|page| has_edition(&site, page, 200)));
    for _ in 0..2 {
        let (asked, report) = build(&site, &origin, &[], 0);
        assert_eq!(
            (asked.len(), notices(&report)),
            (40, Vec::new()),
            "trust is earned anew"
        );
    }
    assert_eq!(asked(&site, &origin).len(), 5);
}

/// The start page is fetched before anything is passed over.
#[test]
fn a_start_page_that_changes_without_a_sign_is_enough() {
    let mut pages = pages(30, "2026-01-05T10:00:00Z");
    pages.insert("/".to_owned(), ("2026-01-05T10:00:00Z", 1));
    let origin = Origin::start(plain(&pages));
    let site = site(&origin, "");
    for round in 0..3 {
        assert_eq!(asked(&site, &origin).len(), 30, "crawl {round}");
    }
    assert_eq!(asked(&site, &origin).len(), 5);
    let answer = plain(&pages);
    origin.answer(move |path| {
        if path == "/" {
            Said::page("<html lang=en><p>We bake anew")
        } else {
            answer(path)
        }
    });
    let (asked, report) = build(&site, &origin, &[], 0);
    assert_eq!(asked.len(), 30);
    assert!(notices(&report)[0].ends_with(": /"), "{report}");
}

/// One that says nothing true from the beginning is never relied on, and its owner hears of that once.
#[test]
fn a_sitemap_that_was_never_right_is_never_relied_on() {
    let mut pages = pages(8, "2026-01-05T10:00:00Z");
    let origin = Origin::start(plain(&pages));
    let site = site(&origin, "");
    asked(&site, &origin);
    for round in 2..6 {
        pages.insert("/3".to_owned(), ("2026-01-05T10:00:00Z", 100 * round));
        origin.answer(plain(&pages));
        let (asked, report) = build(&site, &origin, &[], 0);
        assert_eq!(
            (asked.len(), notices(&report).len()),
            (8, usize::from(round == 2))
        );
        assert!(has_edition(&site, "/3", 100 * round));
    }
}

#[test]
fn a_page_that_is_gone_although_a_sitemap_has_it_unchanged_is_a_contradiction() {
    let pages = pages(10, "2026-01-05T10:00:00Z");
    let origin = Origin::start(plain(&pages));
    let site = site(&origin, "");
    prove(&site, &origin, &pages);
    // Its turn comes in the next crawl.
    let before = asked(&site, &origin);
    let gone = pages
        .keys()
        .find(|page| !before.contains_key(*page))
        .cloned()
        .unwrap();
    let answer = plain(&pages);
    let path_of_gone = gone.clone();
    origin.answer(move |path| {
        if path == path_of_gone {
            Said::status(404)
        } else {
            answer(path)
        }
    });
    let (asked, report) = build(&site, &origin, &[], 6);
    assert_eq!((asked.len(), asked[&gone]), (10, 404));
    assert!(
        notices(&report)[0].ends_with(&format!(": {gone}")),
        "{report}"
    );
    let published: Vec<_> = pages
        .keys()
        .filter(|page| site.path(&format!("dist/site/es{page}.html")).exists())
        .collect();
    assert!(
        published.len() == 9 && !published.contains(&&gone),
        "{published:?}"
    );
    // A sitemap that lists it all the same is not wrong once more.
    for count in [10, 10, 6] {
        let (asked, report) = build(&site, &origin, &[], 6);
        assert_eq!(
            (asked.len(), asked[&gone], notices(&report)),
            (count, 404, Vec::new())
        );
    }
}

#[test]
fn what_is_passed_over_leads_on_as_if_it_had_been_fetched() {
    let listed = pages(30, "2026-01-05T10:00:00Z");
    let linked = |edition: u32| {
        let answer = plain(&listed);
        move |path: &str| match path {
            "/deep" => Said::page(format!(
                "<html lang=en><title>Deep</title><p>Edition {edition}</p>"
            )),
            path => {
                let mut said = answer(path);
                said.body = said.body.replace("</p>", "</p><a href=/deep>More</a>");
                said
            }
        }
    };
    let origin = Origin::start(linked(1));
    let site = site(&origin, "");
    prove(&site, &origin, &listed);
    origin.answer(linked(200));
    let (asked, report) = build(&site, &origin, &[], 0);
    assert_eq!(
        (asked.len(), asked["/deep"], report["pages"].as_u64()),
        (6, 200, Some(32))
    );
    assert!(has_edition(&site, "/deep", 200));
}

/// A day that is not over, nothing at all, a file, and an index of sitemaps; what another host says does not count.
#[test]
fn only_dates_of_the_site_that_can_tell_are_relied_on() {
    let mut pages = pages(30, "2026-01-05");
    pages.insert("/0".to_owned(), ("2999-01-01", 1));
    pages.insert("/1".to_owned(), ("", 1));
    pages.insert("/2".to_owned(), ("2999-01-01T10:00:00Z", 1));
    pages.insert("/3".to_owned(), ("last week", 1));
    pages.insert("/menu.pdf".to_owned(), ("2026-01-05", 1));
    let elsewhere = Origin::start(plain(&pages));
    let address = elsewhere.address.clone();
    let answer = plain(&pages);
    let origin = Origin::start(move |path| match path {
        "/robots.txt" => Said::page(format!("Sitemap: {address}sitemap.xml\n")),
        "/sitemap.xml" => {
            Said::xml("<sitemapindex><sitemap><loc>/list</loc></sitemap></sitemapindex>")
        }
        "/list" => answer("/sitemap.xml"),
        path => answer(path),
    });
    let site = site(&origin, "");
    prove(&site, &origin, &pages);
    let asked = asked(&site, &origin);
    assert_eq!(asked.len(), 5 + 6, "{asked:?}");
    assert!(
        ["/0", "/1", "/2", "/3", "/menu.pdf", "/list"]
            .iter()
            .all(|path| asked.contains_key(*path)),
        "{asked:?}"
    );
    assert!(elsewhere.asked().is_empty());
}

/// A sitemap that names the time at which it was made says something new each time.
#[test]
fn a_date_that_is_another_one_each_time_spares_nothing() {
    let dates = [
        "2026-01-01T10:00:00Z",
        "2026-01-02T10:00:00Z",
        "2026-01-03T10:00:00Z",
        "2026-01-04T10:00:00Z",
    ];
    let origin = Origin::start(plain(&Pages::new()));
    let site = site(&origin, "");
    for date in dates {
        origin.answer(plain(&pages(8, date)));
        assert_eq!(asked(&site, &origin).len(), 8);
    }
}

#[test]
fn everything_is_asked_where_that_is_wanted_or_nothing_else_is_sure() {
    let pages = pages(30, "2026-01-05T10:00:00Z");
    let origin = Origin::start(tagged(&pages));
    let statuses = |site: &Site, arguments: &[&str]| -> Vec<u16> {
        build(site, &origin, arguments, 0).0.into_values().collect()
    };
    let asking = site(&origin, "changed = \"conditional\"\n");
    let fetching = site(&origin, "changed = \"all\"\n");
    prove(&asking, &origin, &pages);
    prove(&fetching, &origin, &pages);
    assert_eq!(
        (statuses(&asking, &[]), statuses(&fetching, &[])),
        (vec![304; 30], vec![200; 30])
    );

    let site = site(&origin, "changed = \"auto\"\n");
    prove(&site, &origin, &pages);
    assert_eq!(statuses(&site, &[]), [304; 5]);
    assert_eq!(statuses(&site, &["--rebuild"]), [200; 30]);
    assert_eq!(statuses(&site, &[]), [304; 5]);
    // The server was configured anew.
    let answer = tagged(&pages);
    origin.answer(move |path| answer(path).with("X-Robots-Tag: noarchive"));
    assert_eq!(statuses(&site, &[]), [200; 30]);
    assert_eq!(statuses(&site, &[]), [304; 5]);
    // A page alone is not sure either way: nothing is passed over, and trust stays.
    let answer = tagged(&pages);
    origin.answer(move |path| match path {
        "/" => answer(path).with("X-Robots-Tag: noarchive"),
        path => answer(path).with("X-Robots-Tag: noindex"),
    });
    let (asked, report) = build(&site, &origin, &[], 0);
    assert_eq!((asked.len(), notices(&report)), (30, Vec::new()));
    assert!(!site.read("dist/site/es/sitemap.xml").contains("/es/7<"));
    assert_eq!(statuses(&site, &[]), [304; 5]);
    // Whoever asks under another name begins anew, and so does whoever lost the state.
    site.edit("latimer.toml", "changed = \"auto\"", "user_agent = \"me\"");
    prove(&site, &origin, &pages);
    assert_eq!(statuses(&site, &[]), [304; 5]);
    site.forget();
    prove(&site, &origin, &pages);
}

/// A crawl that failed proved nothing, and forgets nothing.
#[test]
fn a_crawl_that_failed_does_not_count() {
    let pages = pages(30, "2026-01-05T10:00:00Z");
    let origin = Origin::start(plain(&pages));
    let site = site(&origin, "");
    let down = |_: &str| Said::status(403);
    for _ in 0..2 {
        assert_eq!(asked(&site, &origin).len(), 30);
    }
    origin.answer(down);
    assert_ne!(site.run(&["build"]).code, 0);
    origin.answer(plain(&pages));
    assert_eq!(
        asked(&site, &origin).len(),
        30,
        "the second crawl that finds it right"
    );
    origin.answer(down);
    assert_ne!(site.run(&["build"]).code, 0);
    origin.answer(plain(&pages));
    assert_eq!(asked(&site, &origin).len(), 5);
}
