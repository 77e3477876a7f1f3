//! Reading the configuration again while the server runs.
//!
//! Everything is read and checked before the first thing changes, so a wrong file changes nothing. Requests and runs
//! that have begun go on with what they began with.

use std::sync::Arc;

use pipeline::causes::chain;
use pipeline::config::Config;
use pipeline::model::SiteId;
use tokio::sync::Mutex;

use super::App;
use super::api::Api;
use crate::settings::{ConfigSource, ReloadError, Reloaded, SwitchError};

impl App {
    /// The same app, which can read its configuration again; `config` is what it goes by now.
    pub fn with_source(
        self,
        config: &Config,
        read: impl Fn() -> Result<Config, ReloadError> + Send + Sync + 'static,
    ) -> Self {
        let source = ConfigSource {
            read: Arc::new(read),
            current: Mutex::new(config.clone()),
        };
        Self {
            source: Some(source),
            ..self
        }
    }

    /// Reads the configuration again, with keys, tokens and sites.
    ///
    /// # Errors
    /// A [`ReloadError`] when something is wrong; then nothing is changed.
    pub async fn reload(&self) -> Result<Reloaded, ReloadError> {
        let Some(source) = &self.source else {
            return Err(ReloadError::Broken(
                "this server does not know where its configuration is".to_owned(),
            ));
        };
        let mut current = source.current.lock().await;
        let read = Arc::clone(&source.read);
        let new = tokio::task::spawn_blocking(move || read()).await;
        let new = new.map_err(|error| ReloadError::Broken(error.to_string()))??;
        let (config, need_restart) = current.followed_by(new);
        if let Some(api) = &self.api {
            api.follow(&config)
                .await?
                .iter()
                .for_each(|trouble| tracing::warn!("{trouble}"));
        }
        self.follow(&config.api);
        self.show_admin(&config);
        let enabled = config.sites.iter().filter(|site| site.enabled);
        let sites: Vec<SiteId> = enabled.map(|site| site.id.clone()).collect();
        // What the store does not give now, a later look at it finds.
        if let Err(error) = self.serve_sites(sites.clone()).await {
            tracing::warn!("the sites' pages cannot be read yet: {}", chain(&error));
        }
        if let Some(api) = &self.api
            && let Err(error) = self.obey_switches(api).await
        {
            tracing::error!("{error}");
        }
        *current = config;
        Ok(Reloaded {
            need_restart,
            sites,
        })
    }

    /// Serves no language that the state says is switched off.
    ///
    /// # Errors
    /// A [`SwitchError`] when the state or a deployment cannot be read.
    pub async fn obey_switches(&self, api: &Api) -> Result<(), SwitchError> {
        for site in api.site_ids() {
            let state = api.state();
            let of = site.clone();
            let read = tokio::task::spawn_blocking(move || state.switches(&of)).await;
            let switches = read.map_err(|error| SwitchError::Broken(error.to_string()))??;
            for (locale, _) in switches.iter().filter(|(_, record)| !record.enabled) {
                self.switch(&site, locale, false).await?;
            }
        }
        Ok(())
    }
}
