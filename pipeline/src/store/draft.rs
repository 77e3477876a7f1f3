//! A deployment being made: files are put, in any order and at the same time, and one last step makes it the site.
//!
//! Bytes lie under their hash, so drafts of several builders cannot harm each other, and beginning one deletes nothing. A
//! file is not written again where the deployment that is the site now, or one that this draft recalled, names the same
//! bytes and the store has them; bytes that nobody names are written even where their key is there, because a power cut
//! may have left them torn. What is neither put nor kept is gone from the new deployment.
//!
//! Whoever finds the number taken begins again on top of the winner ([`Draft::begin_again`]); what was written stays.
//!
//! One file: the order of writes that makes a deployment.

mod by_hash;
mod object;
mod stored;
mod writings;

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use tokio::sync::{OnceCell, RwLock};

use super::base::DraftBase;
use super::commit::FORMAT;
use super::keys::{SiteKeys, check_name};
use super::listing::{create_commit, new_draft};
use super::lock::Lock;
use super::manifest::FilePlace;
use super::reading::gone;
use super::record::damaged;
use super::variants::prepare;
use super::{
    Ahead, Commit, ContentHash, Damage, Encoding, ManifestEntry, Objects, Published,
    ServingSettings, SourceIndex, StoreError, Tree, Variant, Warm,
};
use crate::model::{PagePath, SiteId};
use crate::threads::on_thread;
pub use object::{FinishedDraft, Object, Put};
use writings::Writings;

/// A draft makes room once it has written a part of the site anew: one of so many.
const PART: u64 = 20;

/// A deployment that is not the site yet.
#[derive(Debug)]
pub struct Draft {
    objects: Objects,
    site: SiteId,
    id: String,
    /// Shared while something is written; alone while room is made.
    lock: RwLock<Lock>,
    is_locked: bool,
    /// How many deployments are kept, once this one is the site; nothing where no room is to be made.
    keep: Option<usize>,
    /// True if the run that writes it only renders.
    is_rendered: bool,
    begun: SystemTime,
    recalls: bool,
    warm: Warm,
    base: DraftBase,
    /// When the store says that this draft began to write.
    marked: OnceCell<SystemTime>,
    next: Mutex<NextDeployment>,
}

/// A tree being made.
#[derive(Debug, Default)]
struct NextTree {
    /// The files by name; nothing where somebody is writing one.
    files: BTreeMap<Arc<str>, Option<Arc<ManifestEntry>>>,
    missing: BTreeSet<PagePath>,
    /// Where the last file that was kept is in the tree of before: the next one is likely to follow it.
    kept: FilePlace,
}

#[derive(Debug, Default)]
struct NextDeployment {
    trees: BTreeMap<Tree, NextTree>,
    sources: Option<SourceIndex>,
    /// All that it wrote, or began to write.
    writings: Writings,
    /// How many bytes those have.
    fresh: u64,
    /// Whether room was made, or tried to be.
    has_room: bool,
    written: u64,
    unchanged: u64,
    mended: u64,
}

impl Draft {
    /// Begins the deployment that follows the newest one.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed, or when a newer version of Latimer wrote there.
    pub async fn begin(objects: &Objects, site: &SiteId) -> Result<Self, StoreError> {
        Self::begin_under(
            objects,
            site,
            Lock::share(objects, site).await?,
            None,
            &Warm::default(),
            None,
        )
        .await
    }

    /// The same with a shared lock of the site, which is held for as long as the draft is. `known` is a deployment loaded
    /// earlier; what the newest one shares with it is not read again. `warm` is what this process knows of the store, and `ahead` its
    /// objects that are being listed.
    ///
    /// # Errors
    /// As above.
    pub async fn begin_under(
        objects: &Objects,
        site: &SiteId,
        lock: Lock,
        known: Option<&Published>,
        warm: &Warm,
        ahead: Option<Ahead>,
    ) -> Result<Self, StoreError> {
        let base = DraftBase::load(objects, site, false, known, warm, ahead).await?;
        Ok(Self {
            objects: objects.clone(),
            site: site.clone(),
            id: new_draft(),
            is_locked: lock.holds(),
            lock: RwLock::new(lock),
            keep: None,
            is_rendered: false,
            begun: SystemTime::now(),
            recalls: false,
            warm: warm.clone(),
            base,
            marked: OnceCell::new(),
            next: Mutex::default(),
        })
    }

    /// Never lets a folder hold more than `keep` deployments, this one counted, while nobody else works there: what this
    /// one pushes out goes as soon as much of the site is written anew, not after it.
    #[must_use]
    pub fn keeping(self, keep: usize) -> Self {
        Self {
            keep: Some(keep),
            ..self
        }
    }

    /// Marks the deployment as one of a run that only renders.
    #[must_use]
    pub fn rendered(self, is_rendered: bool) -> Self {
        Self {
            is_rendered,
            ..self
        }
    }

    /// Begins again on top of what is the site now, after another builder was faster.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed.
    pub async fn begin_again(&mut self) -> Result<(), StoreError> {
        let known = self.base.previous.take();
        // The winner wrote what nobody here knows of.
        self.warm.forget_objects(&self.site);
        self.base = DraftBase::load(
            &self.objects,
            &self.site,
            self.recalls,
            known.as_ref(),
            &self.warm,
            None,
        )
        .await?;
        let NextDeployment {
            mut writings,
            fresh,
            ..
        } = std::mem::take(&mut *self.next());
        if self.is_old() {
            // A sweep that goes by age may have taken what was written long ago.
            writings.doubt();
            (self.marked, self.begun) = (OnceCell::new(), SystemTime::now());
        }
        *self.next() = NextDeployment {
            writings,
            fresh,
            ..NextDeployment::default()
        };
        Ok(())
    }

    /// Lets the files of all deployments that are kept be named again: what was switched off comes back at no cost.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed.
    pub async fn recall_earlier(&mut self) -> Result<(), StoreError> {
        self.recalls = true;
        self.base = std::mem::take(&mut self.base)
            .with_earlier(&self.objects, &self.site)
            .await?;
        Ok(())
    }

    /// The deployment that was the site when this one was begun.
    pub fn previous(&self) -> Option<&Published> {
        self.base.previous.as_ref()
    }

    /// The rollback that this draft would undo, if one was made after the deployment `began`, on which the work was begun.
    pub fn undoes(&self, began: u64) -> Option<u64> {
        self.previous()
            .and_then(|previous| previous.commit().rolled_back)
            .filter(|rollback| *rollback > began)
    }

    /// What is wrong with the files of that deployment; putting them again writes them anew.
    pub fn damage(&self) -> &[Damage] {
        &self.base.damage
    }

    /// Whether somebody noted damage that a build has to look at.
    pub fn notes_damage(&self) -> bool {
        self.base.notes_damage
    }

    /// What is wrong with deployments that are newer than it and that readers pass over.
    pub fn passed_over(&self) -> &[StoreError] {
        &self.base.passed_over
    }

    /// Puts a file; many may be put at the same time.
    pub async fn put(&self, tree: &Tree, object: Object) -> Result<Put, StoreError> {
        check_name(&object.name)?;
        let name = match self
            .base
            .old_named(tree, &object.name, FilePlace::default())
        {
            Some(((name, _), _)) => Arc::clone(name),
            None => Arc::clone(&object.name),
        };
        self.claim(tree, &name)?;
        let result = self.write(tree, &object).await;
        let mut next = self.next();
        match result {
            Ok((put, entry)) => {
                match put {
                    Put::Written => next.written += 1,
                    Put::Unchanged => next.unchanged += 1,
                    Put::Mended => {
                        next.written += 1;
                        next.mended += 1;
                    }
                    Put::Recalled => {}
                }
                next.tree(tree).files.insert(name, Some(Arc::new(entry)));
                Ok(put)
            }
            Err(error) => {
                next.tree(tree).files.remove(&name);
                Err(error)
            }
        }
    }

    /// Puts a file whose name is made of its bytes: several pages may bring it.
    ///
    /// # Errors
    /// As [`Draft::put`], but for a file that was put already.
    pub async fn share(&self, tree: &Tree, object: Object) -> Result<Put, StoreError> {
        match self.put(tree, object).await {
            Err(StoreError::Twice { .. }) => Ok(Put::Unchanged),
            result => result,
        }
    }

    /// Carries such a file of the previous deployment over; says whether it is there.
    ///
    /// # Errors
    /// As [`Draft::keep`], but for a file that was put already.
    pub async fn keep_shared(&self, tree: &Tree, name: &str) -> Result<bool, StoreError> {
        match self.keep(tree, name).await {
            Err(StoreError::Twice { .. }) => Ok(true),
            result => result,
        }
    }

    /// The record of a file in the previous deployment, where its bytes are there: [`Draft::keep`] will carry it over.
    pub fn kept(&self, tree: &Tree, name: &str) -> Option<&ManifestEntry> {
        self.base.to_name()?;
        let entry = self
            .base
            .old_named(tree, name, FilePlace::default())
            .map(|((_, entry), _)| entry)?;
        self.base
            .inventory
            .has(&self.base.trimmed(entry))
            .then_some(entry)
    }

    /// Carries a file of the previous deployment over; says whether there is one whose bytes are there.
    pub async fn keep(&self, tree: &Tree, name: &str) -> Result<bool, StoreError> {
        let last = self.next().tree(tree).kept;
        let Some(((name, entry), place)) = self.base.old_named(tree, name, last) else {
            return Ok(false);
        };
        if self.base.to_name().is_none() {
            return self.keep_anew(tree, name, entry).await;
        }
        let entry = self.base.trimmed(entry);
        // Where nothing of that deployment is damaged, all of it was looked for.
        if !self.base.damage.is_empty() && !self.base.inventory.has(&entry) {
            return Ok(false);
        }
        let mut next = self.next();
        let made = next.tree(tree);
        made.kept = place;
        match made.files.entry(Arc::clone(name)) {
            btree_map::Entry::Vacant(vacant) => drop(vacant.insert(Some(entry))),
            btree_map::Entry::Occupied(_) => return Err(twice(tree, name)),
        }
        next.unchanged += 1;
        Ok(true)
    }

    /// The same for a file that lacks variants.
    async fn keep_anew(
        &self,
        tree: &Tree,
        name: &str,
        entry: &ManifestEntry,
    ) -> Result<bool, StoreError> {
        let Some(previous) = &self.base.previous else {
            return Ok(false);
        };
        let body = match previous.read(&self.objects, tree, name, entry, None).await {
            Err(StoreError::Damaged { .. }) => return Ok(false),
            body => body?,
        };
        if count(body.len()) != entry.size || ContentHash::of(&body) != entry.hash {
            return Ok(false);
        }
        let ManifestEntry {
            path,
            content_type,
            source,
            noindex,
            robots,
            link,
            ..
        } = entry.clone();
        let content_type = content_type.to_string();
        let source = source.map(String::from);
        let robots = robots.map(String::from);
        let link = link.map(String::from);
        let object = Object {
            name: name.into(),
            path,
            content_type,
            body,
            source,
            noindex,
            robots,
            link,
        };
        self.put(tree, object).await.map(|_| true)
    }

    /// Carries a whole tree of the previous deployment over, for a build of other locales; skips what was put.
    pub async fn keep_tree(&self, tree: &Tree) -> Result<(), StoreError> {
        let Some(old) = self.previous().and_then(|previous| previous.manifest(tree)) else {
            return Ok(());
        };
        for name in old.objects.keys() {
            let is_claimed = self.next().tree(tree).files.contains_key(name);
            if !is_claimed {
                self.keep(tree, name).await?;
            }
        }
        self.next()
            .tree(tree)
            .missing
            .extend(old.missing.iter().cloned());
        Ok(())
    }

    /// Records a page that the source site has and this tree lacks, or has only with a notice.
    pub fn miss(&self, tree: &Tree, path: PagePath) {
        self.next().tree(tree).missing.insert(path);
    }

    /// Records what the deployment is made of.
    pub fn made_of(&self, sources: SourceIndex) {
        self.next().sources = Some(sources);
    }

    /// Makes the deployment the site, in one step; without any change there is no new deployment.
    ///
    /// # Errors
    /// [`StoreError::Overtaken`] when another builder was faster; anything else when the store failed.
    pub async fn finish(&self, settings: ServingSettings) -> Result<FinishedDraft, StoreError> {
        settings.check()?;
        let settings = ServingSettings {
            variants: BTreeSet::clone(self.objects.variants()),
            ..settings
        };
        if self.is_old() {
            return Err(self.overtaken());
        }
        let (made, sources) = {
            let mut next = self.next();
            (std::mem::take(&mut next.trees), next.sources.take())
        };
        let mut trees = BTreeMap::new();
        let mut shards = BTreeMap::new();
        for (tree, NextTree { files, missing, .. }) in made {
            let files = files
                .into_iter()
                .filter_map(|(name, entry)| Some((name, entry?)));
            if let Some((shard, manifest)) = self.write_tree(&tree, files, missing).await? {
                shards.insert(tree.clone(), shard);
                trees.insert(tree, manifest);
            }
        }
        let sources = match sources {
            Some(index) => Some(
                self.write_shard(&index, index.records.len(), self.base.old_sources())
                    .await?,
            ),
            None => None,
        };
        let deployment = self.base.number;
        let mut commit = Commit {
            format: FORMAT,
            deployment,
            draft: self.id.clone(),
            fence: self.base.fence,
            restores: None,
            rolled_back: None,
            rendered: self.is_rendered,
            settings,
            trees: shards,
            sources,
        };
        let finished = |deployment, created| {
            let NextDeployment {
                written, unchanged, ..
            } = *self.next();
            let removed = count(self.base.removed(&trees));
            FinishedDraft {
                deployment,
                written,
                removed,
                unchanged,
                created,
            }
        };
        let old = self.previous().map(Published::commit);
        // A commit that nobody can read is covered by a new one, changed or not.
        let stands = |old: &&Commit| old.deployment + 1 == deployment && old.is_same_site(&commit);
        if let Some(deployment) = old.filter(stands).map(|old| old.deployment) {
            self.sync().await?;
            self.leave(&commit, &trees).await?;
            self.remember();
            return Ok(finished(deployment, false));
        }
        commit.rolled_back = old.and_then(|old| old.rolled_back);
        self.sync().await?;
        create_commit(&self.objects, &self.site, &commit).await?;
        self.leave(&commit, &trees).await?;
        self.remember();
        Ok(finished(deployment, true))
    }

    /// Lets the next draft of this process know what this one wrote.
    fn remember(&self) {
        let next = self.next();
        self.warm.wrote(&self.site, next.writings.names());
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the order of writes that makes an object durable"
    )]
    async fn write(
        &self,
        tree: &Tree,
        object: &Object,
    ) -> Result<(Put, ManifestEntry), StoreError> {
        let Object {
            name,
            path,
            content_type,
            body,
            source,
            noindex,
            robots,
            link,
        } = object;
        let is_same_kind = |old: &&ManifestEntry| *old.content_type == **content_type;
        let known: Vec<ContentHash> = self
            .base
            .whole(tree, name)
            .filter(|old| is_same_kind(&&***old))
            .map(|entry| entry.hash)
            .collect();
        let bytes = body.clone();
        let kind = content_type.clone();
        let wanted = Arc::clone(self.objects.variants());
        let prepared = on_thread(move || prepare(&bytes, &kind, &known, &wanted)).await?;
        let has_bytes = |old: &&ManifestEntry| old.hash == prepared.hash;
        let now = |entry: ManifestEntry| ManifestEntry {
            path: path.clone(),
            source: source.as_deref().map(Box::from),
            link: link.as_deref().map(Box::from),
            noindex: *noindex,
            robots: robots.as_deref().map(Box::from),
            ..entry
        };
        let old = self
            .base
            .old(tree, name)
            .filter(is_same_kind)
            .filter(has_bytes);
        // Bytes that readers had before are as old as they were.
        let (deployment, since) =
            old.map_or((self.base.number, None), |old| (old.deployment, old.since));
        let whole = self
            .base
            .whole(tree, name)
            .find(|old| is_same_kind(&&***old) && has_bytes(&&***old));
        let whole = whole.map(|whole| Arc::unwrap_or_clone(self.base.trimmed(whole)));
        match (old, whole) {
            (Some(_), Some(whole)) => {
                return Ok((
                    Put::Unchanged,
                    now(ManifestEntry {
                        deployment,
                        since,
                        ..whole
                    }),
                ));
            }
            (None, Some(whole)) => {
                return Ok((
                    Put::Recalled,
                    now(ManifestEntry {
                        since: Some(self.base.number),
                        ..whole
                    }),
                ));
            }
            (_, None) => {}
        }
        let copy = self.store(prepared.hash, body.clone()).await?;
        let mut encodings: BTreeMap<Encoding, Variant> = BTreeMap::new();
        for (encoding, bytes) in prepared.variants {
            let hash = ContentHash::of(&bytes);
            let size = count(bytes.len());
            let copy = self.store(hash, bytes).await?;
            encodings.insert(encoding, Variant { hash, copy, size });
        }
        let put = match (old, self.base.to_name()) {
            (None, _) => Put::Written,
            (Some(_), Some(_)) => Put::Mended,
            (Some(_), None) => Put::Unchanged,
        };
        let entry = ManifestEntry {
            deployment,
            since,
            hash: prepared.hash,
            copy,
            size: count(body.len()),
            content_type: content_type.as_str().into(),
            encodings: encodings.into(),
            path: path.clone(),
            source: source.as_deref().map(Box::from),
            noindex: *noindex,
            robots: robots.as_deref().map(Box::from),
            link: link.as_deref().map(Box::from),
        };
        Ok((put, entry))
    }

    fn overtaken(&self) -> StoreError {
        StoreError::Overtaken {
            site: self.site.clone(),
            deployment: self.base.number,
        }
    }

    /// True if this deployment has a file of that name in a tree already.
    pub fn has(&self, tree: &Tree, name: &str) -> bool {
        self.next().tree(tree).files.contains_key(name)
    }

    /// A file of that name, as this deployment has it.
    pub fn entry(&self, tree: &Tree, name: &str) -> Option<Arc<ManifestEntry>> {
        self.next().tree(tree).files.get(name)?.clone()
    }

    /// Reads the bytes of such a file.
    pub async fn read(&self, tree: &Tree, name: &str) -> Result<Bytes, StoreError> {
        let entry = self
            .entry(tree, name)
            .ok_or_else(|| damaged(name, format!("{tree} has no such file")))?;
        let key = SiteKeys(&self.site).part(tree, name, &entry, None)?;
        self.objects.get(&key).await?.ok_or_else(|| gone(&key))
    }

    fn claim(&self, tree: &Tree, name: &Arc<str>) -> Result<(), StoreError> {
        if let btree_map::Entry::Vacant(vacant) =
            self.next().tree(tree).files.entry(Arc::clone(name))
        {
            vacant.insert(None);
            return Ok(());
        }
        Err(twice(tree, name))
    }

    /// Never held across an await; a thread that panicked while holding it left whole records.
    fn next(&self) -> MutexGuard<'_, NextDeployment> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn twice(tree: &Tree, name: &str) -> StoreError {
    StoreError::Twice {
        tree: tree.to_string(),
        name: name.to_string(),
    }
}

impl NextDeployment {
    fn tree(&mut self, tree: &Tree) -> &mut NextTree {
        // A tree's name is not copied for each of its files.
        if !self.trees.contains_key(tree) {
            self.trees.insert(tree.clone(), NextTree::default());
        }
        self.trees.entry(tree.clone()).or_default()
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
