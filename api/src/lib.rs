//! The HTTP server: public pages, read through the newest deployment of each site, and the API.
//!
//! A request goes through one line of steps: `target` checks host and path, `route` says what is asked for,
//! `public` finds the file, `file` answers with it. Below `/api`, where that is switched on, `gate` checks who asks and
//! `operations` does it. [`respond`] is all of that as a function of a request, so it is
//! tested without a socket; [`run`] puts it behind one.
//!
//! Every answer is made from one [`Snapshot`], loaded before the request was looked at, so a reader never gets parts
//! of two deployments in one answer. Pages are kept in memory by their content, up to a limit.
//!
//! [`run`] also notes each answer: `metrics` counts it, `access_log` writes it down.

mod access_log;
mod auth;
mod cache;
mod client;
mod conditions;
mod cors;
mod error;
mod events;
mod file;
mod form;
mod gate;
mod integrity;
mod jobs;
mod limit;
mod locate;
mod metrics;
mod negotiate;
mod observe;
mod operations;
mod preview_page;
mod previews;
mod public;
mod reload;
mod request_id;
mod route;
mod server;
mod settings;
mod sites;
mod snapshot;
mod streams;
mod target;
mod time;
mod turns;
mod unique;

pub use auth::{Grant, KeyError, MintError, PreviewKeys, Verifier};
pub use gate::Api;
pub use locate::{Located, at_source};
pub use operations::scopes;
pub use server::{run, run_metrics};
pub use settings::{ReloadError, Reloaded, SwitchError};
pub use sites::unserved as unserved_sites;
pub use snapshot::Snapshot;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;
use hyper::{Request, Response};
use pipeline::config::ApiConfig;
use pipeline::model::{Locale, SiteId};
use pipeline::publish::{Objects, PublishError, Switches};

use access_log::AccessLog;
use cache::Cache;
use error::Refusal;
use integrity::Integrity;
use metrics::Metrics;
use public::{Answer, Home, home};
use reload::Reload;
use route::Route;
use settings::{Front, Source};
use target::Target;

/// The body of an answer: bytes, or a large file piece by piece.
pub type Body = Either<Full<Bytes>, StreamBody<BoxStream<'static, std::io::Result<Frame<Bytes>>>>>;

/// How long the beginning of a page may take to be read.
const READ: Duration = Duration::from_secs(5);

/// Everything that answering needs.
#[derive(Debug)]
pub struct App {
    /// The store, read for those who do not wait long.
    objects: Objects,
    sites: RwLock<Vec<SiteId>>,
    snapshot: RwLock<Arc<Snapshot>>,
    refreshing: tokio::sync::Mutex<()>,
    cache: Cache,
    /// Locales that were switched off; a deployment that still has them is served without them.
    off: RwLock<BTreeMap<SiteId, BTreeSet<Locale>>>,
    integrity: Integrity,
    api: Option<Api>,
    /// Tells pages of newer deployments, where somebody works on them.
    reload: Option<Reload>,
    front: RwLock<Arc<Front>>,
    /// Where the configuration is read again, if it can be.
    source: Option<Source>,
    access_log: Option<AccessLog>,
    metrics: Metrics,
    /// Becomes true when the server wants to end; answers that would go on end then.
    closing: tokio::sync::watch::Sender<bool>,
}

impl App {
    /// An app that serves these sites from a store; nothing is loaded before [`Self::load`].
    ///
    /// `cache_bytes` bounds the files kept in memory.
    pub fn new(objects: Objects, sites: Vec<SiteId>, cache_bytes: usize) -> Self {
        let snapshot = RwLock::new(Arc::new(Snapshot::empty(&sites)));
        Self {
            objects: objects.for_readers(),
            sites: RwLock::new(sites),
            snapshot,
            refreshing: tokio::sync::Mutex::default(),
            cache: Cache::new(cache_bytes),
            off: RwLock::default(),
            integrity: Integrity::default(),
            api: None,
            reload: None,
            front: RwLock::default(),
            source: None,
            access_log: None,
            metrics: Metrics::default(),
            closing: tokio::sync::watch::Sender::new(false),
        }
    }

    /// The same app with the hosts, the trusted proxies and the access log, on standard error, of `[api]`.
    pub fn with_settings(self, config: &ApiConfig) -> std::io::Result<Self> {
        let access_log = config.access_log.then(|| AccessLog::start(std::io::stderr())).transpose()?;
        self.follow(config);
        Ok(Self { access_log, ..self })
    }

    /// Takes hosts and trusted proxies of another `[api]`.
    fn follow(&self, config: &ApiConfig) {
        let front = Arc::new(self.front().with(config));
        *self.front.write().unwrap_or_else(PoisonError::into_inner) = front;
    }

    pub(crate) fn front(&self) -> Arc<Front> {
        Arc::clone(&self.front.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same app with an API below `/api`.
    pub fn with_api(self, api: Api) -> Self {
        Self { api: Some(api), ..self }
    }

    /// The same app for somebody who works on the sites: pages load again in the browser when a newer deployment is
    /// served, and nothing is kept there.
    pub fn with_reload(self) -> Self {
        Self { reload: Some(Reload::default()), ..self }
    }

    /// Serves these sites of the file from now on; their deployments are loaded.
    ///
    /// # Errors
    /// A [`PublishError`] when a deployment cannot be read.
    pub async fn serve_sites(&self, sites: Vec<SiteId>) -> Result<(), PublishError> {
        *self.sites.write().unwrap_or_else(PoisonError::into_inner) = sites;
        self.load().await
    }

    /// Loads the newest deployment of every site.
    ///
    /// # Errors
    /// A [`PublishError`] when a deployment cannot be read; a store that is away is said at once.
    pub async fn load(&self) -> Result<(), PublishError> {
        self.load_from(&self.objects).await
    }

    /// The same, with the patience that this store was opened with.
    ///
    /// # Errors
    /// A [`PublishError`] when a deployment cannot be read.
    pub async fn load_from(&self, objects: &Objects) -> Result<(), PublishError> {
        let _one_at_a_time = self.refreshing.lock().await;
        let snapshot = self.snapshot().reload(objects, &self.sites()).await?;
        self.replace(snapshot);
        Ok(())
    }

    /// Serves the sites that are known now and no others, with the deployments that are loaded.
    pub(crate) async fn follow_sites(&self) {
        let _one_at_a_time = self.refreshing.lock().await;
        self.replace(self.snapshot().with_sites(&self.sites()));
    }

    /// The sites that are served, those of the file first, and whether each was added by a caller of the API.
    fn sites(&self) -> Vec<(SiteId, bool)> {
        let added = self.api.as_ref().map(|api| api.sites().added()).unwrap_or_default();
        let own = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        let own = own.iter().map(|site| (site.clone(), false));
        own.chain(added.into_iter().map(|site| (site, true))).collect()
    }

    /// Loads what became newer since, with two small requests a site where nothing did.
    pub async fn poll(&self) -> Result<(), PublishError> {
        let _one_at_a_time = self.refreshing.lock().await;
        let sites = self.sites();
        if !self.snapshot().is_of(&sites) {
            self.replace(self.snapshot().with_sites(&sites));
        }
        if let Some(snapshot) = self.snapshot().newer(&self.objects).await? {
            self.replace(snapshot);
        }
        Ok(())
    }

    /// Serves a locale of a site no more, whatever the deployment says; or as the deployment says.
    ///
    /// # Errors
    /// A [`PublishError`] when the deployment cannot be read again.
    pub async fn switch(&self, site: &SiteId, locale: &Locale, on: bool) -> Result<(), PublishError> {
        let changed = {
            let mut off = self.off.write().unwrap_or_else(PoisonError::into_inner);
            let locales = off.entry(site.clone()).or_default();
            if on { locales.remove(locale) } else { locales.insert(locale.clone()) }
        };
        match (changed, on) {
            (true, true) => self.load().await?,
            (true, false) => self.replace(Snapshot::clone(&self.snapshot())),
            (false, _) => {}
        }
        Ok(())
    }

    /// Serves a site under these switches, which the store has already.
    pub(crate) async fn show_switches(&self, site: &SiteId, switches: &Switches) {
        // Whoever is loading now may have read older ones.
        let _one_at_a_time = self.refreshing.lock().await;
        self.replace(self.snapshot().under(site, switches));
    }

    /// Why requests had better go elsewhere, if they had.
    fn unready(&self) -> Option<String> {
        if !self.snapshot().is_loaded() {
            return Some("the store was not read yet".to_owned());
        }
        if self.objects.check().is_err() {
            return Some("the folder of the store is gone".to_owned());
        }
        self.api.as_ref().and_then(Api::trouble)
    }

    /// What is served at this moment.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the API answers at this host.
    fn has_api_at(&self, target: &Result<Target, Refusal>) -> bool {
        let hosts = &self.front().hosts;
        hosts.is_empty() || target.as_ref().is_ok_and(|target| hosts.iter().any(|host| target.is_at(host)))
    }

    /// Whether this host is the API's alone.
    fn has_no_pages_at(&self, target: &Target) -> bool {
        self.front().hosts.iter().any(|host| target.is_at(host)) && !public::names_host(self.snapshot().sites(), target)
    }

    fn replace(&self, mut snapshot: Snapshot) {
        if let Some(api) = &self.api {
            snapshot.withhold(|site, published| api.sites().is_withheld(site, published));
        }
        snapshot.switch_off(&self.off.read().unwrap_or_else(PoisonError::into_inner));
        let snapshot = Arc::new(snapshot);
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&snapshot);
        if let Some(reload) = &self.reload {
            reload.tell(&snapshot);
        }
    }
}

/// Answers a request that came from `client`.
pub async fn respond<B>(app: &App, request: Request<B>, client: IpAddr) -> Response<Body>
where
    B: hyper::body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let target = Target::of(&request);
    let path = target.as_ref().map_or_else(|_| request.uri().path(), |target| target.path.as_str());
    if let Some(api) = app.api.as_ref().filter(|_| gate::is_below(path) && app.has_api_at(&target)) {
        return api.answer(app, target, request, client).await;
    }
    let target = match target {
        Ok(target) => target,
        Err(refusal) => return refusal.response(),
    };
    match Route::of(&target, request.method()) {
        Err(refusal) => refusal.response(),
        Ok(Route::Live) => route::health(None),
        Ok(Route::Ready) => route::health(app.unready()),
        Ok(Route::Preview) => preview_page::answer(app, &target.path, request.headers()).await,
        Ok(Route::Public) if app.has_no_pages_at(&target) => Refusal::NotFound.response(),
        Ok(Route::Public) => public_page(app, &target, &request).await,
    }
}

async fn public_page<B>(app: &App, target: &Target, request: &Request<B>) -> Response<Body> {
    if let Some(reload) = &app.reload {
        let own = reload.answer(app, &target.path, request);
        let mut response = match own {
            Some(own) => own,
            None => published_page(app, target, request).await,
        };
        reload::forget(&mut response);
        return response;
    }
    published_page(app, target, request).await
}

async fn published_page<B>(app: &App, target: &Target, request: &Request<B>) -> Response<Body> {
    let (refusal, cause) = match tokio::time::timeout(READ, read_page(app, target, request)).await {
        Ok(Ok(response)) => return response,
        Ok(Err(error)) if error.is_away() => (Refusal::Unavailable, error.to_string()),
        Ok(Err(error)) => (Refusal::Internal, error.to_string()),
        Err(_) => (Refusal::Unavailable, "it took too long".to_owned()),
    };
    let id = request_id::of(request.headers());
    request_id::span(&id).in_scope(|| tracing::error!("a page could not be read: {cause}"));
    request_id::on(refusal.response(), id)
}

async fn read_page<B>(app: &App, target: &Target, request: &Request<B>) -> Result<Response<Body>, PublishError> {
    match answer(app, target, request).await {
        // The deployment was swept while we read from it: a newer one is there.
        Err(PublishError::Damaged { .. }) if app.load().await.is_ok() => answer(app, target, request).await,
        answered => answered,
    }
}

async fn answer<B>(app: &App, target: &Target, request: &Request<B>) -> Result<Response<Body>, PublishError> {
    let snapshot = app.snapshot();
    let home = home(snapshot.sites(), target, request.headers());
    let answer = match &home {
        Some(Home::MovesTo(redirect)) => Answer::Redirect(redirect.clone()),
        Some(Home::Stays) | None => public::resolve(snapshot.sites(), target),
    };
    let response = match answer {
        Answer::File(found) if app.reload.is_some() && reload::takes(&found) => {
            reload::page(app, &found, request).await?
        }
        Answer::File(found) => file::response(app, &found, request).await?,
        Answer::Redirect(redirect) => redirect.response(),
        Answer::NotFound => Refusal::NotFound.response(),
        Answer::Gone => Refusal::Gone.response(),
    };
    Ok(if home.is_some() { public::for_one_reader(response) } else { response })
}

#[cfg(test)]
mod tests;
