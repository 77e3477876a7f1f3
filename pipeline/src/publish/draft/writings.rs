//! What a draft wrote, or began to write: hundreds of thousands of names where a site is large.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use object_store::path::Path as Key;

use super::super::PublishError;
use super::super::keys::{Keys, object_name};
use super::super::record::hash_bytes;

/// What bytes are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file, or a variant of one.
    Object,
    /// A manifest, a part of one, or a source index.
    Shard,
}

/// The hash of bytes, and the draft that keeps a copy of them apart.
pub(super) type Written = ([u8; 32], Option<Arc<str>>);

/// Bytes by what they are.
#[derive(Debug, Default)]
pub(super) struct Writings(BTreeMap<Written, Writing>);

#[derive(Clone, Copy, Debug)]
struct Writing {
    kind: Kind,
    size: u64,
    /// Whether the store has them.
    is_there: bool,
}

/// Bytes by their hash as records spell it, and their copy; nothing where it is no hash.
pub(super) fn written(hash: &str, copy: Option<&str>) -> Option<Written> {
    Some((hash_bytes(hash)?, copy.map(Arc::from)))
}

impl Kind {
    /// The key of bytes of this kind.
    pub(super) fn key(self, keys: Keys<'_>, hash: &str, copy: Option<&str>) -> Result<Key, PublishError> {
        match self {
            Self::Object => keys.object(hash, copy),
            Self::Shard => keys.shard(hash, copy),
        }
    }
}

impl Writings {
    /// The copy of bytes that were written; nothing where they were not.
    pub(super) fn copy_of(&self, hash: &str) -> Option<Option<String>> {
        let (hash, _) = written(hash, None)?;
        let copies = self.0.range((hash, None)..).take_while(|((known, _), _)| *known == hash);
        let mut there = copies.filter(|(_, writing)| writing.is_there);
        there.next().map(|((_, copy), _)| copy.as_deref().map(str::to_owned))
    }

    /// Takes note of bytes that are about to be written.
    pub(super) fn begin(&mut self, kind: Kind, written: Option<Written>, size: u64) {
        self.0.extend(written.map(|written| (written, Writing { kind, size, is_there: false })));
    }

    /// Takes note that the store has them.
    pub(super) fn end(&mut self, written: Option<Written>) {
        if let Some(writing) = written.and_then(|written| self.0.get_mut(&written)) {
            writing.is_there = true;
        }
    }

    /// Relies on nothing of it any more.
    pub(super) fn doubt(&mut self) {
        self.0.values_mut().for_each(|writing| writing.is_there = false);
    }

    /// All of them.
    pub(super) fn all(&self) -> BTreeSet<Written> {
        self.0.keys().cloned().collect()
    }

    /// Their names, with their lengths.
    pub(super) fn names(&self) -> impl Iterator<Item = (String, u64)> {
        let name = |(hash, copy): &Written| object_name(&blake3::Hash::from_bytes(*hash).to_hex(), copy.as_deref());
        self.0.iter().map(move |(written, writing)| (name(written), writing.size))
    }

    /// Their keys.
    pub(super) fn keys(&self, keys: Keys<'_>) -> Result<BTreeSet<Key>, PublishError> {
        let key = |((hash, copy), writing): (&Written, &Writing)| {
            writing.kind.key(keys, &blake3::Hash::from_bytes(*hash).to_hex(), copy.as_deref())
        };
        self.0.iter().map(key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::record::hash;
    use super::*;
    use crate::model::SiteId;

    #[test]
    fn what_is_written_is_known_by_its_hash_and_its_copy() {
        let (one, other, site) = (hash(b"one"), hash(b"other"), SiteId::parse("site").unwrap());
        let mut writings = Writings::default();
        writings.begin(Kind::Object, written(&one, None), 3);
        writings.begin(Kind::Shard, written(&other, Some("draft")), 5);
        // What was only begun may not be there.
        assert_eq!(writings.copy_of(&one), None);
        writings.end(written(&one, None));
        writings.end(written(&other, Some("draft")));
        assert_eq!((writings.copy_of(&one), writings.copy_of(&other)), (Some(None), Some(Some("draft".to_owned()))));
        let keys = writings.keys(Keys(&site)).unwrap();
        let expected = [Keys(&site).object(&one, None).unwrap(), Keys(&site).shard(&other, Some("draft")).unwrap()];
        assert_eq!(keys, expected.clone().into());
        let names: BTreeSet<String> = writings.names().map(|(name, _)| name).collect();
        assert_eq!(names, expected.iter().map(|key| key.filename().unwrap().to_owned()).collect());
        // A copy that is written beside bytes that are in doubt is another one.
        writings.doubt();
        writings.begin(Kind::Object, written(&one, Some("draft")), 3);
        writings.end(written(&one, Some("draft")));
        assert_eq!(writings.copy_of(&one), Some(Some("draft".to_owned())));
        assert_eq!(writings.all().len(), 3);
    }
}
