//! The addresses of a page in every language: canonical ones, alternates and sitemaps.

use super::*;
use crate::support::pages::attributes;

const PUBLIC: [&str; 4] = ["ar", "en", "es", "ja"];

/// Address of a page → its canonical address and its alternates by language.
fn heads(objects: &Files) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut heads = BTreeMap::new();
    let all = PUBLIC.iter().flat_map(|tree| pages(objects, tree));
    for (name, html) in all.filter(|(name, _)| name != "404.html") {
        let canonical = attributes(html, "head link[rel=canonical]", "href");
        assert_eq!(canonical.len(), 1, "{name}");
        let tags = attributes(html, "head link[rel=alternate][hreflang]", "hreflang");
        let addresses = attributes(html, "head link[rel=alternate][hreflang]", "href");
        heads.insert(
            canonical[0].clone(),
            tags.into_iter().zip(addresses).collect(),
        );
    }
    heads
}

#[test]
fn alternates_are_mutual_and_name_only_public_languages_r_c2_r_c5_r_c6_f_66() {
    let site = Site::fixture("bakery");
    // One page of one language is missing: nobody may name it.
    site.write(
        "translations/ja.po",
        &without_page(&site.read("translations/ja.po"), "jobs/index.html"),
    );
    site.edit(
        "latimer.toml",
        "translations = ",
        "engine = \"fx\"\nmin_translated = 0.9\ntranslations = ",
    );
    let report = site.build(&[], 0);
    let missing = locale(&report, "ja")["missing"].as_u64().unwrap();
    assert!(missing > 0, "{report}");
    let heads = heads(&site.objects());
    // All but the page for what is not found.
    assert_eq!(
        heads.len(),
        (PAGES - 1) * PUBLIC.len() - usize::try_from(missing).unwrap()
    );
    for (address, alternates) in heads
        .iter()
        .filter(|(_, alternates)| !alternates.is_empty())
    {
        assert!(
            alternates.values().any(|to| to == address),
            "{address} does not name itself"
        );
        for (tag, to) in alternates {
            assert!(PUBLIC.contains(&tag.as_str()), "{address} names {tag}");
            assert_eq!(
                heads.get(to),
                Some(alternates),
                "{address} and {to} do not agree"
            );
        }
    }
}

#[test]
fn head_links_stand_early_and_replace_those_of_the_source_r_c7() {
    let page = "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Fresh bread</title>\n\
                <link rel=canonical href=https://old.example/a.html>\n\
                <link rel=alternate hreflang=en href=https://old.example/a.html>\n<div>no head element</div>\n\
                <link rel=alternate hreflang=fr href=/fr/><meta property=og:url content=https://old.example/x>\n\
                </head><body><p>Every day</p></body></html>";
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"pseudo\"\nurl = \"https://www.x.example/{lang}\"",
        &[("a.html", page)],
    );
    site.build(&[], 0);
    let objects = site.objects();
    for (tree, address) in [
        ("en", "https://www.x.example/a.html"),
        ("es", "https://www.x.example/es/a.html"),
    ] {
        let html = std::str::from_utf8(&objects[&format!("site/{tree}/a.html")]).unwrap();
        assert_eq!(
            attributes(html, "link[rel=canonical]", "href"),
            [address],
            "{html}"
        );
        assert_eq!(
            attributes(html, "head link[rel=canonical]", "href"),
            [address],
            "{html}"
        );
        assert_eq!(
            attributes(html, "link[rel=alternate]", "hreflang"),
            ["en", "es"],
            "{html}"
        );
        assert_eq!(
            attributes(html, "head link[rel=alternate]", "hreflang"),
            ["en", "es"],
            "{html}"
        );
        assert_eq!(
            attribute(html, "meta[property='og:url']", "content").as_deref(),
            Some(address)
        );
        assert!(
            html.find("rel=\"alternate\"") < html.find("<title>"),
            "{html}"
        );
        assert!(
            html.find("charset") < html.find("rel=\"canonical\""),
            "{html}"
        );
    }
}

/// A PO file without the words of one page.
fn without_page(po: &str, page: &str) -> String {
    let entries = po.split("\n\n").filter(|entry| !entry.contains(page));
    entries.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn sitemaps_say_what_the_heads_say_r_c1_r_c8_f_66() {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let objects = site.objects();
    let heads: BTreeMap<_, _> = heads(&objects)
        .into_iter()
        .filter(|(_, alternates)| !alternates.is_empty())
        .collect();
    let mut listed = BTreeMap::new();
    for tree in PUBLIC {
        let xml = std::str::from_utf8(&objects[&format!("bakery/{tree}/sitemap.xml")]).unwrap();
        for url in xml.split("<url>").skip(1) {
            let tags = between(url, "hreflang=\"", '"');
            let alternates: BTreeMap<_, _> = tags
                .into_iter()
                .zip(between(url, " href=\"", '"'))
                .collect();
            listed.insert(between(url, "<loc>", '<').remove(0), alternates);
        }
    }
    assert_eq!(listed, heads);
    assert!(!objects.contains_key("bakery/en-XA/sitemap.xml"));
}

fn between(text: &str, from: &str, to: char) -> Vec<String> {
    text.split(from)
        .skip(1)
        .map(|rest| rest.split(to).next().unwrap().to_owned())
        .collect()
}

#[test]
fn a_pseudo_locale_is_hidden_from_search_engines_and_readers() {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let objects = site.objects();
    for (name, html) in pages(&objects, "en-XA") {
        assert_eq!(
            attribute(html, "meta[name=robots]", "content").as_deref(),
            Some("noindex"),
            "{name}"
        );
        assert!(
            attributes(html, "link[rel=alternate][hreflang]", "href").is_empty(),
            "{name}"
        );
    }
    for html in PUBLIC
        .iter()
        .flat_map(|tree| pages(&objects, tree).into_values())
    {
        assert!(!html.contains("/en-XA/"));
    }
}
