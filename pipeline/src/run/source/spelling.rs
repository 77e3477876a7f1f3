//! Spellings of one page: `/a/`, `/a`, `/a.html` and `/a/index.html`.

use crate::model::PagePath;

/// Recognizes two spellings of one page: `/a/`, `/a`, `/a.html` and `/a/index.html`.
pub(in crate::run) fn is_same_page(one: &PagePath, other: &PagePath) -> bool {
    plain(one.as_str()) == plain(other.as_str())
}

/// The spelling that all spellings of a page have in common.
pub(in crate::run) fn plain(path: &str) -> &str {
    let path = match path.rsplit_once('/') {
        Some((folder, "index.html" | "index.htm")) => folder,
        _ => path,
    };
    let path = path
        .strip_suffix(".html")
        .or_else(|| path.strip_suffix(".htm"))
        .unwrap_or(path);
    path.trim_end_matches('/')
}
