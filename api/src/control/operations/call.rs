//! What an operation is given and what it answers.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::{Either, Full, StreamBody};
use hyper::header::{CONTENT_TYPE, ETAG, HeaderValue, LOCATION};
use hyper::{HeaderMap, Response, StatusCode};
use pipeline::config::SiteConfig;
use pipeline::model::{DeploymentId, Locale, PreviewId, RunId, SegmentKey, TargetName};
use pipeline::run::{BuildOptions, Stores};
use pipeline::state::{State, StateError};
use pipeline::webhooks::{MessageId, WebhookId};
use schemars::Schema;
use serde::Serialize;
use serde_json::Value;
use tokio::runtime::Handle;

use crate::app::Api;
use crate::app::App;
use crate::auth::Caller;
use crate::control::gate::NamedResources;
use crate::http::body::Body;
use crate::http::error::{ApiError, json_response};
use crate::http::events::{Frames, Seat};
use crate::http::household::Household;
use crate::http::time::Time;
use crate::jobs::turns::Tenant;

/// A request that may be done.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) app: &'a App,
    pub(crate) api: &'a Api,
    pub(crate) caller: Option<Caller>,
    pub(crate) client: IpAddr,
    pub(crate) named: NamedResources,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) now: SystemTime,
    /// True if a form of the admin screen asks.
    pub(crate) is_screen: bool,
}

/// What an operation answers.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// Where what was begun can be watched.
    pub(crate) location: Option<String>,
    /// ETag of the resource (RFC 9110, section 8.8.3), without quotes; a later change sends it as `If-Match`.
    pub(crate) etag: Option<String>,
    pub(crate) content: Content,
}

/// What an answer holds.
pub(crate) enum Content {
    Nothing,
    Json(Value),
    Events(Frames),
}

/// The schemas of an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schemas {
    pub(crate) query: Option<Schema>,
    pub(crate) body: Option<Schema>,
    pub(crate) answer: Schema,
}

/// How long somebody waits who wants a whole site read.
const READING_WAIT: Duration = Duration::from_secs(30);

impl Reply {
    pub(super) fn ok(value: &impl Serialize) -> Result<Self, ApiError> {
        let value =
            serde_json::to_value(value).map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(Self {
            status: StatusCode::OK,
            location: None,
            etag: None,
            content: Content::Json(value),
        })
    }

    pub(super) fn events(frames: Frames) -> Self {
        Self {
            status: StatusCode::OK,
            location: None,
            etag: None,
            content: Content::Events(frames),
        }
    }

    /// An answer without a body.
    pub(super) fn nothing() -> Self {
        Self {
            status: StatusCode::NO_CONTENT,
            location: None,
            etag: None,
            content: Content::Nothing,
        }
    }

    pub(super) fn created(self) -> Self {
        Self {
            status: StatusCode::CREATED,
            ..self
        }
    }

    pub(super) fn accepted(self) -> Self {
        Self {
            status: StatusCode::ACCEPTED,
            ..self
        }
    }

    /// The answer that the caller gets.
    pub(crate) fn response(self) -> Response<Body> {
        let mut response = match self.content {
            Content::Nothing => Response::new(Either::Left(Full::default())),
            Content::Json(value) => json_response(self.status, &value),
            Content::Events(frames) => {
                let mut response = Response::new(Either::Right(StreamBody::new(frames)));
                response
                    .headers_mut()
                    .insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
                response
            }
        };
        *response.status_mut() = self.status;
        if let Some(location) = self
            .location
            .and_then(|location| HeaderValue::try_from(location).ok())
        {
            response.headers_mut().insert(LOCATION, location);
        }
        if let Some(etag) = self
            .etag
            .and_then(|etag| HeaderValue::try_from(format!("\"{etag}\"")).ok())
        {
            response.headers_mut().insert(ETAG, etag);
        }
        response
    }

    pub(super) fn tagged(self, etag: &str) -> Self {
        Self {
            etag: Some(etag.to_owned()),
            ..self
        }
    }

    pub(super) fn at(self, location: Option<String>) -> Self {
        Self { location, ..self }
    }
}

impl Call<'_> {
    /// Works on the state, away from the tasks that answer.
    pub(super) async fn state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, ApiError> {
        Ok(self.blocking(work).await??)
    }

    /// The same, for work that fails in ways of its own.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = self.api.state();
        Ok(tokio::task::spawn_blocking(move || work(&state)).await?)
    }

    /// The site in the path; routes without one never ask.
    pub(super) fn site(&self) -> Result<&Arc<SiteConfig>, ApiError> {
        self.named.site.as_ref().ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn locale(&self) -> Result<&Locale, ApiError> {
        self.named.locale.as_ref().ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn run_id(&self) -> Result<RunId, ApiError> {
        self.named.run.ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn preview_id(&self) -> Result<PreviewId, ApiError> {
        self.named.preview.ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn deployment_id(&self) -> Result<DeploymentId, ApiError> {
        self.named.deployment.ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn webhook_id(&self) -> Result<WebhookId, ApiError> {
        self.named.webhook.ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn message_id(&self) -> Result<MessageId, ApiError> {
        self.named.message.ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn segment_key(&self) -> Result<SegmentKey, ApiError> {
        self.named.segment.ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn target(&self) -> Result<&TargetName, ApiError> {
        self.named.target.as_ref().ok_or(ApiError::NoSuchRoute)
    }

    pub(super) fn caller(&self) -> Result<&Caller, ApiError> {
        self.caller.as_ref().ok_or(ApiError::MissingToken)
    }

    /// What a stream of events needs, if there is room for one.
    pub(super) fn seat(&self) -> Result<Seat, ApiError> {
        let place = self.api.streams().take(self.tenant())?;
        Ok(Seat {
            closing: self.app.closing.subscribe(),
            place: Box::new(place),
        })
    }

    /// Reads all pages of a site on a thread of its own, in the one place for those whom somebody waits for.
    pub(super) async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Handle, &Stores, &BuildOptions) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let place =
            tokio::time::timeout(READING_WAIT, self.api.readings().enter(self.tenant())).await;
        let Ok(Some(place)) = place else {
            return Err(ApiError::Busy("other sites are read now; try again later"));
        };
        let stores = self.api.jobs().stores().clone();
        let options = self.api.jobs().options();
        let reading = tokio::task::spawn_blocking(move || {
            // The place is taken until the work is done, also where nobody waits for it any more.
            let _place = place;
            read(&Handle::current(), &stores, &options)
        });
        Ok(reading.await?)
    }

    /// Who takes turns and places: whoever sent a bearer token, else the address.
    pub(super) fn tenant(&self) -> Tenant {
        match &self.caller {
            Some(caller) => Tenant::Subject(caller.subject.clone()),
            None => Tenant::Address(Household::of(self.client)),
        }
    }

    /// Who asks without a token, as a hash that lasts as long as the process.
    pub(super) fn stranger(&self) -> Option<String> {
        static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        let address = self.caller.is_none().then(|| Household::of(self.client))?;
        Some(format!("{:016x}", KEY.hash_one(address)))
    }

    pub(super) fn now(&self) -> Time {
        Time::of(self.now)
    }
}
