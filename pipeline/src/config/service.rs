//! `[engine.NAME]` tables of engines that are services: their addresses, keys and options.
//!
//! A key never stands in the file: the environment has it, or a file that is named here and read by whoever starts the
//! engine.

use url::Url;

use super::error::ConfigError;
use super::reader::{Field, Table};
use super::site::web_address;
use crate::translate::{ApiKey, EngineSpec, Formality, Secret, Service};

/// The kinds, in the order in which they stand in messages.
pub(super) const KINDS: [&str; 6] = ["libretranslate", "deepl", "google", "azure", "openai", "apertium_apy"];

const ADDRESS: &str = "an https:// address without name, password, query or fragment (http:// only with \
                       allow_private = true)";

/// What a table of this kind says at least, beside its kind.
pub(super) fn wanted(kind: &str) -> Option<&'static str> {
    match kind {
        "libretranslate" | "apertium_apy" => Some("url = \"…\""),
        "deepl" | "google" | "azure" => Some("key_file = \"…\""),
        "openai" => Some("url = \"…\" and model = \"…\""),
        _ => None,
    }
}

/// The keys that mean something to this kind, beside those of every engine.
pub(super) fn own_keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "libretranslate" | "google" => &["url", "key_file", "allow_private"],
        "deepl" => &["url", "key_file", "allow_private", "formality", "glossary_id"],
        "azure" => &["url", "key_file", "allow_private", "region"],
        "openai" => &["url", "key_file", "allow_private", "model"],
        "apertium_apy" => &["url", "allow_private"],
        _ => &[],
    }
}

/// Reads the table of the engine called `name`.
pub(super) fn read(kind: &str, name: &str, table: &Table<'_>) -> Result<EngineSpec, ConfigError> {
    let example = match kind {
        "libretranslate" => Some("http://127.0.0.1:5000"),
        "openai" => Some("https://api.openai.com/v1"),
        "apertium_apy" => Some("http://127.0.0.1:2737"),
        _ => None,
    };
    let service = service(name, table, example)?;
    let text = |key: &str| table.get(key).map(|field| field.text().map(str::to_owned)).transpose();
    Ok(match kind {
        "libretranslate" => EngineSpec::LibreTranslate(service),
        "google" => EngineSpec::Google(service),
        "azure" => EngineSpec::Azure { service, region: text("region")? },
        "openai" => {
            let model = table.required("model", "the model to ask, such as model = \"gpt-4.1-mini\"")?;
            EngineSpec::OpenAi { service, model: model.text()?.to_owned() }
        }
        "apertium_apy" => EngineSpec::ApertiumApy(service),
        _ => {
            let formality = table.get("formality").map(|field| field.one_of(&Formality::NAMED)).transpose()?;
            EngineSpec::Deepl { service, formality, glossary_id: text("glossary_id")? }
        }
    })
}

fn service(name: &str, table: &Table<'_>, example: Option<&str>) -> Result<Service, ConfigError> {
    let allow_private = table.get("allow_private").map_or(Ok(false), |field| field.flag())?;
    let field = match example {
        Some(example) => Some(table.required("url", &format!("the server's address, such as url = {example:?}"))?),
        None => table.get("url"),
    };
    let url = field.map(|field| address(&field, allow_private)).transpose()?;
    Ok(Service { url, key: key(name, table)?, allow_private })
}

/// On the open network a key travels encrypted or not at all.
fn address(field: &Field<'_>, allow_private: bool) -> Result<Url, ConfigError> {
    let is_plain = |url: &Url| {
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none()
    };
    let url = web_address(field.text()?).filter(is_plain);
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
