//! `[engine.NAME]` tables of engines that are services: their addresses, keys and options.
//!
//! A key never stands in the file: the environment has it, or a file that is named here and read by whoever starts the
//! engine.

use url::Url;

use super::error::ConfigError;
use super::reader::{Field, Table};
use super::web_address::web_address;
use crate::translate::{ApiKey, EngineSpec, Formality, Secret, Service};

const ADDRESS: &str = "an https:// address without name, password, query or fragment (http:// only with \
                       allow_private = true)";

/// The services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServiceKind {
    LibreTranslate,
    Deepl,
    Google,
    Azure,
    OpenAi,
    ApertiumApy,
}

impl ServiceKind {
    /// What a table of this kind says at least, beside its kind.
    pub(super) fn wanted(self) -> &'static str {
        match self {
            Self::LibreTranslate | Self::ApertiumApy => "url = \"…\"",
            Self::Deepl | Self::Google | Self::Azure => "key_file = \"…\"",
            Self::OpenAi => "url = \"…\" and model = \"…\"",
        }
    }

    /// The keys that mean something to this kind, beside those of every engine.
    pub(super) fn own_keys(self) -> &'static [&'static str] {
        match self {
            Self::LibreTranslate | Self::Google => &["url", "key_file", "allow_private"],
            Self::Deepl => &["url", "key_file", "allow_private", "formality", "glossary_id"],
            Self::Azure => &["url", "key_file", "allow_private", "region"],
            Self::OpenAi => &["url", "key_file", "allow_private", "model"],
            Self::ApertiumApy => &["url", "allow_private"],
        }
    }

    /// An address, where a table must give one.
    fn example(self) -> Option<&'static str> {
        match self {
            Self::LibreTranslate => Some("http://127.0.0.1:5000"),
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::ApertiumApy => Some("http://127.0.0.1:2737"),
            Self::Deepl | Self::Google | Self::Azure => None,
        }
    }
}

/// Reads the table of the engine called `name`.
pub(super) fn read(kind: ServiceKind, name: &str, table: &Table<'_>) -> Result<EngineSpec, ConfigError> {
    let service = service(name, table, kind.example())?;
    let text = |key: &str| table.get(key).map(|field| field.text().map(str::to_owned)).transpose();
    Ok(match kind {
        ServiceKind::LibreTranslate => EngineSpec::LibreTranslate(service),
        ServiceKind::Deepl => {
            let formality = table.get("formality").map(|field| field.one_of(&Formality::NAMED)).transpose()?;
            EngineSpec::Deepl { service, formality, glossary_id: text("glossary_id")? }
        }
        ServiceKind::Google => EngineSpec::Google(service),
        ServiceKind::Azure => EngineSpec::Azure { service, region: text("region")? },
        ServiceKind::OpenAi => {
            let model = table.required("model", "the model to ask, such as model = \"gpt-4.1-mini\"")?;
            EngineSpec::OpenAi { service, model: model.text()?.to_owned() }
        }
        ServiceKind::ApertiumApy => EngineSpec::ApertiumApy(service),
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
