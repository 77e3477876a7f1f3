//! The names of runs and deployments, and which pages a run is for.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{PagePath, PathError};
use crate::model::Moment;

/// Names a run of a site: a UUID of version 7 (RFC 9562), so that later runs sort after earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(Uuid);

impl RunId {
    /// A new id; two are never the same.
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// Reads an id; `None` for what is not written as we write it.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text).ok()?;
        (id.hyphenated().to_string() == text).then_some(Self(id))
    }
}

impl Default for RunId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

/// Names a deployment of a site: a UUID of version 7 (RFC 9562), so that later ones sort after earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeploymentId(Uuid);

impl DeploymentId {
    /// Reads an id; `None` for what is not written as we write it.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text).ok()?;
        (id.hyphenated().to_string() == text).then_some(Self(id))
    }

    /// The id of what was created at a time and has this hash.
    pub fn new(created: Moment, hash: &[u8; 32]) -> Self {
        let mut rest = [0; 10];
        rest.copy_from_slice(&hash[..10]);
        Self(uuid::Builder::from_unix_timestamp_millis(created.millis(), &rest).into_uuid())
    }
}

impl fmt::Display for DeploymentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

/// Which pages of a site are meant: single paths, and folders written as `/blog/*`. Empty means every page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeSet<String>", into = "BTreeSet<String>")]
pub struct PageSelection {
    pages: BTreeSet<PagePath>,
    folders: BTreeSet<PagePath>,
}

/// Says why a text selects no pages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} selects no pages: write a path such as /about/, or /blog/* for all below /blog/")]
pub struct SelectionError {
    text: String,
    source: PathError,
}

impl PageSelection {
    /// Adds a path, or a folder that ends in `/*`.
    ///
    /// # Errors
    /// A [`SelectionError`] for what is no path on a site.
    pub fn add(&mut self, text: &str) -> Result<(), SelectionError> {
        let (path, paths) = match text
            .strip_suffix('*')
            .filter(|folder| folder.ends_with('/'))
        {
            Some(folder) => (folder, &mut self.folders),
            None => (text, &mut self.pages),
        };
        let path = PagePath::parse(path).map_err(|source| SelectionError {
            text: text.to_owned(),
            source,
        })?;
        paths.insert(path);
        Ok(())
    }

    /// Whether every page is meant.
    pub fn is_all(&self) -> bool {
        self.pages.is_empty() && self.folders.is_empty()
    }

    /// Whether a page is meant.
    pub fn has(&self, page: &PagePath) -> bool {
        let below = |folder: &PagePath| page.as_str().starts_with(folder.as_str());
        self.is_all() || self.pages.contains(page) || self.folders.iter().any(below)
    }
}

impl TryFrom<BTreeSet<String>> for PageSelection {
    type Error = SelectionError;

    fn try_from(texts: BTreeSet<String>) -> Result<Self, Self::Error> {
        let mut selection = Self::default();
        texts.iter().try_for_each(|text| selection.add(text))?;
        Ok(selection)
    }
}

impl From<PageSelection> for BTreeSet<String> {
    fn from(selection: PageSelection) -> Self {
        let folders = selection
            .folders
            .into_iter()
            .map(|folder| format!("{folder}*"));
        selection
            .pages
            .into_iter()
            .map(String::from)
            .chain(folders)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_name_pages_and_folders() {
        let mut selection = PageSelection::default();
        assert!(selection.has(&PagePath::parse("/any").unwrap()));
        for text in ["/about/", "/blog/*", "/a*"] {
            selection.add(text).unwrap();
        }
        for (path, expected) in [
            ("/about/", true),
            ("/about/x", false),
            ("/blog/", true),
            ("/blog/x/y", true),
            ("/blogs", false),
            ("/ab", false),
        ] {
            assert_eq!(
                selection.has(&PagePath::parse(path).unwrap()),
                expected,
                "{path}"
            );
        }
        assert!(selection.add("blog/*").is_err());
        let text = serde_json::to_string(&selection).unwrap();
        assert_eq!(
            serde_json::from_str::<PageSelection>(&text).unwrap(),
            selection,
            "{text}"
        );
    }

    #[test]
    fn ids_sort_by_time_and_have_one_spelling() {
        let first = RunId::new();
        let second = RunId::new();
        assert!(first < second);
        assert_eq!(RunId::parse(&first.to_string()), Some(first));
        for text in [
            "",
            "x",
            &first.to_string().to_uppercase(),
            &format!("{{{first}}}"),
        ] {
            assert_eq!(RunId::parse(text), None, "{text}");
        }
    }
}
