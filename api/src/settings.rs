//! What a running server can read again: its configuration with keys, tokens and sites.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

use hyper::HeaderMap;
use ipnet::IpNet;
use pipeline::config::{ApiConfig, Config, ConfigError};
use pipeline::model::SiteId;
use pipeline::state::StateError;
use pipeline::store::StoreError;
use tokio::sync::Mutex;

use crate::auth::{KeyError, PreviewKeys, Verifier};
use crate::http::client;
use crate::http::error::HttpRefusal;
use crate::http::server::AddressLimit;
use crate::http::target::HttpTarget;

/// What the API goes by.
#[derive(Clone, Debug)]
pub(crate) struct ApiSettings {
    pub(crate) verifier: Arc<Verifier>,
    pub(crate) preview_keys: Arc<PreviewKeys>,
    pub(crate) config: Arc<Config>,
}

/// What the server goes by, also without an API.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front {
    /// The hosts of the API, if it has hosts of its own.
    pub(crate) hosts: Vec<String>,
    /// The hosts of the admin screen.
    pub(crate) admin_hosts: Vec<String>,
    pub(crate) trusted_proxies: Vec<IpNet>,
    pub(crate) address_limit: AddressLimit,
}

/// Where the configuration is read again, and what it said the last time.
pub(crate) struct ConfigSource {
    pub(crate) read: Arc<dyn Fn() -> Result<Config, ReloadError> + Send + Sync>,
    pub(crate) current: Mutex<Config>,
}

/// What became of reading everything again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloaded {
    /// Settings that are others now and count after a restart.
    pub need_restart: Vec<&'static str>,
    /// The sites that are served now.
    pub sites: Vec<SiteId>,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The file is wrong.
    #[error(transparent)]
    Wrong(#[from] ConfigError),
    /// A key or token file is wrong.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The state failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// The server was not told where its configuration is, or a thread ended.
    #[error("{0}")]
    Broken(String),
}

/// What the API goes by now; everybody who holds it sees what is read again.
#[derive(Debug)]
pub(crate) struct CurrentSettings(RwLock<Arc<ApiSettings>>);

impl CurrentSettings {
    pub(crate) fn new(settings: ApiSettings) -> Self {
        Self(RwLock::new(Arc::new(settings)))
    }

    pub(crate) fn get(&self) -> Arc<ApiSettings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut ApiSettings)) {
        change(Arc::make_mut(
            &mut self.0.write().unwrap_or_else(PoisonError::into_inner),
        ));
    }
}

impl ApiSettings {
    pub(crate) fn new(verifier: Verifier, config: &Config) -> Self {
        let preview_keys = Arc::default();
        Self {
            verifier: Arc::new(verifier),
            preview_keys,
            config: Arc::new(config.clone()),
        }
    }

    /// The settings of another configuration, with the keys that it names now.
    pub(crate) fn read_again(&self, config: Config) -> Result<Self, ReloadError> {
        let verifier = match &config.api.jwt {
            Some(jwt) => Arc::new(Verifier::new(jwt)?),
            None => Arc::clone(&self.verifier),
        };
        let preview_keys = Arc::new(PreviewKeys::read(&config.api)?);
        Ok(Self {
            verifier,
            preview_keys,
            config: Arc::new(config),
        })
    }
}

impl Front {
    /// Whether the API answers at this host.
    pub(crate) fn has_api_at(&self, target: &Result<HttpTarget, HttpRefusal>) -> bool {
        self.hosts.is_empty()
            || target
                .as_ref()
                .is_ok_and(|target| self.is_api_alone_at(target))
    }

    /// Whether this is one of the API's own hosts.
    pub(crate) fn is_api_alone_at(&self, target: &HttpTarget) -> bool {
        self.hosts.iter().any(|host| target.is_at(host))
    }

    /// Whether this host is the admin screen's alone.
    pub(crate) fn has_admin_at(&self, target: &HttpTarget) -> bool {
        self.admin_hosts.iter().any(|host| target.is_at(host))
    }

    /// The same connections under other settings.
    pub(crate) fn with(&self, config: &ApiConfig) -> Self {
        self.address_limit
            .set(config.limits.connections, &config.trusted_proxies);
        let hosts = config.hosts.clone();
        let trusted_proxies = config.trusted_proxies.clone();
        Self {
            hosts,
            trusted_proxies,
            address_limit: self.address_limit.clone(),
            admin_hosts: self.admin_hosts.clone(),
        }
    }

    #[cfg(test)]
    pub(crate) fn at(hosts: &[&str]) -> std::sync::RwLock<Arc<Self>> {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        std::sync::RwLock::new(Arc::new(Self {
            hosts,
            ..Self::default()
        }))
    }

    /// Who asks.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        client::address(&self.trusted_proxies, peer, headers)
    }
}

/// Why it is not known which languages are switched off.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// The state failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// A deployment cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread ended.
    #[error("{0}")]
    Broken(String),
}

impl Reloaded {
    /// What happened, in a sentence.
    pub fn sentence(&self) -> String {
        let mut text = "the configuration, keys, tokens and sites were read again".to_owned();
        if !self.need_restart.is_empty() {
            text.push_str(&format!(
                "; restart to change {}",
                self.need_restart.join(", ")
            ));
        }
        text
    }
}

impl fmt::Debug for ConfigSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Source").finish_non_exhaustive()
    }
}
