//! Every key of the object store is made here, by one constructor, from parts that were checked at the door.
//!
//! A stored object's name differs from the file's own name in one case: a file that itself ends in `.br` or `.gz` is
//! stored as `…%2Ebr`, so that no file can take the place of another's compressed variant.

use std::fmt;

use object_store::path::Path as Key;
use serde::{Deserialize, Serialize};

use super::{Encoding, PublishError};
use crate::model::{Locale, LocaleError, PreviewId, SiteId};

/// A part of a deployment: the files of one locale, or what all locales share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Tree {
    /// Files that are the same in every locale: images, styles, scripts, Latimer's own.
    Shared,
    /// The files of one locale, the source locale included.
    Locale(Locale),
}

const SHARED: &str = "_assets";
const DEPLOYMENTS: &str = "_deployments";
const SOURCES: &str = "_sources";
const PREVIEWS: &str = "_previews";
const MEMORY: &str = "memory";
/// The longest segment of a name, in bytes: a disk holds 255, and a variant or a file being written adds an ending.
const LONGEST_SEGMENT: usize = 240;

impl Tree {
    /// The tree's folder in a deployment: the locale's tag, or `_assets`.
    pub fn label(&self) -> &str {
        match self {
            Self::Shared => SHARED,
            Self::Locale(locale) => locale.as_str(),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.label())
    }
}

impl TryFrom<String> for Tree {
    type Error = LocaleError;

    fn try_from(label: String) -> Result<Self, LocaleError> {
        if label == SHARED { Ok(Self::Shared) } else { Locale::parse(&label).map(Self::Locale) }
    }
}

impl From<Tree> for String {
    fn from(tree: Tree) -> Self {
        tree.label().to_owned()
    }
}

/// The one constructor of keys. Keeps the text as it is; refuses what could leave its folder.
pub(super) fn key(text: &str) -> Result<Key, PublishError> {
    Key::parse(text)
        .map_err(|_| PublishError::Name { name: text.to_owned(), reason: "it has an empty or a dot segment" })
}

/// Checks a file's name relative to its tree, as [`crate::model::object_name`] makes them.
pub(super) fn check_name(name: &str) -> Result<(), PublishError> {
    let refuse = |reason| Err(PublishError::Name { name: name.to_owned(), reason });
    match name.split('/').next() {
        None | Some("") => return refuse("it is empty or starts with a slash"),
        Some(DEPLOYMENTS | SOURCES) => return refuse("the store keeps this folder for itself"),
        Some(_) if name.ends_with('/') => return refuse("it ends with a slash"),
        Some(_) if name.contains('#') => return refuse("# marks files that are being written"),
        Some(_) => {}
    }
    if name.split('/').any(|segment| segment.len() > LONGEST_SEGMENT) {
        return refuse("a segment is longer than a disk can hold");
    }
    key(name).map(drop)
}

/// The key of a preview's page. No site is called like the folder, for no site's name begins so.
pub(super) fn preview(id: &PreviewId) -> Result<Key, PublishError> {
    key(&format!("{PREVIEWS}/{id}/index.html"))
}

/// The keys of one site.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys<'a>(pub(super) &'a SiteId);

impl Keys<'_> {
    pub(super) fn site(self) -> Result<Key, PublishError> {
        key(self.0.as_str())
    }

    pub(super) fn deployments(self) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}", self.0))
    }

    pub(super) fn commit(self, number: u64) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}.json", self.0))
    }

    pub(super) fn live_marker(self) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/live.json", self.0))
    }

    pub(super) fn sweep_marker(self) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/swept.json", self.0))
    }

    pub(super) fn deployment(self, number: u64) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}", self.0))
    }

    pub(super) fn manifest(self, number: u64, tree: &Tree) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}/_manifest/{tree}.json", self.0))
    }

    pub(super) fn source_index(self, number: u64) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}/_manifest/{SOURCES}.json", self.0))
    }

    pub(super) fn object(
        self,
        number: u64,
        tree: &Tree,
        name: &str,
        encoding: Option<Encoding>,
    ) -> Result<Key, PublishError> {
        let mut text = format!("{}/{DEPLOYMENTS}/{number}/{tree}/{name}", self.0);
        if [".br", ".gz"].iter().any(|ending| name.ends_with(ending)) {
            text.replace_range(text.len() - 3..text.len() - 2, "%2E");
        }
        if let Some(encoding) = encoding {
            text.push_str(encoding.ending());
        }
        key(&text)
    }

    /// The key of a file in a live tree.
    pub(super) fn live(self, tree: &Tree, name: &str) -> Result<Key, PublishError> {
        match tree {
            Tree::Shared => key(&format!("{}/{name}", self.0)),
            Tree::Locale(locale) => key(&format!("{}/{locale}/{name}", self.0)),
        }
    }

    /// Whether a key of this site lies in a live tree.
    pub(super) fn is_live(self, key: &Key) -> bool {
        let own = key.as_ref().strip_prefix(self.0.as_str()).and_then(|rest| rest.strip_prefix('/'));
        own.is_some_and(|rest| !matches!(rest.split('/').next(), Some(DEPLOYMENTS | SOURCES)))
    }

    /// The folder of all memories.
    pub(super) fn memories(self) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{MEMORY}", self.0))
    }

    pub(super) fn memory(self, locale: &Locale) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{MEMORY}/{locale}", self.0))
    }

    pub(super) fn memory_file(self, locale: &Locale, name: &str) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{MEMORY}/{locale}/{name}", self.0))
    }

    pub(super) fn sources(self) -> Result<Key, PublishError> {
        key(&format!("{}/{SOURCES}", self.0))
    }

    pub(super) fn source(self, name: &str) -> Result<Key, PublishError> {
        check_name(name)?;
        key(&format!("{}/{SOURCES}/{name}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_store_cannot_hold_are_refused() {
        for (name, good) in [
            ("index.html", true),
            ("über/a b.html", true),
            ("_latimer/switcher.css", true),
            ("x.tar.gz", true),
            ("", false),
            ("/a", false),
            ("a/", false),
            ("a//b", false),
            ("../a", false),
            ("a/../../b", false),
            ("a/./b", false),
            ("_deployments/1.json", false),
            ("_sources/a", false),
            ("a#1", false),
            ("a\nb", false),
        ] {
            assert_eq!(check_name(name).is_ok(), good, "{name:?}");
        }
        assert!(check_name(&"x".repeat(300)).is_err());
    }

    #[test]
    fn a_file_never_takes_the_place_of_a_variant() {
        let site = SiteId::parse("s").unwrap();
        let object = |name, encoding| Keys(&site).object(1, &Tree::Shared, name, encoding).unwrap();
        assert_eq!(object("a.js", Some(Encoding::Gzip)).as_ref(), "s/_deployments/1/_assets/a.js.gz");
        assert_eq!(object("a.js.gz", None).as_ref(), "s/_deployments/1/_assets/a.js%2Egz");
        assert_eq!(object("a.br", Some(Encoding::Brotli)).as_ref(), "s/_deployments/1/_assets/a%2Ebr.br");
    }
}
