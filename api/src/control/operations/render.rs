//! `sites.render.trigger`: publishes edits of people without a crawl and without engines.

use pipeline::state::{RunKind, RunOrder, RunOrigin, RunRecord};

use super::ordered::{OrderedRun, ordered};
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: schema_of_answer::<OrderedRun>(),
    }
}

/// Puts a run into the queue that renders the sources of the last build with the words of now.
pub(super) async fn trigger(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let site = call.site()?.id.clone();
    if call.app.snapshot().published(&site).is_none() {
        return Err(ApiError::NotPublished);
    }
    let order = RunOrder::of(RunKind::Render, RunOrigin::Api);
    ordered(call, &site, RunRecord::new(order, 0, call.now().to_keep())).await
}
