//! What the W3C's checker of HTML says of localized pages: no error that their source does not have.
//!
//! `tests/run` installs the checker from npm and says where in LATIMER_TEST_VNU; it is a Java program. Without it
//! nothing is checked.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Files, Site, files, tool};

const LOCALES: [&str; 5] = ["en", "es", "ar", "ja", "en-XA"];

/// How often each error stands in each page, by the page's name; what an error quotes differs between languages.
type Errors = BTreeMap<String, BTreeMap<String, usize>>;

/// Checks the pages below a folder; the checker takes longer to start than to read them.
fn check(vnu: &Path, folder: &Path, pages: &Files) -> Errors {
    let names = pages.keys().filter(|name| name.ends_with(".html"));
    let output = Command::new("java")
        .arg("-jar")
        .arg(vnu)
        .args(["--format", "json", "--exit-zero-always", "--errors-only"])
        .args(names.clone())
        .current_dir(folder)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stderr).unwrap();
    let mut errors: Errors = names.map(|name| (name.clone(), BTreeMap::new())).collect();
    for message in report["messages"].as_array().unwrap() {
        let text = message["message"].as_str().unwrap();
        let text: String = text
            .split(['“', '”'])
            .step_by(2)
            .collect::<Vec<_>>()
            .join("…");
        let (_, name) = message["url"]
            .as_str()
            .unwrap()
            .split_once(&format!("{}/", folder.display()))
            .unwrap();
        *errors.get_mut(name).unwrap().entry(text).or_default() += 1;
    }
    errors
}

mod needs_vnu {
    use super::*;

    #[test]
    #[ignore = "needs the W3C's checker"]
    fn localized_pages_have_no_error_that_their_source_does_not_have() {
        let vnu = tool("LATIMER_TEST_VNU");
        let site = Site::fixture("bakery");
        site.build(&[], 0);
        let all = site.path("all");
        fs::create_dir(&all).unwrap();
        fs::rename(site.path("source"), all.join("source")).unwrap();
        for locale in LOCALES {
            fs::rename(
                site.path(&format!("dist/bakery/{locale}")),
                all.join(locale),
            )
            .unwrap();
        }
        let errors = check(&vnu, &all, &files(&all));
        let mut by_folder: BTreeMap<&str, BTreeMap<&str, &BTreeMap<String, usize>>> =
            BTreeMap::new();
        for (name, errors) in &errors {
            let (folder, name) = name.split_once('/').unwrap();
            by_folder.entry(folder).or_default().insert(name, errors);
        }
        let before = &by_folder["source"];
        for locale in LOCALES {
            let after = &by_folder[locale];
            assert_eq!(after.len(), before.len(), "{locale}");
            for (name, errors) in after {
                for (error, count) in *errors {
                    let had = before[name].get(error).copied().unwrap_or_default();
                    assert!(
                        *count <= had,
                        "{locale}/{name}: {error} ({count} times, in the source {had})"
                    );
                }
            }
        }
    }

    #[test]
    #[ignore = "needs the W3C's checker"]
    fn the_checker_finds_an_error_that_is_there() {
        let vnu = tool("LATIMER_TEST_VNU");
        let site = Site::new(
            "locales = []",
            &[(
                "index.html",
                "<!DOCTYPE html><title>A</title><p><img src=x></p></b>",
            )],
        );
        let source = site.path("source");
        let errors = check(&vnu, &source, &files(&source));
        assert_eq!(errors["index.html"].len(), 2, "{errors:?}");
    }
}
