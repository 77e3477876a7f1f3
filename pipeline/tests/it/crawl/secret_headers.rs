//! Where the lines of `headers_file` go: to addresses below the source, and nowhere else. Each origin tells what it heard.

use std::sync::{Arc, OnceLock};

use pipeline::config::Config;
use pipeline::model::Locale;
use pipeline::net::Lookup;
use pipeline::preview::{PreviewRequest, Previewer};

use url::Url;

use super::origin::{Answer, Asked, Origin};
use super::*;

const SECRET: &str = "Basic c2VjcmV0";

/// The targets that were asked for with the secret, and those without it.
fn heard(origin: &Origin) -> [Vec<String>; 2] {
    let knows = |known: bool| {
        let with = |asked: &&Asked| asked.headers.values().any(|value| value == SECRET) == known;
        let mut targets: Vec<String> = origin
            .asked()
            .iter()
            .filter(with)
            .map(|asked| asked.target.clone())
            .collect();
        targets.sort();
        targets.dedup();
        targets
    };
    [knows(true), knows(false)]
}

#[tokio::test]
async fn crawl_tells_them_below_its_source_alone() {
    let other = Origin::of(vec![
        ("/", Answer::page("<p>elsewhere")),
        ("/a.css", Answer::file("text/css", "")),
    ])
    .await;
    let links = format!(
        "<link rel=stylesheet href=/root.css><link rel=stylesheet href=own.css><a href=away>1</a><a href=up>2</a>\
         <a href=/outside/>3</a><a href='{0}'>4</a><link rel=stylesheet href='{0}a.css'>",
        other.url
    );
    let site = Origin::of(vec![
        ("/docs/", Answer::page(links)),
        ("/docs/own.css", Answer::file("text/css", "")),
        ("/root.css", Answer::file("text/css", "")),
        ("/docs/away", Answer::redirect(302, other.url.as_str())),
        ("/docs/up", Answer::redirect(302, "/outside/")),
        ("/outside/", Answer::page("<p>outside")),
    ])
    .await;
    let headers = vec![("Authorization".to_owned(), SECRET.to_owned())];
    let options = CrawlOptions {
        fetch: FetchOptions {
            headers,
            ..options().fetch
        },
        ..options()
    };
    collect(&SourceLocation::Web(site.at("/docs/")), &options)
        .await
        .0
        .unwrap();
    let [with, without] = heard(&site);
    assert_eq!(
        with,
        [
            "/docs/",
            "/docs/away",
            "/docs/own.css",
            "/docs/sitemap.xml",
            "/docs/up"
        ]
    );
    assert_eq!(without, ["/robots.txt", "/root.css", "/sitemap.xml"]);
    assert_eq!(heard(&other)[0], [""; 0]);
}

/// A source that moves takes no secret along: its owner says where it is now.
#[tokio::test]
async fn site_that_moved_is_told_nothing() {
    let port = Arc::new(OnceLock::new());
    let known = Arc::clone(&port);
    let site = Origin::start(move |target, turn| match (target, turn) {
        ("/", 0) => Answer::redirect(
            301,
            &format!("http://www.bob.test:{}/", known.get().unwrap()),
        ),
        ("/", _) => Answer::page("<p>moved"),
        _ => Answer::status(404),
    })
    .await;
    let port = port.get_or_init(|| site.url.port().unwrap());
    let headers = vec![("Authorization".to_owned(), SECRET.to_owned())];
    let lookup = Lookup::By(Arc::new(|_| {
        Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
    }));
    let options = CrawlOptions {
        fetch: FetchOptions {
            headers,
            lookup,
            ..options().fetch
        },
        ..options()
    };
    let source = Url::parse(&format!("http://bob.test:{port}/")).unwrap();
    collect(&SourceLocation::Web(source), &options)
        .await
        .0
        .unwrap();
    let told = |host: &str| {
        let is_told = |asked: &&Asked| {
            asked.headers["host"].starts_with(host) && asked.headers.contains_key("authorization")
        };
        site.asked().iter().filter(is_told).count()
    };
    assert_eq!((told("bob.test"), told("www.bob.test")), (2, 0));
}

/// Makes a preview of an address with the site's leave, or without.
async fn preview(site: &Origin, url: &str, with_leave: bool) -> Result<String, String> {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(
        folder.path().join("headers"),
        format!("Authorization: {SECRET}\n"),
    )
    .unwrap();
    std::fs::write(
        folder.path().join("es.po"),
        "msgid \"\"\nmsgstr \"\"\n\nmsgid \"Bread\"\nmsgstr \"Pan\"\n",
    )
    .unwrap();
    let text = format!(
        "[[site]]\nid = \"bob\"\nsource = \"{}\"\nsource_url = \"https://www.bob.test/\"\nsource_locale = \"en\"\n\
         locales = [\"es\"]\nengine = \"pseudo\"\ntranslations = \"{{lang}}.po\"\nexclude = [\"/docs/drafts/**\"]\n\
         [site.crawl]\nheaders_file = \"headers\"\nallow_private = true\nquery = [\"page\"]\n\
         [preview]\nallow_private = true\nengine = \"pseudo\"\n",
        site.at("/docs/")
    );
    let config = Config::parse(&text, &folder.path().join("latimer.toml"), &|_| None).unwrap();
    let sites: Vec<_> = config
        .sites
        .iter()
        .filter(|_| with_leave)
        .cloned()
        .map(Arc::new)
        .collect();
    let locale = |tag| Locale::parse(tag).unwrap();
    let wanted = PreviewRequest {
        url: url.to_owned(),
        source: locale("en"),
        target: locale("es"),
        payer: None,
    };
    let made = Previewer::new(&config, None)
        .localize(&sites, &wanted, &|_| ())
        .await;
    made.map(|made| String::from_utf8(made.html).unwrap())
        .map_err(|fault| fault.to_string())
}

#[tokio::test]
async fn preview_tells_them_below_the_source_of_a_site_with_leave_alone() {
    let other = Origin::of(vec![("/", Answer::page("<p>Bread"))]).await;
    let other_url = other.url.to_string();
    let answers = move |target: &str, _| match target {
        "/docs/away" => Answer::redirect(302, &other_url),
        "/docs/up" => Answer::redirect(302, "/outside/"),
        "/docs/draft" => Answer::redirect(302, "/docs/drafts/1"),
        "/outside/back" => Answer::redirect(302, "/docs/"),
        _ => Answer::page("<p>Bread"),
    };
    for (path, with_leave, has_words, with, without) in [
        ("/docs/", true, true, vec!["/docs/"], vec![]),
        (
            "/docs/?page=2&q=x",
            true,
            true,
            vec!["/docs/?page=2"],
            vec![],
        ),
        ("/docs/", false, false, vec![], vec!["/docs/"]),
        // What the site would not publish is a stranger's page.
        ("/outside/", true, false, vec![], vec!["/outside/"]),
        (
            "/docs/drafts/1",
            true,
            false,
            vec![],
            vec!["/docs/drafts/1"],
        ),
        (
            "/docs/..%2foutside/",
            true,
            false,
            vec![],
            vec!["/docs/..%2foutside/"],
        ),
        ("//docs/", true, false, vec![], vec!["//docs/"]),
        // Each hop counts by itself, and the last one says whose page it is.
        ("/docs/up", true, false, vec!["/docs/up"], vec!["/outside/"]),
        (
            "/docs/draft",
            true,
            false,
            vec!["/docs/draft"],
            vec!["/docs/drafts/1"],
        ),
        ("/docs/away", true, false, vec!["/docs/away"], vec![]),
        (
            "/outside/back",
            true,
            false,
            vec![],
            vec!["/docs/", "/outside/back"],
        ),
    ] {
        let site = Origin::start(answers.clone()).await;
        let html = preview(
            &site,
            &format!("{}{path}", site.url.as_str().trim_end_matches('/')),
            with_leave,
        )
        .await
        .unwrap();
        assert_eq!(html.contains("Pan"), has_words, "{path}: {html}");
        assert_eq!(heard(&site), [with, without], "{path}");
    }
    assert!(!other.asked().is_empty() && heard(&other)[0].is_empty());
    // The site's public address is read from its source.
    let site = Origin::start(answers).await;
    assert!(
        preview(&site, "https://www.bob.test/docs/", true)
            .await
            .unwrap()
            .contains("Pan")
    );
    assert_eq!(heard(&site)[0], ["/docs/"]);
}
