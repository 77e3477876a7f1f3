//! The published pages: access to the store, and the integrity of each site's.

use std::path::Path;

use pipeline::causes::chain;
use pipeline::config::{Config, Objects, SiteConfig};
use pipeline::store::{
    Objects as PublishedObjects, Published, Standing, StoreError, Switches, note_damage,
};

use super::bucket::{self, PATIENCE};
use super::disk::writable;
use super::finding::{Depth, Finding, Health};

/// The store, as findings name it.
const STORE: &str = "object store";
/// How many damaged files a finding names.
const NAMED: usize = 3;

/// Place of the published pages.
#[derive(Clone, Copy, Debug)]
pub enum StoreAt<'a> {
    /// In a store that is open.
    Open(&'a PublishedObjects),
    /// In a store that cannot be opened.
    Closed(&'a StoreError),
    /// In a folder that the first build makes.
    New(&'a Path),
}

/// Looks at the store; gives it if it can be used.
pub(super) async fn look(
    config: &Config,
    store: StoreAt<'_>,
    depth: Depth,
    findings: &mut Vec<Finding>,
) -> Option<PublishedObjects> {
    let objects = match store {
        StoreAt::Open(objects) => objects.clone().with_patience(PATIENCE),
        StoreAt::Closed(error) => {
            findings.push(Finding::new(STORE, Health::Bad, chain(error)));
            return None;
        }
        StoreAt::New(folder) => {
            let new = writable(folder)
                .map(|()| format!("{}, which the first build makes", folder.display()));
            findings.push(Finding::of(STORE, new));
            return None;
        }
    };
    let place = match &config.store.objects {
        Objects::Folder(folder) => folder_of_store(folder),
        Objects::Url(address) => bucket::look(STORE, address.as_str(), &objects).await,
    };
    match place {
        Ok(place) => deployments(config, &objects, place, depth, findings).await,
        Err(trouble) => {
            findings.push(trouble);
            return None;
        }
    }
    Some(objects)
}

/// Looks at the deployment of each site, and adds the result to the finding of the store.
async fn deployments(
    config: &Config,
    objects: &PublishedObjects,
    place: Finding,
    depth: Depth,
    findings: &mut Vec<Finding>,
) {
    let mut deployments = Vec::new();
    let mut troubles = Vec::new();
    for site in &config.sites {
        match Published::standing(objects, &site.id, None).await {
            Err(error) => troubles.push(Finding::new(STORE, Health::Bad, chain(&error))),
            Ok(Standing {
                published,
                passed_over,
                ..
            }) => {
                let what = format!("published pages of {}", site.id);
                troubles.extend(
                    passed_over
                        .iter()
                        .map(|error| Finding::new(&what, Health::Bad, error.to_string())),
                );
                troubles.extend(
                    switches(objects, site)
                        .await
                        .map(|found| Finding::new(&what, Health::Bad, found)),
                );
                let Some(published) = published else { continue };
                deployments.push(format!(
                    "deployment {} of {}",
                    published.deployment(),
                    site.id
                ));
                if depth == Depth::Quick {
                    continue;
                }
                troubles.extend(
                    whole(objects, &published)
                        .await
                        .map(|found| Finding::new(&what, Health::Bad, found)),
                );
            }
        }
    }
    let found = match deployments.as_slice() {
        [] if !troubles.is_empty() => place.found,
        [] => format!("{}, nothing is published yet", place.found),
        known => format!("{}, {}", place.found, known.join(", ")),
    };
    findings.push(Finding { found, ..place });
    findings.extend(troubles);
}

fn folder_of_store(folder: &Path) -> Result<Finding, Finding> {
    match writable(folder) {
        Ok(()) => Ok(Finding::new(
            STORE,
            Health::Good,
            folder.display().to_string(),
        )),
        Err(error) => Err(Finding::new(STORE, Health::Bad, error)),
    }
}

/// What is wrong with the newest record of which languages are on.
async fn switches(objects: &PublishedObjects, site: &SiteConfig) -> Option<String> {
    let newest = Switches::newest(objects, &site.id).await;
    newest.map_or_else(
        |error| Some(chain(&error)),
        |newest| {
            let lost = newest.lost()?;
            Some(format!(
                "{lost} is damaged, so nobody can tell which languages are on; unless a later deployment tells, readers get \
                 the source language alone. `latimer build` on the machine that turned the last switch writes it anew"
            ))
        },
    )
}

/// What is wrong with the files of a deployment, each of which is read; the next build is told which they are.
async fn whole(objects: &PublishedObjects, published: &Published) -> Option<String> {
    let damage = match published.check_bytes(objects).await {
        Ok(damage) => damage,
        Err(error) => return Some(chain(&error)),
    };
    if damage.is_empty() {
        return None;
    }
    let named: Vec<String> = damage.iter().take(NAMED).map(ToString::to_string).collect();
    let more = if damage.len() > NAMED {
        format!(", and {} more", damage.len() - NAMED)
    } else {
        String::new()
    };
    let noted = note_damage(objects, published, &damage).await;
    let noted = noted
        .err()
        .map(|error| format!("; it will not know them all: {error}"))
        .unwrap_or_default();
    Some(format!(
        "{}{more}; `latimer build` writes them anew{noted}",
        named.join("; ")
    ))
}
