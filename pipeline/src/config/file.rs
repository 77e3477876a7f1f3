//! The whole of `latimer.toml`, with what the environment says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::engine::ConfiguredEngines;
use super::reader::{ConfigReader, texts_of};
use super::webhooks::{self, WebhooksConfig};
use super::{
    AdminConfig, ApiConfig, ConfigError, LogConfig, MailConfig, NamedEngine, OwnFiles,
    PreviewConfig, PublishConfig, SiteConfig, StoreConfig,
};
use super::{admin, api, engine, log, mail, models, preview, publish, site, store};
use crate::model::SiteId;
use crate::models::RegistryAddress;

/// Everything that `latimer.toml` and the environment say.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file this was read from.
    pub file: PathBuf,
    /// The sites, in the order of the file; at least one.
    pub sites: Vec<SiteConfig>,
    /// Where pages and state are kept.
    pub store: StoreConfig,
    /// Where sites are published beside this machine's own server, in the order of the file.
    pub publish: Vec<PublishConfig>,
    /// How pages are previewed.
    pub preview: PreviewConfig,
    /// How endpoints are told.
    pub webhooks: WebhooksConfig,
    /// Who takes mail, if anybody does.
    pub mail: Option<MailConfig>,
    /// The admin screen, if there is one.
    pub admin: Option<AdminConfig>,
    /// The HTTP server.
    pub api: ApiConfig,
    /// What is written to standard error.
    pub log: LogConfig,
    /// Registry of neural models.
    pub registry: RegistryAddress,
    pub(super) engines: ConfiguredEngines,
}

impl Config {
    /// Parses the text of `file`; `environment` looks up an environment variable.
    ///
    /// # Errors
    /// A [`ConfigError`] with the line and column of the first thing that is wrong.
    pub fn parse(
        text: &str,
        file: &Path,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let reader = ConfigReader::new(text, file, environment);
        let document = reader.document()?;
        let root = reader.root(&document)?;
        let folder = reader.path_or_environment(None, "LATIMER_MODELS", "models");
        let engines = engine::read_all(&root, &folder)?;
        let store = store::read(&root)?;
        let own_files = OwnFiles::of(&reader, &texts_of(&document), file, &store);
        let sites = site::read_all(&root, &engines, &store, &own_files)?;
        let api = api::read(&root, &engines)?;
        Ok(Self {
            file: file.to_path_buf(),
            publish: publish::read_all(&root, &sites, &store, &[])?,
            sites,
            store,
            preview: preview::read(&root, &engines)?,
            webhooks: webhooks::read(&root)?,
            mail: mail::read(&root)?,
            admin: admin::read(&root, &api)?,
            api,
            log: log::read(&root)?,
            registry: models::read(&root)?,
            engines,
        })
    }

    /// A target that stands in no file: a folder from the root of the disk or a bucket, the kind of host that reads it, and
    /// the site, where there are several.
    ///
    /// # Errors
    /// A [`ConfigError`] whose message says what is wrong with it; its place is in no file.
    pub fn target_once(
        &self,
        to: &str,
        host: &str,
        site: Option<&str>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<PublishConfig, ConfigError> {
        let text = publish::table_of(to, host, site);
        let reader = ConfigReader::new(&text, &self.file, environment);
        let document = reader.document()?;
        let read = publish::read_all(
            &reader.root(&document)?,
            &self.sites,
            &self.store,
            &self.publish,
        )?;
        read.into_iter()
            .next()
            .ok_or_else(|| ConfigError::elsewhere(&self.file, "there is no target".to_owned()))
    }

    /// The site with this id.
    pub fn site(&self, id: &SiteId) -> Option<&SiteConfig> {
        self.sites.iter().find(|site| site.id == *id)
    }

    /// The engines that sites of callers may name, sorted by name.
    pub fn engines_of_callers(&self) -> Vec<NamedEngine> {
        let allowed = self.api.sites.engines.as_ref();
        let mut engines = self.engines.all();
        engines.retain(|engine| allowed.is_none_or(|allowed| allowed.contains(&engine.name)));
        engines
    }

    /// All engines: those of a table, and those that need none; sorted by name.
    pub fn engines(&self) -> Vec<NamedEngine> {
        self.engines.all()
    }

    /// The engine with this name: that of a table, or one that needs none.
    pub fn engine(&self, name: &str) -> Option<NamedEngine> {
        self.engines.find(name)
    }

    /// The folders of neural models that the engines look into.
    pub fn model_folders(&self) -> BTreeSet<PathBuf> {
        let of = |engine: &NamedEngine| -> Vec<PathBuf> {
            engine
                .spec
                .model_folders()
                .into_iter()
                .map(Path::to_path_buf)
                .collect()
        };
        let used = self
            .sites
            .iter()
            .flat_map(SiteConfig::all_engines)
            .chain(&self.preview.engines);
        let folders: BTreeSet<PathBuf> = used.flat_map(of).collect();
        match self.engine("fx") {
            Some(fx) if folders.is_empty() => of(&fx).into_iter().collect(),
            _ => folders,
        }
    }
}
