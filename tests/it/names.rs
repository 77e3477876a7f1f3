//! Names of a site: one form in each language, whatever the engine does, and the owner's word goes before (R-N2).

use serde_json::Value;

use crate::support::{Site, locale};

/// An engine that changes every word with a capital, and marks every other one.
const HOSTILE: &str = r#"
import json, re, sys
CODE = re.compile(r"(<[^>]*>|&\w+;)")
def word(match):
    text = match.group()
    return text[::-1].capitalize() + "o" if text[0].isupper() else text + "a"
for line in sys.stdin:
    ask = json.loads(line)
    parts = CODE.split(ask["text"])
    parts[::2] = [re.sub(r"[A-Za-z]+", word, part) for part in parts[::2]]
    print(json.dumps({"id": ask["id"], "text": "".join(parts)}), flush=True)
"#;

const ENGINE: &str =
    "[engine.hostile]\nkind = \"command\"\nprogram = \"python3\"\nargs = [\"hostile.py\"]\n";

/// A page of a shop that gives its name in head, logo, data, sentences and attributes.
fn page(title: &str, body: &str) -> String {
    let data = r#"{"@context":"https://schema.org","@type":"CafeOrCoffeeShop","name":"Harbor Lane Coffee","telephone":"+1 503 555 0142",
        "publisher":{"@type":"Organization","name":"Harbor Lane Coffee"}}"#;
    format!(
        "<!doctype html><html lang=\"en\"><head><title>{title}</title><meta property=\"og:title\" content=\"{title}\">\
         <meta property=\"og:site_name\" content=\"Harbor Lane Coffee\"><meta name=\"author\" content=\"Rose Fields\">\
         <script type=\"application/ld+json\">{data}</script></head><body>\
         <header><a class=\"logo\" href=\"/\"><img src=\"logo.svg\" alt=\"Harbor Lane Coffee\"></a>\
         <nav><a href=\"/\">Home</a> <a href=\"/beans.html\">Our beans</a></nav></header>{body}\
         <footer>© 2026 Harbor Lane Coffee. Photos by Rose Fields.</footer></body></html>"
    )
}

fn shop(keys: &str) -> Site {
    let pages = [
        (
            "index.html",
            page(
                "Harbor Lane Coffee | Home",
                "<h1>Welcome to Harbor Lane Coffee</h1><p>Harbor Lane Coffee roasts near the harbor. <b>Harbor Lane Coffee</b> \
                 is fresh, and so is <a href=/beans.html>the coffee of Harbor Lane Coffee</a>.</p>",
            ),
        ),
        (
            "beans.html",
            page(
                "Our beans | Harbor Lane Coffee",
                "<h2>Beans by Harbor Lane Coffee</h2><p>Every lane has a story.</p>\
                 <img src=\"bag.jpg\" alt=\"A bag of Harbor Lane Coffee\">",
            ),
        ),
        (
            "about.html",
            page(
                "About – Harbor Lane Coffee",
                "<p>Rose Fields opened Harbor Lane Coffee in 2012.</p><p>We like roses and the fields of the valley.</p>\
                 <a href=\"/\" title=\"Back to Harbor Lane Coffee\">Harbor Lane Coffee at home</a>",
            ),
        ),
    ];
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (*name, html.as_str()))
        .collect();
    let site = Site::new(keys, &pages);
    site.write("hostile.py", HOSTILE);
    site
}

/// Each name as often as the source has it, and titles in their order.
fn assert_one_form(site: &Site, locale: &str) {
    for name in ["index.html", "beans.html", "about.html"] {
        let source = site.read(&format!("source/{name}"));
        let page = site.read(&format!("dist/site/{locale}/{name}"));
        for kept in ["Harbor Lane Coffee", "Rose Fields"] {
            assert_eq!(
                page.matches(kept).count(),
                source.matches(kept).count(),
                "{kept} on {name}:\n{page}"
            );
        }
        let title = page
            .split("<title>")
            .nth(1)
            .unwrap()
            .split("</title>")
            .next()
            .unwrap();
        let parts: Vec<&str> = title
            .split([' ', '|', '–'])
            .filter(|part| !part.is_empty())
            .collect();
        let name = ["Harbor", "Lane", "Coffee"];
        assert!(
            parts.starts_with(&name) || parts.ends_with(&name),
            "{title}"
        );
        assert!(
            parts.len() > name.len() && title.contains(['|', '–']),
            "{title}"
        );
    }
}

fn notices(report: &Value) -> Vec<&str> {
    let notices = report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str);
    notices
        .filter(|notice| notice.starts_with("names of the site"))
        .collect()
}

#[test]
fn a_shop_has_one_name_whatever_an_engine_does_r_n2() {
    let site = shop(&format!(
        "locales = [\"es\"]\nengine = \"hostile\"\n{ENGINE}"
    ));
    let report = site.build(&[], 0);
    assert_one_form(&site, "es");
    assert!(
        site.read("dist/site/es/about.html").contains("fieldsa"),
        "words are translated"
    );
    let said = notices(&report);
    assert!(
        said.len() == 1 && said[0].contains(": \"Harbor Lane Coffee\", \"Rose Fields\"; "),
        "{said:?}"
    );
    // Names are no terms of the owner's, and need no engine requests.
    assert_eq!(locale(&report, "es")["terms"]["found"], 0);
    site.build(&["--frozen"], 0);
    assert_one_form(&site, "es");
    let explained = site.run(&["explain", "/about.html", "Rose"]);
    let said = String::from_utf8(explained.stdout).unwrap();
    assert!(
        said.contains("    Rose Fields: name of the site, kept\n"),
        "{said}"
    );
    let alone = String::from_utf8(site.run(&["explain", "/", "Harbor"]).stdout).unwrap();
    assert!(
        alone.contains("  untouched, img alt: Harbor Lane Coffee\n    name of the site, kept\n"),
        "{alone}"
    );
}

#[test]
fn owners_and_people_go_before_r_n2() {
    let settings = |more: &str, table: &str| {
        format!("locales = [\"es\", \"fr\"]\nengine = \"hostile\"\n{more}{table}{ENGINE}")
    };
    let site = shop(&settings("glossary = \"terms.csv\"\n", ""));
    site.write(
        "terms.csv",
        "term,es,fr\nHarbor Lane Coffee,Café del Puerto,\nRose Fields,,\n",
    );
    let report = site.build(&[], 0);
    let spanish = site.read("dist/site/es/about.html");
    let french = site.read("dist/site/fr/about.html");
    assert!(
        spanish.contains("– Café del Puerto</title>") && !spanish.contains("Esoro Fields"),
        "{spanish}"
    );
    // Empty cells release a name.
    assert!(
        french.contains("<p>Esoro Sdleifo") && !french.contains("<p>Rose Fields"),
        "{french}"
    );
    assert!(notices(&report).is_empty());

    let site = shop(&settings("translations = \"{lang}.po\"\n", ""));
    let entry = |name: &str, words: &str| format!("msgid \"{name}\"\nmsgstr \"{words}\"\n\n");
    let head = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
    let words = entry("Harbor Lane Coffee", "Café del Puerto")
        + &entry("About – Harbor Lane Coffee", "Sobre Harbor Lane");
    site.write("es.po", &(head.to_owned() + &words));
    site.build(&[], 0);
    let page = site.read("dist/site/es/about.html");
    assert!(page.contains("<title>Sobre Harbor Lane</title>"), "{page}");
    assert!(
        page.contains("© 2026 Café del Puerto.") && page.contains("alt=\"Café del Puerto\""),
        "{page}"
    );
    assert_one_form(&site, "fr");

    let site = shop(&settings("", "[site.locale.es]\nnames = \"translate\"\n"));
    site.build(&[], 0);
    assert!(
        !site
            .read("dist/site/es/about.html")
            .contains("<p>Rose Fields")
    );
    assert_one_form(&site, "fr");
    site.edit(
        "latimer.toml",
        "[site.locale.es]\nnames = \"translate\"",
        "[site.text]\nnames = \"translate\"",
    );
    site.forget();
    assert!(notices(&site.build(&[], 0)).is_empty());
    assert!(
        !site
            .read("dist/site/fr/about.html")
            .contains("<p>Rose Fields")
    );
    site.edit("latimer.toml", "\"translate\"", "\"yes\"");
    site.run(&["build"]).failed(2, &["names", "keep"]);
}

#[test]
fn names_are_asked_for_again_when_they_are_known_r_n2() {
    let site = shop(&format!(
        "locales = [\"es\"]\nengine = \"hostile\"\ntext.names = \"translate\"\n{ENGINE}"
    ));
    site.build(&[], 0);
    assert!(
        !site
            .read("dist/site/es/about.html")
            .contains("<p>Rose Fields")
    );
    site.edit("latimer.toml", "text.names = \"translate\"\n", "");
    site.build(&[], 0);
    assert_one_form(&site, "es");
}

#[test]
fn reviewed_translations_of_names_stay_r_n2() {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let before = site.read("dist/bakery/ja/index.html");
    let before = before
        .split("<main")
        .nth(1)
        .and_then(|rest| rest.split("</main>").next())
        .unwrap();
    let settings = site.read("latimer.toml").replace(
        "[store]",
        &format!("engine = \"hostile\"\n{ENGINE}\n[store]"),
    );
    site.write(
        "latimer.toml",
        &settings.replace("[\"es\"", "[\"fr\", \"es\""),
    );
    site.write("hostile.py", HOSTILE);
    site.forget();
    // Sentences with facts that the engine changes stay in English.
    let report = site.build(&[], 6);
    assert!(
        site.read("dist/bakery/ja/index.html").contains(before),
        "Japanese is all by people"
    );
    let said = notices(&report);
    assert!(
        said.len() == 1
            && said[0].contains("\"Heron & Rye\", \"Mara Lindqvist\", \"Tomas Okafor\"; "),
        "{said:?}"
    );
    for page in ["index.html", "about/index.html", "contact/index.html"] {
        let source = site.read(&format!("source/{page}"));
        let french = site.read(&format!("dist/bakery/fr/{page}"));
        for name in ["Heron &amp; Rye", "Mara Lindqvist", "Tomas Okafor"] {
            assert_eq!(
                french.matches(name).count(),
                source.matches(name).count(),
                "{name} on {page}"
            );
        }
    }
}

#[test]
fn words_with_capitals_are_suggested_r_n3() {
    let pages = [
        (
            "index.html",
            "<h1>All About Kettles</h1><p>Rinse the Aeropress with hot water.</p><p>We are in Port Linnet, too.</p>",
        ),
        (
            "b.html",
            "<p>Buy an Aeropress at our shop.</p><p>We sail to Port Linnet each day.</p><p>Kettles are hot.</p>",
        ),
    ];
    let site = Site::new("locales = [\"es\", \"fr\"]\nengine = \"pseudo\"\n", &pages);
    site.run(&["terms", "suggest"])
        .failed(1, &["the site is not built yet"]);
    site.build(&[], 0);
    let said = |arguments: &[&str]| String::from_utf8(site.run(arguments).stdout).unwrap();
    let expected = "term,es,fr,translate,case,match,comment\n\
                    Aeropress,,,no,keep,,\"in 2 texts, such as: Rinse the Aeropress with hot water.\"\n\
                    Port Linnet,,,no,keep,,\"in 2 texts, such as: We are in Port Linnet, too.\"\n";
    let lines = said(&["terms", "suggest"]);
    assert_eq!(lines, expected);
    let report = site.run(&["terms", "suggest", "--json"]).json();
    assert_eq!(report["terms"][1]["term"], "Port Linnet");
    assert_eq!(report["terms"][1]["texts"], 2);
    // The pasted lines are a valid glossary, and its terms are not suggested again.
    site.write("terms.csv", &lines);
    site.edit(
        "latimer.toml",
        "engine =",
        "glossary = \"terms.csv\"\nengine =",
    );
    site.build(&[], 0);
    assert!(
        said(&["terms", "suggest"]).contains("no word stands only with capitals"),
        "{lines}"
    );
}

mod needs_apertium {
    use super::*;

    #[test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    fn apertium_keeps_the_names_of_a_shop_r_n2() {
        let site = shop("locales = [\"es\"]\nengine = \"apertium\"\n");
        site.build(&[], 0);
        assert_one_form(&site, "es");
    }
}
