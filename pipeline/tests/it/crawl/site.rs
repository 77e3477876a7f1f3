//! What a crawl takes of a well-behaved site.

mod links;
mod pace;

use std::collections::BTreeSet;
use std::io::Write;

use super::origin::{Answer, Origin};
use super::{collect, names, options};
use pipeline::config::{PathFilter, SourceLocation};
use pipeline::crawl::{CrawlOptions, CrawlRedirect};
use pipeline::model::{PagePath, SourceKind};

/// A site on which everything exists: pages, and files by their ending.
async fn full_site(start: &'static str, answers: Vec<(&'static str, Answer)>) -> Origin {
    Origin::start(move |target, _| {
        let path = target.split('?').next().unwrap_or(target);
        match (
            answers.iter().find(|(known, _)| *known == target),
            path.rsplit_once('.').map(|(_, ending)| ending),
        ) {
            (Some((_, answer)), _) => answer.clone(),
            _ if target == "/" => Answer::page(start),
            (_, Some("css")) => Answer::file("text/css", ""),
            (_, Some("png" | "js" | "woff2" | "pdf")) => {
                Answer::file("application/octet-stream", "x")
            }
            (_, Some("txt" | "xml")) => Answer::status(404),
            _ => Answer::page("<p>a page"),
        }
    })
    .await
}

#[tokio::test]
async fn a_resource_says_what_it_is() {
    let origin = full_site(
        "<a href=/latin><a href=/undeclared><a href=/empty><a href=/hidden><img src=/i.png>",
        vec![
            (
                "/latin",
                Answer::file("Text/HTML;charset=\"ISO-8859-1\"", &b"<p>caf\xe9"[..])
                    .with("etag", "\"7\""),
            ),
            (
                "/undeclared",
                Answer::file("", "<!doctype html><p>x").bare(),
            ),
            ("/empty", Answer::page("<p>")),
            (
                "/hidden",
                Answer::page("<p>x")
                    .with("x-robots-tag", "noindex")
                    .with("last-modified", "then"),
            ),
            ("/i.png", Answer::file("", "x").bare()),
        ],
    )
    .await;
    let (crawled, taken) = collect(&origin.source(), &options()).await;
    assert_eq!(
        (crawled.as_ref().unwrap().pages, crawled.unwrap().files),
        (5, 1)
    );
    let latin = &taken["/latin"];
    assert_eq!(
        (latin.content_type.as_str(), latin.charset.as_deref()),
        ("text/html", Some("ISO-8859-1"))
    );
    assert_eq!(
        (&latin.body[..], latin.etag.as_deref()),
        (&b"<p>caf\xe9"[..], Some("\"7\""))
    );
    assert_eq!(
        (
            taken["/undeclared"].kind,
            taken["/undeclared"].content_type.as_str()
        ),
        (SourceKind::Page, "text/html")
    );
    assert_eq!(taken["/i.png"].content_type, "image/png");
    assert_eq!(
        (taken["/hidden"].noindex, taken["/latin"].noindex),
        (true, false)
    );
    assert_eq!(taken["/hidden"].last_modified.as_deref(), Some("then"));
}

#[tokio::test]
async fn pages_are_taken_below_the_start_and_files_from_anywhere() {
    let start = Answer::page(
        "<a href=b.html><a href=/other><a href=/docs/c/><img src=/img/a.png><a href=/get/a.pdf>",
    );
    let origin = full_site("", vec![("/docs/start.html", start)]).await;
    let (_, taken) = collect(
        &SourceLocation::Web(origin.at("/docs/start.html?x#y")),
        &options(),
    )
    .await;
    let expected = [
        "page /docs/b.html",
        "page /docs/c/",
        "page /docs/start.html",
        "file /get/a.pdf",
        "file /img/a.png",
    ];
    assert_eq!(names(&taken), expected);
}

#[tokio::test]
async fn each_address_is_fetched_once() {
    let origin = full_site(
        "<a href=/a><a href=/a#x><img src=/i.png><img src='/i.png?2'>",
        Vec::new(),
    )
    .await;
    collect(&origin.source(), &options()).await.0.unwrap();
    assert_eq!(
        origin.targets(),
        [
            "/",
            "/a",
            "/i.png",
            "/i.png?2",
            "/robots.txt",
            "/sitemap.xml"
        ]
    );
}

#[tokio::test]
async fn the_filter_and_our_own_output_keep_pages_out() {
    let origin = full_site(
        "<a href=/a><a href=/internal/x><a href=/es/a><a href=/es><a href=/best><img src=/internal/i.png>",
        vec![("/sitemap.xml", Answer::file("text/xml", "<urlset><url><loc>/es/b</loc></url></urlset>"))],
    )
    .await;
    let filter = PathFilter::new(&["/**".to_owned()], &["/internal/**".to_owned()]).unwrap();
    let options = CrawlOptions {
        filter,
        translated: vec!["/es/".to_owned()],
        ..options()
    };
    let (crawled, taken) = collect(&origin.source(), &options).await;
    assert_eq!(names(&taken), ["page /", "page /a", "page /best"]);
    assert_eq!(crawled.unwrap().excluded, 2);
}

#[tokio::test]
async fn a_start_page_that_is_kept_out_is_still_followed() {
    let origin = full_site("<a href=/blog/a><a href=/shop/>", Vec::new()).await;
    let filter = PathFilter::new(&["/blog/**".to_owned()], &[]).unwrap();
    let (crawled, taken) = collect(
        &origin.source(),
        &CrawlOptions {
            filter,
            ..options()
        },
    )
    .await;
    assert_eq!(names(&taken), ["page /blog/a"]);
    assert_eq!(crawled.unwrap().excluded, 2);
}

#[tokio::test]
async fn redirects_are_recorded_and_followed_r_e10() {
    let origin = full_site(
        "<a href=/old><a href=/dir><a href=/away><a href=/wants-query><a href=/to-es><img src=/old.png>",
        vec![
            ("/old", Answer::redirect(301, "/new#part")),
            ("/dir", Answer::redirect(308, "dir/")),
            ("/dir/", Answer::page("<a href=child>")),
            ("/away", Answer::redirect(302, "http://elsewhere.invalid/")),
            ("/wants-query", Answer::redirect(302, "/wants-query?session=1")),
            ("/wants-query?session=1", Answer::page("<p>here")),
            ("/to-es", Answer::redirect(302, "/es/")),
            ("/old.png", Answer::redirect(307, "/new.png?v=2")),
        ],
    )
    .await;
    let options = CrawlOptions {
        translated: vec!["/es/".to_owned()],
        ..options()
    };
    let (crawled, taken) = collect(&origin.source(), &options).await;
    let crawled = crawled.unwrap();
    let redirect = |from: &str, to: &str, status| {
        let path = |text| PagePath::parse(text).unwrap();
        CrawlRedirect {
            from: path(from),
            to: path(to),
            status,
        }
    };
    let expected = [
        redirect("/dir", "/dir/", 308),
        redirect("/old", "/new", 301),
        redirect("/old.png", "/new.png?v=2", 307),
    ];
    assert_eq!(crawled.redirects, expected);
    let expected = [
        "page /",
        "page /dir/",
        "page /dir/child",
        "page /new",
        "file /new.png?v=2",
        "page /wants-query",
    ];
    assert_eq!(names(&taken), expected);
    assert_eq!((crawled.excluded, crawled.failures.len()), (2, 0));
}

#[tokio::test]
async fn sitemaps_are_read_also_packed_and_nested() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed
        .write_all(b"<urlset><url><loc>/from-gz?x=1&amp;y</loc></url></urlset>")
        .unwrap();
    let origin = full_site(
        "",
        vec![
            ("/robots.txt", Answer::file("text/plain", "Sitemap: /maps/index.xml\nSitemap: /gone.xml")),
            (
                "/maps/index.xml",
                Answer::file("text/xml", "<sitemapindex><sitemap><loc>s.xml.gz</loc></sitemap></sitemapindex>"),
            ),
            ("/maps/s.xml.gz", Answer::file("application/gzip", packed.finish().unwrap())),
            (
                "/sitemap.xml",
                Answer::file(
                    "text/xml",
                    "<urlset><url><loc>/from-xml</loc></url><url><loc>http://o.invalid/</loc></url></urlset>",
                ),
            ),
        ],
    )
    .await;
    let (crawled, taken) = collect(&origin.source(), &options()).await;
    assert_eq!(names(&taken), ["page /", "page /from-gz", "page /from-xml"]);
    let failures: Vec<String> = crawled
        .unwrap()
        .failures
        .iter()
        .map(|failure| failure.path.to_string())
        .collect();
    assert_eq!(failures, ["/gone.xml"]);
}

#[tokio::test]
async fn robots_txt_decides_whether_and_where_we_go_r_e11() {
    let text = |body: &'static str| Answer::file("text/plain", body);
    for (robots, expected) in [
        (
            text("User-agent: *\nDisallow: /private"),
            Ok((vec!["page /", "page /open"], 1)),
        ),
        (
            text("User-agent: latimer\nDisallow: /open\n\nUser-agent: *\nDisallow: /"),
            Ok((vec!["page /", "page /private"], 1)),
        ),
        (
            Answer::status(404),
            Ok((vec!["page /", "page /open", "page /private"], 0)),
        ),
        (
            Answer::status(403),
            Ok((vec!["page /", "page /open", "page /private"], 0)),
        ),
        (
            Answer::redirect(301, "/robots.txt"),
            Ok((vec!["page /", "page /open", "page /private"], 0)),
        ),
        (text("User-agent: *\nDisallow: /"), Err("forbids it")),
        (Answer::status(500), Err("robots.txt fails")),
        (Answer::page("").hang(), Err("robots.txt fails")),
    ] {
        let origin = full_site(
            "<a href=/open><a href=/private>",
            vec![("/robots.txt", robots.clone())],
        )
        .await;
        let (crawled, taken) = collect(&origin.source(), &options()).await;
        match (crawled, expected) {
            (Ok(crawled), Ok((pages, excluded))) => {
                assert_eq!((names(&taken), crawled.excluded), (owned(&pages), excluded))
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (crawled, expected) => panic!("{robots:?} gave {crawled:?} instead of {expected:?}"),
        }
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// A site of linked pages, `/0` to `/{pages-1}`, each linking to ten others.
async fn big_site(pages: usize) -> Origin {
    Origin::start(move |target, _| {
        let number: usize = match target.trim_start_matches('/') {
            "" => 0,
            name => match name.parse() {
                Ok(number) => number,
                Err(_) => return Answer::status(404),
            },
        };
        let links = (1..=10).map(|step| format!("<a href=/{}>", (number * 10 + step) % pages));
        Answer::page(links.collect::<String>())
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn max_pages_takes_the_same_pages_whatever_answers_first() {
    let mut seen = BTreeSet::new();
    for concurrency in [1, 3, 16] {
        let origin = big_site(1_000).await;
        let options = CrawlOptions {
            concurrency,
            max_pages: 57,
            ..options()
        };
        let (crawled, taken) = collect(&origin.source(), &options).await;
        assert!(crawled.unwrap().truncated);
        assert_eq!(taken.len(), 57);
        seen.insert(names(&taken));
    }
    assert_eq!(seen.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_calendar_is_left_and_the_rest_of_the_site_taken() {
    let mut seen = BTreeSet::new();
    for concurrency in [1, 8] {
        let origin = Origin::start(|target, _| {
            let nav = "<a href=/>Home</a><a href=/about>About</a><a href=/p/1>Shop</a>";
            let day = target
                .strip_prefix("/cal/")
                .and_then(|day| day.parse::<u64>().ok());
            let product = target
                .strip_prefix("/p/")
                .and_then(|number| number.parse::<u64>().ok());
            let links = match (target, day, product) {
                ("/", _, _) => String::from("<a href=/cal/1000>Calendar</a>"),
                ("/about", _, _) => String::new(),
                (_, Some(day), _) => format!(
                    "<a href=/cal/{}>Before</a><a href=/cal/{}>After</a>",
                    day - 1,
                    day + 1
                ),
                (_, _, Some(list)) if list < 80 => {
                    format!(
                        "<a href=/thing-{list}/>A thing</a><a href=/p/{}>More</a>",
                        list + 1
                    )
                }
                _ if target.starts_with("/thing-") => String::new(),
                _ => return Answer::status(404),
            };
            Answer::page(format!("{nav}{links}<p>{target}"))
        })
        .await;
        let (crawled, taken) = collect(
            &origin.source(),
            &CrawlOptions {
                concurrency,
                ..options()
            },
        )
        .await;
        let crawled = crawled.unwrap();
        let paths: Vec<&str> = crawled
            .traps
            .iter()
            .map(|trap| trap.pattern.as_str())
            .collect();
        assert_eq!((paths, crawled.truncated), (vec!["/cal/#"], false));
        assert!(
            crawled.is_trapped(&PagePath::parse("/cal/7").unwrap())
                && taken.contains_key("/cal/1020")
        );
        assert!(
            taken.contains_key("/thing-79/")
                && !crawled.is_trapped(&PagePath::parse("/p/7").unwrap())
        );
        let days = taken
            .keys()
            .filter(|path| path.starts_with("/cal/"))
            .count();
        assert!((50..200).contains(&days), "{days} days were taken");
        seen.insert(names(&taken));
    }
    assert_eq!(
        seen.len(),
        1,
        "a crawl takes the same pages whatever answers first"
    );
}

#[tokio::test]
async fn a_cookie_that_a_redirect_to_the_same_page_sets_is_sent_again_r_s13() {
    let wall = || Answer::redirect(302, "/").with("set-cookie", "seen=1; Path=/; HttpOnly");
    let origin = Origin::start(move |target, turn| match (target, turn) {
        ("/", 0) => wall(),
        ("/", _) => Answer::page("<p>Home <a href=/closed>closed</a>"),
        ("/closed", _) => Answer::redirect(302, "/closed").with("set-cookie", "no=1"),
        _ => Answer::status(404),
    })
    .await;
    let (crawled, taken) = collect(&origin.source(), &options()).await;
    assert_eq!(names(&taken), ["page /"]);
    let cookies = |target: &str| {
        let asked = origin.asked();
        let of_target = asked.iter().filter(|asked| asked.target == target);
        of_target
            .map(|asked| asked.headers.get("cookie").cloned())
            .collect::<Vec<_>>()
    };
    assert_eq!(cookies("/"), [None, Some("seen=1".to_owned())]);
    // A wall that does not open is asked no third time, and nobody else gets its cookie.
    assert_eq!(cookies("/closed"), [None, Some("no=1".to_owned())]);
    let failures = crawled.unwrap().failures;
    assert!(
        failures.len() == 1 && failures[0].reason.contains("headers_file"),
        "{failures:?}"
    );
}
