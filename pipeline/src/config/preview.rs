//! `[preview]`: which pages may be previewed, how, and for how long.

use std::time::Duration;

use super::engine::{ConfiguredEngines, NamedEngine};
use super::error::ConfigError;
use super::keys;
use super::reader::{ConfigField, ConfigTable};

/// Characters that engines may be sent for one preview, where nothing is said.
const MAX_CHARS: usize = 20_000;
/// Bytes that the previews of one caller may take, where nothing is said.
const MAX_BYTES: usize = 256 << 20;
/// How long a preview can be seen, where nothing is said.
const TTL: Duration = Duration::from_secs(72 * 60 * 60);
const LONGEST_TTL: Duration = Duration::from_secs(366 * 24 * 60 * 60);
const HOST: &str =
    "a host such as \"www.example.com\", \"*.example.com\" for all below it, or \"*\"";
const TIME: &str = "a time such as \"72h\", \"30min\" or \"7d\", at most 366 days";

/// `[preview]`: how pages are previewed.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewConfig {
    /// Engines in the order in which they are tried; none: those of the site to which the page belongs.
    pub engines: Vec<NamedEngine>,
    /// Hosts whose pages may be previewed, beside those of the sites.
    pub allow_hosts: HostFilter,
    /// Whether pages in private networks may be previewed.
    pub allow_private: bool,
    /// Bytes that the previews of one caller may take on the disk.
    pub max_bytes: u64,
    /// Characters that engines may be sent for one preview.
    pub max_chars: usize,
    /// How long a preview can be seen.
    pub ttl: Duration,
}

/// Hosts by name: `www.example.com`, `*.example.com` for all below it, `*` for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFilter(Vec<String>);

impl HostFilter {
    pub(super) fn read(field: &ConfigField<'_>) -> Result<Self, ConfigError> {
        Ok(Self(
            field.list()?.iter().map(host).collect::<Result<_, _>>()?,
        ))
    }

    /// Whether a host is among them; it is written as the URL standard does.
    pub fn allows(&self, host: &str) -> bool {
        self.0
            .iter()
            .any(|pattern| match pattern.strip_prefix('*') {
                Some(end) => host.len() > end.len() && host.ends_with(end),
                None => host == pattern,
            })
    }
}

pub(super) fn read(
    root: &ConfigTable<'_>,
    engines: &ConfiguredEngines,
) -> Result<PreviewConfig, ConfigError> {
    let table = root.table("preview", &keys::PREVIEW)?;
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    Ok(PreviewConfig {
        engines: get("engine")
            .map_or_else(|| Ok(Vec::new()), |field| engines.choose(Some(field)))?,
        allow_hosts: match get("allow_hosts") {
            Some(field) => HostFilter::read(&field)?,
            None => HostFilter(vec!["*".to_owned()]),
        },
        allow_private: get("allow_private").map_or(Ok(false), |field| field.flag())?,
        max_bytes: get("max_bytes")
            .map_or(Ok(MAX_BYTES), |field| {
                field.whole(1 << 20..=usize::MAX >> 12)
            })?
            .try_into()
            .unwrap_or(u64::MAX),
        max_chars: get("max_chars").map_or(Ok(MAX_CHARS), |field| field.whole(1..=10_000_000))?,
        ttl: get("ttl").map_or(Ok(TTL), |field| field.time(LONGEST_TTL, TIME))?,
    })
}

fn host(field: &ConfigField<'_>) -> Result<String, ConfigError> {
    let text = field.text()?.to_lowercase();
    let name = text.strip_prefix("*.").unwrap_or(&text);
    if text == "*" {
        return Ok(text);
    }
    let url = url::Url::parse(&format!("http://{name}/")).map_err(|_| field.must_be(HOST))?;
    let has_port = name
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .ends_with(':');
    let is_host =
        !has_port && url.path() == "/" && url.username().is_empty() && !name.contains(['/', '*']);
    match url.host_str() {
        Some(host) if is_host && text.len() > name.len() => Ok(format!("*.{host}")),
        Some(host) if is_host => Ok(host.to_owned()),
        _ => Err(field.must_be(HOST)),
    }
}
