//! What a draft builds on: the deployment that is the site now, and what the store holds of it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use super::inventory::{Inventory, parts};
use super::keys::object_name;
use super::manifest::{FilePlace, ManifestFiles, NamedEntry};
use super::published::SiteStanding;
use super::{
    Ahead, Damage, Encoding, Manifest, ManifestEntry, Objects, Published, Shard, StoreError, Tree,
    Variant, Warm,
};
use crate::model::SiteId;

/// The newest deployment, as a draft found it.
#[derive(Debug, Default)]
pub(super) struct DraftBase {
    /// The number that the draft wants.
    pub(super) number: u64,
    pub(super) fence: u64,
    pub(super) previous: Option<Published>,
    /// Deployments before that, the newest first, where files are looked for that were there once.
    pub(super) earlier: Vec<Published>,
    pub(super) inventory: Arc<Inventory>,
    /// The variants that files get.
    variants: BTreeSet<Encoding>,
    /// What is wrong with the files of `previous`.
    pub(super) damage: Vec<Damage>,
    /// Whether somebody wrote down that objects have wrong bytes.
    pub(super) notes_damage: bool,
    /// What is wrong with deployments that are newer than `previous`.
    pub(super) passed_over: Vec<StoreError>,
    named: OnceLock<HashSet<String>>,
    bytes: OnceLock<u64>,
}

impl DraftBase {
    /// `known` is a deployment loaded earlier, from which is taken what did not change since, and `warm` knows which objects there are;
    /// or they are being listed (`ahead`), which is believed where nothing seems to be missing.
    pub(super) async fn load(
        objects: &Objects,
        site: &SiteId,
        recall: bool,
        known: Option<&Published>,
        warm: &Warm,
        ahead: Option<Ahead>,
    ) -> Result<Self, StoreError> {
        let SiteStanding {
            published: previous,
            passed_over,
            newest,
            notes_damage,
        } = Published::standing(objects, site, known).await?;
        let early = match ahead.filter(|_| !notes_damage) {
            Some(ahead) => ahead.listed().await,
            None => None,
        };
        // Others may have published since it was listed.
        let is_older = known.is_some() || early.is_some();
        let inventory = match (warm.inventory(site).filter(|_| !notes_damage), &early) {
            (Some(inventory), _) => inventory,
            (None, Some(early)) => Arc::clone(early),
            (None, None) => {
                let inventory = Arc::new(Inventory::take(objects, site, notes_damage).await?);
                warm.keep_inventory(site, &inventory);
                inventory
            }
        };
        let is_lost = |published: &Published| {
            published
                .manifest_names()
                .iter()
                .any(|name| !inventory.holds(name))
        };
        let damage = previous
            .as_ref()
            .map(|previous| inventory.damage(previous))
            .unwrap_or_default();
        if is_older && previous.as_ref().is_some_and(is_lost)
            || early.is_some() && !damage.is_empty()
        {
            // What was there when it was loaded is not there any more, or what is there was not yet.
            warm.forget_objects(site);
            return Box::pin(Self::load(objects, site, recall, None, warm, None)).await;
        }
        let fence = previous
            .as_ref()
            .map_or(0, |previous| previous.commit().fence);
        let number = newest + 1;
        let variants = BTreeSet::clone(objects.variants());
        let base = Self {
            number,
            fence,
            previous,
            inventory,
            variants,
            damage,
            notes_damage,
            passed_over,
            ..Self::default()
        };
        if recall {
            base.with_earlier(objects, site).await
        } else {
            Ok(base)
        }
    }

    /// Loads all deployments that are kept, so that their files can be named again.
    pub(super) async fn with_earlier(
        mut self,
        objects: &Objects,
        site: &SiteId,
    ) -> Result<Self, StoreError> {
        let Some(previous) = &self.previous else {
            return Ok(self);
        };
        for number in previous
            .numbers()
            .rev()
            .filter(|number| *number < previous.deployment())
        {
            let known = self.earlier.last().unwrap_or(previous);
            match Published::load(objects, site, number, Some(known)).await {
                Ok(earlier) => self.earlier.push(earlier),
                // Without it, files are written again.
                Err(StoreError::Damaged { .. } | StoreError::Unknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self)
    }

    /// The record of a file in the deployment that is the site now.
    pub(super) fn old(&self, tree: &Tree, name: &str) -> Option<&ManifestEntry> {
        self.old_named(tree, name, FilePlace::default())
            .map(|((_, entry), _)| &**entry)
    }

    /// The same, with its name and place; that is likely the next one after `last`.
    pub(super) fn old_named(
        &self,
        tree: &Tree,
        name: &str,
        last: FilePlace,
    ) -> Option<(&NamedEntry, FilePlace)> {
        self.previous
            .as_ref()?
            .manifest(tree)?
            .objects
            .named_after(last, name)
    }

    /// Records of a file, the newest first, whose bytes are there with the variants that files get.
    pub(super) fn whole<'b>(
        &'b self,
        tree: &'b Tree,
        name: &'b str,
    ) -> impl Iterator<Item = &'b Arc<ManifestEntry>> {
        let all = self
            .previous
            .iter()
            .chain(&self.earlier)
            .filter(|published| self.may_name(published));
        let named = all
            .filter_map(move |published| Some(&published.manifest(tree)?.objects.named(name)?.1));
        named.filter(|entry| self.inventory.has(&self.trimmed(entry)))
    }

    /// A record with the variants that files get, of all that it may have.
    pub(super) fn trimmed(&self, entry: &Arc<ManifestEntry>) -> Arc<ManifestEntry> {
        let is_wanted = |encoding: &Encoding| self.variants.contains(encoding);
        if entry
            .encodings
            .iter()
            .all(|(encoding, _)| is_wanted(&encoding))
        {
            return Arc::clone(entry);
        }
        let wanted = entry
            .encodings
            .iter()
            .filter(|(encoding, _)| is_wanted(encoding));
        let encodings: BTreeMap<Encoding, Variant> = wanted
            .map(|(encoding, variant)| (encoding, variant.clone()))
            .collect();
        Arc::new(ManifestEntry {
            encodings: encodings.into(),
            ..ManifestEntry::clone(entry)
        })
    }

    /// The deployment that is the site now, if what its manifests say can be said again.
    pub(super) fn to_name(&self) -> Option<&Published> {
        self.previous
            .as_ref()
            .filter(|previous| self.may_name(previous))
    }

    /// True if the files of a deployment have all variants that files get.
    fn may_name(&self, published: &Published) -> bool {
        self.variants.is_subset(&published.settings().variants)
    }

    pub(super) fn old_shard(&self, tree: &Tree) -> Option<&Shard> {
        self.previous.as_ref()?.commit().trees.get(tree)
    }

    pub(super) fn old_sources(&self) -> Option<&Shard> {
        self.previous.as_ref()?.commit().sources.as_ref()
    }

    /// Whether the deployment that is the site now names an object: then no sweep deletes it before there is a newer one.
    pub(super) fn names(&self, name: &str) -> bool {
        let collect = || {
            let here = self.previous.as_ref();
            let sources = here.and_then(|here| here.commit().sources.as_ref());
            let sources = sources.map(|shard| object_name(&shard.hash, shard.copy.as_deref()));
            let manifests = here.map(Published::manifest_names).unwrap_or_default();
            let files = here.into_iter().flat_map(Published::files);
            let files = files.flat_map(|(_, _, entry)| parts(entry).map(|(_, name, _)| name));
            sources.into_iter().chain(manifests).chain(files).collect()
        };
        self.named.get_or_init(collect).contains(name)
    }

    /// How many bytes the files of the deployment that is the site now have, with their variants.
    pub(super) fn bytes(&self) -> u64 {
        let sum = || {
            self.previous
                .iter()
                .flat_map(Published::files)
                .flat_map(|(_, _, entry)| entry.parts())
                .map(|(_, size)| size)
                .sum()
        };
        *self.bytes.get_or_init(sum)
    }

    /// How many files of the deployment that is the site now are not in these trees.
    pub(super) fn removed(&self, trees: &BTreeMap<Tree, Manifest>) -> usize {
        let old = self.previous.iter().flat_map(|old| {
            old.trees()
                .filter_map(|tree| Some((tree, old.manifest(tree)?)))
        });
        let removed = old.map(|(tree, old)| match trees.get(tree) {
            Some(new) => {
                let (old, new) = ManifestFiles::apart(&old.objects, &new.objects);
                old.keys().filter(|name| !new.contains_key(*name)).count()
            }
            None => old.objects.len(),
        });
        removed.sum()
    }
}
