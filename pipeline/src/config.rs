//! `latimer.toml` becomes [`Config`] here, or an error that says where and what to do.
//!
//! The text of the file and a way to look up environment variables go in. The disk is asked for one thing alone: where paths
//! lead, because places are compared without links. No file is read, and no socket or clock is touched.
//! After [`Config::parse`] nobody checks a setting again: paths are resolved against the file's folder, locales are
//! canonical, patterns compile. What this version does not do is refused by name, never accepted and ignored.
//!
//! Seven environment variables go before the file: `LATIMER_STORE_OBJECTS`, `LATIMER_STORE_STATE`, `LATIMER_MODELS`,
//! `LATIMER_LISTEN`, `LATIMER_JWT_SECRET`, `LATIMER_PREVIEW_TOKENS` and `LATIMER_PREVIEW_STATUS_TOKEN`; paths in them
//! count from the file's folder too. So does `LATIMER_ENGINE_<NAME>_KEY` for each engine that has a key. A bucket's credentials come from the
//! environment alone (see [`StoreConfig::options`]).

mod added;
mod admin;
mod again;
mod allowance;
mod api;
mod callers;
mod crawl;
mod engine;
mod error;
mod file;
mod filter;
mod keys;
mod locale_file;
mod log;
mod mail;
mod manner;
mod models;
mod own_files;
mod preview;
mod public_host;
mod publish;
mod reader;
mod real_path;
mod routes;
mod scripts;
mod search;
mod service;
mod site;
mod store;
mod switcher;
mod url_pattern;
mod webhooks;

pub use crate::store::Missing;
pub use added::{SettingError, SettingFault, SiteSettings};
pub use admin::AdminConfig;
pub use allowance::Allowance;
pub use api::{ApiConfig, ApiLimits, JwtAlgorithm, JwtConfig, KeySource, RateLimit, SecretSource};
pub use callers::CallerSites;
pub use crawl::{CrawlConfig, SourceChanges};
pub use engine::{EngineOptionError, NamedEngine, engine_from_option};
pub use error::ConfigError;
pub use file::Config;
pub use filter::{FilterError, PathFilter};
pub(crate) use keys::LANG;
pub use locale_file::{LocaleFile, LocaleFolder};
pub use log::{LogConfig, LogFormat, LogLevel};
pub use mail::MailConfig;
pub use own_files::{OwnFiles, OwnPaths};
pub use preview::{HostFilter, PreviewConfig};
pub use publish::{FolderLayout, PublishConfig, PublishTo};
pub use real_path::real_path;
pub use scripts::{Discovery, Live, Scripts};
pub use search::SearchConfig;
pub use site::{Payer, SiteConfig, SourceLocation};
pub use store::{KEPT_DEPLOYMENTS, StoreConfig, StoreLocation};
pub use switcher::{Placement, Switcher, SwitcherTemplate};
pub use url_pattern::{LanguagePlace, UrlPattern, UrlPatternError};
pub use webhooks::WebhooksConfig;

#[cfg(test)]
mod tests;
