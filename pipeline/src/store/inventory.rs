//! Which objects the store holds, by one listing: what a draft may name without writing it, what is damaged, and what
//! is so old that a sweep may be about to delete it.

use std::collections::BTreeSet;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::damage::damage;
use super::keys::{SiteKeys, object_name};
use super::listed::ListedObject;
use super::record::{decode, encode};
use super::{
    ByName, ContentHash, Damage, Encoding, FileFlaw, ManifestEntry, Objects, Published, StoreError,
};
use crate::model::SiteId;

/// The objects and shards of a site, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Inventory {
    held: ByName<HeldObject>,
    /// Objects that have the right length and other bytes, as somebody found who read them.
    wrong: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug)]
struct HeldObject {
    size: u64,
    written: SystemTime,
}

/// The objects that a check of bytes found to be wrong, by their names.
#[derive(Debug, Default, Serialize, Deserialize)]
struct WrongObjects {
    objects: BTreeSet<String>,
}

impl Inventory {
    /// Lists what a site has; reads what is noted about wrong bytes, where something is.
    pub(super) async fn take(
        objects: &Objects,
        site: &SiteId,
        notes_damage: bool,
    ) -> Result<Self, StoreError> {
        let add = |held: &mut ByName<HeldObject>,
                   ListedObject { key, size, written }: ListedObject| {
            key.filename()
                .into_iter()
                .for_each(|name| held.insert(name, HeldObject { size, written }));
        };
        // Whoever writes a list of files wrote those before it, so what a list that is found names is found after it.
        let lists: ByName<HeldObject> = objects.list_into(&SiteKeys(site).shards()?, add).await?;
        let mut held: ByName<HeldObject> =
            objects.list_into(&SiteKeys(site).objects()?, add).await?;
        held.extend(lists);
        let wrong = if notes_damage {
            noted(objects, site).await?.objects
        } else {
            BTreeSet::new()
        };
        Ok(Self { held, wrong })
    }

    /// The same of bytes or of a copy of them; most files have one, so nothing is spelled for it.
    fn held_bytes(&self, hash: &ContentHash, copy: Option<&str>) -> Option<&HeldObject> {
        match copy {
            None => self.held.get_hash(hash),
            copy => self.held.get(&object_name(&hash.spelled(), copy)),
        }
    }

    /// Adds what was written since.
    pub(super) fn add<'w>(&mut self, written: impl IntoIterator<Item = (&'w str, u64)>) {
        let now = SystemTime::now();
        for (name, size) in written {
            // Its bytes are right now.
            self.wrong.remove(name);
            self.held.insert(name, HeldObject { size, written: now });
        }
    }

    /// What is wrong with bytes, or with a copy of them, that should be there.
    pub(super) fn flaw(
        &self,
        hash: &ContentHash,
        copy: Option<&str>,
        size: u64,
    ) -> Option<FileFlaw> {
        let is_wrong =
            || !self.wrong.is_empty() && self.wrong.contains(&object_name(&hash.spelled(), copy));
        match self.held_bytes(hash, copy) {
            None => Some(FileFlaw::Missing),
            Some(held) if held.size != size => Some(FileFlaw::Size),
            Some(_) if is_wrong() => Some(FileFlaw::Bytes),
            Some(_) => None,
        }
    }

    /// What is wrong with a file and its variants.
    fn flaws(&self, entry: &ManifestEntry) -> impl Iterator<Item = (Option<Encoding>, FileFlaw)> {
        let parts = hashes(entry).zip(entry.parts());
        parts.filter_map(|((encoding, hash, copy), (_, size))| {
            Some((encoding, self.flaw(&hash, copy, size)?))
        })
    }

    /// Whether a file and its variants are there, as far as a listing tells.
    pub(super) fn has(&self, entry: &ManifestEntry) -> bool {
        self.flaws(entry).next().is_none()
    }

    /// Whether something of this name is there.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.held.contains(name)
    }

    /// When an object was written.
    pub(super) fn written(&self, name: &str) -> Option<SystemTime> {
        self.held.get(name).map(|held| held.written)
    }

    /// Damage to the files of a deployment.
    pub(super) fn damage(&self, published: &Published) -> Vec<Damage> {
        let mut found = Vec::new();
        for (tree, _, entry) in published.files() {
            found.extend(
                self.flaws(entry)
                    .map(|(encoding, flaw)| damage(tree, entry, encoding, flaw)),
            );
        }
        found
    }
}

/// The hashes of a file and its variants, with the copies that lie apart.
pub(super) fn hashes(
    entry: &ManifestEntry,
) -> impl Iterator<Item = (Option<Encoding>, ContentHash, Option<&str>)> {
    let variants = entry.encodings.iter();
    let variants =
        variants.map(|(encoding, variant)| (Some(encoding), variant.hash, variant.copy.as_deref()));
    std::iter::once((None, entry.hash, entry.copy.as_deref())).chain(variants)
}

/// The names under which a file and its variants lie, with their lengths.
pub(super) fn parts(
    entry: &ManifestEntry,
) -> impl Iterator<Item = (Option<Encoding>, String, u64)> {
    let named = hashes(entry).zip(entry.parts());
    named.map(|((encoding, hash, copy), (_, size))| {
        (encoding, object_name(&hash.spelled(), copy), size)
    })
}

/// Writes down which objects have wrong bytes, so that the next build writes them anew.
///
/// # Errors
/// A [`StoreError`] when the store refuses.
pub async fn note_damage(
    objects: &Objects,
    published: &Published,
    damage: &[Damage],
) -> Result<(), StoreError> {
    let mut wrong = BTreeSet::new();
    for (tree, _, entry) in published.files() {
        let of_this = |found: &&Damage| found.tree == *tree && found.path == entry.path.as_str();
        for found in damage
            .iter()
            .filter(|found| found.flaw == FileFlaw::Bytes)
            .filter(of_this)
        {
            let part = parts(entry).find(|(encoding, _, _)| *encoding == found.encoding);
            wrong.extend(part.map(|(_, name, _)| name));
        }
    }
    let mut note = noted(objects, published.site()).await?;
    if wrong.is_subset(&note.objects) {
        return Ok(());
    }
    note.objects.extend(wrong);
    let key = SiteKeys(published.site()).damage_note()?;
    objects.put(&key, encode(&note, key.as_ref())?).await
}

/// Forgets what was noted, once it is written anew.
pub(super) async fn forget_damage(objects: &Objects, site: &SiteId) -> Result<(), StoreError> {
    objects.delete(vec![SiteKeys(site).damage_note()?]).await
}

async fn noted(objects: &Objects, site: &SiteId) -> Result<WrongObjects, StoreError> {
    let key = SiteKeys(site).damage_note()?;
    let Some(bytes) = objects.get(&key).await? else {
        return Ok(WrongObjects::default());
    };
    // A note that nobody can read says nothing; whoever checks again writes another.
    Ok(decode(&bytes, key.as_ref()).unwrap_or_default())
}
