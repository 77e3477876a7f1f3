//! Whether the published pages can be read, and written where they are files; and whether each site's are whole.

use pipeline::causes::chain;
use pipeline::config::{Config, Objects, SiteConfig};
use pipeline::publish::{Objects as PublishedObjects, Published, Standing, Switches, note_damage};

use super::disk::writable;
use super::finding::{Depth, Finding, Health};

/// How many damaged files a finding names.
const NAMED: usize = 3;

/// Whether the published pages can be read, and written where they are files; and whether each site's are whole.
pub(super) async fn look(config: &Config, objects: &PublishedObjects, depth: Depth, findings: &mut Vec<Finding>) {
    let place = match &config.store.objects {
        Objects::Folder(folder) => writable(folder).map(|()| folder.display().to_string()),
        Objects::Url(address) => Ok(address.to_string()),
    };
    let place = match place {
        Ok(place) => place,
        Err(error) => return findings.push(Finding::new("object store", Health::Bad, error)),
    };
    let (mut deployments, mut troubles) = (Vec::new(), Vec::new());
    for site in &config.sites {
        match Published::standing(objects, &site.id, None).await {
            Err(error) => troubles.push(Finding::new("object store", Health::Bad, chain(&error))),
            Ok(Standing { published, passed_over, .. }) => {
                let what = format!("published pages of {}", site.id);
                troubles.extend(passed_over.iter().map(|error| Finding::new(&what, Health::Bad, error.to_string())));
                troubles.extend(switches(objects, site).await.map(|found| Finding::new(&what, Health::Bad, found)));
                let Some(published) = published else { continue };
                deployments.push(format!("deployment {} of {}", published.deployment(), site.id));
                if depth == Depth::Quick {
                    continue;
                }
                troubles.extend(whole(objects, &published).await.map(|found| Finding::new(&what, Health::Bad, found)));
            }
        }
    }
    let found = match deployments.as_slice() {
        [] => format!("{place}, nothing is published yet"),
        known => format!("{place}, {}", known.join(", ")),
    };
    findings.push(Finding::new("object store", Health::Good, found));
    findings.extend(troubles);
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
    let more = if damage.len() > NAMED { format!(", and {} more", damage.len() - NAMED) } else { String::new() };
    let noted = note_damage(objects, published, &damage).await;
    let noted = noted.err().map(|error| format!("; it will not know them all: {error}")).unwrap_or_default();
    Some(format!("{}{more}; `latimer build` writes them anew{noted}", named.join("; ")))
}
