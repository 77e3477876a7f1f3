//! The pages that benchmarks of the page core read: those of the fixture sites, or of the folders that
//! `LATIMER_CORPUS` names, separated by colons.

use std::fs;
use std::path::{Path, PathBuf};

/// The files in the order of their names.
pub(crate) fn files() -> Vec<PathBuf> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sites").to_owned();
    let folders = std::env::var("LATIMER_CORPUS").unwrap_or(own);
    let mut files = Vec::new();
    folders
        .split(':')
        .for_each(|folder| html_files(Path::new(folder), &mut files));
    files.retain(|file| file.components().all(|part| part.as_os_str() != "dist"));
    files.sort();
    files
}

fn html_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten().map(|entry| entry.path()) {
        if entry.is_dir() {
            html_files(&entry, files);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            files.push(entry);
        }
    }
}
