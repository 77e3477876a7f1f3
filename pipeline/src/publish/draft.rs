//! A deployment being made: files are put, in any order and at the same time, and one last step makes it the site.
//!
//! A file that did not change against the previous deployment is not written again; the new manifest names the old
//! object. What is neither put nor kept is gone from the new deployment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use object_store::path::Path as Key;

use super::commit::{FORMAT, encode, hash};
use super::keys::{Keys, check_name};
use super::published::{create_commit, numbers};
use super::variants::prepare;
use super::{Commit, Entry, Manifest, Objects, PublishError, Published, Settings, Shard, SourceIndex, Tree, disk};
use crate::model::{PagePath, SiteId};

/// A deployment that is not the site yet.
#[derive(Debug)]
pub struct Draft {
    objects: Objects,
    site: SiteId,
    number: u64,
    previous: Option<Published>,
    /// Deployments before that, the newest first, where files are looked for that were there once.
    earlier: Vec<Published>,
    next: Mutex<Next>,
}

#[derive(Debug, Default)]
struct Next {
    trees: BTreeMap<Tree, Manifest>,
    sources: Option<SourceIndex>,
    claimed: BTreeSet<(Tree, String)>,
    written: u64,
    unchanged: u64,
}

/// A file to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name in its tree, as [`crate::model::object_name`] makes them.
    pub name: String,
    /// The path it answers to.
    pub path: PagePath,
    /// Its media type, as it is sent.
    pub content_type: String,
    /// Its bytes.
    pub body: Bytes,
    /// The address it was made from.
    pub source: Option<String>,
    /// Whether search engines are asked to leave it out.
    pub noindex: bool,
    /// The HTTP `Link` header that it is sent with.
    pub link: Option<String>,
}

impl Object {
    /// A file that search engines may know, without a header of its own.
    pub fn new(name: String, path: PagePath, content_type: &str, body: impl Into<Bytes>) -> Self {
        let (content_type, body) = (content_type.to_owned(), body.into());
        Self { name, path, content_type, body, source: None, noindex: false, link: None }
    }
}

/// What putting a file did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It is new or changed and was written.
    Written,
    /// The previous deployment has the same bytes; nothing was written.
    Unchanged,
    /// It is new or changed, and an earlier deployment that is kept has the same bytes; nothing was written.
    Recalled,
}

/// What a finished deployment changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The deployment that is the site now.
    pub deployment: u64,
    /// Files written.
    pub written: u64,
    /// Files of the previous deployment that are gone.
    pub removed: u64,
    /// Files that stayed as they were.
    pub unchanged: u64,
    /// Whether there is a new deployment; without any change there is none.
    pub created: bool,
}

impl Draft {
    /// Begins the deployment that follows the newest one, and removes what a killed build left in its place.
    pub async fn begin(objects: &Objects, site: &SiteId) -> Result<Self, PublishError> {
        let number = numbers(objects, site).await?.pop().unwrap_or(0) + 1;
        let previous = Published::newest(objects, site, None).await?;
        let leftovers = objects.list(&Keys(site).deployment(number)?).await?;
        objects.delete(leftovers.into_iter().map(|meta| meta.location).collect()).await?;
        disk::remove_leftovers(objects, &Keys(site).deployment(number)?).await?;
        disk::remove_leftovers(objects, &Keys(site).sources()?).await?;
        disk::remove_leftover_files(objects, &Keys(site).deployments()?).await?;
        let (objects, site, earlier) = (objects.clone(), site.clone(), Vec::new());
        Ok(Self { objects, site, number, previous, earlier, next: Mutex::default() })
    }

    /// Lets the files of all deployments that are kept be named again: what was switched off comes back at no cost.
    pub async fn recall_earlier(&mut self) -> Result<(), PublishError> {
        let Some(previous) = &self.previous else { return Ok(()) };
        let kept = numbers(&self.objects, &self.site).await?;
        for number in kept.into_iter().rev().filter(|number| *number < previous.deployment()) {
            match Published::load(&self.objects, &self.site, number, self.previous.as_ref()).await {
                Ok(earlier) => self.earlier.push(earlier),
                // Without it, files are written again.
                Err(PublishError::Damaged { .. } | PublishError::Unknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The deployment that was the site when this one was begun.
    pub fn previous(&self) -> Option<&Published> {
        self.previous.as_ref()
    }

    /// Puts a file; many may be put at the same time.
    pub async fn put(&self, tree: &Tree, object: Object) -> Result<Put, PublishError> {
        check_name(&object.name)?;
        self.claim(tree, &object.name)?;
        let result = self.write(tree, &object).await;
        let mut next = self.next();
        match result {
            Ok((put, entry)) => {
                match put {
                    Put::Written => next.written += 1,
                    Put::Unchanged => next.unchanged += 1,
                    Put::Recalled => {}
                }
                next.trees.entry(tree.clone()).or_default().objects.insert(object.name, entry);
                Ok(put)
            }
            Err(error) => {
                next.claimed.remove(&(tree.clone(), object.name));
                Err(error)
            }
        }
    }

    /// Carries a file of the previous deployment over; says whether there is one.
    pub fn keep(&self, tree: &Tree, name: &str) -> Result<bool, PublishError> {
        let Some(entry) = self.old(tree, name) else { return Ok(false) };
        self.claim(tree, name)?;
        let mut next = self.next();
        next.unchanged += 1;
        next.trees.entry(tree.clone()).or_default().objects.insert(name.to_owned(), entry.clone());
        Ok(true)
    }

    /// Carries a whole tree of the previous deployment over, for a build of other locales; skips what was put.
    pub fn keep_tree(&self, tree: &Tree) -> Result<(), PublishError> {
        let Some(old) = self.previous.as_ref().and_then(|previous| previous.manifest(tree)) else { return Ok(()) };
        for name in old.objects.keys() {
            if !self.next().claimed.contains(&(tree.clone(), name.clone())) {
                self.keep(tree, name)?;
            }
        }
        self.next().trees.entry(tree.clone()).or_default().missing.extend(old.missing.iter().cloned());
        Ok(())
    }

    /// Records a page that the source site has and this tree lacks, or has only with a notice.
    pub fn miss(&self, tree: &Tree, path: PagePath) {
        self.next().trees.entry(tree.clone()).or_default().missing.insert(path);
    }

    /// Records what the deployment is made of.
    pub fn made_of(&self, sources: SourceIndex) {
        self.next().sources = Some(sources);
    }

    /// Makes the deployment the site, in one step; without any change there is no new deployment.
    pub async fn finish(self, settings: Settings) -> Result<Finished, PublishError> {
        settings.check()?;
        let Next { mut trees, sources, written, unchanged, .. } = std::mem::take(&mut *self.next());
        trees.retain(|_, manifest| !manifest.is_empty());
        let mut shards = BTreeMap::new();
        let mut changed = Vec::new();
        for (tree, manifest) in &trees {
            let key = Keys(&self.site).manifest(self.number, tree)?;
            let bytes = encode(manifest, key.as_ref())?;
            let shard = Shard { deployment: self.number, hash: hash(&bytes), objects: count(manifest.objects.len()) };
            let shard = self.old_shard(tree, &shard).unwrap_or(shard);
            if shard.deployment == self.number {
                changed.push((key, bytes));
            }
            shards.insert(tree.clone(), shard);
        }
        let sources = match sources {
            Some(index) => {
                let (shard, bytes) = self.source_shard(&index)?;
                changed.extend(bytes);
                Some(shard)
            }
            None => None,
        };
        let removed = self.removed(&trees);
        let old = self.previous.as_ref().map(Published::commit);
        if let Some(old) = old.filter(|old| old.trees == shards && old.settings == settings && old.sources == sources) {
            self.tidy(&BTreeMap::new()).await?;
            return Ok(Finished { deployment: old.deployment, written, removed, unchanged, created: false });
        }
        self.tidy(&trees).await?;
        for (key, bytes) in changed {
            self.objects.put(&key, bytes).await?;
        }
        disk::sync(&self.objects, &Keys(&self.site).deployment(self.number)?).await?;
        let rolled_back = old.and_then(|old| old.rolled_back);
        let (format, deployment) = (FORMAT, self.number);
        let commit = Commit { format, deployment, restores: None, rolled_back, settings, trees: shards, sources };
        create_commit(&self.objects, &self.site, commit).await?;
        Ok(Finished { deployment: self.number, written, removed, unchanged, created: true })
    }

    async fn write(&self, tree: &Tree, object: &Object) -> Result<(Put, Entry), PublishError> {
        let Object { name, path, content_type, body, source, noindex, link } = object;
        let old = self.old(tree, name).filter(|old| old.content_type == *content_type);
        let is_same_kind = |old: &&Entry| old.content_type == *content_type;
        let earlier = || self.earlier.iter().filter_map(|earlier| named(earlier, tree, name)).filter(is_same_kind);
        let known: Vec<String> = old.into_iter().chain(earlier()).map(|entry| entry.hash.clone()).collect();
        let (bytes, kind) = (body.clone(), content_type.clone());
        let prepared = tokio::task::spawn_blocking(move || prepare(&bytes, &kind, &known)).await?;
        if let Some(old) = old.filter(|old| old.hash == prepared.hash) {
            let (source, link) = (source.clone(), link.clone());
            let entry = Entry { path: path.clone(), source, link, noindex: *noindex, ..old.clone() };
            return Ok((Put::Unchanged, entry));
        }
        if let Some(old) = earlier().find(|old| old.hash == prepared.hash) {
            let (path, source, link) = (path.clone(), source.clone(), link.clone());
            let since = Some(self.number);
            return Ok((Put::Recalled, Entry { path, source, link, since, noindex: *noindex, ..old.clone() }));
        }
        let key = |encoding| Keys(&self.site).object(self.number, tree, name, encoding);
        self.objects.put(&key(None)?, body.clone()).await?;
        let mut encodings = BTreeMap::new();
        for (encoding, bytes) in prepared.variants {
            encodings.insert(encoding, count(bytes.len()));
            self.objects.put(&key(Some(encoding))?, bytes).await?;
        }
        let entry = Entry {
            deployment: self.number,
            since: None,
            hash: prepared.hash,
            size: count(body.len()),
            content_type: content_type.clone(),
            encodings,
            path: path.clone(),
            source: source.clone(),
            noindex: *noindex,
            link: link.clone(),
        };
        Ok((Put::Written, entry))
    }

    /// Removes what was written but is not named (a put that failed half-way), and checks that the rest is there.
    async fn tidy(&self, trees: &BTreeMap<Tree, Manifest>) -> Result<(), PublishError> {
        let mut named: BTreeMap<Key, u64> = BTreeMap::new();
        for (tree, manifest) in trees {
            for (name, entry) in manifest.objects.iter().filter(|(_, entry)| entry.deployment == self.number) {
                named.extend(object_keys(&self.site, tree, name, entry)?);
            }
        }
        let mut leftovers = Vec::new();
        for meta in self.objects.list(&Keys(&self.site).deployment(self.number)?).await? {
            match named.get(&meta.location) {
                Some(size) if *size == meta.size => drop(named.remove(&meta.location)),
                Some(_) | None => leftovers.push(meta.location),
            }
        }
        if !named.is_empty() {
            return Err(PublishError::Overtaken { site: self.site.clone(), deployment: self.number });
        }
        self.objects.delete(leftovers).await
    }

    fn removed(&self, trees: &BTreeMap<Tree, Manifest>) -> u64 {
        let Some(previous) = &self.previous else { return 0 };
        let old = previous.trees().flat_map(|tree| {
            let names = previous.manifest(tree).into_iter().flat_map(|manifest| manifest.objects.keys());
            names.map(move |name| (tree, name))
        });
        let stays = |tree, name| trees.get(tree).is_some_and(|manifest| manifest.objects.contains_key(name));
        count(old.filter(|(tree, name)| !stays(tree, *name)).count())
    }

    /// Names a source index, and gives its key and bytes where the previous deployment has another.
    fn source_shard(&self, index: &SourceIndex) -> Result<(Shard, Option<(Key, Bytes)>), PublishError> {
        let key = Keys(&self.site).source_index(self.number)?;
        let bytes = encode(index, key.as_ref())?;
        let shard = Shard { deployment: self.number, hash: hash(&bytes), objects: count(index.records.len()) };
        let old = self.previous.as_ref().and_then(|previous| previous.commit().sources.clone());
        match old.filter(|old| old.hash == shard.hash) {
            Some(old) => Ok((old, None)),
            None => Ok((shard, Some((key, bytes)))),
        }
    }

    fn old(&self, tree: &Tree, name: &str) -> Option<&Entry> {
        named(self.previous.as_ref()?, tree, name)
    }

    fn old_shard(&self, tree: &Tree, new: &Shard) -> Option<Shard> {
        self.previous.as_ref()?.commit().trees.get(tree).filter(|old| old.hash == new.hash).cloned()
    }

    fn claim(&self, tree: &Tree, name: &str) -> Result<(), PublishError> {
        if self.next().claimed.insert((tree.clone(), name.to_owned())) {
            return Ok(());
        }
        Err(PublishError::Twice { tree: tree.to_string(), name: name.to_owned() })
    }

    /// Never held across an await; a thread that panicked while holding it left whole records.
    fn next(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The record of a file in a deployment.
fn named<'p>(published: &'p Published, tree: &Tree, name: &str) -> Option<&'p Entry> {
    published.manifest(tree)?.objects.get(name)
}

/// The keys of a file and its variants, with their lengths.
pub(super) fn object_keys(
    site: &SiteId,
    tree: &Tree,
    name: &str,
    entry: &Entry,
) -> Result<Vec<(Key, u64)>, PublishError> {
    let key = |encoding| Keys(site).object(entry.deployment, tree, name, encoding);
    let variants = entry.encodings.iter().map(|(encoding, size)| Ok((key(Some(*encoding))?, *size)));
    std::iter::once(Ok((key(None)?, entry.size))).chain(variants).collect()
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
