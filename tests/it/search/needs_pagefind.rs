//! The indexes that Pagefind itself writes: one for each host, or one for all languages.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::support::tool;

fn program() -> String {
    tool("LATIMER_TEST_PAGEFIND").display().to_string()
}

/// A site whose generator ran Pagefind, too.
fn searched(url: &str) -> Site {
    let keys = format!(
        "url = \"{url}\"\n[site.search]\npagefind = [\"{}\", \"--quiet\"]\n",
        program()
    );
    let site = site("mkdocs", "[\"es\", \"de\"]", &keys);
    let ran = Command::new(program())
        .arg("--site")
        .arg(site.path("source"))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    site
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What an index says of the pages of a language: its files are JSON in gzip behind a mark.
fn fragments(folder: &Path, language: &str) -> Vec<Value> {
    let files = std::fs::read_dir(folder.join("fragment"))
        .unwrap()
        .map(|file| file.unwrap().path());
    let own = files.filter(|file| {
        file.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with(&format!("{language}_"))
    });
    let mut read: Vec<Value> = own
        .map(|file| {
            let mut text = String::new();
            flate2::read::GzDecoder::new(&*std::fs::read(file).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            json(text.strip_prefix("pagefind_dcd").unwrap())
        })
        .collect();
    read.sort_by_key(|page| page["url"].to_string());
    read
}

#[test]
#[ignore = "needs pagefind"]
fn each_host_has_an_index_by_pagefind() {
    let site = searched("https://{lang}.example.com");
    let report = site.build(&[], 0);
    let known = report["search"].as_array().unwrap();
    assert!(
        known.iter().any(|index| index["generator"] == "Pagefind"),
        "{report}"
    );
    let entry = json(&read(&site, "pagefind/pagefind-entry.json"));
    assert_eq!(
        entry["languages"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["es"]
    );
    let pages = fragments(&site.path("dist/site/es/pagefind"), "es");
    let said: Vec<(&str, &str)> = pages
        .iter()
        .map(|page| {
            (
                page["url"].as_str().unwrap(),
                page["meta"]["title"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(said, [("/", "Panadería"), ("/bread/", "Pan")]);
    assert!(
        pages[1]["content"]
            .as_str()
            .unwrap()
            .contains("El pan lleva harina & agua."),
        "{pages:?}"
    );
    let of_source = site.read("dist/site/en/pagefind/pagefind-entry.json");
    assert_eq!(
        of_source,
        site.read("source/pagefind/pagefind-entry.json"),
        "the source's own stays"
    );
    assert_eq!(
        site.build(&[], 0)["created"],
        json!(false),
        "the same pages give the same index"
    );
}

#[test]
#[ignore = "needs pagefind"]
fn a_page_that_changed_is_read_and_found() {
    let site = searched("https://{lang}.example.com");
    site.build(&[], 0);
    site.edit(
        "source/bread/index.html",
        "role=\"main\">",
        "role=\"main\"><p translate=no>Sesame</p>",
    );
    let report = site.build(&[], 0);
    // The home page is always read.
    assert_eq!(report["work"]["read"], 2, "{report}");
    let pages = fragments(&site.path("dist/site/es/pagefind"), "es");
    assert_eq!(pages.len(), 2);
    assert!(
        pages[1]["content"].as_str().unwrap().contains("Sesame"),
        "{pages:?}"
    );
}

#[test]
#[ignore = "needs pagefind"]
fn with_the_language_in_the_path_one_index_serves_all_languages() {
    let site = searched("https://www.example.com/{lang}");
    site.build(&[], 0);
    let folder = site.path("dist/site/pagefind");
    let entry = json(&site.read("dist/site/pagefind/pagefind-entry.json"));
    assert_eq!(
        entry["languages"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["de", "en", "es"]
    );
    let own = json(&site.read("source/pagefind/pagefind-entry.json"));
    assert_eq!(
        entry["languages"]["en"], own["languages"]["en"],
        "the source's own words are found as before"
    );
    let pages = fragments(&folder, "es");
    assert_eq!(
        pages.iter().map(|page| &page["url"]).collect::<Vec<_>>(),
        ["/es/", "/es/bread/"]
    );
    assert_eq!(fragments(&folder, "en").len(), 2);
    for language in ["de", "en", "es"] {
        let name = format!(
            "pagefind.{}.pf_meta",
            entry["languages"][language]["hash"].as_str().unwrap()
        );
        assert!(folder.join(&name).exists(), "{name}");
    }
    assert!(!site.path("dist/site/es/pagefind").exists());
    assert_eq!(
        site.build(&[], 0)["created"],
        json!(false),
        "the same pages give the same index"
    );
}

#[test]
#[ignore = "needs pagefind"]
fn an_index_by_another_version_is_not_mixed_with_ours() {
    let site = searched("https://www.example.com/{lang}");
    let entry = "source/pagefind/pagefind-entry.json";
    site.write(entry, &site.read(entry).replace("1.6.0", "1.4.0"));
    let report = site.build(&[], 0);
    assert!(
        notices(&report).contains("by Pagefind 1.4.0, and the program is 1.6.0"),
        "{report}"
    );
    assert_eq!(
        site.read("dist/site/pagefind/pagefind-entry.json"),
        site.read(entry)
    );
}
