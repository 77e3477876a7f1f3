//! The way into the API: who asks, how often, whether they may; then the operation.
//!
//! The order of checks is part of the interface: a token that failed too often (429), the token (401; 429 where
//! too many from its address failed), the
//! caller's rate (429), the site (404, also where a token may not see it), the scope (403), then the request itself.

mod admission;
mod body;

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use futures::FutureExt;
use hyper::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::http::request::Parts;
use hyper::{Request, Response};
use pipeline::config::{Config, Limits};
use pipeline::model::SiteId;
use pipeline::preview::host_of;
use pipeline::run::{BuildOptions, Stores};
use pipeline::store::{State, StoreError, Trouble};
use pipeline::translate::Meter;
use tracing::Instrument;

use self::admission::Counted;
pub(crate) use self::admission::Named;
use crate::auth::{PreviewKeys, Verifier};
use crate::error::{ApiError, Refusal};
use crate::form;
use crate::jobs::Jobs;
use crate::limit::{Limiter, Standing};
use crate::operations::{Call, Reply};
use crate::previews::Previews;
use crate::route::Called;
use crate::settings::{ReloadError, Settings};
use crate::sites::Sites;
use crate::streams::Streams;
use crate::target::Target;
use crate::turns::Turns;
use crate::{App, Body, access_log, cors, request_id};

/// What the API needs besides the pages.
#[derive(Debug)]
pub struct Api {
    settings: RwLock<Arc<Settings>>,
    jobs: Arc<Jobs>,
    previews: Arc<Previews>,
    streams: Arc<Streams>,
    /// Where whole sites are read while somebody waits for the answer: one at a time.
    readings: Arc<Turns>,
    sites: Arc<Sites>,
    meter: Meter,
    reads: Limiter,
    writes: Limiter,
    crawls: Limiter,
    previewers: Limiter,
    previewed_hosts: Limiter,
    preview_statuses: Limiter,
    followers: Limiter,
    failed_logins: Limiter,
}

/// The result of a request, with how its caller's rate stands.
type Outcome = (Option<Standing>, Result<Reply, ApiError>);

impl Api {
    /// An API over the configured sites; `options` says how runs work.
    pub fn new(verifier: Verifier, config: &Config, stores: Stores, options: BuildOptions) -> Self {
        let sites = Arc::new(Sites::new(config));
        let Limits {
            read,
            write,
            crawl_translate,
            preview,
            preview_host,
            preview_status,
            stream,
            failed_logins,
            connections: _,
            open_streams,
        } = config.api.limits;
        Self {
            settings: RwLock::new(Arc::new(Settings::new(verifier, config))),
            previews: Arc::new(Previews::new(config, stores.clone(), options.meter.clone())),
            streams: Arc::new(Streams::new(open_streams)),
            readings: Arc::new(Turns::new(1)),
            meter: options.meter.clone(),
            jobs: Arc::new(Jobs::new(stores, options, Arc::clone(&sites), config.api.sites.max_run)),
            sites,
            reads: Limiter::new(read),
            writes: Limiter::new(write),
            crawls: Limiter::new(crawl_translate),
            previewers: Limiter::new(preview),
            previewed_hosts: Limiter::new(preview_host),
            preview_statuses: Limiter::new(preview_status),
            followers: Limiter::new(stream),
            failed_logins: Limiter::new(failed_logins),
        }
    }

    /// The same API with tokens for previews that are no bearer tokens.
    pub fn with_preview_keys(self, keys: PreviewKeys) -> Self {
        self.change_settings(|settings| settings.preview_keys = Arc::new(keys));
        self
    }

    /// What the configuration says now.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change_settings(&self, change: impl FnOnce(&mut Settings)) {
        change(Arc::make_mut(&mut self.settings.write().unwrap_or_else(PoisonError::into_inner)));
    }

    /// Takes settings, keys, tokens and sites of another configuration, all or none; gives a sentence for each site of a
    /// caller that cannot be used with it.
    pub(crate) async fn follow(&self, config: &Config) -> Result<Vec<String>, ReloadError> {
        let (now, sites, state, of) = (self.settings(), Arc::clone(&self.sites), self.state(), config.clone());
        let read = move || {
            let settings = now.read_again(of)?;
            let trouble = sites.restore(&state, &settings.config)?;
            Ok::<_, ReloadError>((settings, trouble))
        };
        let done = tokio::task::spawn_blocking(read).await;
        let (settings, trouble) = done.map_err(|error| ReloadError::Broken(error.to_string()))??;
        self.change_settings(|known| *known = settings);
        self.set_limits(&config.api.limits);
        self.jobs.adopt(config);
        self.previews.previewer.adopt(config);
        self.jobs.hire();
        Ok(trouble)
    }

    fn set_limits(&self, limits: &Limits) {
        self.streams.set(limits.open_streams);
        for (limiter, rate) in [
            (&self.reads, limits.read),
            (&self.writes, limits.write),
            (&self.crawls, limits.crawl_translate),
            (&self.previewers, limits.preview),
            (&self.previewed_hosts, limits.preview_host),
            (&self.preview_statuses, limits.preview_status),
            (&self.followers, limits.stream),
            (&self.failed_logins, limits.failed_logins),
        ] {
            limiter.set(rate);
        }
    }

    /// The state, for work on the blocking pool.
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.jobs.stores().state)
    }

    pub(crate) fn readings(&self) -> &Arc<Turns> {
        &self.readings
    }

    pub(crate) fn jobs(&self) -> &Arc<Jobs> {
        &self.jobs
    }

    pub(crate) fn previews(&self) -> &Arc<Previews> {
        &self.previews
    }

    /// How a subject stands in each limit that is counted by subject, by the limit's name in the configuration.
    pub(crate) fn standings(&self, subject: &str) -> Vec<(&'static str, Standing)> {
        let (who, now) = (Counted::Subject(subject), Instant::now());
        let limiters = [
            ("read", &self.reads),
            ("write", &self.writes),
            ("preview", &self.previewers),
            ("preview_status", &self.preview_statuses),
            ("stream", &self.followers),
        ];
        let standing = |(name, limiter): (_, &Limiter)| Some((name, limiter.standing(&who, now)?));
        limiters.into_iter().filter_map(standing).collect()
    }

    /// What engines were asked.
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Places for streams.
    pub(crate) fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    /// Counts a preview of a page for the page's host.
    pub(crate) fn take_for_host(&self, url: &str) -> Result<(), ApiError> {
        self.previewed_hosts.take(&host_of(url), Instant::now()).map(drop).map_err(ApiError::Limited)
    }

    /// Adds the sites that callers added before; gives a sentence for each that cannot be used any more.
    ///
    /// # Errors
    /// A [`StoreError`] when the state cannot be read.
    pub fn restore_sites(&self) -> Result<Vec<String>, StoreError> {
        self.sites.restore(&self.state(), &self.settings().config)
    }

    /// The names of the sites, those that callers added among them.
    pub fn site_ids(&self) -> Vec<SiteId> {
        self.sites.list().keys().cloned().collect()
    }

    /// Why nothing can be kept now, without saying where: everybody may ask.
    pub(crate) fn trouble(&self) -> Option<String> {
        let text = match self.jobs.stores().state.trouble()? {
            Trouble::NoRoom => "the disk of the state is full",
            Trouble::Unusable => "the state cannot be used",
        };
        Some(text.to_owned())
    }

    /// The sites that are known.
    pub(crate) fn sites(&self) -> &Arc<Sites> {
        &self.sites
    }

    /// Answers a request below `/api`.
    pub(crate) async fn answer<B>(
        &self,
        app: &App,
        target: Result<Target, Refusal>,
        request: Request<B>,
        client: IpAddr,
    ) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        let id = request_id::of(&parts.headers);
        let answered = self.answer_whole(app, target, (parts, body), client).instrument(request_id::span(&id)).await;
        request_id::on(answered, id)
    }

    async fn answer_whole<B>(
        &self,
        app: &App,
        target: Result<Target, Refusal>,
        (parts, body): (Parts, B),
        client: IpAddr,
    ) -> Response<Body>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let settings = self.settings();
        let mut response = match cors::preflight(&parts, &settings.config.api.cors_origins) {
            Some(response) => response,
            None => {
                let done = AssertUnwindSafe(self.process(app, target, &parts, body, client)).catch_unwind().await;
                let panicked = |_| (None, Err(ApiError::Internal("an operation panicked".to_owned())));
                finish(done.unwrap_or_else(panicked))
            }
        };
        let headers = response.headers_mut();
        cors::expose(&parts.headers, &settings.config.api.cors_origins, headers);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let path = || access_log::path(parts.uri.path());
        tracing::debug!("{} {}: {}", parts.method, path(), response.status().as_u16());
        response
    }

    async fn process<B>(
        &self,
        app: &App,
        target: Result<Target, Refusal>,
        parts: &Parts,
        body: B,
        client: IpAddr,
    ) -> Outcome
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let target = match target {
            Ok(target) => target,
            // That there is no such operation is said before that its body is too much.
            Err(Refusal::ContentTooLarge) => {
                let called = Called::of(parts.uri.path(), &parts.method);
                return (None, Err(called.err().unwrap_or(ApiError::TooLarge)));
            }
            Err(refusal) => return (None, Err(refusal.into())),
        };
        let called = match Called::of(&target.path, &parts.method) {
            Ok(called) => called,
            Err(error) => return (None, Err(error)),
        };
        let (caller, standing) = match self.admit(&called, &parts.headers, client).await {
            Ok(admitted) => admitted,
            Err(error) => return (None, Err(error)),
        };
        let result = async {
            let named = self.permit(&called, caller.as_ref())?;
            if called.line.method != "GET" {
                form::no_query(target.query.as_deref())?;
            }
            let has_body = !matches!(called.line.method, "GET" | "DELETE");
            let largest = called.line.largest_body;
            let body = if has_body { body::read(&parts.headers, body, largest).await? } else { Bytes::new() };
            let (query, headers, now) = (target.query.clone(), parts.headers.clone(), SystemTime::now());
            let call = Call { app, api: self, caller, client, named, query, headers, body, now };
            (called.line.run)(&call).await
        };
        (standing, result.await)
    }
}

fn finish((standing, result): Outcome) -> Response<Body> {
    if let Err(ApiError::Internal(cause) | ApiError::NoRoom(cause) | ApiError::Unavailable(cause)) = &result {
        tracing::error!("{cause}");
    }
    let mut response = match result {
        Ok(reply) => reply.response(),
        Err(error) => error.response(),
    };
    if let Some(standing) = standing {
        standing.add_headers(response.headers_mut());
    }
    response
}

/// Whether a path is the API's.
pub(crate) fn is_below(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

#[cfg(test)]
mod tests;
