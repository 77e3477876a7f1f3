//! Snippets at their boundary: a deployment in, links out.

use std::collections::BTreeMap;

use bytes::Bytes;
use scraper::{Html, Selector};

use super::*;
use crate::model::{SiteId, Slugs, object_name};
use crate::store::{Draft, Encoding, Missing, Object, Objects, ServingSwitch};

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn path(text: &str) -> PagePath {
    PagePath::parse(text).unwrap()
}

/// English is the source; Japanese is switched off, `en-XA` is a pseudo-locale.
fn settings(url: Option<&str>, source_url: Option<&str>) -> ServingSettings {
    let switches = [
        ("es", ServingSwitch::On),
        ("pt-BR", ServingSwitch::On),
        ("en-XA", ServingSwitch::On),
        ("ja", ServingSwitch::Off),
    ];
    ServingSettings {
        source_locale: locale("en"),
        locales: switches.map(|(tag, switch)| (locale(tag), switch)).into(),
        switches: 0,
        aliases: BTreeMap::from([(locale("pt-BR"), "pt".to_owned())]),
        missing: Missing::Notice,
        redirects: BTreeMap::new(),
        slugs: Slugs::default(),
        former: BTreeMap::new(),
        parameters: Default::default(),
        singles: Default::default(),
        left_out: Default::default(),
        written: Default::default(),
        url: url.map(str::to_owned),
        source_url: source_url.map(str::to_owned),
        accept_language: false,
        variants: Encoding::ALL.into(),
    }
}

/// `/menu/` is missing in Portuguese, `/team/` has only a notice in Spanish; with `with_source` the source's pages
/// are ours too.
async fn published(settings: ServingSettings, with_source: bool) -> Published {
    let objects = Objects::memory();
    let id = SiteId::parse("s").unwrap();
    let draft = Draft::begin(&objects, &id).await.unwrap();
    let pages = [
        ("en", vec!["/", "/menu/", "/team/"]),
        ("es", vec!["/", "/menu/", "/team/"]),
        ("pt-BR", vec!["/", "/team/"]),
        ("en-XA", vec!["/", "/menu/", "/team/"]),
    ];
    for (tag, paths) in pages.iter().filter(|(tag, _)| with_source || *tag != "en") {
        for address in paths {
            let path = path(address);
            let content_type = "text/html; charset=utf-8".to_owned();
            let name = object_name(&path, true).into();
            let body = Bytes::from_static(b"<p>");
            let object = Object {
                name,
                path,
                content_type,
                body,
                source: None,
                noindex: false,
                robots: None,
                link: None,
            };
            draft.put(&Tree::Locale(locale(tag)), object).await.unwrap();
        }
    }
    draft.miss(&Tree::Locale(locale("pt-BR")), path("/menu/"));
    draft.miss(&Tree::Locale(locale("es")), path("/team/"));
    draft.finish(settings).await.unwrap();
    Published::newest(&objects, &id, None)
        .await
        .unwrap()
        .unwrap()
}

/// Checks language and address of every link; `*` marks the current one, `~` one that leads to a home page.
#[track_caller]
fn check(published: &Published, page: &str, current: &str, expected: &[&str]) -> String {
    let templates = Templates::embedded().unwrap();
    let found = snippets(published, &templates, &path(page), &locale(current), |_| {
        true
    });
    let inline = found.unwrap().remove(0);
    assert_eq!(inline.template, "inline");
    let tree = Html::parse_fragment(&inline.html);
    let describe = |link: scraper::ElementRef<'_>| {
        let mark = |name: &str, mark: &'static str| link.attr(name).map_or("", |_| mark);
        let current = mark("aria-current", "*");
        let fallback = mark("data-fallback", "~");
        format!(
            "{}{current}{fallback} {}",
            link.attr("lang").unwrap(),
            link.attr("href").unwrap()
        )
    };
    let links: Vec<String> = tree
        .select(&Selector::parse("a").unwrap())
        .map(describe)
        .collect();
    assert_eq!(links, expected, "{page} in {current}");
    let style = tree
        .select(&Selector::parse("link").unwrap())
        .next()
        .unwrap()
        .attr("href")
        .unwrap()
        .to_owned();
    style
        .split_once("/_latimer/switcher.")
        .unwrap()
        .0
        .to_owned()
}

#[tokio::test]
async fn languages_that_have_the_page_get_a_deep_link_and_others_their_home() {
    let site = published(
        settings(
            Some("https://www.example.com/{lang}"),
            Some("https://www.example.com"),
        ),
        true,
    )
    .await;
    let on_menu = ["en /menu/", "es /es/menu/", "pt-BR~ /pt/"];
    assert_eq!(check(&site, "/menu/", "ja", &on_menu), "");
    check(
        &site,
        "/menu/",
        "en",
        &["en* /menu/", "es /es/menu/", "pt-BR~ /pt/"],
    );
    check(
        &site,
        "/menu/",
        "en-XA",
        &[
            "en /menu/",
            "en-XA* /en-XA/menu/",
            "es /es/menu/",
            "pt-BR~ /pt/",
        ],
    );
    check(
        &site,
        "/menu/",
        "pt-BR",
        &["en /menu/", "es /es/menu/", "pt-BR*~ /pt/"],
    );
    check(
        &site,
        "/no-such-page/",
        "en",
        &["en*~ /", "es~ /es/", "pt-BR~ /pt/"],
    );
}

#[tokio::test]
async fn a_page_with_a_notice_is_no_translation_but_it_is_where_its_reader_is() {
    let site = published(settings(None, None), true).await;
    check(
        &site,
        "/team/",
        "en",
        &["en* /team/", "es~ /es/", "pt-BR /pt/team/"],
    );
    check(
        &site,
        "/team/",
        "es",
        &["en /team/", "es* /es/team/", "pt-BR /pt/team/"],
    );
}

#[tokio::test]
async fn languages_on_hosts_of_their_own_are_linked_in_full() {
    let site = published(
        settings(
            Some("https://{lang}.example.com"),
            Some("https://example.com"),
        ),
        true,
    )
    .await;
    let from_source = [
        "en* /",
        "es https://es.example.com/",
        "pt-BR https://pt.example.com/",
    ];
    assert_eq!(check(&site, "/", "en", &from_source), "");
    let from_spanish = [
        "en https://example.com/",
        "es* /",
        "pt-BR https://pt.example.com/",
    ];
    assert_eq!(check(&site, "/", "es", &from_spanish), "");
}

#[tokio::test]
async fn a_crawled_source_stays_where_it_is_and_gets_its_style_sheet_from_us() {
    let site = published(
        settings(
            Some("https://{lang}.example.com"),
            Some("https://old.example.net"),
        ),
        false,
    )
    .await;
    let from_source = [
        "en* /menu/",
        "es https://es.example.com/menu/",
        "pt-BR~ https://pt.example.com/",
    ];
    assert_eq!(
        check(&site, "/menu/", "en", &from_source),
        "https://es.example.com"
    );
    check(
        &site,
        "/no-such-page/",
        "es",
        &[
            "en~ https://old.example.net/",
            "es*~ /",
            "pt-BR~ https://pt.example.com/",
        ],
    );
    let path = published(
        settings(
            Some("https://www.example.com/{lang}"),
            Some("https://www.example.com"),
        ),
        false,
    )
    .await;
    assert_eq!(
        check(
            &path,
            "/menu/",
            "en",
            &["en* /menu/", "es /es/menu/", "pt-BR~ /pt/"]
        ),
        ""
    );
}

#[tokio::test]
async fn what_is_not_served_at_this_moment_is_not_offered() {
    let site = published(settings(None, None), true).await;
    let templates = Templates::embedded().unwrap();
    let found = snippets(&site, &templates, &path("/"), &locale("en"), |locale| {
        locale.as_str() == "pt-BR"
    })
    .unwrap();
    let names: Vec<&str> = found.iter().map(|snippet| snippet.template).collect();
    assert_eq!(
        names,
        [
            "inline",
            "disclosure",
            "pill",
            "tabs",
            "compact",
            "headless"
        ]
    );
    for snippet in found {
        assert!(
            !snippet.html.contains("/es/") && snippet.html.contains("/pt/"),
            "{}",
            snippet.html
        );
    }
}
