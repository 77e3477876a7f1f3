//! What a build leaves behind: which pages, which bytes, at which cost, and how it ends when something is missing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::support::pages::attribute;
use crate::support::{self, Files, Site, assert_same, engine_calls, locale};

mod alternates;
mod untranslated;

const PAGES: usize = 14;

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
    let objects = site.objects();
    let memory = support::files(&site.path("memory"));
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
    let bare = objects();
    let page = site.read("dist/site/en-XA/index.html");
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
