//! `[models]`: the registry that neural models are fetched from.

use url::Url;

use super::error::ConfigError;
use super::keys;
use super::reader::{ConfigField, ConfigTable};
use crate::model::web_address;
use crate::models::RegistryAddress;

/// Reads the registry; Mozilla's without a table.
pub(super) fn read(root: &ConfigTable<'_>) -> Result<RegistryAddress, ConfigError> {
    let Some(table) = root.table("models", &keys::MODELS)? else {
        return Ok(RegistryAddress::default());
    };
    let mut address = match table.get("registry") {
        Some(field) => RegistryAddress::mirror(url(&field)?),
        None => RegistryAddress::default(),
    };
    if let Some(field) = table.get("attachments") {
        address.attachments = url(&field)?;
        if !address.attachments.path().ends_with('/') {
            let path = format!("{}/", address.attachments.path());
            address.attachments.set_path(&path);
        }
    }
    address.allow_private = table
        .get("allow_private")
        .map(|field| field.flag())
        .transpose()?
        .unwrap_or_default();
    for (key, url) in [
        ("registry", &address.records),
        ("attachments", &address.attachments),
    ] {
        if url.scheme() != "https" && !address.allow_private {
            let message = format!(
                "`{key}` must be https://; for a mirror in your own network, set allow_private = true"
            );
            return Err(table.error(message));
        }
    }
    Ok(address)
}

fn url(field: &ConfigField<'_>) -> Result<Url, ConfigError> {
    web_address(field.text()?).map_err(|error| field.error(format!("`{}` {error}", field.key())))
}
