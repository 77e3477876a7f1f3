//! Statements to crawlers, in pages and in the headers that came with them, hold in every language (R-S5).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::origin::{Origin, Said};
use crate::support::pages::{attribute, attributes};
use crate::support::web::Server;
use crate::support::{Site, files};

/// A crawled site whose pages have these paths, header lines and heads; the home page leads to all.
fn crawled(pages: &'static [(&str, &str, &str)], more: &str) -> (Site, Origin) {
    let html = |head: &str, body: &str| {
        format!("<!doctype html><html lang=en><head><title>Bread</title>{head}</head><body><p>Bread</p>{body}")
    };
    let links: String = pages.iter().map(|(path, ..)| format!("<a href={path}>{path}</a> ")).collect();
    let origin = Origin::start(move |path| match pages.iter().find(|(known, ..)| *known == path) {
        Some((_, header, _)) if path.ends_with(".pdf") => {
            let kind = "application/pdf";
            Said::of_type(kind, "%PDF").with(header)
        }
        Some((_, "", head)) => Said::page(html(head, "")),
        Some((_, header, head)) => Said::page(html(head, "")).with(header),
        None if path == "/" => Said::page(html("", &links)),
        None => Said::status(404),
    });
    let site = Site::new("", &[]);
    site.write(
        "latimer.toml",
        &format!(
            "[[site]]\nid = \"site\"\nsource = {:?}\nsource_url = \"https://www.example.com\"\nsource_locale = \"en\"\n\
             locales = [\"es\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{{lang}}\"\n\
             [site.crawl]\nallow_private = true\n{more}",
            origin.address
        ),
    );
    (site, origin)
}

const PAGES: &[(&str, &str, &str)] = &[
    ("/google/", "X-Robots-Tag: googlebot: noindex", ""),
    ("/snippet/", "X-Robots-Tag: nosnippet, max-image-preview:none", ""),
    ("/other/", "X-Robots-Tag: otherbot: noindex, nofollow", ""),
    ("/none/", "X-Robots-Tag: none", ""),
    ("/two/", "X-Robots-Tag: GPTBot: noindex\r\nX-Robots-Tag: noarchive", ""),
    ("/late/", "X-Robots-Tag: unavailable_after: 25 Jun 2020 15:00:00 PST", ""),
    ("/meta/", "", "<meta name=ROBOTS content='noindex, follow'>"),
    ("/metagoogle/", "", "<meta name=Googlebot content=none>"),
    ("/metanews/", "", "<meta name=googlebot-news content=noindex><meta name=bingbot content=noindex>"),
    ("/metapreview/", "", "<meta name=robots content='max-image-preview: none'>"),
    ("/both/", "X-Robots-Tag: noindex", "<meta name=robots content=noindex>"),
    ("/f.pdf", "X-Robots-Tag: noindex\r\nLink: </google/>; rel=canonical", ""),
];

#[test]
fn statements_to_crawlers_hold_in_every_language_r_s5() {
    let (site, _origin) = crawled(PAGES, "");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    let objects = site.objects();
    let sitemaps: String = objects
        .iter()
        .filter(|(name, _)| name.ends_with("sitemap.xml"))
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .collect();
    for (path, header, is_listed) in [
        ("google/", Some("googlebot: noindex"), false),
        ("snippet/", Some("nosnippet, max-image-preview:none"), true),
        ("other/", Some("otherbot: noindex, nofollow"), true),
        ("none/", Some("none"), false),
        ("two/", Some("noarchive, GPTBot: noindex"), true),
        ("late/", Some("unavailable_after: 25 Jun 2020 15:00:00 PST"), true),
        // The page says it itself, to those it names.
        ("meta/", None, false),
        ("metagoogle/", None, false),
        ("metanews/", None, true),
        ("metapreview/", None, true),
        ("both/", Some("noindex"), false),
    ] {
        {
            let prefix = "/es/";
            let answer = server.get(&format!("{prefix}{path}"));
            assert_eq!(answer.headers.get("x-robots-tag").map(String::as_str), header, "{prefix}{path}");
            let alternates = attributes(answer.text(), "link[rel=alternate]", "hreflang");
            assert_eq!(alternates.is_empty(), !is_listed, "{prefix}{path}: {alternates:?}");
            let address = format!("<loc>https://www.example.com{prefix}{path}</loc>");
            assert_eq!(sitemaps.contains(&address), is_listed, "{address} in {sitemaps}");
        }
    }
    let head = |path: &str, name: &str| attribute(server.get(path).text(), &format!("meta[name={name}]"), "content");
    // Hosts that send no headers tell it by the page.
    assert_eq!(head("/es/google/", "googlebot").as_deref(), Some("noindex"));
    assert_eq!(head("/es/google/", "robots"), None);
    assert_eq!(head("/es/two/", "GPTBot").as_deref(), Some("noindex"));
    assert_eq!(head("/es/two/", "robots").as_deref(), Some("noarchive"));
    assert_eq!(attributes(server.get("/es/both/").text(), "meta[name=robots]", "content"), ["noindex"]);
    let file = server.get("/f.pdf").headers;
    assert_eq!(file["x-robots-tag"], "noindex");
    assert_eq!(file["link"], "<https://www.example.com/google/>; rel=\"canonical\"");
}

#[test]
fn a_header_that_changes_changes_the_site_r_s5() {
    const SAID: &[(&str, &str, &str)] = &[("/a/", "X-Robots-Tag: nosnippet\r\nETag: \"1\"", "")];
    let (site, origin) = crawled(SAID, "");
    site.build(&[], 0);
    let published = || site.read("dist/site/es/a/index.html");
    assert_eq!(attribute(&published(), "meta[name=robots]", "content").as_deref(), Some("nosnippet"));
    let known = site.objects();
    site.build(&[], 0);
    assert_eq!(site.objects(), known, "what a server calls unchanged was said otherwise");
    origin.answer(|path| match path {
        "/a/" => Said::page("<!doctype html><html lang=en><head><title>Bread</title></head><body><p>Bread</p>")
            .with("X-Robots-Tag: noindex\r\nETag: \"1\""),
        "/" => Said::page("<!doctype html><html lang=en><title>Bread</title><p>Bread</p><a href=/a/>/a/</a>"),
        _ => Said::status(404),
    });
    site.build(&[], 0);
    assert_eq!(attribute(&published(), "meta[name=robots]", "content").as_deref(), Some("noindex"));
}

const LINKS: &[(&str, &str, &str)] = &[
    ("/canon/", "", ""),
    ("/to/", "Link: </canon/>; rel=\"canonical\", </x.css>; rel=preload; as=style", ""),
    ("/full/", "Link: <https://www.example.com/canon/>; rel=canonical", ""),
    ("/own/", "Link: <https://www.example.com/own>; rel=canonical", ""),
    ("/differs/", "Link: </canon/>; rel=canonical", "<link rel=canonical href=/own/>"),
    ("/same/", "Link: </canon/>; rel=canonical", "<link rel=canonical href=https://www.example.com/canon/>"),
    ("/other/", "Link: <https://elsewhere.example/x>; rel=canonical", ""),
    ("/german/", "Link: <https://example.de/>; rel=alternate; hreflang=de", ""),
];

#[test]
fn link_headers_name_canonical_addresses_and_versions_r_s1_r_s2() {
    let (site, _origin) = crawled(LINKS, "");
    let report: Value = site.build(&[], 0);
    for (path, canonical) in
        [("to", "canon/"), ("full", "canon/"), ("own", "own/"), ("differs", "differs/"), ("same", "canon/")]
    {
        {
            let (tree, prefix) = ("es", "es/");
            let html = site.read(&format!("dist/site/{tree}/{path}/index.html"));
            let found = attributes(&html, "link[rel=canonical]", "href");
            assert_eq!(found, [format!("https://www.example.com/{prefix}{canonical}")], "{tree} {path}");
        }
    }
    let html = site.read("dist/site/es/other/index.html");
    assert_eq!(attributes(&html, "link[rel=canonical]", "href"), ["https://elsewhere.example/x"]);
    let html = site.read("dist/site/es/german/index.html");
    assert_eq!(attributes(&html, "link[rel=alternate]", "hreflang"), ["en", "es", "de"]);
    assert!(report["notices"].to_string().contains("4 pages name another address"), "{report}");
}

/// What publishing to a host says of headers, by the host's file.
#[test]
fn hosts_send_the_headers_that_they_can_r_s5() {
    let targets: String = ["nginx", "apache", "caddy", "netlify", "vercel", "firebase"]
        .iter()
        .map(|host| {
            format!("[publish.{host}]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"{host}\"\nto = \"out/{host}\"\n")
        })
        .collect();
    let (site, _origin) = crawled(PAGES, &targets);
    site.build(&[], 0);
    for (host, name, header) in [
        ("nginx", "latimer.nginx.conf", "add_header X-Robots-Tag \"googlebot: noindex\";"),
        ("apache", ".htaccess", "Header set X-Robots-Tag \"googlebot: noindex\""),
        ("caddy", "latimer.caddy", "X-Robots-Tag \"googlebot: noindex\""),
        ("netlify", "_headers", "/es/google/\n  X-Robots-Tag: googlebot: noindex\n"),
        ("vercel", "vercel.json", "\"googlebot: noindex\""),
        ("firebase", "firebase.json", "\"googlebot: noindex\""),
    ] {
        let ran = site.run(&["publish", host]);
        assert_eq!(ran.code, 0, "{host}: {}", ran.stderr);
        let written: BTreeMap<String, Vec<u8>> = files(site.folder());
        let file = written.iter().find(|(path, _)| path.ends_with(name) && path.starts_with(&format!("out/{host}")));
        let file =
            String::from_utf8_lossy(file.unwrap_or_else(|| panic!("{host}: no {name} in {:?}", written.keys())).1);
        assert!(file.contains(header), "{host}: {file}");
    }
}

/// Cloudflare takes headers for 100 addresses; what pages say to crawlers stands in them as well.
#[test]
fn beyond_a_limit_of_headers_pages_say_it_themselves_r_s5() {
    let target = "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"cloudflare-pages\"\nto = \"www\"\n";
    let origin = Origin::start(|path| match path {
        "/" => {
            let links: String =
                (0..120).map(|number| format!("<a href=/p{number}/>x</a><a href=/f.pdf>y</a>")).collect();
            Said::page(format!("<!doctype html><html lang=en><title>Home</title><p>Home</p>{links}"))
        }
        "/f.pdf" => Said::of_type("application/pdf", "%PDF").with("X-Robots-Tag: noindex"),
        "/robots.txt" | "/sitemap.xml" => Said::status(404),
        _ => Said::page("<!doctype html><html lang=en><title>Bread</title><p>Bread</p>").with("X-Robots-Tag: noindex"),
    });
    let (site, unused) = crawled(&[], target);
    site.edit("latimer.toml", &unused.address, &origin.address);
    site.build(&[], 0);
    let ran = site.run(&["publish"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let headers = site.read("www/_headers");
    assert!(headers.contains("/f.pdf\n") && !headers.contains("/es/p1/"), "{headers}");
    let page = site.read("www/es/p1/index.html");
    assert_eq!(attribute(&page, "meta[name=robots]", "content").as_deref(), Some("noindex"), "{page}");
}
