//! `latimer locale`: the serving switch of a language, for owners without a running server.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use pipeline::config::{Config, SiteConfig};
use pipeline::model::{Locale, SiteId};
use pipeline::run::{self, BuildError, BuildStep, Stores};
use pipeline::state::{RunKind, State};
use pipeline::store::{self, Objects};
use pipeline::webhooks::LocaleSwitched;

use super::{ordered, summary, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer locale`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The site.
    #[arg(value_parser = SiteId::parse)]
    site: SiteId,
    /// The language.
    #[arg(value_parser = Locale::parse_wanted)]
    locale: Locale,
    /// Serves the language, or stops serving it.
    #[arg(value_enum)]
    switch: LocaleSwitch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LocaleSwitch {
    /// Its pages are served, and the others name them.
    On,
    /// Its pages are gone, and nothing names them.
    Off,
}

/// Turns the switch, then renders what is stored anew; nothing is crawled and no engine is asked.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    if let Some(server) = &options.server {
        let on = arguments.switch == LocaleSwitch::On;
        return ordered::switch(server, &arguments.site, &arguments.locale, on, options);
    }
    let config = options.config()?;
    let site = config
        .site(&arguments.site)
        .filter(|site| site.locales.contains(&arguments.locale));
    let site = site.ok_or_else(|| {
        let known = |site: &SiteConfig| format!("{} ({})", site.id, join(&site.locales));
        let known: Vec<_> = config.sites.iter().map(known).collect();
        CommandFailure::usage(format!(
            "name one of the sites and its locales: {}",
            known.join(", ")
        ))
    })?;
    work::until_interrupted(turn(&config, site, arguments, options))
}

async fn turn(
    config: &Config,
    site: &SiteConfig,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let objects = work::objects(&config.store)?;
    let state = State::open(&config.store.state)
        .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    let on = arguments.switch == LocaleSwitch::On;
    turn_in_stores(site, &arguments.locale, on, &objects, &state).await?;
    let stores = Stores {
        objects,
        state: Arc::new(state),
    };
    let progress = options.progress();
    let report = |step: &BuildStep<'_>| progress.step(step);
    let build = work::build_options(config);
    let outcome = work::perform(site, &stores, RunKind::Render, &build, None, &report).await;
    progress.finish();
    match outcome {
        Ok(report) => {
            match options.json {
                true => println!("{}", serde_json::json!({ "sites": [report] })),
                false => terminal::print(&summary::write(&report, site, &config.store)),
            }
            // The switch is turned; what refused texts and missing words are there was said by builds.
            return Ok(report.outcome.into());
        }
        // The first build will be made as the switch says.
        Err(BuildError::NothingStored) if options.json => {
            println!("{}", serde_json::json!({ "sites": [] }))
        }
        Err(BuildError::NothingStored) => {
            println!(
                "{} is not built yet; the switch is kept for its first build",
                site.id
            )
        }
        Err(error) => return Err(work::failure(&site.id, &error)),
    }
    Ok(ExitCode::Done)
}

/// Turns the switch in the object store, where every builder and server sees it, and then in the state.
async fn turn_in_stores(
    site: &SiteConfig,
    locale: &Locale,
    on: bool,
    objects: &Objects,
    state: &State,
) -> Result<(), CommandFailure> {
    let failed =
        |error: &(dyn std::error::Error + 'static)| CommandFailure::failed(work::chain(error));
    let known = state.switches(&site.id).map_err(|error| failed(&error))?;
    let known = known
        .into_iter()
        .map(|(locale, record)| (locale, record.enabled.into()))
        .collect();
    let turned = store::turn_switch(objects, &site.id, locale, on.into(), &known).await;
    turned.map_err(|error| failed(&error))?;
    let event = LocaleSwitched::new(locale, on, LocaleSwitched::COMMAND_LINE);
    state
        .turn_switch(&site.id, locale, on, None, Some(event), run::now())
        .map_err(|error| failed(&error))?;
    Ok(())
}

fn join(locales: &[Locale]) -> String {
    locales
        .iter()
        .map(Locale::as_str)
        .collect::<Vec<_>>()
        .join(" ")
}
