//! Names of files and folders that do not belong to a site.

use std::ffi::OsStr;

/// Recognizes hidden files and folders by their names. A crawl of a folder passes over them; `.well-known` (RFC 8615) is not one.
pub fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") && name != ".well-known"
}
