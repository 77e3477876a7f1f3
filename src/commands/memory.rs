//! `latimer memory`: stored machine translations.

use std::sync::Arc;

use clap::{Args, Subcommand};
use pipeline::config::{Config, SiteConfig};
use pipeline::counted::counted;
use pipeline::inspect::{self, ForgetError, ForgetSelection};
use pipeline::model::{Locale, PageSelection, SiteId};
use pipeline::run::{BuildStep, Stores};
use pipeline::state::State;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer memory`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

/// The subcommand.
#[derive(Debug, Subcommand)]
enum Action {
    /// Forgets machine translations, so that the next build asks for these texts again.
    Forget(Forget),
}

/// The arguments of `latimer memory forget`.
#[derive(Debug, Args)]
struct Forget {
    /// The site, where the configuration has several.
    #[arg(value_parser = SiteId::parse)]
    site: Option<SiteId>,
    /// Page whose texts to forget, such as /about/; a slash at the end includes the pages below (repeatable).
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,
    /// Engine that translated the texts: a configured name (for its kind, host and model) or a kind such as openai.
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Language of the translations (repeatable; default: all).
    #[arg(long = "locale", value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locales: Vec<Locale>,
}

/// Forgets machine translations.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let Action::Forget(Forget {
        site,
        paths,
        engine,
        locales,
    }) = &arguments.action;
    if paths.is_empty() && engine.is_none() && locales.is_empty() {
        return Err(CommandFailure::usage(
            "say what to forget: --path, --engine or --locale".to_owned(),
        ));
    }
    let config = options.config()?;
    let site = work::site(&config, site.as_ref())?;
    if let Some(locale) = locales.iter().find(|locale| !site.locales.contains(locale)) {
        let known: Vec<&str> = site.locales.iter().map(Locale::as_str).collect();
        return Err(CommandFailure::usage(format!(
            "{} is not in {locale}; it has {}",
            site.id,
            known.join(", ")
        )));
    }
    let mut pages = PageSelection::default();
    for path in paths {
        pages
            .add(path)
            .map_err(|error| CommandFailure::usage(error.to_string()))?;
        if path.ends_with('/') {
            pages
                .add(&format!("{path}*"))
                .map_err(|error| CommandFailure::usage(error.to_string()))?;
        }
    }
    let meant = ForgetSelection {
        pages,
        engine: engine.clone(),
        locales: locales.clone(),
    };
    work::until_interrupted(forget(&config, site, &meant, options))
}

async fn forget(
    config: &Config,
    site: &SiteConfig,
    meant: &ForgetSelection,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let objects = work::objects(&config.store)?;
    let state = State::open(&config.store.state)
        .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    let stores = Stores {
        objects,
        state: Arc::new(state),
    };
    let progress = options.progress();
    let report = |step: &BuildStep<'_>| progress.step(step);
    let forgotten =
        inspect::forget(site, &stores, &work::build_options(config), meant, &report).await;
    progress.finish();
    let forgotten = forgotten.map_err(|error| match error {
        ForgetError::Run(error) => work::failure(&site.id, &error),
        ForgetError::UnknownEngine { .. } => {
            CommandFailure::failed(format!("{}: {error}", site.id))
        }
    })?;
    if options.json {
        println!(
            "{}",
            serde_json::json!({ "site": site.id, "forgotten": forgotten })
        );
        return Ok(ExitCode::Done);
    }
    for inspect::Forgotten {
        locale,
        texts,
        characters,
    } in forgotten
    {
        let texts = counted(texts, "text");
        let characters = counted(characters, "character");
        let said = format!(
            "{}: {locale}: {texts} of {characters} forgotten; the next build asks for them again\n",
            site.id
        );
        terminal::print(&said);
    }
    Ok(ExitCode::Done)
}
