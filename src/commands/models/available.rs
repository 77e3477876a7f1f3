//! `latimer models list --available`: the models of the registry.

use std::sync::Arc;

use pipeline::model::{LanguagePair, Locale};
use pipeline::models::{AvailableModel, RegistryAddress};
use pipeline::net::{Downloader, Proxy};
use serde_json::json;

use super::super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// Environment variables that name a proxy.
const PROXIES: [&str; 6] = [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// Lists the models of the registry, for all languages or one.
pub(super) fn list(
    registry: &RegistryAddress,
    language: Option<&Locale>,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let client = downloader(registry.allow_private)?;
    work::until_interrupted(async {
        let known = registry
            .ask(&client)
            .await
            .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
        let models = known.models().iter();
        let models: Vec<&AvailableModel> = models
            .filter(|model| language.is_none_or(|wanted| translates(model, wanted)))
            .collect();
        match (options.json, language) {
            (true, _) => println!("{}", report(registry, &models)),
            (false, Some(language)) if models.is_empty() => {
                return Err(CommandFailure::failed(format!(
                    "the registry {} has no model for {language}",
                    registry.records
                )));
            }
            (false, _) => models
                .iter()
                .for_each(|model| terminal::print(&line(registry, model))),
        }
        Ok(ExitCode::Done)
    })
}

/// The client for a registry.
pub(super) fn downloader(allow_private: bool) -> Result<Arc<Downloader>, CommandFailure> {
    let named = PROXIES
        .iter()
        .filter_map(std::env::var_os)
        .any(|value| !value.is_empty());
    let proxy = if named {
        Proxy::Environment
    } else {
        Proxy::None
    };
    let client = Downloader::new(allow_private, proxy);
    client
        .map(Arc::new)
        .map_err(|error| CommandFailure::failed(work::chain(&error)))
}

fn translates(model: &AvailableModel, wanted: &Locale) -> bool {
    let pair = model.pair.as_ref();
    [
        LanguagePair {
            from: wanted,
            ..pair
        },
        LanguagePair { to: wanted, ..pair },
    ]
    .into_iter()
    .any(|with| model.translates(with))
}

fn line(registry: &RegistryAddress, model: &AvailableModel) -> String {
    format!(
        "{:<12} {:>6} to fetch, {:>6} on the disk  version {:<6} {}\n",
        model.pair.hyphenated(),
        megabytes(model.download_size()),
        megabytes(model.size()),
        model.version,
        license(registry, model)
    )
}

/// The licence of a model, in words.
pub(super) fn license(registry: &RegistryAddress, model: &AvailableModel) -> String {
    registry
        .license(model)
        .unwrap_or_else(|| "licence not stated".to_owned())
}

/// A size for people: `22 MB`.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

fn report(registry: &RegistryAddress, models: &[&AvailableModel]) -> serde_json::Value {
    let mut available = Vec::new();
    for model in models {
        available.push(json!({
            "pair": model.pair.hyphenated(),
            "source": model.pair.from,
            "target": model.pair.to,
            "version": model.version,
            "architecture": model.architecture,
            "downloadBytes": model.download_size(),
            "bytes": model.size(),
            "license": registry.license(model),
        }));
    }
    json!({ "registry": registry.records.as_str(), "available": available })
}
