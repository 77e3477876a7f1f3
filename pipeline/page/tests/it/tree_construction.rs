//! The inputs of html5lib's tests of tree construction as pages: nothing written by people is as broken as these.
//!
//! `tests/run` fetches them and says where in LATIMER_TEST_HTML5LIB.

use std::fs;
use std::path::{Path, PathBuf};

use crate::laws;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            files(&entry, found);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "dat")
        {
            found.push(entry);
        }
    }
}

/// The inputs of a file: what stands after `#data` up to the list of errors.
fn inputs(file: &Path) -> Vec<Vec<u8>> {
    let text = fs::read(file).unwrap();
    let mut inputs = Vec::new();
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        if line != b"#data\n" {
            continue;
        }
        let mut input = Vec::new();
        while let Some(line) = lines.next_if(|line| *line != b"#errors\n") {
            input.extend_from_slice(line);
        }
        input.pop();
        inputs.push(input);
    }
    inputs
}

mod needs_html5lib {
    use super::*;

    #[test]
    #[ignore = "needs the inputs of html5lib"]
    fn laws_hold_on_what_tests_of_parsers_are_made_of() {
        let folder =
            std::env::var_os("LATIMER_TEST_HTML5LIB").expect("where the inputs of html5lib are");
        let mut found = Vec::new();
        files(Path::new(&folder), &mut found);
        found.sort();
        let mut failed = Vec::new();
        let mut checked = 0;
        for file in found {
            for input in inputs(&file) {
                let html = std::str::from_utf8(&input).ok();
                let name = String::from_utf8_lossy(&input).into_owned();
                checked += 1;
                if std::panic::catch_unwind(|| laws::check(&input, None, html, &name)).is_err() {
                    failed.push(format!("{}: {name:?}", file.file_name().unwrap().display()));
                }
            }
        }
        assert!(checked > 1_500, "{checked} inputs");
        eprintln!("{checked} inputs checked");
        assert!(
            failed.is_empty(),
            "{} of {checked}:\n{}",
            failed.len(),
            failed.join("\n")
        );
    }
}
