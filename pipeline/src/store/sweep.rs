//! Sweeping: what no kept deployment names is deleted.
//!
//! In a folder, where builders share a lock, a sweep waits for its turn to have the site alone and then deletes at once;
//! while others work it leaves everything to the next one. Elsewhere nobody can tell who works, so a sweep goes by the
//! store's clock: it deletes what is older than a day and named by no deployment that is kept or was dropped within
//! that day, and lists the store once a day.
//!
//! A draft that writes much in a folder that it has alone deletes what its deployment will push out before it writes the
//! rest, so that a disk never holds more deployments than are kept.
//!
//! A marker says up to which deployment a folder was swept. With it, only what the dropped deployments named is looked
//! at; without it, or where a draft was never finished, everything is. Words that were paid for
//! (`_deployments/memory`), edits of people (`_deployments/edits`) and switches are never touched.
//!
//! One file: one sweep, from the list of deployments to the deletion.

mod named;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::{StreamExt, stream};
use object_store::path::Path as Key;
use serde::{Deserialize, Serialize};

use super::keys::SiteKeys;
use super::listed::ListedObject;
use super::listing::DeploymentListing;
use super::lock::{Company, Lock};
use super::manifest::{KnownParts, PartName};
use super::objects::PARALLEL;
use super::reading::{read_commit_at, read_part, read_places};
use super::record::{decode, encode};
use super::targets::named_by_targets;
use super::{Commit, Objects, Published, StoreError, Tree, disk};
use crate::model::SiteId;

use named::{NamedObjects, SiteKeySet};

/// How long things stay that nobody names, where nobody can tell who works.
const GRACE: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SweepMarker {
    deployment: u64,
}

/// What a sweep found to delete.
#[derive(Debug)]
pub struct Sweep {
    objects: Objects,
    site: SiteId,
    newest: u64,
    dropped: Vec<u64>,
    extra: Vec<Key>,
    leftovers: bool,
    /// Held until everything is deleted.
    _alone: Option<Lock>,
}

/// Deletes deployments but the newest `keep` (at least one), everything that only they named, and what crashes left.
///
/// `known` is a deployment loaded earlier; what others share with it is not read again.
///
/// # Errors
/// A [`StoreError`] when the store failed; the next sweep goes on.
pub async fn sweep(
    objects: &Objects,
    site: &SiteId,
    keep: usize,
    known: Option<&Published>,
) -> Result<(), StoreError> {
    match Sweep::list(objects, site, keep, known).await? {
        Some(sweep) => sweep.delete().await,
        None => Ok(()),
    }
}

/// Deletes deployments but the newest `keep`, and what only they named, while a draft is written that has the site alone.
/// Nothing is deleted that the draft wrote; what is cut off is found by the sweep that finds the draft's mark.
pub(super) async fn make_room(
    objects: &Objects,
    site: &SiteId,
    keep: usize,
    written: &BTreeSet<Key>,
    known: Option<&Published>,
) -> Result<(), StoreError> {
    let listing = DeploymentListing::load(objects, site).await?;
    let reader = SweepReader::begin(objects, site, known).await?;
    let kept = reader.kept(&listing, keep).await?;
    let gone = reader.named(&kept.dropped, Some(&kept.named)).await?;
    let mut extra = kept.named.lacking(gone, SiteKeys(site))?;
    extra.retain(|key| !written.contains(key));
    for number in &kept.dropped {
        objects
            .delete(vec![SiteKeys(site).commit(*number)?])
            .await?;
    }
    objects.delete(extra).await
}

impl Sweep {
    /// Finds out what may be deleted; `None` where there is nothing, or where others work.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed, or when a newer version of Latimer wrote there.
    pub async fn list(
        objects: &Objects,
        site: &SiteId,
        keep: usize,
        known: Option<&Published>,
    ) -> Result<Option<Self>, StoreError> {
        Self::list_after(objects, site, keep, known, Duration::ZERO).await
    }

    /// The same as if some time had passed.
    pub(super) async fn list_after(
        objects: &Objects,
        site: &SiteId,
        keep: usize,
        known: Option<&Published>,
        passed: Duration,
    ) -> Result<Option<Self>, StoreError> {
        let alone = match Lock::alone(objects, site).await? {
            Company::Alone(lock) => lock,
            Company::Others => return Ok(None),
            Company::Unknown => {
                let reader = SweepReader::begin(objects, site, known).await?;
                return Self::by_age(reader, keep, passed).await;
            }
        };
        let listing = DeploymentListing::load(objects, site).await?;
        let marker = read_marker(objects, site).await?;
        let is_clean = listing.drafts.is_empty() && listing.dropped.is_empty();
        let is_swept = is_clean
            && marker
                == Some(SweepMarker {
                    deployment: listing.newest(),
                });
        if is_swept && listing.commits.len() <= keep.max(1) {
            return Ok(None);
        }
        let reader = SweepReader::begin(objects, site, known).await?;
        let kept = reader.kept(&listing, keep).await?;
        if is_swept && kept.dropped.is_empty() {
            return Ok(None);
        }
        let gone = reader.named(&kept.dropped, Some(&kept.named)).await?;
        let leftovers = marker.is_none() || !is_clean || gone.is_damaged;
        let KeptCommits { named, dropped } = kept;
        let extra = match leftovers {
            true => {
                let names = named.names(SiteKeys(site))?;
                unnamed(objects, site, &listing, names, |_| true).await?
            }
            false => named.lacking(gone, SiteKeys(site))?,
        };
        Ok(Some(Self::new(
            objects,
            site,
            &listing,
            dropped,
            extra,
            leftovers,
            Some(alone),
        )))
    }

    /// The same where nobody can tell who works.
    async fn by_age(
        reader: SweepReader<'_>,
        keep: usize,
        passed: Duration,
    ) -> Result<Option<Self>, StoreError> {
        let objects = reader.objects;
        let site = reader.site;
        let keys = SiteKeys(reader.site);
        let listing = DeploymentListing::load(objects, site).await?;
        let kept = reader.kept(&listing, keep).await?;
        let is_swept = read_marker(objects, site).await?.is_some();
        let swept = if is_swept {
            Some(objects.written(&keys.sweep_marker()?).await?)
        } else {
            None
        };
        // Whoever's clock is wrong lists more often or less often; what is deleted goes by the store's clock.
        let is_today =
            swept.is_some_and(|swept| swept.elapsed().is_ok_and(|age| age + passed < GRACE));
        for number in &kept.dropped {
            if let Some(bytes) = objects.get(&keys.commit(*number)?).await? {
                objects.put(&keys.dropped(*number)?, bytes).await?;
            }
        }
        if is_today {
            let sweep = Self::new(
                objects,
                site,
                &listing,
                kept.dropped,
                Vec::new(),
                false,
                None,
            );
            return Ok(Some(sweep).filter(|sweep| !sweep.dropped.is_empty()));
        }
        // What is written now has the store's time.
        objects
            .put(
                &keys.sweep_marker()?,
                encode(&SweepMarker { deployment: 0 }, "")?,
            )
            .await?;
        let now = objects.written(&keys.sweep_marker()?).await?;
        let is_old = move |written: SystemTime| {
            now.duration_since(written).unwrap_or_default() + passed > GRACE
        };
        let mut named = kept.named;
        let young = listing
            .dropped
            .iter()
            .filter(|(_, dropped)| !is_old(**dropped))
            .map(|(number, _)| number);
        for number in young.chain(&kept.dropped) {
            reader.add_dropped(*number, &mut named).await?;
        }
        let extra = unnamed(objects, site, &listing, named.names(keys)?, is_old).await?;
        Ok(Some(Self::new(
            objects,
            site,
            &listing,
            kept.dropped,
            extra,
            false,
            None,
        )))
    }

    fn new(
        objects: &Objects,
        site: &SiteId,
        listing: &DeploymentListing,
        dropped: Vec<u64>,
        extra: Vec<Key>,
        leftovers: bool,
        alone: Option<Lock>,
    ) -> Self {
        let objects = objects.clone();
        let site = site.clone();
        let newest = listing.newest();
        Self {
            objects,
            site,
            newest,
            dropped,
            extra,
            leftovers,
            _alone: alone,
        }
    }

    /// Deletes it. Commits go before the objects they name, so no commit is ever there without its objects.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed; the next sweep goes on.
    pub async fn delete(self) -> Result<(), StoreError> {
        let objects = &self.objects;
        let keys = SiteKeys(&self.site);
        let marker = keys.sweep_marker()?;
        if self._alone.is_some() {
            // Away until everything is gone that nothing but the commits tells of.
            objects.delete(vec![marker.clone()]).await?;
        }
        for number in &self.dropped {
            objects.delete(vec![keys.commit(*number)?]).await?;
        }
        objects.delete(self.extra).await?;
        if self.leftovers {
            disk::remove_leftovers(objects, &keys.site()?).await?;
        }
        objects
            .put(
                &marker,
                encode(
                    &SweepMarker {
                        deployment: self.newest,
                    },
                    marker.as_ref(),
                )?,
            )
            .await
    }
}

async fn read_marker(objects: &Objects, site: &SiteId) -> Result<Option<SweepMarker>, StoreError> {
    let key = SiteKeys(site).sweep_marker()?;
    Ok(objects
        .get(&key)
        .await?
        .and_then(|bytes| decode(&bytes, key.as_ref()).ok()))
}

/// Which commits stay, with what they name, and which go.
struct KeptCommits {
    named: NamedObjects,
    dropped: Vec<u64>,
}

/// Reads what deployments name; what several of them share once.
struct SweepReader<'a> {
    objects: &'a Objects,
    site: &'a SiteId,
    known: KnownParts,
    /// The names of what is there of manifests: what is known may be gone since.
    there: HashSet<String>,
}

impl<'a> SweepReader<'a> {
    async fn begin(
        objects: &'a Objects,
        site: &'a SiteId,
        known: Option<&Published>,
    ) -> Result<Self, StoreError> {
        let known = known.map(Published::parts).unwrap_or_default();
        let shards = objects.list(&SiteKeys(site).shards()?).await?;
        let there = shards
            .iter()
            .filter_map(|meta| meta.key.filename().map(str::to_owned))
            .collect();
        Ok(Self {
            objects,
            site,
            known,
            there,
        })
    }

    /// The newest `keep` that are whole stay, and those that targets of publishing show; those that are damaged and newer than
    /// the oldest of them stay as they are, for whoever wants to restore them. Of deployments in a row that were only rendered the
    /// newest stays, so that edits of people push no build out.
    async fn kept(
        &self,
        listing: &DeploymentListing,
        keep: usize,
    ) -> Result<KeptCommits, StoreError> {
        let mut kept = KeptCommits {
            named: NamedObjects::default(),
            dropped: Vec::new(),
        };
        let published = named_by_targets(self.objects, self.site).await?;
        let mut whole = 0;
        let mut is_before_rendered = false;
        for number in listing.commits.keys().rev() {
            let is_published = published.contains(number);
            if whole >= keep.max(1) && !is_published {
                kept.dropped.push(*number);
                continue;
            }
            let commit = self.commit(*number).await?;
            let is_rendered = commit.as_ref().is_some_and(|commit| commit.rendered);
            if is_rendered && is_before_rendered && !is_published {
                kept.dropped.push(*number);
                continue;
            }
            is_before_rendered = is_rendered;
            kept.named.is_damaged = false;
            self.add(*number, commit, None, &mut kept.named).await?;
            whole += usize::from(!kept.named.is_damaged);
        }
        kept.dropped.reverse();
        Ok(kept)
    }

    /// Everything that these deployments name, and their commits; without the files of parts that `others` have, too.
    async fn named(
        &self,
        numbers: &[u64],
        others: Option<&NamedObjects>,
    ) -> Result<NamedObjects, StoreError> {
        let mut all = NamedObjects::default();
        for number in numbers {
            let commit = self.commit(*number).await?;
            self.add(*number, commit, others, &mut all).await?;
        }
        Ok(all)
    }

    /// A commit; `None` if it is gone or damaged.
    async fn commit(&self, number: u64) -> Result<Option<Commit>, StoreError> {
        let key = SiteKeys(self.site).commit(number)?;
        match read_commit_at(self.objects, key).await {
            Err(StoreError::Damaged { .. }) => Ok(None),
            found => found,
        }
    }

    async fn add(
        &self,
        number: u64,
        commit: Option<Commit>,
        others: Option<&NamedObjects>,
        all: &mut NamedObjects,
    ) -> Result<(), StoreError> {
        all.keys.insert(SiteKeys(self.site).commit(number)?);
        let Some(commit) = commit else {
            all.is_damaged = true;
            return Ok(());
        };
        self.add_named(&commit, others, all).await
    }

    /// Adds what a commit names that was dropped a while ago.
    async fn add_dropped(&self, number: u64, all: &mut NamedObjects) -> Result<(), StoreError> {
        match read_commit_at(self.objects, SiteKeys(self.site).dropped(number)?).await {
            Ok(Some(commit)) => self.add_named(&commit, None, all).await,
            // It goes by its age alone.
            Ok(None) | Err(StoreError::Damaged { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Adds what a commit names. What of it cannot be read is damage; all else is named all the same, for whoever brings the rest
    /// back.
    async fn add_named(
        &self,
        commit: &Commit,
        others: Option<&NamedObjects>,
        all: &mut NamedObjects,
    ) -> Result<(), StoreError> {
        let keys = SiteKeys(self.site);
        if let Some(shard) = &commit.sources {
            all.keys.insert(keys.record(shard)?);
        }
        for (tree, shard) in &commit.trees {
            all.keys.insert(keys.record(shard)?);
            match read_places(self.objects, self.site, shard).await {
                Ok(places) => self.add_parts(tree, places, others, all).await?,
                Err(StoreError::Damaged { .. }) => all.is_damaged = true,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn add_parts(
        &self,
        tree: &Tree,
        places: Vec<PartName>,
        others: Option<&NamedObjects>,
        all: &mut NamedObjects,
    ) -> Result<(), StoreError> {
        let keys = SiteKeys(self.site);
        let mut open = Vec::new();
        for place in places {
            all.keys
                .insert(keys.shard(&place.hash, place.copy.as_deref())?);
            all.is_damaged |= !self.there.contains(&place.name());
            if !all.parts.contains(&place)
                && !others.is_some_and(|others| others.parts.contains(&place))
            {
                open.push(place);
            }
        }
        let read = |place: PartName| async {
            let part = read_part(self.objects, self.site, tree, place.clone(), &self.known).await;
            (place, part)
        };
        let mut parts = stream::iter(open.into_iter().map(read)).buffered(PARALLEL);
        while let Some((place, part)) = parts.next().await {
            match part {
                Ok(part) => {
                    all.files.push(part);
                    all.parts.insert(place);
                }
                Err(StoreError::Damaged { .. }) => all.is_damaged = true,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Everything of deployments that nobody names and that is old enough.
async fn unnamed(
    objects: &Objects,
    site: &SiteId,
    listing: &DeploymentListing,
    named: SiteKeySet,
    is_old: impl Fn(SystemTime) -> bool + Copy + Send + 'static,
) -> Result<Vec<Key>, StoreError> {
    let keys = SiteKeys(site);
    let mut extra = Vec::new();
    for (draft, written) in &listing.drafts {
        if is_old(*written) {
            extra.push(keys.draft_mark(draft)?);
        }
    }
    for (number, dropped) in &listing.dropped {
        if is_old(*dropped) {
            extra.push(keys.dropped(*number)?);
        }
    }
    let named = Arc::new(named);
    for folder in [keys.objects()?, keys.shards()?] {
        let named = Arc::clone(&named);
        let add = move |unnamed: &mut Vec<Key>, found: ListedObject| {
            if is_old(found.written) && !named.has(&found.key) {
                unnamed.push(found.key);
            }
        };
        extra.extend(objects.list_into(&folder, add).await?);
    }
    Ok(extra)
}
