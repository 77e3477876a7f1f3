//! The way into the API: who asks, how often, whether they may; then the operation.
//!
//! The order of checks is part of the interface: a token that failed too often (429), the token (401; 429 where
//! too many from its address failed), the
//! caller's rate (429), the site (404, also where a token may not see it), the scope (403), then the request itself.

mod body;

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use futures::FutureExt;
use hyper::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Request, Response};
use pipeline::config::{Config, Limits, SiteConfig};
use pipeline::model::{DeploymentId, Locale, PreviewId, RunId, SiteId};
use pipeline::preview::host_of;
use pipeline::run::{BuildOptions, Stores};
use pipeline::store::{State, StoreError, Trouble};
use pipeline::translate::Meter;
use tracing::Instrument;

use crate::auth::{Caller, PreviewKeys, Verifier};
use crate::error::{ApiError, Refusal};
use crate::form::{self, one};
use crate::jobs::Jobs;
use crate::limit::{Limiter, Standing};
use crate::operations::{Call, Reply};
use crate::previews::Previews;
use crate::route::{Called, Key, Operation, Rate};
use crate::settings::{ReloadError, Settings};
use crate::sites::Sites;
use crate::streams::Streams;
use crate::target::Target;
use crate::{App, Body, access_log, cors, request_id};

/// What the API needs besides the pages.
#[derive(Debug)]
pub struct Api {
    settings: RwLock<Arc<Settings>>,
    jobs: Arc<Jobs>,
    previews: Arc<Previews>,
    streams: Arc<Streams>,
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

/// Who is counted.
#[derive(Hash)]
enum Counted<'a> {
    Subject(&'a str),
    Address(IpAddr),
}

/// What a request wants to be let in by, as a hash.
#[derive(Hash)]
struct Credential([u8; 32]);

impl Credential {
    fn of(called: &Called<'_>, headers: &HeaderMap) -> Self {
        let mut hasher = blake3::Hasher::new();
        for name in [Some("authorization"), called.line.key.header()].into_iter().flatten() {
            headers.get_all(name).iter().for_each(|value| {
                hasher.update(value.as_bytes());
            });
        }
        Self(hasher.finalize().into())
    }
}

/// The result of a request, with how its caller's rate stands.
type Outcome = (Option<Standing>, Result<Reply, ApiError>);

/// Who asks (nobody in particular where no token is needed), and how their rate stands.
type Admitted = (Option<Caller>, Option<Standing>);

/// What a path names, checked.
#[derive(Debug)]
struct Named {
    site: Option<Arc<SiteConfig>>,
    site_id: Option<SiteId>,
    locale: Option<Locale>,
    run: Option<RunId>,
    preview: Option<PreviewId>,
    deployment: Option<DeploymentId>,
}

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
            let Named { site, site_id, locale, run, preview, deployment } = self.permit(&called, caller.as_ref())?;
            if called.line.method != "GET" {
                form::no_query(target.query.as_deref())?;
            }
            let has_body = !matches!(called.line.method, "GET" | "DELETE");
            let largest = called.line.largest_body;
            let body = if has_body { body::read(&parts.headers, body, largest).await? } else { Bytes::new() };
            let (query, headers, now) = (target.query.clone(), parts.headers.clone(), SystemTime::now());
            let call = Call {
                app,
                api: self,
                caller,
                client,
                site,
                site_id,
                locale,
                run,
                preview,
                deployment,
                query,
                headers,
                body,
                now,
            };
            call.run(called.line.operation).await
        };
        (standing, result.await)
    }

    /// Who asks, unless they or their address asked too often.
    async fn admit(&self, called: &Called<'_>, headers: &HeaderMap, client: IpAddr) -> Result<Admitted, ApiError> {
        let now = Instant::now();
        if called.line.is_public {
            let standing = self.reads.take(&Counted::Address(client), now);
            return Ok((None, standing.map_err(ApiError::Limited)?));
        }
        let caller = self.login(called, headers, client, now).await?;
        let who = caller.as_ref().map_or(Counted::Address(client), |caller| Counted::Subject(&caller.subject));
        let sees = |site: &SiteId| caller.as_ref().is_some_and(|caller| caller.sees(site));
        let standing = match (called.line.rate, called.site) {
            (Rate::Read, _) => self.reads.take(&who, now),
            // A site's quota is its own callers' alone.
            (Rate::Crawl, Some(site)) if SiteId::parse(site).is_ok_and(|site| sees(&site)) => {
                self.crawls.take(&site, now)
            }
            (Rate::Crawl | Rate::Write, _) => self.writes.take(&who, now),
            (Rate::Preview, _) => self.previewers.take(&who, now),
            (Rate::PreviewStatus, _) => self.preview_statuses.take(&who, now),
            (Rate::Stream, _) => self.followers.take(&who, now),
        };
        let standing = standing.map_err(ApiError::Limited)?;
        Ok((caller, standing))
    }

    /// Whoever sent a valid token. Only what fails is counted: a wrong token for itself, and everything that is no valid
    /// one for its address. So nobody who shares an address with a guesser is shut out.
    async fn login(
        &self,
        called: &Called<'_>,
        headers: &HeaderMap,
        client: IpAddr,
        now: Instant,
    ) -> Result<Option<Caller>, ApiError> {
        let credential = Credential::of(called, headers);
        self.failed_logins.look(&credential, now).map_err(ApiError::Limited)?;
        let refused = match self.caller(called, headers).await {
            Err(refused @ (ApiError::MissingToken | ApiError::InvalidToken)) => refused,
            admitted => return admitted,
        };
        let own = self.failed_logins.take(&credential, now);
        own.and(self.failed_logins.take(&client, now)).map_err(ApiError::Limited)?;
        Err(refused)
    }

    /// Whoever sent a valid token; nobody in particular where the operation's own key was sent.
    async fn caller(&self, called: &Called<'_>, headers: &HeaderMap) -> Result<Option<Caller>, ApiError> {
        let mut keys = called.line.key.header().into_iter().flat_map(|name| headers.get_all(name));
        let (key, another) = (keys.next(), keys.next());
        if let (Some(key), None) = (key, another)
            && self.opens(called, &blake3::hash(key.as_bytes())).await?
        {
            return Ok(None);
        }
        match self.settings().verifier.caller(headers) {
            Err(ApiError::MissingToken) if key.is_some() => Err(ApiError::InvalidToken),
            caller => caller.map(Some),
        }
    }

    /// Whether a key opens an operation; that a preview is unknown looks like a wrong key.
    async fn opens(&self, called: &Called<'_>, given: &blake3::Hash) -> Result<bool, ApiError> {
        match called.line.key {
            Key::Nothing => Ok(false),
            Key::Preview => Ok(self.settings().preview_keys.order.have(given)),
            Key::PreviewStatus => {
                let id = called.preview.and_then(PreviewId::parse);
                let preview = match id {
                    Some(id) => self.previews.newest(id).await?,
                    None => None,
                };
                let own = preview.and_then(|preview| blake3::Hash::from_hex(preview.token).ok());
                Ok(own.is_some_and(|own| own == *given) | self.settings().preview_keys.status.have(given))
            }
        }
    }

    /// What the path names, if the caller may.
    fn permit(&self, called: &Called<'_>, caller: Option<&Caller>) -> Result<Named, ApiError> {
        let sees = |site: &SiteId| caller.is_none_or(|caller| caller.sees(site));
        let (mut site, mut site_id) = (None, None);
        if let Some(text) = called.site {
            let id = SiteId::parse(text).ok().filter(sees).ok_or(ApiError::SiteNotFound)?;
            site = self.sites.get(&id).map(|known| known.config);
            if site.is_none() && called.line.operation != Operation::PutSite {
                return Err(ApiError::SiteNotFound);
            }
            site_id = Some(id);
        }
        if let Some((scope, caller)) = called.line.scope.zip(caller)
            && ![Some(scope), called.line.or_scope].into_iter().flatten().any(|scope| caller.has(scope))
        {
            return Err(ApiError::MissingScope(scope));
        }
        if matches!(called.line.operation, Operation::CrawlTranslate | Operation::PlanRun) {
            let enabled = site.as_ref().is_none_or(|site| site.enabled);
            match (self.settings().config.api.crawl_trigger_enabled, enabled) {
                (false, _) => return Err(ApiError::Disabled("crawl_trigger_disabled")),
                (true, false) => return Err(ApiError::Disabled("site_disabled")),
                (true, true) => {}
            }
        }
        let run = match called.run {
            Some(text) => Some(RunId::parse(text).ok_or(ApiError::RunNotFound)?),
            None => None,
        };
        let preview = match called.preview {
            Some(text) => Some(PreviewId::parse(text).ok_or(ApiError::PreviewNotFound)?),
            None => None,
        };
        let deployment = match called.deployment {
            Some(text) => Some(DeploymentId::parse(text).ok_or(ApiError::DeploymentNotFound)?),
            None => None,
        };
        let named = Named { site, site_id, locale: None, run, preview, deployment };
        let Some(text) = called.locale else { return Ok(named) };
        let locale = Locale::parse(text)
            .map_err(|_| one("targetLang", "invalid_language", "is no language tag such as pt-BR"))?;
        if !named.site.as_ref().is_some_and(|site| site.locales.contains(&locale)) {
            return Err(ApiError::LocaleNotFound);
        }
        Ok(Named { locale: Some(locale), ..named })
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
