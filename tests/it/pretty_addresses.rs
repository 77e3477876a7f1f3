//! The spelling of the addresses of pages (R-S7): the site's own is that of canonical addresses, links, alternates and sitemaps.

use serde_json::Value;

use crate::support::pages::{attribute, attributes};
use crate::support::web::{Server, get_from};
use crate::support::{MARKING, Site};

/// A page with a canonical address, if it has one, and links.
fn page(canonical: Option<&str>, links: &[&str]) -> String {
    let canonical = canonical
        .map(|path| format!("<link rel=canonical href=https://www.example.com{path}>"))
        .unwrap_or_default();
    let links: String = links
        .iter()
        .map(|link| format!("<a href=\"{link}\">Bread</a>"))
        .collect();
    format!(
        "<!doctype html>\n<html lang=en><head><title>Bakery</title>{canonical}</head><body><p>We bake {links}</p></body></html>"
    )
}

fn sitemap(paths: &[&str]) -> String {
    let entries: String = paths
        .iter()
        .map(|path| format!("<url><loc>https://www.example.com{path}</loc></url>"))
        .collect();
    format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>"
    )
}

fn site(url: &str, keys: &str, files: &[(&str, String)]) -> Site {
    let keys = format!(
        "url = \"{url}\"\nsource_url = \"https://www.example.com\"\nlocales = [\"es\", \"fr\"]\nengine = \"marking\"\n{keys}{MARKING}"
    );
    let site = Site::new(&keys, &[]);
    for (name, text) in files {
        site.write(&format!("source/{name}"), text);
    }
    site
}

const PATH: &str = "https://www.example.com/{lang}";
const HOST: &str = "https://{lang}.example.com";

/// The canonical addresses of the Spanish versions of `/about.html` and `/docs/`, with what the build said.
fn spelled(keys: &str, files: &[(&str, String)]) -> (String, String, Value) {
    let site = site(PATH, keys, files);
    let report = site.build(&[], 0);
    let canonical = |name: &str| {
        let html = site.read(&format!("dist/site/es/{name}"));
        attribute(&html, "link[rel=canonical]", "href")
            .unwrap()
            .replace("https://www.example.com/es", "")
    };
    (
        canonical("about.html"),
        canonical("docs/index.html"),
        report["notices"].clone(),
    )
}

#[track_caller]
fn check(keys: &str, files: &[(&str, String)], about: &str, docs: &str, is_said: bool) {
    let (found_about, found_docs, notices) = spelled(keys, files);
    assert_eq!(
        (found_about.as_str(), found_docs.as_str()),
        (about, docs),
        "{notices}"
    );
    assert_eq!(
        notices.to_string().contains("in different ways"),
        is_said,
        "{notices}"
    );
}

#[test]
fn the_site_decides_how_its_pages_are_spelled_r_s7() {
    let files = |about: Option<&str>, docs: Option<&str>, links: &[&str]| {
        vec![
            ("index.html", page(Some("/"), links)),
            ("about.html", page(about, &[])),
            ("team.html", page(None, &[])),
            ("docs/index.html", page(docs, &[])),
        ]
    };
    let with = |mut files: Vec<(&'static str, String)>, name: &'static str, text: String| {
        files.push((name, text));
        files
    };
    // Canonical addresses.
    check(
        "",
        &files(Some("/about"), Some("/docs/"), &["about.html"]),
        "/about",
        "/docs/",
        false,
    );
    check(
        "",
        &files(Some("/about/"), None, &[]),
        "/about/",
        "/docs/",
        false,
    );
    check(
        "",
        &files(Some("/about.html"), None, &["/team"]),
        "/about.html",
        "/docs/",
        false,
    );
    check(
        "",
        &files(Some("/about"), Some("/docs"), &[]),
        "/about",
        "/docs",
        false,
    );
    // Sitemaps, alone and against canonical addresses.
    let map = |paths: &[&str]| sitemap(paths);
    let bare = with(
        files(None, None, &["about.html"]),
        "sitemap.xml",
        map(&["/", "/about", "/team", "/docs/"]),
    );
    check("", &bare, "/about", "/docs/", false);
    let disagree = with(
        files(Some("/about"), None, &[]),
        "sitemap.xml",
        map(&["/about.html", "/team.html", "/docs"]),
    );
    check("", &disagree, "/about.html", "/docs", true);
    // Links, if nothing else speaks and none has an ending.
    check(
        "",
        &files(None, None, &["/about", "docs/"]),
        "/about",
        "/docs/",
        false,
    );
    check(
        "",
        &files(None, None, &["/about", "team.html"]),
        "/about.html",
        "/docs/",
        false,
    );
    check(
        "",
        &files(None, None, &["/docs", "/rss"]),
        "/about.html",
        "/docs/",
        false,
    );
    check("", &files(None, None, &[]), "/about.html", "/docs/", false);
    // The owner decides.
    check(
        "addresses = \"pretty\"\n",
        &files(Some("/about.html"), None, &["team.html"]),
        "/about",
        "/docs/",
        false,
    );
    check(
        "addresses = \"file\"\n",
        &files(Some("/about"), Some("/docs"), &[]),
        "/about.html",
        "/docs/",
        false,
    );
}

/// Pages whose canonical addresses leave the ending out.
fn bakery() -> Vec<(&'static str, String)> {
    vec![
        (
            "index.html",
            page(Some("/"), &["/about", "blog/first.html", "/docs/"]),
        ),
        (
            "about.html",
            page(Some("/about"), &["/", "team.html#baker"]),
        ),
        ("team.html", page(Some("/team"), &["about.html?from=team"])),
        (
            "blog/first.html",
            page(Some("/blog/first"), &["../about", "../docs/"]),
        ),
        ("docs/index.html", page(Some("/docs/"), &[])),
        // A folder has the address that the page would have.
        ("press.html", page(Some("/press"), &[])),
        ("press/index.html", page(Some("/press/"), &[])),
        ("file.html", page(Some("/file"), &[])),
        ("file", "plain".to_owned()),
        ("404.html", page(None, &["/"])),
    ]
}

#[test]
fn everything_names_pages_in_the_spelling_of_the_site_r_s7() {
    for (url, es, prefix) in [
        (PATH, "https://www.example.com/es", "/es"),
        (HOST, "https://es.example.com", ""),
    ] {
        let site = site(url, "", &bakery());
        site.build(&[], 0);
        let object = |name: &str| site.read(&format!("dist/site/{name}"));
        for (name, path) in [
            ("about.html", "/about"),
            ("blog/first.html", "/blog/first"),
            ("press.html", "/press"),
        ] {
            for tree in ["en", "es"] {
                let html = object(&format!("{tree}/{name}"));
                let version = |tag: &str| {
                    attribute(
                        &html,
                        &format!("link[rel=alternate][hreflang={tag}]"),
                        "href",
                    )
                };
                assert_eq!(
                    version("es"),
                    Some(format!("{es}{path}")),
                    "{url} {tree}/{name}"
                );
                assert_eq!(
                    version("en"),
                    Some(format!("https://www.example.com{path}")),
                    "{url} {tree}/{name}"
                );
                let switcher = attributes(&html, ".latimer-switcher a", "href");
                assert!(
                    switcher.iter().all(|link| !link.contains(".html")),
                    "{switcher:?}"
                );
            }
        }
        let links = |name: &str| attributes(&object(name), "p a", "href");
        let link = |path: &str| format!("{prefix}{path}");
        assert_eq!(
            links("es/index.html"),
            [link("/about"), link("/blog/first"), link("/docs/")],
            "{url}"
        );
        assert_eq!(
            links("es/about.html"),
            [link("/"), link("/team#baker")],
            "{url}"
        );
        assert_eq!(links("es/team.html"), [link("/about?from=team")], "{url}");
        assert_eq!(
            links("es/blog/first.html"),
            ["../about", "../docs/"],
            "{url}"
        );
        // Links of the source stay as they are.
        assert_eq!(
            links("en/index.html"),
            ["/about", "blog/first.html", "/docs/"],
            "{url}"
        );
        let listed = object("es/sitemap.xml");
        assert!(
            listed.contains(&format!("<loc>{es}/about</loc>")) && !listed.contains("about.html"),
            "{listed}"
        );
        // Two addresses are never one.
        let file = object("es/file.html");
        assert_eq!(
            attribute(&file, "link[rel=canonical]", "href"),
            Some(format!("{es}/file.html")),
            "{url}"
        );
        let folder = object("es/press/index.html");
        assert_eq!(
            attribute(&folder, "link[rel=canonical]", "href"),
            Some(format!("{es}/press/")),
            "{url}"
        );
    }
}

#[test]
fn the_server_and_hosts_answer_both_spellings_r_s7() {
    let site = site(PATH, "", &bakery());
    site.build(&[], 0);
    let server = Server::start(site.folder());
    for (asked, wanted) in [
        ("/about", "200"),
        ("/about.html", "308 /about"),
        ("/es/about", "200"),
        ("/es/about.html", "308 /es/about"),
        ("/es/about/", "308 /es/about"),
        ("/es/blog/first/index.html", "308 /es/blog/first"),
        ("/es/docs", "308 /es/docs/"),
        ("/es/press/", "200"),
        ("/es/press", "200"),
        ("/es/file", "200"),
        ("/es/404.html", "200"),
    ] {
        let answer = server.get(asked);
        let location = answer
            .headers
            .get("location")
            .map(|to| format!(" {to}"))
            .unwrap_or_default();
        assert_eq!(format!("{}{location}", answer.status), wanted, "{asked}");
    }
    site.run(&["publish", "--to", "out", "--target", "vercel"])
        .failed(0, &[]);
    assert!(site.read("out/vercel.json").contains("\"cleanUrls\": true"));
    site.run(&["publish", "--to", "plain", "--target", "plain"])
        .failed(0, &[]);
    assert!(
        site.path("plain/es/about.html").exists(),
        "files keep their names"
    );
    let audit = site.run(&["audit", "plain"]);
    assert_eq!(audit.code, 0, "{}", String::from_utf8_lossy(&audit.stdout));
}

#[test]
fn versions_that_the_author_wrote_are_spelled_like_all_pages_r_s7_r_s15() {
    let spanish = "Nuestra panadería hornea cada noche el pan de la mañana, y la masa reposa durante muchas horas.";
    let written = |names: &str| {
        let head = format!("<link rel=alternate hreflang=en href=https://www.example.com{names}>");
        format!(
            "<!doctype html>\n<html lang=es><head><title>Pan</title>{head}</head><body><p>{spanish}</body></html>"
        )
    };
    for (keys, url, prefix, team, hours, loaf) in [
        ("", PATH, "/es", "/team", "/horario", "/loaf.html"),
        ("", HOST, "", "/team", "/horario", "/loaf.html"),
        (
            "addresses = \"file\"\n",
            PATH,
            "/es",
            "/team.html",
            "/horario.html",
            "/loaf.html",
        ),
    ] {
        let mut files = bakery();
        files.push(("hours.html", page(Some("/hours"), &["/es/horario"])));
        files.push(("loaf.html", page(Some("/loaf"), &[])));
        files.push(("es/team.html", written("/team")));
        files.push(("es/horario.html", written("/hours")));
        // A file has the address that the page would have.
        files.push(("es/loaf.html", written("/loaf")));
        files.push(("es/loaf", "plain".to_owned()));
        let site = site(url, keys, &files);
        site.build(&[], 0);
        let server = Server::start(site.folder());
        let host = if url == PATH {
            "www.example.com"
        } else {
            "es.example.com"
        };
        for (page, file, local) in [
            ("team", "team", team),
            ("hours", "horario", hours),
            ("loaf", "loaf", loaf),
        ] {
            let html = site.read(&format!("dist/site/es/{file}.html"));
            let address = format!("https://{host}{prefix}{local}");
            assert_eq!(
                attribute(&html, "link[rel=canonical]", "href"),
                Some(address.clone()),
                "{keys}{url}"
            );
            let english = site.read(&format!("dist/site/en/{page}.html"));
            assert_eq!(
                attribute(&english, "link[rel=alternate][hreflang=es]", "href"),
                Some(address.clone()),
                "{url}"
            );
            assert!(
                site.read("dist/site/es/sitemap.xml")
                    .contains(&format!("<loc>{address}</loc>")),
                "{url} {page}"
            );
            let answer = get_from(&server.address, host, &format!("{prefix}{local}"));
            assert_eq!(
                (answer.status, answer.text().contains(spanish)),
                (200, true),
                "{url} {page}"
            );
        }
        let home = site.read("dist/site/fr/hours.html");
        assert!(
            attributes(&home, "p a", "href")[0].ends_with(&format!("{prefix}{hours}")),
            "{home}"
        );
    }
}
