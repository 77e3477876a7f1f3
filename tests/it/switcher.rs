//! The language switcher: in pages of a build, as a snippet to paste, and with templates of the site's own.

use pipeline::config::SwitcherTemplate;
use pipeline::model::{Locale, PagePath, SiteId};
use pipeline::site_files::{MARKER, Templates, snippets};
use pipeline::store::{Objects, Published, Tree};

use crate::support::Site;
use crate::support::pages::attributes;

/// Two languages that no engine is needed for.
const KEYS: &str =
    "locales = [\"es\"]\nengine = \"fx\"\ntranslations = \"{lang}.po\"\n[site.html]\n";

fn small_site(html: &str) -> Site {
    let site = Site::new(
        &format!("{KEYS}{html}"),
        &[("index.html", "<title>Bread</title><p>Fresh bread</p>")],
    );
    let po = "msgid \"Bread\"\nmsgstr \"Pan\"\n\nmsgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n";
    site.write("es.po", po);
    site
}

fn published(site: &Site, id: &str) -> Published {
    let objects = Objects::folder(&site.path("dist")).unwrap();
    let id = SiteId::parse(id).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime
        .block_on(Published::newest(&objects, &id, None))
        .unwrap()
        .unwrap()
}

/// What the links of a switcher say about a page.
fn links(html: &str) -> Vec<[Vec<String>; 3]> {
    let all = |attribute: &str| attributes(html, &format!("[{MARKER}] a[{attribute}]"), attribute);
    let only =
        |attribute: &str| attributes(html, &format!("[{MARKER}] a[{attribute}]"), "hreflang");
    vec![
        [all("hreflang"), all("href"), all("lang")],
        [only("aria-current"), only("data-fallback"), all("dir")],
    ]
}

#[test]
fn snippets_lead_where_the_pages_own_switchers_do() {
    for (url, missing) in [
        ("https://www.heronandrye.example/{lang}", "source307"),
        ("https://www.heronandrye.example/shop/{lang}", "notice"),
        ("https://{lang}.heronandrye.example", "notice"),
    ] {
        let site = Site::fixture("bakery");
        let japanese = site.read("translations/ja.po");
        let kept: Vec<_> = japanese
            .split("\n\n")
            .filter(|entry| !entry.contains("jobs/index.html"))
            .collect();
        site.write("translations/ja.po", &kept.join("\n\n"));
        let keys = format!(
            "missing = \"{missing}\"\nengine = \"fx\"\nmin_translated = 0.9\ntranslations = "
        );
        site.edit("latimer.toml", "translations = ", &keys);
        site.edit(
            "latimer.toml",
            "https://www.heronandrye.example/{lang}",
            url,
        );
        site.build(&[], 0);
        let published = published(&site, "bakery");
        let templates = Templates::embedded().unwrap();
        let mut pages = 0;
        let mut fallbacks = 0;
        for tree in published.trees() {
            let Tree::Locale(locale) = tree else { continue };
            let objects = &published.manifest(tree).unwrap().objects;
            for (name, entry) in objects
                .iter()
                .filter(|(_, entry)| entry.content_type.starts_with("text/html"))
            {
                let html = site.read(&format!("dist/bakery/{locale}/{name}"));
                let found =
                    snippets(&published, &templates, &entry.path, locale, |_| true).unwrap();
                let disclosure = found
                    .iter()
                    .find(|snippet| snippet.template == "disclosure")
                    .unwrap();
                assert_eq!(
                    links(&disclosure.html),
                    links(&html),
                    "{locale} {}",
                    entry.path
                );
                let style = |html: &str| attributes(html, "link[href*='/_latimer/']", "href");
                assert_eq!(style(&disclosure.html), style(&html));
                pages += 1;
                fallbacks += usize::from(html.contains("data-fallback"));
            }
        }
        assert!(
            pages > 60 && fallbacks >= 4,
            "{pages} pages, {fallbacks} with fallbacks"
        );
    }
}

#[test]
fn every_kind_of_switcher_can_be_built_into_pages() {
    for template in SwitcherTemplate::ALL.map(SwitcherTemplate::name) {
        let site = small_site(&format!("switcher = {{ template = \"{template}\" }}"));
        site.build(&[], 0);
        let html = site.read("dist/site/es/index.html");
        assert_eq!(
            attributes(&html, &format!("[{MARKER}]"), MARKER),
            [template]
        );
        let sheets = attributes(&html, "head link[rel=stylesheet]", "href").len();
        assert_eq!(sheets, usize::from(template != "headless"), "{template}");
        assert!(attributes(&html, "body link", "href").is_empty());
    }
}

#[test]
fn a_switcher_goes_where_the_page_or_the_site_says_and_is_never_there_twice() {
    let marked = "<p>Fresh bread</p><nav data-latimer-switcher=tabs><a href=/old/>Old</a><nav>in it</nav></nav><p>More</p>";
    let waiting =
        "<p>Fresh bread</p><div id=latimer-switcher></div><div id=languages><b>Choose</b></div>";
    let plain = "<body><p>Fresh bread</p></body>";
    for (placement, html, parent, template) in [
        (
            "body-end",
            marked,
            "body > p + [data-latimer-switcher]",
            "tabs",
        ),
        ("none", marked, "body > p + [data-latimer-switcher]", "tabs"),
        (
            "body-end",
            waiting,
            "div#latimer-switcher > [data-latimer-switcher]",
            "pill",
        ),
        (
            "#languages",
            waiting,
            "div#latimer-switcher > [data-latimer-switcher]",
            "pill",
        ),
        (
            "#languages",
            "<div id=languages><b>Choose</b></div>",
            "div#languages > b + [data-latimer-switcher]",
            "pill",
        ),
        (
            "body-start",
            plain,
            "body > [data-latimer-switcher]:first-child",
            "pill",
        ),
        (
            "body-end",
            plain,
            "body > [data-latimer-switcher]:last-child",
            "pill",
        ),
        ("none", plain, "", ""),
        ("#languages", plain, "", ""),
    ] {
        let site = small_site(&format!(
            "switcher = {{ template = \"pill\", placement = \"{placement}\" }}"
        ));
        site.write(
            "source/index.html",
            &format!("<!doctype html><html lang=en><title>Bread</title>{html}</html>"),
        );
        site.build(&[], 0);
        for tree in ["en", "es"] {
            let html = site.read(&format!("dist/site/{tree}/index.html"));
            let expected: Vec<&str> = [template]
                .into_iter()
                .filter(|name| !name.is_empty())
                .collect();
            assert_eq!(
                attributes(&html, "[data-latimer-switcher]", MARKER),
                expected,
                "{placement}: {html}"
            );
            assert_eq!(
                attributes(&html, "head link[rel=stylesheet]", "href").len(),
                expected.len(),
                "{placement}"
            );
            assert!(
                !html.contains("Old") && !html.contains("in it"),
                "{placement}: {html}"
            );
            if !parent.is_empty() {
                assert_eq!(
                    attributes(&html, parent, MARKER),
                    expected,
                    "{placement}: {html}"
                );
            }
        }
    }
    let site = small_site("switcher = { placement = \"top\" }");
    site.run(&["build"]).failed(
        2,
        &["`placement` must be \"body-end\", \"body-start\", \"none\" or the id"],
    );
}

#[test]
fn a_site_without_our_switcher_has_the_style_sheet_of_those_that_are_pasted() {
    let site = small_site("switcher = { placement = \"none\" }");
    site.build(&[], 0);
    assert!(!site.read("dist/site/es/index.html").contains("latimer"));
    assert!(
        site.objects()
            .keys()
            .any(|name| name.starts_with("site/_latimer/switcher."))
    );
}

/// Whether the switcher of a page in a language keeps a reader's query and fragment.
fn keeps_place(site: &Site, name: &str) -> bool {
    let html = site.read(&format!("dist/site/{name}"));
    !attributes(
        &html,
        &format!("[{MARKER}][onclick*='location.search']"),
        MARKER,
    )
    .is_empty()
}

#[test]
fn a_switcher_keeps_query_and_fragment_unless_a_policy_forbids_event_handlers_r_s13() {
    let page = |head: &str| {
        format!(
            "<!doctype html><html lang=en><head>{head}<title>Bread</title></head><p>Fresh bread</p></html>"
        )
    };
    let meta = |policy: &str| {
        page(&format!(
            "<meta http-equiv=content-security-policy content=\"{policy}\">"
        ))
    };
    let site = small_site("");
    for (name, html, keeps) in [
        ("plain.html", page(""), true),
        ("images.html", meta("img-src 'self'"), true),
        (
            "inline.html",
            meta("default-src 'self' 'unsafe-inline'"),
            true,
        ),
        ("strict.html", meta("default-src 'self'"), false),
        (
            "nonce.html",
            meta("script-src 'unsafe-inline' 'nonce-a'"),
            false,
        ),
        (
            "attributes.html",
            meta("script-src 'unsafe-inline'; script-src-attr 'none'"),
            false,
        ),
    ] {
        site.write(&format!("source/{name}"), &html);
        site.build(&[], 0);
        for tree in ["en", "es"] {
            assert_eq!(
                keeps_place(&site, &format!("{tree}/{name}")),
                keeps,
                "{tree} {name}"
            );
        }
    }
    // What a host sends counts as well, and a build sees that it changed.
    site.write(
        "source/_headers",
        "/es/plain.html\n  Content-Security-Policy: script-src 'self'\n",
    );
    site.build(&[], 0);
    assert!(keeps_place(&site, "en/plain.html") && !keeps_place(&site, "es/plain.html"));
    assert!(keeps_place(&site, "es/images.html"));
}

#[test]
fn on_a_page_for_what_is_not_found_the_switcher_leads_to_home_pages_r_s13() {
    for (url, homes) in [
        ("https://www.example.com/{lang}", ["/", "/es/"]),
        (
            "https://www.example.com/shop/{lang}",
            ["/shop/", "/shop/es/"],
        ),
        (
            "https://{lang}.example.com",
            ["https://www.example.com/", "https://es.example.com/"],
        ),
    ] {
        let site = small_site("");
        site.edit(
            "latimer.toml",
            "engine",
            &format!("url = \"{url}\"\nengine"),
        );
        if url.contains("{lang}.") {
            site.edit(
                "latimer.toml",
                "[site.html]",
                "source_url = \"https://www.example.com\"\n[site.html]",
            );
        }
        site.write(
            "source/404.html",
            "<!doctype html><html lang=en><title>Bread</title><p>Fresh bread</p></html>",
        );
        site.build(&[], 0);
        for (tree, own) in [("en", 0), ("es", 1)] {
            let html = site.read(&format!("dist/site/{tree}/404.html"));
            let links = attributes(&html, &format!("[{MARKER}] a"), "href");
            assert_eq!(links.len(), 2, "{html}");
            for (at, (link, home)) in links.iter().zip(homes).enumerate() {
                // On a host of its own, a language leads to itself by path.
                let is_home = link == home || (at == own && link == "/");
                assert!(is_home, "{url} {tree}: {links:?}");
            }
        }
    }
}

#[test]
fn each_published_language_has_an_error_page_the_source_too() {
    let site = small_site("");
    site.edit(
        "latimer.toml",
        "engine",
        "url = \"https://www.example.com/{lang}\"\nengine",
    );
    site.build(&[], 0);
    for (tree, heading, title) in [
        ("en", "Page not found", "Bread"),
        ("es", "Página no encontrada", "Pan"),
    ] {
        let html = site.read(&format!("dist/site/{tree}/404.html"));
        assert!(
            html.contains(&format!("<h1>{heading}</h1>"))
                && html.contains(&format!("<p>{title}</p>")),
            "{html}"
        );
        assert_eq!(
            attributes(&html, &format!("[{MARKER}] a"), "hreflang"),
            ["en", "es"]
        );
    }
}

#[test]
fn a_placement_that_is_on_no_page_is_named_also_when_no_page_is_read_again() {
    let site = small_site("switcher = { placement = \"#langs\" }");
    assert_eq!(
        [notices_of_placement(&site), notices_of_placement(&site)],
        [1, 1]
    );
    site.write(
        "source/about.html",
        "<title>Bread</title><p>Fresh bread</p>",
    );
    assert_eq!(notices_of_placement(&site), 1);
    site.write(
        "source/about.html",
        "<title>Bread</title><p>Fresh bread</p><div id=langs></div>",
    );
    assert_eq!(
        [notices_of_placement(&site), notices_of_placement(&site)],
        [0, 0]
    );
}

/// Builds a site, and counts notices about a placement that matches nothing.
fn notices_of_placement(site: &Site) -> usize {
    let report = site.build(&[], 0);
    let notices: Vec<String> = serde_json::from_value(report["notices"].clone()).unwrap();
    notices
        .iter()
        .filter(|notice| notice.contains("which `switcher.placement` names"))
        .count()
}

#[test]
fn the_switcher_is_labelled_with_the_word_for_language_and_a_globe() {
    let site = small_site("");
    site.build(&[], 0);
    for (tree, label) in [("en", "Language"), ("es", "Idioma")] {
        let html = site.read(&format!("dist/site/{tree}/index.html"));
        assert_eq!(
            attributes(&html, &format!("nav[{MARKER}]"), "aria-label"),
            [label]
        );
        assert_eq!(
            attributes(&html, &format!("[{MARKER}] summary svg"), "aria-hidden"),
            ["true"]
        );
    }
}

#[test]
fn a_sites_own_templates_are_used() {
    let site = small_site("switcher = { template = \"pill\" }\ntemplates = \"parts\"");
    let own = "<menu data-latimer-switcher>{% include \"switcher/links.html\" %}</menu>";
    site.write("parts/switcher/pill.html", own);
    site.build(&[], 0);
    let html = site.read("dist/site/es/index.html");
    assert_eq!(
        attributes(&html, &format!("menu[{MARKER}] a"), "href"),
        ["/", "/es/"]
    );
}

#[test]
fn pages_in_xhtml_stay_xml_and_get_only_templates_that_are_xml() {
    let site = small_site("templates = \"parts\"");
    let page = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\
                <head><title/></head><body><p>Fresh bread</p></body></html>\n";
    site.write("source/old.xhtml", page);
    for (own, is_xml) in [
        ("<menu data-latimer-switcher='x'><hr/></menu>", true),
        ("<menu data-latimer-switcher><hr>", false),
    ] {
        site.write("parts/switcher/disclosure.html", own);
        let report = site.build(&[], 0);
        let html = site.read("dist/site/es/old.xhtml");
        assert!(
            html.contains("encoding=\"UTF-8\"") && html.contains("<p>Pan fresco</p>"),
            "{html}"
        );
        assert!(
            html.contains("<head><link rel=") && html.ends_with("</body></html>\n"),
            "{html}"
        );
        let notices = report["notices"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|notice| notice.as_str());
        let left_out: Vec<&str> = notices
            .filter(|notice| notice.starts_with("a template of the site"))
            .collect();
        assert_eq!(
            (html.contains("<menu"), left_out.is_empty()),
            (is_xml, is_xml),
            "{left_out:?}"
        );
        let sentence = "a template of the site is left out of pages in XHTML, because it is no well-formed XML: /old.xhtml";
        assert!(
            left_out.iter().all(|notice| *notice == sentence),
            "{left_out:?}"
        );
    }
    let published = published(&site, "site");
    let (_, entry) = published
        .page(
            &Tree::Locale(Locale::parse("es").unwrap()),
            &PagePath::parse("/old.xhtml").unwrap(),
        )
        .unwrap();
    assert_eq!(&*entry.content_type, "application/xhtml+xml; charset=utf-8");
}

#[test]
fn a_wrong_template_is_an_error_of_the_configuration_and_nothing_is_done() {
    let site = small_site("templates = \"parts\"");
    site.run(&["build"])
        .failed(2, &["cannot read the templates in", "parts"]);
    site.write(
        "parts/switcher/disclosure.html",
        "<p data-latimer-switcher>\n{{ langauge }}</p>",
    );
    site.run(&["build"])
        .failed(2, &["parts/switcher/disclosure.html:2:4: ", "`langauge`"]);
    site.write(
        "parts/switcher/disclosure.html",
        "<p data-latimer-switcher></p>",
    );
    site.write("parts/switcher.html", "");
    site.run(&["build"]).failed(
        2,
        &[
            "parts/switcher.html replaces no template",
            "switcher/disclosure.html",
        ],
    );
    assert!(!site.path("dist/site").exists());
}
