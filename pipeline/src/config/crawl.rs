//! `[site.crawl]`: how the source is fetched.

use std::path::PathBuf;
use std::time::Duration;

use super::reader::{ConfigField, ConfigTable};
use super::{Allowance, ConfigError};
use crate::model::PageParameters;
use crate::page;

/// How pages and files of the web are asked for that are known already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceChanges {
    /// Not at all where a sitemap that proved right says that they did not change, else as `Conditional`.
    #[default]
    Auto,
    /// Only if they changed, where their server can tell (RFC 9110, section 13).
    Conditional,
    /// All of them, each time.
    All,
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
    /// Whether files of a folder are taken as they were where the disk says that nothing about them changed.
    pub trust_stat: bool,
    /// How what is known already is asked for.
    pub changed: SourceChanges,
    /// How long after its last run a server crawls the site again by itself; never where this is nothing.
    pub every: Option<Duration>,
    /// Known pages that one crawl may lose; at least 5 where it is a share.
    pub max_lost: Allowance,
    /// Unknown pages that one crawl may bring; at least 100 where it is a share.
    pub max_new: Allowance,
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
            trust_stat: true,
            changed: SourceChanges::default(),
            every: None,
            max_lost: Allowance::Percent(20),
            max_new: Allowance::Percent(50),
        }
    }
}

/// The longest that a site can be given for `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
const WAIT: &str = "a time such as \"30s\", \"5min\" or \"2h\", at most 24 hours";

/// How often a server may crawl a site by itself.
const MOST_OFTEN: Duration = Duration::from_secs(60);
const MOST_SELDOM: Duration = Duration::from_secs(365 * 24 * 60 * 60);

pub(super) fn read(table: Option<ConfigTable<'_>>) -> Result<CrawlConfig, ConfigError> {
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let whole = |key, range, default| {
        get(key).map_or(Ok(default), |field: ConfigField<'_>| field.whole(range))
    };
    let usual = CrawlConfig::default();
    let delay = whole("delay_ms", 0..=600_000, 0)?;
    Ok(CrawlConfig {
        max_pages: whole("max_pages", 1..=10_000_000, usual.max_pages)?,
        concurrency: whole("concurrency", 1..=256, usual.concurrency)?,
        delay: Duration::from_millis(u64::try_from(delay).unwrap_or(u64::MAX)),
        max_retry_after: get("max_retry_after").map_or(Ok(usual.max_retry_after), |field| {
            field.time(LONGEST_WAIT, WAIT)
        })?,
        max_page_bytes: whole("max_page_bytes", 1..=page::LARGEST, usual.max_page_bytes)?,
        user_agent: match get("user_agent") {
            Some(field) => header_value(&field)?.to_owned(),
            None => usual.user_agent,
        },
        allow_private: get("allow_private")
            .map(|field| field.flag())
            .transpose()?
            .unwrap_or(usual.allow_private),
        headers_file: get("headers_file").map(|field| field.path()).transpose()?,
        query: get("query")
            .map_or_else(|| Ok(PageParameters::default()), |field| parameters(&field))?,
        trust_stat: get("trust_stat")
            .map(|field| field.flag())
            .transpose()?
            .unwrap_or(usual.trust_stat),
        changed: get("changed").map_or(Ok(usual.changed), |field| changes(&field))?,
        every: get("every").map(|field| every(&field)).transpose()?,
        max_lost: get("max_lost").map_or(Ok(usual.max_lost), |field| Allowance::read(&field))?,
        max_new: get("max_new").map_or(Ok(usual.max_new), |field| Allowance::read(&field))?,
    })
}

fn changes(field: &ConfigField<'_>) -> Result<SourceChanges, ConfigError> {
    match field.text()? {
        "auto" => Ok(SourceChanges::Auto),
        "conditional" => Ok(SourceChanges::Conditional),
        "all" => Ok(SourceChanges::All),
        _ => Err(field.must_be("\"auto\" or \"conditional\" or \"all\"")),
    }
}

fn every(field: &ConfigField<'_>) -> Result<Duration, ConfigError> {
    let wanted = "a time such as \"30min\", \"6h\" or \"1d\", from 1 minute to 365 days";
    let time = field.time(MOST_SELDOM, wanted)?;
    if time < MOST_OFTEN {
        Err(field.must_be(wanted))
    } else {
        Ok(time)
    }
}

fn parameters(field: &ConfigField<'_>) -> Result<PageParameters, ConfigError> {
    let name = |field: &ConfigField<'_>| {
        let name = field.text()?.trim();
        let is_name = !name.is_empty() && !name.contains(['&', '=', '?', '#', '*']);
        is_name
            .then(|| name.to_owned())
            .ok_or_else(|| field.must_be("names of parameters such as \"page\""))
    };
    Ok(PageParameters::new(
        field
            .list()?
            .iter()
            .map(name)
            .collect::<Result<Vec<_>, _>>()?,
    ))
}

fn header_value<'a>(field: &ConfigField<'a>) -> Result<&'a str, ConfigError> {
    let text = field.text()?;
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        Ok(text)
    } else {
        Err(field.must_be("plain ASCII text"))
    }
}
