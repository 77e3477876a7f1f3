//! Odd names of pages: each is found at its address, or publishing is refused before anything is sent.

use std::collections::BTreeSet;

use super::parity::ask;
use super::{publish, published, small_site};
use crate::support::origin::{Origin, Said};
use crate::support::s3::Bucket;
use crate::support::web::Server;
use crate::support::{self, Site, files};

/// Names that a store writes otherwise, because some disk cannot hold them or tell them apart.
pub(super) const ODD_NAMES: [&str; 14] = [
    "100%.html",
    "%41.html",
    "a#b.html",
    "what?.html",
    "About.html",
    "about.html",
    "con.html",
    "a:b/index.html",
    "a*b.html",
    "a|b.html",
    "trailing. .html",
    "e\u{301}.html",
    "\u{e9}.html",
    "emoji\u{1f642}, ~$@!;=+^`[](){}'.html",
];

/// A site of pages with these names, all of which are there in both languages.
pub(super) fn named(names: &[&str], target: &str) -> Site {
    let site = small_site(target);
    for name in names {
        site.write(
            &format!("source/{name}"),
            "<!doctype html><html lang=en><title>Home</title><p>Home",
        );
    }
    site.build(&[], 0);
    site
}

fn target(host: &str) -> String {
    format!(
        "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"{host}\"\nto = \"www\"\n"
    )
}

/// The path of a file as a URL writes it.
fn address(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let part = |byte: u8| {
        if is_plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    format!(
        "/{}",
        name.bytes()
            .map(part)
            .collect::<String>()
            .trim_end_matches("index.html")
    )
}

/// The addresses of pages with these names in both languages, in every spelling.
pub(super) fn addresses(names: &[&str]) -> BTreeSet<String> {
    let spelled = |name: &&str| {
        let address = address(name);
        let stem = address
            .strip_suffix(".html")
            .unwrap_or(&address)
            .trim_end_matches('/')
            .to_owned();
        ["", "/es"].into_iter().flat_map(move |language| {
            let stem = format!("{language}{stem}");
            ["/", "", ".html", "/index.html", ".html?x=1"].map(|ending| format!("{stem}{ending}"))
        })
    };
    names.iter().flat_map(spelled).collect()
}

/// Files with such names, which all languages share.
pub(super) fn put_odd_files(site: &Site) {
    for name in ["x#1.txt", "y%41.txt", "Z.txt", "z.txt"] {
        site.write(&format!("source/{name}"), name);
    }
    site.build(&[], 0);
}

/// What the store calls pages and files, in both languages, as if those were addresses.
pub(super) fn stored_names(site: &Site) -> BTreeSet<String> {
    let names = files(&site.path("dist/site/"))
        .into_keys()
        .filter(|name| !name.starts_with('_'));
    let names = names.map(|name| match name.split_once('/') {
        Some(("en" | "es", rest)) => rest.to_owned(),
        Some(_) | None => name,
    });
    names
        .flat_map(|name| ["", "/es"].map(|language| format!("{language}{}", address(&name))))
        .collect()
}

#[test]
fn addresses_with_control_characters_are_left_out_and_stop_nothing() {
    let page = "<!doctype html><html lang=en><title>Home</title><p>Home";
    let odd = [
        "a\nb.html",
        "tab\t.txt",
        "c\u{1b}/index.html",
        "delete\u{7f}.css",
        "next\u{85}.html",
    ];
    let in_folder = small_site("");
    odd.iter()
        .for_each(|name| in_folder.write(&format!("source/{name}"), page));
    let links: String = odd
        .iter()
        .map(|name| format!("<a href=\"{}\">Home</a>", address(name)))
        .collect();
    let origin = Origin::start(move |path| match path {
        "/robots.txt" | "/sitemap.xml" => Said::status(404),
        "/" => Said::page(format!("{page}{links}")),
        _ => Said::page(page),
    });
    for site in [in_folder, support::origin::site(&origin, "")] {
        let toml = site.read("latimer.toml");
        let report = site.build(&[], 0);
        let notices = report["notices"].to_string();
        assert!(
            notices.contains("control characters") && notices.contains("/a%0Ab.html"),
            "{notices}"
        );
        for host in [
            "plain",
            "nginx",
            "apache",
            "caddy",
            "netlify",
            "cloudflare-pages",
            "vercel",
            "firebase",
        ] {
            site.write("latimer.toml", &format!("{toml}\n{}", target(host)));
            published(&site, &["--verify"]);
            let names: Vec<String> = files(&site.path("www/")).into_keys().collect();
            assert!(
                names.contains(&"es/index.html".to_owned()),
                "{host}: {names:?}"
            );
            assert!(
                !names.iter().any(|name| name.contains(char::is_control)),
                "{host}: {names:?}"
            );
            std::fs::remove_dir_all(site.path("www")).unwrap();
        }
    }
}

#[test]
fn hosts_that_go_by_names_get_the_names_of_addresses() {
    for host in [
        "plain",
        "github-pages",
        "gitlab-pages",
        "vercel",
        "firebase",
        "azure-swa",
    ] {
        let long = format!("{}.html", "long".repeat(60));
        let mut names: Vec<&str> = ODD_NAMES.into_iter().chain([long.as_str()]).collect();
        match host {
            "firebase" => names.retain(|name| !name.contains(['#', '?'])),
            "azure-swa" => names.retain(|name| !name.contains(['#', '?', '%'])),
            _ => {}
        }
        let site = named(&names, &target(host));
        published(&site, &[]);
        let tree = files(&site.path("www/"));
        for name in names {
            for language in ["", "es/"] {
                let page = tree
                    .get(&format!("{language}{name}"))
                    .unwrap_or_else(|| panic!("{host} lacks {language}{name}"));
                let word = if language.is_empty() {
                    ">Home<"
                } else {
                    ">Inicio<"
                };
                assert!(
                    String::from_utf8_lossy(page).contains(word),
                    "{host} {name}"
                );
            }
        }
    }
    let site = named(&ODD_NAMES, &target("plain"));
    published(&site, &[]);
    let server = Server::start(site.folder());
    for name in ODD_NAMES {
        let seen = ask(
            &server.address,
            "www.example.com",
            "GET",
            &format!("/es{}", address(name)),
            "",
        );
        assert_eq!(
            (seen.status, seen.body),
            (
                200,
                std::fs::read(site.path(&format!("www/es/{name}"))).unwrap()
            ),
            "{name}"
        );
    }
}

#[test]
fn a_bucket_has_the_names_of_addresses() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = named(&ODD_NAMES, &bucket.target("s3-website"));
    published(&site, &[]);
    let there = files(&folder.path().join("pages/www"));
    let lacks: BTreeSet<&str> = ODD_NAMES
        .into_iter()
        .filter(|name| !there.contains_key(*name))
        .collect();
    assert!(lacks.is_empty(), "{lacks:?} in {:?}", there.keys());
    assert_eq!(published(&site, &["--verify"])["sent"], 0);
}

#[test]
fn names_that_a_host_cannot_hold_are_refused() {
    let check = |host: &str, names: &[&str], said: &[&str]| {
        publish(&named(names, &target(host)), &[]).failed(5, said);
    };
    let netlify = "netlify finds files by their names, and has none for 2 addresses, such as";
    check(
        "netlify",
        &["a#b.html"],
        &[netlify, "/a%23b.html", "another host"],
    );
    check(
        "firebase",
        &["what?.html"],
        &["has none for 2 addresses, such as /es/what%3F.html"],
    );
    check(
        "azure-swa",
        &["100%.html"],
        &["has none for 2 addresses, such as /100%25.html"],
    );
    check(
        "cloudflare-pages",
        &["100%.html"],
        &["has none for 2 addresses, such as /100%25.html"],
    );
    check(
        "netlify",
        &["About.html", "about.html"],
        &["has none for 2 addresses, such as /", "in case alone"],
    );
    let deep = [
        "a".repeat(200),
        "b".repeat(200),
        "c".repeat(200),
        "d".repeat(200),
        "e".repeat(230),
    ]
    .join("/");
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let said = "a bucket holds names of at most 1024 bytes, and 2 names would have more, such as";
    publish(
        &named(&[&format!("{deep}/index.html")], &bucket.target("plain")),
        &[],
    )
    .failed(5, &[said]);
    assert_eq!(bucket.puts(), 0);
}

#[test]
fn cloudflare_gets_a_page_for_what_is_not_found_where_the_site_has_none() {
    let page = |site: &Site| {
        published(site, &[]);
        site.read("www/404.html")
    };
    let site = named(&[], &target("cloudflare-pages"));
    let generated = page(&site);
    for part in [
        "<html lang=\"en\"",
        "<h1>Page not found</h1>",
        "href=\"/\"",
        "content=\"noindex\"",
    ] {
        assert!(generated.contains(part), "{part}: {generated}");
    }
    assert!(
        site.read("www/es/404.html")
            .contains("<h1>Página no encontrada</h1>")
    );
    site.write(
        "source/404.html",
        "<!doctype html><html lang=en><title>Home</title><p>Home",
    );
    site.build(&[], 0);
    assert!(page(&site).contains("<p>Home"), "the site's own");
}

/// The page for what is not found answers every address that is not there, so it leads on from none of them.
#[test]
fn a_page_for_what_is_not_found_leads_nowhere() {
    for (host, url) in [
        ("cloudflare-pages", "https://{lang}.example.com"),
        ("cloudflare-pages", "https://www.example.com/{lang}"),
        ("github-pages", "https://{lang}.example.com"),
    ] {
        let site = small_site(&format!("{}redirects = \"pages\"\n", target(host)));
        site.edit("latimer.toml", "https://www.example.com/{lang}", url);
        let lost = "<!doctype html><html lang=en><title>Lost</title><p>Nobody has these words";
        site.write("source/404.html", lost);
        site.write("source/a.html", lost);
        site.build(&[], 0);
        published(&site, &[]);
        let leads = |name: &str| {
            let page =
                std::fs::read_to_string(site.path(&format!("www/es/{name}"))).unwrap_or_default();
            page.contains("http-equiv=\"refresh\"")
        };
        assert!(leads("a.html") && !leads("404.html"), "{host} {url}");
    }
}

#[test]
fn a_site_without_pages_brings_its_files() {
    let site = small_site(&target("nginx"));
    std::fs::remove_file(site.path("source/index.html")).unwrap();
    site.write("source/data.json", "{}");
    site.build(&[], 0);
    published(&site, &[]);
    assert_eq!(site.read("www/data.json"), "{}");
}

#[test]
fn a_site_of_one_language_is_published_for_every_host() {
    for host in [
        "nginx",
        "apache",
        "caddy",
        "netlify",
        "cloudflare-pages",
        "vercel",
        "github-pages",
        "gitlab-pages",
    ] {
        let site = small_site(&target(host));
        site.edit("latimer.toml", "locales = [\"es\"]", "locales = []");
        site.build(&[], 0);
        published(&site, &[]);
        assert!(site.read("www/index.html").contains("Home"), "{host}");
    }
}
