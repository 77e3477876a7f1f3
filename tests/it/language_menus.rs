//! The site's own language menu: each entry leads, from every version, to the page in the language that it names (R-S17).
//!
//! `fixtures/menus/` has the markup of each generator and plug-in, as it stands on the English page `/about/`.

use std::fs;

use scraper::{ElementRef, Html, Selector};
use url::Url;

use crate::support::pages::{attribute, attributes};
use crate::support::{MARKING, Site, repository};

const PAGE: &str =
    "<!doctype html><html lang=en><head><title>About</title></head><body><p>Bread and butter</p>";

/// Generators and plug-ins that have to have a menu in the folder.
const MENUS: [&str; 8] = [
    "docusaurus",
    "hugo",
    "material",
    "polylang",
    "starlight",
    "translatepress",
    "weglot",
    "wpml",
];

/// An entry of a menu.
#[derive(Debug)]
struct Entry {
    label: String,
    lang: Option<String>,
    address: String,
}

/// The text of an entry, with the names of its images.
fn label(element: ElementRef<'_>) -> String {
    let words = ["alt", "aria-label", "title"];
    let elements = element.descendants().filter_map(ElementRef::wrap);
    let values =
        elements.flat_map(|element| words.iter().filter_map(move |name| element.attr(name)));
    element.text().chain(values).collect::<Vec<_>>().join("|")
}

fn entries(html: &str) -> Vec<Entry> {
    let page = Html::parse_document(html);
    let selector = Selector::parse("#menu a[href], #menu option[value]").unwrap();
    let entry = |element: ElementRef<'_>| Entry {
        label: label(element),
        lang: element.attr("lang").map(str::to_owned),
        address: element
            .attr("href")
            .or(element.attr("value"))
            .unwrap_or_default()
            .to_owned(),
    };
    page.select(&selector).map(entry).collect()
}

fn site(keys: &str, menu: &str) -> Site {
    let keys = format!("locales = [\"es\", \"fr\"]\nengine = \"marking\"\n{keys}{MARKING}");
    let pages = [
        ("index.html", PAGE.to_owned()),
        ("about/index.html", format!("{PAGE}{menu}</body></html>")),
    ];
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (*name, html.as_str()))
        .collect();
    let site = Site::new(&keys, &pages);
    site.build(&[], 0);
    site
}

/// The public address of a page in a language.
fn public(keys: &str, locale: &str, path: &str) -> Url {
    let address = match (locale, keys.contains("{lang}.example")) {
        ("en", _) => format!("https://www.example.com{path}"),
        (_, true) => format!("https://{locale}.example.com{path}"),
        (_, false) => format!("https://www.example.com/{locale}{path}"),
    };
    Url::parse(&address).unwrap()
}

/// The language and path that an entry's address names.
fn named(address: &str) -> (String, String) {
    let source = Url::parse("https://www.example.com/about/").unwrap();
    let url = source.join(address).unwrap();
    if let Some((_, locale)) = url.query_pairs().find(|(name, _)| name == "lang") {
        return (locale.into_owned(), url.path().to_owned());
    }
    let language = ["de", "es", "fr"]
        .into_iter()
        .find(|tag| url.path().starts_with(&format!("/{tag}/")));
    let path = language.map_or(url.path(), |tag| &url.path()[tag.len() + 1..]);
    (language.unwrap_or("en").to_owned(), path.to_owned())
}

#[test]
fn each_entry_leads_to_the_page_in_the_language_that_it_names_r_s17() {
    let mut menus: Vec<_> = fs::read_dir(repository().join("fixtures/menus"))
        .unwrap()
        .map(|file| file.unwrap())
        .collect();
    menus.sort_by_key(fs::DirEntry::path);
    let hosts = "url = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"\n";
    let mut checked = 0;
    for kind in MENUS {
        let has = |file: &fs::DirEntry| file.file_name().to_string_lossy().starts_with(kind);
        assert!(menus.iter().any(has), "no menu of {kind}");
    }
    for file in menus {
        let menu = fs::read_to_string(file.path()).unwrap();
        for keys in ["url = \"https://www.example.com/{lang}\"\n", hosts] {
            let site = site(keys, &menu);
            for locale in ["en", "es", "fr"] {
                let html = site.read(&format!("dist/site/{locale}/about/index.html"));
                let written = entries(&menu);
                let found = entries(&html);
                assert_eq!(written.len(), found.len());
                for (written, found) in written.iter().zip(&found) {
                    let place = format!("{} {locale} {keys}: {found:?}", file.path().display());
                    assert_eq!(
                        (&written.label, &written.lang),
                        (&found.label, &found.lang),
                        "{place}"
                    );
                    let leads = public(keys, locale, "/about/")
                        .join(&found.address)
                        .unwrap();
                    let (language, path) = named(&written.address);
                    match language.as_str() {
                        _ if ["#", "javascript:void(0);"].contains(&written.address.as_str()) => {
                            assert_eq!(written.address, found.address, "{place}");
                        }
                        // The site is not made in it.
                        "de" => assert_eq!(
                            leads.as_str(),
                            format!("https://www.example.com/de{path}"),
                            "{place}"
                        ),
                        // The source leads to itself as it is written.
                        "en" if locale == "en" => {
                            assert_eq!(written.address, found.address, "{place}")
                        }
                        _ => assert_eq!(leads, public(keys, &language, &path), "{place}"),
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 200, "{checked}");
}

#[test]
fn any_other_link_with_hreflang_is_content_and_its_hreflang_follows_r_s17() {
    let content = "<p id=content><a href=/ hreflang=en>Where we began</a> and <a href=../ hreflang=en-GB lang=en>more</a>, in \
                   <a href=https://example.org/ hreflang=en>another place</a></p><ul><li><a href=/ id=course>English</a>\
                   <li><a href=/ >History</a></ul><p><a href=/ id=it>IT</a></p>";
    let site = site("url = \"https://www.example.com/{lang}\"\n", content);
    let html = site.read("dist/site/es/about/index.html");
    assert_eq!(
        attributes(&html, "#content a", "hreflang"),
        ["es", "es", "en"],
        "{html}"
    );
    assert_eq!(
        attributes(&html, "#content a", "href"),
        ["/es/", "../", "https://example.org/"],
        "{html}"
    );
    // A subject of a school and a department are not languages of the site.
    assert!(
        html.contains("¡English") && attribute(&html, "#course", "href").as_deref() == Some("/es/"),
        "{html}"
    );
    assert!(
        html.contains("¡IT") && attribute(&html, "#it", "href").as_deref() == Some("/es/"),
        "{html}"
    );
    let english = site.read("dist/site/en/about/index.html");
    assert!(english.contains(content), "{english}");
}

#[test]
fn names_of_files_and_functions_that_look_like_tags_are_content_r_s17() {
    // As manuals of Node.js, GTK, Python and a school have them.
    let links = [
        "<a href=os.html class=nav-os>OS</a>",
        "<a class=method href=method.Renderer.is_realized.html>is_realized</a>",
        "<a class=method href=method.Transform.to_string.html>to_string</a>",
        "<a href=id_in.html>id_in</a>",
        "<a href=/ml/>ML</a>",
        "<a href=/ts/>TS</a>",
        "<a href=/it/>IT</a>",
        "<a href=/courses/la/>LA</a>",
        "<a href=https://en.wikipedia.org/wiki/Artificial_intelligence>AI</a>",
    ];
    let menus = [
        "<a href=/zh-hant/>zh-Hant</a>",
        "<a href=/es-419/>es-419</a>",
        "<a href=/pt_br/>pt_BR</a>",
        "<a href=/en-us/>US</a>",
    ];
    for (links, is_content) in [(&links[..], true), (&menus, false)] {
        for link in links {
            // Other engines get no names of functions.
            let keys = "locales = [\"es\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n";
            let site = Site::new(
                keys,
                &[("index.html", &format!("{PAGE}<ul><li>{link}</ul>"))],
            );
            site.build(&[], 0);
            let label = link.split(['>', '<']).nth(2).unwrap();
            let html = site.read("dist/site/es/index.html");
            assert_eq!(html.contains(&format!(">{label}<")), !is_content, "{html}");
        }
    }
}

#[test]
fn a_language_that_lacks_the_page_leads_to_its_home_page_r_s17() {
    let menu =
        "<p id=menu><a href=/only/ lang=en>English</a> <a href=/es/only/ lang=es>Español</a></p>";
    for missing in ["source307", "notice"] {
        let keys = format!("url = \"https://www.example.com/{{lang}}\"\nmissing = \"{missing}\"\n");
        let keys = format!(
            "locales = [\"es\", \"fr\"]\nengine = \"fx\"\ntranslations = \"{{lang}}.po\"\n{keys}"
        );
        let site = Site::new(&keys, &[("index.html", "<title>Bread</title>")]);
        site.write(
            "source/only/index.html",
            &format!("<title>Only in English</title>{menu}"),
        );
        for locale in ["es", "fr"] {
            site.write(&format!("{locale}.po"), "msgid \"Bread\"\nmsgstr \"Pan\"\n");
        }
        site.build(&[], 0);
        let english = site.read("dist/site/en/only/index.html");
        assert_eq!(
            attributes(&english, "#menu a", "href"),
            ["/only/", "/es/"],
            "{english}"
        );
    }
}

#[test]
fn an_entry_that_names_a_page_of_the_author_leads_there_r_s17() {
    let menu =
        "<p id=menu><a href=/about/ lang=en>English</a> <a href=/es/about/ lang=es>Español</a></p>";
    let keys = format!(
        "locales = [\"es\", \"fr\"]\nengine = \"marking\"\nurl = \"https://{{lang}}.example.com\"\n\
         source_url = \"https://www.example.com\"\n{MARKING}"
    );
    let site = Site::new(&keys, &[("about/index.html", &format!("{PAGE}{menu}"))]);
    site.write("source/es/about/index.html", &format!("{PAGE}{menu}"));
    site.build(&[], 0);
    for locale in ["en", "fr"] {
        let html = site.read(&format!("dist/site/{locale}/about/index.html"));
        let leads = attributes(&html, "#menu a", "href");
        let leads: Vec<Url> = leads
            .iter()
            .map(|href| public(&keys, locale, "/about/").join(href).unwrap())
            .collect();
        let expected = [
            "https://www.example.com/about/",
            "https://www.example.com/es/about/",
        ];
        assert_eq!(
            leads.iter().map(Url::as_str).collect::<Vec<_>>(),
            expected,
            "{locale}: {html}"
        );
    }
}
