//! What the operations do, once it is known who asks and that they may.
//!
//! Writes are durable before they are answered. The database blocks, so it works on the blocking pool. Each operation
//! has a file with the types of what it takes and gives; the document is made of those types.

mod crawl;
mod deployments;
mod digest;
mod document;
mod languages;
mod list;
mod pages;
mod runs;
mod serve;
mod site;
mod sites;
mod snippets;
mod summary;

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{HeaderValue, LOCATION};
use hyper::{HeaderMap, Response, StatusCode};
use pipeline::config::SiteConfig;
use pipeline::model::{Locale, RunId, SiteId};
use pipeline::store::{Frequency, State, StoreError};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::auth::Caller;
use crate::error::{ApiError, json_response};
use crate::gate::Api;
use crate::route::Operation;
use crate::time::Time;
use crate::{App, Body};

/// A request that may be done.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) app: &'a App,
    pub(crate) api: &'a Api,
    pub(crate) caller: Option<Caller>,
    /// The site that the path names, if it is there; only putting one goes on without.
    pub(crate) site: Option<Arc<SiteConfig>>,
    pub(crate) site_id: Option<SiteId>,
    pub(crate) locale: Option<Locale>,
    pub(crate) run: Option<RunId>,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) now: SystemTime,
}

/// What an operation answers.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// Where what was begun can be watched.
    pub(crate) location: Option<String>,
    pub(crate) value: Value,
}

/// The schemas of an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schemas {
    pub(crate) query: Option<Schema>,
    pub(crate) body: Option<Schema>,
    pub(crate) answer: Schema,
}

impl Reply {
    fn ok(value: &impl Serialize) -> Result<Self, ApiError> {
        let value = serde_json::to_value(value).map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(Self { status: StatusCode::OK, location: None, value })
    }

    /// An answer without a body.
    fn nothing() -> Self {
        Self { status: StatusCode::NO_CONTENT, location: None, value: Value::Null }
    }

    fn accepted(self) -> Self {
        Self { status: StatusCode::ACCEPTED, ..self }
    }

    /// The answer that the caller gets.
    pub(crate) fn response(self) -> Response<Body> {
        if self.status == StatusCode::NO_CONTENT {
            let mut response = Response::new(Either::Left(Full::default()));
            *response.status_mut() = self.status;
            return response;
        }
        let mut response = json_response(self.status, &self.value);
        if let Some(location) = self.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            response.headers_mut().insert(LOCATION, location);
        }
        response
    }

    fn at(self, location: Option<String>) -> Self {
        Self { location, ..self }
    }
}

impl Operation {
    /// What the operation takes and gives.
    pub(crate) fn schemas(self) -> Schemas {
        match self {
            Self::Document => document::schemas(),
            Self::CrawlTranslate => crawl::schemas(),
            Self::Serve => serve::schemas(),
            Self::Languages => languages::schemas(),
            Self::ListSites => sites::schemas_of_list(),
            Self::GetSite => sites::schemas_of_one(),
            Self::PutSite => site::schemas_of_put(),
            Self::DeleteSite => site::schemas_of_delete(),
            Self::ListPages => pages::schemas(),
            Self::ListDeployments => deployments::schemas(),
            Self::ListRuns => runs::schemas_of_list(),
            Self::GetRun => runs::schemas_of_one(),
            Self::ListSummaries => summary::schemas_of_list(),
            Self::PutSummary => summary::schemas_of_put(),
            Self::Snippets => snippets::schemas(),
            Self::Subscribe => digest::schemas(),
        }
    }
}

impl Call<'_> {
    /// Does it.
    pub(crate) async fn run(self, operation: Operation) -> Result<Reply, ApiError> {
        match operation {
            Operation::Document => document::get(&self),
            Operation::CrawlTranslate => crawl::trigger(&self).await,
            Operation::Serve => serve::switch(&self).await,
            Operation::Languages => languages::list(&self),
            Operation::ListSites => sites::list(&self).await,
            Operation::GetSite => sites::get(&self).await,
            Operation::PutSite => site::put(&self).await,
            Operation::DeleteSite => site::delete(&self).await,
            Operation::ListPages => pages::list(&self).await,
            Operation::ListDeployments => deployments::list(&self).await,
            Operation::ListRuns => runs::list(&self).await,
            Operation::GetRun => runs::get(&self).await,
            Operation::ListSummaries => summary::list(&self).await,
            Operation::PutSummary => summary::put(&self).await,
            Operation::Snippets => snippets::get(&self).await,
            Operation::Subscribe => digest::subscribe(&self).await,
        }
    }

    /// Works on the state, away from the tasks that answer.
    async fn state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.blocking(work).await?.map_err(|error| ApiError::Internal(error.to_string()))
    }

    /// The same, for work that fails in ways of its own.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = self.api.state();
        let done = tokio::task::spawn_blocking(move || work(&state)).await;
        done.map_err(|error| ApiError::Internal(error.to_string()))
    }

    /// The site in the path; routes without one never ask.
    fn site(&self) -> Result<&Arc<SiteConfig>, ApiError> {
        self.site.as_ref().ok_or(ApiError::NoSuchRoute)
    }

    fn locale(&self) -> Result<&Locale, ApiError> {
        self.locale.as_ref().ok_or(ApiError::NoSuchRoute)
    }

    fn caller(&self) -> Result<&Caller, ApiError> {
        self.caller.as_ref().ok_or(ApiError::MissingToken)
    }

    fn now(&self) -> Time {
        Time::of(self.now)
    }
}

/// Which part of a whole is done, in percent with one digit after the point; 100 only where nothing is left.
#[expect(clippy::cast_precision_loss, reason = "sites have fewer than 2^52 words")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 100.0 } else { (part as f64 * 1000.0 / whole as f64).floor() / 10.0 }
}

/// How often somebody wants to hear of something, as callers say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FrequencyWord {
    Daily,
    Weekly,
    Off,
}

impl From<FrequencyWord> for Frequency {
    fn from(word: FrequencyWord) -> Self {
        match word {
            FrequencyWord::Daily => Self::Daily,
            FrequencyWord::Weekly => Self::Weekly,
            FrequencyWord::Off => Self::Off,
        }
    }
}

impl From<Frequency> for FrequencyWord {
    fn from(frequency: Frequency) -> Self {
        match frequency {
            Frequency::Daily => Self::Daily,
            Frequency::Weekly => Self::Weekly,
            Frequency::Off => Self::Off,
        }
    }
}
