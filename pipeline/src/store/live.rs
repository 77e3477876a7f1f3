//! The live tree: the newest deployment as a static host would read it, hard links on a disk.
//!
//! It is a projection: it holds exactly what the commit says, for the locales that are on. A marker says which
//! deployment it shows and is away while it is worked on; a projection that was cut off is found by that, and then
//! every file is compared with its object. Somebody who reads it directly, past the
//! commit, can see a moment of both deployments. Files of the live tree must not be edited in place: on a disk they
//! are the deployment's own.
//!
//! Variants stay in the deployment. Shared files lie at the site's root where the language stands in the path, and in
//! every locale's folder where it stands in the host. Where a locale's folder and a shared file want one name, the
//! locale has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use futures::{StreamExt, TryStreamExt};
use object_store::ObjectMeta;
use object_store::path::Path as Key;
use serde::{Deserialize, Serialize};

use super::keys::SiteKeys;
use super::lock::Lock;
use super::manifest::ManifestFiles;
use super::objects::PARALLEL;
use super::record::{decode, encode};
use super::{Addressing, Objects, Published, StoreError, Tree, disk};
use crate::model::SiteId;

/// What a projection changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Projected {
    /// Files that are new or other than before.
    pub linked: usize,
    /// Files removed.
    pub removed: usize,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LiveMarker {
    deployment: u64,
    /// Which record of switches it was made under.
    #[serde(default)]
    switches: u64,
}

/// Makes the live tree equal to the newest deployment; does nothing if it already is.
///
/// `known` is a deployment loaded earlier; what the newest one shares with it is not read again.
///
/// # Errors
/// A [`StoreError`] when the store failed; the next projection begins anew.
pub async fn project_live(
    objects: &Objects,
    site: &SiteId,
    known: Option<&Published>,
) -> Result<Projected, StoreError> {
    // Whoever comes second finds the work done, or something newer to show.
    let _one_at_a_time = Lock::live(objects, site).await?;
    let Some(published) = Published::newest(objects, site, known).await? else {
        return Ok(Projected::default());
    };
    let marker = SiteKeys(site).live_marker()?;
    let now = LiveMarker {
        deployment: published.deployment(),
        switches: published.switches().number(),
    };
    let before = objects
        .get(&marker)
        .await?
        .and_then(|bytes| decode::<LiveMarker>(&bytes, marker.as_ref()).ok());
    let shown = match before {
        Some(before) if before == now => return Ok(Projected::default()),
        Some(before) if before.switches == now.switches => {
            Published::load(objects, site, before.deployment, Some(&published))
                .await
                .ok()
        }
        Some(_) | None => None,
    };
    if let Some(links) = shown
        .as_ref()
        .map(|shown| changed(objects, shown, &published))
        .transpose()?
        .flatten()
    {
        objects.delete(vec![marker.clone()]).await?;
        let projected = Projected {
            linked: links.len(),
            removed: 0,
        };
        link_all(
            objects,
            links.iter().map(|(to, from)| (to, from)),
            BTreeSet::new(),
        )
        .await?;
        objects
            .put_durably(&marker, encode(&now, marker.as_ref())?)
            .await?;
        return Ok(projected);
    }
    let shown = match shown {
        Some(shown) => Shown::Deployment(wanted(&shown)?),
        None => Shown::Unknown,
    };
    objects.delete(vec![marker.clone()]).await?;
    if let Shown::Unknown = shown {
        remove_leftovers(objects, site).await?;
    }
    let projected = project(objects, site, wanted(&published)?, &shown).await?;
    objects
        .put_durably(&marker, encode(&now, marker.as_ref())?)
        .await?;
    Ok(projected)
}

/// Removes files of the live tree that were being written when a crash came; those of builders at work stay.
async fn remove_leftovers(objects: &Objects, site: &SiteId) -> Result<(), StoreError> {
    disk::remove_leftover_files(objects, &SiteKeys(site).site()?).await?;
    let (_, folders) = objects.list_flat(&SiteKeys(site).site()?).await?;
    for folder in folders
        .iter()
        .filter(|folder| SiteKeys(site).is_live(folder))
    {
        disk::remove_leftovers(objects, folder).await?;
    }
    Ok(())
}

/// What the live tree showed before: a whole deployment, or what a projection that was cut off left.
enum Shown {
    /// Live key → the object it shows.
    Deployment(BTreeMap<Key, Key>),
    /// Nobody knows: a live file is right if it shares its object's entity tag.
    Unknown,
}

async fn project(
    objects: &Objects,
    site: &SiteId,
    wanted: BTreeMap<Key, Key>,
    shown: &Shown,
) -> Result<Projected, StoreError> {
    let found = etags(list_live(objects, site).await?);
    let tags = match shown {
        // A first deployment of a large site has hundreds of thousands of objects, and shows nothing yet.
        Shown::Unknown if !found.is_empty() => {
            etags(objects.list_whole(&SiteKeys(site).deployments()?).await?)
        }
        Shown::Unknown | Shown::Deployment(_) => BTreeMap::new(),
    };
    let same = |to: &Key, from: &Key| {
        found.get(to).is_some_and(|tag| match shown {
            Shown::Deployment(links) => links.get(to) == Some(from),
            Shown::Unknown => tag.is_some() && tags.get(from) == Some(tag),
        })
    };
    let links: Vec<(&Key, &Key)> = wanted.iter().filter(|(to, from)| !same(to, from)).collect();
    let extra = found.keys().filter(|key| !wanted.contains_key(*key));
    let folders: BTreeSet<&str> = wanted
        .keys()
        .flat_map(|key| parents(key.as_ref()))
        .collect();
    let names: BTreeSet<&str> = wanted.keys().map(Key::as_ref).collect();
    let in_the_way = |key: &Key| {
        folders.contains(key.as_ref()) || parents(key.as_ref()).any(|folder| names.contains(folder))
    };
    let (first, last): (Vec<Key>, Vec<Key>) = extra.cloned().partition(in_the_way);
    let projected = Projected {
        linked: links.len(),
        removed: first.len() + last.len(),
    };
    let touched: BTreeSet<PathBuf> = last
        .iter()
        .filter_map(|key| folder_of(objects, key))
        .collect();
    objects.delete(first).await?;
    link_all(objects, links, touched).await?;
    objects.delete(last).await?;
    Ok(projected)
}

/// Makes live files the same as their objects, and waits until the disk holds the names in their folders and in those that are
/// `touched` beside them.
async fn link_all<'k>(
    objects: &Objects,
    links: impl IntoIterator<Item = (&'k Key, &'k Key)>,
    mut touched: BTreeSet<PathBuf>,
) -> Result<(), StoreError> {
    let links: Vec<_> = links.into_iter().collect();
    touched.extend(links.iter().filter_map(|(to, _)| folder_of(objects, to)));
    futures::stream::iter(links)
        .map(|(to, from)| objects.link(from, to))
        .buffer_unordered(PARALLEL)
        .try_collect::<()>()
        .await?;
    disk::sync_folders(touched.into_iter().collect()).await
}

/// A file that somebody removed from the live tree returns with the next deployment that changes it, or adds or removes any file: only
/// parts that differ are compared.
///
/// The links to make where both deployments have files of the same names, so that of a large site only what changed is looked at;
/// nothing where that is not so, or where a file is not in its place.
fn changed(
    objects: &Objects,
    shown: &Published,
    published: &Published,
) -> Result<Option<Vec<(Key, Key)>>, StoreError> {
    let before = places(shown)?;
    let now = places(published)?;
    if before != now {
        return Ok(None);
    }
    let keys = SiteKeys(published.site());
    let mut links = Vec::new();
    let has = |tree: &Tree, name: &str| {
        published
            .manifest(tree)
            .is_some_and(|manifest| manifest.objects.contains_key(name))
    };
    // Where a locale has a file of this name, it is shown, and not the one that all share.
    let is_hidden = |tree: &Tree, place: &Tree, name: &str| match (tree, place) {
        (Tree::Locale(_), _) => false,
        (Tree::Shared, Tree::Locale(_)) => has(place, name),
        (Tree::Shared, Tree::Shared) => name.split_once('/').is_some_and(|(folder, name)| {
            let is_there =
                |tree: &Tree| matches!(tree, Tree::Locale(locale) if locale.as_str() == folder);
            now.iter()
                .any(|(tree, _)| is_there(tree) && has(tree, name))
        }),
    };
    for &(tree, place) in &now {
        let (Some(before), Some(now)) = (shown.manifest(tree), published.manifest(tree)) else {
            match shown.manifest(tree).is_none() && published.manifest(tree).is_none() {
                true => continue,
                false => return Ok(None),
            }
        };
        let (old, new) = ManifestFiles::apart(&before.objects, &now.objects);
        if !old.keys().eq(new.keys()) {
            return Ok(None);
        }
        for ((name, was), is) in old.into_iter().zip(new.into_values()) {
            if is_hidden(tree, place, name) {
                return Ok(None);
            }
            let part = |entry| keys.part(tree, name, entry, None);
            let from = part(is)?;
            let to = keys.live(place, name)?;
            let is_file = || {
                objects
                    .path(&to)
                    .is_some_and(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()))
            };
            if part(was)? == from {
                continue;
            }
            if !is_file() {
                return Ok(None);
            }
            links.push((to, from));
        }
    }
    Ok(Some(links))
}

/// Everything of the site but what the store keeps for itself, which is most of it and need not be listed.
async fn list_live(objects: &Objects, site: &SiteId) -> Result<Vec<ObjectMeta>, StoreError> {
    let (mut found, folders) = objects.list_flat(&SiteKeys(site).site()?).await?;
    for folder in folders
        .iter()
        .filter(|folder| SiteKeys(site).is_live(folder))
    {
        found.extend(objects.list_whole(folder).await?);
    }
    Ok(found)
}

fn etags(found: Vec<ObjectMeta>) -> BTreeMap<Key, Option<String>> {
    found
        .into_iter()
        .map(|meta| (meta.location, meta.e_tag))
        .collect()
}

/// The trees whose files are shown, each with that in whose place they lie.
fn places(published: &Published) -> Result<Vec<(&Tree, &Tree)>, StoreError> {
    let settings = published.settings();
    let in_host = matches!(settings.addressing()?, Some(Addressing::Host { .. }));
    let on: Vec<&Tree> = published
        .trees()
        .filter(|tree| matches!(tree, Tree::Locale(locale) if settings.is_on(locale)))
        .collect();
    let places = if in_host {
        on.clone()
    } else {
        vec![&Tree::Shared]
    };
    let shared = places.into_iter().map(|place| (&Tree::Shared, place));
    Ok(shared.chain(on.iter().map(|tree| (*tree, *tree))).collect())
}

/// Live key → the object it shows.
fn wanted(published: &Published) -> Result<BTreeMap<Key, Key>, StoreError> {
    let keys = SiteKeys(published.site());
    let mut wanted = BTreeMap::new();
    for (tree, place) in places(published)? {
        for (name, entry) in published
            .manifest(tree)
            .into_iter()
            .flat_map(|manifest| manifest.objects.iter())
        {
            wanted.insert(keys.live(place, name)?, keys.part(tree, name, entry, None)?);
        }
    }
    let folders: BTreeSet<String> = wanted
        .keys()
        .flat_map(|key| parents(key.as_ref()))
        .map(str::to_owned)
        .collect();
    wanted.retain(|key, _| !folders.contains(key.as_ref()));
    Ok(wanted)
}

fn parents(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices('/').map(|(at, _)| &key[..at])
}

fn folder_of(objects: &Objects, key: &Key) -> Option<PathBuf> {
    objects
        .path(key)
        .and_then(|path| path.parent().map(PathBuf::from))
}
