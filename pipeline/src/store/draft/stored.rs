//! What a draft writes: bytes under their hash, manifests, and the mark that says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use serde::Serialize;

use super::super::inventory::{forget_damage, hashes};
use super::super::keys::{SiteKeys, object_name};
use super::super::listing::latest;
use super::super::manifest::{ManifestFiles, ManifestPart, NamedEntry, PartName, StoredManifest};
use super::super::objects::PARALLEL;
use super::super::record::encode;
use super::super::sweep::make_room;
use super::super::{Commit, ContentHash, Manifest, Shard, StoreError, Tree, disk};
use super::writings::{WritingKind, WrittenAt, written};
use super::{Draft, NextDeployment, PART, count};
use crate::model::PagePath;

/// So many objects are brought to the disk together.
const SLICE: usize = 4096;
/// Bytes that are older and that nobody names may be about to be deleted by a sweep that goes by age.
const OLD: Duration = Duration::from_secs(12 * 3600);

impl Draft {
    /// Writes bytes under their hash, once in this draft; gives the copy's name where the key of the hash is old.
    pub(super) async fn store(
        &self,
        hash: ContentHash,
        bytes: Bytes,
    ) -> Result<Option<Box<str>>, StoreError> {
        // What only lacks variants has its other bytes there, and readers get them.
        let lacks_variants = self.base.previous.is_some() && self.base.to_name().is_none();
        let is_whole = || {
            self.base
                .inventory
                .flaw(&hash, None, count(bytes.len()))
                .is_none()
        };
        if lacks_variants && self.base.names(&hash.spelled()) && is_whole() {
            return Ok(None);
        }
        self.store_at(WritingKind::Object, hash, bytes).await
    }

    async fn store_at(
        &self,
        kind: WritingKind,
        hash: ContentHash,
        bytes: Bytes,
    ) -> Result<Option<Box<str>>, StoreError> {
        let known = self.next().writings.place_of(hash);
        match known {
            Some(WrittenAt::Hash) => return Ok(None),
            Some(WrittenAt::Copy(copy)) => return Ok(Some(copy)),
            None => {}
        }
        let copy = self.copy_of(&hash.spelled()).await?;
        let key = kind.key(SiteKeys(&self.site), &hash.spelled(), copy.as_deref())?;
        let written = (hash, copy.as_deref().map(Arc::from));
        self.have_room().await?;
        let _writing = self.lock.read().await;
        {
            let mut next = self.next();
            next.writings
                .begin(kind, written.clone(), count(bytes.len()));
            next.fresh += count(bytes.len());
        }
        self.objects.put_within(&key, bytes).await?;
        self.next().writings.end(written);
        Ok(copy)
    }

    /// Once much of the site is written anew, deletes what this deployment pushes out, where nobody else works.
    async fn have_room(&self) -> Result<(), StoreError> {
        // What is recalled is named by what would go.
        let Some(keep) = self.keep.filter(|keep| *keep > 1 && !self.recalls) else {
            return Ok(());
        };
        let is_due =
            |next: &NextDeployment| !next.has_room && next.fresh > self.base.bytes() / PART;
        if !is_due(&self.next()) {
            return Ok(());
        }
        let mut lock = self.lock.write().await;
        if !is_due(&self.next()) {
            return Ok(());
        }
        self.next().has_room = true;
        if !lock.rise(&self.objects, &self.site).await? {
            return Ok(());
        }
        // Whoever was faster meanwhile has dropped what had to go.
        let is_first =
            latest(&self.objects, &self.site, None).await?.unwrap_or(0) + 1 == self.base.number;
        let written = self
            .next()
            .writings
            .keys(SiteKeys(&self.site))
            .collect::<Result<_, _>>()?;
        self.warm.forget_objects(&self.site);
        let made = match is_first {
            true => {
                make_room(
                    &self.objects,
                    &self.site,
                    keep - 1,
                    &written,
                    self.previous(),
                )
                .await
            }
            false => Ok(()),
        };
        lock.sink(&self.objects, &self.site).await?;
        made
    }

    /// Whether bytes need a copy of their own: where sweeps go by age, one may have listed the old ones already.
    async fn copy_of(&self, hash: &str) -> Result<Option<Box<str>>, StoreError> {
        let now = *self.marked.get_or_try_init(|| self.mark()).await?;
        if self.is_locked || self.base.names(hash) {
            return Ok(None);
        }
        let written = self.base.inventory.written(&object_name(hash, None));
        let is_old =
            written.is_some_and(|written| now.duration_since(written).is_ok_and(|age| age > OLD));
        Ok(is_old.then(|| (*self.id).into()))
    }

    /// Says that objects may lie in the store that no commit will ever name; gives the store's time.
    async fn mark(&self) -> Result<SystemTime, StoreError> {
        let key = SiteKeys(&self.site).draft_mark(&self.id)?;
        self.objects.put(&key, Bytes::from_static(b"{}\n")).await?;
        self.objects.written(&key).await
    }

    /// Writes a tree's manifest and those of its parts that the deployment does not have which is the site now; nothing where the
    /// tree is empty.
    pub(super) async fn write_tree(
        &self,
        tree: &Tree,
        files: impl Iterator<Item = NamedEntry>,
        missing: BTreeSet<PagePath>,
    ) -> Result<Option<(Shard, Manifest)>, StoreError> {
        let old = self
            .base
            .previous
            .as_ref()
            .and_then(|old| old.manifest(tree));
        let cut = ManifestFiles::cut(files, old.map(|old| &old.objects));
        if cut.is_empty() && missing.is_empty() {
            return Ok(None);
        }
        let parts = cut.parts().iter().map(|part| async move {
            match part.place {
                Some(_) => Ok(Arc::clone(part)),
                None => self
                    .write_part(part)
                    .await
                    .map(|place| Arc::new(part.at(place))),
            }
        });
        let parts: Vec<Arc<ManifestPart>> =
            stream::iter(parts).buffered(PARALLEL).try_collect().await?;
        let stored = StoredManifest {
            parts: parts.iter().filter_map(|part| part.place.clone()).collect(),
            missing: missing.clone(),
        };
        let shard = self
            .write_shard(&stored, cut.len(), self.base.old_shard(tree))
            .await?;
        Ok(Some((
            shard,
            Manifest {
                objects: ManifestFiles::of(parts),
                missing,
            },
        )))
    }

    async fn write_part(&self, part: &ManifestPart) -> Result<PartName, StoreError> {
        let bytes = encode(part, self.site.as_str())?;
        let hash = ContentHash::of(&bytes);
        let copy = self
            .store_at(WritingKind::Shard, hash, bytes)
            .await?
            .map(String::from);
        Ok(PartName {
            hash: hash.to_string(),
            copy,
        })
    }

    /// Writes a manifest or source index, unless the previous deployment has the same.
    pub(super) async fn write_shard<T: Serialize>(
        &self,
        record: &T,
        objects: usize,
        old: Option<&Shard>,
    ) -> Result<Shard, StoreError> {
        let bytes = encode(record, self.site.as_str())?;
        let hash = ContentHash::of(&bytes);
        if let Some(old) = old.filter(|old| *old.hash == *hash.spelled()) {
            return Ok(old.clone());
        }
        let copy = self
            .store_at(WritingKind::Shard, hash, bytes)
            .await?
            .map(String::from);
        Ok(Shard {
            deployment: self.base.number,
            hash: hash.to_string(),
            objects: count(objects),
            copy,
        })
    }

    /// Waits until the disk has all that this draft wrote.
    pub(super) async fn sync(&self) -> Result<(), StoreError> {
        let mut last = None;
        let slice = || {
            let next = self.next();
            let slice: Vec<_> = next.writings.after(last.take()).take(SLICE).collect();
            last = slice.last().map(|(written, _)| written.clone());
            slice
                .iter()
                .map(|((hash, copy), kind)| {
                    kind.key(SiteKeys(&self.site), &hash.spelled(), copy.as_deref())
                })
                .collect()
        };
        disk::sync(&self.objects, slice).await
    }

    /// Takes the mark away, unless this draft wrote what is not named after all: then a sweep has to look for it.
    pub(super) async fn leave(
        &self,
        commit: &Commit,
        trees: &BTreeMap<Tree, Manifest>,
    ) -> Result<(), StoreError> {
        let keys = SiteKeys(&self.site);
        let mended = self.next().mended > 0;
        if mended {
            // A live tree on a disk may still show what was damaged; without its marker it is compared file by file.
            self.objects.delete(vec![keys.live_marker()?]).await?;
        }
        if mended || self.base.notes_damage {
            forget_damage(&self.objects, &self.site).await?;
        }
        if !self.marked.initialized() {
            return Ok(());
        }
        let shards = commit.trees.values().chain(&commit.sources);
        let shards = shards.map(|shard| written(&shard.hash, shard.copy.as_deref()));
        let places = trees
            .values()
            .flat_map(|manifest| manifest.objects.parts())
            .filter_map(|part| part.place.as_ref());
        let places = places.map(|place| written(&place.hash, place.copy.as_deref()));
        let files = trees
            .values()
            .flat_map(|manifest| manifest.objects.values())
            .flat_map(hashes);
        let files = files.map(|(_, hash, copy)| Some((hash, copy.map(Arc::from))));
        let are_all_named = self
            .next()
            .writings
            .are_all_named(shards.chain(places).chain(files));
        if are_all_named {
            self.objects.delete(vec![keys.draft_mark(&self.id)?]).await
        } else {
            Ok(())
        }
    }

    /// Whether what it wrote may have been swept by now.
    pub(super) fn is_old(&self) -> bool {
        !self.is_locked && self.begun.elapsed().is_ok_and(|age| age > OLD)
    }
}
