//! `[api.sites]`: what the sites that callers of the API add may use, and what they may cost.

use std::time::Duration;

use super::engine::ConfiguredEngines;
use super::error::ConfigError;
use super::keys;
use super::reader::{ConfigField, ConfigTable};

/// `[api.sites]`: bounds for sites that callers add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerSites {
    /// The engines that they may name; all of the file where nothing is said.
    pub engines: Option<Vec<String>>,
    /// Most characters that engines may get in a month for one such site, and for all sites and previews of one token
    /// subject together.
    pub max_chars_per_month: Option<u64>,
    /// Most bytes that the sources and published files of one such site may take on the disk.
    pub max_bytes: u64,
    /// The longest time that a run of such a site may take.
    pub max_run: Duration,
}

impl Default for CallerSites {
    fn default() -> Self {
        Self {
            engines: None,
            max_chars_per_month: None,
            max_bytes: MAX_BYTES,
            max_run: Duration::from_secs(6 * 60 * 60),
        }
    }
}

/// Bytes that a site may take, where nothing is said.
const MAX_BYTES: u64 = 4 << 30;
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const TIME: &str = "a time from a second to a week, such as \"6h\"";

pub(super) fn read(
    root: &ConfigTable<'_>,
    known: &ConfiguredEngines,
) -> Result<CallerSites, ConfigError> {
    let api = root.table("api", &keys::API)?;
    let Some(table) = api.and_then(|api| api.get("sites")) else {
        return Ok(CallerSites::default());
    };
    let table = table.table(&keys::CALLER_SITES)?;
    let named = |field: &ConfigField<'_>| -> Result<Vec<String>, ConfigError> {
        field
            .list()?
            .iter()
            .map(|name| known.resolve(name).map(|engine| engine.name))
            .collect()
    };
    let most = table
        .get("max_chars_per_month")
        .map(|field| field.whole(0..=usize::MAX >> 12))
        .transpose()?;
    let bytes = table
        .get("max_bytes")
        .map(|field| field.whole(1 << 20..=usize::MAX >> 12))
        .transpose()?;
    let usual = CallerSites::default();
    Ok(CallerSites {
        engines: table
            .get("engines")
            .map(|field| named(&field))
            .transpose()?,
        max_chars_per_month: most.and_then(|most| u64::try_from(most).ok()),
        max_bytes: bytes
            .and_then(|bytes| u64::try_from(bytes).ok())
            .unwrap_or(usual.max_bytes),
        max_run: table
            .get("max_run")
            .map(|field| field.time(WEEK, TIME))
            .transpose()?
            .unwrap_or(usual.max_run),
    })
}
