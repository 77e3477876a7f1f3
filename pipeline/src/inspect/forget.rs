//! Forgets machine translations, so that the next build asks for them again. Human translations stay.
//!
//! An empty row replaces each in the memory. Being newer than the rows of other builders and the object store, it keeps
//! the old words from coming back.

use futures::future::LocalBoxFuture;
use std::collections::BTreeSet;

use crate::config::SiteConfig;
use crate::engines::{EngineError, EngineSpec, start};
use crate::model::{Locale, PageSelection, SegmentKey};
use crate::run::corpus::extract;
use crate::run::memory::store_files;
use crate::run::source::crawl;
use crate::run::{Build, BuildError, BuildOptions, BuildProgress, Stores};
use crate::store::Published;
use crate::translate::Remembered;

/// Engine of empty rows; no real engine has this fingerprint.
const FORGOTTEN: &str = "forgotten";

/// Selection of texts to forget.
#[derive(Clone, Debug, Default)]
pub struct ForgetSelection {
    /// The pages on which they stand.
    pub pages: PageSelection,
    /// Engine that translated them: its name in the configuration, which selects by its kind, host and model, or the
    /// beginning of its fingerprint.
    pub engine: Option<String>,
    /// Languages; empty for all of the site.
    pub locales: Vec<Locale>,
}

/// Texts that were forgotten in a language.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Forgotten {
    /// The language.
    pub locale: Locale,
    /// Texts.
    pub texts: usize,
    /// Their characters in the source, codes included.
    pub characters: usize,
}

/// Failure to forget translations.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// The stores or the last build cannot be read.
    #[error(transparent)]
    Run(#[from] BuildError),
    /// An engine that is selected by name cannot start, so its fingerprint is not known.
    #[error(
        "cannot tell which translations engine {name:?} made: {error}; fix that, or select them by the beginning of \
         their fingerprint, such as --engine {kind}"
    )]
    UnknownEngine {
        /// Its name in the configuration.
        name: String,
        /// Its kind, which is the beginning of its fingerprints.
        kind: String,
        /// The reason why it cannot start.
        error: EngineError,
    },
}

/// Forgets machine translations of the selected texts. Reads the last build to select by page.
///
/// # Errors
/// [`BuildError::NothingStored`] before the first build; [`ForgetError::UnknownEngine`] for an engine that cannot start.
pub fn forget<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    options: &'a BuildOptions,
    meant: &'a ForgetSelection,
    progress: &'a BuildProgress<'a>,
) -> LocalBoxFuture<'a, Result<Vec<Forgotten>, ForgetError>> {
    Box::pin(async move {
        let mut engines = Vec::new();
        for locale in if meant.locales.is_empty() {
            &site.locales
        } else {
            &meant.locales
        } {
            let prefix = meant
                .engine
                .as_ref()
                .map(|name| prefix_of(site, name, locale))
                .transpose()?;
            engines.push((locale.clone(), prefix));
        }
        Ok(forget_rows(
            &Build {
                site,
                stores,
                options,
                progress,
            },
            meant,
            engines,
        )
        .await?)
    })
}

/// Forgets rows of each language whose engine has a fingerprint with this beginning.
async fn forget_rows(
    build: &Build<'_>,
    meant: &ForgetSelection,
    engines: Vec<(Locale, Option<Vec<String>>)>,
) -> Result<Vec<Forgotten>, BuildError> {
    let Build { site, stores, .. } = build;
    let previous = Published::newest(&stores.objects, &site.id, None).await?;
    let on_pages = match meant.pages.is_all() {
        true => None,
        false => {
            let corpus = extract::read_all(
                build,
                &crawl::stored_sources(build, previous.as_ref()).await?,
            )
            .await?;
            let places = corpus.places().filter(|(path, _)| meant.pages.has(path));
            let indices = places.flat_map(|(_, indices)| indices.iter());
            let keys: BTreeSet<SegmentKey> = indices
                .filter_map(|index| corpus.texts.key(index as usize))
                .collect();
            corpus.texts.check()?;
            Some(keys)
        }
    };
    let mut forgotten = Vec::new();
    for (locale, prefix) in engines {
        store_files::take_memory(build, &locale).await?;
        let id = site.id.clone();
        let tag = locale.clone();
        let mut rows = stores
            .with_state(move |state| state.recall_all(&id, &tag))
            .await?;
        rows.retain(|(key, row)| {
            on_pages.as_ref().is_none_or(|keys| keys.contains(key))
                && prefix
                    .as_ref()
                    .is_none_or(|prefix| is_made_by(&row.engine, prefix))
                && row.engine != FORGOTTEN
        });
        let characters = rows.iter().map(|(_, row)| row.source.chars().count()).sum();
        forgotten.push(Forgotten {
            locale: locale.clone(),
            texts: rows.len(),
            characters,
        });
        for (_, row) in &mut rows {
            let text = String::new();
            let refused = Some("the owner has it asked for again".to_owned());
            *row = Remembered {
                text,
                engine: FORGOTTEN.to_owned(),
                refused,
                terms: None,
                ..row.clone()
            };
        }
        let id = site.id.clone();
        let tag = locale.clone();
        stores
            .with_state(move |state| state.remember(&id, &tag, &rows))
            .await?;
    }
    Ok(forgotten)
}

/// Beginning of an engine's fingerprints: its kind, for a service also the host, and for a language model the model.
fn prefix_of(site: &SiteConfig, name: &str, locale: &Locale) -> Result<Vec<String>, ForgetError> {
    let Some(engine) = site
        .engines_for(locale)
        .into_iter()
        .find(|engine| engine.name == name)
    else {
        return Ok(words(name).map(str::to_owned).collect());
    };
    let kind = engine.spec.kind();
    let known = match &engine.spec {
        // `openai` is followed by host and model, the other two by version and host.
        EngineSpec::Service(..) if ["openai", "google", "azure"].contains(&kind) => 3,
        EngineSpec::Service(..) => 2,
        _ => return Ok(vec![kind.to_owned()]),
    };
    let unknown = |error: EngineError| ForgetError::UnknownEngine {
        name: name.to_owned(),
        kind: kind.to_owned(),
        error,
    };
    let fingerprint = start(&engine.spec)
        .map_err(unknown)?
        .fingerprint(site.pair_to(locale));
    Ok(words(&fingerprint).take(known).map(str::to_owned).collect())
}

/// True for a fingerprint with this beginning, or for a detour with such an engine.
fn is_made_by(fingerprint: &str, prefix: &[String]) -> bool {
    let legs = fingerprint
        .split(" > ")
        .map(|leg| leg.split_once(": ").map_or(leg, |(_, leg)| leg));
    let begins = |leg: &str| {
        let mut words = words(leg);
        prefix.iter().all(|word| words.next() == Some(word))
    };
    begins(fingerprint) || (fingerprint.starts_with("pivot ") && legs.into_iter().any(begins))
}

fn words(fingerprint: &str) -> impl Iterator<Item = &str> {
    fingerprint.split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_known_by_how_their_fingerprints_begin_r_l9() {
        let made_by = |fingerprint: &str, prefix: &str| {
            is_made_by(
                fingerprint,
                &words(prefix).map(str::to_owned).collect::<Vec<_>>(),
            )
        };
        for (fingerprint, prefix, expected) in [
            ("openai api.example.com gpt-4 prompt 1", "openai", true),
            (
                "openai api.example.com gpt-4 prompt 1",
                "openai api.example.com",
                true,
            ),
            (
                "openai api.example.com gpt-4 prompt 1",
                "openai other.example.com",
                false,
            ),
            ("pivot pt 1: fx enpt 7 > apertium pt-es 2", "apertium", true),
            ("pivot pt 1: fx enpt 7 > apertium pt-es 2", "fx", true),
            ("apertium eng-spa 2", "fx", false),
            ("fxlike 1", "fx", false),
        ] {
            assert_eq!(
                made_by(fingerprint, prefix),
                expected,
                "{fingerprint} by {prefix}"
            );
        }
    }
}
