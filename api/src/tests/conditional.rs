//! Conditional requests as readers and caches send them: which headers come with which status.

use super::*;

const ES: &str = "/es/";

async fn ask(app: &App, method: &str, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    respond(app, request.body(Empty::<Bytes>::new()).unwrap(), CLIENT).await
}

#[tokio::test]
async fn pages_say_when_their_deployment_was_made() {
    let objects = Objects::memory();
    publish(&objects, "bakery", settings(), true).await;
    let app = App::new(objects.clone(), vec![site("bakery")], 1 << 20);
    app.load().await.unwrap();
    let created = pipeline::store::deployments(&objects, &site("bakery"))
        .await
        .unwrap()[0]
        .created;
    let response = ask(&app, "GET", ES, &[]).await;
    assert_eq!(
        header(&response, "last-modified"),
        httpdate::fmt_http_date(created)
    );
}

#[tokio::test]
async fn conditions_decide_what_is_sent() {
    let app = app_of(&[("bakery", settings())], true).await;
    let first = ask(&app, "GET", ES, &[]).await;
    let tag = header(&first, "etag").to_owned();
    let date = header(&first, "last-modified").to_owned();
    let gzip = ask(&app, "GET", ES, &[("accept-encoding", "gzip")]).await;
    let gzip = header(&gzip, "etag").to_owned();
    let weak = format!("W/{tag}");
    let list = format!("\"x\", {tag}");
    let inm = "if-none-match";
    let ims = "if-modified-since";
    let im = "if-match";
    let ius = "if-unmodified-since";
    let old = "Thu, 01 Jan 1970 00:00:00 GMT";
    let new = "Fri, 31 Dec 9999 23:59:59 GMT";
    for (headers, status) in [
        (&[(inm, tag.as_str())][..], 304),
        (&[(inm, &weak)], 304),
        (&[(inm, &list)], 304),
        (&[(inm, "*")], 304),
        (&[(inm, &gzip)], 200),
        (&[(inm, &gzip), ("accept-encoding", "gzip")], 304),
        (&[(inm, &gzip), ("accept-encoding", "gzip;q=0")], 200),
        (
            &[
                (inm, &gzip),
                ("accept-encoding", "br;q=0, gzip;q=0.1, identity;q=0"),
            ],
            304,
        ),
        (&[(inm, &tag), ("accept-encoding", "gzip")], 200),
        (&[(ims, &date)], 304),
        (&[(ims, new)], 304),
        (&[(ims, old)], 200),
        (&[(ims, "rubbish")], 200),
        (&[(inm, "\"x\""), (ims, &date)], 200),
        (&[(inm, &tag), (ims, old)], 304),
        (&[(im, &tag)], 200),
        (&[(im, "\"x\"")], 412),
        (&[(im, &weak)], 412),
        (&[(ius, old)], 412),
        (&[(ius, &date)], 200),
        (&[(im, &tag), (ius, old)], 200),
        (&[("range", "bytes=0-4"), ("if-range", &tag)], 206),
        (&[("range", "bytes=0-4"), ("if-range", &date)], 206),
        (&[("range", "bytes=0-4"), ("if-range", &weak)], 200),
        (&[("range", "bytes=0-4"), ("if-range", old)], 200),
        (
            &[
                ("range", "bytes=0-4"),
                ("if-range", &gzip),
                ("accept-encoding", "gzip"),
            ],
            200,
        ),
        (&[("range", "bytes=0-4"), (inm, &tag)], 304),
        (&[("range", "bytes=0-4"), (im, "\"x\"")], 412),
    ] {
        let response = ask(&app, "GET", ES, headers).await;
        assert_eq!(response.status().as_u16(), status, "{headers:?}");
        let kept = header(&response, "cache-control");
        assert_eq!(
            kept,
            if status == 412 {
                "no-store"
            } else {
                "public, max-age=60"
            },
            "{headers:?}"
        );
        if status == 304 {
            assert_eq!(
                (
                    header(&response, "vary"),
                    header(&response, "content-language")
                ),
                ("Accept-Encoding", "es")
            );
            assert!(
                !header(&response, "etag").is_empty() && bytes(response).await.is_empty(),
                "{headers:?}"
            );
        }
    }
}

#[tokio::test]
async fn head_gets_the_headers_of_get() {
    let app = app_of(&[("bakery", settings())], true).await;
    let tag = header(&ask(&app, "GET", ES, &[]).await, "etag").to_owned();
    for path in [
        ES,
        "/",
        "/es/about",
        "/es/only-english",
        "/es/nothing",
        "/video.mp4",
        "/img/loaf.svg",
    ] {
        for headers in [
            &[][..],
            &[("accept-encoding", "br")],
            &[("if-none-match", tag.as_str())],
            &[("if-match", "\"x\"")],
        ] {
            let get = ask(&app, "GET", path, headers).await;
            let head = ask(&app, "HEAD", path, headers).await;
            assert_eq!(
                (get.status(), get.headers()),
                (head.status(), head.headers()),
                "{path} {headers:?}"
            );
        }
    }
    let head = ask(&app, "HEAD", ES, &[]).await;
    assert_eq!(
        header(&head, "content-length"),
        body_of("es", "/").len().to_string()
    );
    assert!(bytes(head).await.is_empty());
}

#[tokio::test]
async fn answer_for_an_error_has_no_conditions() {
    let app = app_of(&[("bakery", settings())], true).await;
    for condition in ["if-none-match", "if-match"] {
        assert_eq!(
            ask(&app, "GET", "/es/nothing", &[(condition, "*")])
                .await
                .status(),
            404,
            "{condition}"
        );
    }
}

#[tokio::test]
async fn bytes_that_two_addresses_share_have_the_headers_of_each() {
    let objects = Objects::memory();
    let draft = Draft::begin(&objects, &site("bakery")).await.unwrap();
    for (tree, name, content_type) in [
        ("en", "a.html", "text/html"),
        ("es", "a.html", "text/html"),
        ("_assets", "a.12ab34cd.css", "text/css"),
        ("_assets", "a.css", "text/css"),
    ] {
        let path = PagePath::of_file(name);
        let body = Bytes::from_static(b"the same");
        let name = name.into();
        let content_type = content_type.to_owned();
        let source = None;
        let noindex = false;
        let object = Object {
            name,
            path,
            content_type,
            body,
            source,
            noindex,
            robots: None,
            link: None,
        };
        draft
            .put(&Tree::try_from(tree.to_owned()).unwrap(), object)
            .await
            .unwrap();
    }
    draft.finish(settings()).await.unwrap();
    let app = App::new(objects, vec![site("bakery")], 1 << 20);
    app.load().await.unwrap();
    let short = "public, max-age=60";
    let long = "public, max-age=31536000, immutable";
    for (path, content_type, language, cache) in [
        ("/a.html", "text/html", "en", short),
        ("/es/a.html", "text/html", "es", short),
        ("/a.12ab34cd.css", "text/css", "", long),
        ("/a.css", "text/css", "", short),
    ]
    .repeat(2)
    {
        let response = ask(&app, "GET", path, &[]).await;
        let names = ["content-type", "content-language", "cache-control"];
        assert_eq!(
            names.map(|name| header(&response, name)),
            [content_type, language, cache],
            "{path}"
        );
        assert_eq!(bytes(response).await, "the same");
    }
}
