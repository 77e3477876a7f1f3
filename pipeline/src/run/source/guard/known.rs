//! The accepted source that a crawl is held against, from the state or from the newest deployment.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{DeploymentId, PagePath};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::options::Stores;
use crate::state::{AcceptedSource, SourceRecords, State};
use crate::store::{Published, SiteRedirect, StoreError};

/// The accepted source that a crawl is held against.
pub(in crate::run) struct AcceptedBaseline {
    pub(in crate::run) records: SourceRecords,
    /// Whether the state has recorded just these.
    pub(super) are_recorded: bool,
    pub(super) redirects: BTreeMap<PagePath, SiteRedirect>,
    pub(super) accepted: AcceptedSource,
    /// Whether there is anything published that could be lost.
    pub(super) is_published: bool,
}

/// What the state knows of the accepted source.
pub(in crate::run) struct RecordedSource {
    records: SourceRecords,
    accepted: AcceptedSource,
    /// The deployments that this state's runs made.
    made: BTreeSet<DeploymentId>,
}

/// What the state knows of the accepted source.
pub(in crate::run) async fn recorded_source(
    build: &Build<'_>,
) -> Result<RecordedSource, BuildError> {
    let id = build.site.id.clone();
    let read = move |state: &State| {
        let made = state
            .runs(&id)?
            .into_iter()
            .filter_map(|run| run.deployment)
            .collect();
        Ok(RecordedSource {
            records: state.sources(&id)?,
            accepted: state.accepted_source(&id)?,
            made,
        })
    };
    build.stores.with_state(read).await
}

/// The accepted source.
pub(in crate::run) async fn known_sources(
    stores: &Stores,
    recorded: RecordedSource,
    previous: Option<&Published>,
) -> Result<AcceptedBaseline, BuildError> {
    let RecordedSource {
        mut records,
        accepted,
        made,
    } = recorded;
    let is_ours = previous.is_some_and(|previous| made.contains(&previous.id()));
    let mut are_recorded = true;
    if let Some(previous) = previous
        && (records.is_empty() || !(is_ours || previous.commit().restores.is_some()))
    {
        match previous.source_index(&stores.objects).await {
            Ok(Some(index)) => (records, are_recorded) = (index.records, false),
            // Then the state is the best there is.
            Ok(None) | Err(StoreError::Damaged { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let redirects = previous
        .map(|site| site.settings().redirects.clone())
        .unwrap_or_default();
    Ok(AcceptedBaseline {
        records,
        are_recorded,
        redirects,
        accepted,
        is_published: previous.is_some(),
    })
}
