//! What deployments name, and what of it others do not.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use object_store::path::Path as Key;

use super::super::inventory::hashes;
use super::super::keys::SiteKeys;
use super::super::manifest::{ManifestPart, PartName};
use super::super::{ContentHash, ManifestEntry, StoreError};

/// What deployments name.
#[derive(Default)]
pub(super) struct NamedObjects {
    pub(super) keys: BTreeSet<Key>,
    /// The parts of manifests that are read.
    pub(super) parts: HashSet<PartName>,
    /// Those whose files are not among the keys: there are many, and mostly a few are asked for.
    pub(super) files: Vec<Arc<ManifestPart>>,
    /// Whether one of them cannot be read as a whole any more, so that what it named is not known.
    pub(super) is_damaged: bool,
}

impl NamedObjects {
    /// The records of files, each once, however many deployments share it.
    fn entries(&self) -> HashMap<*const ManifestEntry, &ManifestEntry> {
        let files = self.files.iter().flat_map(|part| &part.files);
        files
            .map(|(_, entry)| (Arc::as_ptr(entry), entry.as_ref()))
            .collect()
    }

    /// The same, to be asked for any key.
    pub(super) fn names(mut self, keys: SiteKeys<'_>) -> Result<SiteKeySet, StoreError> {
        let mut names = SiteKeySet::of(std::mem::take(&mut self.keys), keys)?;
        for entry in self.entries().into_values() {
            names_of(entry, keys).try_for_each(|name| name.map(|name| names.insert(name)))?;
        }
        Ok(names)
    }

    /// What `others` name and these deployments do not.
    pub(super) fn lacking(
        &self,
        mut others: Self,
        keys: SiteKeys<'_>,
    ) -> Result<Vec<Key>, StoreError> {
        let mut lacking = SiteKeySet::of(std::mem::take(&mut others.keys), keys)?;
        let entries = self.entries();
        for (place, entry) in others.entries() {
            if !entries.contains_key(&place) {
                names_of(entry, keys).try_for_each(|name| name.map(|name| lacking.insert(name)))?;
            }
        }
        for key in &self.keys {
            let name = lacking.name(key);
            lacking.remove(&name);
        }
        // Other files may have the same bytes.
        for entry in entries.into_values() {
            if lacking.is_empty() {
                break;
            }
            names_of(entry, keys).try_for_each(|name| name.map(|name| lacking.remove(&name)))?;
        }
        lacking.into_keys(keys)
    }
}

/// Keys of a site, to be asked for any of them.
pub(super) struct SiteKeySet {
    /// The folder of objects.
    objects: Key,
    /// The objects whose names are hashes alone: nearly all, and a large site has hundreds of thousands.
    plain: HashSet<ContentHash>,
    others: BTreeSet<Key>,
}

enum ObjectName {
    Plain(ContentHash),
    Other(Key),
}

impl SiteKeySet {
    fn of(keys: BTreeSet<Key>, site: SiteKeys<'_>) -> Result<Self, StoreError> {
        let mut names = Self {
            objects: site.objects()?,
            plain: HashSet::new(),
            others: BTreeSet::new(),
        };
        for key in keys {
            let name = names.name(&key);
            names.insert(name);
        }
        Ok(names)
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        match self.hash(key) {
            Some(hash) => self.plain.contains(&hash),
            None => self.others.contains(key),
        }
    }

    /// The hash that is an object's name.
    fn hash(&self, key: &Key) -> Option<ContentHash> {
        key.filename()
            .filter(|_| key.prefix_matches(&self.objects))
            .and_then(ContentHash::parse)
    }

    fn name(&self, key: &Key) -> ObjectName {
        self.hash(key)
            .map_or_else(|| ObjectName::Other(key.clone()), ObjectName::Plain)
    }

    fn insert(&mut self, name: ObjectName) {
        match name {
            ObjectName::Plain(hash) => drop(self.plain.insert(hash)),
            ObjectName::Other(key) => drop(self.others.insert(key)),
        }
    }

    fn remove(&mut self, name: &ObjectName) {
        match name {
            ObjectName::Plain(hash) => drop(self.plain.remove(hash)),
            ObjectName::Other(key) => drop(self.others.remove(key)),
        }
    }

    fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.others.is_empty()
    }

    fn into_keys(self, site: SiteKeys<'_>) -> Result<Vec<Key>, StoreError> {
        let plain = self
            .plain
            .into_iter()
            .map(|hash| site.object(&hash.spelled(), None));
        self.others.into_iter().map(Ok).chain(plain).collect()
    }
}

/// The names of a file and its variants.
fn names_of<'e>(
    entry: &'e ManifestEntry,
    keys: SiteKeys<'e>,
) -> impl Iterator<Item = Result<ObjectName, StoreError>> + 'e {
    hashes(entry).map(move |(_, hash, copy)| match copy {
        None => Ok(ObjectName::Plain(hash)),
        Some(_) => keys.object(&hash.spelled(), copy).map(ObjectName::Other),
    })
}
