//! `latimer.toml` becomes [`Config`] here, or an error that says where and what to do.
//!
//! Pure: the text of the file and a way to look up environment variables go in; no file, socket or clock is touched.
//! After [`Config::parse`] nobody checks a setting again: paths are resolved against the file's folder, locales are
//! canonical, patterns compile. What this version does not do is refused by name, never accepted and ignored.
//!
//! Seven environment variables go before the file: `LATIMER_STORE_OBJECTS`, `LATIMER_STORE_STATE`, `LATIMER_MODELS`,
//! `LATIMER_LISTEN`, `LATIMER_JWT_SECRET`, `LATIMER_PREVIEW_TOKENS` and `LATIMER_PREVIEW_STATUS_TOKEN`; paths in them
//! count from the file's folder too. So does `LATIMER_ENGINE_<NAME>_KEY` for each engine that has a key. A bucket's credentials come from the
//! environment alone (see [`StoreConfig::options`]).

mod added;
mod again;
mod allowance;
mod api;
mod callers;
mod engine;
mod error;
mod filter;
mod keys;
mod log;
mod preview;
mod public_host;
mod reader;
mod service;
mod site;
mod store;
mod url_pattern;

pub use crate::publish::Missing;
pub use added::{SettingError, SettingFault, SiteSettings};
pub use allowance::Allowance;
pub use api::{ApiConfig, JwtAlgorithm, JwtConfig, KeySource, Limits, Rate, SecretSource};
pub use callers::CallerSites;
pub use engine::{NamedEngine, engine_from_option};
pub use error::ConfigError;
pub use filter::{FilterError, PathFilter};
pub(crate) use keys::LANG;
pub use log::{LogConfig, LogFormat, LogLevel};
pub use preview::{HostFilter, PreviewConfig};
pub use store::{Objects, StoreConfig};
pub use url_pattern::{LanguagePlace, UrlPattern, UrlPatternError};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use crate::model::{Locale, PageParameters, SiteId};
use crate::page::Rules;
use engine::Engines;
use reader::Reader;

/// Everything that `latimer.toml` and the environment say.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file this was read from.
    pub file: PathBuf,
    /// The sites, in the order of the file; at least one.
    pub sites: Vec<SiteConfig>,
    /// Where pages and state are kept.
    pub store: StoreConfig,
    /// How pages are previewed.
    pub preview: PreviewConfig,
    /// The HTTP server.
    pub api: ApiConfig,
    /// What is written to standard error.
    pub log: LogConfig,
    engines: Engines,
}

/// One `[[site]]`.
#[derive(Clone, Debug)]
pub struct SiteConfig {
    /// The site's name in paths and in the store; unique.
    pub id: SiteId,
    /// Whether the site is built and served at all.
    pub enabled: bool,
    /// Where the source pages come from.
    pub source: Source,
    /// The public address of the source language, without a slash at its end, so that a page's path can follow;
    /// absent when nothing says it.
    pub source_url: Option<String>,
    /// The language of the source pages.
    pub source_locale: Locale,
    /// The languages wanted, in the order of the file; canonical, unique, never the source language.
    pub locales: Vec<Locale>,
    /// What stands for a locale in addresses, where that is not the tag itself.
    pub aliases: BTreeMap<Locale, String>,
    /// Where localized pages are found by the public; without it they are served at `/{lang}/` of any host.
    pub url: Option<UrlPattern>,
    /// Whether a reader of `/` may be sent to the locale that the browser prefers.
    pub accept_language: bool,
    /// Reviewed human translations, one PO file per locale.
    pub translations: Option<LocaleFile>,
    /// Machine translations kept as sorted text, one file per locale.
    pub memory: Option<LocaleFile>,
    /// Paths that pages have of their own, one CSV file per locale.
    pub slugs: Option<LocaleFile>,
    /// Most characters that engines may get in one run.
    pub max_chars: Option<u64>,
    /// Most characters that engines may get in a calendar month (UTC).
    pub max_chars_per_month: Option<u64>,
    /// How terms are to be translated, one file for all languages.
    pub glossary: Option<PathBuf>,
    /// The language for readers of none of the others; search engines are told it as `x-default`.
    pub x_default: Option<Locale>,
    /// Who pays for what is sent for the site; nobody for a site of the file.
    pub payer: Option<Payer>,
    /// Engines in the order in which they are tried; see [`SiteConfig::engines_for`].
    pub engines: Vec<NamedEngine>,
    /// What a reader gets for a page that is missing in a locale.
    pub missing: Missing,
    /// Share of a page's words that must be translated for the page to exist in a locale, 0 to 1.
    pub min_translated: f64,
    /// Which paths of the source belong to the site.
    pub paths: PathFilter,
    /// Whether pages of the site are previewed for everybody with a preview token; a bearer token for the site always
    /// gets them.
    pub previews: bool,
    /// How the source is fetched.
    pub crawl: CrawlConfig,
    /// The site's own rules for what is text.
    pub rules: Rules,
    /// The language switcher put into pages.
    pub switcher: Switcher,
    /// A folder of the site's own templates, which go before those that come with Latimer.
    pub templates: Option<PathBuf>,
}

/// Whose month counts what is sent for a site beside the site's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payer {
    /// The subject of the token with which the site was put.
    pub subject: String,
    /// Most characters that engines may get in a month for all that the subject has.
    pub max_chars_per_month: Option<u64>,
}

/// Where source pages come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder of files as a static site generator leaves them.
    Folder(PathBuf),
    /// A site that is crawled from this address.
    Web(Url),
}

/// `[site.crawl]`: how the source is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlConfig {
    /// Most pages taken.
    pub max_pages: usize,
    /// Requests that run at the same time.
    pub concurrency: usize,
    /// Pause between two requests.
    pub delay: Duration,
    /// How long a host that asks to wait (`Retry-After`) is left alone, in all before it gives another answer.
    pub max_retry_after: Duration,
    /// Largest page or file taken, in bytes.
    pub max_page_bytes: usize,
    /// The name given to the source server and looked up in its `robots.txt`.
    pub user_agent: String,
    /// Whether addresses inside private networks may be fetched.
    pub allow_private: bool,
    /// A file of extra request headers, one `Name: value` a line.
    pub headers_file: Option<PathBuf>,
    /// Query parameters that name pages of their own.
    pub query: PageParameters,
    /// Known pages that one crawl may lose; at least 5 where it is a share.
    pub max_lost: Allowance,
    /// Unknown pages that one crawl may bring; at least 100 where it is a share.
    pub max_new: Allowance,
}

/// The language switcher: what it looks like and where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switcher {
    /// What it looks like.
    pub template: SwitcherTemplate,
    /// Where it is put on a page that has no place marked for it.
    pub placement: Placement,
}

/// Where a switcher is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// After `<body>`.
    BodyStart,
    /// Before `</body>`.
    BodyEnd,
    /// Into the element that waits for it, and nowhere on a page without one.
    Waiting,
    /// Nowhere.
    Nowhere,
}

/// The switchers that come with Latimer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitcherTemplate {
    /// Links side by side, in the page's flow.
    Inline,
    /// A list that unfolds, in a corner of the window.
    Disclosure,
    /// Links side by side in a rounded frame, in the page's flow.
    Pill,
    /// Links over a line, in the page's flow.
    Tabs,
    /// A list that unfolds from the language's tag, in the page's flow.
    Compact,
    /// Nothing to see: JSON for the page's own scripts.
    Headless,
}

impl Default for CrawlConfig {
    fn default() -> Self {
        Self {
            max_pages: 10_000,
            concurrency: 8,
            delay: Duration::ZERO,
            max_retry_after: Duration::from_secs(2 * 60),
            max_page_bytes: 10 << 20,
            user_agent: concat!("Latimer/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_private: false,
            headers_file: None,
            query: PageParameters::default(),
            max_lost: Allowance::Percent(20),
            max_new: Allowance::Percent(50),
        }
    }
}

impl Default for Switcher {
    fn default() -> Self {
        Self { template: SwitcherTemplate::Disclosure, placement: Placement::BodyEnd }
    }
}

impl SwitcherTemplate {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 6] = [Self::Inline, Self::Disclosure, Self::Pill, Self::Tabs, Self::Compact, Self::Headless];

    /// The one that is written so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.name() == name)
    }

    /// The name as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Disclosure => "disclosure",
            Self::Pill => "pill",
            Self::Tabs => "tabs",
            Self::Compact => "compact",
            Self::Headless => "headless",
        }
    }
}

/// One file per locale: a path with `{lang}` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocaleFile {
    pattern: String,
    folder: PathBuf,
}

impl Config {
    /// Parses the text of `file`; `environment` looks up an environment variable.
    ///
    /// # Errors
    /// A [`ConfigError`] with the line and column of the first thing that is wrong.
    pub fn parse(text: &str, file: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let reader = Reader::new(text, file, environment);
        let document = reader.document()?;
        let root = reader.root(&document)?;
        let models = reader.path_or_environment(None, "LATIMER_MODELS", "models");
        let engines = engine::read_all(&root, &models)?;
        let store = store::read(&root)?;
        Ok(Self {
            file: file.to_path_buf(),
            sites: site::read_all(&root, &engines, &store)?,
            store,
            preview: preview::read(&root, &engines)?,
            api: api::read(&root, &engines)?,
            log: log::read(&root)?,
            engines,
        })
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
}

impl SiteConfig {
    /// What stands for the locale in addresses: its alias, or the tag itself.
    pub fn label<'a>(&'a self, locale: &'a Locale) -> &'a str {
        self.aliases.get(locale).map_or(locale.as_str(), String::as_str)
    }

    /// The engines for this locale in the order in which they are tried; a pseudo-locale has one of its own.
    pub fn engines_for(&self, locale: &Locale) -> Vec<NamedEngine> {
        if locale.is_pseudo() { vec![NamedEngine::pseudo()] } else { self.engines.clone() }
    }
}

impl LocaleFile {
    /// The file of this locale.
    pub fn path(&self, locale: &Locale) -> PathBuf {
        self.folder.join(self.pattern.replace(keys::LANG, locale.as_str()))
    }
}

#[cfg(test)]
mod tests;
