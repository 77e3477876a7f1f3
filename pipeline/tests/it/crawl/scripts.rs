//! Files that only programs, pictures and style sheets name (R-S22).

use std::collections::BTreeSet;

use super::origin::{Answer, Origin};
use super::{collect, names, options};
use pipeline::crawl::Crawled;

/// A site of these files; everything else is missing.
async fn crawl(
    files: &'static [(&'static str, &'static str)],
) -> (Crawled, BTreeSet<String>, Origin) {
    let origin = Origin::start(move |target, _| {
        let content_type = match target
            .split('?')
            .next()
            .unwrap_or(target)
            .rsplit_once('.')
            .map(|(_, ending)| ending)
        {
            Some("js" | "mjs") => "text/javascript",
            Some("css") => "text/css",
            Some("svg") => "image/svg+xml",
            Some("html") | None => "text/html",
            Some(_) => "application/octet-stream",
        };
        match files.iter().find(|(name, _)| *name == target) {
            Some((_, body)) => Answer::file(content_type, *body),
            None => Answer::status(404),
        }
    })
    .await;
    let (crawled, taken) = collect(&origin.source(), &options()).await;
    (
        crawled.unwrap(),
        names(&taken).into_iter().collect(),
        origin,
    )
}

/// Crawls a site in which each file is named by another, beginning with the page.
async fn check_taken(files: &'static [(&'static str, &'static str)]) {
    let (crawled, taken, _) = crawl(files).await;
    let expected: BTreeSet<String> = files
        .iter()
        .map(
            |(name, _)| match name.ends_with('/') || name.ends_with(".html") {
                true => format!("page {name}"),
                false => format!("file {name}"),
            },
        )
        .collect();
    assert_eq!(taken, expected);
    assert_eq!(
        (crawled.failures.len(), crawled.unfollowed.missing.len()),
        (0, 0),
        "{crawled:?}"
    );
}

#[tokio::test]
async fn modules_of_modules_are_taken_r_s22() {
    check_taken(&[
        ("/", "<script type=module crossorigin src=/assets/index.js></script><link rel=stylesheet href=/assets/index.css>"),
        ("/assets/index.js", "import{a as b}from\"./vendor.js\";import\"react\";const p=()=>import(\"./About.js\");"),
        ("/assets/vendor.js", "export*from'../shared/x.mjs'"),
        ("/shared/x.mjs", "new Worker(new URL('./w.js', import.meta.url));fetch('/data.json')"),
        ("/shared/w.js", "importScripts('y.js', '/z.js')"),
        ("/shared/y.js", "//"),
        ("/z.js", "// import './no.js'"),
        ("/data.json", "{\"a\":\"import './no.js'\"}"),
        ("/assets/About.js", "export default 2"),
        ("/assets/index.css", "@font-face{src:url(f.woff2)}"),
        ("/assets/f.woff2", "x"),
    ])
    .await;
}

#[tokio::test]
async fn lists_of_builds_maps_and_islands_are_taken_r_s22() {
    check_taken(&[
        (
            "/",
            "<script type=importmap>{\"imports\":{\"app\":\"./app.js\",\"lib/\":\"./lib/\",\"cdn\":\"https://cdn.invalid/x.js\"}}</script>\
             <astro-island component-url=/_astro/c.js renderer-url=/_astro/r.js></astro-island>\
             <script type=module>import './inline.js'; import 'app'; fetch('./part.html')</script>\
             <div data-href=/doc.pdf></div><div data-bg='url(/bg.png)'></div><amp-img src=amp.png></amp-img>",
        ),
        ("/app.js", "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[\"a/x.js\",\"a/x.css\"])))=>i;import('./a/x.js')"),
        ("/a/x.js", "//"),
        ("/a/x.css", "a{background:image-set('1.png' 1x, url(2.png) 2x)}"),
        ("/a/1.png", "x"),
        ("/a/2.png", "x"),
        ("/_astro/c.js", "//"),
        ("/_astro/r.js", "//"),
        ("/inline.js", "//"),
        ("/part.html", "<p>A part</p>"),
        ("/doc.pdf", "x"),
        ("/bg.png", "x"),
        ("/amp.png", "x"),
    ])
    .await;
}

#[tokio::test]
async fn pictures_name_pictures_and_style_sheets_r_s22() {
    check_taken(&[
        ("/", "<object data=/i/map.svg type=image/svg+xml></object><img src=/i/logo.svg>"),
        (
            "/i/map.svg",
            "<svg xmlns='http://www.w3.org/2000/svg'><image href='in.png'/><use href='sprite.svg#a'/></svg>",
        ),
        ("/i/in.png", "x"),
        ("/i/sprite.svg", "<svg xmlns='http://www.w3.org/2000/svg'><style>@import 'p.css';</style></svg>"),
        ("/i/p.css", "@import \"q.css\" layer(a);"),
        ("/i/q.css", ""),
        (
            "/i/logo.svg",
            "<?xml version='1.0'?><svg xmlns:xlink='http://www.w3.org/1999/xlink'><image xlink:href='l.png'/></svg>",
        ),
        ("/i/l.png", "x"),
    ])
    .await;
}

#[tokio::test]
async fn what_scripts_name_and_a_crawl_cannot_have_is_told_apart_r_s22() {
    let (crawled, taken, origin) = crawl(&[
        ("/", "<script src=/a.js></script><script type=module>import './gone-inline.js'</script><img src=/broken.png>"),
        (
            "/a.js",
            "import './gone.js'; import(`./lang/${tag}.js`); import(name); fetch('guess.json'); fetch('/api/me');\
             fetch('https://elsewhere.invalid/x.json'); import 'https://elsewhere.invalid/y.js'; fetch('/logout?x=1')",
        ),
    ])
    .await;
    assert_eq!(
        taken.into_iter().collect::<Vec<_>>(),
        ["file /a.js", "page /"]
    );
    let missing: Vec<&str> = crawled
        .unfollowed
        .missing
        .iter()
        .map(|path| path.as_str())
        .collect();
    assert_eq!(missing, ["/gone-inline.js", "/gone.js"]);
    let computed: Vec<_> = crawled
        .unfollowed
        .computed
        .iter()
        .map(|(path, head)| (path.as_str(), &**head))
        .collect();
    assert_eq!(computed, [("/a.js", "./lang/")]);
    let failed: Vec<&str> = crawled
        .failures
        .iter()
        .map(|failure| failure.path.as_str())
        .collect();
    assert_eq!(failed, ["/broken.png"], "a page names it");
    let asked = origin.targets();
    assert!(asked.iter().any(|target| target == "/guess.json"));
    assert!(
        !asked
            .iter()
            .any(|target| target.contains("api") || target.contains("logout")),
        "{asked:?}"
    );
}

#[tokio::test]
async fn a_page_for_every_address_is_no_module_r_s22() {
    let origin = Origin::start(|target, _| match target {
        "/a.js" => Answer::file("text/javascript", "import './b.js'; fetch('/c.json')"),
        _ => Answer::page("<div id=app></div><script src=/a.js></script>"),
    })
    .await;
    let (crawled, taken) = collect(&origin.source(), &options()).await;
    assert_eq!(names(&taken), ["page /", "file /a.js"]);
    assert_eq!(crawled.unwrap().unfollowed.missing.len(), 2);
}
