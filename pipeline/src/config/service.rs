//! `[engine.NAME]` tables of engines that are services: their addresses, keys and options.
//!
//! A key never stands in the file: the environment has it, or a file that is named here and read by whoever starts the
//! engine.

use std::collections::BTreeMap;

use url::Url;

use super::error::ConfigError;
use super::reader::{Field, Table};
use crate::engines::{ApiKey, EngineSpec, Secret, Service, ServiceKind, ServiceOption};
use crate::model::base_address;

const ADDRESS: &str = "an https:// address without query or fragment (http:// only with allow_private = true)";

/// What a table of a kind says at least, beside its kind.
pub(super) fn wanted(kind: &ServiceKind) -> String {
    let first = if kind.address.is_some() { "url" } else { "key_file" };
    let needed = kind.options.iter().filter(|option| option.needed.is_some()).map(|option| option.name);
    [first].into_iter().chain(needed).map(|key| format!("{key} = \"…\"")).collect::<Vec<_>>().join(" and ")
}

/// The keys that mean something to a kind, beside those of every engine.
pub(super) fn own_keys(kind: &ServiceKind) -> Vec<&'static str> {
    let key = kind.takes_key.then_some("key_file");
    ["url", "allow_private"].into_iter().chain(key).chain(kind.options.iter().map(|option| option.name)).collect()
}

/// Reads the table of the engine called `name`.
pub(super) fn read(kind: &'static ServiceKind, name: &str, table: &Table<'_>) -> Result<EngineSpec, ConfigError> {
    let allow_private = table.get("allow_private").map_or(Ok(false), |field| field.flag())?;
    let field = match kind.address {
        Some(example) => Some(table.required("url", &format!("the server's address, such as url = {example:?}"))?),
        None => table.get("url"),
    };
    let url = field.map(|field| address(&field, allow_private)).transpose()?;
    let mut options = BTreeMap::new();
    for option in kind.options {
        let field = match option.needed {
            Some(needed) => Some(table.required(option.name, needed)?),
            None => table.get(option.name),
        };
        if let Some(field) = field {
            options.insert(option.name, value(&field, option)?);
        }
    }
    Ok(EngineSpec::Service(kind, Service { url, key: key(name, table)?, allow_private, options }))
}

fn value(field: &Field<'_>, option: &ServiceOption) -> Result<String, ConfigError> {
    let words: Vec<_> = option.words.iter().map(|word| (*word, *word)).collect();
    Ok(if words.is_empty() { field.text()? } else { field.one_of(&words)? }.to_owned())
}

/// On the open network a key travels encrypted or not at all.
fn address(field: &Field<'_>, allow_private: bool) -> Result<Url, ConfigError> {
    let url = base_address(field.text()?).ok();
    url.filter(|url| allow_private || url.scheme() == "https").ok_or_else(|| field.must_be(ADDRESS))
}

fn key(name: &str, table: &Table<'_>) -> Result<ApiKey, ConfigError> {
    let variable = format!("LATIMER_ENGINE_{}_KEY", name.to_uppercase().replace('-', "_"));
    if let Some(text) = table.reader().environment(&variable) {
        return Ok(ApiKey::Text(Secret::new(&text)));
    }
    match table.get("key_file") {
        Some(field) => field.path().map(ApiKey::File),
        None => Ok(ApiKey::Unset(variable)),
    }
}
