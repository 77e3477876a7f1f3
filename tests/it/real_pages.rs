//! The program on pages that others made: nothing changes under identity, and an engine that reverses every text with
//! its codes leaves each element where a browser finds it once, well nested.
//!
//! Folders of real pages (`tests/corpus` fetches some) are named in `LATIMER_CORPUS`, separated by colons. The fixtures
//! are judged always.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::judge::{Links, decode, inventory};
use crate::support::{Files, assert_same, files, latimer, repository};

/// Folders of pages: those of the fixtures, and one for each folder in a folder of real pages.
fn folders() -> Vec<PathBuf> {
    let mut folders = vec![
        repository().join("fixtures/pages"),
        repository().join("fixtures/sites/bakery/source"),
    ];
    let corpus = std::env::var("LATIMER_CORPUS").unwrap_or_default();
    for corpus in corpus.split(':').filter(|folder| !folder.is_empty()) {
        let entries = fs::read_dir(corpus)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        folders.extend(entries.filter(|entry| entry.is_dir()));
    }
    folders.sort();
    folders
}

/// Renders a folder; some texts may be refused, and stay as they are then.
fn render(engine: &str, folder: &Path) -> Files {
    let out = TempDir::new().unwrap();
    let into = out.path().join("out");
    let arguments = [
        "render",
        "--quiet",
        "--engine",
        engine,
        "--from",
        "en",
        "--to",
        "fr",
        "--no-head",
        "--no-links",
    ];
    let places = [folder.to_str().unwrap(), into.to_str().unwrap()];
    let ran = latimer(out.path(), &[&arguments[..], &places].concat(), b"");
    assert!(
        matches!(ran.code, 0 | 6),
        "{}: {}",
        folder.display(),
        ran.stderr
    );
    files(&into)
}

#[test]
fn identity_changes_no_byte_of_real_pages() {
    for folder in folders() {
        assert_same(&render("identity", &folder), &files(&folder));
    }
}

#[test]
fn a_reversing_engine_leaves_each_element_once_and_well_nested() {
    // The arguments of a command are split at spaces, which the path of a checkout may hold.
    let engines = tempfile::TempDir::new().unwrap();
    let program = engines.path().join("reverse.py");
    std::fs::copy(repository().join("tests/it/support/reverse.py"), &program).unwrap();
    let engine = format!("command:python3 {}", program.display());
    let mut failed = Vec::new();
    for folder in folders() {
        let before = files(&folder);
        let after = render(&engine, &folder);
        let mut pages = 0;
        let mut changed = 0;
        let mut judged = 0;
        for (name, source) in before.iter().filter(|(name, _)| name.ends_with(".html")) {
            let Some(html) = after.get(name) else {
                panic!("{}/{name} is missing", folder.display())
            };
            pages += 1;
            changed += usize::from(source != html);
            // A page that becomes UTF-8 spells the queries of its links anew (R-D6).
            let links = if std::str::from_utf8(source).is_ok() {
                Links::Stay
            } else {
                Links::Move
            };
            let (Some(source), Some(html)) = (decode(source), decode(html)) else {
                continue;
            };
            let source = inventory(&source, links);
            let html = inventory(&html, links);
            judged += 1;
            if source != html {
                failed.push(format!(
                    "{}/{name}: {}",
                    folder.display(),
                    difference(&source, &html)
                ));
            }
        }
        assert!(changed > 0, "{}: no page changed", folder.display());
        eprintln!(
            "{}: {pages} pages, {changed} of them changed, {judged} judged",
            folder.display()
        );
    }
    assert!(
        failed.is_empty(),
        "{} pages have other elements:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// The elements that only one side has.
fn difference(source: &[String], html: &[String]) -> String {
    let count =
        |list: &[String], element: &String| list.iter().filter(|other| *other == element).count();
    let lines = source
        .iter()
        .chain(html)
        .filter(|element| count(source, element) != count(html, element))
        .take(8);
    lines
        .map(|element| {
            format!(
                "\n{} -> {}: {element}",
                count(source, element),
                count(html, element)
            )
        })
        .collect()
}
