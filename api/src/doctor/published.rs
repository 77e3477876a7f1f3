//! The published pages: access to the store, and the integrity of each site's.

use std::path::Path;

use pipeline::causes::chain;
use pipeline::config::{Config, SiteConfig, StoreLocation};
use pipeline::store::{
    Objects as PublishedObjects, Published, SiteStanding, StoreError, Switches, note_damage,
};

use super::bucket::{self, PATIENCE};
use super::disk::writable;
use super::finding::{DoctorDepth, DoctorFinding, DoctorHealth};

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
    depth: DoctorDepth,
    findings: &mut Vec<DoctorFinding>,
) -> Option<PublishedObjects> {
    let objects = match store {
        StoreAt::Open(objects) => objects.clone().with_patience(PATIENCE),
        StoreAt::Closed(error) => {
            findings.push(DoctorFinding::new(STORE, DoctorHealth::Bad, chain(error)));
            return None;
        }
        StoreAt::New(folder) => {
            let new = writable(folder)
                .map(|()| format!("{}, which the first build makes", folder.display()));
            findings.push(DoctorFinding::of(STORE, new));
            return None;
        }
    };
    let place = match &config.store.objects {
        StoreLocation::Folder(folder) => folder_of_store(folder),
        StoreLocation::Url(address) => bucket::look(STORE, address.as_str(), &objects).await,
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
    place: DoctorFinding,
    depth: DoctorDepth,
    findings: &mut Vec<DoctorFinding>,
) {
    let mut deployments = Vec::new();
    let mut troubles = Vec::new();
    for site in &config.sites {
        match Published::standing(objects, &site.id, None).await {
            Err(error) => {
                troubles.push(DoctorFinding::new(STORE, DoctorHealth::Bad, chain(&error)))
            }
            Ok(SiteStanding {
                published,
                passed_over,
                ..
            }) => {
                let what = format!("published pages of {}", site.id);
                troubles.extend(
                    passed_over.iter().map(|error| {
                        DoctorFinding::new(&what, DoctorHealth::Bad, error.to_string())
                    }),
                );
                troubles.extend(
                    switches(objects, site)
                        .await
                        .map(|found| DoctorFinding::new(&what, DoctorHealth::Bad, found)),
                );
                let Some(published) = published else { continue };
                deployments.push(format!(
                    "deployment {} of {}",
                    published.deployment(),
                    site.id
                ));
                if depth == DoctorDepth::Quick {
                    continue;
                }
                troubles.extend(
                    whole(objects, &published)
                        .await
                        .map(|found| DoctorFinding::new(&what, DoctorHealth::Bad, found)),
                );
            }
        }
    }
    let found = match deployments.as_slice() {
        [] if !troubles.is_empty() => place.found,
        [] => format!("{}, nothing is published yet", place.found),
        known => format!("{}, {}", place.found, known.join(", ")),
    };
    findings.push(DoctorFinding { found, ..place });
    findings.extend(troubles);
}

fn folder_of_store(folder: &Path) -> Result<DoctorFinding, DoctorFinding> {
    match writable(folder) {
        Ok(()) => Ok(DoctorFinding::new(
            STORE,
            DoctorHealth::Good,
            folder.display().to_string(),
        )),
        Err(error) => Err(DoctorFinding::new(STORE, DoctorHealth::Bad, error)),
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
