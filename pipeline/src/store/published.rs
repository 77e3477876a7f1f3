//! The reader's side: a deployment as an index in memory, loaded through its commit.
//!
//! An index never changes after it was loaded, so everything answered from one index is of one deployment.
//!
//! One file: one index and its readers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use object_store::path::Path as Key;

use super::keys::{SiteKeys, object_name};
use super::listing::{DeploymentListing, Times};
use super::manifest::{KnownParts, PartName};
use super::reading::{gone, read_checked, read_commit, read_manifest, read_record};
use super::stream::ByteStream;
use super::{
    Addressing, Commit, Encoding, Manifest, ManifestEntry, Objects, ServingSettings, ServingSwitch,
    Shard, SourceIndex, StoreError, Switches, Tree,
};
use crate::model::{Locale, PagePath, SiteId};

/// A deployment, ready to be read.
#[derive(Clone, Debug)]
pub struct Published {
    site: SiteId,
    commit: Commit,
    /// The commit's, under the switches.
    settings: ServingSettings,
    switches: Switches,
    addressing: Option<Addressing>,
    trees: BTreeMap<Tree, Arc<TreeIndex>>,
    created: Times,
}

/// A tree's files by name and by path.
#[derive(Debug)]
struct TreeIndex {
    shard: Shard,
    manifest: Manifest,
    /// Path → name, once somebody asks by path; few builds do.
    names: OnceLock<HashMap<Arc<str>, Arc<str>>>,
}

/// How a site stands: what readers get, and what stands in their way to something newer.
#[derive(Debug)]
pub struct SiteStanding {
    /// The newest deployment that is whole.
    pub published: Option<Published>,
    /// What is wrong with newer ones.
    pub passed_over: Vec<StoreError>,
    /// The highest number that any commit has, whole or not.
    pub(super) newest: u64,
    /// Whether somebody wrote down which objects have wrong bytes.
    pub(super) notes_damage: bool,
}

impl Published {
    /// Loads the newest deployment that is whole; `None` if nothing was published yet.
    ///
    /// `known` is an index loaded earlier; what did not change since is taken from it.
    pub async fn newest(
        objects: &Objects,
        site: &SiteId,
        known: Option<&Self>,
    ) -> Result<Option<Self>, StoreError> {
        let SiteStanding {
            published,
            mut passed_over,
            ..
        } = Self::standing(objects, site, known).await?;
        match published {
            None if !passed_over.is_empty() => Err(passed_over.swap_remove(0)),
            published => Ok(published),
        }
    }

    /// Loads the newest deployment that is whole, and says what is wrong with newer ones.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed, or when a newer version of Latimer wrote there.
    pub async fn standing(
        objects: &Objects,
        site: &SiteId,
        known: Option<&Self>,
    ) -> Result<SiteStanding, StoreError> {
        let mut listing = DeploymentListing::load(objects, site).await?;
        loop {
            let standing = Self::standing_in(objects, site, &listing, known).await?;
            if standing.passed_over.is_empty() {
                return Ok(standing);
            }
            // What was listed may have been swept since, which only happens below a newer deployment.
            let again = DeploymentListing::load(objects, site).await?;
            if again.newest() == listing.newest() {
                return Ok(standing);
            }
            listing = again;
        }
    }

    async fn standing_in(
        objects: &Objects,
        site: &SiteId,
        listing: &DeploymentListing,
        known: Option<&Self>,
    ) -> Result<SiteStanding, StoreError> {
        let newest = listing.newest();
        let notes_damage = listing.notes_damage;
        let mut standing = SiteStanding {
            published: None,
            passed_over: Vec::new(),
            newest,
            notes_damage,
        };
        let fences = fences(objects, site, listing, known).await?;
        for number in listing.commits.keys().rev() {
            let earlier = fences
                .range(..number)
                .map(|(_, fence)| *fence)
                .max()
                .unwrap_or(0);
            if fences.get(number).is_some_and(|fence| *fence < earlier) {
                continue;
            }
            match Self::load_listed(objects, site, *number, listing, known).await {
                Ok(published) => {
                    return Ok(SiteStanding {
                        published: Some(published),
                        ..standing
                    });
                }
                Err(error @ (StoreError::Damaged { .. } | StoreError::Unknown { .. })) => {
                    standing.passed_over.push(error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(standing)
    }

    /// Loads one deployment.
    pub async fn load(
        objects: &Objects,
        site: &SiteId,
        number: u64,
        known: Option<&Self>,
    ) -> Result<Self, StoreError> {
        let listing = DeploymentListing::load(objects, site).await?;
        Self::load_listed(objects, site, number, &listing, known).await
    }

    async fn load_listed(
        objects: &Objects,
        site: &SiteId,
        number: u64,
        listing: &DeploymentListing,
        known: Option<&Self>,
    ) -> Result<Self, StoreError> {
        let commit = read_commit(objects, site, number).await?;
        let switches = Switches::newest(objects, site).await?;
        let settings = switches.applied_to(&commit.settings);
        // A pattern was checked when the deployment was made; one that is none after all is as good as none.
        let addressing = settings.addressing().ok().flatten();
        let known = known.filter(|known| known.site == *site);
        let parts = known.map(Self::parts).unwrap_or_default();
        let mut trees = BTreeMap::new();
        for (tree, shard) in &commit.trees {
            let index = match known.and_then(|known| known.trees.get(tree)) {
                Some(index) if index.shard == *shard => Arc::clone(index),
                _ => Arc::new(TreeIndex::load(objects, site, tree, shard, &parts).await?),
            };
            trees.insert(tree.clone(), index);
        }
        let created = listing
            .commits
            .range(..=number)
            .map(|(number, time)| (*number, *time))
            .collect();
        Ok(Self {
            site: site.clone(),
            commit,
            settings,
            switches,
            addressing,
            trees,
            created,
        })
    }

    /// The same deployment under other switches.
    #[must_use]
    pub fn under(&self, switches: Switches) -> Self {
        Self {
            settings: switches.applied_to(&self.commit.settings),
            switches,
            ..self.clone()
        }
    }

    /// The same deployment with these locales switched off.
    pub fn without(&self, locales: &BTreeSet<Locale>) -> Self {
        let mut published = self.clone();
        for (locale, switch) in &mut published.settings.locales {
            if locales.contains(locale) {
                *switch = ServingSwitch::Off;
            }
        }
        published
    }

    /// The site.
    pub fn site(&self) -> &SiteId {
        &self.site
    }

    /// The deployment's number.
    pub fn deployment(&self) -> u64 {
        self.commit.deployment
    }

    /// The deployment's commit.
    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// How the files are served: as the commit says, without locales that are switched off in the store.
    pub fn settings(&self) -> &ServingSettings {
        &self.settings
    }

    /// The switches under which it was loaded.
    pub fn switches(&self) -> &Switches {
        &self.switches
    }

    /// The URL pattern, taken apart.
    pub fn addressing(&self) -> Option<&Addressing> {
        self.addressing.as_ref()
    }

    /// When the deployment's commit was created.
    pub(super) fn created(&self) -> SystemTime {
        self.created
            .get(&self.deployment())
            .copied()
            .unwrap_or(UNIX_EPOCH)
    }

    /// When an earlier deployment, or this one, became the site; `None` where its commit is not kept any more.
    pub fn created_at(&self, deployment: u64) -> Option<SystemTime> {
        self.created.get(&deployment).copied()
    }

    /// Since when a file's bytes are surely those that readers get, for `Last-Modified`.
    ///
    /// That is when the commit of the deployment that wrote them, or brought them back, was created; or, where that is later, when the last
    /// rollback was, or the oldest commit that is still kept. So the time of an address never goes back, and it
    /// is later for other bytes.
    pub fn modified(&self, entry: &ManifestEntry) -> Option<SystemTime> {
        let came = entry.since.unwrap_or(entry.deployment);
        let since = self
            .commit
            .rolled_back
            .map_or(came, |rollback| rollback.max(came));
        self.created.range(since..).next().map(|(_, time)| *time)
    }

    /// The trees, sorted.
    pub fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.trees.keys()
    }

    /// A tree's files, by name; `None` if there is no such tree.
    pub fn manifest(&self, tree: &Tree) -> Option<&Manifest> {
        self.trees.get(tree).map(|index| &index.manifest)
    }

    /// Whether a page stands in a locale with words of it, and not only with a notice.
    pub fn has_words(&self, locale: &Locale, page: &PagePath) -> bool {
        let tree = Tree::Locale(locale.clone());
        let is_notice = self
            .manifest(&tree)
            .is_some_and(|manifest| manifest.missing.contains(page));
        !is_notice && self.page(&tree, page).is_some()
    }

    /// The name and record of a source page in a tree, where it may have a path of its own.
    pub fn page(&self, tree: &Tree, page: &PagePath) -> Option<(&str, &ManifestEntry)> {
        match tree {
            Tree::Locale(locale) => {
                let slugs = &self.settings().slugs;
                let local = slugs.local(locale, page);
                // Where the page's own path is another page's now, the page is not there.
                let is_others = *local == *page
                    && slugs
                        .source(locale, page)
                        .is_some_and(|source| source != *page);
                if is_others {
                    None
                } else {
                    self.find(tree, local.as_str())
                }
            }
            Tree::Shared => self.find(tree, page.as_str()),
        }
    }

    /// What the deployment was made of; `None` where it was made by a version that did not write that down.
    pub async fn source_index(&self, objects: &Objects) -> Result<Option<SourceIndex>, StoreError> {
        source_index(objects, &self.site, &self.commit).await
    }

    /// The file that answers to a path (as [`crate::model::PagePath`] writes it), with its name.
    pub fn find(&self, tree: &Tree, path: &str) -> Option<(&str, &ManifestEntry)> {
        let index = self.trees.get(tree)?;
        index
            .manifest
            .objects
            .get_key_value(index.names().get(path)?)
    }

    /// Makes ready what [`Self::find`] needs, so that its first caller need not wait for it.
    pub fn prepare(&self) {
        for index in self.trees.values() {
            index.names();
        }
    }

    /// Reads a file, plain or as one of its variants.
    pub async fn read(
        &self,
        objects: &Objects,
        tree: &Tree,
        name: &str,
        entry: &ManifestEntry,
        encoding: Option<Encoding>,
    ) -> Result<Bytes, StoreError> {
        let key = self.object(tree, name, entry, encoding)?;
        objects.get(&key).await?.ok_or_else(|| gone(&key))
    }

    /// Opens a file, plain or as one of its variants, for reading piece by piece.
    pub async fn stream(
        &self,
        objects: &Objects,
        tree: &Tree,
        name: &str,
        entry: &ManifestEntry,
        encoding: Option<Encoding>,
    ) -> Result<ByteStream, StoreError> {
        let key = self.object(tree, name, entry, encoding)?;
        objects.stream(&key, None).await?.ok_or_else(|| gone(&key))
    }

    /// Opens a part of a file's plain bytes for reading piece by piece.
    pub async fn stream_part(
        &self,
        objects: &Objects,
        tree: &Tree,
        name: &str,
        entry: &ManifestEntry,
        part: Range<u64>,
    ) -> Result<ByteStream, StoreError> {
        let key = self.object(tree, name, entry, None)?;
        objects
            .stream(&key, Some(part))
            .await?
            .ok_or_else(|| gone(&key))
    }

    fn object(
        &self,
        tree: &Tree,
        name: &str,
        entry: &ManifestEntry,
        encoding: Option<Encoding>,
    ) -> Result<Key, StoreError> {
        SiteKeys(&self.site).part(tree, name, entry, encoding)
    }

    /// The numbers of the deployments that were kept when this one was loaded, up to it.
    pub(super) fn numbers(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.created.keys().copied()
    }

    /// Every file with its tree and name.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Tree, &str, &ManifestEntry)> {
        let of = |tree| {
            self.manifest(tree)
                .into_iter()
                .flat_map(|manifest| manifest.objects.iter())
        };
        self.trees()
            .flat_map(move |tree| of(tree).map(move |(name, entry)| (tree, name, entry)))
    }

    /// The names under which its manifests lie, and their parts.
    pub(super) fn manifest_names(&self) -> Vec<String> {
        let shards = self
            .commit
            .trees
            .values()
            .map(|shard| object_name(&shard.hash, shard.copy.as_deref()));
        shards
            .chain(self.parts().places().map(PartName::name))
            .collect()
    }

    /// The parts of its manifests.
    pub(super) fn parts(&self) -> KnownParts {
        let mut parts = KnownParts::default();
        self.trees
            .iter()
            .for_each(|(tree, index)| parts.add(tree, &index.manifest));
        parts
    }
}

impl TreeIndex {
    async fn load(
        objects: &Objects,
        site: &SiteId,
        tree: &Tree,
        shard: &Shard,
        known: &KnownParts,
    ) -> Result<Self, StoreError> {
        let manifest = read_manifest(objects, site, tree, shard, known).await?;
        Ok(Self {
            shard: shard.clone(),
            manifest,
            names: OnceLock::new(),
        })
    }

    fn names(&self) -> &HashMap<Arc<str>, Arc<str>> {
        let files = || {
            self.manifest
                .objects
                .all()
                .map(|(name, entry)| (entry.path.shared(), Arc::clone(name)))
        };
        self.names.get_or_init(|| files().collect())
    }
}

/// What a deployment was made of, by its commit alone; `None` where it was made by a version that did not write that down.
///
/// # Errors
/// A [`StoreError`] when the store failed, or when what was written down is damaged.
pub async fn source_index(
    objects: &Objects,
    site: &SiteId,
    commit: &Commit,
) -> Result<Option<SourceIndex>, StoreError> {
    match source_index_key(site, commit)? {
        Some((key, hash)) => read_record(objects, key, hash).await.map(Some),
        None => Ok(None),
    }
}

/// The bytes of what a deployment is made of, checked but not parsed; `None` where it does not say.
///
/// # Errors
/// A [`StoreError`] when they are damaged, or when the store failed.
pub async fn source_index_bytes(
    objects: &Objects,
    site: &SiteId,
    commit: &Commit,
) -> Result<Option<Bytes>, StoreError> {
    match source_index_key(site, commit)? {
        Some((key, hash)) => read_checked(objects, &key, hash).await.map(Some),
        None => Ok(None),
    }
}

/// Where that lies, and the hash of its bytes.
fn source_index_key<'c>(
    site: &SiteId,
    commit: &'c Commit,
) -> Result<Option<(Key, &'c str)>, StoreError> {
    let Some(shard) = &commit.sources else {
        return Ok(None);
    };
    Ok(Some((SiteKeys(site).record(shard)?, &shard.hash)))
}

/// The fences of the commits that are kept, those of a known deployment's predecessors left out: it was found good.
async fn fences(
    objects: &Objects,
    site: &SiteId,
    listing: &DeploymentListing,
    known: Option<&Published>,
) -> Result<BTreeMap<u64, u64>, StoreError> {
    let mut fences = BTreeMap::new();
    let known = known
        .filter(|known| known.site == *site && listing.commits.contains_key(&known.deployment()));
    let from = known.map_or(0, Published::deployment);
    fences.extend(known.map(|known| (from, known.commit.fence)));
    // One commit alone has nothing to be lower than.
    let is_alone = listing.commits.len() < 2;
    for number in listing
        .commits
        .keys()
        .filter(|number| **number > from && !is_alone)
    {
        match read_commit(objects, site, *number).await {
            Ok(commit) => drop(fences.insert(*number, commit.fence)),
            // Whoever loads it says so.
            Err(
                StoreError::Damaged { .. }
                | StoreError::Unknown { .. }
                | StoreError::Newer { .. }
                | StoreError::Older { .. },
            ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(fences)
}
