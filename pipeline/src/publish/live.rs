//! The live tree: the newest deployment as a static host would read it, hard links on a disk.
//!
//! It is a projection: it holds exactly what the commit says, for the locales that are on, and is compared object by
//! object, so a projection that was cut off is completed by the next one. Somebody who reads it directly, past the
//! commit, can see a moment of both deployments. Files of the live tree must not be edited in place: on a disk they
//! are the deployment's own.
//!
//! Variants stay in the deployment. Shared files lie at the site's root where the language stands in the path, and in
//! every locale's folder where it stands in the host. Where a locale's folder and a shared file want one name, the
//! locale has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use futures::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use serde::{Deserialize, Serialize};

use super::commit::{decode, encode};
use super::keys::Keys;
use super::objects::PARALLEL;
use super::{Addressing, Objects, PublishError, Published, Tree, disk};
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
struct Marker {
    deployment: u64,
}

/// Makes the live tree equal to the newest deployment; does nothing if it already is.
pub async fn project_live(objects: &Objects, site: &SiteId) -> Result<Projected, PublishError> {
    let Some(published) = Published::newest(objects, site, None).await? else { return Ok(Projected::default()) };
    let marker = Keys(site).live_marker()?;
    let now = Marker { deployment: published.deployment() };
    let before = objects.get(&marker).await?;
    if before.and_then(|bytes| decode::<Marker>(&bytes, marker.as_ref()).ok()).as_ref() == Some(&now) {
        return Ok(Projected::default());
    }
    objects.delete(vec![marker.clone()]).await?;
    let projected = project(objects, site, wanted(&published)?).await?;
    objects.put_durably(&marker, encode(&now, marker.as_ref())?).await?;
    Ok(projected)
}

async fn project(objects: &Objects, site: &SiteId, wanted: BTreeMap<Key, Key>) -> Result<Projected, PublishError> {
    let found: BTreeMap<Key, Option<String>> =
        objects.list(&Keys(site).site()?).await?.into_iter().map(|meta| (meta.location, meta.e_tag)).collect();
    let same =
        |to: &Key, from: &Key| matches!((found.get(to), found.get(from)), (Some(Some(a)), Some(Some(b))) if a == b);
    let links: Vec<(&Key, &Key)> = wanted.iter().filter(|(to, from)| !same(to, from)).collect();
    let extra = found.keys().filter(|key| Keys(site).is_live(key) && !wanted.contains_key(*key));
    let folders: BTreeSet<&str> = wanted.keys().flat_map(|key| parents(key.as_ref())).collect();
    let in_the_way =
        |key: &Key| folders.contains(key.as_ref()) || parents(key.as_ref()).any(|folder| is_key(&wanted, folder));
    let (first, last): (Vec<Key>, Vec<Key>) = extra.cloned().partition(in_the_way);
    let projected = Projected { linked: links.len(), removed: first.len() + last.len() };
    let touched = links.iter().map(|(to, _)| *to).chain(&last).filter_map(|key| folder_of(objects, key));
    let touched: BTreeSet<PathBuf> = touched.collect();

    objects.delete(first).await?;
    futures::stream::iter(links)
        .map(|(to, from)| objects.link(from, to))
        .buffer_unordered(PARALLEL)
        .try_collect::<()>()
        .await?;
    objects.delete(last).await?;
    disk::sync_folders(touched.into_iter().collect()).await?;
    Ok(projected)
}

/// Live key → the object it shows.
fn wanted(published: &Published) -> Result<BTreeMap<Key, Key>, PublishError> {
    let keys = Keys(published.site());
    let settings = published.settings();
    let in_host = matches!(settings.addressing()?, Some(Addressing::Host { .. }));
    let on: Vec<&Tree> =
        published.trees().filter(|tree| matches!(tree, Tree::Locale(locale) if settings.is_on(locale))).collect();
    let places = if in_host { on.clone() } else { vec![&Tree::Shared] };
    let shared = places.into_iter().map(|place| (&Tree::Shared, place));
    let mut wanted = BTreeMap::new();
    for (tree, place) in shared.chain(on.iter().map(|tree| (*tree, *tree))) {
        for (name, entry) in published.manifest(tree).into_iter().flat_map(|manifest| &manifest.objects) {
            wanted.insert(keys.live(place, name)?, keys.object(entry.deployment, tree, name, None)?);
        }
    }
    let folders: BTreeSet<String> = wanted.keys().flat_map(|key| parents(key.as_ref())).map(str::to_owned).collect();
    wanted.retain(|key, _| !folders.contains(key.as_ref()));
    Ok(wanted)
}

fn parents(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices('/').map(|(at, _)| &key[..at])
}

fn is_key(keys: &BTreeMap<Key, Key>, text: &str) -> bool {
    super::keys::key(text).is_ok_and(|key| keys.contains_key(&key))
}

fn folder_of(objects: &Objects, key: &Key) -> Option<PathBuf> {
    objects.path(key).and_then(|path| path.parent().map(PathBuf::from))
}
