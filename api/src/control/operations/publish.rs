//! `sites.publish.trigger`: puts a run into the queue that brings the newest deployment to a host.

use pipeline::store::{RunOrder, RunRecord};

use super::ordered::{OrderedRun, ordered};
use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

pub(super) fn schemas() -> Schemas {
    Schemas { query: None, body: None, answer: schema_of_answer::<OrderedRun>() }
}

pub(super) async fn trigger(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let (site, target) = (call.site()?.id.clone(), call.target()?);
    if call.api.jobs().target(&site, &target.to_string()).is_none() {
        return Err(ApiError::TargetNotFound);
    }
    let order = RunOrder::publishing(target.to_string());
    ordered(call, &site, RunRecord::new(order, 0, call.now().to_keep())).await
}
