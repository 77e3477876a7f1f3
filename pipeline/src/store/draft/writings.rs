//! What a draft wrote, or began to write: hundreds of thousands of names where a site is large.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use object_store::path::Path as Key;

use super::super::keys::{SiteKeys, object_name};
use super::super::{ContentHash, StoreError};
use super::by_hash::ByHash;

/// What bytes are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WritingKind {
    /// A file, or a variant of one.
    Object,
    /// A manifest, a part of one, or a source index.
    Shard,
}

/// Place of bytes that a draft wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrittenAt {
    /// Under their hash.
    Hash,
    /// Under their hash and the name of the draft that keeps this copy apart.
    Copy(Box<str>),
}

/// The hash of bytes, and the draft that keeps a copy of them apart.
pub(super) type WrittenBytes = (ContentHash, Option<Arc<str>>);

/// Bytes by what they are. Copies are rare.
#[derive(Debug, Default)]
pub(super) struct Writings {
    plain: ByHash<DraftWriting>,
    copies: BTreeMap<(ContentHash, Arc<str>), DraftWriting>,
}

#[derive(Clone, Copy, Debug)]
struct DraftWriting {
    size: u64,
    kind: WritingKind,
    /// Whether the store has them.
    is_there: bool,
    /// Whether the deployment names them.
    is_named: bool,
}

/// Bytes by their hash as records spell it, and their copy; nothing where it is no hash.
pub(super) fn written(hash: &str, copy: Option<&str>) -> Option<WrittenBytes> {
    Some((ContentHash::parse(hash)?, copy.map(Arc::from)))
}

impl WritingKind {
    /// The key of bytes of this kind.
    pub(super) fn key(
        self,
        keys: SiteKeys<'_>,
        hash: &str,
        copy: Option<&str>,
    ) -> Result<Key, StoreError> {
        match self {
            Self::Object => keys.object(hash, copy),
            Self::Shard => keys.shard(hash, copy),
        }
    }
}

impl Writings {
    /// Place of bytes that this draft wrote; `None` if it did not write them.
    pub(super) fn place_of(&self, hash: ContentHash) -> Option<WrittenAt> {
        if self.plain.get(hash).is_some_and(|writing| writing.is_there) {
            return Some(WrittenAt::Hash);
        }
        let copies = self
            .copies
            .range((hash, Arc::from(""))..)
            .take_while(|((known, _), _)| *known == hash);
        let mut there = copies.filter(|(_, writing)| writing.is_there);
        there
            .next()
            .map(|((_, copy), _)| WrittenAt::Copy((**copy).into()))
    }

    /// Takes note of bytes that are about to be written.
    pub(super) fn begin(&mut self, kind: WritingKind, (hash, copy): WrittenBytes, size: u64) {
        let writing = DraftWriting {
            size,
            kind,
            is_there: false,
            is_named: false,
        };
        match copy {
            None => self.plain.insert(hash, writing),
            Some(copy) => drop(self.copies.insert((hash, copy), writing)),
        }
    }

    /// Takes note that the store has them.
    pub(super) fn end(&mut self, written: WrittenBytes) {
        if let Some(writing) = self.of(written) {
            writing.is_there = true;
        }
    }

    /// Relies on nothing of it any more.
    pub(super) fn doubt(&mut self) {
        self.all_mut().for_each(|writing| writing.is_there = false);
    }

    /// Whether a deployment that names all these names all that was written.
    pub(super) fn are_all_named(
        &mut self,
        named: impl Iterator<Item = Option<WrittenBytes>>,
    ) -> bool {
        self.all_mut().for_each(|writing| writing.is_named = false);
        for written in named.flatten() {
            if let Some(writing) = self.of(written) {
                writing.is_named = true;
            }
        }
        self.all_mut().all(|writing| writing.is_named)
    }

    /// Their names, with their lengths.
    pub(super) fn names(&self) -> impl Iterator<Item = (String, u64)> {
        self.all()
            .map(move |(hash, copy, writing)| (object_name(&hash.spelled(), copy), writing.size))
    }

    /// Their keys.
    pub(super) fn keys<'w>(
        &'w self,
        keys: SiteKeys<'w>,
    ) -> impl Iterator<Item = Result<Key, StoreError>> + 'w {
        self.all()
            .map(move |(hash, copy, writing)| writing.kind.key(keys, &hash.spelled(), copy))
    }

    /// What was written and comes after this; all where that is nothing.
    pub(super) fn after(
        &self,
        last: Option<WrittenBytes>,
    ) -> impl Iterator<Item = (WrittenBytes, WritingKind)> {
        let (hash, copy) = last.map_or((None, None), |(hash, copy)| (Some(hash), copy));
        // Copies come after all others.
        let plain = copy
            .is_none()
            .then(|| self.plain.after(hash))
            .into_iter()
            .flatten();
        let copies = hash.zip(copy).map_or(Bound::Unbounded, Bound::Excluded);
        let plain = plain.map(|(hash, writing)| ((hash, None), writing.kind));
        let copies = self.copies.range((copies, Bound::Unbounded));
        plain.chain(
            copies.map(|((hash, copy), writing)| ((*hash, Some(Arc::clone(copy))), writing.kind)),
        )
    }

    fn all(&self) -> impl Iterator<Item = (ContentHash, Option<&str>, &DraftWriting)> {
        let plain = self
            .plain
            .iter()
            .map(|(hash, writing)| (hash, None, writing));
        plain.chain(
            self.copies
                .iter()
                .map(|((hash, copy), writing)| (*hash, Some(&**copy), writing)),
        )
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut DraftWriting> {
        self.plain.values_mut().chain(self.copies.values_mut())
    }

    fn of(&mut self, written: WrittenBytes) -> Option<&mut DraftWriting> {
        match written {
            (hash, None) => self.plain.get_mut(hash),
            (hash, Some(copy)) => self.copies.get_mut(&(hash, copy)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::SiteId;

    #[test]
    fn what_is_written_is_known_by_its_hash_and_its_copy() {
        let one = ContentHash::of(b"one");
        let other = ContentHash::of(b"other");
        let site = SiteId::parse("site").unwrap();
        let plain = |hash| (hash, None);
        let copy = |hash| (hash, Some("draft".into()));
        let mut writings = Writings::default();
        writings.begin(WritingKind::Object, plain(one), 3);
        writings.begin(WritingKind::Shard, copy(other), 5);
        // What was only begun may not be there.
        assert_eq!(writings.place_of(one), None);
        writings.end(plain(one));
        writings.end(copy(other));
        assert_eq!(writings.place_of(one), Some(WrittenAt::Hash));
        assert_eq!(
            writings.place_of(other),
            Some(WrittenAt::Copy("draft".into()))
        );
        let keys: Vec<Key> = writings
            .keys(SiteKeys(&site))
            .collect::<Result<_, _>>()
            .unwrap();
        let expected = [
            SiteKeys(&site).object(&one.spelled(), None).unwrap(),
            SiteKeys(&site)
                .shard(&other.spelled(), Some("draft"))
                .unwrap(),
        ];
        assert_eq!(keys, expected);
        let names: BTreeSet<String> = writings.names().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            expected
                .iter()
                .map(|key| key.filename().unwrap().to_owned())
                .collect()
        );
        // A copy that is written beside bytes that are in doubt is another one.
        writings.doubt();
        writings.begin(WritingKind::Object, copy(one), 3);
        writings.end(copy(one));
        assert_eq!(
            writings.place_of(one),
            Some(WrittenAt::Copy("draft".into()))
        );
        let all = [plain(one), copy(one), copy(other)];
        assert_eq!(writings.names().count(), all.len());
        // Whoever goes through them one by one sees each once.
        let mut seen: Vec<WrittenBytes> = Vec::new();
        while let Some((written, _)) = writings.after(seen.last().cloned()).next() {
            seen.push(written);
        }
        assert_eq!(
            (seen.len(), BTreeSet::from_iter(seen)),
            (all.len(), all.iter().cloned().collect())
        );
        // Bytes of the same hash are others in another copy.
        for left in 0..all.len() {
            let named = all
                .iter()
                .enumerate()
                .filter(|(place, _)| *place != left)
                .map(|(_, written)| Some(written.clone()));
            assert!(!writings.are_all_named(named), "{left}");
        }
        assert!(writings.are_all_named(all.into_iter().map(Some)));
    }
}
