//! Sweeping of fetched bytes: what no deployment that is kept and not this run is made of is deleted.
//!
//! Several builders may work on one store, each with a state of its own, so what this one's state knows decides nothing
//! alone. What another builder has just put is named by nobody yet, so only what is old goes, or what is there while
//! nobody else works.

use futures::future::BoxFuture;
use std::time::{Duration, SystemTime};

use crate::config::SiteConfig;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::options::{BuildOptions, Stores};
use crate::run::source::sources::Sources;
use crate::state::State;
use crate::store::{self, ByName, Lock, Objects, Published, SourceIndex, StoreError, StoredSource};

/// For so long bytes that nobody names stay; no build takes longer.
const GRACE: Duration = Duration::from_secs(24 * 60 * 60);
/// For so long a build relies on bytes that nobody names: when they are swept, it has ended.
pub(in crate::run) const RELIABLE: Duration = Duration::from_secs(12 * 60 * 60);

/// So many names are looked for one by one.
const FEW: usize = 4;
/// The longest text that is looked for many bytes at a time, by the standard library.
const SHORT: usize = 32;

/// Sweeps what builds of this process left that know of each other ([`BuildOptions::warm`]): what no deployment that is kept is made
/// of is deleted.
///
/// # Errors
/// A [`BuildError`] when the store or the state failed; the next sweep goes on.
pub fn sweep<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    options: &'a BuildOptions,
) -> BoxFuture<'a, Result<(), BuildError>> {
    Box::pin(async move {
        let build = &Build {
            site,
            stores,
            options,
            progress: &|_| (),
        };
        let objects = &stores.objects;
        let id = &site.id;
        options.warm.forget_objects(id);
        let of = id.clone();
        let records = stores.with_state(move |state| state.sources(&of)).await?;
        let stored = store::sources(objects, id).await?.into();
        store::sweep(
            objects,
            id,
            options.keep_deployments,
            options.warm.published(id).as_ref(),
        )
        .await?;
        sweep_sources(
            build,
            &Sources {
                records,
                stored,
                ..Sources::default()
            },
        )
        .await?;
        Ok(options.warm.list(objects, id).await?)
    })
}

/// Removes fetched bytes that nobody needs any more, of those that were there before this run.
pub(super) async fn sweep_sources(build: &Build<'_>, sources: &Sources) -> Result<(), BuildError> {
    let objects = &build.stores.objects;
    let site = &build.site.id;
    let alone = Lock::only(objects, site).await?;
    if alone.is_some() {
        store::remove_unfinished_sources(objects, site).await?;
    }
    let unknown = |stored: &[StoredSource]| -> Vec<StoredSource> {
        let own = sources.records.values().flat_map(|record| record.names());
        let own: ByName<()> = own.map(|name| (name, ())).collect();
        stored
            .iter()
            .filter(|source| !own.contains(&source.name) && is_plain(&source.name))
            .cloned()
            .collect()
    };
    let mut stored = unknown(&sources.stored);
    if alone.is_none() && !stored.is_empty() {
        // Somebody may have written the same again, relying on it, and then it is young.
        stored = unknown(&store::sources(objects, site).await?);
    }
    if stored.is_empty() {
        return Ok(());
    }
    let deployments = match store::deployments(objects, site).await {
        // Nobody knows what it is made of.
        Err(StoreError::Damaged { .. }) => return Ok(()),
        deployments => deployments?,
    };
    let written = stored.iter().map(|source| source.written);
    // The store's clock counts, which says at least as much.
    let now = written
        .chain(deployments.iter().map(|deployment| deployment.created))
        .max();
    let is_due = |source: &&StoredSource| alone.is_some() || is_old(source, now);
    let mut unknown: ByName<()> = stored
        .iter()
        .filter(is_due)
        .map(|source| (&source.name, ()))
        .collect();
    for deployment in deployments {
        if unknown.is_empty() {
            return Ok(());
        }
        match store::source_index_bytes(objects, site, &deployment.commit).await {
            Ok(Some(index)) => remove_named(&index, &mut unknown),
            Ok(None) => {}
            Err(StoreError::Damaged { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    let id = site.clone();
    let ask = move |state: &State| {
        state
            .source_rows(&id, |row| remove_named(row, &mut unknown))
            .map(|()| unknown)
    };
    for name in build.stores.with_state(ask).await?.names() {
        store::remove_source(objects, site, &name).await?;
    }
    Ok(())
}

/// What a deployment is made of, where that can be told.
pub(crate) async fn made_of(
    objects: &Objects,
    published: &Published,
) -> Result<Option<SourceIndex>, BuildError> {
    match published.source_index(objects).await {
        Err(StoreError::Damaged { .. }) => Ok(None),
        index => Ok(index?),
    }
}

/// Takes away what an index names, read as a list of quoted texts: that costs a tenth of parsing it. Whatever else is quoted there and
/// reads like a name keeps it, too. Few names are looked for one by one, which costs a tenth of that again.
pub(in crate::run) fn remove_named(index: &[u8], unknown: &mut ByName<()>) {
    if unknown.len() <= FEW
        && let Ok(index) = std::str::from_utf8(index)
    {
        for name in unknown.names().collect::<Vec<_>>() {
            // A short text is looked for many bytes at a time.
            let start = &name[..name.floor_char_boundary(SHORT)];
            if index.contains(start) && index.contains(&format!("\"{name}\"")) {
                unknown.remove(&name);
            }
        }
        return;
    }
    let lengths = unknown.lengths();
    let texts = index
        .split(|byte| *byte == b'"')
        .filter(|text| lengths.contains(&text.len()));
    for text in texts.filter_map(|text| std::str::from_utf8(text).ok()) {
        unknown.remove(text);
    }
}

/// Whether a name is written in an index as it is. All names are; whoever has another one keeps it.
fn is_plain(name: &str) -> bool {
    !name.contains(['"', '\\']) && !name.contains(char::is_control)
}

fn is_old(source: &StoredSource, now: Option<SystemTime>) -> bool {
    now.and_then(|now| now.duration_since(source.written).ok())
        .is_some_and(|age| age > GRACE)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_stay_if_an_index_quotes_them_however_many_are_looked_for() {
        let name = |number: u32| blake3::hash(&number.to_le_bytes()).to_hex().to_string();
        let records: Vec<String> = (0..20)
            .map(|number| format!("{{\"hash\":\"{0}\",\"name\":\"{0}\"}}", name(number)))
            .collect();
        // The beginning of a name is none, nor is one that something else surrounds.
        let index = format!(
            "[{},\"{}\",\"x{}\"]",
            records.join(","),
            &name(90)[..40],
            name(91)
        );
        let unnamed = |numbers: &[u32]| {
            let mut unknown: ByName<()> =
                numbers.iter().map(|&number| (name(number), ())).collect();
            remove_named(index.as_bytes(), &mut unknown);
            unknown.names().collect::<BTreeSet<_>>()
        };
        let expected = |numbers: &[u32]| {
            numbers
                .iter()
                .map(|&number| name(number))
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(unnamed(&[3, 90, 91, 92]), expected(&[90, 91, 92]), "few");
        assert_eq!(
            unnamed(&[0, 1, 2, 3, 19, 90, 91, 92]),
            expected(&[90, 91, 92]),
            "many"
        );
    }
}
