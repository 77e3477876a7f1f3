//! What a build leaves behind: which pages, which bytes, at which cost, and how it ends when something is missing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::support::pages::{attribute, attributes};
use crate::support::{self, Files, Site, assert_same, engine_calls, locale};

const PAGES: usize = 14;
const PUBLIC: [&str; 4] = ["ar", "en", "es", "ja"];

/// The live pages of a locale by their path in it.
fn pages<'a>(objects: &'a Files, tree: &str) -> BTreeMap<String, &'a str> {
    let prefix = format!("bakery/{tree}/");
    let pages = objects.iter().filter(|(name, _)| name.ends_with(".html"));
    let pages =
        pages.filter_map(|(name, body)| Some((name.strip_prefix(&prefix)?.to_owned(), body)));
    pages
        .map(|(name, body)| (name, std::str::from_utf8(body).unwrap()))
        .collect()
}

/// What is new or other in `after`, without the files that only say what a deployment holds.
fn changed(before: &Files, after: &Files) -> BTreeSet<String> {
    let changed = after
        .iter()
        .filter(|(name, body)| before.get(*name) != Some(body));
    let is_record = |name: &str| name.ends_with(".json") || name.contains("/shards/");
    changed
        .map(|(name, _)| name.clone())
        .filter(|name| !is_record(name))
        .collect()
}

#[test]
fn the_bakery_is_published_whole_in_every_language_without_an_engine() {
    let site = Site::fixture("bakery");
    let report = site.build(&[], 0);
    for tag in ["es", "ar", "ja", "en-XA"] {
        let found = locale(&report, tag);
        assert_eq!(
            (&found["pages"], &found["missing"], &found["refused"]),
            (&json!(PAGES), &json!(0), &json!([])),
            "{tag}"
        );
        assert_eq!(found["engineCalls"] == 0, tag != "en-XA", "{tag}");
        assert_eq!(pages(&site.objects(), tag).len(), PAGES);
    }
    assert_eq!(
        (&report["failures"], &report["notices"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn every_page_says_its_language_and_direction() {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    for (tree, direction) in [
        ("en", None),
        ("es", None),
        ("ja", None),
        ("ar", Some("rtl")),
        ("en-XA", None),
    ] {
        for (name, html) in pages(&site.objects(), tree) {
            assert_eq!(
                attribute(html, "html", "lang").as_deref(),
                Some(tree),
                "{tree}/{name}"
            );
            let found = attribute(html, "html", "dir").filter(|direction| direction != "ltr");
            assert_eq!(found.as_deref(), direction, "{tree}/{name}");
        }
    }
}

#[test]
fn feeds_and_manifests_are_there_in_every_language_and_as_they_were_r_c9() {
    let site = Site::fixture("bakery");
    let report = site.build(&[], 0);
    assert_eq!(report["pages"], PAGES);
    let objects = site.objects();
    let text = |name: &str| String::from_utf8(objects[&format!("bakery/{name}")].clone()).unwrap();
    for name in ["feed.xml", "site.webmanifest"] {
        assert_eq!(text(name), site.read(&format!("source/{name}")));
    }
    let feed = text("es/feed.xml");
    for part in [
        "<language>es</language>",
        "<title>El diario de Heron &amp; Rye</title>",
        "<link>https://www.heronandrye.example/es/blog/</link>",
        "<atom:link href=\"https://www.heronandrye.example/es/feed.xml\" rel=\"self\"",
        "<link>https://www.heronandrye.example/es/blog/harvest-at-quill-farm/</link>",
        "<guid isPermaLink=\"true\">https://www.heronandrye.example/blog/harvest-at-quill-farm/</guid>",
        "<pubDate>Sun, 08 Mar 2026 10:00:00 +0000</pubDate>",
    ] {
        assert!(feed.contains(part), "{part} is not in {feed}");
    }
    let manifest: serde_json::Value = serde_json::from_str(&text("ar/site.webmanifest")).unwrap();
    for (pointer, value) in [
        ("/lang", "ar"),
        ("/dir", "rtl"),
        ("/id", "/"),
        ("/start_url", "/ar/"),
        ("/scope", "/ar/"),
        ("/icons/0/src", "/favicon.svg"),
        ("/shortcuts/1/url", "/ar/blog/"),
    ] {
        assert_eq!(manifest.pointer(pointer), Some(&json!(value)), "{pointer}");
    }
    assert_ne!(manifest["shortcuts"][0]["name"], "Menu");
    for (name, html) in pages(&objects, "ja") {
        assert_eq!(
            attribute(html, "link[rel=manifest]", "href").as_deref(),
            Some("/ja/site.webmanifest"),
            "{name}"
        );
        assert_eq!(
            attribute(html, "link[type='application/rss+xml']", "href").as_deref(),
            Some("/ja/feed.xml"),
            "{name}"
        );
    }
    assert!(
        objects
            .iter()
            .filter(|(name, _)| name.ends_with("sitemap.xml"))
            .all(|(_, xml)| { !String::from_utf8_lossy(xml).contains("feed.xml") })
    );
}

#[test]
fn structured_data_is_in_the_language_of_its_page_r_b8() {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let objects = site.objects();
    let page = pages(&objects, "es")["blog/a-winter-in-brittany/index.html"];
    let (_, json) = page
        .split_once("<script type=\"application/ld+json\">")
        .unwrap();
    let data: serde_json::Value =
        serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap();
    assert_ne!(data["headline"], "A winter in Brittany");
    for (pointer, value) in [
        ("/inLanguage", "es"),
        (
            "/mainEntityOfPage",
            "https://www.heronandrye.example/es/blog/a-winter-in-brittany/",
        ),
        (
            "/image",
            "https://www.heronandrye.example/images/croissant.svg",
        ),
        ("/author/name", "Mara Lindqvist"),
        ("/publisher/name", "Heron & Rye"),
        ("/publisher/url", "https://www.heronandrye.example/es/"),
    ] {
        assert_eq!(data.pointer(pointer), Some(&json!(value)), "{pointer}");
    }
}

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

#[test]
fn nothing_depends_on_what_was_built_before_or_on_the_number_of_jobs() {
    let site = Site::fixture("bakery");
    site.edit("latimer.toml", ", \"en-XA\"", "");
    site.build(&["--jobs", "1"], 0);
    let objects = site.objects();
    for jobs in ["8", "1"] {
        site.forget();
        assert_eq!(engine_calls(&site.build(&["--jobs", jobs], 0)), 0);
        assert_same(&site.objects(), &objects);
    }
}

#[test]
fn a_second_build_writes_nothing() {
    let site = Site::fixture("bakery");
    let first = site.build(&[], 0);
    let objects = site.objects();
    let second = site.build(&[], 0);
    assert_eq!(
        (&second["created"], &second["written"], &second["removed"]),
        (&json!(false), &json!(0), &json!(0))
    );
    assert_eq!(second["unchanged"], first["written"]);
    assert_eq!(
        (engine_calls(&second), &second["deployment"]),
        (0, &json!(1))
    );
    assert_same(&site.objects(), &objects);
}

#[test]
fn an_edited_page_is_all_that_is_written() {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let before = site.objects();
    site.edit("source/jobs/index.html", "<main", "<main data-edited");
    let report = site.build(&[], 0);
    assert_eq!(
        (&report["created"], &report["written"]),
        (&json!(true), &json!(5))
    );
    let trees = ["ar", "en", "en-XA", "es", "ja"];
    let expected: BTreeSet<String> = trees
        .iter()
        .map(|tree| format!("bakery/{tree}/jobs/index.html"))
        .collect();
    let mut found = changed(&before, &site.objects());
    let sources = found
        .extract_if(.., |name| name.starts_with("bakery/_sources/"))
        .count();
    // Each page with its two variants.
    let objects = found
        .extract_if(.., |name| name.starts_with("bakery/_deployments/objects/"))
        .count();
    assert_eq!((found, sources, objects), (expected, 1, 3 * trees.len()));
}

#[test]
fn frozen_lists_what_is_missing_and_does_nothing() {
    let site = Site::new(
        "locales = [\"es\"]",
        &[("index.html", "<p>Fresh bread</p><p>Every <b>day</b></p>")],
    );
    let ran = site.run(&["build", "--frozen", "--quiet"]);
    ran.failed(
        3,
        &[
            "2 segments",
            "--frozen",
            "es: Fresh bread",
            "es: Every <g id=\"1\">day</g>",
        ],
    );
    assert!(!site.path("dist/site/es").exists());
}

#[test]
fn frozen_misses_nothing_where_nothing_is_to_be_translated() {
    let page = "<p>Bread</p><p>ana@example.com</p><p>https://www.example.com/a</p><p>42 %</p>";
    let site = Site::new(
        "locales = [\"es\"]\ntranslations = \"{lang}.po\"",
        &[("index.html", page)],
    );
    site.write("es.po", "msgid \"Bread\"\nmsgstr \"Pan\"\n");
    site.build(&["--frozen"], 0);
}

#[test]
fn what_cannot_be_built_is_said_with_its_code() {
    let site = Site::fixture("bakery");
    site.run(&["build", "--locale", "fr"])
        .failed(2, &["fr", "locales"]);
    site.run(&["build", "cafe"]).failed(2, &["cafe", "bakery"]);
    assert!(!site.path("dist").exists());
    site.run(&["build", "--offline"])
        .failed(1, &["`--offline` needs an earlier build"]);
}

#[test]
fn pages_that_max_pages_leaves_out_are_exit_code_6() {
    let pages = [
        ("index.html", "<p>One</p>"),
        ("a.html", "<p>Two</p>"),
        ("b.html", "<p>Three</p>"),
    ];
    let site = Site::new(
        "locales = [\"en-XA\"]\nengine = [\"pseudo\"]\n[site.crawl]\nmax_pages = 2",
        &pages,
    );
    let report = site.build(&[], 6);
    assert_eq!(
        (&report["pages"], &report["truncated"]),
        (&2.into(), &true.into())
    );
    assert!(
        report["notices"].to_string().contains("raise max_pages"),
        "{report}"
    );
    site.edit("latimer.toml", "max_pages = 2", "max_pages = 3");
    assert_eq!(site.build(&[], 0)["truncated"], false);
}

#[test]
fn without_any_translation_the_build_says_which_commands_would_help() {
    // No package of Apertium has the pair, so the result is the same on every machine.
    let site = Site::new(
        "locales = [\"ja\"]",
        &[("index.html", "<p>Fresh bread</p>")],
    );
    let report = site.build(&[], 0);
    let hints = locale(&report, "ja")["hints"].to_string();
    assert!(
        hints.contains("apertium: Apertium has no package for en to ja"),
        "{hints}"
    );
    assert!(hints.contains("fx: no model for en to ja"), "{hints}");
    // The source is published, also if it changes, until there is an engine.
    site.edit("source/index.html", "Fresh", "Warm");
    site.build(&[], 0);
    assert!(
        site.read("dist/site/en/index.html")
            .contains("<p>Warm bread</p>")
    );
    let engine = "engine = \"rented\"\n[engine.rented]\nkind = \"deepl\"\n";
    site.configure(&format!("locales = [\"ja\"]\n{engine}"));
    site.run(&["build"]).failed(3, &[]);
}

/// An engine that puts a mark before each text and writes down what it was asked.
const COUNTING: &str = "#!/bin/sh\ntee -a asked.txt | sed -u 's/\"text\":\"/\"text\":\"¡/'\n";

const ENGINE: &str =
    "[engine.counting]\nkind = \"command\"\nprogram = \"sh\"\nargs = [\"engine.sh\"]";

#[test]
fn a_memory_file_spares_every_call_after_state_and_pages_are_gone() {
    let keys = "locales = [\"es\", \"pt-BR\"]\nmemory = \"memory/{lang}.jsonl\"\nengine = [\"counting\"]\n";
    let bread = "<p>Fresh bread</p><p>Every <b>day</b> but Monday</p>";
    let site = Site::new(
        &format!("{keys}{ENGINE}"),
        &[("index.html", bread), ("a/index.html", bread)],
    );
    site.write("engine.sh", COUNTING);
    let report = site.build(&[], 0);
    assert_eq!(engine_calls(&report), 2, "{report}");
    let asked = site.read("asked.txt");
    assert_eq!(asked.lines().count(), 4);
    let (objects, memory) = (site.objects(), support::files(&site.path("memory")));
    assert_eq!(memory.len(), 2);
    site.forget();
    assert_eq!(engine_calls(&site.build(&[], 0)), 0);
    assert_eq!(site.read("asked.txt"), asked);
    assert_same(&site.objects(), &objects);
    assert_same(&support::files(&site.path("memory")), &memory);
}

#[test]
fn engines_are_asked_only_for_the_locale_that_is_wanted() {
    let site = Site::new(
        &format!("locales = [\"es\", \"pt-BR\"]\nengine = \"counting\"\n{ENGINE}"),
        &[("index.html", "<p>Fresh bread</p>")],
    );
    site.write("engine.sh", COUNTING);
    site.run(&["build", "site", "--locale", "es"])
        .failed(0, &[]);
    assert!(
        site.read("asked.txt").contains("\"to\":\"es\"")
            && !site.read("asked.txt").contains("pt-BR")
    );
    let es = site.objects()["site/es/index.html"].clone();
    assert_eq!(engine_calls(&site.build(&[], 0)), 1);
    assert_eq!(site.read("asked.txt").lines().count(), 2);
    assert!(
        site.objects()["site/pt-BR/index.html"] != es && site.objects()["site/es/index.html"] != es
    );
}

#[test]
fn a_page_too_little_translated_is_answered_as_the_site_wants() {
    let page = "<title>Bread</title><p>Fresh bread</p>";
    for (missing, status, said) in [
        ("source307", 307, ""),
        ("notice", 200, "Fresh bread"),
        ("not_found", 404, ""),
        ("gone", 410, ""),
    ] {
        let keys =
            format!("locales = [\"es\", \"en-XA\"]\nengine = \"fx\"\nmissing = \"{missing}\"");
        let site = Site::new(&keys, &[("bread.html", page)]);
        site.build(&[], 0);
        let server = support::web::Server::start(site.folder());
        let answer = server.get("/es/bread.html");
        assert_eq!(answer.status, status, "{missing}");
        assert!(answer.text().contains(said), "{missing}: {}", answer.text());
        assert_eq!(
            answer.headers.get("location").map(String::as_str),
            (status == 307).then_some("/bread.html")
        );
        assert_eq!(server.get("/en-XA/bread.html").status, 200);
    }
}

#[test]
fn the_share_of_translated_words_decides_whether_a_page_exists() {
    let po = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n\
              msgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n";
    for (least, pages) in [("0.0", 1), ("0.5", 1), ("0.51", 0), ("1.0", 0)] {
        let keys = format!(
            "locales = [\"es\"]\nengine = \"fx\"\ntranslations = \"{{lang}}.po\"\nmin_translated = {least}"
        );
        let site = Site::new(
            &keys,
            &[("index.html", "<p>Fresh bread</p><p>Every day</p>")],
        );
        site.write("es.po", po);
        assert_eq!(locale(&site.build(&[], 0), "es")["pages"], pages, "{least}");
        assert_eq!(
            site.path("dist/site/es/index.html").exists(),
            pages == 1,
            "{least}"
        );
    }
}

const GERMAN: &str = "<html lang=de><title>Brot</title><p>Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es \
                      am Morgen in den Ofen kommt.";

#[test]
fn pages_in_another_language_stay_as_they_are_and_are_named() {
    let english = "<html lang=en><title>Bread</title><p>We bake every loaf by hand and let it rise for a whole night.";
    let names = ["index.html", "a.html", "b.html", "c.html", "d.html"];
    let mut pages: Vec<(&str, &str)> = names.iter().map(|name| (*name, english)).collect();
    pages.push(("brot.html", GERMAN));
    let site = Site::new(
        "locales = [\"en-XA\"]\nurl = \"https://s.example/{lang}\"",
        &pages,
    );
    let notices = |report: &serde_json::Value| -> Vec<String> {
        let notices = report["notices"].as_array().unwrap().iter();
        notices
            .filter_map(|notice| notice.as_str())
            .filter(|said| said.contains("in another language"))
            .map(str::to_owned)
            .collect()
    };
    let said = notices(&site.build(&[], 0));
    assert!(
        said.len() == 1
            && said[0].contains("published once, as they are (1 in de): /brot.html (de)"),
        "{said:?}"
    );
    assert_eq!(site.read("dist/site/en/brot.html"), GERMAN);
    assert!(!site.path("dist/site/en-XA/brot.html").exists());
    assert!(!site.read("dist/site/en-XA/a.html").contains("We bake"));
    let said = site.run(&["explain", "/brot.html"]).stdout;
    assert!(
        String::from_utf8_lossy(&said).contains("its lang and its words are de"),
        "{}",
        String::from_utf8_lossy(&said)
    );
    // A theme that says it of more pages is wrong.
    site.write("source/brot-2.html", GERMAN);
    let report = site.build(&[], 0);
    let said = notices(&report);
    assert!(
        said.len() == 1 && said[0].contains("`source_locale`"),
        "{said:?}"
    );
    assert!(
        !site
            .read("dist/site/en-XA/brot.html")
            .contains("Jedes Brot wird"),
        "{report}"
    );
}

#[test]
fn pages_that_ask_not_to_be_translated_are_named_r_a5() {
    let asking = "<meta name=google content=notranslate><p>Words</p>";
    let site = Site::new("locales = [\"en-XA\"]", &[("index.html", asking)]);
    let report = site.build(&[], 0);
    let said = report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|notice| notice.as_str());
    assert!(
        said.clone()
            .any(|said| said.contains("notranslate") && said.ends_with(": /")),
        "{report}"
    );
}

#[test]
fn files_have_the_compressed_variants_that_the_store_wants() {
    let keys = "locales = [\"en-XA\"]\nengine = \"pseudo\"\n";
    let long = format!("<p>{}</p>", "A long page with many words. ".repeat(80));
    let site = Site::new(
        &format!("{keys}[store]\nvariants = []\n"),
        &[("index.html", &long)],
    );
    let report = site.build(&[], 0);
    assert_eq!(report["created"], true);
    let objects = || support::files(&site.path("dist/site/_deployments/objects")).len();
    let (bare, page) = (objects(), site.read("dist/site/en-XA/index.html"));
    site.edit(
        "latimer.toml",
        "variants = []",
        "variants = [\"br\", \"gz\"]",
    );
    let report = site.build(&[], 0);
    assert_eq!(
        (&report["created"], &report["written"]),
        (&json!(true), &json!(0)),
        "the same bytes, and smaller ones"
    );
    // The source's error page is too small to have any.
    assert_eq!(objects(), bare * 3 - 2, "both beside each file");
    assert_eq!(site.read("dist/site/en-XA/index.html"), page);
    assert_eq!(site.build(&[], 0)["created"], false);
}
