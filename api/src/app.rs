//! Everything that answering needs: what is served, what the server goes by, the API, and what is counted.

mod again;
mod api;
mod gathering;

pub use api::Api;
pub(crate) use api::{Counted, CountedBy};

use std::sync::{Arc, PoisonError, RwLock};

use pipeline::config::{ApiConfig, Config};
use pipeline::model::{Locale, SiteId};
use pipeline::store::{Objects, StoreError};

use crate::http::access_log::AccessLog;
use crate::http::metrics::Metrics;
use crate::public::cache::Cache;
use crate::public::file::FileSource;
use crate::public::integrity::Integrity;
use crate::public::served::Served;
use crate::public::snapshot::Snapshot;
use crate::settings::{ConfigSource, Front};

/// Everything that answering needs.
#[derive(Debug)]
pub struct App {
    pub(crate) served: Arc<Served>,
    pub(crate) cache: Cache,
    pub(crate) integrity: Arc<Integrity>,
    pub(crate) api: Option<Api>,
    pub(crate) front: RwLock<Arc<Front>>,
    /// Where the configuration is read again, if it can be.
    pub(crate) source: Option<ConfigSource>,
    pub(crate) access_log: Option<AccessLog>,
    pub(crate) metrics: Arc<Metrics>,
    /// Becomes true when the server wants to end; answers that would go on end then.
    pub(crate) closing: tokio::sync::watch::Sender<bool>,
}

impl App {
    /// An app that serves these sites from a store; nothing is loaded before [`Self::load`].
    ///
    /// `cache_bytes` bounds the files kept in memory.
    pub fn new(objects: Objects, sites: Vec<SiteId>, cache_bytes: usize) -> Self {
        Self {
            served: Arc::new(Served::new(&objects, sites)),
            cache: Cache::new(cache_bytes),
            integrity: Arc::default(),
            api: None,
            front: RwLock::default(),
            source: None,
            access_log: None,
            metrics: Arc::default(),
            closing: tokio::sync::watch::Sender::new(false),
        }
    }

    /// The same app with the hosts, the trusted proxies and the access log, on standard error, of `[api]`.
    pub fn with_settings(self, config: &ApiConfig) -> std::io::Result<Self> {
        let access_log = config
            .access_log
            .then(|| AccessLog::start(std::io::stderr()))
            .transpose()?;
        self.follow(config);
        Ok(Self { access_log, ..self })
    }

    /// Takes hosts and trusted proxies of another `[api]`.
    pub(crate) fn follow(&self, config: &ApiConfig) {
        let front = Arc::new(self.front().with(config));
        *self.front.write().unwrap_or_else(PoisonError::into_inner) = front;
    }

    /// The same app, with the admin screen at the hosts of `[admin]`.
    pub fn with_admin(self, config: &Config) -> Self {
        self.show_admin(config);
        self
    }

    /// Shows the admin screen at the hosts of another `[admin]`.
    pub(crate) fn show_admin(&self, config: &Config) {
        let admin_hosts = config
            .admin
            .as_ref()
            .map(|admin| admin.hosts.clone())
            .unwrap_or_default();
        let front = Arc::new(Front {
            admin_hosts,
            ..Front::clone(&self.front())
        });
        *self.front.write().unwrap_or_else(PoisonError::into_inner) = front;
    }

    pub(crate) fn front(&self) -> Arc<Front> {
        Arc::clone(&self.front.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same app with an API below `/api`.
    pub fn with_api(self, api: Api) -> Self {
        self.served.add(api.sites());
        Self {
            api: Some(api),
            ..self
        }
    }

    /// The same app for somebody who works on the sites: pages load again in the browser when a newer deployment is
    /// served, and nothing is kept there.
    pub fn with_reload(self) -> Self {
        self.served.tell_pages();
        self
    }

    /// Serves these sites of the file from now on; their deployments are loaded.
    ///
    /// # Errors
    /// A [`StoreError`] when a deployment cannot be read.
    pub async fn serve_sites(&self, sites: Vec<SiteId>) -> Result<(), StoreError> {
        self.served.serve_sites(sites).await
    }

    /// Loads the newest deployment of every site.
    ///
    /// # Errors
    /// A [`StoreError`] when a deployment cannot be read; a store that is away is said at once.
    pub async fn load(&self) -> Result<(), StoreError> {
        self.served.load().await
    }

    /// The same, with the patience that this store was opened with.
    ///
    /// # Errors
    /// A [`StoreError`] when a deployment cannot be read.
    pub async fn load_from(&self, objects: &Objects) -> Result<(), StoreError> {
        self.served.load_from(objects).await
    }

    /// Loads what became newer since, with two small requests a site where nothing did.
    pub async fn poll(&self) -> Result<(), StoreError> {
        self.served.poll().await
    }

    /// Serves a locale of a site no more, whatever the deployment says; or as the deployment says.
    ///
    /// # Errors
    /// A [`StoreError`] when the deployment cannot be read again.
    pub async fn switch(&self, site: &SiteId, locale: &Locale, on: bool) -> Result<(), StoreError> {
        self.served.switch(site, locale, on).await
    }

    /// What is served at this moment.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.served.snapshot()
    }

    /// The store, read for those who do not wait long.
    pub(crate) fn objects(&self) -> &Objects {
        &self.served.objects
    }

    /// Where the bytes of files are.
    pub(crate) fn files(&self) -> FileSource<'_> {
        FileSource {
            objects: self.objects(),
            cache: &self.cache,
        }
    }

    /// Why requests had better go elsewhere, if they had.
    pub(crate) fn unready(&self) -> Option<String> {
        if *self.closing.borrow() {
            return Some("the server is shutting down".to_owned());
        }
        if !self.snapshot().is_loaded() {
            return Some("the store was not read yet".to_owned());
        }
        if self.objects().check().is_err() {
            return Some("the folder of the store is gone".to_owned());
        }
        self.api.as_ref().and_then(Api::trouble)
    }
}
