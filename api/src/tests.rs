//! Pages as readers get them: a small published site, and tables of requests with their answers.

mod addresses;
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
    Draft, Encoding, Missing, Object, Objects, ServingSettings, ServingSwitch, SiteRedirect, Tree,
    sweep,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{App, Body, respond, run};

const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn site(id: &str) -> SiteId {
    SiteId::parse(id).unwrap()
}

pub(crate) fn settings() -> ServingSettings {
    ServingSettings {
        source_locale: locale("en"),
        locales: BTreeMap::from([
            (locale("es"), ServingSwitch::On),
            (locale("pt-BR"), ServingSwitch::On),
            (locale("ar"), ServingSwitch::Off),
        ]),
        switches: 0,
        aliases: BTreeMap::from([(locale("pt-BR"), "pt".to_owned())]),
        missing: Missing::Source307,
        redirects: [("/old", "/about.html", 301), ("/away", "/shop/", 302)]
            .map(|(from, to, status)| (PagePath::parse(from), PagePath::parse(to), status))
            .map(|(from, to, status)| {
                (
                    from.unwrap(),
                    SiteRedirect {
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

pub(crate) async fn publish(
    objects: &Objects,
    id: &str,
    settings: ServingSettings,
    with_source: bool,
) {
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

pub(crate) async fn app_of(sites: &[(&str, ServingSettings)], with_source: bool) -> App {
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
    let off = ServingSettings {
        locales: BTreeMap::from([(locale("es"), ServingSwitch::Off)]),
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
