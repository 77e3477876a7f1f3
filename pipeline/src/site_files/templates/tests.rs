//! Switchers at their boundary: links in, HTML out, and html5ever as the judge of what a browser makes of it.

use proptest::prelude::*;
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use tempfile::TempDir;

use super::*;

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

/// English as it is, Arabic as the current page, Portuguese with its home page only.
fn links() -> Vec<SwitcherLink> {
    let link = |tag: &str, href: &str| {
        SwitcherLink::new(
            &locale(tag),
            locale(tag).own_name(),
            href.to_owned(),
            tag == "ar",
            tag == "pt-BR",
        )
    };
    vec![
        link("en", "/menu/"),
        link("ar", "/ar/menu/"),
        link("pt-BR", "https://pt.example.com/"),
    ]
}

fn snippet(template: SwitcherTemplate, links: &[SwitcherLink]) -> String {
    Templates::embedded()
        .unwrap()
        .snippet(template, &locale("ar"), links, "/_latimer/switcher.css")
        .unwrap()
}

fn select<'a>(html: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

/// Elements in order, each with its depth and the names of its attributes.
fn skeleton(html: &str) -> Vec<(usize, String, Vec<String>)> {
    let tree = Html::parse_fragment(html);
    let describe = |element: ElementRef<'_>| {
        let attributes = element
            .value()
            .attrs()
            .map(|(name, _)| name.to_owned())
            .collect();
        (
            element.ancestors().count(),
            element.value().name().to_owned(),
            attributes,
        )
    };
    select(&tree, "*").into_iter().map(describe).collect()
}

#[test]
fn a_browser_reads_every_switcher_as_it_is_written() {
    for template in SwitcherTemplate::ALL {
        let html = snippet(template, &links());
        let page =
            format!("<!DOCTYPE html><html><head><title>x</title></head><body>{html}</body></html>");
        let tree = Html::parse_document(&page);
        // Nothing was moved, closed, merged or dropped on the way, a second attribute of one name included.
        assert_eq!(tree.html(), page);
    }
}

#[test]
fn no_switcher_brings_code_or_styles_of_its_own() {
    for template in SwitcherTemplate::ALL {
        let html = snippet(template, &links());
        for (_, element, attributes) in skeleton(&html) {
            let is_code =
                |name: &String| name.starts_with("on") || name == "style" || name == "src";
            assert!(!attributes.iter().any(is_code), "{html}");
            assert_ne!(element, "style");
        }
        let tree = Html::parse_fragment(&html);
        let scripts: Vec<_> = select(&tree, "script")
            .iter()
            .map(|script| script.attr("type").unwrap())
            .collect();
        let is_headless = template == SwitcherTemplate::Headless;
        assert_eq!(
            scripts,
            if is_headless {
                vec!["application/json"]
            } else {
                vec![]
            }
        );
    }
}

#[test]
fn every_link_says_its_language() {
    for template in SwitcherTemplate::ALL
        .into_iter()
        .filter(|template| *template != SwitcherTemplate::Headless)
    {
        let html = snippet(template, &links());
        let tree = Html::parse_fragment(&html);
        let describe = |link: ElementRef<'_>| {
            let attribute = |name: &str| link.attr(name).unwrap_or_default().to_owned();
            assert_eq!(attribute("lang"), attribute("hreflang"));
            [
                attribute("lang"),
                attribute("dir"),
                attribute("aria-current"),
                attribute("data-fallback"),
                link.inner_html(),
            ]
        };
        let found: Vec<_> = select(&tree, "a").into_iter().map(describe).collect();
        let expected = [
            ["en", "ltr", "", "", "English"],
            ["ar", "rtl", "page", "", "العربية"],
            ["pt-BR", "ltr", "", "home", "português (Brasil)"],
        ];
        assert_eq!(
            found,
            expected.map(|link| link.map(str::to_owned)),
            "{html}"
        );
        assert_eq!(
            select(
                &tree,
                &format!("nav[{MARKER}={}] > link[rel=stylesheet]", template.name())
            )
            .len(),
            1
        );
    }
}

#[test]
fn a_page_with_one_language_needs_no_switcher_but_a_snippet_keeps_its_place() {
    let templates = Templates::embedded().unwrap();
    let alone = [SwitcherLink::new(
        &locale("en"),
        "English".to_owned(),
        "/".to_owned(),
        true,
        false,
    )];
    for template in SwitcherTemplate::ALL {
        assert_eq!(
            templates
                .switcher(template, &locale("en"), &alone, false)
                .unwrap(),
            ""
        );
        assert!(
            templates
                .snippet(template, &locale("en"), &alone, "/s.css")
                .unwrap()
                .contains(MARKER)
        );
        let in_page = templates
            .switcher(template, &locale("ar"), &links(), false)
            .unwrap();
        assert!(
            in_page.contains(MARKER) && !in_page.contains("<link"),
            "{in_page}"
        );
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("</script>".to_owned()),
        Just("<!--<script".to_owned()),
        Just("]]>".to_owned()),
        Just("\"><img src=x onerror=alert(1)>".to_owned()),
        Just("' onclick='x".to_owned()),
        Just("</a></li></nav>".to_owned()),
        Just("{{ json }}{% raw %}".to_owned()),
        Just("\u{2028}\u{2029}\\u003c".to_owned()),
        Just("&lt;&#60;&amp".to_owned()),
        "[ -~\u{a0}-\u{2fff}]{0,6}",
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn hostile_link() -> impl Strategy<Value = SwitcherLink> {
    (
        hostile(),
        hostile(),
        hostile(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lang, name, href, current, fallback)| SwitcherLink {
            lang,
            dir: "ltr",
            name,
            href,
            current,
            fallback,
        })
}

proptest! {
    #[test]
    fn what_is_put_in_adds_no_markup(hostile in prop::collection::vec(hostile_link(), 1..4)) {
        for template in SwitcherTemplate::ALL {
            let plain = |link: &SwitcherLink| {
                SwitcherLink { lang: "en".into(), name: "x".into(), href: "/".into(), ..link.clone() }
            };
            let plain: Vec<_> = hostile.iter().map(plain).collect();
            let html = snippet(template, &hostile);
            prop_assert_eq!(skeleton(&html), skeleton(&snippet(template, &plain)));
            let tree = Html::parse_fragment(&html);
            let links = select(&tree, "a");
            let found: Vec<_> = links.iter().map(|link| (link.attr("href").unwrap(), link.text().collect())).collect();
            let given: Vec<_> = hostile.iter().map(|link| (link.href.as_str(), link.name.clone())).collect();
            if template == SwitcherTemplate::Headless {
                let script = select(&tree, "script")[0].text().collect::<String>();
                let json: Value = serde_json::from_str(&script).unwrap();
                prop_assert_eq!(&json["links"], &serde_json::to_value(&hostile).unwrap());
                let unsafe_in_script = ['<', '>', '&', '\u{2028}', '\u{2029}'];
                prop_assert_eq!(script.find(unsafe_in_script), None);
            } else {
                prop_assert_eq!(found, given);
            }
        }
    }
}

/// A folder of a site's own templates.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("switcher")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_site_brings_templates_of_its_own_and_they_escape_too() {
    let own = "<p data-latimer-switcher>{% for link in links %}<a href=\"{{ link.href }}\">{{ link.name }}</a>{% endfor %}</p>";
    let folder = folder(&[
        ("switcher/pill.html", own),
        ("notice.html", "<b>{{ name }}</b>"),
        (".DS_Store", "{{"),
    ]);
    let templates = Templates::load(Some(folder.path())).unwrap();
    let mut links = links();
    links.truncate(1);
    (links[0].name, links[0].href) = ("<i>".into(), "/\"><script>".into());
    let html = templates
        .snippet(SwitcherTemplate::Pill, &locale("ar"), &links, "")
        .unwrap();
    assert_eq!(
        html,
        "<p data-latimer-switcher><a href=\"/&quot;&gt;&lt;script&gt;\">&lt;i&gt;</a></p>"
    );
    assert_eq!(templates.notice(&locale("es")).unwrap(), "<b>español</b>");
    assert_eq!(
        templates
            .snippet(SwitcherTemplate::Tabs, &locale("ar"), &links, "")
            .unwrap(),
        Templates::embedded()
            .unwrap()
            .snippet(SwitcherTemplate::Tabs, &locale("ar"), &links, "")
            .unwrap(),
    );
}

#[test]
fn a_template_may_be_made_of_ours() {
    let links_only = "{% for link in links %}<i>{{ link.lang }}</i>{% endfor %}";
    let folder = folder(&[("switcher/links.html", links_only)]);
    let html = Templates::load(Some(folder.path()))
        .unwrap()
        .switcher(SwitcherTemplate::Disclosure, &locale("ar"), &links(), false)
        .unwrap();
    assert!(
        html.contains("<summary") && html.contains("<i>pt-BR</i>"),
        "{html}"
    );
}

/// Checks what is said about a folder with one template; `said` follows the folder's name.
#[track_caller]
fn check(name: &str, text: &str, said: &str) {
    let folder = folder(&[(name, text)]);
    let error = Templates::load(Some(folder.path()))
        .unwrap_err()
        .to_string();
    let place = format!("{}/", folder.path().display());
    let message = error
        .strip_prefix(&place)
        .unwrap_or_else(|| panic!("{error} does not begin with {place}"));
    assert!(message.starts_with(said), "{message}");
}

#[test]
fn a_wrong_template_is_blamed_where_it_is_wrong() {
    check(
        "switcher/tabs.html",
        "<p>\n  {% for %}",
        "switcher/tabs.html:2:10: ",
    );
    check("switcher/tabs.html", "é {{ links", "switcher/tabs.html:1:");
    check(
        "switcher/tabs.html",
        "<p>\n{{ language }}",
        "switcher/tabs.html:2:4: Variable `language` is not defined",
    );
    check(
        "switcher/links.html",
        "{{ link.tag }}",
        "switcher/links.html:1:4: ",
    );
    check(
        "switcher/tabs.html",
        "{{ links | shuffle }}",
        "switcher/tabs.html:1:",
    );
    check(
        "switcher/tabs.html",
        "{% include \"x.html\" %}",
        "switcher/tabs.html",
    );
    check(
        "switcher/tabs.html",
        "{% extends \"x.html\" %}",
        "switcher/tabs.html",
    );
    check("notice.html", "{{ tag }}", "notice.html:1:4: ");
    check(
        "switcher/tabs.html",
        "<p></p>",
        "switcher/tabs.html: the outermost element needs the attribute data-",
    );
    check(
        "switcher/bill.html",
        "",
        "switcher/bill.html replaces no template; there are not-found.html, notice.html, switcher/compact",
    );
    check("pill.html", "", "pill.html replaces no template");
    check(
        "switcher/pill.txt",
        "",
        "switcher/pill.txt replaces no template",
    );
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = Templates::load(Some(Path::new("/no/such/folder"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read the templates in /no/such/folder"
    );
}
