//! The reader's side: a deployment as an index in memory, loaded through its commit.
//!
//! An index never changes after it was loaded, so everything answered from one index is of one deployment.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use object_store::path::Path as Key;
use serde::de::DeserializeOwned;

use super::commit::{FORMAT, damaged, decode, encode, hash};
use super::identity::derive;
use super::keys::Keys;
use super::objects::Created;
use super::stream::ByteStream;
use super::{
    Addressing, Commit, Encoding, Entry, Manifest, Objects, PublishError, Settings, Shard, SourceIndex, Switch, Tree,
};
use crate::model::{DeploymentId, Locale, PagePath, SiteId};

/// A deployment, ready to be read.
#[derive(Clone, Debug)]
pub struct Published {
    site: SiteId,
    commit: Commit,
    addressing: Option<Addressing>,
    trees: BTreeMap<Tree, Arc<Index>>,
    created: Times,
}

/// When each commit that is kept was created, none earlier than the one before it.
type Times = BTreeMap<u64, SystemTime>;

/// A tree's files by name and by path.
#[derive(Debug)]
struct Index {
    shard: Shard,
    manifest: Manifest,
    names: HashMap<String, String>,
}

/// A line of the list of deployments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Its commit.
    pub commit: Commit,
    /// The id by which the interface names it.
    pub id: DeploymentId,
    /// When its commit was created.
    pub created: SystemTime,
}

impl Published {
    /// Loads the newest deployment that is whole; `None` if nothing was published yet.
    ///
    /// `known` is an index loaded earlier; trees that did not change since are taken from it.
    pub async fn newest(objects: &Objects, site: &SiteId, known: Option<&Self>) -> Result<Option<Self>, PublishError> {
        let mut damage = None;
        let listed = listed(objects, site).await?;
        for number in listed.keys().rev() {
            match Self::load_listed(objects, site, *number, &listed, known).await {
                Ok(published) => return Ok(Some(published)),
                Err(error @ (PublishError::Damaged { .. } | PublishError::Unknown { .. })) => {
                    damage = damage.or(Some(error));
                }
                Err(error) => return Err(error),
            }
        }
        damage.map_or(Ok(None), Err)
    }

    /// Loads one deployment.
    pub async fn load(
        objects: &Objects,
        site: &SiteId,
        number: u64,
        known: Option<&Self>,
    ) -> Result<Self, PublishError> {
        let listed = listed(objects, site).await?;
        Self::load_listed(objects, site, number, &listed, known).await
    }

    async fn load_listed(
        objects: &Objects,
        site: &SiteId,
        number: u64,
        listed: &Times,
        known: Option<&Self>,
    ) -> Result<Self, PublishError> {
        let commit = read_commit(objects, site, number).await?;
        // A pattern was checked when the deployment was made; one that is none after all is as good as none.
        let addressing = commit.settings.addressing().ok().flatten();
        let mut trees = BTreeMap::new();
        for (tree, shard) in &commit.trees {
            let old = known.filter(|known| known.site == *site).and_then(|known| known.trees.get(tree));
            let index = match old {
                Some(index) if index.shard == *shard => Arc::clone(index),
                _ => Arc::new(Index::load(objects, site, tree, shard).await?),
            };
            trees.insert(tree.clone(), index);
        }
        let created = listed.range(..=number).map(|(number, time)| (*number, *time)).collect();
        Ok(Self { site: site.clone(), commit, addressing, trees, created })
    }

    /// The same deployment with these locales switched off.
    pub fn without(&self, locales: &BTreeSet<Locale>) -> Self {
        let mut published = self.clone();
        for (locale, switch) in &mut published.commit.settings.locales {
            if locales.contains(locale) {
                *switch = Switch::Off;
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

    /// How the files are served.
    pub fn settings(&self) -> &Settings {
        &self.commit.settings
    }

    /// The URL pattern, taken apart.
    pub fn addressing(&self) -> Option<&Addressing> {
        self.addressing.as_ref()
    }

    /// When the deployment's commit was created.
    pub(super) fn created(&self) -> SystemTime {
        self.created.get(&self.deployment()).copied().unwrap_or(UNIX_EPOCH)
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
    pub fn modified(&self, entry: &Entry) -> Option<SystemTime> {
        let came = entry.since.unwrap_or(entry.deployment);
        let since = self.commit.rolled_back.map_or(came, |rollback| rollback.max(came));
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

    /// The name and record of a source page in a tree, where it may have a path of its own.
    pub fn page(&self, tree: &Tree, page: &PagePath) -> Option<(&str, &Entry)> {
        match tree {
            Tree::Locale(locale) => {
                let slugs = &self.settings().slugs;
                let local = slugs.local(locale, page);
                // Where the page's own path is another page's now, the page is not there.
                let is_others = *local == *page && slugs.source(locale, page).is_some_and(|source| source != *page);
                if is_others { None } else { self.find(tree, local.as_str()) }
            }
            Tree::Shared => self.find(tree, page.as_str()),
        }
    }

    /// What the deployment was made of; `None` where it was made by a version that did not write that down.
    pub async fn source_index(&self, objects: &Objects) -> Result<Option<SourceIndex>, PublishError> {
        let Some(shard) = &self.commit.sources else { return Ok(None) };
        let key = Keys(&self.site).source_index(shard.deployment)?;
        read_record(objects, key, shard).await.map(Some)
    }

    /// The file that answers to a path (as [`crate::model::PagePath`] writes it), with its name.
    pub fn find(&self, tree: &Tree, path: &str) -> Option<(&str, &Entry)> {
        let index = self.trees.get(tree)?;
        let (name, entry) = index.manifest.objects.get_key_value(index.names.get(path)?)?;
        Some((name, entry))
    }

    /// Reads a file, plain or as one of its variants.
    pub async fn read(
        &self,
        objects: &Objects,
        tree: &Tree,
        name: &str,
        entry: &Entry,
        encoding: Option<Encoding>,
    ) -> Result<Bytes, PublishError> {
        let key = self.object(tree, name, entry, encoding)?;
        objects.get(&key).await?.ok_or_else(|| gone(&key))
    }

    /// Opens a file, plain or as one of its variants, for reading piece by piece.
    pub async fn stream(
        &self,
        objects: &Objects,
        tree: &Tree,
        name: &str,
        entry: &Entry,
        encoding: Option<Encoding>,
    ) -> Result<ByteStream, PublishError> {
        let key = self.object(tree, name, entry, encoding)?;
        objects.stream(&key, None).await?.ok_or_else(|| gone(&key))
    }

    /// Opens a part of a file's plain bytes for reading piece by piece.
    pub async fn stream_part(
        &self,
        objects: &Objects,
        tree: &Tree,
        name: &str,
        entry: &Entry,
        part: Range<u64>,
    ) -> Result<ByteStream, PublishError> {
        let key = self.object(tree, name, entry, None)?;
        objects.stream(&key, Some(part)).await?.ok_or_else(|| gone(&key))
    }

    fn object(&self, tree: &Tree, name: &str, entry: &Entry, encoding: Option<Encoding>) -> Result<Key, PublishError> {
        Keys(&self.site).object(entry.deployment, tree, name, encoding)
    }
}

/// What is read of a commit before anything else.
#[derive(serde::Deserialize)]
struct Form {
    format: u32,
}

impl Index {
    async fn load(objects: &Objects, site: &SiteId, tree: &Tree, shard: &Shard) -> Result<Self, PublishError> {
        let manifest = read_manifest(objects, site, tree, shard).await?;
        let names = manifest.objects.iter().map(|(name, entry)| (entry.path.to_string(), name.clone())).collect();
        Ok(Self { shard: shard.clone(), manifest, names })
    }
}

/// The number of the newest deployment; `known` makes the usual answer, nothing new, one small request.
///
/// With `known`, a deployment is only noticed while its next one's commit is still kept; ask without it now and then.
pub async fn latest(objects: &Objects, site: &SiteId, known: Option<u64>) -> Result<Option<u64>, PublishError> {
    if let Some(known) = known
        && !objects.exists(&Keys(site).commit(known + 1)?).await?
    {
        return Ok(Some(known));
    }
    Ok(numbers(objects, site).await?.pop())
}

/// Lists the deployments that are kept, newest first.
pub async fn deployments(objects: &Objects, site: &SiteId) -> Result<Vec<Deployment>, PublishError> {
    let mut found = Vec::new();
    for (number, created) in listed(objects, site).await?.into_iter().rev() {
        match read_commit(objects, site, number).await {
            // It was swept meanwhile.
            Err(PublishError::Unknown { .. }) => {}
            commit => found.push(Deployment { commit: commit?, id: derive(site, number, created), created }),
        }
    }
    Ok(found)
}

/// Makes an earlier deployment the site again, as a new deployment that names its files; gives the new number.
pub async fn roll_back(objects: &Objects, site: &SiteId, to: u64) -> Result<u64, PublishError> {
    let number = latest(objects, site, None).await?.unwrap_or(0) + 1;
    let old = Published::load(objects, site, to, None).await?;
    let commit = Commit { deployment: number, restores: Some(to), rolled_back: Some(number), ..old.commit };
    create_commit(objects, site, commit).await?;
    Ok(number)
}

/// Creates a commit, the step that makes a deployment the site.
pub(super) async fn create_commit(objects: &Objects, site: &SiteId, commit: Commit) -> Result<(), PublishError> {
    let key = Keys(site).commit(commit.deployment)?;
    let bytes = encode(&commit, key.as_ref())?;
    match objects.create(&key, bytes).await? {
        Created::New | Created::Same => Ok(()),
        Created::Other(_) => Err(PublishError::Overtaken { site: site.clone(), deployment: commit.deployment }),
    }
}

/// The numbers of all commits, sorted.
pub(super) async fn numbers(objects: &Objects, site: &SiteId) -> Result<Vec<u64>, PublishError> {
    Ok(listed(objects, site).await?.into_keys().collect())
}

/// All commits with their times. A store that was copied may have lost the order of times, so it is made good here;
/// one whose clock is ahead of ours would name the future.
async fn listed(objects: &Objects, site: &SiteId) -> Result<Times, PublishError> {
    let (found, _) = objects.list_flat(&Keys(site).deployments()?).await?;
    let number = |key: &Key| key.filename()?.strip_suffix(".json")?.parse::<u64>().ok();
    let now = SystemTime::now();
    let mut listed: Times =
        found.iter().filter_map(|meta| Some((number(&meta.location)?, now.min(meta.last_modified.into())))).collect();
    let mut latest = SystemTime::UNIX_EPOCH;
    for time in listed.values_mut() {
        latest = latest.max(*time);
        *time = latest;
    }
    Ok(listed)
}

pub(super) async fn read_commit(objects: &Objects, site: &SiteId, number: u64) -> Result<Commit, PublishError> {
    let key = Keys(site).commit(number)?;
    let unknown = || PublishError::Unknown { site: site.clone(), deployment: number };
    let bytes = objects.get(&key).await?.ok_or_else(unknown)?;
    let Form { format } = decode(&bytes, key.as_ref())?;
    if format > FORMAT {
        return Err(PublishError::Newer { key: key.to_string(), form: format });
    }
    decode(&bytes, key.as_ref())
}

pub(super) async fn read_manifest(
    objects: &Objects,
    site: &SiteId,
    tree: &Tree,
    shard: &Shard,
) -> Result<Manifest, PublishError> {
    read_record(objects, Keys(site).manifest(shard.deployment, tree)?, shard).await
}

/// Reads what a shard names, and looks whether it is that.
async fn read_record<T: DeserializeOwned + Send + 'static>(
    objects: &Objects,
    key: Key,
    shard: &Shard,
) -> Result<T, PublishError> {
    let bytes = objects.get(&key).await?.ok_or_else(|| gone(&key))?;
    let expected = shard.hash.clone();
    // A large site's manifest takes a while to parse.
    tokio::task::spawn_blocking(move || {
        if hash(&bytes) != expected {
            return Err(damaged(key.as_ref(), "its bytes are not those the commit names".to_owned()));
        }
        decode(&bytes, key.as_ref())
    })
    .await?
}

fn gone(key: &Key) -> PublishError {
    damaged(key.as_ref(), "it is not there".to_owned())
}
