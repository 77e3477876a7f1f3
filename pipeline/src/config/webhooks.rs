//! `[webhooks]`: where messages may go.

use super::error::ConfigError;
use super::keys;
use super::reader::ConfigTable;

/// `[webhooks]`: how endpoints are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebhooksConfig {
    /// Whether endpoints may lie in private networks, and be asked without TLS.
    pub allow_private: bool,
}

pub(super) fn read(root: &ConfigTable<'_>) -> Result<WebhooksConfig, ConfigError> {
    let table = root.table("webhooks", &keys::WEBHOOKS)?;
    let allowed = table.as_ref().and_then(|table| table.get("allow_private"));
    Ok(WebhooksConfig {
        allow_private: allowed.map_or(Ok(false), |field| field.flag())?,
    })
}
