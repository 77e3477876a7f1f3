//! Links as pages write them, and where they lead in a locale.
//!
//! One file: one site whose links all cases share.

use super::*;
use crate::config::Config;
use crate::page::LinkKind;

fn addresses(settings: &str) -> Addresses {
    let text = format!(
        "[[site]]\nid = \"s\"\nsource_locale = \"en\"\nlocales = [\"es\", \"pt-BR\"]\n{settings}\n"
    );
    let config = Config::parse(&text, std::path::Path::new("/x/latimer.toml"), &|_| None).unwrap();
    let path = |text: &str| PagePath::parse(text).unwrap();
    let pages: BTreeSet<PagePath> = ["/", "/a/", "/a/b/", "/old-only"].map(path).into();
    let mut in_spanish = pages.clone();
    in_spanish.remove(&path("/old-only"));
    let known = CrawledSite {
        own_files: BTreeMap::new(),
        rtl_sheets: BTreeMap::new(),
        files: ["/img/x.png", "/f.xml"].map(path).into(),
        redirects: [(path("/moved"), path("/a/"))].into(),
        published: [(Locale::parse("es").unwrap(), in_spanish)].into(),
        slugs: Slugs::default(),
        untranslated: BTreeMap::new(),
        written: BTreeMap::new(),
        query_files: BTreeMap::new(),
        pages,
    };
    Addresses::new(&config.sites[0], known)
}

fn check(addresses: &Addresses, page: &str, base: Option<&str>, links: &[(&str, Option<&str>)]) {
    let page = PagePath::parse(page).unwrap();
    for (address, expected) in links {
        let link = PageLink {
            address,
            element: "a",
            rel: &[],
            language: None,
            in_full: false,
            kind: LinkKind::Plain,
        };
        let given = addresses.localize(&Locale::parse("es").unwrap(), &page, base, &link);
        assert_eq!(given.as_deref(), *expected, "{address} on {page}");
    }
}

#[test]
fn links_follow_the_locale_r_e2() {
    let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
    check(
        &site,
        "/a/",
        None,
        &[
            ("b/", None),
            ("../", None),
            ("/", Some("/es/")),
            ("/a/b/?q=1#x", Some("/es/a/b/?q=1#x")),
            ("https://www.example.com/a/", Some("/es/a/")),
            ("//www.example.com/a/", Some("/es/a/")),
            ("../old-only", Some("/old-only")),
            ("/moved#m", Some("/es/a/#m")),
            ("../img/x.png", Some("/img/x.png")),
            ("/img/x.png?v=2", None),
            ("../index.html", Some("/es/")),
            ("/a/b/index.html#x", Some("/es/a/b/#x")),
            ("/a", Some("/es/a/")),
            ("/img/pic.php?id=1", None),
            ("/unknown", None),
            ("../unknown", Some("/unknown")),
        ],
    );
}

#[test]
fn queries_that_name_pages_lead_to_them_r_e9() {
    let query = "[site.crawl]\nquery = [\"page\"]";
    let mut site = addresses(&format!(
        "source = \"web\"\nurl = \"https://www.example.com/{{lang}}\"\n{query}"
    ));
    let second = PagePath::parse("/a/?page=2").unwrap();
    site.pages.insert(second.clone());
    site.published
        .values_mut()
        .for_each(|pages| pages.extend([second.clone()]));
    site.pages.insert(PagePath::parse("/a/?page=3").unwrap());
    check(
        &site,
        "/a/b/",
        None,
        &[
            ("../?page=2", None),
            ("/a/?page=2#x", Some("/es/a/?page=2#x")),
            ("../?utm=1&page=2", Some("/es/a/?page=2")),
            ("../?page=3", Some("/a/?page=3")),
            ("/a/?page=9&b", Some("/es/a/?page=9&b")),
            ("/a/?sort=x", Some("/es/a/?sort=x")),
        ],
    );
}

#[test]
fn other_addresses_are_left_alone_r_e4() {
    let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
    let links = [
        "",
        "#part",
        "mailto:a@b.example",
        "tel:+1",
        "javascript:x()",
        "data:text/plain,x",
        "https://other.example/a/",
        "//other.example/a/",
        "http://user@www.example.com/a/",
        "about:blank",
    ];
    check(&site, "/a/", None, &links.map(|link| (link, None)));
}

#[test]
fn a_base_counts_r_e3_f_56() {
    let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
    check(
        &site,
        "/a/",
        Some("/a/b/"),
        &[("#toc", Some("/es/a/b/#toc")), ("../", Some("/es/a/"))],
    );
}

#[test]
fn files_never_get_the_locale_f_55() {
    let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
    let page = PagePath::parse("/a/").unwrap();
    for element in ["script", "link", "img", "use"] {
        let link = PageLink {
            address: "/img/x.png",
            element,
            rel: &["icon".to_owned()],
            language: None,
            in_full: false,
            kind: LinkKind::Plain,
        };
        assert_eq!(
            site.localize(&Locale::parse("es").unwrap(), &page, None, &link),
            None,
            "{element}"
        );
    }
}

#[test]
fn language_links_lead_to_the_page_in_the_language_that_they_name_r_s17() {
    let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
    check_switch(
        &site,
        &[
            ("en-GB", "../", Some("/a/")),
            ("en", "/a/b/", None),
            ("es-ES", "/es/a/b/", None),
            ("es", "/a/", Some("/es/a/")),
            ("es", "/es/a/#part", None),
            ("es", "https://www.example.com/es/a/?x=1", None),
            ("es", "?lang=es", Some("/es/a/b/")),
            ("es", "/es/a/?x=1&lang=es", Some("/es/a/?x=1")),
            // No page, so the reader's own.
            ("es", "/es/unknown/", Some("/es/a/b/")),
            ("en", "/unknown/", Some("/a/b/")),
            // Spanish lacks it.
            ("es", "/es/old-only", Some("/es/")),
            // The site is not made in that language.
            ("de", "/de/a/", None),
            ("de", "/a/", Some("/es/a/")),
            ("es", "https://es.example.com/a/", None),
            ("es", "/f.xml", None),
            ("es", "#top", None),
            ("es", "", None),
            ("en", "", Some("/a/b/")),
        ],
    );
    let site = addresses(
        "source = \"web\"\nurl = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"",
    );
    check_switch(
        &site,
        &[
            ("es", "https://es.example.com/a/", None),
            ("es", "/es/a/", Some("/a/")),
            ("es", "/es/", Some("/")),
            ("en", "/a/", Some("https://www.example.com/a/")),
            ("en", "https://www.example.com/a/", None),
        ],
    );
}

/// Checks language links on the Spanish page `/a/b/`.
#[track_caller]
fn check_switch(site: &Addresses, links: &[(&str, &str, Option<&str>)]) {
    let page = PagePath::parse("/a/b/").unwrap();
    for (tag, address, expected) in links {
        let tag = Locale::parse(tag).unwrap();
        let link = PageLink {
            address,
            element: "a",
            rel: &[],
            language: Some(&tag),
            in_full: false,
            kind: LinkKind::Plain,
        };
        let given = site.localize(&Locale::parse("es").unwrap(), &page, None, &link);
        assert_eq!(given.as_deref(), *expected, "{tag} {address}");
    }
}

#[test]
fn queries_and_triplets_stay_as_written_r_e5_f_52() {
    let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
    check(
        &site,
        "/a/",
        None,
        &[
            ("/avatar/?s=40&d=https%3A%2F%2Fx.example%2Fa.png", None),
            (
                "../avatar/?s=40&d=https%3A%2f",
                Some("/avatar/?s=40&d=https%3A%2f"),
            ),
            (
                "/a/b/?q=%b0%a1&r=%2f&&=#%C3%a4",
                Some("/es/a/b/?q=%b0%a1&r=%2f&&=#%C3%a4"),
            ),
            ("b/?x=a+b%20c", None),
        ],
    );
}

#[test]
fn links_leave_the_folder_of_the_page_and_not_of_the_locale_f_58() {
    let site = addresses("source = \"web\"\nurl = \"https://www.example.com/{lang}\"");
    let links = [
        ("../../old-only", Some("/old-only")),
        ("../../a/", None),
        ("../../../../a/", Some("/es/a/")),
    ];
    check(&site, "/a/b/", None, &links);
    check(
        &site,
        "/a/b/",
        Some("/a/"),
        &[("../a/b/", Some("/es/a/b/")), ("/../a/", Some("/es/a/"))],
    );
}

#[test]
fn a_locales_prefix_is_not_its_tag_f_59() {
    let settings = "source = \"web\"\nurl = \"https://www.example.com/{lang}\"\n\
                    [site.locale.es]\nalias = \"latam\"";
    let site = addresses(settings);
    check(
        &site,
        "/a/",
        None,
        &[
            ("/a/b/", Some("/latam/a/b/")),
            ("b/", None),
            ("/img/x.png", None),
        ],
    );
    let page = site.public().page(
        &Locale::parse("es").unwrap(),
        &PagePath::parse("/a/").unwrap(),
    );
    assert_eq!(page.as_deref(), Some("https://www.example.com/latam/a/"));
}

#[test]
fn links_are_localized_once_f_60() {
    let es = Locale::parse("es").unwrap();
    let page = PagePath::parse("/a/").unwrap();
    for settings in [
        "source = \"web\"\nurl = \"https://www.example.com/{lang}\"",
        "source = \"web\"\nurl = \"https://www.example.com/{lang}\"\nsource_url = \"https://www.example.com\"",
        "source = \"web\"\nurl = \"https://{lang}.example.com\"",
        "source = \"https://www.example.com/\"\nurl = \"https://www.example.com/x/{lang}\"",
        "source = \"https://old.example.com/\"\nurl = \"https://{lang}.example.com\"",
        "source = \"https://old.example.com/\"",
    ] {
        let site = addresses(settings);
        let localize = |address: &str| {
            let link = PageLink {
                address,
                element: "a",
                rel: &[],
                language: None,
                in_full: false,
                kind: LinkKind::Plain,
            };
            site.localize(&es, &page, None, &link)
                .unwrap_or_else(|| address.to_owned())
        };
        for address in [
            "/",
            "b/",
            "/a/b/?q=1#x",
            "../old-only",
            "/moved",
            "../img/x.png",
            "/f.xml",
            "/unknown",
        ] {
            let once = localize(address);
            assert_eq!(localize(&once), once, "{address} with {settings}");
        }
    }
}

#[test]
fn hosts_are_compared_as_browsers_compare_them_r_e4_r_e7() {
    let site = addresses(
        "source = \"web\"\nurl = \"https://www.bücher.example/{lang}\"\nsource_url = \"https://bücher.example\"",
    );
    check(
        &site,
        "/a/",
        None,
        &[
            ("https://BÜCHER.example:443/a/b/", Some("/es/a/b/")),
            ("https://xn--bcher-kva.example/a/b/#x", Some("/es/a/b/#x")),
            ("\\\\bücher.example\\a\\b\\", Some("/es/a/b/")),
            ("http://bücher.example/a/b/", Some("/es/a/b/")),
            ("https://bücher.example:8443/a/b/", None),
            ("https://bucher.example/a/b/", None),
        ],
    );
}

#[test]
fn a_crawled_pages_path_is_its_whole_path() {
    let crawled = "source = \"https://old.example.com/docs/\"";
    for (settings, expected) in [
        (crawled.to_owned(), "https://old.example.com"),
        (
            format!("{crawled}\nsource_url = \"https://www.example.com/docs\""),
            "https://www.example.com",
        ),
        (
            "source = \"docs\"\nsource_url = \"https://me.example.com/docs/\"".to_owned(),
            "https://me.example.com/docs",
        ),
    ] {
        assert_eq!(
            addresses(&settings).public().source_url().as_deref(),
            Some(expected),
            "{settings}"
        );
    }
}

#[test]
fn each_kind_of_pattern_has_its_addresses() {
    let host = addresses("source = \"web\"\nurl = \"https://{lang}.example.com\"");
    check(
        &host,
        "/a/",
        None,
        &[
            ("/", None),
            ("/img/x.png", None),
            ("/old-only", Some("https://example.com/old-only")),
        ],
    );
    let none = addresses("source = \"http://127.0.0.1:8000/\"");
    check(
        &none,
        "/a/",
        None,
        &[
            ("b/", None),
            ("/a/", Some("/es/a/")),
            ("../img/x.png", Some("/img/x.png")),
            ("/img/x.png", None),
            ("/old-only", Some("http://127.0.0.1:8000/old-only")),
        ],
    );
    let project = addresses("source = \"web\"\nurl = \"https://me.example.com/repo/{lang}\"");
    check(
        &project,
        "/a/",
        None,
        &[
            ("/repo/", Some("/repo/es/")),
            ("/other/", None),
            ("../img/x.png", Some("/repo/img/x.png")),
        ],
    );
}

#[track_caller]
fn check_kind(settings: &str, kind: LinkKind, links: &[(&str, Option<&str>)]) {
    let site = addresses(settings);
    let page = PagePath::parse("/a/").unwrap();
    for (address, expected) in links {
        let link = PageLink {
            address,
            element: "script",
            rel: &[],
            language: None,
            in_full: false,
            kind,
        };
        let given = site.localize(&Locale::parse("es").unwrap(), &page, None, &link);
        assert_eq!(given.as_deref(), *expected, "{address}");
    }
}

#[test]
fn modules_are_files_and_never_pages_r_s22() {
    let path = "source = \"web\"\nurl = \"https://www.example.com/{lang}\"";
    let links = [
        ("../img/x.png", Some("/img/x.png")),
        ("/img/x.png", None),
        ("./b/", Some("/a/b/")),
        ("/a/b/", None),
        ("b.js", None),
    ];
    check_kind(path, LinkKind::Module, &links);
    check_kind(
        "source = \"web\"\nurl = \"https://{lang}.example.com\"",
        LinkKind::Module,
        &[("./b/", None), ("/a/", None)],
    );
    check_kind(
        "source = \"http://127.0.0.1:8000/\"",
        LinkKind::Module,
        &links,
    );
}

#[test]
fn what_may_be_an_address_counts_if_the_site_has_it_r_s22() {
    let path = "source = \"web\"\nurl = \"https://www.example.com/{lang}\"";
    check_kind(
        path,
        LinkKind::Possible,
        &[
            ("../img/x.png?v=1", Some("/img/x.png?v=1")),
            ("../img/y.png", None),
            ("example.com", None),
            ("/a/b/", Some("/es/a/b/")),
            ("/moved", Some("/es/a/")),
            ("https://other.example/img/x.png", None),
        ],
    );
}

#[test]
fn patterns_hold_for_a_language_too_r_s22() {
    let path = "source = \"web\"\nurl = \"https://www.example.com/{lang}\"";
    let written = [
        ("/cart/*", Some("{/es}?/cart/*")),
        ("/*", None),
        ("/:page/x", None),
        ("/(a|b)", None),
        ("cart/*", None),
        ("https://x/*", None),
    ];
    check_kind(path, LinkKind::Pattern, &written);
    let below = "source = \"web\"\nurl = \"https://me.example.com/docs/{lang}\"\nsource_url = \"https://me.example.com/docs\"";
    check_kind(
        below,
        LinkKind::Pattern,
        &[
            ("/docs/cart/*", Some("/docs{/es}?/cart/*")),
            ("/cart/*", None),
        ],
    );
    check_kind(
        "source = \"web\"\nurl = \"https://{lang}.example.com\"",
        LinkKind::Pattern,
        &[("/cart/*", None)],
    );
}

#[test]
fn files_lie_in_the_tree_of_a_language_where_a_version_asks_for_them_r_s23() {
    let es = Locale::parse("es").unwrap();
    let path = |text: &str| PagePath::parse(text).unwrap();
    for (settings, slug, page, address, expected) in [
        ("{lang}", "", "/a/", "../img/x.png", "/img/x.png"),
        ("{lang}", "", "/a/b/", "../../img/x.png?v=1#y", "/img/x.png"),
        ("{lang}", "", "/a/", "../../img/x.png", ""),
        ("{lang}", "", "/a/", "/img/x.png", ""),
        ("{lang}", "", "/a/", "../img/none.png", ""),
        ("{lang}", "", "/a/", "b/", ""),
        ("{lang}", "", "/a/", "../img/", "/img/x.png"),
        ("{lang}", "/x/y/", "/a/", "../img/x.png", "/x/img/x.png"),
        ("", "", "/a/", "../img/x.png", ""),
        ("", "/x/y/", "/a/", "../img/x.png", "/x/img/x.png"),
    ] {
        let url = if settings.is_empty() {
            "https://{lang}.example.com"
        } else {
            "https://www.example.com/{lang}"
        };
        let mut site = addresses(&format!("source = \"web\"\nurl = \"{url}\""));
        if !slug.is_empty() {
            let mut slugs = Slugs::default();
            slugs.insert(&es, path(page), path(slug));
            site.public = site.public.clone().with_slugs(slugs);
        }
        let copies = site.copies_for_page(&es, &path(page), None, address);
        let locals: Vec<&str> = copies.iter().map(|copy| copy.local.as_str()).collect();
        assert_eq!(
            locals.join(" "),
            expected,
            "{address} on {page}, which is {slug:?} of {url}"
        );
    }
}
