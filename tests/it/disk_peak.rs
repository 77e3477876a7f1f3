//! What a build needs on a disk: with two deployments kept, little more than two, whatever it changes.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::support::{self, Site};

const PAGES: usize = 60;

const KEYS: &str = r#"
locales = ["es", "de"]
engine = "pseudo"
[store]
keep_deployments = 2
"#;

fn write_pages(site: &Site, edition: usize) {
    for page in 0..PAGES {
        let lines: String = (0..40)
            .map(|line| format!("<p>Line {line} of page {page} in edition {edition}.\n"))
            .collect();
        site.write(
            &format!("source/page{page}.html"),
            &format!("<!DOCTYPE html>\n<title>Page {page}</title>\n{lines}"),
        );
    }
}

/// What a store takes on the disk, in bytes, without the memory, which is no part of a deployment and only grows. A file
/// with several names counts once.
fn used(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_path_buf()];
    let mut seen = HashSet::new();
    let mut sum = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            // A file may go while it is looked at.
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() && entry.file_name() != "memory" {
                folders.push(entry.path());
            } else if meta.is_file() && seen.insert(meta.ino()) {
                sum += meta.blocks() * 512;
            }
        }
    }
    sum
}

/// Builds, and gives the most that the store took meanwhile.
fn peak(site: &Site) -> u64 {
    let mut command = support::command(site.folder());
    let mut child = command
        .args(["build", "--quiet"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(used(&site.path("dist")));
        support::api::pause(Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    peak
}

#[test]
fn builds_that_change_every_page_need_no_room_for_a_third_generation() {
    let site = Site::new(KEYS, &[]);
    let mut generation = 0;
    for edition in 0..3 {
        write_pages(&site, edition);
        let peak = peak(&site);
        if edition == 0 {
            generation = used(&site.path("dist"));
        }
        let now = used(&site.path("dist"));
        eprintln!("edition {edition}: at most {peak}, then {now} of {generation} bytes");
        assert!(
            peak * 10 <= generation * 22,
            "{peak} bytes where a generation has {generation}"
        );
    }
}
