//! The engine that would serve the languages of a new site, and the command that gets neural models for them.
//!
//! Only this machine is looked at; the registry of models is not asked.

use std::fmt;
use std::sync::Arc;

use pipeline::config::SiteConfig;
use pipeline::engines::{Engine, lacks_for_models, start};
use pipeline::model::Locale;
use pipeline::translate::Chain;
use serde::Serialize;

/// The engines of a site by language.
#[derive(Debug, Serialize)]
pub(super) struct SiteEngines {
    languages: Vec<LanguageEngines>,
    /// The command that gets neural models for the languages without one.
    command: Option<String>,
    /// Processor features that this machine lacks to run neural models.
    lacks: Option<String>,
}

/// The engines of one language, in the order in which they are tried.
#[derive(Debug, Serialize)]
struct LanguageEngines {
    locale: Locale,
    engines: Vec<String>,
}

impl SiteEngines {
    /// Looks which engines on this machine translate into the languages of a site.
    pub(super) fn of(site: &SiteConfig) -> Self {
        let mut languages = Vec::new();
        for locale in site.locales.iter().filter(|locale| !locale.is_pseudo()) {
            let mut started: Vec<(String, Arc<dyn Engine>)> = Vec::new();
            for engine in site.engines_for(locale) {
                started.extend(
                    start(&engine.spec)
                        .ok()
                        .map(|started| (engine.name, started)),
                );
            }
            let pair = site.pair_to(locale);
            let chain = Chain::of_pair(started, pair, &site.routes);
            let engines = chain
                .route(pair)
                .into_iter()
                .map(|(name, _)| name.to_owned())
                .collect();
            languages.push(LanguageEngines {
                locale: locale.clone(),
                engines,
            });
        }
        let mut wanted: Vec<&str> = Vec::new();
        for LanguageEngines { locale, engines } in &languages {
            if !engines.iter().any(|name| name.starts_with("fx")) {
                wanted.push(locale.as_str());
            }
        }
        let lacks = lacks_for_models();
        let command = match wanted.is_empty() || lacks.is_some() {
            true => None,
            false => Some(format!(
                "latimer models add {} {}",
                site.source_locale,
                wanted.join(" ")
            )),
        };
        Self {
            languages,
            command,
            lacks,
        }
    }
}

impl fmt::Display for SiteEngines {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.languages.is_empty() {
            return Ok(());
        }
        let mut parts = Vec::new();
        for LanguageEngines { locale, engines } in &self.languages {
            let engines = if engines.is_empty() {
                "none yet".to_owned()
            } else {
                engines.join(", then ")
            };
            parts.push(format!("{locale}: {engines}"));
        }
        write!(formatter, "engines: {}", parts.join("; "))?;
        match (&self.command, &self.lacks) {
            (Some(command), _) => {
                writeln!(
                    formatter,
                    "; `{command}` gets neural models from Mozilla, about 25 MB for each language"
                )
            }
            (None, Some(lack)) => writeln!(formatter, "; {lack}; docs/engines.md names others"),
            (None, None) => writeln!(formatter),
        }
    }
}
