//! What the operations do, once it is known who asks and that they may.
//!
//! Writes are durable before they are answered. The database blocks, so it works on the blocking pool.

mod digest;
mod summary;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use pipeline::model::{Locale, SiteId};
use pipeline::store::{Frequency, StoreError};
use serde_json::{Value, json};

use crate::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::form::millis;
use crate::gate::Api;
use crate::route::Operation;

/// A request that may be done.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) app: &'a App,
    pub(crate) api: &'a Api,
    pub(crate) caller: Caller,
    pub(crate) site: Option<SiteId>,
    pub(crate) locale: Option<Locale>,
    pub(crate) body: Bytes,
    pub(crate) now: SystemTime,
}

/// The words of `frequency`.
const FREQUENCIES: [(&str, Frequency); 3] =
    [("daily", Frequency::Daily), ("weekly", Frequency::Weekly), ("off", Frequency::Off)];

impl Call<'_> {
    /// Does it; gives the answer's JSON.
    pub(crate) async fn run(self, operation: Operation) -> Result<Value, ApiError> {
        match (operation, &self.site, &self.locale) {
            (Operation::Subscribe, _, _) => digest::subscribe(&self).await,
            (Operation::ListSummaries, Some(site), _) => summary::list(&self, site).await,
            (Operation::PutSummary, Some(site), Some(locale)) => summary::put(&self, site, locale).await,
            (Operation::ListSummaries | Operation::PutSummary, _, _) => Err(ApiError::NoSuchRoute),
        }
    }

    /// Works on the state, away from the tasks that answer.
    async fn state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&pipeline::store::State) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = std::sync::Arc::clone(&self.api.state);
        match tokio::task::spawn_blocking(move || work(&state)).await {
            Ok(result) => result.map_err(|error| ApiError::Internal(error.to_string())),
            Err(error) => Err(ApiError::Internal(error.to_string())),
        }
    }

    fn now(&self) -> u64 {
        millis(self.now).unwrap_or_default()
    }
}

/// A time as callers get it.
fn written(time: u64) -> Value {
    json!(humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(time)).to_string())
}

fn word(frequency: Frequency) -> Value {
    json!(FREQUENCIES.iter().find(|(_, known)| *known == frequency).map(|(word, _)| *word))
}
