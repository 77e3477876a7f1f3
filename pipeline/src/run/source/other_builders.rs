//! Sources of a deployment that another builder made.

use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::store::{Published, SourceIndex, StoreError};

/// What the deployment that is the site was made of, if it is not known to be this state's own work.
pub(in crate::run) async fn made_by_others<'p>(
    build: &Build<'_>,
    previous: Option<&'p Published>,
) -> Result<Option<(&'p Published, SourceIndex)>, BuildError> {
    let Some(previous) = previous else {
        return Ok(None);
    };
    let id = build.site.id.clone();
    let runs = build
        .stores
        .with_state(move |state| state.runs(&id))
        .await?;
    if runs.iter().any(|run| run.deployment == Some(previous.id())) {
        return Ok(None);
    }
    match previous.source_index(&build.stores.objects).await {
        Ok(index) => Ok(index.map(|index| (previous, index))),
        // Then this run's own sources have to do.
        Err(StoreError::Damaged { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
