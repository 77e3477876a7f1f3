//! `build --locale` asks engines for one language, and leaves what the others have as it is.

use serde_json::Value;

use crate::support::{Files, MARKING, Site, assert_same, files, kept, locale};

/// Pages with words, and pages whose texts no engine is ever asked for: template variables, a value that is the same in every
/// language, letters of another script, a long row of variables.
const PAGES: [(&str, &str); 5] = [
    (
        "index.html",
        "<!doctype html><html lang=en><title>Bread</title><p>We bake bread.",
    ),
    (
        "variable.html",
        "<!doctype html><html lang=en><a href=/ aria-label=\"{{ a | striptags }}\"></a>",
    ),
    ("weight.html", "<!doctype html><html lang=en><p>5 kg"),
    ("script.html", "<!doctype html><html lang=en><p>日本語"),
    (
        "variables.html",
        "<!doctype html><html lang=en><p>{{ title }} – {{ a | striptags }}</p><p>%(name)s</p>",
    ),
];

fn site() -> Site {
    let keys = format!("locales = [\"es\", \"pt\"]\nengine = \"marking\"\n{MARKING}");
    let site = Site::new(&keys, &PAGES);
    site.build(&[], 0);
    site
}

/// Writes every page anew, so that each is read again; the words stay.
fn touch(site: &Site) {
    for (name, html) in PAGES {
        site.write(
            &format!("source/{name}"),
            &html.replace("<html lang=en>", "<html lang=en class=new>"),
        );
    }
}

/// A language's part of a report, without what only a first build has.
fn said(report: &Value, tag: &str) -> Value {
    let mut said = locale(report, tag).clone();
    for once in [
        "updated",
        "reworded",
        "engineCalls",
        "charactersSent",
        "engines",
        "markup",
    ] {
        said[once].take();
    }
    said
}

fn published(site: &Site, tag: &str) -> Files {
    files(&site.path(&format!("dist/site/{tag}")))
}

#[test]
fn other_languages_publish_and_count_what_they_did() {
    let alone = site();
    let all = site();
    touch(&alone);
    touch(&all);
    let expected = all.build(&[], 0);
    for options in [
        &["--locale", "es"][..],
        &["--locale", "es", "--rebuild"],
        &["--offline"],
        &["--frozen"],
    ] {
        let report = alone.build(options, 0);
        for tag in ["es", "pt"] {
            assert_eq!(said(&report, tag), said(&expected, tag), "{options:?}");
            assert_same(&published(&alone, tag), &published(&all, tag));
        }
    }
    assert_eq!(expected["locales"][1]["missing"], 0, "{expected}");
}

#[test]
fn a_new_page_without_words_is_published_in_every_language() {
    let site = site();
    let new = "<!doctype html><html lang=en><p>{{ b | safe }}</p><img src=a.png alt=\"{{ c }}\">";
    site.write("source/new.html", new);
    let report = site.build(&["--locale", "es"], 0);
    assert_eq!(locale(&report, "pt")["missing"], 0, "{report}");
    assert!(published(&site, "pt").contains_key("new.html"));
}

#[test]
fn pages_that_wait_for_a_build_of_their_language_are_no_failure() {
    let site = site();
    site.write(
        "source/index.html",
        "<!doctype html><html lang=en><title>Bread</title><p>We bake rolls.",
    );
    let report = site.build(&["--locale", "es"], 0);
    assert_eq!(
        (kept(&report, "pt").len(), kept(&report, "es").len()),
        (1, 0),
        "{report}"
    );
    assert!(
        site.read("dist/site/es/index.html")
            .contains("¡We bake rolls.")
    );
    assert!(
        site.read("dist/site/pt/index.html")
            .contains("¡We bake bread.")
    );
    // A run that is for every language leaves the same page with the exit code of an engine that failed.
    site.build(&["--offline"], 6);
    assert_eq!(kept(&site.build(&[], 0), "pt").len(), 0);
}
