//! Pages in files of any name (R-S21), and indexes of folders that are not called `index.html` (R-S9).

use crate::support::pages::{attribute, attributes};
use crate::support::web::Server;
use crate::support::{MARKING, Site};

fn page(words: &str, links: &[&str]) -> String {
    let links: String = links
        .iter()
        .map(|link| format!("<a href=\"{link}\">Bread</a>"))
        .collect();
    format!(
        "<!doctype html>\n<html lang=en><head><title>{words}</title></head><body><p>{words} {links}</p></body></html>"
    )
}

fn site(files: &[(&str, String)]) -> Site {
    let keys =
        "url = \"https://www.example.com/{lang}\"\nlocales = [\"es\"]\nengine = \"marking\"\n";
    let site = Site::new(&format!("{keys}{MARKING}"), &[]);
    for (name, text) in files {
        site.write(&format!("source/{name}"), text);
    }
    site
}

#[test]
fn a_file_of_any_name_is_a_page_if_its_content_is_html_r_s21() {
    let code = "<?php echo $secret; ?><!doctype html><title>X</title>";
    let site = site(&[
        (
            "index.html",
            page(
                "Home",
                &[
                    "a.shtml",
                    "b.php?id=1",
                    "/c.asp",
                    "d",
                    "list.php@p=2",
                    "data",
                ],
            ),
        ),
        (
            "a.shtml",
            page("Included", &[]).replace("<p>", "<!--#include virtual=\"/x.html\" --><p>"),
        ),
        ("b.php", page("Mirrored", &["index.html"])),
        ("c.asp", page("Served", &[])),
        ("d", page("Bare", &[])),
        ("list.php@p=2", page("Second", &[])),
        // No pages: programs, and files that only look like something.
        ("run.php", code.to_owned()),
        ("lib/config.inc", "<?php $password = 'x';".to_owned()),
        ("run.aspx", "<%@ Page %><html>".to_owned()),
        ("program", code.to_owned()),
        ("data", "a,b".to_owned()),
        ("theme/index.hbs", page("{{ title }}", &[])),
        ("theme/base.j2", page("{{ title }}", &[])),
        ("LICENSE", "Take it".to_owned()),
    ]);
    let report = site.build(&[], 0);
    for (name, words) in [
        ("a.shtml", "¡Included"),
        ("b.php", "¡Mirrored"),
        ("c.asp", "¡Served"),
        ("d", "¡Bare"),
        ("list.php@p=2", "¡Second"),
    ] {
        let html = site.read(&format!("dist/site/es/{name}"));
        assert!(html.contains(words), "{name}: {html}");
        let canonical = attribute(&html, "link[rel=canonical]", "href").unwrap();
        assert_eq!(
            canonical,
            format!("https://www.example.com/es/{name}"),
            "{name}"
        );
    }
    let links = attributes(&site.read("dist/site/es/index.html"), "p a", "href");
    assert_eq!(
        links[..5],
        ["a.shtml", "b.php?id=1", "/es/c.asp", "d", "list.php@p=2"]
    );
    let objects = site.objects();
    for name in ["run.php", "lib/config.inc", "run.aspx", "program"] {
        assert!(
            !objects
                .keys()
                .any(|object| object.ends_with(&format!("/{name}"))),
            "{name} is published"
        );
        assert!(
            report["notices"].to_string().contains(&format!("/{name}")),
            "{}",
            report["notices"]
        );
    }
    assert!(objects.keys().any(|object| object.ends_with("/LICENSE")));
    for name in ["theme/index.hbs", "theme/base.j2"] {
        assert_eq!(
            site.read(&format!("dist/site/{name}")),
            site.read(&format!("source/{name}"))
        );
    }
    // The next build reads none of them again, and knows what they are.
    let again = site.build(&[], 0);
    assert_eq!(again["pages"], report["pages"]);
    let server = Server::start(site.folder());
    for path in ["/es/b.php", "/b.php", "/es/d", "/es/a.shtml"] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.is_html()), (200, true), "{path}");
    }
    site.run(&["publish", "--to", "out", "--target", "netlify"])
        .failed(0, &[]);
    assert!(site.path("out/es/b.php").exists());
    let headers = site.read("out/_headers");
    assert!(
        headers.contains("/es/b.php\n  Content-Type: text/html"),
        "{headers}"
    );
    // `include` publishes a program that it names.
    site.edit(
        "latimer.toml",
        "locales",
        "include = [\"/**\", \"/run.aspx\"]\nlocales",
    );
    site.build(&[], 0);
    assert!(
        site.objects()
            .keys()
            .any(|object| object.ends_with("/run.aspx"))
    );
}

#[test]
fn one_file_is_the_index_of_its_folder_r_s9() {
    let site = site(&[
        (
            "INDEX.HTM",
            page(
                "Home",
                &[
                    "docs/",
                    "docs",
                    "docs/index.htm",
                    "old/Default.htm",
                    "both/",
                    "php/",
                ],
            ),
        ),
        ("docs/index.htm", page("Docs", &["../", "more.html"])),
        ("docs/more.html", page("More", &["./", "index.htm"])),
        ("old/Default.htm", page("Old", &[])),
        ("old/default.asp", page("Older", &[])),
        // index.html goes first, and index before default.
        ("both/index.html", page("Both", &[])),
        ("both/index.htm", page("Second", &[])),
        ("php/default.htm", page("Third", &[])),
        ("php/index.php", page("Mirrored", &[])),
    ]);
    let report = site.build(&[], 0);
    assert!(
        !report["notices"].to_string().contains("home page"),
        "{}",
        report["notices"]
    );
    for (name, address) in [
        ("INDEX.HTM", "/"),
        ("docs/index.htm", "/docs/"),
        ("old/Default.htm", "/old/"),
        ("old/default.asp", "/old/default.asp"),
        ("both/index.html", "/both/"),
        ("both/index.htm", "/both/index.htm"),
        ("php/index.php", "/php/"),
        ("php/default.htm", "/php/default.htm"),
    ] {
        let canonical = attribute(
            &site.read(&format!("dist/site/es/{name}")),
            "link[rel=canonical]",
            "href",
        );
        assert_eq!(
            canonical,
            Some(format!("https://www.example.com/es{address}")),
            "{name}"
        );
    }
    let links = |name: &str| attributes(&site.read(&format!("dist/site/es/{name}")), "p a", "href");
    assert_eq!(
        links("INDEX.HTM"),
        [
            "docs/",
            "/es/docs/",
            "/es/docs/",
            "/es/old/",
            "both/",
            "php/"
        ]
    );
    assert_eq!(links("docs/more.html"), ["./", "/es/docs/"]);
    let server = Server::start(site.folder());
    for (path, wanted) in [
        ("/", "200"),
        ("/es/", "200"),
        ("/es/INDEX.HTM", "308 /es/"),
        ("/es/docs", "308 /es/docs/"),
        ("/es/docs/index.htm", "308 /es/docs/"),
        ("/docs/", "200"),
        ("/es/old/Default.htm", "308 /es/old/"),
        ("/es/old/default.asp", "200"),
        ("/es/php/", "200"),
    ] {
        let answer = server.get(path);
        let location = answer
            .headers
            .get("location")
            .map(|to| format!(" {to}"))
            .unwrap_or_default();
        assert_eq!(format!("{}{location}", answer.status), wanted, "{path}");
    }
    // A plain host goes by names, so the index has both.
    site.run(&["publish", "--to", "plain", "--target", "plain"])
        .failed(0, &[]);
    for name in [
        "es/docs/index.htm",
        "es/docs/index.html",
        "es/INDEX.HTM",
        "es/index.html",
        "es/both/index.htm",
    ] {
        assert!(site.path(&format!("plain/{name}")).exists(), "{name}");
    }
    assert!(site.read("plain/es/both/index.html").contains("¡Both"));
    site.run(&["publish", "--to", "web", "--target", "nginx"])
        .failed(0, &[]);
    assert!(
        site.read("web.latimer.nginx.conf")
            .contains("docs/index.htm")
    );
}

#[test]
fn a_site_without_a_home_page_is_told_so_r_s9() {
    let site = site(&[
        ("about.html", page("About", &[])),
        ("docs/index.htm", page("Docs", &[])),
    ]);
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(notices.contains("no home page (index.html)"), "{notices}");
}
