//! `latimer doctor`: what is wrong is found before a build finds it, and nothing is changed by looking.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod support;

use serde_json::Value;
use support::{Site, assert_same, files};

/// What doctor says about something.
fn said(report: &Value, what: &str) -> (String, String) {
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["what"] == what).unwrap_or_else(|| panic!("{what}: {report:#}"));
    (found["health"].as_str().unwrap().to_owned(), found["found"].as_str().unwrap().to_owned())
}

#[test]
fn a_good_site_is_good_and_nothing_is_changed() {
    let site = Site::fixture("bakery");
    let before = files(site.folder());
    let ran = site.run(&["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for what in ["configuration", "bakery: source", "bakery: translations in es", "object store", "state"] {
        assert_eq!(said(&ran.json(), what).0, "good", "{what}");
    }
    assert_same(&files(site.folder()), &before);
    site.build(&[], 0);
    let store = said(&site.run(&["doctor", "--json"]).json(), "object store").1;
    assert!(store.ends_with("deployment 1 of bakery"), "{store}");
}

#[test]
fn what_does_not_work_is_named_with_what_to_do() {
    let keys = "locales = [\"es\"]\nengine = [\"deepl\", \"fx\"]\ntranslations = \"{lang}.po\"\nmemory = \"{lang}.jsonl\"\n\
                [engine.deepl]\nkind = \"deepl\"\nkey_file = \"gone.key\"";
    let site = Site::new(keys, &[("about.html", "<p>Hello</p>")]);
    site.write("es.po", "msgid \"a\"\nmsgstr nothing\n");
    site.write("es.jsonl", "{\n");
    let ran = site.run(&["doctor", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    for (what, health, part) in [
        ("site: source", "poor", "has no index.html"),
        ("engine deepl", "bad", "gone.key"),
        ("site: translations in es", "bad", "es.po:2"),
        ("site: memory in es", "bad", "1 lines are broken"),
        ("site: en to es", "poor", "only people and the memory; fx: "),
    ] {
        let (found, text) = said(&report, what);
        assert!(found == health && text.contains(part), "{what}: {found}: {text}");
    }
    site.run(&["doctor", "--server", "http://127.0.0.1:1"]).failed(2, &["stop the server first"]);
}
