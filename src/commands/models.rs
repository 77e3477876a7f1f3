//! `latimer models`: which neural models there are, and adding and removing them.
//!
//! The folder is the one that the engine `fx` of the configuration looks into; without a configuration `LATIMER_MODELS`
//! or `models`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use pipeline::engines::prove;
use pipeline::model::{LanguagePair, Locale};
use pipeline::models::{self, AddOrder, Added, Listed, Origin, Outcome, State};
use serde_json::json;

use super::work;
use crate::address::web_address;
use crate::exit::{ExitCode, Failure};
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

/// What is to be done.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the models that are there and says whether they are what was added (exit code 1 if one is not).
    List,
    /// Adds the model of a pair of languages, from files that you have or an address that you know.
    Add(AddArguments),
    /// Removes the model of a pair that was added.
    Remove(Pair),
}

/// Two languages.
#[derive(Debug, Args)]
struct Pair {
    /// The language translated from.
    #[arg(value_name = "FROM", value_parser = Locale::parse)]
    source: Locale,
    /// The language translated into.
    #[arg(value_name = "TO", value_parser = Locale::parse)]
    target: Locale,
}

impl Pair {
    fn as_ref(&self) -> LanguagePair<&Locale> {
        LanguagePair { from: &self.source, to: &self.target }
    }
}

/// The arguments of `latimer models add`.
#[derive(Debug, Args)]
struct AddArguments {
    #[command(flatten)]
    pair: Pair,
    /// A folder, an archive (zip, Python wheel, .tar, .tar.gz), or the http(s) address of one. In it: model.*.bin,
    /// vocab.*.spm and, if there is one, lex.*.bin of the pair, each also as .gz.
    #[arg(long, value_name = "FOLDER|ARCHIVE|URL")]
    from: String,
    /// The SHA-256 that the archive must have.
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    /// Takes the place of another model for the pair.
    #[arg(long)]
    replace: bool,
    /// Fetches also from private networks.
    #[arg(long)]
    allow_private: bool,
}

/// Lists, adds or removes.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let folders = match &arguments.models {
        Some(folder) => BTreeSet::from([folder.clone()]),
        None => match options.config_if_there()? {
            Some(config) => config.model_folders(),
            None => BTreeSet::from([default_folder()]),
        },
    };
    match &arguments.action {
        Action::List => list(&folders, options),
        Action::Add(wanted) => add(only(&folders)?, wanted, options),
        Action::Remove(pair) => remove(only(&folders)?, pair, options),
    }
}

/// The folder of neural models where no configuration says one.
pub(super) fn default_folder() -> PathBuf {
    std::env::var_os("LATIMER_MODELS").filter(|value| !value.is_empty()).unwrap_or_else(|| "models".into()).into()
}

fn only(folders: &BTreeSet<PathBuf>) -> Result<&Path, Failure> {
    let mut all = folders.iter();
    match (all.next(), all.next()) {
        (Some(folder), None) => Ok(folder),
        _ => {
            let known: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            Err(Failure::usage(format!("say with --models which folder is meant: {}", known.join(", "))))
        }
    }
}

fn list(folders: &BTreeSet<PathBuf>, options: &Options) -> Result<ExitCode, Failure> {
    let mut all = Vec::new();
    for folder in folders {
        let found = models::list(folder).map_err(|error| Failure::failed(work::chain(&error)))?;
        if found.is_empty() && !options.json {
            println!("no models below {}; `latimer models add FROM TO --from …` puts one there", folder.display());
        }
        all.extend(found);
    }
    match options.json {
        true => println!("{}", json!({ "models": all })),
        false => all.iter().for_each(|model| terminal::print(&write(model))),
    }
    let is_sound = |model: &Listed| matches!(model.state, State::Pinned | State::Unpinned);
    Ok(if all.iter().all(is_sound) { ExitCode::Done } else { ExitCode::Failed })
}

fn write(model: &Listed) -> String {
    let Listed { pair, folder, state, used, from, .. } = model;
    let unused = if *used { "" } else { ", not used" };
    let from = from.as_ref().map(|from| format!(", from {from}")).unwrap_or_default();
    let mut text = format!("{pair}  {}{unused}  {}{from}\n", state.as_str(), folder.display());
    for file in &model.files {
        let differs = if file.matches == Some(false) { "  not as pinned" } else { "" };
        text += &format!("  {:>10}  {}  {}{differs}\n", file.bytes, file.sha256, file.name);
    }
    model.problems.iter().for_each(|problem| text += &format!("  {problem}\n"));
    text
}

fn add(folder: &Path, wanted: &AddArguments, options: &Options) -> Result<ExitCode, Failure> {
    let order = AddOrder {
        folder: folder.to_owned(),
        pair: wanted.pair.as_ref().cloned(),
        from: place(wanted)?,
        sha256: wanted.sha256.as_deref().map(hash).transpose()?,
        replace: wanted.replace,
        prove,
    };
    if matches!(order.from, Origin::Folder(_)) && order.sha256.is_some() {
        return Err(Failure::usage("--sha256 goes with an archive; the files of a folder are pinned one by one"));
    }
    let progress = options.progress();
    let fetched = |came: u64, total: Option<u64>| {
        let kib = |bytes: u64| usize::try_from(bytes >> 10).unwrap_or(usize::MAX);
        progress.report("fetch KiB", kib(came), total.map(kib));
    };
    work::until_interrupted(async {
        let added = models::add(order, &fetched).await;
        progress.finish();
        let added = added.map_err(|error| Failure::failed(work::chain(&error)))?;
        match options.json {
            true => {
                println!("{}", json!({ "outcome": added.outcome, "model": added.model, "notTried": added.not_tried }))
            }
            false => terminal::print(&say(&added)),
        }
        Ok(ExitCode::Done)
    })
}

fn say(added: &Added) -> String {
    let outcome = match added.outcome {
        Outcome::Added => "added",
        Outcome::Replaced => "added in the place of another one",
        Outcome::Pinned => "was there already, with the same files; they are pinned now",
        Outcome::Present => "is there already, with the same files",
    };
    let not_tried = added.not_tried.map(|reason| format!("  not tried: {reason}\n")).unwrap_or_default();
    format!("{}: {outcome}\n{}{not_tried}", added.model.pair, write(&added.model))
}

/// What `--from` means.
fn place(wanted: &AddArguments) -> Result<Origin, Failure> {
    let from = &wanted.from;
    let path = PathBuf::from(from);
    let is_address = ["http:", "https:"].iter().any(|scheme| from.to_ascii_lowercase().starts_with(scheme));
    if is_address {
        let url = web_address("--from", from)?;
        return Ok(Origin::Web { url, allow_private: wanted.allow_private });
    }
    if wanted.allow_private {
        return Err(Failure::usage("--allow-private goes with an address"));
    }
    if path.is_dir() {
        return Ok(Origin::Folder(path));
    }
    match path.is_file() {
        true => Ok(Origin::Archive(path)),
        false => Err(Failure::usage(format!("there is no folder or file {from}, and it is no http(s) address"))),
    }
}

fn hash(text: &str) -> Result<String, Failure> {
    match text.len() == 64 && text.chars().all(|digit| digit.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(Failure::usage(format!("{text:?} is no SHA-256: write its 64 hexadecimal digits"))),
    }
}

fn remove(folder: &Path, pair: &Pair, options: &Options) -> Result<ExitCode, Failure> {
    let removed = models::remove(folder, pair.as_ref());
    let removed = removed.map_err(|error| Failure::failed(work::chain(&error)))?;
    match options.json {
        true => println!("{}", json!({ "pair": removed.pair, "folder": removed.folder, "files": removed.files })),
        false => println!("{}: removed {} from {}", removed.pair, removed.files.join(", "), removed.folder.display()),
    }
    Ok(ExitCode::Done)
}
