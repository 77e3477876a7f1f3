//! Pages as readers get them: a small published site, and tables of requests with their answers.

mod conditional;
mod language;
mod wire;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::{Request, Response};
use pipeline::model::{Locale, PageParameters, PagePath, SiteId, Slugs, object_name};
use pipeline::store::{
    Draft, Encoding, Missing, Object, Objects, Redirect, Settings, Switch, Tree, sweep,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::settings::Front;
use crate::{App, Body, respond, run};

const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn site(id: &str) -> SiteId {
    SiteId::parse(id).unwrap()
}

pub(crate) fn settings() -> Settings {
    Settings {
        source_locale: locale("en"),
        locales: BTreeMap::from([
            (locale("es"), Switch::On),
            (locale("pt-BR"), Switch::On),
            (locale("ar"), Switch::Off),
        ]),
        switches: 0,
        aliases: BTreeMap::from([(locale("pt-BR"), "pt".to_owned())]),
        missing: Missing::Source307,
        redirects: [("/old", "/about.html", 301), ("/away", "/shop/", 302)]
            .map(|(from, to, status)| (PagePath::parse(from), PagePath::parse(to), status))
            .map(|(from, to, status)| {
                (
                    from.unwrap(),
                    Redirect {
                        to: to.unwrap(),
                        status,
                    },
                )
            })
            .into(),
        slugs: Slugs::default(),
        former: BTreeMap::new(),
        parameters: PageParameters::new(["page".to_owned()]),
        singles: Default::default(),
        left_out: Default::default(),
        written: Default::default(),
        url: None,
        source_url: None,
        accept_language: false,
        variants: Encoding::ALL.into(),
    }
}

/// Tree, address and whether it is a page.
const FILES: [(&str, &str); 16] = [
    ("en", "/"),
    ("en", "/about.html"),
    ("en", "/shop/"),
    ("en", "/only-english"),
    ("en", "/list"),
    ("en", "/list?page=2"),
    ("en", "/404.html"),
    ("es", "/"),
    ("es", "/about.html"),
    ("es", "/shop/"),
    ("es", "/404.html"),
    ("pt-BR", "/"),
    ("ar", "/"),
    ("_assets", "/img/loaf.svg"),
    ("_assets", "/_latimer/switcher.0123abcd.css"),
    ("_assets", "/video.mp4"),
];

fn body_of(tree: &str, path: &str) -> Bytes {
    match path {
        "/video.mp4" => Bytes::from(
            (0..3_000_000_u32)
                .map(|n| (n % 251) as u8)
                .collect::<Vec<_>>(),
        ),
        _ if tree == "_assets" => Bytes::from(format!("{tree} {path}")),
        _ => Bytes::from(format!(
            "<!doctype html>{tree} {path}{}",
            "<p>bread and butter".repeat(80)
        )),
    }
}

pub(crate) async fn publish(objects: &Objects, id: &str, settings: Settings, with_source: bool) {
    let draft = Draft::begin(objects, &site(id)).await.unwrap();
    for (tree, address) in FILES
        .iter()
        .filter(|(tree, _)| with_source || *tree != "en")
    {
        let path = PagePath::parse(address).unwrap();
        let html = *tree != "_assets";
        let content_type = match path.path().rsplit('.').next() {
            Some("svg") => "image/svg+xml",
            Some("css") => "text/css",
            Some("mp4") => "video/mp4",
            _ => "text/html; charset=utf-8",
        };
        let object = Object {
            name: object_name(&path, html).into(),
            path,
            content_type: content_type.to_owned(),
            body: body_of(tree, address),
            source: None,
            noindex: false,
            robots: None,
            link: None,
        };
        draft
            .put(&Tree::try_from((*tree).to_owned()).unwrap(), object)
            .await
            .unwrap();
    }
    for missing in ["/untranslated/", "/?page=4"] {
        draft.miss(
            &Tree::Locale(locale("es")),
            PagePath::parse(missing).unwrap(),
        );
    }
    draft.finish(settings).await.unwrap();
}

pub(crate) async fn app_of(sites: &[(&str, Settings)], with_source: bool) -> App {
    let objects = Objects::memory();
    for (id, settings) in sites {
        publish(&objects, id, settings.clone(), with_source).await;
    }
    let app = App::new(
        objects,
        sites.iter().map(|(id, _)| site(id)).collect(),
        1 << 20,
    );
    app.load().await.unwrap();
    app
}

async fn get(app: &App, host: &str, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut request = Request::get(path).header("host", host);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    respond(app, request.body(Empty::new()).unwrap(), CLIENT).await
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

async fn bytes(response: Response<Body>) -> Bytes {
    response.into_body().collect().await.unwrap().to_bytes()
}

/// What a request leads to, in short: `200 es /about.html`, `308 /es/`, `404`.
async fn outcome(app: &App, host: &str, path: &str) -> String {
    let response = get(app, host, path, &[]).await;
    let status = response.status().as_u16();
    if response.headers().contains_key("location") {
        return format!("{status} {}", header(&response, "location"));
    }
    let language = header(&response, "content-language").to_owned();
    let body = bytes(response).await;
    let known = FILES
        .iter()
        .find(|(tree, address)| body_of(tree, address) == body);
    match known {
        Some((tree, address)) => {
            assert_eq!(
                language,
                if *tree == "_assets" { "" } else { tree },
                "{host}{path}"
            );
            format!("{status} {tree} {address}")
        }
        None => status.to_string(),
    }
}

async fn check(app: &App, cases: &[(&str, &str, &str)]) {
    for (host, path, expected) in cases {
        assert_eq!(outcome(app, host, path).await, *expected, "{host}{path}");
    }
}

#[tokio::test]
async fn only_site_answers_below_its_locales_labels_r_e7_r_e9_r_e10() {
    let app = app_of(&[("bakery", settings())], true).await;
    check(
        &app,
        &[
            ("127.0.0.1:8080", "/", "200 en /"),
            ("[::1]:8080", "/es/", "200 es /"),
            ("localhost", "/es", "308 /es/"),
            ("localhost", "/es?x=1", "308 /es/?x=1"),
            ("any.test", "/es/about.html", "200 es /about.html"),
            ("any.test", "/es/about", "308 /es/about.html"),
            ("any.test", "/es/about/", "308 /es/about.html"),
            ("any.test", "/about/index.html", "308 /about.html"),
            ("any.test", "/es/shop", "308 /es/shop/"),
            ("any.test", "/es/shop/index.html?a=b", "308 /es/shop/?a=b"),
            ("any.test", "/only-english/", "308 /only-english"),
            ("any.test", "/pt/", "200 pt-BR /"),
            ("any.test", "/pt-BR/", "308 /pt/"),
            ("any.test", "/PT/x", "308 /pt/x"),
            ("any.test", "/img/loaf.svg", "200 _assets /img/loaf.svg"),
            ("any.test", "/es/img/loaf.svg", "200 _assets /img/loaf.svg"),
            (
                "any.test",
                "/_latimer/switcher.0123abcd.css",
                "200 _assets /_latimer/switcher.0123abcd.css",
            ),
            ("any.test", "/es/only-english", "307 /only-english"),
            ("any.test", "/es/only-english/?q=1", "307 /only-english?q=1"),
            ("any.test", "/ar/", "307 /"),
            ("any.test", "/ar/about.html", "307 /about.html"),
            ("any.test", "/ar/nothing", "404"),
            ("any.test", "/es/nothing", "404 es /404.html"),
            ("any.test", "/nothing", "404 en /404.html"),
            ("any.test", "/old", "301 /about.html"),
            ("any.test", "/es/old", "301 /es/about.html"),
            ("any.test", "/away", "302 /shop/"),
            ("any.test", "/es/away?x=1", "302 /es/shop/?x=1"),
            ("any.test", "/ar/away", "404"),
            ("any.test", "/list?page=2", "200 en /list?page=2"),
            ("any.test", "/list?page=3", "200 en /list"),
            ("any.test", "/es/?page=4", "307 /?page=4"),
            ("any.test", "/es/?page=5", "200 es /"),
            (
                "any.test",
                "/es/%2e%2e/es/%2E%2E/about.html",
                "200 en /about.html",
            ),
            ("any.test", "/es//evil.test/about.html", "404 es /404.html"),
            ("any.test", "/_deployments/1.json", "404 en /404.html"),
            ("any.test", "/../../_sources/x", "404 en /404.html"),
            ("bakery.localhost", "/es/", "200 es /"),
            ("other.localhost", "/es/", "404"),
        ],
    )
    .await;
}

#[tokio::test]
async fn url_pattern_in_the_path_decides() {
    let project = Settings {
        url: Some("https://x.github.io/repo/{lang}".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", project)], true).await;
    check(
        &app,
        &[
            ("x.github.io", "/repo/es/about.html", "200 es /about.html"),
            (
                "X.GitHub.io:443",
                "/repo/es/about",
                "308 /repo/es/about.html",
            ),
            ("x.github.io", "/repo/", "200 en /"),
            ("x.github.io", "/repo", "308 /repo/"),
            (
                "x.github.io",
                "/repo/es/only-english",
                "307 /repo/only-english",
            ),
            ("x.github.io", "/repository/es/", "404"),
            ("x.github.io", "/es/", "404"),
            (
                "x.github.io",
                "/_latimer/switcher.0123abcd.css",
                "200 _assets /_latimer/switcher.0123abcd.css",
            ),
            (
                "x.github.io",
                "/repo/_latimer/switcher.0123abcd.css",
                "200 _assets /_latimer/switcher.0123abcd.css",
            ),
            ("other.test", "/repo/es/", "404"),
            ("127.0.0.1:8080", "/repo/es/", "200 es /"),
            ("127.0.0.1:8080", "/es/", "200 es /"),
            ("127.0.0.1:8080", "/es/only-english", "307 /only-english"),
            (
                "127.0.0.1:8080",
                "/repo/img/loaf.svg",
                "200 _assets /img/loaf.svg",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn url_pattern_in_the_host_decides() {
    let hosts = Settings {
        url: Some("https://{lang}.example.com".to_owned()),
        source_url: Some("https://www.example.com".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", hosts)], true).await;
    check(
        &app,
        &[
            ("es.example.com", "/", "200 es /"),
            ("ES.example.com:443", "/about", "308 /about.html"),
            ("pt.example.com", "/", "200 pt-BR /"),
            ("pt-br.example.com", "/", "200 pt-BR /"),
            (
                "es.example.com",
                "/img/loaf.svg",
                "200 _assets /img/loaf.svg",
            ),
            (
                "es.example.com",
                "/only-english",
                "307 https://www.example.com/only-english",
            ),
            ("www.example.com", "/only-english", "200 en /only-english"),
            ("fr.example.com", "/", "404"),
            ("example.com", "/", "404"),
            ("127.0.0.1:8080", "/es/", "200 es /"),
            ("127.0.0.1:8080", "/es/only-english", "307 /only-english"),
        ],
    )
    .await;
}

#[tokio::test]
async fn source_that_is_elsewhere_is_led_to() {
    let elsewhere = Settings {
        source_url: Some("https://www.example.com".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", elsewhere)], false).await;
    check(
        &app,
        &[
            (
                "localhost",
                "/es/untranslated/",
                "307 https://www.example.com/untranslated/",
            ),
            (
                "localhost",
                "/es/untranslated",
                "307 https://www.example.com/untranslated/",
            ),
            (
                "localhost",
                "/about.html",
                "307 https://www.example.com/about.html",
            ),
            ("localhost", "/es/nothing", "404 es /404.html"),
            ("www.example.com", "/about.html", "404"),
        ],
    )
    .await;
}

#[tokio::test]
async fn missing_pages_follow_the_sites_rule() {
    for (missing, expected) in [
        (Missing::NotFound, "404 es /404.html"),
        (Missing::Gone, "410 es /404.html"),
        (Missing::Notice, "404 es /404.html"),
    ] {
        let app = app_of(
            &[(
                "bakery",
                Settings {
                    missing,
                    ..settings()
                },
            )],
            true,
        )
        .await;
        check(
            &app,
            &[
                ("localhost", "/es/only-english", expected),
                ("localhost", "/es/untranslated/", expected),
            ],
        )
        .await;
        let off = if missing == Missing::Gone {
            "410"
        } else {
            "404"
        };
        check(
            &app,
            &[
                ("localhost", "/ar/", off),
                ("localhost", "/es/nothing", "404 es /404.html"),
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn hosts_of_the_api_have_no_pages_unless_a_site_is_there_too() {
    let named = Settings {
        url: Some("https://shop.test/{lang}".to_owned()),
        ..settings()
    };
    let labelled = Settings {
        url: Some("https://{lang}.both.test".to_owned()),
        ..settings()
    };
    let app = app_of(
        &[("bakery", settings()), ("shop", named), ("both", labelled)],
        true,
    )
    .await;
    let front = Front::at(&["api.test", "shop.test", "es.both.test", "localhost:8080"]);
    let app = App { front, ..app };
    check(
        &app,
        &[
            ("api.test", "/es/", "404"),
            ("api.test:81", "/", "404"),
            ("API.test", "/_health/live", "200"),
            ("shop.test", "/es/", "200 es /"),
            ("es.both.test", "/", "200 es /"),
            ("both.test", "/", "200 en /"),
            ("bakery.localhost:8080", "/es/", "200 es /"),
            ("bakery.localhost", "/es/", "200 es /"),
        ],
    )
    .await;
    let only = app_of(&[("bakery", settings())], true).await;
    let only = App {
        front: Front::at(&["localhost:8080"]),
        ..only
    };
    let cases = [
        ("localhost:8080", "/es/", "404"),
        ("localhost:81", "/es/", "200 es /"),
        ("x.test", "/", "200 en /"),
    ];
    check(&only, &cases).await;
}

#[tokio::test]
async fn several_sites_have_a_name_each() {
    let shop = Settings {
        url: Some("https://shop.test/{lang}".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", settings()), ("shop", shop)], true).await;
    check(
        &app,
        &[
            ("bakery.localhost:8080", "/es/", "200 es /"),
            ("shop.localhost:8080", "/", "200 en /"),
            ("shop.test", "/es/", "200 es /"),
            ("localhost", "/es/", "404"),
            ("bakery.test", "/es/", "404"),
        ],
    )
    .await;
}

#[tokio::test]
async fn answers_carry_what_caches_and_browsers_need() {
    let app = app_of(&[("bakery", settings())], true).await;
    for (path, accept, name, expected) in [
        ("/es/", "", "content-type", "text/html; charset=utf-8"),
        ("/es/", "", "vary", "Accept-Encoding"),
        ("/es/", "", "cache-control", "public, max-age=60"),
        ("/es/", "", "x-content-type-options", "nosniff"),
        ("/es/", "", "content-encoding", ""),
        ("/es/", "gzip, br", "content-encoding", "br"),
        ("/es/", "gzip;q=1, br;q=0.1", "content-encoding", "gzip"),
        ("/es/nothing", "br", "cache-control", "public, max-age=60"),
        ("/es/only-english", "", "cache-control", "no-store"),
        (
            "/_latimer/switcher.0123abcd.css",
            "",
            "cache-control",
            "public, max-age=31536000, immutable",
        ),
        ("/img/loaf.svg", "", "content-language", ""),
        ("/video.mp4", "br", "vary", ""),
        ("/video.mp4", "br", "content-length", "3000000"),
    ] {
        let headers = if accept.is_empty() {
            vec![]
        } else {
            vec![("accept-encoding", accept)]
        };
        let response = get(&app, "localhost", path, &headers).await;
        assert_eq!(header(&response, name), expected, "{path} {accept} {name}");
    }
}

#[tokio::test]
async fn each_encoding_has_its_own_strong_tag() {
    let app = app_of(&[("bakery", settings())], true).await;
    let mut tags = Vec::new();
    for accept in ["identity", "gzip", "br"] {
        let response = get(&app, "localhost", "/es/", &[("accept-encoding", accept)]).await;
        let tag = header(&response, "etag").to_owned();
        assert!(tag.starts_with('"') && !tags.contains(&tag), "{tag}");
        let asked = [("accept-encoding", accept), ("if-none-match", tag.as_str())];
        let again = get(&app, "localhost", "/es/", &asked).await;
        assert_eq!(
            (again.status().as_u16(), header(&again, "etag")),
            (304, tag.as_str())
        );
        assert_eq!(header(&again, "vary"), "Accept-Encoding");
        let other = [("accept-encoding", accept), ("if-none-match", "\"other\"")];
        assert_eq!(get(&app, "localhost", "/es/", &other).await.status(), 200);
        let other = [("accept-encoding", accept), ("if-match", "\"other\"")];
        assert_eq!(get(&app, "localhost", "/es/", &other).await.status(), 412);
        tags.push(tag);
    }
}

#[tokio::test]
async fn parts_of_a_file_can_be_asked_for() {
    let app = app_of(&[("bakery", settings())], true).await;
    let whole = body_of("_assets", "/video.mp4");
    let tag = header(&get(&app, "localhost", "/video.mp4", &[]).await, "etag").to_owned();
    for (range, condition, status, content_range, expected) in [
        ("bytes=0-9", "", 206, "bytes 0-9/3000000", &whole[..10]),
        (
            "bytes=-5",
            "",
            206,
            "bytes 2999995-2999999/3000000",
            &whole[2_999_995..],
        ),
        ("bytes=5-", "", 206, "bytes 5-2999999/3000000", &whole[5..]),
        (
            "bytes=5-",
            tag.as_str(),
            206,
            "bytes 5-2999999/3000000",
            &whole[5..],
        ),
        ("bytes=5-", "\"other\"", 200, "", &whole[..]),
        ("bytes=3000000-", "", 416, "bytes */3000000", &[]),
        ("bytes=0-1,5-6", "", 200, "", &whole[..]),
    ] {
        let mut headers = vec![("range", range), ("accept-encoding", "br")];
        if !condition.is_empty() {
            headers.push(("if-range", condition));
        }
        let response = get(&app, "localhost", "/video.mp4", &headers).await;
        assert_eq!(
            (
                response.status().as_u16(),
                header(&response, "content-range")
            ),
            (status, content_range),
            "{range}"
        );
        assert!(bytes(response).await == expected, "{range}");
    }
}

#[tokio::test]
async fn only_reading_is_allowed() {
    let app = app_of(&[("bakery", settings())], true).await;
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
        let request = Request::builder()
            .method(method)
            .uri("/es/")
            .header("host", "localhost")
            .body(Empty::<Bytes>::new())
            .unwrap();
        let response = respond(&app, request, CLIENT).await;
        assert_eq!(
            (response.status().as_u16(), header(&response, "allow")),
            (405, "GET, HEAD"),
            "{method}"
        );
    }
}

#[tokio::test]
async fn server_that_ends_answers_readers_and_is_not_ready() {
    let app = app_of(&[("bakery", settings())], true).await;
    check(&app, &[("localhost", "/_health/ready", "200")]).await;
    app.closing.send_replace(true);
    let answers = [
        ("localhost", "/es/", "200 es /"),
        ("localhost", "/_health/ready", "503"),
        ("localhost", "/_health/live", "200"),
    ];
    check(&app, &answers).await;
}

#[tokio::test]
async fn readers_see_one_deployment_or_the_next() {
    let objects = Objects::memory();
    let app = App::new(objects.clone(), vec![site("bakery")], 1 << 20);
    let ready = |app: &App| app.snapshot().is_loaded();
    assert!(!ready(&app));
    app.load().await.unwrap();
    check(
        &app,
        &[
            ("localhost", "/es/", "404"),
            ("localhost", "/_health/ready", "200"),
        ],
    )
    .await;
    publish(&objects, "bakery", settings(), true).await;
    check(&app, &[("localhost", "/es/", "404")]).await;
    app.poll().await.unwrap();
    check(&app, &[("localhost", "/es/", "200 es /")]).await;
    let off = Settings {
        locales: BTreeMap::from([(locale("es"), Switch::Off)]),
        ..settings()
    };
    publish(&objects, "bakery", off, true).await;
    sweep(&objects, &site("bakery"), 1, None).await.unwrap();
    check(
        &app,
        &[("localhost", "/es/about.html", "200 es /about.html")],
    )
    .await;
    app.poll().await.unwrap();
    check(&app, &[("localhost", "/es/about.html", "307 /about.html")]).await;
}

#[tokio::test]
async fn page_that_was_swept_away_is_read_from_the_newer_deployment() {
    let folder = tempfile::tempdir().unwrap();
    let objects = Objects::folder(folder.path()).unwrap();
    publish(&objects, "bakery", settings(), true).await;
    let app = App::new(objects.clone(), vec![site("bakery")], 1 << 20);
    app.load().await.unwrap();
    let draft = Draft::begin(&objects, &site("bakery")).await.unwrap();
    let object = Object {
        name: "index.html".into(),
        path: PagePath::parse("/").unwrap(),
        content_type: "text/html".to_owned(),
        body: Bytes::from_static(b"new"),
        source: None,
        noindex: false,
        robots: None,
        link: None,
    };
    draft
        .put(&Tree::Locale(locale("es")), object)
        .await
        .unwrap();
    draft.finish(settings()).await.unwrap();
    drop(draft);
    sweep(&objects, &site("bakery"), 1, None).await.unwrap();
    let response = get(&app, "localhost", "/es/", &[]).await;
    assert_eq!(bytes(response).await, "new");
}
