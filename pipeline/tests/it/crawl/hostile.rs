//! Origins that are broken or mean harm.

use std::io::Write;
use std::time::Duration;

use url::Url;

use super::origin::{Answer, Origin};
use super::{collect, names, options};
use pipeline::config::SourceLocation;
use pipeline::crawl::CrawlOptions;
use pipeline::net::{FetchOptions, Fetcher};

fn bomb(megabytes: usize) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    (0..megabytes).for_each(|_| packed.write_all(&[b' '; 1 << 20]).unwrap());
    packed.finish().unwrap()
}

#[tokio::test]
async fn what_cannot_be_had_is_reported_and_the_rest_is_crawled_c9_d10() {
    let zeros = "0".repeat(11 << 20);
    let many = (0..5_000).fold(Answer::page("x"), |answer, number| {
        answer.with(&format!("x-{number}"), "y")
    });
    let mut cases = vec![
        ("/404", Answer::status(404), "not_found"),
        ("/500", Answer::status(500), "http_status"),
        ("/304", Answer::status(304), "http_status"),
        ("/300", Answer::redirect(300, "/good"), "http_status"),
        (
            "/nowhere",
            Answer::redirect(302, "http://["),
            "bad_redirect",
        ),
        ("/huge", Answer::page(zeros), "page_too_large"),
        (
            "/bomb",
            Answer::page(bomb(64)).with("content-encoding", "gzip"),
            "page_too_large",
        ),
        (
            "/half",
            Answer::page(bomb(1)[..500].to_vec()).with("content-encoding", "gzip"),
            "broken_response",
        ),
        (
            "/zstd",
            Answer::page("x").with("content-encoding", "zstd"),
            "broken_response",
        ),
        ("/hang", Answer::page("x").hang(), "timeout"),
        ("/drip", Answer::page("x").drip(), "timeout"),
        ("/cut", Answer::page("<p>half").cut(), "broken_response"),
        ("/headers", many, "broken_response"),
        (
            "/loop-a",
            Answer::redirect(302, "/loop-b"),
            "too_many_redirects",
        ),
        (
            "/loop-b",
            Answer::redirect(302, "/loop-a"),
            "too_many_redirects",
        ),
        (
            "/self",
            Answer::redirect(302, "/self"),
            "too_many_redirects",
        ),
        (
            "/queries",
            Answer::redirect(302, "/queries?1"),
            "too_many_redirects",
        ),
        ("/queries?1", Answer::redirect(302, "/queries?2"), ""),
        ("/queries?2", Answer::redirect(302, "/queries?1"), ""),
        ("/broken.css", Answer::status(503), "http_status"),
    ];
    cases.sort_by_key(|case| case.0);
    let links: String = cases
        .iter()
        .map(|(path, ..)| format!("<a href={path}>"))
        .collect();
    let start = Answer::page(format!("<img src=/broken.css>{links}<a href=/good>"));
    let mut answers = vec![("/", start), ("/good", Answer::page("<p>good"))];
    answers.extend(
        cases
            .iter()
            .map(|(path, answer, _)| (*path, answer.clone())),
    );
    let origin = Origin::of(answers).await;
    let (crawled, taken) = collect(&origin.source(), &options()).await;
    assert_eq!(names(&taken), ["page /", "page /good"]);
    let failures: Vec<(String, &str)> = crawled
        .unwrap()
        .failures
        .iter()
        .map(|failure| (failure.path.to_string(), failure.code))
        .collect();
    let expected: Vec<(String, &str)> = cases
        .iter()
        .filter(|case| !case.2.is_empty())
        .map(|(path, _, code)| (path.to_string(), *code))
        .collect();
    assert_eq!(failures, expected);
}

#[tokio::test]
async fn endless_redirects_end() {
    let origin = Origin::start(
        |target, _| match target.trim_start_matches("/r").parse::<u32>() {
            Ok(number) => Answer::redirect(302, &format!("/r{}", number + 1)),
            Err(_) if target == "/" => Answer::page("<a href=/r0>"),
            Err(_) => Answer::status(404),
        },
    )
    .await;
    let (crawled, _) = collect(&origin.source(), &options()).await;
    let crawled = crawled.unwrap();
    assert_eq!(
        crawled
            .failures
            .iter()
            .map(|failure| failure.code)
            .collect::<Vec<_>>(),
        ["too_many_redirects"]
    );
    assert!(origin.asked().len() < 20);
}

#[tokio::test]
async fn what_may_pass_is_tried_again_as_late_as_asked() {
    let busy = |status| Answer::status(status).with("retry-after", "1");
    let origin = Origin::of(vec![
        (
            "/",
            Answer::page("<a href=/503><a href=/429><a href=/cut><a href=/500><a href=/broken>"),
        ),
        ("/503", busy(503)),
        ("/503", Answer::page("<p>back")),
        ("/429", busy(429)),
        ("/429", Answer::status(502)),
        ("/429", Answer::page("<p>back")),
        ("/cut", Answer::page("<p>half").cut()),
        ("/cut", Answer::page("<p>whole")),
        ("/500", Answer::status(500)),
        ("/500", Answer::page("<p>back")),
        ("/broken", Answer::status(500)),
    ])
    .await;
    // One after the other, so that no page waits for what another one was told.
    let mut options = CrawlOptions {
        concurrency: 1,
        ..options()
    };
    options.fetch.max_retry_after = Duration::from_secs(2);
    let (crawled, taken) = collect(&origin.source(), &options).await;
    assert_eq!(
        names(&taken),
        ["page /", "page /429", "page /500", "page /503", "page /cut"]
    );
    assert_eq!(crawled.unwrap().failures.len(), 1);
    let times = |path: &str| -> Vec<_> {
        origin
            .asked()
            .into_iter()
            .filter(|asked| asked.target == path)
            .map(|asked| asked.at)
            .collect()
    };
    for path in ["/503", "/429"] {
        assert!(
            times(path)[1] - times(path)[0] >= Duration::from_secs(1),
            "{path}"
        );
    }
    assert_eq!(
        ["/429", "/500", "/broken"].map(|path| times(path).len()),
        [3, 2, 3]
    );

    // Longer than anybody waits.
    let origin = Origin::of(vec![
        ("/", Answer::page("<a href=/later>")),
        ("/later", Answer::status(503).with("retry-after", "86400")),
    ])
    .await;
    let (crawled, taken) = collect(&origin.source(), &options).await;
    assert_eq!(
        (names(&taken), crawled.unwrap().failures.len()),
        (vec!["page /".to_owned()], 1)
    );
    assert_eq!(
        origin
            .asked()
            .iter()
            .filter(|asked| asked.target == "/later")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_host_that_asks_to_wait_is_asked_for_nothing_meanwhile() {
    let pages: String = (0..40).map(|page| format!("<a href=/{page}>")).collect();
    for (path, status) in [
        ("/robots.txt", 503),
        ("/sitemap.xml", 429),
        ("/", 503),
        ("/3", 429),
        ("/17", 503),
    ] {
        let links = pages.clone();
        let busy = path.to_owned();
        let origin = Origin::start(move |target, turn| match (target, turn) {
            (target, 0) if target == busy => Answer::status(status).with("retry-after", "1"),
            ("/", _) => Answer::page(links.clone()),
            (target, _) if target.trim_start_matches('/').parse::<u32>().is_ok() => {
                Answer::page("<p>a page")
            }
            _ => Answer::status(404),
        })
        .await;
        let options = CrawlOptions {
            concurrency: 4,
            ..options()
        };
        let (crawled, taken) = collect(&origin.source(), &options).await;
        assert_eq!(
            (taken.len(), crawled.unwrap().failures.len()),
            (41, 0),
            "{path}"
        );
        let asked = origin.asked();
        let refused = asked.iter().position(|asked| asked.target == path).unwrap();
        let window = asked[refused].at..asked[refused].at + Duration::from_secs(1);
        // Those that were on their way when it was said.
        let early = asked[refused + 1..]
            .iter()
            .filter(|asked| window.contains(&asked.at))
            .count();
        assert!(
            early < options.concurrency,
            "{path}: {early} requests came too early"
        );
    }
}

#[tokio::test]
async fn nothing_at_all_is_an_error_that_says_what_to_do() {
    let missing = Origin::of(vec![]).await;
    let other = Origin::of(vec![]).await;
    let moved = Origin::of(vec![("/", Answer::redirect(301, other.url.as_str()))]).await;
    let closed = {
        let origin = Origin::of(vec![]).await;
        origin.url.clone()
    };
    for (start, parts) in [
        (
            missing.url.clone(),
            &["status 404", "not_found", "opens in a browser"][..],
        ),
        (closed, &["connection failed", "connect_failed"]),
        (
            Url::parse("http://latimer.invalid/").unwrap(),
            &["latimer.invalid", "dns_failed"],
        ),
        (
            Url::parse("ftp://127.0.0.1/").unwrap(),
            &["blocked_host", "only http"],
        ),
        (
            moved.url.clone(),
            &["another site", "use that address as the source"],
        ),
    ] {
        let (crawled, _) = collect(&SourceLocation::Web(start.clone()), &options()).await;
        let error = crawled.unwrap_err().to_string();
        assert!(
            parts.iter().all(|part| error.contains(part)),
            "{start}: {error}"
        );
    }
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn private_addresses_are_never_connected_to_d4() {
    let canary = Origin::of(vec![("/", Answer::page("caught"))]).await;
    let port = canary.url.port().unwrap();
    let mut options = options();
    options.fetch.allow_private = false;
    let fetcher = Fetcher::new(options.fetch.clone(), &canary.url).unwrap();
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f000001",
        "127.1",
        "[::ffff:127.0.0.1]",
        "0",
    ] {
        let url = Url::parse(&format!("http://{host}:{port}/")).unwrap();
        assert_eq!(
            fetcher.fetch_following(&url).await.unwrap_err().code(),
            "blocked_host",
            "{url}"
        );
        let error = collect(&SourceLocation::Web(url), &options)
            .await
            .0
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("blocked_host") && error.contains("allow_private"),
            "{error}"
        );
    }
    assert!(canary.asked().is_empty());
}

#[tokio::test]
async fn our_own_headers_stay_with_the_site() {
    let other = Origin::of(vec![("/", Answer::page("<p>elsewhere"))]).await;
    let site = Origin::of(vec![("/", Answer::redirect(302, other.url.as_str()))]).await;
    let headers = vec![("Authorization".to_owned(), "Basic c2VjcmV0".to_owned())];
    let fetcher = Fetcher::new(
        FetchOptions {
            headers,
            ..options().fetch
        },
        &site.url,
    )
    .unwrap();
    fetcher.fetch_following(&site.url).await.unwrap();
    let sent = |origin: &Origin| origin.asked()[0].headers.get("authorization").cloned();
    assert_eq!(
        (sent(&site).as_deref(), sent(&other)),
        (Some("Basic c2VjcmV0"), None)
    );
    let asked = &site.asked()[0].headers;
    assert!(asked["user-agent"].starts_with("Latimer/") && !asked.contains_key("referer"));
    let bad = FetchOptions {
        headers: vec![("a b".to_owned(), "c".to_owned())],
        ..options().fetch
    };
    assert_eq!(
        Fetcher::new(bad, &site.url).unwrap_err().code(),
        "bad_header"
    );
}
