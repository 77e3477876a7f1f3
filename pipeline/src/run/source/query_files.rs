//! Files of a crawled site whose addresses differ by their queries alone (R-S10): `thumb.php?id=1` and `thumb.php?id=2`.
//!
//! No static host looks at a query, so files with different bytes get names of their own, and links in localized pages lead there. One
//! that was seen with one query only, or whose bytes are all the same, keeps its name: a query such as `?ver=6.1` tells caches apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sources::Sources;
use crate::model::PagePath;
use crate::state::{SourceKind, SourceRecord};

impl Sources {
    /// Joins files whose bytes do not depend on their queries.
    pub(super) fn join_equal_queries(&mut self) {
        let mut by_path: BTreeMap<PagePath, Vec<(PagePath, Arc<SourceRecord>)>> = BTreeMap::new();
        for (path, record) in &self.records {
            if path.query().is_some()
                && record.kind != SourceKind::Page
                && let Ok(plain) = PagePath::parse(path.path())
            {
                by_path
                    .entry(plain)
                    .or_default()
                    .push((path.clone(), Arc::clone(record)));
            }
        }
        for (plain, files) in by_path {
            let Some((first, record)) = files.first() else {
                continue;
            };
            // The path alone stays the first of them, or the page that it is.
            let own = match self.records.get(&plain) {
                Some(own) if own.kind == SourceKind::Page => continue,
                Some(own) => Arc::clone(own),
                None => Arc::clone(record),
            };
            if self.carried.paths.contains(first) && !self.records.contains_key(&plain) {
                self.carried.paths.insert(plain.clone());
            }
            if files.iter().all(|(_, file)| file.hash == own.hash) {
                for (path, _) in &files {
                    self.records.remove(path);
                    self.carried.paths.remove(path);
                }
            }
            self.records.entry(plain).or_insert(own);
        }
        self.join_redirects_of_files();
    }

    /// Has redirects to and from files go by their paths alone.
    fn join_redirects_of_files(&mut self) {
        for (from, mut redirect) in std::mem::take(&mut self.redirects) {
            let plain_to = PagePath::parse(redirect.to.path())
                .ok()
                .filter(|_| redirect.to.query().is_some());
            if let Some(plain) = plain_to.filter(|plain| self.has_file(plain)) {
                redirect.to = plain;
            }
            let plain_from = PagePath::parse(from.path())
                .ok()
                .filter(|_| from.query().is_some());
            match plain_from.filter(|_| self.has_file(&redirect.to)) {
                Some(plain)
                    if self.records.contains_key(&plain) || self.redirects.contains_key(&plain) => {
                }
                Some(plain) => drop(self.redirects.insert(plain, redirect)),
                None => drop(self.redirects.insert(from, redirect)),
            }
        }
    }
}

impl Sources {
    fn has_file(&self, path: &PagePath) -> bool {
        self.records
            .get(path)
            .is_some_and(|record| record.kind != SourceKind::Page)
    }
}

/// The path at which a file with a query in its address is published: beside the file of its path, since addresses in a style sheet
/// count from there. `None` for other files.
pub(in crate::run) fn published_path(path: &PagePath, record: &SourceRecord) -> Option<PagePath> {
    let query = path.query().filter(|_| record.kind != SourceKind::Page)?;
    let (folder, name) = path.path().rsplit_once('/')?;
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !ending.is_empty() => {
            (stem.to_owned(), format!(".{ending}"))
        }
        Some(_) | None if name.is_empty() => (first_parameter(query), String::new()),
        Some(_) | None => (name.to_owned(), String::new()),
    };
    let hash = blake3::hash(query.as_bytes()).to_hex();
    PagePath::parse(&format!("{folder}/{stem}.q-{}{ending}", &hash[..10])).ok()
}

/// The name of the first parameter of a query, as far as it can be part of the name of a file.
fn first_parameter(query: &str) -> String {
    let name = query.split(['=', '&']).next().unwrap_or_default();
    name.chars()
        .filter(|character| character.is_ascii_alphanumeric() || "-_".contains(*character))
        .collect()
}

/// Published paths of such files, by their paths with queries.
pub(in crate::run) fn published_paths(sources: &Sources) -> BTreeMap<PagePath, PagePath> {
    let mut paths = BTreeMap::new();
    for (path, record) in sources.files() {
        if let Some(published) = published_path(path, record) {
            paths.insert(path.clone(), published);
        }
    }
    paths
}
