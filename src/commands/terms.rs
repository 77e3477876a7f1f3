//! `latimer terms`: candidates for the glossary.

use std::sync::Arc;

use clap::{Args, Subcommand};
use pipeline::config::{Config, SiteConfig};
use pipeline::inspect;
use pipeline::model::SiteId;
use pipeline::run::{BuildStep, Stores};
use pipeline::state::State;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer terms`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

/// The subcommand.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists words that the site writes only with capitals, as lines for a glossary.
    Suggest(Suggest),
}

/// The arguments of `latimer terms suggest`.
#[derive(Debug, Args)]
struct Suggest {
    /// The site, where the configuration has several.
    #[arg(value_parser = SiteId::parse)]
    site: Option<SiteId>,
}

/// Suggests terms.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let Action::Suggest(Suggest { site }) = &arguments.action;
    let config = options.config()?;
    let site = work::site(&config, site.as_ref())?;
    work::until_interrupted(suggest(&config, site, options))
}

async fn suggest(
    config: &Config,
    site: &SiteConfig,
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
    let terms = inspect::suggest_terms(site, &stores, &work::build_options(config), &report).await;
    progress.finish();
    let terms = terms.map_err(|error| work::failure(&site.id, &error))?;
    if options.json {
        println!("{}", serde_json::json!({ "site": site.id, "terms": terms }));
    } else if terms.is_empty() {
        terminal::print(&format!(
            "{}: no word stands only with capitals inside of sentences of two texts\n",
            site.id
        ));
    } else {
        terminal::print(&inspect::suggested_lines(site, &terms));
    }
    Ok(ExitCode::Done)
}
