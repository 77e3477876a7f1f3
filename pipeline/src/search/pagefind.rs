//! The index of Pagefind: a folder of files, one of which names the others by language. Pure.
//!
//! What the files hold is compressed, and changes with Pagefind's versions, so Pagefind itself writes them. Its program in
//! the browser goes by the `lang` of the page, so one folder can serve several languages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name of the file that names the others.
const ENTRY: &str = "pagefind-entry.json";

/// The key of ours in that file, which Pagefind's programs pass over.
const MADE_OF: &str = "latimer";

/// A folder that Pagefind has written.
#[derive(Clone, Debug)]
pub struct Pagefind {
    folder: String,
    entry: PagefindEntry,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct PagefindEntry {
    version: String,
    languages: BTreeMap<String, Value>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl Pagefind {
    /// Reads the file that names the others, from its path and its bytes.
    pub fn read(path: &str, body: &[u8]) -> Option<Self> {
        let folder = path
            .strip_suffix(ENTRY)
            .filter(|folder| folder.ends_with('/') && folder.len() > 1)?;
        Some(Self {
            folder: folder.to_owned(),
            entry: serde_json::from_slice(body).ok()?,
        })
    }

    /// Its folder, between two slashes.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The folder that it is about, which ends in a slash: addresses of what it finds are relative to that.
    pub fn about(&self) -> &str {
        let folder = &self.folder[..self.folder.len() - 1];
        &folder[..=folder.rfind('/').unwrap_or_default()]
    }

    /// The path of the file that names the others.
    pub fn entry_path(&self) -> String {
        format!("{}{ENTRY}", self.folder)
    }

    /// How many pages it has.
    pub fn pages(&self) -> usize {
        let pages = |language: &Value| {
            language["page_count"]
                .as_u64()
                .and_then(|pages| usize::try_from(pages).ok())
        };
        self.entry.languages.values().filter_map(pages).sum()
    }

    /// The version of Pagefind that wrote it.
    pub fn version(&self) -> &str {
        &self.entry.version
    }

    /// The file that names the others, as it is published.
    pub fn entry(&self) -> String {
        serde_json::to_string(&self.entry).unwrap_or_default()
    }

    /// The same with a mark of what it is made of.
    pub fn marked(mut self, made_of: &str) -> Self {
        self.entry.rest.insert(MADE_OF.to_owned(), made_of.into());
        self
    }

    /// The mark of what it is made of.
    pub fn made_of(&self) -> Option<&str> {
        self.entry.rest.get(MADE_OF)?.as_str()
    }

    /// The same with the languages of another that this one lacks.
    pub fn with_languages_of(mut self, other: Self) -> Self {
        for (language, value) in other.entry.languages {
            self.entry.languages.entry(language).or_insert(value);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, languages: &str) -> Option<Pagefind> {
        let entry = format!(
            r#"{{"version":"1.6.0","languages":{{{languages}}},"include_characters":["_"]}}"#
        );
        Pagefind::read(path, entry.as_bytes())
    }

    #[test]
    fn languages_are_joined_and_the_own_ones_win() {
        let own = read(
            "/docs/pagefind/pagefind-entry.json",
            r#""en":{"hash":"en_1","page_count":3}"#,
        )
        .unwrap();
        let more = r#""es":{"hash":"es_1","page_count":2},"en":{"hash":"en_2","page_count":1}"#;
        let joined = own.with_languages_of(read("/x/pagefind-entry.json", more).unwrap());
        assert_eq!(
            (joined.folder(), joined.about(), joined.pages()),
            ("/docs/pagefind/", "/docs/", 5)
        );
        assert_eq!(
            joined.entry(),
            r#"{"version":"1.6.0","languages":{"en":{"hash":"en_1","page_count":3},"es":{"hash":"es_1","page_count":2}},"include_characters":["_"]}"#
        );
    }

    #[test]
    fn what_names_no_files_is_none() {
        assert!(Pagefind::read("/pagefind/pagefind-entry.json", b"{}").is_none());
        assert!(
            read("/pagefind-entry.json", "").is_none(),
            "its folder is the site's"
        );
        assert_eq!(
            read("/pagefind/pagefind-entry.json", "").unwrap().about(),
            "/"
        );
    }
}
