//! `latimer state`: what is done to the state itself.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use pipeline::config::Config;
use pipeline::counted::counted;
use pipeline::run::{self, Rebuilt, Stores};
use pipeline::state::{State, StateError, StateHealth};
use serde_json::json;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// What only a state knows, so that no store can bring it back.
const LOST: [&str; 4] = [
    "translations that people wrote on the admin screen or over the API in the last half minute may be in the old file alone",
    "the history of runs and previews, the endpoints of webhooks with their secrets, and the summaries and subscriptions that callers of the API sent, are not known \
     any more",
    "sites that callers of the API added have to be added again; their translations come back with their first build",
    "everything else that only the old file had is still in it: nothing was deleted",
];

/// The arguments of `latimer state`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Sets a damaged state aside and rebuilds it from the store.
    Rebuild {
        /// Does it to a sound state, too.
        #[arg(long)]
        force: bool,
    },
    /// Shrinks the state's file to the size of its content.
    Compact,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let config = options.config()?;
    match arguments.action {
        Action::Rebuild { force } => rebuild_if_needed(&config, force, options),
        Action::Compact => compact(&config.store.state, options),
    }
}

/// Makes the file as small as what it holds. A state that is not there is not made.
fn compact(path: &Path, options: &Options) -> Result<ExitCode, CommandFailure> {
    if !path.exists() {
        return Err(CommandFailure::failed(format!(
            "there is no state {}; the first build makes it",
            path.display()
        )));
    }
    let compacted = State::open(path).and_then(State::compact);
    let (before, after) = compacted.map_err(|error| failed(&error))?;
    if options.json {
        println!(
            "{}",
            json!({ "state": path, "before": before, "after": after })
        );
    } else {
        println!("{}: {before} bytes before, {after} now", path.display());
    }
    Ok(ExitCode::Done)
}

fn rebuild_if_needed(
    config: &Config,
    force: bool,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let path = &config.store.state;
    if let StateHealth::Sound = State::health(path).map_err(|error| failed(&error))?
        && !force
    {
        return Err(CommandFailure::failed(format!(
            "the state {} is sound, so nothing was changed; `latimer state rebuild --force` sets it aside all the same",
            path.display()
        )));
    }
    work::until_interrupted(rebuild(config, options))
}

/// The new state is made beside the old one and takes its place when it is whole.
async fn rebuild(config: &Config, options: &Options) -> Result<ExitCode, CommandFailure> {
    let path = &config.store.state;
    let fresh = beside(path);
    let sites = fill(config, &fresh).await;
    let swapped = sites.and_then(|sites| Ok((sites, swap(&fresh, path)?)));
    if swapped.is_err() {
        let _ = std::fs::remove_file(&fresh);
    }
    let (sites, aside) = swapped?;
    if options.json {
        println!(
            "{}",
            json!({ "state": path, "aside": aside, "sites": sites, "lost": LOST })
        );
    } else {
        terminal::print(&written(path, aside.as_deref(), &sites));
    }
    Ok(ExitCode::Done)
}

async fn fill(config: &Config, fresh: &Path) -> Result<Vec<Rebuilt>, CommandFailure> {
    let _ = std::fs::remove_file(fresh);
    let state = State::open(fresh).map_err(|error| failed(&error))?;
    let stores = Stores {
        objects: work::objects(&config.store)?,
        state: Arc::new(state),
    };
    let mut sites = Vec::new();
    for site in &config.sites {
        let rebuilt = run::rebuild(site, &stores, run::now()).await;
        sites.push(rebuilt.map_err(|error| work::failure(&site.id, &error))?);
    }
    Ok(sites)
}

fn swap(fresh: &Path, path: &Path) -> Result<Option<PathBuf>, CommandFailure> {
    let aside = State::set_aside(path).map_err(|error| failed(&error))?;
    std::fs::rename(fresh, path).map_err(|error| {
        CommandFailure::failed(format!(
            "cannot put {} in its place: {error}",
            fresh.display()
        ))
    })?;
    Ok(aside)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

fn written(path: &Path, aside: Option<&Path>, sites: &[Rebuilt]) -> String {
    let mut text = format!("{}: rebuilt from the store\n", path.display());
    if let Some(aside) = aside {
        let _ = writeln!(text, "the old file is {}", aside.display());
    }
    for Rebuilt {
        site,
        translations,
        edited,
        sources,
        off,
        notices,
    } in sites
    {
        let _ = writeln!(
            text,
            "{site}: {} of the source, pages among them",
            counted(*sources, "file")
        );
        for (locale, count) in translations {
            let _ = writeln!(text, "  {locale}: {}", counted(*count, "translation"));
        }
        for (locale, count) in edited {
            let count = counted(*count, "text");
            let _ = writeln!(text, "  {locale}: people's words for {count}");
        }
        for locale in off {
            let _ = writeln!(text, "  {locale} is switched off");
        }
        for notice in notices {
            let _ = writeln!(text, "  notice: {notice}");
        }
    }
    for lost in LOST {
        let _ = writeln!(text, "{lost}");
    }
    text
}

fn failed(error: &StateError) -> CommandFailure {
    CommandFailure::failed(work::chain(error))
}
