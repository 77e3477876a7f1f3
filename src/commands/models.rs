//! `latimer models`: which neural models there are, and adding and removing them.
//!
//! The folder is the one that the engine `fx` of the configuration looks into; without a configuration `LATIMER_MODELS`
//! or `models`. The registry is that of the configuration, or else Mozilla's; it is asked only by `add` without `--from`
//! and `list --available`.

mod add;
mod available;
mod listed;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use pipeline::model::{LanguagePair, Locale, LocaleError};
use pipeline::models::{self, ListedModel, ModelState, RegistryAddress};
use serde_json::json;

use self::listed::write;
use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer models`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder of neural models; without it, that of the configuration's engine fx, else LATIMER_MODELS or models.
    #[arg(long, global = true, value_name = "FOLDER")]
    models: Option<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

/// The subcommand.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the models that are there and says whether they are what was added (exit code 1 if one is not).
    List(ListArguments),
    /// Adds models for pairs of languages: from Mozilla's registry, or from files that you have.
    #[command(after_help = "Example: latimer models add en de fr")]
    Add(add::Arguments),
    /// Removes the model of a pair that was added.
    Remove(PairArguments),
}

/// Two languages.
#[derive(Debug, Args)]
struct PairArguments {
    /// The language translated from.
    #[arg(value_name = "FROM", value_parser = Locale::parse_wanted)]
    source: Locale,
    /// The language translated into.
    #[arg(value_name = "TO", value_parser = Locale::parse_wanted)]
    target: Locale,
}

impl PairArguments {
    fn as_ref(&self) -> LanguagePair<&Locale> {
        LanguagePair {
            from: &self.source,
            to: &self.target,
        }
    }
}

/// The arguments of `latimer models list`.
#[derive(Debug, Args)]
struct ListArguments {
    /// Asks the registry which models it has, for all languages or one.
    #[arg(long, value_name = "LANG", num_args = 0..=1, default_missing_value = "", value_parser = Languages::parse)]
    available: Option<Languages>,
    /// Asks also a registry in a private network.
    #[arg(long, requires = "available")]
    allow_private: bool,
}

/// Languages whose models are listed.
#[derive(Clone, Debug)]
enum Languages {
    All,
    One(Locale),
}

impl Languages {
    /// Parses the value of `--available`; without a value it is empty.
    fn parse(text: &str) -> Result<Self, LocaleError> {
        if text.is_empty() {
            return Ok(Self::All);
        }
        Locale::parse_wanted(text).map(Self::One)
    }
}

/// Lists, adds or removes.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let config = options.config_if_there()?;
    let folders = match (&arguments.models, &config) {
        (Some(folder), _) => BTreeSet::from([folder.clone()]),
        (None, Some(config)) => config.model_folders(),
        (None, None) => BTreeSet::from([default_folder()]),
    };
    let registry = config.map_or_else(RegistryAddress::default, |config| config.registry);
    match &arguments.action {
        Action::List(ListArguments {
            available: Some(languages),
            allow_private,
        }) => {
            let language = match languages {
                Languages::All => None,
                Languages::One(language) => Some(language),
            };
            available::list(&registry.allowing(*allow_private), language, options)
        }
        Action::List(_) => list(&folders, options),
        Action::Add(wanted) => add::run(only(&folders)?, wanted, registry, options),
        Action::Remove(pair) => remove(only(&folders)?, pair, options),
    }
}

/// The folder of neural models where no configuration says one.
pub(super) fn default_folder() -> PathBuf {
    std::env::var_os("LATIMER_MODELS")
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| "models".into())
        .into()
}

fn only(folders: &BTreeSet<PathBuf>) -> Result<&Path, CommandFailure> {
    let mut all = folders.iter();
    match (all.next(), all.next()) {
        (Some(folder), None) => Ok(folder),
        _ => {
            let known: Vec<String> = folders
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            Err(CommandFailure::usage(format!(
                "say with --models which folder is meant: {}",
                known.join(", ")
            )))
        }
    }
}

fn list(folders: &BTreeSet<PathBuf>, options: &Options) -> Result<ExitCode, CommandFailure> {
    let mut all = Vec::new();
    for folder in folders {
        let found =
            models::list(folder).map_err(|error| CommandFailure::failed(work::chain(&error)))?;
        if found.is_empty() && !options.json {
            println!(
                "no models below {}; `latimer models add FROM TO` gets one",
                folder.display()
            );
        }
        all.extend(found);
    }
    match options.json {
        true => println!("{}", json!({ "models": all })),
        false => all.iter().for_each(|model| terminal::print(&write(model))),
    }
    let is_sound =
        |model: &ListedModel| matches!(model.state, ModelState::Pinned | ModelState::Unpinned);
    Ok(if all.iter().all(is_sound) {
        ExitCode::Done
    } else {
        ExitCode::Failed
    })
}

fn remove(
    folder: &Path,
    pair: &PairArguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let removed = models::remove(folder, pair.as_ref());
    let removed = removed.map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    match options.json {
        true => println!(
            "{}",
            json!({ "pair": removed.pair, "folder": removed.folder, "files": removed.files })
        ),
        false => println!(
            "{}: removed {} from {}",
            removed.pair,
            removed.files.join(", "),
            removed.folder.display()
        ),
    }
    Ok(ExitCode::Done)
}
