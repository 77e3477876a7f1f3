//! Every key of the object store is made here, by one constructor, from parts that were checked at
//! the door.

use object_store::path::Path as Key;

use super::record::damaged;
use super::{Encoding, ManifestEntry, Shard, StoreError, Tree};
use crate::model::{Locale, PreviewId, SiteId, TargetName};

pub(super) const DEPLOYMENTS: &str = "_deployments";
pub(super) const SOURCES: &str = "_sources";
const PREVIEWS: &str = "_previews";
const TARGETS: &str = "targets";
pub(super) const DRAFT: &str = "draft-";
pub(super) const DROPPED: &str = "dropped-";
pub(super) const DAMAGED: &str = "damaged.json";
/// The longest segment of a name, in bytes: a disk holds 255, and a variant or a file being written adds an ending.
const LONGEST_SEGMENT: usize = 240;

/// The rows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Translations by engines.
    Memory,
    /// Edits of people.
    Edits,
}

impl RowKind {
    /// The folder of the files.
    fn folder(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Edits => "edits",
        }
    }
}

/// The one constructor of keys. Keeps the text as it is; refuses what could leave its folder.
pub(super) fn key(text: &str) -> Result<Key, StoreError> {
    Key::parse(text).map_err(|_| StoreError::Name {
        name: text.to_owned(),
        reason: "it has an empty or a dot segment",
    })
}

/// Checks a file's name relative to its tree, as [`crate::model::object_name`] makes them.
pub(super) fn check_name(name: &str) -> Result<(), StoreError> {
    let refuse = |reason| {
        Err(StoreError::Name {
            name: name.to_owned(),
            reason,
        })
    };
    match name.split('/').next() {
        None | Some("") => return refuse("it is empty or starts with a slash"),
        Some(DEPLOYMENTS | SOURCES) => return refuse("the store keeps this folder for itself"),
        Some(_) if name.ends_with('/') => return refuse("it ends with a slash"),
        Some(_) if name.contains('#') => return refuse("# marks files that are being written"),
        Some(_) => {}
    }
    if name
        .split('/')
        .any(|segment| segment.len() > LONGEST_SEGMENT)
    {
        return refuse("a segment is longer than a disk can hold");
    }
    key(name).map(drop)
}

/// The folder of the pages of previews.
pub(super) fn previews() -> Result<Key, StoreError> {
    key(PREVIEWS)
}

/// The key of a preview's page. No site is called like the folder, for no site's name begins so.
pub(super) fn preview(id: &PreviewId) -> Result<Key, StoreError> {
    key(&format!("{PREVIEWS}/{id}/index.html"))
}

/// The name of bytes by their hash; a copy that a draft keeps apart has the draft in its name.
pub(super) fn object_name(hash: &str, copy: Option<&str>) -> String {
    copy.map_or_else(|| hash.to_owned(), |draft| format!("{hash}-{draft}"))
}

/// The keys of one site.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteKeys<'a>(pub(super) &'a SiteId);

impl SiteKeys<'_> {
    pub(super) fn site(self) -> Result<Key, StoreError> {
        key(self.0.as_str())
    }

    pub(super) fn deployments(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}", self.0))
    }

    pub(super) fn commit(self, number: u64) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}.json", self.0))
    }

    pub(super) fn live_marker(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/live.json", self.0))
    }

    pub(super) fn sweep_marker(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/swept.json", self.0))
    }

    /// What a draft leaves while it is neither finished nor given up.
    pub(super) fn draft_mark(self, draft: &str) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/{DRAFT}{draft}.json", self.0))
    }

    /// A commit that was dropped, while builders may still read what it names.
    pub(super) fn dropped(self, number: u64) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/{DROPPED}{number}.json", self.0))
    }

    /// Objects whose bytes somebody found to be wrong.
    pub(super) fn damage_note(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/{DAMAGED}", self.0))
    }

    /// The folder of what is remembered of targets.
    pub(super) fn targets(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/{TARGETS}", self.0))
    }

    /// A record of a target, by its ending.
    pub(super) fn target(self, name: &TargetName, ending: &str) -> Result<Key, StoreError> {
        key(&format!(
            "{}/{DEPLOYMENTS}/{TARGETS}/{name}.{ending}",
            self.0
        ))
    }

    pub(super) fn lock(self, name: &str) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/{name}", self.0))
    }

    pub(super) fn switches(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/switches", self.0))
    }

    pub(super) fn switch(self, number: u64) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/switches/{number}.json", self.0))
    }

    pub(super) fn objects(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/objects", self.0))
    }

    pub(super) fn shards(self) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/shards", self.0))
    }

    /// The key of bytes by their hash.
    pub(super) fn object(self, hash: &str, copy: Option<&str>) -> Result<Key, StoreError> {
        let folder = hash.get(..2).unwrap_or("00");
        key(&format!(
            "{}/{DEPLOYMENTS}/objects/{folder}/{}",
            self.0,
            object_name(hash, copy)
        ))
    }

    /// The key of a manifest or source index by the hash of its bytes.
    pub(super) fn shard(self, hash: &str, copy: Option<&str>) -> Result<Key, StoreError> {
        key(&format!(
            "{}/{DEPLOYMENTS}/shards/{}",
            self.0,
            object_name(hash, copy)
        ))
    }

    /// The key of a manifest or source index.
    pub(super) fn record(self, shard: &Shard) -> Result<Key, StoreError> {
        self.shard(&shard.hash, shard.copy.as_deref())
    }

    /// The key of a file's bytes, plain or as one of its variants.
    pub(super) fn part(
        self,
        tree: &Tree,
        name: &str,
        entry: &ManifestEntry,
        encoding: Option<Encoding>,
    ) -> Result<Key, StoreError> {
        let Some(encoding) = encoding else {
            return self.object(&entry.hash.spelled(), entry.copy.as_deref());
        };
        let variant = entry.encodings.get(encoding);
        let variant = variant
            .ok_or_else(|| damaged(name, format!("{tree} has no {} of it", encoding.token())))?;
        self.object(&variant.hash.spelled(), variant.copy.as_deref())
    }

    /// The key of a file in a live tree.
    pub(super) fn live(self, tree: &Tree, name: &str) -> Result<Key, StoreError> {
        match tree {
            Tree::Shared => key(&format!("{}/{name}", self.0)),
            Tree::Locale(locale) => key(&format!("{}/{locale}/{name}", self.0)),
        }
    }

    /// Whether a key of this site lies in a live tree.
    pub(super) fn is_live(self, key: &Key) -> bool {
        let own = key
            .as_ref()
            .strip_prefix(self.0.as_str())
            .and_then(|rest| rest.strip_prefix('/'));
        own.is_some_and(|rest| !matches!(rest.split('/').next(), Some(DEPLOYMENTS | SOURCES)))
    }

    /// The folder of files of rows in all locales.
    pub(super) fn row_folder(self, kind: RowKind) -> Result<Key, StoreError> {
        key(&format!("{}/{DEPLOYMENTS}/{}", self.0, kind.folder()))
    }

    pub(super) fn rows(self, kind: RowKind, locale: &Locale) -> Result<Key, StoreError> {
        key(&format!(
            "{}/{DEPLOYMENTS}/{}/{locale}",
            self.0,
            kind.folder()
        ))
    }

    pub(super) fn row_file(
        self,
        kind: RowKind,
        locale: &Locale,
        name: &str,
    ) -> Result<Key, StoreError> {
        key(&format!(
            "{}/{DEPLOYMENTS}/{}/{locale}/{name}",
            self.0,
            kind.folder()
        ))
    }

    pub(super) fn sources(self) -> Result<Key, StoreError> {
        key(&format!("{}/{SOURCES}", self.0))
    }

    pub(super) fn source(self, name: &str) -> Result<Key, StoreError> {
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
}
