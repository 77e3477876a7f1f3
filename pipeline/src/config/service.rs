//! `[engine.NAME]` tables of engines that are services: their addresses, keys and options.
//!
//! A key never stands in the file: the environment has it, or a file that is named here and read by whoever starts the
//! engine.

use std::collections::BTreeMap;
use std::time::Duration;

use url::Url;

use super::error::ConfigError;
use super::reader::{ConfigField, ConfigTable};
use crate::engines::{
    ApiKey, EngineSpec, HttpService, KeyHeader, RequestSettings, Secret, ServiceKind, ServiceOption,
};
use crate::model::base_address;

const ADDRESS: &str =
    "an https:// address without query or fragment (http:// only with allow_private = true)";

/// Request settings, for kinds of services that take them.
const SETTINGS: [&str; 8] = [
    "timeout",
    "parallel",
    "batch",
    "examples",
    "params",
    "query",
    "auth",
    "headers_file",
];

/// Members of a request body that Latimer sets and `params` may not.
const RESERVED: [&str; 3] = ["messages", "model", "stream"];

const AUTH: [(&str, KeyHeader); 2] = [
    ("bearer", KeyHeader::Bearer),
    ("api-key", KeyHeader::ApiKey),
];

const LONGEST_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// What a table of a kind says at least, beside its kind.
pub(super) fn wanted(kind: &ServiceKind) -> String {
    let first = if kind.address.is_some() {
        "url"
    } else {
        "key_file"
    };
    let needed = kind
        .options
        .iter()
        .filter(|option| option.needed.is_some())
        .map(|option| option.name);
    [first]
        .into_iter()
        .chain(needed)
        .map(|key| format!("{key} = \"…\""))
        .collect::<Vec<_>>()
        .join(" and ")
}

/// The keys that mean something to a kind, beside those of every engine.
pub(super) fn own_keys(kind: &ServiceKind) -> Vec<&'static str> {
    let key = kind.takes_key.then_some("key_file");
    let settings = if kind.takes_settings {
        &SETTINGS[..]
    } else {
        &[]
    };
    let options = kind.options.iter().map(|option| option.name);
    let context = kind.takes_context.then_some("context");
    let keys = ["url", "allow_private"]
        .into_iter()
        .chain(key)
        .chain(options)
        .chain(context);
    keys.chain(settings.iter().copied()).collect()
}

/// Reads the table of the engine called `name`.
pub(super) fn read(
    kind: &'static ServiceKind,
    name: &str,
    table: &ConfigTable<'_>,
) -> Result<EngineSpec, ConfigError> {
    let allow_private = table
        .get("allow_private")
        .map_or(Ok(false), |field| field.flag())?;
    let field = match kind.address {
        Some(example) => Some(table.required(
            "url",
            &format!("the server's address, such as url = {example:?}"),
        )?),
        None => table.get("url"),
    };
    let url = field
        .map(|field| address(&field, allow_private))
        .transpose()?;
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
    let mut settings = if kind.takes_settings {
        Box::new(settings(table)?)
    } else {
        Box::default()
    };
    if let Some(field) = table.get("context").filter(|_| kind.takes_context) {
        settings.without_context = !field.flag()?;
    }
    Ok(EngineSpec::Service(
        kind,
        HttpService {
            url,
            key: key(name, table)?,
            allow_private,
            options,
            settings,
        },
    ))
}

fn settings(table: &ConfigTable<'_>) -> Result<RequestSettings, ConfigError> {
    let timeout = |field: ConfigField<'_>| {
        field.time(
            LONGEST_TIMEOUT,
            "a time such as \"90s\" or \"10min\", at most 1h",
        )
    };
    let params = table.get("params").map(|field| field.json()).transpose()?;
    let params = match params {
        Some(serde_json::Value::Object(params)) => params,
        Some(_) | None => serde_json::Map::new(),
    };
    if let Some((name, _)) = params
        .iter()
        .find(|(name, _)| RESERVED.contains(&name.as_str()))
    {
        let field = table.required("params", "a table")?;
        return Err(field.error(format!(
            "`{name}` is Latimer's to say and has no place in `params`"
        )));
    }
    Ok(RequestSettings {
        timeout: table.get("timeout").map(timeout).transpose()?,
        parallel: table
            .get("parallel")
            .map(|field| field.whole(1..=64))
            .transpose()?,
        batch: table
            .get("batch")
            .map(|field| field.whole(1..=100))
            .transpose()?,
        examples: table
            .get("examples")
            .map(|field| field.whole(0..=5))
            .transpose()?
            .unwrap_or_default(),
        params,
        instructions: None,
        query: table.get("query").map(|field| query(&field)).transpose()?,
        auth: table
            .get("auth")
            .map(|field| field.one_of(&AUTH))
            .transpose()?
            .unwrap_or_default(),
        headers_file: table
            .get("headers_file")
            .map(|field| field.path())
            .transpose()?,
        without_context: false,
    })
}

/// The query without its question mark.
fn query(field: &ConfigField<'_>) -> Result<String, ConfigError> {
    let text = field.text()?.trim_start_matches('?');
    if text.contains(['#', ' ']) || text.is_empty() {
        return Err(field.must_be("the query of an address, such as \"api-version=2024-10-21\""));
    }
    Ok(text.to_owned())
}

fn value(field: &ConfigField<'_>, option: &ServiceOption) -> Result<String, ConfigError> {
    let words: Vec<_> = option.words.iter().map(|word| (*word, *word)).collect();
    Ok(if words.is_empty() {
        field.text()?
    } else {
        field.one_of(&words)?
    }
    .to_owned())
}

/// On the open network a key travels encrypted or not at all.
fn address(field: &ConfigField<'_>, allow_private: bool) -> Result<Url, ConfigError> {
    let url = base_address(field.text()?).ok();
    url.filter(|url| allow_private || url.scheme() == "https")
        .ok_or_else(|| field.must_be(ADDRESS))
}

fn key(name: &str, table: &ConfigTable<'_>) -> Result<ApiKey, ConfigError> {
    let variable = format!(
        "LATIMER_ENGINE_{}_KEY",
        name.to_uppercase().replace('-', "_")
    );
    if let Some(text) = table.reader().environment(&variable) {
        return Ok(ApiKey::Text(Secret::new(&text)));
    }
    match table.get("key_file") {
        Some(field) => field.path().map(ApiKey::File),
        None => Ok(ApiKey::Unset(variable)),
    }
}
