//! Statements to crawlers, in pages and in the headers that came with them, hold in every language (R-S5).
//!
//! One file: one rule (R-S5) with its cases.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::origin::{Origin, Said};
use crate::support::pages::{attribute, attributes};
use crate::support::web::Server;
use crate::support::{Site, files};

/// A crawled site whose pages have these paths, header lines and heads; the home page leads to all.
fn crawled(pages: &'static [(&str, &str, &str)], more: &str) -> (Site, Origin) {
    let html = |head: &str, body: &str| {
        format!(
            "<!doctype html><html lang=en><head><title>Bread</title>{head}</head><body><p>Bread</p>{body}"
        )
    };
    let links: String = pages
        .iter()
        .map(|(path, ..)| format!("<a href={path}>{path}</a> "))
        .collect();
    let origin = Origin::start(
        move |path| match pages.iter().find(|(known, ..)| *known == path) {
            Some((_, header, _)) if path.ends_with(".pdf") => {
                let kind = "application/pdf";
                Said::of_type(kind, "%PDF").with(header)
            }
            Some((_, "", head)) => Said::page(html(head, "")),
            Some((_, header, head)) => Said::page(html(head, "")).with(header),
            None if path == "/" => Said::page(html("", &links)),
            None => Said::status(404),
        },
    );
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
    (
        "/snippet/",
        "X-Robots-Tag: nosnippet, max-image-preview:none",
        "",
    ),
    ("/other/", "X-Robots-Tag: otherbot: noindex, nofollow", ""),
    ("/none/", "X-Robots-Tag: none", ""),
    (
        "/two/",
        "X-Robots-Tag: GPTBot: noindex\r\nX-Robots-Tag: noarchive",
        "",
    ),
    (
        "/late/",
        "X-Robots-Tag: unavailable_after: 25 Jun 2020 15:00:00 PST",
        "",
    ),
    ("/meta/", "", "<meta name=ROBOTS content='noindex, follow'>"),
    ("/metagoogle/", "", "<meta name=Googlebot content=none>"),
    (
        "/metanews/",
        "",
        "<meta name=googlebot-news content=noindex><meta name=bingbot content=noindex>",
    ),
    (
        "/metapreview/",
        "",
        "<meta name=robots content='max-image-preview: none'>",
    ),
    (
        "/both/",
        "X-Robots-Tag: noindex",
        "<meta name=robots content=noindex>",
    ),
    (
        "/f.pdf",
        "X-Robots-Tag: noindex\r\nLink: </google/>; rel=canonical",
        "",
    ),
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
        (
            "late/",
            Some("unavailable_after: 25 Jun 2020 15:00:00 PST"),
            true,
        ),
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
            assert_eq!(
                answer.headers.get("x-robots-tag").map(String::as_str),
                header,
                "{prefix}{path}"
            );
            let alternates = attributes(answer.text(), "link[rel=alternate]", "hreflang");
            assert_eq!(
                alternates.is_empty(),
                !is_listed,
                "{prefix}{path}: {alternates:?}"
            );
            let address = format!("<loc>https://www.example.com{prefix}{path}</loc>");
            assert_eq!(
                sitemaps.contains(&address),
                is_listed,
                "{address} in {sitemaps}"
            );
        }
    }
    let head = |path: &str, name: &str| {
        attribute(
            server.get(path).text(),
            &format!("meta[name={name}]"),
            "content",
        )
    };
    // Hosts that send no headers tell it by the page.
    assert_eq!(head("/es/google/", "googlebot").as_deref(), Some("noindex"));
    assert_eq!(head("/es/google/", "robots"), None);
    assert_eq!(head("/es/two/", "GPTBot").as_deref(), Some("noindex"));
    assert_eq!(head("/es/two/", "robots").as_deref(), Some("noarchive"));
    assert_eq!(
        attributes(
            server.get("/es/both/").text(),
            "meta[name=robots]",
            "content"
        ),
        ["noindex"]
    );
    let file = server.get("/f.pdf").headers;
    assert_eq!(file["x-robots-tag"], "noindex");
    assert_eq!(
        file["link"],
        "<https://www.example.com/google/>; rel=\"canonical\""
    );
}

#[test]
fn a_header_that_changes_changes_the_site_r_s5() {
    const SAID: &[(&str, &str, &str)] = &[("/a/", "X-Robots-Tag: nosnippet\r\nETag: \"1\"", "")];
    let (site, origin) = crawled(SAID, "");
    site.build(&[], 0);
    let published = || site.read("dist/site/es/a/index.html");
    assert_eq!(
        attribute(&published(), "meta[name=robots]", "content").as_deref(),
        Some("nosnippet")
    );
    let known = site.objects();
    site.build(&[], 0);
    assert_eq!(
        site.objects(),
        known,
        "what a server calls unchanged was said otherwise"
    );
    origin.answer(|path| match path {
        "/a/" => Said::page(
            "<!doctype html><html lang=en><head><title>Bread</title></head><body><p>Bread</p>",
        )
        .with("X-Robots-Tag: noindex\r\nETag: \"1\""),
        "/" => Said::page(
            "<!doctype html><html lang=en><title>Bread</title><p>Bread</p><a href=/a/>/a/</a>",
        ),
        _ => Said::status(404),
    });
    site.build(&[], 0);
    assert_eq!(
        attribute(&published(), "meta[name=robots]", "content").as_deref(),
        Some("noindex")
    );
}

const LINKS: &[(&str, &str, &str)] = &[
    ("/canon/", "", ""),
    (
        "/to/",
        "Link: </canon/>; rel=\"canonical\", </x.css>; rel=preload; as=style",
        "",
    ),
    (
        "/full/",
        "Link: <https://www.example.com/canon/>; rel=canonical",
        "",
    ),
    (
        "/own/",
        "Link: <https://www.example.com/own>; rel=canonical",
        "",
    ),
    (
        "/differs/",
        "Link: </canon/>; rel=canonical",
        "<link rel=canonical href=/own/>",
    ),
    (
        "/same/",
        "Link: </canon/>; rel=canonical",
        "<link rel=canonical href=https://www.example.com/canon/>",
    ),
    (
        "/other/",
        "Link: <https://elsewhere.example/x>; rel=canonical",
        "",
    ),
    (
        "/german/",
        "Link: <https://example.de/>; rel=alternate; hreflang=de",
        "",
    ),
];

#[test]
fn link_headers_name_canonical_addresses_and_versions_r_s1_r_s2() {
    let (site, _origin) = crawled(LINKS, "");
    let report: Value = site.build(&[], 0);
    for (path, canonical) in [
        ("to", "canon/"),
        ("full", "canon/"),
        ("own", "own/"),
        ("differs", "differs/"),
        ("same", "canon/"),
    ] {
        {
            let tree = "es";
            let prefix = "es/";
            let html = site.read(&format!("dist/site/{tree}/{path}/index.html"));
            let found = attributes(&html, "link[rel=canonical]", "href");
            assert_eq!(
                found,
                [format!("https://www.example.com/{prefix}{canonical}")],
                "{tree} {path}"
            );
        }
    }
    let html = site.read("dist/site/es/other/index.html");
    assert_eq!(
        attributes(&html, "link[rel=canonical]", "href"),
        ["https://elsewhere.example/x"]
    );
    let html = site.read("dist/site/es/german/index.html");
    assert_eq!(
        attributes(&html, "link[rel=alternate]", "hreflang"),
        ["en", "es", "de"]
    );
    assert!(
        report["notices"]
            .to_string()
            .contains("4 pages name another address"),
        "{report}"
    );
}

/// Headers in each host's own file.
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
        (
            "nginx",
            "latimer.nginx.conf",
            "add_header X-Robots-Tag \"googlebot: noindex\";",
        ),
        (
            "apache",
            ".htaccess",
            "Header set X-Robots-Tag \"googlebot: noindex\"",
        ),
        (
            "caddy",
            "latimer.caddy",
            "X-Robots-Tag \"googlebot: noindex\"",
        ),
        (
            "netlify",
            "_headers",
            "/es/google/\n  X-Robots-Tag: googlebot: noindex\n",
        ),
        ("vercel", "vercel.json", "\"googlebot: noindex\""),
        ("firebase", "firebase.json", "\"googlebot: noindex\""),
    ] {
        let ran = site.run(&["publish", host]);
        assert_eq!(ran.code, 0, "{host}: {}", ran.stderr);
        let written: BTreeMap<String, Vec<u8>> = files(site.folder());
        let file = written
            .iter()
            .find(|(path, _)| path.ends_with(name) && path.starts_with(&format!("out/{host}")));
        let file = String::from_utf8_lossy(
            file.unwrap_or_else(|| panic!("{host}: no {name} in {:?}", written.keys()))
                .1,
        );
        assert!(file.contains(header), "{host}: {file}");
    }
}

/// Cloudflare takes headers for 100 addresses; what pages say to crawlers stands in them as well.
#[test]
fn beyond_a_limit_of_headers_pages_say_it_themselves_r_s5() {
    let target = "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"cloudflare-pages\"\nto = \"www\"\n";
    let origin = Origin::start(|path| match path {
        "/" => {
            let links: String = (0..120)
                .map(|number| format!("<a href=/p{number}/>x</a><a href=/f.pdf>y</a>"))
                .collect();
            Said::page(format!(
                "<!doctype html><html lang=en><title>Home</title><p>Home</p>{links}"
            ))
        }
        "/f.pdf" => Said::of_type("application/pdf", "%PDF").with("X-Robots-Tag: noindex"),
        "/robots.txt" | "/sitemap.xml" => Said::status(404),
        _ => Said::page("<!doctype html><html lang=en><title>Bread</title><p>Bread</p>")
            .with("X-Robots-Tag: noindex"),
    });
    let (site, unused) = crawled(&[], target);
    site.edit("latimer.toml", &unused.address, &origin.address);
    site.build(&[], 0);
    let ran = site.run(&["publish"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let headers = site.read("www/_headers");
    assert!(
        headers.contains("/f.pdf\n") && !headers.contains("/es/p1/"),
        "{headers}"
    );
    let page = site.read("www/es/p1/index.html");
    assert_eq!(
        attribute(&page, "meta[name=robots]", "content").as_deref(),
        Some("noindex"),
        "{page}"
    );
}

const FOLDER: &str = "locales = [\"es\", \"pt-BR\"]\nengine = \"pseudo\"\nmin_translated = 0\nslugs = \"{lang}.csv\"\n";

/// A site of a folder with a page that robots.txt forbids, and one that it allows.
fn folder(keys: &str, robots: &str) -> (Site, String) {
    let site = Site::new(&format!("{FOLDER}{keys}"), &[]);
    for name in ["index", "private/index", "private/list", "private/ok"] {
        site.write(
            &format!("source/{name}.html"),
            "<!doctype html><html lang=en><head><title>Bread</title></head><body><p>Bread",
        );
    }
    site.write("source/robots.txt", robots);
    site.write("es.csv", "source,local\n/private/list.html,/lista.html\n");
    site.write("pt-BR.csv", "source,local\n");
    let notices = site.build(&[], 0)["notices"].to_string();
    (site, notices)
}

fn locations(site: &Site, tree: &str) -> Vec<String> {
    let xml = site.read(&format!("dist/site/{tree}/sitemap.xml"));
    let found = xml
        .split("<loc>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</loc>"));
    found.map(|(address, _)| address.to_owned()).collect()
}

#[test]
fn rules_of_robots_txt_hold_for_versions_and_sitemaps_r_s3() {
    let robots = "User-agent: *\nDisallow: /private/\nAllow: /private/ok\nDisallow: /*?s=\n\nUser-agent: GPTBot\nDisallow: /\n";
    let keys = "url = \"https://www.example.com/{lang}\"\n[site.locale.pt-BR]\nalias = \"br\"\n";
    let (site, notices) = folder(keys, robots);
    let expected = "User-agent: *\nDisallow: /private/\nDisallow: /es/private/\nDisallow: /es/lista.html\nDisallow: /br/private/\n\
                    Allow: /private/ok\nAllow: /es/private/ok\nAllow: /br/private/ok\nDisallow: /*?s=\nDisallow: /es/*?s=\n\
                    Disallow: /br/*?s=\n\nUser-agent: GPTBot\nDisallow: /\nDisallow: /es/\nDisallow: /br/\n\n";
    let written = site.read("dist/site/robots.txt");
    assert!(written.starts_with(expected), "{written}");
    assert_eq!(written.matches("Sitemap: ").count(), 3, "{written}");
    let of = |prefix: &str| {
        ["", "private/ok.html"].map(|path| format!("https://www.example.com/{prefix}{path}"))
    };
    assert_eq!(locations(&site, "en"), of(""));
    assert_eq!(locations(&site, "es"), of("es/"));
    // A rule for one crawler forbids no language.
    assert!(!notices.contains("robots.txt"), "{notices}");
    // A changed rule changes the sitemaps, though no page changed.
    site.write("source/robots.txt", "User-agent: *\nDisallow: /es/\n");
    let notices = site.build(&[], 0)["notices"].to_string();
    assert_eq!(
        (locations(&site, "en").len(), locations(&site, "es").len()),
        (4, 0)
    );
    assert!(
        notices.contains("every page in es (`Disallow: /es/`)"),
        "{notices}"
    );
    let again = site.build(&[], 0)["notices"].to_string();
    assert_eq!(again, notices);
    site.write("source/robots.txt", "User-agent: *\nDisallow: /\n");
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(
        notices.contains("every page in all languages (`Disallow: /`)"),
        "{notices}"
    );
    // A short rule may take a language by mistake.
    site.write("source/robots.txt", "User-agent: *\nDisallow: /e\n");
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(
        notices.contains("every page in es (`Disallow: /e`)"),
        "{notices}"
    );
    let long: String = (0..12_000)
        .map(|number| format!("Disallow: /a-long-folder-{number}/\n"))
        .collect();
    site.write("source/robots.txt", &format!("User-agent: *\n{long}"));
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(
        notices.contains("crawlers need not read more than 512000"),
        "{notices}"
    );
}

#[test]
fn each_host_has_the_rules_and_its_own_sitemap_r_s3() {
    let robots = "User-agent: *\nDisallow: /private/\nSitemap: https://en.example.com/news.xml\n";
    let (site, _) = folder(
        "url = \"https://{lang}.example.com\"\nsource_url = \"https://en.example.com\"\n",
        robots,
    );
    assert_eq!(
        site.read("dist/site/es/robots.txt"),
        "User-agent: *\nDisallow: /private/\nDisallow: /lista.html\n\nSitemap: https://es.example.com/sitemap.xml\n"
    );
    assert_eq!(
        site.read("dist/site/en/robots.txt"),
        format!("{robots}\nSitemap: https://en.example.com/sitemap.xml\n")
    );
    assert_eq!(locations(&site, "es"), ["https://es.example.com/"]);
}

#[test]
fn rules_of_a_source_elsewhere_are_copied_or_asked_for_r_s3() {
    const ONE: &[(&str, &str, &str)] = &[("/a/", "", "")];
    let (site, origin) = crawled(ONE, "");
    origin.answer(|path| match path {
        "/robots.txt" => Said::of_type(
            "text/plain",
            "User-agent: Latimer\nAllow: /\n\nUser-agent: *\nDisallow: /a/\n",
        ),
        "/" => Said::page(
            "<!doctype html><html lang=en><title>Home</title><p>Home</p><a href=/a/>A</a>",
        ),
        "/a/" => Said::page("<!doctype html><html lang=en><title>Bread</title><p>Bread</p>"),
        _ => Said::status(404),
    });
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(
        notices.contains("add the lines for them: `Allow: /es/`, `Disallow: /es/a/`"),
        "{notices}"
    );
    assert_eq!(locations(&site, "es"), ["https://www.example.com/es/"]);
    assert!(
        site.build(&["--offline"], 0)["notices"]
            .to_string()
            .contains("`Disallow: /es/a/`")
    );
    site.edit(
        "latimer.toml",
        "www.example.com/{lang}",
        "{lang}.example.com",
    );
    site.build(&[], 0);
    let written = site.read("dist/site/es/robots.txt");
    assert!(
        written.contains("User-agent: *\nDisallow: /a/\n")
            && written.ends_with("https://es.example.com/sitemap.xml\n"),
        "{written}"
    );
}
