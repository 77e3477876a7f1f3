//! The files of a tree, in parts that lie apart, each under the hash of its bytes: whoever changes one page of thousands
//! writes and reads one part anew.
//!
//! The names of a tree, sorted, are cut after each whose own hash says so, one of some 256. So where the cuts are follows from
//! the names alone, whatever was published before, a new name cuts one part in two at most, and pages of a folder lie
//! together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::keys::object_name;
use super::{ManifestEntry, Tree};
use crate::model::PagePath;

/// A part ends after a name whose hash begins with none of these bits: one of 256.
const ENDS: u8 = 0xff;

/// The files of one tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The files, by name.
    pub objects: ManifestFiles,
    /// Pages that the source site has and this tree lacks, or has only with a notice that they are not translated.
    pub missing: BTreeSet<PagePath>,
}

/// Files by name, sorted.
#[derive(Clone, Debug, Default)]
pub struct ManifestFiles {
    parts: Vec<Arc<ManifestPart>>,
}

/// A name and its record, shared by the deployments that have them.
pub(super) type NamedEntry = (Arc<str>, Arc<ManifestEntry>);

/// Some files that follow each other.
#[derive(Debug)]
pub(super) struct ManifestPart {
    /// Where it lies; nothing where it does not lie by itself, or not yet.
    pub(super) place: Option<PartName>,
    pub(super) files: Vec<NamedEntry>,
}

/// Where a file is in a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FilePlace {
    part: usize,
    file: usize,
}

/// Names a part of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct PartName {
    /// The hash of its bytes.
    pub(super) hash: String,
    /// The draft that keeps this copy of it apart, see [`ManifestEntry::copy`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) copy: Option<String>,
}

impl PartName {
    /// The name under which it lies.
    pub(super) fn name(&self) -> String {
        object_name(&self.hash, self.copy.as_deref())
    }
}

/// Parts that were read before.
#[derive(Debug, Default)]
pub(super) struct KnownParts {
    parts: HashMap<PartName, Arc<ManifestPart>>,
    trees: BTreeMap<Tree, ManifestFiles>,
}

impl KnownParts {
    pub(super) fn get(&self, place: &PartName) -> Option<&Arc<ManifestPart>> {
        self.parts.get(place)
    }

    /// Where they lie.
    pub(super) fn places(&self) -> impl Iterator<Item = &PartName> {
        self.parts.keys()
    }

    /// Adds the parts of a manifest.
    pub(super) fn add(&mut self, tree: &Tree, manifest: &Manifest) {
        let placed = |part: &Arc<ManifestPart>| Some((part.place.clone()?, Arc::clone(part)));
        self.parts
            .extend(manifest.objects.parts.iter().filter_map(placed));
        self.trees.insert(tree.clone(), manifest.objects.clone());
    }

    /// The part of a tree that was read from a place. It shares the files that are known: after a change on a page of each part
    /// all parts are new, and nearly all of their files old.
    pub(super) fn part(
        &self,
        tree: &Tree,
        place: PartName,
        files: BTreeMap<Box<str>, ManifestEntry>,
    ) -> ManifestPart {
        let known = self.trees.get(tree);
        let mut last = FilePlace::default();
        let mut named = |(name, entry): (Box<str>, ManifestEntry)| {
            let same = known.and_then(|known| known.named_after(last, &name));
            if let Some(((name, same), found)) = same {
                last = found;
                if **same == entry {
                    return (Arc::clone(name), Arc::clone(same));
                }
            }
            (name.into(), Arc::new(entry))
        };
        ManifestPart {
            place: Some(place),
            files: files.into_iter().map(&mut named).collect(),
        }
    }
}

/// A manifest as it lies in the store.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredManifest {
    pub(super) parts: Vec<PartName>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) missing: BTreeSet<PagePath>,
}

impl ManifestPart {
    /// A part of these files: that which `known` has, where it has the same.
    fn of(files: Vec<NamedEntry>, known: Option<&ManifestFiles>) -> Arc<Self> {
        let first = files.first().map_or("", |(name, _)| name);
        let same = known
            .and_then(|known| known.part(first))
            .filter(|part| part.files == files);
        same.map_or_else(|| Arc::new(Self { place: None, files }), Arc::clone)
    }

    /// The same files, where they lie now.
    pub(super) fn at(&self, place: PartName) -> Self {
        Self {
            place: Some(place),
            files: self.files.clone(),
        }
    }

    fn first(&self) -> &str {
        self.files.first().map_or("", |(name, _)| name)
    }
}

impl Serialize for ManifestPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.files
                .iter()
                .map(|(name, entry)| (name.as_ref(), entry.as_ref())),
        )
    }
}

impl PartialEq for ManifestFiles {
    fn eq(&self, other: &Self) -> bool {
        self.all().eq(other.all())
    }
}

impl Eq for ManifestFiles {}

impl ManifestFiles {
    /// Cuts sorted files into parts; those that `known` has are taken from there.
    pub(super) fn cut(files: impl IntoIterator<Item = NamedEntry>, known: Option<&Self>) -> Self {
        let mut parts = Vec::new();
        let mut open = Vec::new();
        for (name, entry) in files {
            let is_last = blake3::hash(name.as_bytes())
                .as_bytes()
                .first()
                .is_some_and(|byte| byte & ENDS == 0);
            open.push((name, entry));
            if is_last {
                parts.push(ManifestPart::of(std::mem::take(&mut open), known));
            }
        }
        if !open.is_empty() {
            parts.push(ManifestPart::of(open, known));
        }
        Self { parts }
    }

    /// Files of these parts, which follow each other.
    pub(super) fn of(parts: Vec<Arc<ManifestPart>>) -> Self {
        Self { parts }
    }

    /// The files of those parts that only one of two has, by name.
    pub(super) fn apart<'f>(
        one: &'f Self,
        other: &'f Self,
    ) -> (
        BTreeMap<&'f str, &'f ManifestEntry>,
        BTreeMap<&'f str, &'f ManifestEntry>,
    ) {
        let of = |files: &'f Self, others: &Self| {
            let others: HashSet<*const ManifestPart> =
                others.parts.iter().map(Arc::as_ptr).collect();
            let apart = files
                .parts
                .iter()
                .filter(|part| !others.contains(&Arc::as_ptr(part)));
            apart
                .flat_map(|part| &part.files)
                .map(|(name, entry)| (&**name, &**entry))
                .collect()
        };
        (of(one, other), of(other, one))
    }

    pub(super) fn parts(&self) -> &[Arc<ManifestPart>] {
        &self.parts
    }

    /// The part in which a file is, if there is a file of this name.
    fn part(&self, name: &str) -> Option<&Arc<ManifestPart>> {
        let behind = self.parts.partition_point(|part| part.first() <= name);
        self.parts.get(behind.checked_sub(1)?)
    }

    pub(super) fn named(&self, name: &str) -> Option<&NamedEntry> {
        self.named_after(FilePlace::default(), name)
            .map(|(named, _)| named)
    }

    /// A file by its name, with its place; that is likely the next one after `last`.
    pub(super) fn named_after(
        &self,
        last: FilePlace,
        name: &str,
    ) -> Option<(&NamedEntry, FilePlace)> {
        let FilePlace { part, file } = last;
        for place in [
            FilePlace {
                part,
                file: file + 1,
            },
            FilePlace {
                part: part + 1,
                file: 0,
            },
        ] {
            let there = self
                .parts
                .get(place.part)
                .and_then(|part| part.files.get(place.file));
            if let Some(there) = there.filter(|(there, _)| **there == *name) {
                return Some((there, place));
            }
        }
        let part = self
            .parts
            .partition_point(|part| part.first() <= name)
            .checked_sub(1)?;
        let files = &self.parts.get(part)?.files;
        let file = files
            .binary_search_by(|(there, _)| (**there).cmp(name))
            .ok()?;
        Some((files.get(file)?, FilePlace { part, file }))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &NamedEntry> {
        self.parts.iter().flat_map(|part| &part.files)
    }

    /// The record of a file.
    pub fn get(&self, name: &str) -> Option<&ManifestEntry> {
        self.get_key_value(name).map(|(_, entry)| entry)
    }

    /// The name and record of a file.
    pub fn get_key_value(&self, name: &str) -> Option<(&str, &ManifestEntry)> {
        self.named(name).map(|(name, entry)| (&**name, &**entry))
    }

    /// Whether there is a file of this name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.named(name).is_some()
    }

    /// All names and records, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ManifestEntry)> {
        self.all().map(|(name, entry)| (&**name, &**entry))
    }

    /// All names, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// All records, by their names.
    pub fn values(&self) -> impl Iterator<Item = &ManifestEntry> {
        self.iter().map(|(_, entry)| entry)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.files.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::{FilePlace, ManifestEntry, ManifestFiles, NamedEntry, PagePath};
    use crate::store::{ContentHash, Encodings};

    fn named(name: &str, deployment: u64) -> NamedEntry {
        let entry = ManifestEntry {
            deployment,
            since: None,
            hash: ContentHash::of(name.as_bytes()),
            copy: None,
            size: 1,
            content_type: "text/html".into(),
            encodings: Encodings::default(),
            path: PagePath::of_file(name),
            source: None,
            noindex: false,
            robots: None,
            link: None,
        };
        (name.into(), Arc::new(entry))
    }

    /// Some pages, each as the deployment wrote it that its number says.
    fn pages(changed: &BTreeMap<u16, u64>) -> impl Iterator<Item = NamedEntry> {
        changed
            .iter()
            .map(|(page, deployment)| named(&format!("{page:05}.html"), *deployment))
    }

    proptest! {
        /// Where a tree is cut follows from its names, whatever was there before; what did not change is shared; and every
        /// file is found, and none that is not there.
        #[test]
        fn parts_follow_from_names_alone(
            before in prop::collection::btree_map(0..4000_u16, Just(1_u64), 0..3000),
            gone in prop::collection::btree_set(0..4000_u16, 0..4),
            came in prop::collection::btree_map(0..4000_u16, Just(2_u64), 0..4),
        ) {
            let old = ManifestFiles::cut(pages(&before), None);
            let mut now = before;
            now.retain(|page, _| !gone.contains(page));
            now.extend(&came);
            let new = ManifestFiles::cut(pages(&now), Some(&old));
            let fresh = ManifestFiles::cut(pages(&now), None);
            prop_assert_eq!(&new, &fresh);
            prop_assert!(new.parts().iter().map(|part| &part.files).eq(fresh.parts().iter().map(|part| &part.files)));
            let is_shared = |part: &&Arc<super::ManifestPart>| old.parts().iter().any(|old| Arc::ptr_eq(old, part));
            // A change touches its own part, and that which it ends or begins.
            let others = new.parts().iter().filter(|part| !is_shared(part)).count();
            prop_assert!(others <= 2 * (gone.len() + came.len()), "{} of {}", others, new.parts().len());
            prop_assert_eq!(new.len(), now.len());
            let mut last = FilePlace::default();
            // In their order, and then in steps, so that some follow each other and some do not.
            for page in (0..4000_u16).chain((0..4000).map(|page| page * 7 % 4000)) {
                let found = new.named_after(last, &format!("{page:05}.html"));
                prop_assert_eq!(found.map(|((_, entry), _)| entry.deployment), now.get(&page).copied());
                last = found.map_or(last, |(_, place)| place);
            }
        }
    }
}
